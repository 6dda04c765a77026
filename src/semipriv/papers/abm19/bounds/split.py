"""ABM19 theorem 3.1 by its own proof, with the best split of alpha and beta instead of fixed shares.  Ours.

The proof has three steps, and a fourth in the realizable case.  Each step fails with its share of beta; together they
bound the excess error.  This holds for every split, hence for the best one of a list.  The list depends on n_public,
epsilon and the cover, but not on n_private: so the bound falls with n_private, and a size that is solved from it is the
least one.  The paper's shares are on the list, so that answers are never worse.
"""

import math
from collections.abc import Callable, Sequence

from semipriv.core import checks
from semipriv.core.least import least_size
from semipriv.papers.abm19.bounds.sizes import cover_radius

Shares = tuple[float, ...]
SHARES: dict[bool, Shares] = {False: (1 / 2, 1 / 4, 1 / 4), True: (1 / 2, 1 / 6, 1 / 6, 1 / 6)}
"""Theorem 3.1's shares of beta, agnostic (False) and realizable (True).

They are the shares of the cover, of its best hypothesis (realizable only), of uniform convergence, of the mechanism.
"""

_ANCHORS = tuple(2.0 ** (k / 2) for k in range(100))
"""Numbers of private examples for which shares are listed."""
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
    checks.size("n_public", n_public, 0)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
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

    >>> from semipriv.papers.abm19.bounds.sizes import excess_bound
    >>> arguments = (1000, 10_000, 1.0, 0.05, 1, math.log(1001))
    >>> best_excess_bound(*arguments) < excess_bound(*arguments)
    True
    """
    checks.size("n_public", n_public)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    listed = _failures(epsilon, checks.between("beta", beta, 0, 1), n_public, d, log_cover, realizable)
    return _least_bound(n_public, n_private, epsilon, d, log_cover, listed, realizable)


def best_private_size(
    alpha: float, beta: float, epsilon: float, n_public: int, d: int, log_cover: float, *, realizable: bool = False
) -> int:
    """Return the least n_private at which ``best_excess_bound`` is at most alpha.

    Raises ValueError if the radius of the cover of n_public points leaves no room below alpha.

    >>> best_private_size(0.1, 0.1, 1.0, 1762, 1, math.log(1763))
    10011
    """
    checks.size("n_public", n_public)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    checks.between("alpha", alpha, 0, 1)
    listed = _failures(epsilon, checks.between("beta", beta, 0, 1), n_public, d, log_cover, realizable)
    if all(cover_radius(n_public, failures[0], d) >= alpha for failures in listed):
        raise ValueError(f"n_public = {n_public}: the cover's radius leaves no room below alpha = {alpha}")

    def fails(n: int) -> float:
        return float(_least_bound(n_public, n, epsilon, d, log_cover, listed, realizable) > alpha)

    return least_size(fails, 0.5)


def _least_bound(
    n_public: int,
    n_private: int,
    epsilon: float,
    d: int,
    log_cover: float,
    listed: Sequence[Shares],
    realizable: bool,
) -> float:
    """Return the least bound of listed failure probabilities."""
    return min(
        split_bound(n_public, n_private, epsilon, d, log_cover, failures, realizable=realizable) for failures in listed
    )


def _failures(
    epsilon: float, beta: float, n_public: int, d: int, log_cover: float, realizable: bool
) -> tuple[Shares, ...]:
    """Return failure probabilities: the paper's, and those that are about the best ones for n examples, n on a list.

    A sum of w_i ln(1 / p_i) is least, among p_i of a fixed sum, where p_i is proportional to w_i.  The w_i are the
    derivatives of the terms of ``split_bound``.
    """
    checks.positive("epsilon", epsilon)
    radius, logs = cover_radius(n_public, beta / 2, d), log_cover + math.log(8 / beta)
    cover = 4 / checks.size("n_public", n_public)
    splits = [SHARES[realizable]]
    for n in _ANCHORS[:: 3 if realizable else 1]:
        mechanism = 2 / (epsilon * n)
        if not realizable:
            splits.append(_shares((cover, 1 / math.sqrt(2 * n * logs), mechanism)))
        elif radius < 1:
            near = math.sqrt(radius / (2 * n * math.log(8 / beta))) + 1 / (2 * n)
            wrong = radius + mechanism * logs
            inflation = 1 + math.sqrt(logs / (2 * n * wrong))
            convergence = math.sqrt(wrong / (2 * n * logs)) + 1 / n
            splits.append(_shares((cover * inflation, near * inflation, convergence, mechanism * inflation)))
    return tuple(tuple(share * beta for share in shares) for shares in splits)


def _shares(weights: Sequence[float]) -> Shares:
    """Return positive shares in proportion to weights, each at least 1e-12, that add up to at most 1."""
    total = math.fsum(weights)
    shares = [max(weight / total, _LEAST_SHARE) for weight in weights]
    return tuple(share / (math.fsum(shares) * (1 + 1e-12)) for share in shares)


def _divergence(q: float, p: float) -> float:
    """Return kl(q, p) of two coins."""
    if (q > 0 and p <= 0) or (q < 1 and p >= 1):
        return math.inf
    head = q * math.log(q / p) if q > 0 else 0.0
    return head + ((1 - q) * math.log((1 - q) / (1 - p)) if q < 1 else 0.0)


def _inverse(divergence: Callable[[float], float], low: float, level: float) -> float:
    """Return the least number above ``low``, rounded upward, at which a rising divergence reaches the level, or 1."""
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if divergence(middle) >= level else (middle, high)
    return high
