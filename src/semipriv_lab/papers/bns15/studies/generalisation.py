"""Claims of BNS15's appendix B: sizes from which on a sample does not mislead.  Exact; nothing is drawn."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

from semipriv.core.least import least_size
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
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings

SECONDS = 1

GRID = tuple(product((0.1, 0.2, 0.3), (0.1, 0.2)))
"""alpha and beta."""
FAILURE = "P[a sample of the stated size misleads]"
CONTROL = "P[a sample of a smaller size misleads], control"
ALPHA, BETA = Fraction(1, 100), Fraction(49, 100)


@claim("BNS15-B.3-literal", "all functions on two points (V = 2), guessing what was not seen, in rationals")
def two_points(table: Table) -> str:
    """Find the labels that suffice for all functions on two points, in rationals, against (V - 1) / (16 alpha)."""
    bound = labelled_lower_bound(float(ALPHA), 2)
    enough = next(m for m in range(1, math.ceil(bound)) if two_points_failure(m, ALPHA) <= BETA)
    where: Settings = {"class": "all functions on two points", "alpha": float(ALPHA), "beta": float(BETA)}
    verdict = Verdict.REFUTED if enough < bound else Verdict.INCONCLUSIVE
    row = Measurement("labels that suffice", where, Interval.exact(enough), bound, verdict=verdict)
    table.show(*table.add([row]))
    for m in range(1, enough + 1):
        failure = float(two_points_failure(m, ALPHA))
        table.recorded("P[error > alpha], worst law", where | {"labels": m}, failure, float(BETA))
    return (
        f"as cited, for every beta < 1/2, at least {bound:g} labels are needed; {enough} fail with probability "
        f"at most {failure:.5f} <= beta = {float(BETA):g}.  The cited source has 32 "
        "instead of 16 and beta <= 1/100"
    )


CLOSED_FORM = "chance of misleading samples of thresholds, in closed form"


def fewer_examples(
    table: Table,
    size: Callable[[float, float, int], int],
    failure: Callable[[int, float], float],
    control: Callable[[int, float], float],
    fewer: int,
) -> str:
    """Compare the chance of failure at a stated size, V = 1, with beta; at a part of the size it must be above beta.

    Return how many times fewer examples the formula of the failure asks for.
    """
    for alpha, beta in GRID:
        m = size(alpha, beta, 1)
        where: Settings = {"alpha": alpha, "beta": beta, "examples": m}
        table.at_most(FAILURE, where, failure(m, alpha), beta)
        table.exceeding(CONTROL, where | {"examples": m // fewer}, control(m // fewer, alpha), beta)
    margins = []
    for alpha, beta in GRID:
        least = least_size(lambda n, alpha=alpha: failure(n, alpha), beta, 2)  # type: ignore[misc]
        margins.append(size(alpha, beta, 1) / least)
        where = {"alpha": alpha, "beta": beta}
        table.recorded("stated examples / least examples by the formula", where, margins[-1])
    return f"by the same formula the examples could be {min(margins):.0f} to {max(margins):.0f} times fewer"


@claim("BNS15-B.4", CLOSED_FORM, shown=FAILURE)
def fixed_target(table: Table) -> str:
    """The error on a sample of all thresholds against one target."""
    margins = fewer_examples(table, fixed_target_size, fixed_target_failure, fixed_target_failure, 30)
    return (
        "thresholds and a fixed target, in closed form, on a law without atoms, which is the worst one for thresholds; "
        f"the control has a thirtieth of the examples; {margins}"
    )


@claim("BNS15-B.5", CLOSED_FORM, shown=FAILURE)
def all_pairs(table: Table) -> str:
    """The error on a sample of all thresholds against all others."""
    margins = fewer_examples(table, all_pairs_size, all_pairs_failure, empty_interval, 1000)
    return (
        "all pairs of thresholds, by a union bound that holds for every law on the line; the control, a thousandth of "
        f"the examples, is exact: an interval of mass alpha without any point; {margins}"
    )


@claim("BNS15-B.6", CLOSED_FORM, shown=FAILURE)
def agnostic(table: Table) -> str:
    """The error on a sample of all thresholds, whatever the labels."""
    margins = fewer_examples(table, agnostic_size, agnostic_failure, constant_label_failure, 300)
    return (
        "thresholds only: errors are distribution functions of two chains, so that the bound holds for every law and "
        "every labeling; the control, a three-hundredth of the examples, is Kolmogorov's exact law for equal labels; "
        f"{margins}"
    )
