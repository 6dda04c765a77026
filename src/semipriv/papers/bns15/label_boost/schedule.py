"""Sizes of LabelBoost (BNS15 algorithm 3): how many examples each round reads, relabels and keeps.

They depend on the numbers of examples, on alpha and beta and on constants, never on what the examples are.  So they are
known before anything is drawn, as exact integers.

Round i reads v = min(V, floor(kappa beta_i VC e^x - |S|)) unlabelled examples, where S is the labelled part, x = eps0
alpha_i |S| / (2 r VC), V = r r0 n, alpha_i = alpha / (a0 2^i) and beta_i = beta / (b0 2^i).  It keeps floor(|S| / r) of
S and floor(v / r) of those that were read; together they are the next S.  Rounds end when |S| >= r0 n.  Then floor(|S|
/ r0) of S are kept, and the base learner gets as many.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from semipriv.core import checks
from semipriv.core.fields import positive, size, value
from semipriv.core.least import least_size
from semipriv.core.rounding import exponential, outward

STUCK = "stuck: a round reads nothing, keeps nothing, or ends with no more labelled examples than it began with"
SHORT = "short of data: a round needs more unlabelled examples than are left (step 2b)"

_SURE = 1e-12
"""Relative error of a float e^x for x <= 700, with room: x comes from fewer than ten roundings."""


@value
class Constants:
    """Constants of LabelBoost; by default those of the paper.

    r: one of r examples is kept in each round.  r0: one of r0 is kept at the end.  eps0: epsilon of the exponential
    mechanism that chooses the labels of a round.  a0, b0: alpha_i = alpha / (a0 2^i), beta_i = beta / (b0 2^i).  kappa:
    factor of the number of examples that a round relabels; claim 4.2 allows r / e.

    >>> PAPER.block(10), PAPER.unlabelled(10)
    (300000, 900000)
    """

    r: int = size(default=100)
    r0: int = size(default=300)
    eps0: float = positive(default=1.0)
    a0: float = positive(default=10.0)
    b0: float = positive(default=4.0)
    kappa: float = positive(default=1.0)

    def block(self, n: int) -> int:
        """Return V = r r0 n, the most unlabelled examples that a round reads, for a base learner of n examples."""
        return self.r * self.r0 * checks.size("n", n)

    def unlabelled(self, n: int) -> int:
        """Return 3 V, the unlabelled examples that all rounds together may read."""
        return 3 * self.block(n)

    def alpha(self, alpha: float, i: int) -> float:
        """Return alpha_i = alpha / (a0 2^i), of round i >= 1."""
        return alpha / (self.a0 * 2**i)

    def beta(self, beta: float, i: int) -> float:
        """Return beta_i = beta / (b0 2^i), of round i >= 1."""
        return beta / (self.b0 * 2**i)


PAPER = Constants()
"""The paper's."""
EXACT = Constants(17, 6)
"""Enough for (1, delta) by the exact accountant, with room at the end."""
SHARP = Constants(11, 6)
"""The same by the sharp accountant."""
EXACT_LEAST = Constants(17, 3)
"""The least keep ratios for (1, delta), in any number of rounds, by the exact accountant."""
SHARP_LEAST = Constants(11, 3)
"""The same by the sharp accountant."""
NAMED = {"paper": PAPER, "exact": EXACT, "sharp": SHARP, "exact_least": EXACT_LEAST, "sharp_least": SHARP_LEAST}
"""Constants by name."""


@dataclass(frozen=True, slots=True)
class Round:
    """Sizes of one round.

    labelled: |S_i| at its start.  read: v, unlabelled examples that it reads.  kept_labelled and kept_unlabelled: what
    thinning leaves of either; the sum is |S_(i+1)|.  alpha, beta: alpha_i and beta_i.
    """

    labelled: int
    read: int
    kept_labelled: int
    kept_unlabelled: int
    alpha: float
    beta: float

    @property
    def relabelled(self) -> int:
        """Examples that get new labels, |S_(i+1)|."""
        return self.kept_labelled + self.kept_unlabelled


@dataclass(frozen=True, slots=True)
class Schedule:
    """Sizes of a whole run.

    rounds: those that can be carried out.  labelled: |S| after them.  final: floor(|S| / r0), the examples that the
    base learner gets.  unlabelled: examples that all rounds read.  failure: None, STUCK or SHORT; then the run must not
    begin.  wanted: v of the round that fails, which may be below 0; 0 if none fails.
    """

    constants: Constants
    rounds: tuple[Round, ...]
    labelled: int
    final: int
    unlabelled: int
    failure: str | None = None
    wanted: int = 0


def schedule(
    constants: Constants,
    n_labelled: int,
    n: int,
    alpha: float,
    beta: float,
    vc: int,
    n_unlabelled: int | None = None,
) -> Schedule:
    """Return the sizes of LabelBoost around a base learner of n examples, for a class of VC dimension vc.

    alpha and beta: in (0, 1).  n_unlabelled: how many unlabelled examples there are; None: 3 V.  If a round fails, the
    schedule says so and ends before it.

    >>> found = schedule(PAPER, 440_925, 7190, 0.2, 0.2, 1)
    >>> [each.labelled for each in found.rounds], found.labelled, found.final
    ([440925, 938652, 1941755], 2172943, 7243)
    >>> schedule(PAPER, 440_924, 7190, 0.2, 0.2, 1).wanted
    -2110201
    """
    labelled, alpha = checks.size("n_labelled", n_labelled), checks.between("alpha", alpha, 0, 1)
    beta, vc = checks.between("beta", beta, 0, 1), checks.size("vc", vc)
    block, enough = constants.block(n), constants.r0 * checks.size("n", n)
    left = constants.unlabelled(n) if n_unlabelled is None else checks.size("n_unlabelled", n_unlabelled, 0)
    rounds: list[Round] = []
    failure, wanted, consumed = None, 0, 0
    while labelled < enough:
        i = len(rounds) + 1
        alpha_i, beta_i = constants.alpha(alpha, i), constants.beta(beta, i)
        wanted = min(block, _allowed(constants, labelled, alpha_i, beta_i, vc, block + labelled) - labelled)
        this = Round(labelled, wanted, labelled // constants.r, wanted // constants.r, alpha_i, beta_i)
        if min(wanted, this.kept_labelled) < 1 or this.relabelled <= min(labelled, enough - 1):
            failure = STUCK
            break
        if wanted > left - consumed:
            failure = SHORT
            break
        rounds.append(this)
        labelled, consumed, wanted = this.relabelled, consumed + wanted, 0
    final = 0 if failure else labelled // constants.r0
    return Schedule(constants, tuple(rounds), labelled, final, consumed, failure, wanted)


def least_labelled(constants: Constants, n: int, alpha: float, beta: float, vc: int) -> int:
    """Return the least number of labelled examples with which no round fails: by bisection, for more never fail.

    >>> least_labelled(PAPER, 7190, 0.2, 0.2, 1)
    440925
    """
    return least_size(lambda m: float(schedule(constants, m, n, alpha, beta, vc).failure is not None), 0.5)


def _allowed(constants: Constants, labelled: int, alpha: float, beta: float, vc: int, most: int) -> int:
    """Return floor(kappa beta VC e^x) if it is below ``most``, else ``most``; exact for the floats as they are."""
    factor = constants.kappa * beta * vc
    try:
        x = constants.eps0 * alpha * labelled / (2 * constants.r * vc)
    except OverflowError:  # so many examples are no float
        return most
    if x + math.log(factor) > math.log(most) + 1:
        return most
    near = factor * math.exp(x) if x < 700 else math.inf
    if near < 1e11 and math.floor(near * (1 - _SURE)) == math.floor(near * (1 + _SURE)):
        return math.floor(near)
    exponent = Fraction(constants.eps0) * Fraction(alpha) * labelled / (2 * constants.r * vc)
    return min(most, _floor(Fraction(constants.kappa) * Fraction(beta) * vc, exponent))


def _floor(factor: Fraction, exponent: Fraction) -> int:
    """Return floor(factor e^exponent), with as many digits as it takes: e^exponent is irrational."""
    digits = 30 + int(exponent)
    while True:
        down, up = outward(digits)
        low = exponential(down.divide(exponent.numerator, exponent.denominator), digits)[0]
        high = exponential(up.divide(exponent.numerator, exponent.denominator), digits)[1]
        floor = math.floor(Fraction(low) * factor)
        if floor == math.floor(Fraction(high) * factor):
            return floor
        digits *= 2
