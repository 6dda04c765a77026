"""Runs of LabelBoost on thresholds of many bits, by values below 2^30, and the failure of its first round by counts.

The distributions put all points below 2^30.  So a threshold over {0, 1}^b is known there by an integer, and b appears
in the base learner alone, which draws from all 2^b + 1 thresholds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval
from semipriv.core.types import Bools, Floats, Integers
from semipriv.papers.bns15.bounds.learners import whole_class
from semipriv.papers.bns15.label_boost.integers import all_thresholds
from semipriv.papers.bns15.label_boost.procedure import IntegerBlock, Mistakes, boosted
from semipriv.papers.bns15.label_boost.schedule import Constants, Round, Schedule

TOP = 2**30
"""Points of distributions lie below, unless the distribution says otherwise."""


@dataclass(frozen=True)
class AtomsAndUniform:
    """A distribution below ``top``: atoms at 0, 1, ..., the rest uniform above them; label 1 below ``target``.

    name: as the specification has it.  atoms: their masses.
    """

    name: str
    atoms: tuple[float, ...]
    target: int
    top: int = TOP

    def draw(self, n: int, generator: np.random.Generator) -> Integers:
        """Return n independent points, (n,) int64, those at each atom together: what thins them chooses at random."""
        first = len(self.atoms)
        *at_atoms, others = generator.multinomial(n, [*self.atoms, 1 - math.fsum(self.atoms)]).tolist()
        return np.concatenate([np.repeat(np.arange(first), at_atoms), generator.integers(first, self.top, others)])

    def below(self, cut: int) -> float:
        """Return the mass of the points below a cut."""
        first = len(self.atoms)
        rest = (min(cut, self.top) - first) / (self.top - first)
        return math.fsum(self.atoms[:cut]) + (1 - math.fsum(self.atoms)) * max(0.0, rest)

    def error(self, cut: int) -> float:
        """Return the error of 1[x < cut]."""
        return abs(self.below(cut) - self.below(self.target))


def two_atoms(atom: float, top: int = TOP) -> AtomsAndUniform:
    """Return TWO-ATOMS: 0 with mass 1/2 and label 1, 1 with mass ``atom`` and label 0, the rest with label 0."""
    return AtomsAndUniform("TWO-ATOMS", (0.5, atom), 1, top)


def corner(share: float) -> AtomsAndUniform:
    """Return CORNER: uniform below 2^30, where the largest points, a share, have label 0."""
    return AtomsAndUniform("CORNER", (), round((1 - share) * TOP))


BASE_EPSILON = 1.0
"""epsilon of the base learner."""
KEEP = 17
"""r of the scaled constants: one of so many examples is kept in each round."""
LAST_KEEP = 6
"""r0 of the scaled constants: the same at the end."""


def base_need(bits: int, alpha: float, beta: float, epsilon: float = BASE_EPSILON) -> int:
    """Return examples with which the exponential mechanism over all 2^bits + 1 thresholds learns."""
    return whole_class(math.log(2**bits + 1), alpha, beta, epsilon)


def forced_round(constants: Constants, kept: int, n: int, alpha: float, beta: float) -> Schedule:
    """Return one round that keeps so many labels, and reads a whole block of the base learner's n examples."""
    c, block = constants, constants.block(n)
    round_ = Round(c.r * kept, block, kept, block // c.r, c.alpha(alpha, 1), c.beta(beta, 1))
    return Schedule(c, (round_,), round_.relabelled, round_.relabelled // c.r0, block)


Learned = Callable[[Round, Mistakes, IntegerBlock], None]


def run(
    distribution: AtomsAndUniform,
    n_labelled: int,
    plan: Schedule,
    bits: int,
    randomness: Simulation,
    watch: Learned = lambda *_: None,
) -> float:
    """Return the error of LabelBoost around the learner of all 2^bits + 1 thresholds, epsilon = 1."""
    data, coins = randomness.spawn("data").generator, randomness.spawn("coins")
    values = distribution.draw(n_labelled, data)
    start = IntegerBlock(values, values < distribution.target)

    def read(round_: Round) -> Integers:
        return distribution.draw(round_.kept_unlabelled, data)

    last = boosted(start, plan, read, coins, watch)
    return distribution.error(chosen(last.values, last.labels, bits, coins))


def chosen(values: Integers, labels: Bools, bits: int, randomness: Simulation) -> int:
    """Draw a threshold of all 2^bits + 1 by the exponential mechanism with epsilon = 1."""
    return all_thresholds(values, labels, bits).draw(Fraction(1, 2), randomness)


def lowest_cut(block: IntegerBlock) -> int:
    """Return the least threshold that gives a block its labels."""
    return int(((block.values + 1) * block.labels).max(initial=0))  # a product is faster than a choice


def largest_error(distribution: AtomsAndUniform, after: IntegerBlock) -> float:
    """Return the larger error of the two ends of the cell of thresholds that give a block its labels.

    The error falls and then rises along the cell, so no other threshold of the cell has a larger one.
    """
    zeros = after.values + distribution.top * after.labels
    return max(distribution.error(lowest_cut(after)), distribution.error(int(zeros.min(initial=distribution.top))))


def tail(mistakes: Mistakes, epsilon: float, most: float) -> float:
    """Return the exact probability that the exponential mechanism chooses one with more mistakes than ``most``."""
    values, counts = mistakes.histogram()
    weights = counts.astype(np.float64) * np.exp(-epsilon / 2 * (values - values[0]))
    return float(weights[values > most].sum() / weights.sum())


# ---------------------------------------------------------------------------------------------------- by counts
def any_distribution_bound(kept: int, block: int, error: float) -> float:
    """Return a bound on P[error of the chosen dichotomy > error] in a realisable first round, for every distribution.

    Take each dichotomy to be cut at a point, or above all.  Cuts at the ``block`` unlabelled points, and above all, do
    not depend on the labelled examples; a cut with an error above e makes mistakes on ``kept`` independent examples,
    and E[e^(-mistakes / 2)] <= (1 - e (1 - e^(-1/2)))^kept.  At a labelled point the others are independent of the
    cut.  The right dichotomy makes no mistake and has weight 1.
    """
    shrink = math.log1p(-error * -math.expm1(-0.5))
    return min(1.0, (block + 1) * math.exp(kept * shrink) + kept * math.exp((kept - 1) * shrink))


def first_round(kept: int, block: int, atom: float) -> Interval:
    """Return bounds of the probability that round 1 on TWO-ATOMS does not choose the right dichotomy, and their middle.

    kept labelled examples, ``block`` unlabelled ones.  Given how many labelled examples are at 0 (n_0), at 1 (n_1) and
    in the rest (n_2), the wrong dichotomies weigh e^(-n_0 / 2) and e^(-n_1 / 2) W, the right one 1.  W is the sum of
    e^(-s / 2) over the cuts among R distinct points of the rest, with s of the labelled ones below.  Places among these
    are exchangeable, so E[W] = (R + 1) / (n_2 + 1) sum_(s <= n_2) e^(-s / 2).

    Above: w / (1 + w) is concave, so W is replaced by its mean with R = block + n_2.  Below: W is at least the number
    G of cuts below the first labelled point of the rest, P[G > g] >= (1 - g / (R - n_2 + 1))^n_2, with R - n_2 at least
    eight deviations below its mean and without points that coincide; the probability of fewer is subtracted.
    """
    rest = 0.5 - atom
    most_wrong = rest * block - 8 * math.sqrt(rest * block) - 1
    most_wrong -= block**2 / TOP
    wrong = np.arange(kept + 1)
    distribution_of_ones = scipy.stats.binom.pmf(wrong, kept, atom)
    wrong, distribution_of_ones = (
        wrong[distribution_of_ones >= 1e-18],
        distribution_of_ones[distribution_of_ones >= 1e-18],
    )
    rests = [_likely(kept - n_1, (kept - n_1) * rest / (1 - atom)) for n_1 in wrong.tolist()]
    others = np.repeat(kept - wrong, list(map(len, rests)))
    distributions = scipy.stats.binom.pmf(
        np.concatenate(rests), others, rest / (1 - atom)
    )  # one call: each builds a distribution
    grid, survival = _survival(most_wrong, kept)
    low = high = 0.0
    for n_1, mass, n_2, distribution in zip(
        wrong.tolist(),
        distribution_of_ones.tolist(),
        rests,
        np.split(distributions, np.cumsum(list(map(len, rests)))[:-1]),
        strict=True,
    ):
        share = mass * distribution
        zeros = np.exp(-(kept - n_1 - n_2) / 2)
        total = -np.expm1(-(n_2 + 1) / 2) / -math.expm1(-0.5) / (n_2 + 1)
        above = zeros + math.exp(-n_1 / 2) * (block + n_2 + 1) * total
        high += float(share @ (above / (1 + above)))
        heights = grid * math.exp(-n_1 / 2) / (1 + grid * math.exp(-n_1 / 2))
        low += float(share @ (survival[n_2[0] : n_2[-1] + 1] @ np.diff(heights)))
    low, high = max(0.0, low - 1e-9), high + 1e-9
    return Interval((low + high) / 2, low, high)


def _likely(others: int, mean: float) -> Integers:
    """Return all but the unlikely numbers of examples of the rest among ``others``."""
    spread = math.sqrt(others * 0.25) + 1
    return np.arange(max(0, int(mean - 9 * spread)), min(others, int(mean + 9 * spread)) + 1)


def _survival(largest: float, most: int) -> tuple[Floats, Floats]:
    """Return a grid of g, and P[G > g] at least at its steps for each n_2 up to ``most``; 0 where there are too few.

    E[G weight / (1 + G weight)] is at least their product with the differences of g weight / (1 + g weight): by parts.
    """
    if largest < 1:
        return np.zeros(2), np.zeros((most + 1, 1))
    grid = np.append(0.0, np.geomspace(1, largest, 40))
    return grid, np.maximum(0.0, 1 - grid[None, 1:] / (largest + 1)) ** np.arange(most + 1)[:, None]
