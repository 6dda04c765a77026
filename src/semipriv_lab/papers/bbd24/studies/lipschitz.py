"""Lemmas 13 to 16 of BBD24 as printed: the Lipschitz constant lambda of the loss is missing in their first term.

Functions are close to each other, f = 1 - v / lambda with v in [0, 1], and the loss max(0, lambda f - lambda + 1), that
is 1 - v, is steep: convex, lambda-Lipschitz, in [0, 1].  So E sup w is of order 1 / lambda, and losses are not.
The distribution is uniform on N points.  v is any mixture of the constant .9 and of functions with values in [0, 1]
whose sum over the N points is at most n, the number of records: a convex class, which can fit all records and be wrong
elsewhere.
"""

import math
from dataclasses import dataclass

from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

BETA = 0.05
CONSTANTS = (1.0, 30.0, 1000.0)
"""Stand for the constants that the lemmas leave out."""
LIPSCHITZ = 1000.0
BEST = 0.1
"""Loss of the constant v = .9."""
WIDE = 8.0
"""Standard deviations by which the length of a normal vector may be above its root mean square."""


@dataclass(frozen=True)
class Narrow:
    """Sizes.  n: records.  points: N.  m: public points.  eta, count: as in algorithm 2.  gamma: scale of the noise."""

    n: float
    points: float
    m: float
    eta: float = 1.0
    count: float = 1e6
    gamma: float = 0.0
    lipschitz: float = LIPSCHITZ

    @property
    def width(self) -> float:
        """A bound of E sup w_n: the sum of max(xi, 0) over the records, over lambda sqrt(n)."""
        return math.sqrt(self.n / (2 * math.pi)) / self.lipschitz

    @property
    def complexity(self) -> float:
        """A bound of E sup w_m, whatever the public points: the length of N normal variables over lambda."""
        return math.sqrt(self.points) / self.lipschitz


def least_deviation(sizes: Narrow) -> float:
    """Return a lower bound of L - L_D of the function that is 1 on all records and 0 elsewhere: its L_D is 0."""
    return 1 - sizes.n / sizes.points


def least_excess(sizes: Narrow, algorithm: int) -> float:
    """Return a lower bound of the excess loss of the fit of algorithm 2 or 3, whatever the records.

    A minimiser has at most the objective of the function that is 1 on all records.  So its losses add up to at most the
    range of the regulariser: 2 eta / lambda for ||f||_m^2, and for w at most eta / lambda times the length of N normal
    variables, which is at most sqrt(N) + 8 except with a chance of e^-32 for each draw.  The weight t of .9 in it costs
    t / 10 on each record, so that t is at most ten times that range over n; and its mean is at most .9 t + n / N.
    """
    root = 2.0 if algorithm == 3 else math.sqrt(sizes.points) + WIDE
    weight = min(1.0, 10 * sizes.eta * root / (sizes.lipschitz * sizes.n))
    return 1 - BEST - 0.9 * weight - sizes.n / sizes.points


def missed(sizes: Narrow) -> float:
    """Return by how much noise may lower the loss of the output: lambda sqrt(2) 2 gamma ||zeta||_m, ||zeta||_m <= 2.

    If each of the N points has at least half of its share of the public points.
    """
    return sizes.lipschitz * math.sqrt(2) * 2 * sizes.gamma * 2


def certain(sizes: Narrow, algorithm: int) -> float:
    """Return a lower bound of the chance of all that: shares of the points, length of the noise, of the processes."""
    shares = math.exp(min(0.0, math.log(sizes.points) - sizes.m / (8 * sizes.points)))
    noise = math.exp(-sizes.m / 2)
    draws = sizes.count * math.exp(-(WIDE**2) / 2) if algorithm == 2 else 0.0
    return max(0.0, 1 - shares - noise - draws)


def printed_excess(sizes: Narrow, algorithm: int, constant: float) -> float:
    """Return the bound of lemma 14 as printed, its first term without lambda; ``constant`` stands for unstated ones."""
    log = math.log(1 / BETA)
    spread = 1.0 if algorithm == 3 else 2 * (sizes.complexity + constant * math.sqrt(log / sizes.count))
    first = 12 * sizes.width / math.sqrt(sizes.n)
    return first + constant * (2 * math.sqrt(log / sizes.n) + sizes.eta * spread / sizes.n)


def printed_output(sizes: Narrow, algorithm: int, constant: float) -> float:
    """Return the bound of lemmas 15 and 16, sigma = 1: lemma 14's and the terms of the noise, which have lambda."""
    log, logs = math.log(1 / BETA), math.log(sizes.m)
    norms = math.sqrt(logs**3 / sizes.m) * sizes.complexity + math.sqrt((math.log(logs) + log) / sizes.m)
    noise = sizes.gamma * log + norms
    return printed_excess(sizes, algorithm, constant) + constant * sizes.lipschitz * noise


def at(constant: float) -> Narrow:
    """Return sizes at which the printed bounds are small for that constant."""
    n = 1e5 * constant**2
    points = 100 * n
    return Narrow(n, points, 1e10 * points * constant**2, gamma=1e-4 / (LIPSCHITZ * constant))


DEVIATION = "sup |L_D - L|, at least"


@claim(
    "BBD24-L13-literal",
    f"functions that differ by 1/{LIPSCHITZ:g} at most, a loss with Lipschitz constant {LIPSCHITZ:g}, in closed form",
    shown=DEVIATION,
)
def deviations(table: Table) -> str:
    """Refute lemma 13 as printed, for every constant of its second term."""
    for constant in CONSTANTS:
        sizes = at(constant)
        second = constant * math.sqrt(math.log(1 / BETA) / sizes.n)
        settings: Settings = {"n": sizes.n, "lambda": LIPSCHITZ, "beta": BETA, "constant": constant}
        measured = least_deviation(sizes)
        table.refutable(DEVIATION, settings, measured, 6 * sizes.width / math.sqrt(sizes.n) + second)
        mended = 6 * LIPSCHITZ * sizes.width / math.sqrt(sizes.n) + second
        table.at_most("the same against the first term with lambda", settings, min(1.0, measured), mended)
    return (
        "the sample is fitted by a function that is wrong elsewhere, surely: the deviation is .99, and E sup w_n / "
        "sqrt(n) is 1 / (lambda sqrt(2 pi)) at most.  With lambda in the first term the bound is above 1 there "
        "(BBD24-L13)"
    )


FITTED = "excess loss of the fit, at least"
RELEASED = "P[excess loss of the output > the printed bound], at least"


@claim(
    "BBD24-L16-literal",
    f"a convex class of functions that differ by 1/{LIPSCHITZ:g} at most, a loss with Lipschitz constant "
    f"{LIPSCHITZ:g}, in closed form",
    shown=RELEASED,
)
def excesses(table: Table) -> str:
    """Refute lemmas 14 to 16 as printed, for every constant that they leave out."""
    for constant in CONSTANTS:
        sizes = at(constant)
        for algorithm in (2, 3):
            settings: Settings = {"algorithm": algorithm, "n": sizes.n, "m": sizes.m, "lambda": LIPSCHITZ, "beta": BETA}
            settings |= {"constant": constant}
            measured, bound = least_excess(sizes, algorithm), printed_excess(sizes, algorithm, constant)
            table.refutable(FITTED, settings, measured, bound)
            lemma = settings | {"lemma": 15 if algorithm == 2 else 16}
            printed = printed_output(sizes, algorithm, constant)
            chance = certain(sizes, algorithm) if measured - missed(sizes) > printed else 0.0
            table.refutable(RELEASED, lemma | {"the bound": printed}, chance, BETA)
            mended = bound + 12 * (LIPSCHITZ - 1) * sizes.width / math.sqrt(sizes.n)
            table.at_most("the same against the first term with lambda", settings, measured, mended)
    least, most = min(table.values(FITTED)), max(float(row.settings["the bound"]) for row in table(RELEASED))
    return (
        f"the excess is at least {least:.2f} whatever the records, n, m, J and gamma are, and the printed bounds are "
        f"at most {most:.3f}: their first term is at most 12 / (lambda sqrt(2 pi)), the others vanish.  Lemma 14 is "
        "judged on the fit, 15 and 16 on the output.  In their last term the paper has lambda.  With lambda in the "
        "first one, too, the bounds are above 1 there (BBD24-L14, -L15, -L16)"
    )
