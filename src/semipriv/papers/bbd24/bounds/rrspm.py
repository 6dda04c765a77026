"""How well RRSPM learns (BBD24 theorems 4 and 10): three errors with explicit constants, and sizes solved from them.

RRSPM releases the best pattern on m public points under random weights, in the notation of BBD24: n private examples,
smoothness sigma, N patterns of which growth(m) is a bound, weights of Laplace scale b.  Logarithms are natural but
log2.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from semipriv.core import checks
from semipriv.core.deviation import Growth, deviation
from semipriv.core.least import least_size

_SIZES = ("n", "m", "vc", "patterns")
_LARGE = 2**1000


def _check(**given: float) -> None:
    """Refuse sizes, a scale or shares that are out of range: sigma may be 1, other shares are inside (0, 1)."""
    for name, value in given.items():
        if name == "patterns" and isinstance(value, int) and value > _LARGE:
            continue  # beyond floats, whose logarithm is taken
        if name in _SIZES:
            checks.size(name, value)
        elif name == "scale":
            checks.between(name, value, 0, math.inf, closed="l")
        else:
            checks.between(name, value, 0, 1, closed="h" if name == "sigma" else "")


def disagreement(m: int, growth: Growth, beta: float, sigma: float = 1.0) -> float:
    """Return (2/(m sigma)) (2 log2 growth(2m) + log2(2/beta)), the sharp form of lemma 22.

    With probability 1 - beta over m public points, all pairs of functions that agree on them differ on at most so much
    of the private distribution.  Agreement is the consistent case, so that the rate is fast without realizability.

    >>> [round(disagreement(100, lambda m: m + 1, 0.05, sigma), 4) for sigma in (1.0, 0.5)]
    [0.4125, 0.825]
    """
    _check(m=m, beta=beta, sigma=sigma)
    return 2 / (m * sigma) * (2 * math.log2(_patterns(growth, 2 * m)) + math.log2(2 / beta))


def _patterns(growth: Growth, m: int) -> int:
    """Return growth(m); raise ValueError for a float that overflows."""
    try:
        return growth(m)
    except OverflowError:
        raise ValueError(f"growth({m}): exceeds the float range: it must be an integer") from None


def disagreement_agnostic(m: int, vc: int, beta: float, sigma: float = 1.0, constant: float = 6.0) -> float:
    """Return constant sqrt((d + ln(1/beta)) / m) / sigma, lemma 22; with the constant 6 it is proved.

    With r = (d + ln(1/beta)) / m <= 1/36, where it says anything at sigma = 1, ``disagreement`` with (2em/d)^d for the
    growth is at most 4 r log2(2e/r) + 2 r <= 6 sqrt(r).  The constant 1 is false for d near m / e, and any below
    2 / sqrt(e): unions of d/2 intervals (BBD24-L22-literal).

    >>> round(disagreement_agnostic(1000, 1, 0.05), 3), round(disagreement_agnostic(400, 3, 0.1, 0.2, 1.0), 3)
    (0.379, 0.576)
    """
    _check(m=m, vc=vc, beta=beta, sigma=sigma)
    return checks.positive("constant", constant) * math.sqrt((vc + math.log(1 / beta)) / m) / sigma


def union_excess(points: int, scale: float, beta: float) -> float:
    """Return m b ln(m / beta): with probability 1 - beta the winner makes at most so many mistakes more than any other.

    points: m; scale: b.  Lemma 23 with b = 2 m / epsilon, by max |xi_i| <= b ln(m / beta) and m / 2 bits on each side.

    >>> round(union_excess(4, 1.0, 0.05), 4)
    17.5281
    """
    m = checks.size("points", points)
    return m * checks.positive("scale", scale) * math.log(m / checks.between("beta", beta, 0, 1))


def gamma_excess(points: int, scale: float, beta: float, patterns: int) -> float:
    """Return 2 b (sqrt(m t) + t / 2) with t = ln(2 N / beta), N labelings of the m points.

    Half of <xi, s_h> is sub-gamma with variance m b^2 / 2 and scale b / 2; a union over labelings and signs.

    >>> round(gamma_excess(4, 1.0, 0.05, 5), 4)
    14.5055
    """
    m, b = checks.size("points", points), checks.positive("scale", scale)
    t = math.log(2 * checks.size("patterns", patterns) / checks.between("beta", beta, 0, 1))
    return 2 * b * (math.sqrt(m * t) + t / 2)


def noise_error(n: int, m: int, scale: float, patterns: int, beta: float) -> float:
    """Return (2b/n) (sqrt(m t) + t/2), t = ln(2N/beta), the sharp form of lemma 23.

    With probability 1 - beta the empirical error of the minimiser under weights of Laplace scale b is at most so much
    above the least one.

    >>> round(noise_error(13_600_000, 1000, 2000.0, 1001, 0.05), 4)
    0.0318
    """
    _check(n=n, m=m, scale=scale, patterns=patterns, beta=beta)
    t = math.log(2 * patterns / beta) if patterns <= _LARGE else math.log(2 * patterns) - math.log(beta)
    return 2 * scale / n * (math.sqrt(m * t) + t / 2)


def error_bound(
    n: int, m: int, growth: Growth, scale: float, beta: float, sigma: float = 1.0, *, realizable: bool = False
) -> float:
    """Return a bound on the excess error of RRSPM that holds with probability 1 - beta; it may exceed 1.

    The sum of ``disagreement`` at beta/4, twice ``deviation`` at beta/4 and ``noise_error`` at beta/4.  realizable:
    whether the best error is 0.  Then L(f) <= L_D(f) + 2 sqrt(L_D(f) s) + 4 s, s = (ln growth(2n) + ln(16/beta)) / n,
    is used where it is better: the relative deviation of Vapnik and Chervonenkis.

    >>> [round(error_bound(13_600_000, 1000, lambda m: m + 1, scale, 0.05), 4) for scale in (2000.0, 2.0)]
    [0.0998, 0.0659]
    """
    _check(n=n, m=m, scale=scale, beta=beta, sigma=sigma)
    noise = noise_error(n, m, scale, growth(m), beta / 4)
    agnostic = noise + 2 * deviation(n, growth, beta / 4)
    s = deviation(n, growth, beta / 4) ** 2 / 8
    consistent = noise + 2 * math.sqrt(noise * s) + 4 * s
    return disagreement(m, growth, beta / 4, sigma) + (min(agnostic, consistent) if realizable else agnostic)


@dataclass(frozen=True)
class Sizes:
    """Numbers of public points and of private examples."""

    n_public: int
    n_private: int


def sizes(
    alpha: float, beta: float, growth: Growth, scale: Callable[[int], float], sigma: float = 1.0, share: float = 0.585
) -> Sizes:
    """Return the least m with ``disagreement`` <= share alpha, and then the least n with ``error_bound`` <= alpha.

    scale: the Laplace scale for m public points, 2 m / epsilon for the paper's.  share: how much of alpha the public
    points may take; .585 is near the best for the paper's scale.  Raise ValueError for a class that has all dichotomies
    of half of 2^21 points: no number of public points tells its functions apart.

    >>> sizes(0.1, 0.05, lambda m: m + 1, lambda m: 2.0 * m).n_public
    1001
    """
    _check(beta=beta, sigma=sigma, share=share, alpha=alpha)
    m = least_size(partial(_left_open, growth, beta / 4, sigma), share * alpha)
    return Sizes(m, least_size(lambda n: error_bound(n, m, growth, scale(m), beta, sigma), alpha))


_SHATTERED = 2**20
"""Public points from which on a class must have fewer than 2^m dichotomies of 2 m points."""


def _left_open(growth: Growth, beta: float, sigma: float, m: int) -> float:
    if m >= _SHATTERED and math.log2(_patterns(growth, 2 * m)) >= m:
        raise ValueError(f"growth({2 * m}): is at least 2^{m}: no number of public points is known to suffice")
    return disagreement(m, growth, beta, sigma)


def paper_public(alpha: float, beta: float, vc: int, sigma: float = 1.0) -> int:
    """Return ceil((d + ln(1/beta)) / (alpha sigma)^2), the public points of theorem 4 with constant 1.

    >>> paper_public(0.1, 0.05, 1), paper_public(0.2, 0.05, 2, sigma=0.5)
    (400, 500)
    """
    _check(alpha=alpha, beta=beta, vc=vc, sigma=sigma)
    return _least(vc + math.log(1 / beta), alpha, sigma, 2)


def realizable_public(alpha: float, beta: float, vc: int, sigma: float = 1.0) -> int:
    """Return ceil((d + ln(1/beta)) / (alpha sigma)), the public points of remark 1 with constant 1.

    >>> realizable_public(0.1, 0.05, 1), realizable_public(0.2, 0.05, 2, sigma=0.5)
    (40, 50)
    """
    _check(alpha=alpha, beta=beta, vc=vc, sigma=sigma)
    return _least(vc + math.log(1 / beta), alpha, sigma, 1)


def _least(size: float, alpha: float, sigma: float, power: int) -> int:
    """Return ceil(size / (alpha sigma)^power), by fractions where floats do not reach."""
    share = (alpha * sigma) ** power
    if share > 1e-290 * size:
        return math.ceil(size / share)
    return math.ceil(Fraction(size) / (Fraction(alpha) * Fraction(sigma)) ** power)
