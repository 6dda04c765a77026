"""BCM20: what public data alone need, and what Gaussian noise alone needs, on thresholds and on decision stumps.

Errors are those of means of labels -1 and 1, twice those of shares.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.binomial import binomial_distribution
from semipriv.core.least import least_size
from semipriv.core.types import Floats, Integers
from semipriv.distributions.spacings import kolmogorov_distribution
from semipriv.papers.bcm20.bounds._ends import not_tiny

MOST_ORDER = 8000
"""Of the matrix by which Kolmogorov's distribution is worked out: a few seconds."""
MOST_SIZES = 10**7
"""Numbers of points or records up to which exact distributions are summed."""


# ---------------------------------------------------------------------------------------------------- thresholds
def kolmogorov_mean(m: int) -> float:
    """Return the mean of the Kolmogorov-Smirnov distance of m points of an atomless distribution, to about 7 digits.

    It is the integral of P[D >= x], which is 1 up to 1 / (2 m) and below 1e-8 from 3.2 / sqrt(m) on.

    >>> round(kolmogorov_mean(1), 6)
    0.75
    """
    low, high = 1 / (2 * checks.size("m", m)), min(1.0, 3.2 / math.sqrt(m))
    nodes, weights = np.polynomial.legendre.leggauss(32)
    half = (high - low) / 2
    return low + half * sum(
        weight * (1 - kolmogorov_distribution(m, low + half * (1 + node)))
        for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True)
    )


@cache
def public_points_thresholds(alpha: float, beta: float) -> int:
    """Return the least m at which shares among m public points answer all thresholds to alpha, probability 1 - beta.

    P[2 D > alpha] <= beta < 1, D the Kolmogorov-Smirnov distance; under distributions with atoms it is no larger.  The
    search takes P to fall with m, from near the limit distribution's answer.

    >>> [public_points_thresholds(alpha, 0.1) for alpha in (0.1, 0.2, 0.4)]
    [593, 147, 36]
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    order = 4 * float(scipy.special.kolmogi(beta)) ** 2 / alpha
    if not order <= MOST_ORDER:
        raise ValueError(
            f"alpha = {alpha!r}, beta = {beta!r}: the exact distribution takes a matrix of order {order:.3g}, at most "
            f"{MOST_ORDER:,} is worked out: take a larger alpha or beta, or hoeffding_points"
        )

    def failure(m: int) -> float:
        return 1 - kolmogorov_distribution(m, alpha / 2)

    limit = float(scipy.special.kolmogi(beta)) / (alpha / 2)
    guess = max(1, round(((limit + math.sqrt(max(limit**2 - 0.92, 0.0))) / 2 - 0.12) ** 2))
    return _least_near(failure, beta, guess)


def _least_near(failure: Callable[[int], float], beta: float, guess: int) -> int:
    """Return the least m >= 1 with failure(m) <= beta, bracketed from a guess by doubled steps."""
    step = 1
    if failure(guess) > beta:
        return guess + least_size(lambda excess: failure(guess + excess), beta)
    high = guess
    while high - step >= 1 and failure(high - step) <= beta:
        high, step = high - step, 2 * step
    low = max(high - step, 0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failure(middle) <= beta else (middle, high)
    return high


# ---------------------------------------------------------------------------------------------------- decision stumps
def hoeffding_points(alpha: float, beta: float, queries: int) -> int:
    """Return ceil(2 ln(2 M / beta) / alpha^2): so many points answer M queries to alpha under every distribution.

    By Hoeffding's inequality and a union bound, with probability 1 - beta.
    """
    checks.between("beta", beta, 0, 1)
    not_tiny("alpha", checks.positive("alpha", alpha))
    logarithm = math.log(2 * checks.size("queries", queries)) - math.log(beta)
    return math.ceil(2 * logarithm / alpha / alpha)


def stumps_public_failure(m: Integers, alpha: float, p: int) -> Floats:
    """Return P[some mean of m public values differs by more than alpha], p stumps on uniform bits, exactly.

    Coordinates are independent and each mean is (2 B - m) / m, B binomial: 1 - (1 - 2 P[B < m (1 - alpha) / 2])^p.
    """
    checks.positive("alpha", alpha)
    checks.size("p", p)
    if not np.all(np.asarray(m) >= 1):
        raise ValueError("m: every number of points must be >= 1")
    share = (1 - Fraction(repr(alpha))) / 2
    below = -(-np.asarray(m) * share.numerator // share.denominator) - 1  # largest B < m share
    tail = np.where(below >= 0, scipy.special.bdtr(np.maximum(below, 0), m, 0.5), 0.0)
    with np.errstate(divide="ignore"):  # at m = 1 every mean fails
        return np.asarray(-np.expm1(p * np.log1p(-np.minimum(2 * tail, 1.0))))


def stumps_public_points(alpha: float, beta: float, p: int) -> int:
    """Return the least m from which on ``stumps_public_failure`` is at most beta.

    The failure is not monotone, as means are multiples of 2/m: it is looked at for every m up to Hoeffding's.

    >>> stumps_public_points(0.1, 0.1, 100), hoeffding_points(0.1, 0.1, 100)
    (1090, 1521)
    """
    checks.size("p", p)
    m = np.arange(1, _summed(hoeffding_points(alpha, beta, p)) + 1)
    fails = np.flatnonzero(stumps_public_failure(m, alpha, p) > beta)
    return int(m[fails[-1]]) + 1 if fails.size else 1


def stumps_gaussian_failure(n: int, alpha: float, p: int, rho: float) -> float:
    """Return P[some answer of the Gaussian release differs by more than alpha], p stumps on uniform bits, exactly.

    The release adds to each mean of n values normal noise of deviation (2/n) sqrt(p / (2 rho)): replacing a record
    changes all p means by 2/n, so that it is rho-zCDP.
    """
    checks.positive("alpha", alpha)
    checks.size("p", p)
    deviation = 2 / checks.size("n", n) * math.sqrt(p / (2 * checks.positive("rho", rho)))
    ones, log_mass = binomial_distribution(n, 0.5)
    mean = 2 * ones / n - 1
    outside = scipy.special.ndtr((-alpha - mean) / deviation) + scipy.special.ndtr((mean - alpha) / deviation)
    return float(-np.expm1(p * np.log1p(-min(1 - 1e-16, float(np.exp(log_mass) @ outside)))))


def stumps_gaussian_records(alpha: float, beta: float, p: int, rho: float) -> int:
    """Return the least n with ``stumps_gaussian_failure`` at most beta, by bisection."""
    z = _quantile(beta, p)
    not_tiny("alpha", checks.positive("alpha", alpha))
    _summed(max(stumps_noise_records(alpha, beta, p, rho), (z / alpha) ** 2))
    return least_size(lambda n: stumps_gaussian_failure(n, alpha, p, rho), beta)


def stumps_noise_records(alpha: float, beta: float, p: int, rho: float) -> float:
    """Return the n at which the noise of the Gaussian release alone exceeds alpha with probability beta.

    It is 2 z sqrt(p / (2 rho)) / alpha, z the normal quantile of level (1 + (1 - beta)^(1/p)) / 2; z grows like
    sqrt(2 ln p).
    """
    not_tiny("alpha", checks.positive("alpha", alpha))
    checks.positive("rho", rho)
    return 2 * _quantile(beta, p) * math.sqrt(p / 2) / math.sqrt(rho) / alpha


def _quantile(beta: float, p: int) -> float:
    """Return what the largest of p absolute standard normal numbers exceeds with probability beta."""
    checks.between("beta", beta, 0, 1)
    tail = -math.expm1(math.log1p(-beta) / checks.size("p", p)) / 2
    return -float(scipy.special.ndtri(max(tail, math.ulp(0.0))))


def _summed(size: float) -> int:
    if size > MOST_SIZES:
        raise ValueError(
            f"about {size:.3g} points or records: must be <= {MOST_SIZES:,} for an exact distribution, by its time"
        )
    return math.ceil(size)
