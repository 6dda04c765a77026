"""Claims of BNS15's appendix B: sizes from which on a sample does not mislead.  Exact; nothing is drawn."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

from semipriv.core.least import least_size
from semipriv.core.statistics import Interval, Verdict
from semipriv.papers.bns15.bounds.generalisation import (
    MOST_PRODUCT,
    agnostic_failure,
    agnostic_size,
    all_pairs_failure,
    all_pairs_size,
    constant_label_failure,
    empty_interval,
    fixed_target_failure,
    fixed_target_size,
    labelled_lower_bound,
    log_agnostic_failure,
    log_all_pairs_failure,
    log_fixed_target_failure,
    two_points_failure,
)
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings

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
    settings: Settings = {"class": "all functions on two points", "alpha": float(ALPHA), "beta": float(BETA)}
    verdict = Verdict.REFUTED if enough < bound else Verdict.INCONCLUSIVE
    row = Measurement("labels that suffice", settings, Interval.exact(enough), bound, verdict=verdict)
    table.show(*table.add([row]))
    for m in range(1, enough + 1):
        failure = float(two_points_failure(m, ALPHA))
        table.recorded("P[error > alpha], worst distribution", settings | {"labels": m}, failure, float(BETA))
    return (
        f"as cited, for every beta < 1/2, at least {bound:g} labels are needed; {enough} fail with probability "
        f"at most {failure:.5f} <= beta = {float(BETA):g}.  The cited source has 32 "
        "instead of 16 and beta <= 1/100"
    )


CLOSED_FORM = "chance of misleading samples of thresholds, in closed form; a bound for every class at all corners"
EVERY = "a bound on the same for every class, its logarithm less ln beta"
FEWER = "control: the same bound with a tenth of the examples, where it is largest"
CORNERS = tuple(product((1e-6, 0.01, 0.2, 0.999), (1e-6, 0.01, 0.079, 0.999), (1, 100, 10**6)))
"""alpha, beta and V."""


def fewer_examples(
    table: Table,
    size: Callable[[float, float, int], int],
    failure: Callable[[int, float], float],
    control: Callable[[int, float], float],
    fewer: int,
    every: Callable[[int, float, int], float],
    most: float = 1.0,
) -> str:
    """Compare the chance of failure at a stated size, V = 1, with beta; at a part of the size it must be above beta.

    every: ln of a bound for every class, which is judged at all corners with alpha beta <= ``most``; with a tenth of
    the examples it must be too large somewhere.  Return how many times fewer examples the failure's formula asks for.
    """
    kept = [corner for corner in CORNERS if corner[0] * corner[1] <= most]
    for alpha, beta, vc in kept:
        settings: Settings = {"alpha": alpha, "beta": beta, "vc": vc}
        table.at_most(EVERY, settings, every(size(alpha, beta, vc), alpha, vc) - math.log(beta), 0.0)
    alpha, beta, vc = max(
        kept, key=lambda corner: every(size(*corner) // 10, corner[0], corner[2]) - math.log(corner[1])
    )
    small = every(size(alpha, beta, vc) // 10, alpha, vc) - math.log(beta)
    table.exceeding(FEWER, {"alpha": alpha, "beta": beta, "vc": vc}, small, 0.0)
    for alpha, beta in GRID:
        m = size(alpha, beta, 1)
        settings = {"alpha": alpha, "beta": beta, "examples": m}
        table.at_most(FAILURE, settings, failure(m, alpha), beta)
        table.exceeding(CONTROL, settings | {"examples": m // fewer}, control(m // fewer, alpha), beta)
    margins = []
    for alpha, beta in GRID:
        least = least_size(lambda n, alpha=alpha: failure(n, alpha), beta, 2)  # type: ignore[misc]
        margins.append(size(alpha, beta, 1) / least)
        settings = {"alpha": alpha, "beta": beta}
        table.recorded("stated examples / least examples by the formula", settings, margins[-1])
    return f"by the same formula the examples could be {min(margins):.0f} to {max(margins):.0f} times fewer"


@claim("BNS15-B.4", CLOSED_FORM, shown=FAILURE)
def fixed_target(table: Table) -> str:
    """The error on a sample of all thresholds against one target."""
    margins = fewer_examples(
        table, fixed_target_size, fixed_target_failure, fixed_target_failure, 30, log_fixed_target_failure
    )
    return (
        "for every class by the inequality of Blumer and others, judged at all corners; sharper for thresholds and a "
        "fixed target, in closed form, on a distribution without atoms, which is the worst one for thresholds; "
        f"the control has a thirtieth of the examples; {margins}"
    )


@claim("BNS15-B.5", CLOSED_FORM, shown=FAILURE)
def all_pairs(table: Table) -> str:
    """The error on a sample of all thresholds against all others."""
    margins = fewer_examples(table, all_pairs_size, all_pairs_failure, empty_interval, 1000, log_all_pairs_failure)
    return (
        "for every class by relative deviations of symmetric differences, judged at all corners; sharper for all pairs "
        "of thresholds, by a union bound that holds for every distribution on the line; the control, a thousandth of "
        f"the examples, is exact: an interval of mass alpha without any point; {margins}"
    )


@claim("BNS15-B.6", CLOSED_FORM, shown=FAILURE, constants="repaired: VC >= 1, alpha beta <= .08")
def agnostic(table: Table) -> str:
    """The error on a sample of all thresholds, whatever the labels."""
    margins = fewer_examples(
        table, agnostic_size, agnostic_failure, constant_label_failure, 300, log_agnostic_failure, MOST_PRODUCT
    )
    return (
        "for every class with VC >= 1 by Vapnik's inequality, up to alpha beta = .08; sharper for thresholds, whose "
        "errors are distribution functions of two chains, for every distribution and every labeling; the control, a "
        f"three-hundredth of the examples, is Kolmogorov's exact distribution for equal labels; {margins}"
    )


DEVIATION = "P[some empirical error is more than alpha off]"
LARGE = (0.995, 0.99, 100)
"""alpha, beta and VC dimension at which theorem B.6 asks for fewer examples than the VC dimension."""


@claim("BNS15-B.6-literal", f"one function, VC dimension 0, one fair example; all sets of {LARGE[2]} points: exact")
def no_dimension(table: Table) -> str:
    """Show that no example is asked for at VC dimension 0, and fewer than the VC dimension at alpha and beta near 1."""
    alpha, beta = 0.4, 0.1
    settings: Settings = {"alpha": alpha, "beta": beta, "vc": 0, "m": 1}
    # f differs from the function on half of the mass: the error is 1/2, that of one example 0 or 1
    off = sum(chance for error, chance in ((0, 0.5), (1, 0.5)) if abs(error - 0.5) > alpha)
    table.show(table.refutable(DEVIATION, settings, off, beta))
    alpha, beta, vc = LARGE
    m = math.ceil(50 * vc / alpha**2 * math.log(1 / (alpha * beta)))
    # no atoms, all labels 0: the set of the examples is in the class, with an empirical error of 1 and a
    # true one of 0
    off = float(m <= vc)
    table.refutable(DEVIATION, {"alpha": alpha, "beta": beta, "vc": vc, "m": m}, off, beta)
    return (
        "a single function has VC dimension 0, so that (50 VC / alpha^2) ln(1 / (alpha beta)) = 0 examples would do; "
        "with one, the empirical error is 0 or 1, and the true one may be 1/2. For VC >= 1 it fails at alpha beta near "
        f"1: at alpha = {alpha:g} and beta = {beta:g} it asks for {m} examples of a class of all sets of {vc} points, "
        "one of which is the set of these examples, off by 1. Between alpha beta = .08 and there it is open"
    )
