"""Sizes and excess errors that theorem 3.1 of ABM19 proves, for every distribution.

There are two bounds: the theorem as it is stated, and its proof with the best split (ours).  Each answers both
questions: the sizes that it gives for alpha allow at most alpha when they are put back, and the excess error that it
gives for sizes asks for no more than these.
"""

import math
from dataclasses import dataclass
from typing import Any

from semipriv import checks
from semipriv.bounds.abm19.sizes import (
    cover_points,
    cover_points_closed_form,
    private_size,
    private_size_realizable,
    public_size,
)
from semipriv.bounds.abm19.split import best_excess_bound, best_private_size
from semipriv.bounds.least import least_number
from semipriv.classes.base import HypothesisClass

LARGEST = 2**53
"""Most public points: floating-point numbers represent every integer up to here."""
EPSILONS = (1e-4, 100.0)
"""Least and largest epsilon that the planner answers for: what its tests cover."""


@dataclass(frozen=True)
class ProvenSizes:
    """Sizes at which the excess error of A_SSPP is at most alpha with probability 1 - beta, for every distribution.

    n_private: by the theorem as stated.  n_private_optimised: by its proof with the best split, ours
    (``bounds.abm19.split``), with the same n_public.
    """

    n_public: int
    n_private: int
    n_private_optimised: int


@dataclass(frozen=True)
class ProvenExcess:
    """Bounds on the excess error with probability 1 - beta, for every distribution; None if a bound says nothing.

    theorem: the least alpha for which the theorem as stated asks for no more than the sizes.  optimised: by its proof
    with the best split, ours, and at most ``theorem``.
    """

    theorem: float | None
    optimised: float | None


def check_epsilon(epsilon: Any) -> float:
    """Return epsilon as a float; raise ValueError, with the range, if the planner does not support it."""
    number = checks.positive("epsilon", epsilon)
    low, high = EPSILONS
    if not low <= number <= high:
        raise ValueError(f"epsilon = {epsilon!r}: the planner supports {low:g} <= epsilon <= {high:g}")
    return number


def known_vc_dimension(hypothesis_class: HypothesisClass) -> int:
    """Return the VC dimension; raises ValueError if it is infinite or not known, as no size is proven then."""
    name = type(hypothesis_class).__name__
    try:
        d = hypothesis_class.vc_dimension
    except ValueError as error:
        raise ValueError(f"{name}: the proven sizes need the VC dimension ({error})") from None
    if math.isinf(d):
        raise ValueError(f"{name}: the VC dimension is infinite, so that no sample is large enough")
    return d


def log_growth(hypothesis_class: HypothesisClass, n_public: int) -> float:
    """Return ln growth(n_public), of the largest cover; raises ValueError if it is not known."""
    try:
        return math.log(hypothesis_class.growth(n_public))
    except ValueError as error:
        name = type(hypothesis_class).__name__
        raise ValueError(f"{name}: the proven sizes need the number of dichotomies ({error})") from None


def proven_sizes(
    hypothesis_class: HypothesisClass, alpha: float, beta: float, epsilon: float, realizable: bool = False
) -> ProvenSizes:
    """Return the sizes of theorem 3.1 with its constants, for the largest cover of n_public points, growth(n_public).

    realizable: some hypothesis of the class is always right; then the cover is at alpha/4 and n_private is of order
    1/alpha.  Raises ValueError for alpha or beta outside (0, 1), for epsilon out of range, for sizes beyond the
    floating-point numbers, and if the VC dimension or the growth is not known.

    >>> from semipriv.classes.thresholds import Thresholds
    >>> proven_sizes(Thresholds(), 0.1, 0.1, 1.0)
    ProvenSizes(n_public=1762, n_private=37942, n_private_optimised=10011)
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    check_epsilon(epsilon)
    d = known_vc_dimension(hypothesis_class)
    try:
        if cover_points_closed_form(alpha / 4, beta / 2, d) > LARGEST:
            raise ValueError(f"alpha = {alpha}: n_public exceeds 2^53")
        m = _public(alpha, beta, d, realizable)
        log_cover = log_growth(hypothesis_class, m)
        n_private = _private(alpha, beta, epsilon, log_cover, realizable)
        ours = best_private_size(alpha, beta, epsilon, m, d, log_cover, realizable=realizable)
        return ProvenSizes(m, n_private, min(n_private, ours))
    except ArithmeticError:
        raise ValueError(f"beta = {beta}, epsilon = {epsilon}: the sizes exceed the floating-point numbers") from None


def _public(alpha: float, beta: float, d: int, realizable: bool) -> int:
    """Return the public points of the theorem as stated."""
    return cover_points(alpha / 4, beta / 2, d) if realizable else public_size(alpha, beta, d)


def _private(alpha: float, beta: float, epsilon: float, log_cover: float, realizable: bool) -> int:
    """Return the private examples of the theorem as stated."""
    size = private_size_realizable if realizable else private_size
    return size(alpha, beta, epsilon, log_cover)


def proven_excess(
    hypothesis_class: HypothesisClass,
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    realizable: bool = False,
) -> ProvenExcess:
    """Return the excess errors that theorem 3.1 and its proof allow at these sizes with probability 1 - beta.

    An excess error never exceeds 1: a bound of 1 or more says nothing.  Raises ValueError as ``proven_sizes`` does.
    """
    m, n = checks.size("n_public", n_public), checks.size("n_private", n_private)
    checks.between("beta", beta, 0, 1)
    check_epsilon(epsilon)
    d = known_vc_dimension(hypothesis_class)
    log_cover = log_growth(hypothesis_class, m)

    def enough(alpha: float) -> bool:
        public = _public(alpha, beta, d, realizable)
        return public <= m and _private(alpha, beta, epsilon, log_cover, realizable) <= n

    theorem = least_number(enough)
    ours = best_excess_bound(m, n, epsilon, beta, d, log_cover, realizable=realizable)
    optimised = ours if theorem is None else min(theorem, ours)
    return ProvenExcess(theorem, optimised if optimised < 1 else None)
