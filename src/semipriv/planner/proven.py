"""Sizes and excess errors that theorem 3.1 of ABM19 proves, for every distribution."""

import math
from dataclasses import dataclass

from semipriv import checks
from semipriv.bounds.abm19.sizes import (
    cover_points,
    cover_points_closed_form,
    excess_bound,
    excess_bound_realizable,
    private_size,
    private_size_realizable,
    public_size,
)
from semipriv.bounds.abm19.split import best_excess_bound, best_private_size
from semipriv.classes.base import HypothesisClass

LARGEST = 2**53
"""Most public points: floating-point numbers represent every integer up to here."""


@dataclass(frozen=True)
class ProvenSizes:
    """Sizes at which the excess error of A_SSPP is at most alpha with probability 1 - beta, for every distribution.

    n_private: by the paper's split of alpha and beta.  n_private_optimised: by the best split, ours
    (``bounds.abm19.split``), with the same n_public.
    """

    n_public: int
    n_private: int
    n_private_optimised: int


@dataclass(frozen=True)
class ProvenExcess:
    """Bounds on the excess error with probability 1 - beta, for every distribution; None if a bound says nothing.

    theorem: by the paper's split of alpha and beta; optimised: by the best split, ours.
    """

    theorem: float | None
    optimised: float | None


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
    1/alpha.  Raises ValueError for alpha or beta outside (0, 1), for epsilon <= 0, for sizes beyond the floating-point
    numbers, and if the VC dimension or the growth is not known.

    >>> from semipriv.classes.thresholds import Thresholds
    >>> proven_sizes(Thresholds(), 0.1, 0.1, 1.0)
    ProvenSizes(n_public=1762, n_private=37942, n_private_optimised=10009)
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.positive("epsilon", epsilon)
    d = known_vc_dimension(hypothesis_class)
    try:
        if cover_points_closed_form(alpha / 4, beta / 2, d) > LARGEST:
            raise ValueError(f"alpha = {alpha}: n_public exceeds 2^53")
        n_public = cover_points(alpha / 4, beta / 2, d) if realizable else public_size(alpha, beta, d)
        log_cover = log_growth(hypothesis_class, n_public)
        size = private_size_realizable if realizable else private_size
        n_private = size(alpha, beta, epsilon, log_cover)
        ours = best_private_size(alpha, beta, epsilon, n_public, d, log_cover, realizable=realizable)
        return ProvenSizes(n_public, n_private, min(n_private, ours))
    except ArithmeticError:
        raise ValueError(f"beta = {beta}, epsilon = {epsilon}: the sizes exceed the floating-point numbers") from None


def proven_excess(
    hypothesis_class: HypothesisClass,
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    realizable: bool = False,
) -> ProvenExcess:
    """Return the excess errors that the proof of theorem 3.1 allows at these sizes with probability 1 - beta.

    An excess error never exceeds 1: a bound of 1 or more says nothing.  Raises ValueError as ``proven_sizes`` does.
    """
    m, n = checks.size("n_public", n_public), checks.size("n_private", n_private)
    d = known_vc_dimension(hypothesis_class)
    log_cover = log_growth(hypothesis_class, m)
    bound = excess_bound_realizable if realizable else excess_bound
    theorem = bound(m, n, epsilon, beta, d, log_cover)
    optimised = min(theorem, best_excess_bound(m, n, epsilon, beta, d, log_cover, realizable=realizable))
    return ProvenExcess(theorem if theorem < 1 else None, optimised if optimised < 1 else None)
