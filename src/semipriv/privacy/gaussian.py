"""Exact privacy of Gaussian noise (Balle and Wang 2018), and the smallest noise for a guarantee.

With h = sensitivity / sigma the privacy loss is normal with mean h^2/2 and variance h^2, and Gaussian noise is
(epsilon, delta)-DP if and only if

    delta >= Phi(h/2 - epsilon/h) - e^epsilon Phi(-h/2 - epsilon/h).

Noise is N(0, sigma^2) on every coordinate, sensitivity is the largest L2 distance of the values of two neighbours.  All
results are rounded up once, from 50 digits, whatever epsilon is: none is below its formula.
"""

import math
import sys
from decimal import Decimal
from fractions import Fraction

from semipriv.core import checks
from semipriv.core.rounding import DIGITS, Bracket, outward, rational
from semipriv.privacy.search import smallest

PI = Bracket(
    Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781"),
    Decimal("3.14159265358979323846264338327950288419716939937510582097494459230782"),
)
_ROOT = (2 * PI).sqrt()
_LEAST = math.nextafter(0.0, 1.0)
_NARROW = Fraction(1, 10**20)
"""Below this h, a difference of Mills' ratios is bounded by its steepest slope."""
_WIDTH = Decimal(10) ** (8 - DIGITS)
"""Relative width of the brackets of continued fractions, above that of a few hundred roundings."""
_SERIES = 3
"""Mills' ratio is a series below, a continued fraction above."""


def gaussian_delta(sigma: float | Fraction, epsilon: float, sensitivity: float | Fraction = 1.0) -> float:
    """Return the smallest delta at this epsilon >= 0, rounded up: it is positive, if below the float range as well.

    With a = h/2 - epsilon/h and b = a - h, e^epsilon phi(b) = phi(a).  So delta = phi(a) (R(-a) - R(-b)) with Mills'
    ratio R(t) = (1 - Phi(t)) / phi(t): no e^epsilon, no difference of tails.  For a > 0, delta = 1 - phi(a) (R(a) +
    R(-b)).  The ratio is between neighbouring convergents of its continued fraction 1/(t + 1/(t + 2/(t + ...))).

    >>> round(gaussian_delta(sigma=1.0, epsilon=1.0), 6)
    0.126937
    """
    epsilon = checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    return _delta(rational("sigma", sigma), epsilon, rational("sensitivity", sensitivity))


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float | Fraction = 1.0) -> float:
    """Return the smallest float sigma that is (epsilon, delta)-DP, for epsilon >= 0 and delta in (0, 1).

    Raises ValueError if it exceeds the float range.

    >>> round(gaussian_sigma(1.0, 1e-5), 4)
    3.7306
    """
    epsilon = checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    delta, shift = checks.between("delta", delta, 0, 1), rational("sensitivity", sensitivity)

    def holds(sigma: float) -> bool:
        return _delta(Fraction(sigma), epsilon, shift) <= delta

    if not holds(sys.float_info.max):
        raise ValueError(f"delta = {delta!r}: sigma would exceed the float range")
    return smallest(holds, 0.0, sys.float_info.max, near=near_sigma(epsilon, delta, shift))


def near_sigma(epsilon: float, delta: float, sensitivity: Fraction = Fraction(1)) -> float:
    """Return about ``gaussian_sigma``, in floats: for a first look."""
    return smallest(lambda sigma: _rough(sigma, epsilon, sensitivity) <= delta, 0.0, sys.float_info.max)


def gaussian_epsilon(sigma: float | Fraction, delta: float, sensitivity: float | Fraction = 1.0) -> float:
    """Return the smallest float epsilon at this delta in (0, 1).

    Raises ValueError if it exceeds the float range.

    >>> round(gaussian_epsilon(sigma=3.7306317, delta=1e-5), 6)
    1.0
    """
    width, shift = rational("sigma", sigma), rational("sensitivity", sensitivity)
    delta = checks.between("delta", delta, 0, 1)

    def holds(epsilon: float) -> bool:
        return _delta(width, epsilon, shift) <= delta

    if holds(0.0):
        return 0.0
    if not holds(sys.float_info.max):
        raise ValueError(f"sigma = {sigma!r}: epsilon would exceed the float range")
    return smallest(holds, 0.0, sys.float_info.max, near=near_epsilon(float(width), delta, shift))


def near_epsilon(sigma: float, delta: float, sensitivity: Fraction = Fraction(1)) -> float:
    """Return about ``gaussian_epsilon``, in floats: for a first look."""
    return smallest(lambda epsilon: _rough(sigma, epsilon, sensitivity) <= delta, 0.0, sys.float_info.max)


def classical_gaussian_sigma(epsilon: float, delta: float, sensitivity: float | Fraction = 1.0) -> float:
    """Return sigma = sensitivity sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon in (0, 1].

    Dwork and Roth 2014, theorem 3.22.  For comparison: it is never below ``gaussian_sigma``.  Larger epsilons are
    refused, since the formula is not private for them.

    >>> round(classical_gaussian_sigma(1.0, 1e-5), 4)
    4.8448
    """
    epsilon, delta = checks.between("epsilon", epsilon, 0, 1, closed="h"), checks.between("delta", delta, 0, 1)
    scale = rational("sensitivity", sensitivity) / Fraction(epsilon)
    return ((2 * Bracket.of(Fraction(5, 4) / Fraction(delta)).ln()).sqrt() * scale).up


def _delta(sigma: Fraction, epsilon: float, sensitivity: Fraction) -> float:
    """Return the profile, rounded up."""
    h = sensitivity / sigma
    a = h / 2 - Fraction(epsilon) / h
    t = max(Fraction(0), -a)
    if t > 40:  # delta <= Phi(a), below the float range
        return _LEAST
    if h < _NARROW:  # -R'(t) = 1 - t R(t) decreases, and so does phi; delta is largest at epsilon = 0
        slope = 1 - Bracket.of(t) * _mills(Bracket.of(t))
        return (_density(Bracket.of(t)) * slope * h).up
    if a <= 0:
        return (_density(Bracket.of(t)) * (_mills(Bracket.of(t)) - _mills(Bracket.of(h + t)))).up
    near = Bracket.of(a)
    return (1 - _density(near) * (_mills(near) + _mills(Bracket.of(h - a)))).up


def _rough(sigma: float, epsilon: float, sensitivity: Fraction) -> float:
    """Return about the profile, in floats: where to look for the exact end."""
    h = float(sensitivity) / sigma if sigma else math.inf
    if not 0 < h < math.inf:
        return 0.0 if h == 0 else 1.0
    a = h / 2 - epsilon / h
    density = math.exp(-min(a * a, 2e3) / 2) / math.sqrt(2 * math.pi)
    if a <= 0:
        return density * (_rough_ratio(-a) - _rough_ratio(h - a))
    return 1 - density * (_rough_ratio(a) + _rough_ratio(h - a))


def _rough_ratio(t: float) -> float:
    """Return about R(t), t >= 0."""
    if t < 5:
        return math.sqrt(math.pi / 2) * math.exp(t * t / 2) * math.erfc(t / math.sqrt(2))
    tail = t
    for k in range(30, 0, -1):
        tail = t + k / tail
    return 1 / tail


def _density(t: Bracket) -> Bracket:
    """Return phi(t) for t >= 0."""
    return (-(t * t) / 2).exp() / _ROOT


def _mills(t: Bracket) -> Bracket:
    """Return R(t) for t >= 0, which decreases."""
    return Bracket(_ratio(t.high).low, _ratio(t.low).high)


def _ratio(t: Decimal) -> Bracket:
    """Return R(t): sqrt(pi/2) e^(t^2/2) - sum_k t^(2k+1) / (1 3 5 ... (2k+1)), or the continued fraction.

    t^2 / (2k + 3) < 1/2 where the series ends: what is left out is below twice the last term.
    """
    if t >= _SERIES:
        return _fraction(t)
    square, term, total, k = Bracket.of(t) * t, Bracket.of(t), Bracket.of(t), 0
    while term.high > Decimal(10) ** -DIGITS:
        k += 1
        term = term * square / (2 * k + 1)
        total = total + term
    return _ROOT * (square / 2).exp() / 2 - total - Bracket(Decimal(0), 2 * term.high)


def _fraction(t: Decimal) -> Bracket:
    """Return 1/(t + 1/(t + 2/(t + ...))) from the inside, ever deeper until the bracket is narrow.

    What follows the n-th numerator is between t and t + (n + 1) / t, whatever n is.
    """
    (down, up), depth = outward(DIGITS), 16
    while True:
        low, high = down.plus(t), up.add(t, up.divide(depth + 1, t))
        for k in range(depth, 0, -1):
            low, high = down.add(t, down.divide(k, high)), up.add(t, up.divide(k, low))
        if up.subtract(high, low) <= up.multiply(low, _WIDTH):
            return Bracket(down.divide(1, high), up.divide(1, low))
        depth *= 2
