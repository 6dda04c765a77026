"""Both questions of the planner to theorem 3.1 of ABM19: the sizes for an excess error, and the error at given sizes.

There are two bounds: the theorem as it is stated, and its proof with the best split (ours).  Each answers both
questions: the sizes that it gives for alpha allow at most alpha when they are put back, and the excess error that it
gives for sizes asks for no more than these.  d is the VC dimension, beta the failure probability.

realizable: some hypothesis of the class is always right; then the cover is at alpha/4 and n_private is of order
1/alpha.
"""

import math
from collections.abc import Callable

from semipriv.core import checks
from semipriv.core.least import least_number
from semipriv.papers.abm19.bounds.sizes import (
    cover_points,
    cover_points_closed_form,
    private_size,
    private_size_realizable,
    public_size,
)
from semipriv.papers.abm19.bounds.split import best_excess_bound, best_private_size

LARGEST = 2**53
"""Most public points: floating-point numbers represent every integer up to here."""
LEAST_FAILURE = 1e-300
"""Least beta whose shares, of which each step of the proof gets one, are floating-point numbers."""


def planned_sizes(
    alpha: float,
    beta: float,
    epsilon: float,
    d: int,
    log_growth: Callable[[int], float],
    *,
    realizable: bool = False,
) -> tuple[int, int, int]:
    """Return n_public and n_private of the theorem with its constants, and n_private of its proof with the best split.

    log_growth: ln of the size of the largest cover of so many public points.  Raises ValueError for sizes beyond the
    floating-point numbers.

    >>> planned_sizes(0.1, 0.1, 1.0, 1, lambda m: math.log(m + 1))
    (1762, 37942, 10011)
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.positive("epsilon", epsilon)
    checks.size("VC dimension", d)
    if beta < LEAST_FAILURE:
        raise ValueError(f"beta = {beta}, epsilon = {epsilon}: the sizes exceed the floating-point numbers")
    try:
        if cover_points_closed_form(alpha / 4, beta / 2, d) > LARGEST:
            raise ValueError(f"alpha = {alpha}: n_public exceeds 2^53")
        m = _public(alpha, beta, d, realizable)
        log_cover = log_growth(m)
        n_private = _private(alpha, beta, epsilon, log_cover, realizable)
        ours = best_private_size(alpha, beta, epsilon, m, d, log_cover, realizable=realizable)
        return m, n_private, min(n_private, ours)
    except ArithmeticError:
        raise ValueError(f"beta = {beta}, epsilon = {epsilon}: the sizes exceed the floating-point numbers") from None


def planned_excess(
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    d: int,
    log_cover: float,
    *,
    realizable: bool = False,
) -> tuple[float | None, float | None]:
    """Return the excess errors that the theorem, and its proof with the best split, allow at these sizes.

    An excess error never exceeds 1: None stands for a bound of 1 or more, which says nothing.  log_cover: ln of the
    size of the largest cover of n_public points.

    >>> planned_excess(100, 100, 0.1, 1.0, 1, math.log(101))
    (None, None)
    """
    m, n = checks.size("n_public", n_public), checks.size("n_private", n_private)
    checks.between("beta", beta, 0, 1)
    checks.positive("epsilon", epsilon)
    checks.size("VC dimension", d)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")

    def enough(alpha: float) -> bool:
        public = _public(alpha, beta, d, realizable)
        return public <= m and _private(alpha, beta, epsilon, log_cover, realizable) <= n

    theorem = least_number(enough)
    ours = best_excess_bound(m, n, epsilon, beta, d, log_cover, realizable=realizable)
    optimised = ours if theorem is None else min(theorem, ours)
    return theorem, optimised if optimised < 1 else None


def _public(alpha: float, beta: float, d: int, realizable: bool) -> int:
    """Return the public points of the theorem as stated."""
    return cover_points(alpha / 4, beta / 2, d) if realizable else public_size(alpha, beta, d)


def _private(alpha: float, beta: float, epsilon: float, log_cover: float, realizable: bool) -> int:
    """Return the private examples of the theorem as stated."""
    size = private_size_realizable if realizable else private_size
    return size(alpha, beta, epsilon, log_cover)
