"""Sizes and excess errors that theorem 3.1 of ABM19 proves, for every distribution."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from semipriv import checks
from semipriv.bounds.abm19 import (
    cover_points,
    cover_points_closed_form,
    cover_radius,
    excess_bound,
    excess_bound_realizable,
    private_size,
    private_size_realizable,
    public_size,
)
from semipriv.classes.base import HypothesisClass

LARGEST = 2**53
"""Public points up to here are told apart by floating-point numbers."""


@dataclass(frozen=True)
class ProvenSizes:
    """Sizes at which the excess error of A_SSPP is at most alpha with probability 1 - beta, whatever the distribution.

    n_private: by the paper's split of alpha and beta.  n_private_optimised: by the best split, ours
    (``optimised_private_size``); None in the realizable case, which is not optimised.
    """

    n_public: int
    n_private: int
    n_private_optimised: int | None


def known_vc_dimension(hypothesis_class: HypothesisClass) -> int:
    """VC dimension; ValueError where it is infinite or not known: then no size is proven."""
    name = type(hypothesis_class).__name__
    try:
        d = hypothesis_class.vc_dimension
    except ValueError as error:
        raise ValueError(f"{name}: the proven sizes need the VC dimension ({error})") from None
    if math.isinf(d):
        raise ValueError(f"{name}: the VC dimension is infinite, so that no sample is large enough")
    return d


def log_growth(hypothesis_class: HypothesisClass, n_public: int) -> float:
    """ln growth(n_public), the largest cover; ValueError where it is not known."""
    try:
        return math.log(hypothesis_class.growth(n_public))
    except ValueError as error:
        name = type(hypothesis_class).__name__
        raise ValueError(f"{name}: the proven sizes need the number of dichotomies ({error})") from None


def proven_sizes(
    hypothesis_class: HypothesisClass, alpha: float, beta: float, epsilon: float, realizable: bool = False
) -> ProvenSizes:
    """Sizes of theorem 3.1 with its constants, for the largest cover of n_public points, growth(n_public).

    realizable: some hypothesis of the class is always right; then the cover is at alpha/4 and n_private is of order
    1/alpha.  Raises ValueError for alpha, beta outside (0, 1), epsilon <= 0, sizes beyond
    the floating-point numbers, VC dimension or growth not known.

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
        if realizable:
            return ProvenSizes(n_public, private_size_realizable(alpha, beta, epsilon, log_cover), None)
        n_private = private_size(alpha, beta, epsilon, log_cover)
        ours = optimised_private_size(alpha, beta, epsilon, n_public, d, log_cover)
        return ProvenSizes(n_public, n_private, ours)
    except ArithmeticError:
        raise ValueError(f"beta = {beta}, epsilon = {epsilon}: the sizes exceed the floating-point numbers") from None


def proven_excess(
    hypothesis_class: HypothesisClass,
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    realizable: bool = False,
) -> float | None:
    """Excess error that theorem 3.1's proof allows at these sizes with probability 1 - beta; None where it is >= 1.

    An excess error never exceeds 1: such a bound says nothing.  Raises ValueError as ``proven_sizes`` does.
    """
    checks.size("n_public", n_public)
    checks.size("n_private", n_private)
    bound = excess_bound_realizable if realizable else excess_bound
    d = known_vc_dimension(hypothesis_class)
    found = bound(n_public, n_private, epsilon, beta, d, log_growth(hypothesis_class, n_public))
    return found if found < 1 else None


def optimised_private_size(alpha: float, beta: float, epsilon: float, n_public: int, d: int, log_cover: float) -> int:
    """Least n_private by theorem 3.1's proof when alpha and beta are split as is best, not by halves.  Ours.

    Proof.  Let beta = c + u + m.  Each of three events fails with at most its share.  The cover of the n_public points
    has radius at most r = cover_radius(n_public, c), by bound (1) (c).  The errors of its K = exp(log_cover)
    hypotheses are within s = sqrt(ln(2 K / u) / (2 n)) of their frequencies, by Hoeffding's inequality and the union
    bound (u).  The exponential mechanism, or permute-and-flip, which is never worse, makes at most a share
    t = 2 ln(K / m) / (epsilon n) more mistakes than the best of the cover (m).  Then the excess error is at most
    r + 2 s + t.  This is so for every split, hence for the one that a numerical search finds; no property of the
    search is needed.  In 1 / sqrt(n) the condition r + 2 s + t <= alpha is quadratic.

    The search starts at the paper's split, so the result is never above ``private_size``.  n_public: at least
    public_size(alpha, beta, d), where the radius leaves room; ValueError where none is left.
    """

    def shares(split: NDArray[np.float64]) -> tuple[float, float, float]:
        cover, mechanism = (float(share) for share in 1 / (1 + np.exp(-np.clip(split, -30, 30))))
        rest = beta * (1 - cover)
        return beta * cover, rest * (1 - mechanism), rest * mechanism

    def needed(split: NDArray[np.float64]) -> float:
        c, u, m = shares(split)
        room = alpha - cover_radius(n_public, c, d)
        if room <= 0:
            return math.inf
        uniform = math.sqrt(2 * (log_cover + math.log(2 / u)))
        selection = 2 / epsilon * (log_cover + math.log(1 / m))
        root = (uniform + math.sqrt(uniform**2 + 4 * room * selection)) / (2 * room)
        return root**2

    def excess(n: int, split: NDArray[np.float64]) -> float:
        c, u, m = shares(split)
        uniform = 2 * math.sqrt((log_cover + math.log(2 / u)) / (2 * n))
        return cover_radius(n_public, c, d) + uniform + 2 / (epsilon * n) * (log_cover + math.log(1 / m))

    start = np.zeros(2)
    if math.isinf(needed(start)):
        raise ValueError(f"n_public = {n_public}: the cover's radius leaves no room below alpha = {alpha}")
    best = minimize(needed, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 0.1}).x
    n = math.ceil(needed(best))
    while excess(n, best) > alpha:  # one step where rounding cost it
        n += 1 + n // 2**50
    return n
