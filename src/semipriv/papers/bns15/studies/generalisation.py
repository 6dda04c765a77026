"""Claims of BNS15's appendix B: sizes from which on a sample does not mislead.  Exact; nothing is drawn."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from semipriv.core.least import least_size
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv.papers.bns15.bounds.generalisation import (
    agnostic_failure,
    agnostic_size,
    all_pairs_failure,
    all_pairs_size,
    constant_label_failure,
    empty_interval,
    fixed_target_failure,
    fixed_target_size,
    labelled_lower_bound,
    two_points_failure,
)
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    nearest_to_bound,
    recorded,
)

CLAIMS = ("BNS15-B.3-literal", "BNS15-B.4", "BNS15-B.5", "BNS15-B.6")
SECONDS = 1

GRID = tuple(product((0.1, 0.2, 0.3), (0.1, 0.2)))
"""alpha and beta."""
FAILURE = "P[a sample of the stated size misleads]"
CONTROL = "P[a sample of a smaller size misleads], control"


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-B.3-literal, BNS15-B.4, BNS15-B.5 and BNS15-B.6."""
    return {
        "BNS15-B.3-literal": _two_points(),
        "BNS15-B.4": _sizes(fixed_target_size, fixed_target_failure, fixed_target_failure, 30, FIXED),
        "BNS15-B.5": _sizes(all_pairs_size, all_pairs_failure, empty_interval, 1000, PAIRS),
        "BNS15-B.6": _sizes(agnostic_size, agnostic_failure, constant_label_failure, 300, AGNOSTIC),
    }


# ---------------------------------------------------------------------------------------------------- B.4 to B.6
FIXED = (
    "thresholds and a fixed target, in closed form, on a law without atoms, which is the worst one for thresholds; "
    "the control has a thirtieth of the examples"
)
PAIRS = (
    "all pairs of thresholds, by a union bound that holds for every law on the line; the control, a thousandth of the "
    "examples, is exact: an interval of mass alpha without any point"
)
AGNOSTIC = (
    "thresholds only: errors are distribution functions of two chains, so that the bound holds for every law and every "
    "labeling; the control, a three-hundredth of the examples, is Kolmogorov's exact law for equal labels"
)


def _sizes(
    size: Callable[[float, float, int], int],
    failure: Callable[[int, float], float],
    control: Callable[[int, float], float],
    fewer: int,
    reason: str,
) -> Finding:
    """Compare the chance of failure at a stated size, V = 1, with beta; at a part of the size it must be above beta."""
    rows = []
    for alpha, beta in GRID:
        m = size(alpha, beta, 1)
        where: Settings = {"alpha": alpha, "beta": beta, "examples": m}
        rows.append(at_most(FAILURE, where, failure(m, alpha), beta))
        rows.append(exceeding(CONTROL, where | {"examples": m // fewer}, control(m // fewer, alpha), beta))
    margins = list(_margins(size, failure))
    return conclude(
        "chance of misleading samples of thresholds, in closed form",
        [*rows, *margins],
        deciding=nearest_to_bound([row for row in rows if row.quantity == FAILURE]),
        reason=f"{reason}; by the same formula the examples could be {min(_values(margins)):.0f} to "
        f"{max(_values(margins)):.0f} times fewer",
    )


def _margins(size: Callable[[float, float, int], int], failure: Callable[[int, float], float]) -> Iterator[Measurement]:
    """Yield how many times fewer examples the formula of the failure asks for."""
    for alpha, beta in GRID:
        m = size(alpha, beta, 1)
        need = least_size(lambda n, alpha=alpha: failure(n, alpha), beta, 2)  # type: ignore[misc]
        yield recorded("stated examples / least examples by the formula", {"alpha": alpha, "beta": beta}, m / need)


def _values(rows: list[Measurement]) -> list[float]:
    return [row.measured.value for row in rows]


# ---------------------------------------------------------------------------------------------------- B.3
ALPHA, BETA = Fraction(1, 100), Fraction(49, 100)
LABELS = "labels that suffice"


def _two_points() -> Finding:
    """Find the labels that suffice for all functions on two points, in rationals, against (V - 1) / (16 alpha)."""
    bound = labelled_lower_bound(float(ALPHA), 2)
    enough = next(m for m in range(1, math.ceil(bound)) if two_points_failure(m, ALPHA) <= BETA)
    where: Settings = {"class": "all functions on two points", "alpha": float(ALPHA), "beta": float(BETA)}
    refuting = Verdict.REFUTED if enough < bound else Verdict.INCONCLUSIVE
    row = Measurement(LABELS, where, Interval.exact(enough), bound, 0, refuting)
    chances = [
        recorded("P[error > alpha], worst law", where | {"labels": m}, float(two_points_failure(m, ALPHA)), float(BETA))
        for m in range(1, enough + 1)
    ]
    return conclude(
        "all functions on two points (V = 2), guessing what was not seen, in rationals",
        [row, *chances],
        deciding=row,
        reason=f"as cited, for every beta < 1/2, at least {bound:g} labels are needed; {enough} fail with probability "
        f"at most {float(two_points_failure(enough, ALPHA)):.5f} <= beta = {float(BETA):g}.  The cited source has 32 "
        "in place of 16 and beta <= 1/100",
    )
