"""Claims on the private points that the net mechanism needs (BNS15 theorems A.3 and 3.3), exactly, on fixed data.

Failure probabilities are those of the mechanism's distribution, by its layers: nothing is drawn.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.least import least_size
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.bounds.sanitizers import net_size
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, exceeding, largest
from semipriv_lab.papers.bns15.studies._fixed_data import FIXED, failure

EPSILON = 1.0
BETA = 0.1
RATE = Fraction(1, 2)
BITS = (4, 8, 16, 32, 60)
SIZES, ALPHAS = (10, 20), (0.2, 0.1)
CONTROL = (10, 0.2)
"""Released points and alpha of the control, with n / 8 private points."""
FEWER = 8
RATE_BITS = (8, 16, 32, 60, 120)
RATE_SIZE = 5
RATE_ALPHA = 0.2
RATE_DISTRIBUTIONS = ("POWER", "CORNER", "one point")
CONTROL_BITS = (8, 16, 32)

FAILS = "P[some prefix is off by alpha or more]"


def whole(n: int) -> int:
    """Return the least multiple of 10 from n on: then alpha n is whole."""
    return -(-n // 10) * 10


def _least(distribution: str, bits: int, step: int, size: int, alpha: float, rate: Fraction = RATE) -> int:
    """Return the least multiple of a step, by bisection, with failure probability at most BETA."""
    return step * least_size(lambda i: failure(distribution, bits, step * i, size, alpha, rate), BETA)


@claim(
    "BNS15-A.3",
    f"net mechanism on fixed data: exact failure probability at the explicit size, k = 10 and 20, b = {min(BITS)} to "
    f"{max(BITS)}",
    shown=FAILS,
    constants="ours",
)
def utility(table: Table) -> str:
    """Measure the failure probability at the size of ``net_size``, for fixed data."""
    slack = "size of the bound / least size"
    for distribution, size, alpha, bits in track(list(itertools.product(FIXED, SIZES, ALPHAS, BITS)), "cells"):
        n = whole(net_size(alpha, BETA, EPSILON, bits, size))
        settings: Settings = {
            "distribution": distribution,
            "released": size,
            "alpha": alpha,
            "bits": bits,
            "epsilon": EPSILON,
        }
        table.at_most(FAILS, settings | {"n_unlabelled": n}, failure(distribution, bits, n, size, alpha, RATE), BETA)
        if (size, alpha) != CONTROL:
            continue
        table.recorded(slack, settings, n / _least(distribution, bits, 10, size, alpha))
        if distribution in ("CORNER", "one point"):
            control_size = n // FEWER // 10 * 10
            fails = failure(distribution, bits, control_size, size, alpha, RATE)
            table.exceeding(f"{FAILS}, n / 8", settings | {"n_unlabelled": control_size}, fails, BETA)
    slacks = table.values(slack)
    return (
        "theorem A.3 has no constant: the size is ours, for prefixes of the integers below 2^b alone; the "
        f"failure is at most {max(table.values(FAILS)):.2g} there, and a loss "
        f"would be noticed from a factor of {min(slacks):.2g} to {max(slacks):.2g} on (k = 10, alpha = "
        "0.2, by distribution and b)"
    )


EXPONENT = "local exponent in b"


def local_exponents(bits: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return ln(n' / n) / ln(b' / b) of neighbours.

    >>> local_exponents([8, 16, 32], [10, 20, 80])
    [1.0, 2.0]
    """
    pairs = zip(itertools.pairwise(bits), itertools.pairwise(sizes), strict=True)
    return [math.log(n / m) / math.log(b / a) for (a, b), (m, n) in pairs]


def _steps(distribution: str, bits: Sequence[int], sizes: Sequence[float]) -> Iterable[tuple[Settings, float]]:
    """Yield the settings of each local exponent, and the exponent."""
    for (a, b), exponent in zip(itertools.pairwise(bits), local_exponents(bits, sizes), strict=True):
        yield {"distribution": distribution, "bits": b, "from": a}, exponent


def needs(randomness: Simulation, effort: float) -> dict[str, list[int]]:
    """Return the least multiples of 5, by distribution and b."""
    return {
        distribution: [_least(distribution, bits, 5, RATE_SIZE, RATE_ALPHA) for bits in RATE_BITS]
        for distribution in track(RATE_DISTRIBUTIONS, "distributions")
    }


def controls(randomness: Simulation, effort: float) -> list[Measurement]:
    """Measure the mechanism with epsilon / b in the weight, whose need grows like b^2."""
    rows = []
    for distribution in track(RATE_DISTRIBUTIONS, "controls"):
        sizes = [_least(distribution, bits, 5, RATE_SIZE, RATE_ALPHA, RATE / bits) for bits in CONTROL_BITS]
        for settings, exponent in _steps(distribution, CONTROL_BITS, sizes):
            rows.append(exceeding(f"{EXPONENT}, negative control with epsilon / b", settings, exponent, 1.0))
    return rows


@claim(
    "BNS15-A.3-rate",
    f"net mechanism on fixed data, k = {RATE_SIZE}, alpha = {RATE_ALPHA:g}, beta = {BETA:g}, epsilon = {EPSILON:g}: "
    "least size by "
    "bisection over multiples of 5",
    constants="ours",
)
def rate(table: Table) -> str:
    """Judge that no local exponent of the need exceeds 1."""
    ratios = []
    for distribution, sizes in table.once(needs).items():
        for bits, n in zip(RATE_BITS, sizes, strict=True):
            settings: Settings = {
                "distribution": distribution,
                "bits": bits,
                "released": RATE_SIZE,
                "alpha": RATE_ALPHA,
                "beta": BETA,
            }
            proven = net_size(RATE_ALPHA, BETA, EPSILON, bits, RATE_SIZE)
            table.at_most("private points needed", settings, n, proven)
            ratios.append(proven / n)
        for settings, exponent in _steps(distribution, RATE_BITS, sizes):
            table.at_most(EXPONENT, settings, exponent, 1.0)
    table.show(largest(table(EXPONENT)))
    table.add(table.once(controls))
    values, corner = table.values(EXPONENT), table.once(needs)["CORNER"]
    pairs = zip(itertools.pairwise(RATE_BITS), itertools.pairwise(corner), strict=True)
    points = [(n - m) / (b - a) for (a, b), (m, n) in pairs]
    return (
        f"an upper bound: at most linear, local exponents {min(values):.2f} to {max(values):.2f} between b = 8 "
        f"and 120; {min(points):.1f} to {max(points):.1f} points for each further bit on CORNER; the size with a proof "
        f"is {min(ratios):.1f} to {max(ratios):.1f} times as large"
    )


SIZE_EXPONENT = f"{EXPONENT} of the size with a proof"
RUN_ERROR = 0.4
"""Error of shares of runs, where that of prefixes is RATE_ALPHA."""
LEARN_SIZE = 50
LEARN_ERROR = 0.04
LEARN_BETA = 0.04
"""Released points, error of shares and beta of GenericLearner's sanitizer at alpha = beta = 0.2."""


@claim(
    "BNS15-T3.3-unlabelled",
    "least sizes of BNS15-A.3-rate against the size with a proof for runs, differences of two prefixes; exponents of "
    "that size",
    shown=SIZE_EXPONENT,
    constants="ours",
)
def unlabelled(table: Table) -> str:
    """Judge the size that GenericLearner's sanitizer asks for: it suffices, and is at most linear in b."""
    for distribution, sizes in table.once(needs).items():
        for bits, n in zip(RATE_BITS, sizes, strict=True):
            most = Net().needed(DiscreteThresholds(bits), RATE_SIZE, EPSILON, RUN_ERROR, BETA)
            settings: Settings = {"distribution": distribution, "bits": bits, "released": RATE_SIZE, "beta": BETA}
            settings["share error"] = RUN_ERROR
            table.at_most("private points needed, shares of runs off by less than 0.4", settings, n, most)
    size, error, beta = LEARN_SIZE, LEARN_ERROR, LEARN_BETA
    learns = {"released": size, "share error": error, "beta": beta}
    proven = [Net().needed(DiscreteThresholds(bits), size, EPSILON, error, beta) for bits in RATE_BITS]
    for settings, exponent in _steps("all", RATE_BITS, proven):
        table.at_most(SIZE_EXPONENT, settings | learns, exponent, 1.0)
    steeper = [Net().needed(DiscreteThresholds(bits), size, EPSILON / bits, error, beta) for bits in RATE_BITS]
    for settings, exponent in _steps("all", RATE_BITS, steeper):
        table.exceeding(f"control: {SIZE_EXPONENT}, epsilon / b", settings, exponent, 1.0)
    return (
        "an upper bound for pure privacy; that every pure learner needs so many is cited. How the need itself grows is "
        "BNS15-A.3-rate; at alpha = beta = 0.2 the learner reads "
        f"{proven[0]:,} entries for b = 8 and {proven[3]:,} for b = 60"
    )
