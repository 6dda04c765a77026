"""Active learning of thresholds in BNS15 section 5: sizes, chances, and what a transcript tells, exactly."""

import math
from functools import lru_cache

import numpy as np

from semipriv.core import checks
from semipriv.core.binomial import binomial_distribution
from semipriv.core.least import least_size
from semipriv.core.rounding import Bracket
from semipriv.core.types import Integers
from semipriv.papers.bns15.bounds._whole import examples
from semipriv.papers.bns15.bounds.generalisation import fixed_target_failure

_STEEP, _BEYOND = 300.0, 710.0
"""epsilon* from which on e^(2 epsilon*) may be no float; x from which on e^x is none."""


def active_size(n: int, epsilon: float, own: float) -> int:
    """Return t = ceil((n / epsilon) (3 + e^(2 own))) of claim 5.7, at least n; own: the learner's epsilon*.

    The claim says "for every epsilon", but beyond 3 + e^(2 own) its t holds no sample of n: n entries do, as epsilon is
    above the 2 own that they cost.

    >>> active_size(10, 0.5, 1.0), active_size(10, 20.0, 1.0)
    (208, 10)
    """
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    checks.between("own", own, 0, math.inf, closed="l")
    if own < _STEEP:
        return max(n, examples(n / epsilon * (3 + math.exp(2 * own))))
    if 2 * own - math.log(epsilon) > _BEYOND:
        return examples(math.inf)
    return max(n, examples((n * (3 + (Bracket.of(own) * 2).exp()) / epsilon).high))


@lru_cache
def sharp_size(n: int, epsilon: float, own: float) -> int:
    """Return the least t >= n with (n/t) (e^own - 1) <= e^epsilon - 1; own: epsilon* of the learner on n entries.

    Of so many entries n random ones leave epsilon of epsilon* (``partly_labelled_subset``), if the labels that
    algorithm 4 asks for are those of random entries.  Worked with 50 digits, rounded up: never one too few.

    >>> sharp_size(10, 0.5, 1.0), sharp_size(1000, 0.1, 1.0), sharp_size(10, 1.0, 1.0)
    (27, 16338, 10)
    """
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    checks.between("own", own, 0, math.inf, closed="l")
    if own <= epsilon:
        return n
    if own - epsilon > _BEYOND:
        return examples(math.inf)
    return examples((n * Bracket.of(own).expm1() / Bracket.of(epsilon).expm1()).high)


def labels_lower_bound(alpha: float, beta: float, epsilon: float, n_delta: float = 0.0) -> float:
    """Return e^(-2 epsilon) (1 - 25 beta / 9) / (9 alpha) - n delta (1 + e^-epsilon), theorem 5.6 made explicit.

    For thresholds of many bits, n >= (100 / alpha^2) ln(1 / (alpha beta)); raise ValueError for alpha above 1/9 or beta
    above 1/4, which the theorem leaves out.

    >>> round(labels_lower_bound(0.01, 0.25, 0.0), 3)
    3.395
    """
    checks.between("alpha", alpha, 0, 1 / 9, closed="h")
    checks.between("beta", beta, 0, 1 / 4, closed="h")
    checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    checks.between("n_delta", n_delta, 0, math.inf, closed="l")
    return math.exp(-2 * epsilon) * (1 - 25 * beta / 9) / (9 * alpha) - n_delta * (1 + math.exp(-epsilon))


def tilted_labels(alpha: float, beta: float, epsilon: float) -> float:
    """Return (ln(2 / beta) / (2 alpha)) (8 alpha e^epsilon + 1 - 8 alpha) / e^epsilon, the mean labels of a learner.

    It knows that the threshold lies in B, of mass 8 alpha, and asks for each of n points by a coin of its own, heads
    with probability p e^epsilon in B and p elsewhere.  Replacing an entry moves one coin by e^epsilon at most (if p <=
    1 / (1 + e^epsilon): n is large), so that its transcript is epsilon-private.  It answers the middle of the gap that
    holds the threshold, which errs by more than alpha only if one side is longer than 2 alpha: with probability at most
    2 (1 - 2 alpha p e^epsilon)^n <= beta at n p e^epsilon = ln(2 / beta) / (2 alpha).

    >>> [round(tilted_labels(0.001, 0.25, epsilon), 1) for epsilon in (0.0, 1.0, 4.0)]
    [1039.7, 387.7, 27.2]
    """
    checks.between("alpha", alpha, 0, 1 / 8)
    checks.between("beta", beta, 0, 1)
    checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    inside = math.log(2 / beta) / (2 * alpha)
    return inside * (8 * alpha + (1 - 8 * alpha) * math.exp(-epsilon))


def passive_labels(alpha: float, beta: float) -> int:
    """Return the least m with (1 - 2 alpha)^m <= beta: labels of random points, then the middle of the last gap.

    The middle errs by half the difference of the gaps on both sides of the target.  If the ends of the domain are far,
    that exceeds alpha with probability (1 - 2 alpha)^m.

    >>> passive_labels(0.01, 0.25)
    69
    """
    checks.between("alpha", alpha, 0, 0.5)
    checks.between("beta", beta, 0, 1)
    return examples(math.log(beta) / math.log1p(-2 * alpha))


def pool_size(alpha: float, beta: float) -> int:
    """Return the least n with 2 (1 - alpha)^n - (1 - 2 alpha)^n <= beta: any threshold that agrees on n points is good.

    >>> [pool_size(alpha, 0.25) for alpha in (0.01, 0.001)]
    [201, 2010]
    """
    return least_size(lambda n: fixed_target_failure(n, alpha), beta)


def search_tree(n: int) -> tuple[Integers, Integers]:
    """Return the ranks [low, high] for which a binary search among n sorted points asks for each of them: (n,), (n,).

    The rank of a threshold j is the number of points below it, 0 to n.  A search within ranks low to high asks for the
    point (low + high) // 2, 0 to n - 1: its label says whether the rank is larger.

    >>> [ends.tolist() for ends in search_tree(3)]
    [[0, 0, 2], [1, 3, 3]]
    """
    low, high = np.zeros(checks.size("n", n), np.int64), np.zeros(n, np.int64)
    lows, highs = np.array([0]), np.array([n])
    while lows.size:
        middle = (lows + highs) // 2
        low[middle], high[middle] = lows, highs
        lows, highs = np.concatenate([lows, middle + 1]), np.concatenate([middle, highs])
        open_ = lows < highs
        lows, highs = lows[open_], highs[open_]
    return low, high


def search_probabilities(n: int, share: float) -> tuple[float, float]:
    """Return P[a binary search asks for a random point of B], and for a random point; (b, a) of theorem 5.6's proof.

    n uniform points, and a threshold that is uniform in B, the lowest ``share`` of the domain.  Given that N points are
    in B, the rank of the threshold is uniform on 0, ..., N.  Exact up to ties of points, and to 1e-30.
    """
    checks.size("n", n)
    checks.between("share", share, 0, 1)
    low, high = search_tree(n)
    values, logs = binomial_distribution(n, share)
    inside = values.astype(np.int64)
    weights = np.exp(logs)
    weights, inside = weights[inside > 0], inside[inside > 0]
    of_b = of_all = 0.0
    for number, weight in zip(inside.tolist(), weights.tolist(), strict=True):
        asked = np.maximum(np.minimum(high, number) - low + 1, 0)
        of_b += weight * float(asked[:number].sum()) / (number + 1) / number
        of_all += weight * float(asked.sum()) / (number + 1) / n
    return of_b, of_all


def count_outside(n: int, alpha: float) -> float:
    """Return P[the number of n points in a set of mass 8 alpha is below 7 alpha n or above 9 alpha n].

    >>> count_outside(10_000, 0.1) < 1e-6
    True
    """
    checks.size("n", n)
    checks.between("alpha", alpha, 0, 1 / 8)
    values, logs = binomial_distribution(n, 8 * alpha)
    inside = np.abs(values - 8 * alpha * n) <= alpha * n + 1e-9
    return float(np.exp(logs[~inside]).sum()) + 1e-30
