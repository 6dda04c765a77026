"""What noisy trees of counts are off by, and the size of noisy strips of the plane, with explicit constants.

For integers j below 2^b let N(j) be the number of entries below j, and N~(j) the sum of the noisy counts of the dyadic
runs that make up [0, j): as many as j has binary digits 1.  With discrete Laplace noise of scale c on each count and
M(t) = E e^(t noise) = (cosh(1/c) - 1) / (cosh(1/c) - cosh t), a union over all j gives

    P[max_j |N~(j) - N(j)| >= E] <= 2 ((1 + M(t))^b - 1) e^(-t E)    for all t in (0, 1/c),

since there are binom(b, i) numbers with i digits 1.  A descent to the rank r ends at a v with N~(v) < r <= N~(v + 1),
so that at most r + E entries are below v, and at least r - E are up to v.  Hence k descents to (i - 1/2) n / k give
points whose shares of all prefixes are off by at most 1 / (2 k) + E / n.
"""

import math
import sys

from semipriv.core import checks
from semipriv.papers.bns15.bounds._whole import examples

_STEPS = 200
"""Values of t that are tried: any gives a bound."""
_ROUNDING = 1 + 1e-9


def strips_of(size: int) -> int:
    """Return s = sqrt(k) rounded down, at least 2: between s - 1 borders there are s gaps."""
    return max(2, math.isqrt(checks.size("size", size)))


def code_bits(bits: int, size: int) -> int:
    """Return the bits of a place (strip, y), of at most 2 s - 1 strips."""
    return checks.size("bits", bits) + (2 * strips_of(size) - 2).bit_length()


def prefix_deviation(bits: int, scale: float, beta: float) -> float:
    """Return the least such E with a bound of at most beta, for noise of this scale, rounded up.

    >>> round(prefix_deviation(1, 1.0, 0.1), 1)
    5.3
    """
    checks.size("bits", bits)
    checks.between("beta", beta, 0, 1)
    inverse = min(1 / checks.positive("scale", scale), sys.float_info.max / 4)  # M(t) is 1 long before
    bounds, whole = [], -math.expm1(-inverse)
    for i in range(1, _STEPS):
        t = i / _STEPS * inverse
        # (cosh a - 1) / (cosh a - cosh t), without cancellation or overflow
        moment = (whole / -math.expm1(-inverse - t)) * (whole / -math.expm1(t - inverse))
        bounds.append((math.log(2) - math.log(beta) + bits * math.log1p(moment)) / t)
    return min(bounds) * _ROUNDING


def strips_size(alpha: float, beta: float, epsilon: float, bits: int, size: int) -> int:
    """Return the least n with (2 s - 1) (1 / k + 2 F / n) + 2 (1 / s + 2 E / n) <= alpha.

    E and F are what the trees over x and over (strip, y) are off by, each with probability 1 - beta / 2, with noise of
    scale 2 (2 b - 1) / epsilon and 2 (2 c - 1) / epsilon, c = ``code_bits``.  From so many entries on the shares of all
    rectangles are off by at most alpha with probability 1 - beta.  A rectangle is a run of each strip that it crosses,
    the difference of two prefixes: off by at most 1 / k + 2 F / n.  Of at most two strips it takes a part of x: these
    are gaps, which hold at most n / s + 2 E entries, and a share of the points that is off by as much as that of a run.

    Raise ValueError unless (2 s - 1) / k + 2 / s < alpha.

    >>> strips_size(0.5, 0.1, 1.0, 8, 400)
    382461
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.positive("epsilon", epsilon)
    strips, length = strips_of(size), code_bits(bits, size)
    lost = (2 * strips - 1) / size + 2 / strips
    if lost >= alpha:
        raise ValueError(f"size = {size}: {strips} strips of so many points are off by {lost:.3g}, alpha = {alpha:g}")
    along = prefix_deviation(length, 2 * (2 * length - 1) / epsilon, beta / 2)
    across = prefix_deviation(bits, 2 * (2 * bits - 1) / epsilon, beta / 2)
    return examples((2 * (2 * strips - 1) * along + 4 * across) / (alpha - lost))
