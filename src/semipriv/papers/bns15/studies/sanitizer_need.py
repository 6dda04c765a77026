"""Claims on the private points that the net mechanism needs (BNS15 theorems A.3 and 3.3), exactly, on fixed data.

Failure probabilities are those of the mechanism's law, by its layers: nothing is drawn.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.least import least_size
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.bounds.sanitizers import net_size
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.studies._fixed_data import FIXED, failure
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    comparable,
    conclude,
    exceeding,
    gates,
    nearest_to_bound,
    recorded,
)

CLAIMS = ("BNS15-A.3", "BNS15-A.3-rate", "BNS15-T3.3-unlabelled")
FIGURE = "sanitizer_need"
SECONDS = 6

EPSILON, BETA = 1.0, 0.1
RATE = Fraction(1, 2)
BITS = (4, 8, 16, 32, 60)
SIZES, ALPHAS = (10, 20), (0.2, 0.1)
CONTROL = (10, 0.2)
"""Released points and alpha of the control, with n / 8 private points."""
FEWER = 8
RATE_BITS = (8, 16, 32, 60, 120)
RATE_SIZE, RATE_ALPHA = 5, 0.2
RATE_LAWS = ("POWER", "CORNER", "one point")
TWIN_BITS = (8, 16, 32)

FAILS = "P[some prefix is off by alpha or more]"
FEW = "P[some prefix is off by alpha or more], n / 8"
SLACK = "size of the bound / least size"
NEED = "private points needed"
EXPONENT = "local exponent in b"
TWIN = "local exponent in b, broken twin with epsilon / b"
RUNS = "private points needed, shares of runs off by less than 0.4"
FORMULA = "local exponent in b of the size with a proof"


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-A.3, A.3-rate and T3.3-unlabelled; all exact, whatever the effort."""
    needs = {law: [_need(law, bits, RATE) for bits in RATE_BITS] for law in track(RATE_LAWS, "laws")}
    twins = _twins()
    return {
        "BNS15-A.3": _utility(),
        "BNS15-A.3-rate": _rate(needs, twins),
        "BNS15-T3.3-unlabelled": _unlabelled(needs, twins),
    }


# ---------------------------------------------------------------------------------------------------- A.3
def whole(n: int) -> int:
    """Return the least multiple of 10 from n on: then alpha n is whole."""
    return -(-n // 10) * 10


def _utility() -> Finding:
    """Measure the failure probability at the size of ``net_size``, for fixed data."""
    rows = []
    cells = list(itertools.product(FIXED, SIZES, ALPHAS, BITS))
    for law, size, alpha, bits in track(cells, "cells"):
        n = whole(net_size(alpha, BETA, EPSILON, bits, size))
        where: Settings = {"law": law, "released": size, "alpha": alpha, "bits": bits, "epsilon": EPSILON}
        rows.append(at_most(FAILS, where | {"n_unlabelled": n}, failure(law, bits, n, size, alpha, RATE), BETA))
        if (size, alpha) != CONTROL:
            continue
        rows.append(recorded(SLACK, where, n / _least(law, bits, 10, size, alpha)))
        if law in ("CORNER", "one point"):
            few = n // FEWER // 10 * 10
            found = failure(law, bits, few, size, alpha, RATE)
            rows.append(exceeding(FEW, where | {"n_unlabelled": few}, found, BETA))
    slacks = [row.measured.value for row in rows if row.quantity == SLACK]
    return conclude(
        "net mechanism on fixed data: exact failure probability at the explicit size, k = 10 and 20, b = 4 to 60",
        rows,
        deciding=nearest_to_bound([row for row in gates(rows) if row.quantity == FAILS]),
        constants="ours",
        reason="theorem A.3 has no constant: the size is ours, for prefixes of the integers below 2^b alone; the "
        f"failure is at most {max(row.measured.value for row in rows if row.quantity == FAILS):.2g} there, and a loss "
        f"would be noticed from a factor of {min(slacks):.2g} to {max(slacks):.2g} on (k = 10, alpha = "
        "0.2, by law and b)",
    )


# ---------------------------------------------------------------------------------------------------- rates
def _need(law: str, bits: int, rate: Fraction) -> int:
    """Return the least multiple of 5 for the sizes of the rates."""
    return _least(law, bits, 5, RATE_SIZE, RATE_ALPHA, rate)


def _least(law: str, bits: int, step: int, size: int, alpha: float, rate: Fraction = RATE) -> int:
    """Return the least multiple of a step, by bisection, with failure probability at most BETA."""
    return step * least_size(lambda i: failure(law, bits, step * i, size, alpha, rate), BETA)


def local_exponents(bits: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return ln(n' / n) / ln(b' / b) of neighbours.

    >>> local_exponents([8, 16, 32], [10, 20, 80])
    [1.0, 2.0]
    """
    pairs = zip(itertools.pairwise(bits), itertools.pairwise(sizes), strict=True)
    return [math.log(n / m) / math.log(b / a) for (a, b), (m, n) in pairs]


def _steps(quantity: str, law: str, bits: Sequence[int], sizes: Sequence[float]) -> list[Measurement]:
    """Judge that no local exponent exceeds 1."""
    found = zip(itertools.pairwise(bits), local_exponents(bits, sizes), strict=True)
    return [at_most(quantity, {"law": law, "bits": b, "from": a}, one, 1.0) for (a, b), one in found]


def _twins() -> list[Measurement]:
    """Measure the mechanism with epsilon / b in the weight, whose need grows like b^2."""
    rows = []
    for law in track(RATE_LAWS, "twins"):
        sizes = [_need(law, bits, RATE / bits) for bits in TWIN_BITS]
        for (a, b), one in zip(itertools.pairwise(TWIN_BITS), local_exponents(TWIN_BITS, sizes), strict=True):
            rows.append(exceeding(TWIN, {"law": law, "bits": b, "from": a}, one, 1.0))
    return rows


def _rate(needs: dict[str, list[int]], twins: list[Measurement]) -> Finding:
    rows = []
    for law, sizes in needs.items():
        for bits, n in zip(RATE_BITS, sizes, strict=True):
            where: Settings = {"law": law, "bits": bits, "released": RATE_SIZE, "alpha": RATE_ALPHA, "beta": BETA}
            rows.append(at_most(NEED, where, n, net_size(RATE_ALPHA, BETA, EPSILON, bits, RATE_SIZE)))
        rows += _steps(EXPONENT, law, RATE_BITS, sizes)
    steps = [row for row in rows if row.quantity == EXPONENT]
    values = [row.measured.value for row in steps]
    corner = [(n - m) / (b - a) for (a, b), (m, n) in _pairs(needs["CORNER"])]
    ratios = [(row.bound or 0.0) / row.measured.value for row in rows if row.quantity == NEED]
    return conclude(
        "net mechanism on fixed data, k = 5, alpha = 0.2, beta = 0.1, epsilon = 1: least size by "
        "bisection over multiples of 5",
        [*rows, *twins],
        deciding=max(steps, key=lambda row: comparable(row.measured.value)),
        constants="ours",
        reason=f"an upper bound: at most linear, local exponents {min(values):.2f} to {max(values):.2f} between b = 8 "
        f"and 120; {min(corner):.1f} to {max(corner):.1f} points for each further bit on CORNER; the size with a proof "
        f"is {min(ratios):.1f} to {max(ratios):.1f} times as large",
    )


def _pairs(sizes: Sequence[int]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return list(zip(itertools.pairwise(RATE_BITS), itertools.pairwise(sizes), strict=True))


def _unlabelled(needs: dict[str, list[int]], twins: list[Measurement]) -> Finding:
    """Measure what GenericLearner's sanitizer needs: runs are differences of two prefixes."""
    rows = []
    for law, sizes in needs.items():
        for bits, n in zip(RATE_BITS, sizes, strict=True):
            most = Net().needed(DiscreteThresholds(bits), RATE_SIZE, EPSILON, 2 * RATE_ALPHA, BETA)
            rows.append(at_most(RUNS, {"law": law, "bits": bits, "released": RATE_SIZE, "beta": BETA}, n, most))
        rows += _steps(EXPONENT, law, RATE_BITS, sizes)
    proven = [Net().needed(DiscreteThresholds(bits), 50, EPSILON, 0.04, 0.04) for bits in RATE_BITS]
    rows += _steps(FORMULA, "all", RATE_BITS, proven)
    return conclude(
        "the same sizes, where shares of runs, differences of two prefixes, are off by less than twice as much",
        [*rows, *twins],
        deciding=max((row for row in rows if row.quantity == EXPONENT), key=lambda row: comparable(row.measured.value)),
        constants="ours",
        reason="an upper bound for pure privacy, on three fixed laws; that every pure learner needs so many is cited; "
        f"at alpha = beta = 0.2 the learner reads {proven[0]:,} entries for b = 8 and {proven[3]:,} for b = 60",
    )
