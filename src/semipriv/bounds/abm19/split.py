"""ABM19 theorem 3.1 by its own proof, with the best split of alpha and beta instead of fixed shares.  Ours.

The proof has three steps, and a fourth in the realizable case.  Each step fails with its share of beta; together they
bound the excess error.  This holds for every split, hence for the split that a numerical search finds: the proof needs
no property of the search.  The search starts at the paper's shares, so that its answers are never worse.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import scipy

from semipriv import checks
from semipriv.bounds.abm19.sizes import cover_radius
from semipriv.bounds.least import least_size

Shares = tuple[float, ...]
SHARES: dict[bool, Shares] = {False: (1 / 2, 1 / 4, 1 / 4), True: (1 / 2, 1 / 6, 1 / 6, 1 / 6)}
"""Theorem 3.1's shares of beta, agnostic (False) and realizable (True).

They are the shares of the cover, of its best hypothesis (realizable only), of uniform convergence, of the mechanism.
"""

_LEAST_SHARE = 1e-12


def split_bound(
    n_public: int,
    n_private: int,
    epsilon: float,
    d: int,
    log_cover: float,
    failures: Sequence[float],
    *,
    realizable: bool = False,
) -> float:
    """Return a bound on the excess error of A_SSPP with probability 1 - sum(failures).

    K = exp(log_cover), n = n_private.  With probability 1 - failures[0], the cover of n_public points has at most the
    radius r (bound (1)).

    agnostic, failures (c, u, m): r + sqrt(2 ln(2 K / u) / n) + 2 ln(K / m) / (epsilon n).  The errors of all K
    hypotheses are within half of the second term of their frequencies (Hoeffding, union bound; u).  The exponential
    mechanism makes at most the third term more mistakes than the best (m); permute-and-flip is never worse.

    realizable, failures (c, h, u, m): the hypothesis of the cover near the target errs at most r, hence empirically at
    most a with kl(a, r) = ln(1 / h) / n.  The chosen one errs empirically at most q = a + 2 ln(K / m) / (epsilon n),
    hence at most b with kl(q, b) = ln(K / u) / n.  kl(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)) (Chernoff
    1952).

    A value above 1 says nothing.
    """
    if len(failures) != len(SHARES[realizable]) or not all(0 < p < 1 for p in failures):
        raise ValueError(f"failures = {failures!r}: must be {len(SHARES[realizable])} probabilities in (0, 1)")
    n = checks.size("n_private", n_private)
    checks.positive("epsilon", epsilon)
    radius = cover_radius(n_public, failures[0], d)
    mechanism = 2 * (log_cover - math.log(failures[-1])) / (epsilon * n)
    convergence = log_cover - math.log(failures[-2])
    if not realizable:
        return radius + math.sqrt(2 * (math.log(2) + convergence) / n) + mechanism
    if radius >= 1:
        return radius
    empirical = _inverse(lambda q: _divergence(q, radius), radius, -math.log(failures[1]) / n) + mechanism
    if empirical >= 1:
        return math.inf
    return _inverse(lambda p: _divergence(empirical, p), empirical, convergence / n)


def best_excess_bound(
    n_public: int,
    n_private: int,
    epsilon: float,
    beta: float,
    d: int,
    log_cover: float,
    *,
    realizable: bool = False,
) -> float:
    """Return the least ``split_bound`` that a search over shares of beta finds; a value above 1 says nothing.

    >>> from semipriv.bounds.abm19.sizes import excess_bound
    >>> arguments = (1000, 10_000, 1.0, 0.05, 1, math.log(1001))
    >>> best_excess_bound(*arguments) < excess_bound(*arguments)
    True
    """
    checks.between("beta", beta, 0, 1)

    def bound(shares: Shares) -> float:
        failures = [share * beta for share in shares]
        return split_bound(n_public, n_private, epsilon, d, log_cover, failures, realizable=realizable)

    return bound(_best_shares(bound, realizable))


def best_private_size(
    alpha: float, beta: float, epsilon: float, n_public: int, d: int, log_cover: float, *, realizable: bool = False
) -> int:
    """Return private examples that suffice for excess error alpha with probability 1 - beta, by ``split_bound``.

    The shares are the best ones at the size at which theorem 3.1's shares reach alpha.  Raises ValueError if the radius
    of the cover of n_public points leaves no room below alpha.

    >>> best_private_size(0.1, 0.1, 1.0, 1762, 1, math.log(1763))
    10009
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)

    def bound(n: int, shares: Shares) -> float:
        failures = [share * beta for share in shares]
        return split_bound(n_public, n, epsilon, d, log_cover, failures, realizable=realizable)

    def size(shares: Shares) -> int:
        return least_size(lambda n: float(bound(n, shares) > alpha), 0.5)

    start = SHARES[realizable]
    if cover_radius(n_public, start[0] * beta, d) >= alpha:
        raise ValueError(f"n_public = {n_public}: the cover's radius leaves no room below alpha = {alpha}")
    first = size(start)
    return min(first, size(_best_shares(lambda shares: bound(first, shares), realizable)))


def _best_shares(bound: Callable[[Shares], float], realizable: bool) -> Shares:
    """Return shares that make a bound small, by the simplex method of Nelder and Mead from the paper's shares."""
    start = SHARES[realizable]
    if not math.isfinite(bound(start)):
        return start
    found = scipy.optimize.minimize(
        lambda z: min(bound(_shares(z)), 1e9), np.log(start), method="Nelder-Mead", options={"maxiter": 300}
    )
    return min(start, _shares(found.x), key=bound)


def _shares(logits: np.ndarray) -> Shares:
    """Return positive shares that add up to at most 1."""
    shares = np.maximum(scipy.special.softmax(logits), _LEAST_SHARE)
    return tuple(float(share) for share in shares / (shares.sum() * (1 + 1e-12)))


def _divergence(q: float, p: float) -> float:
    """Return kl(q, p) of two coins."""
    return float(scipy.special.rel_entr(q, p) + scipy.special.rel_entr(1 - q, 1 - p))


def _inverse(divergence: Callable[[float], float], low: float, level: float) -> float:
    """Return the least number above ``low``, rounded upward, at which a rising divergence reaches the level, or 1."""
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if divergence(middle) >= level else (middle, high)
    return high
