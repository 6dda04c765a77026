"""Exact privacy of Gaussian noise (Balle and Wang 2018), and the smallest noise for a guarantee.

With h = sensitivity / sigma the privacy loss is normal with mean h^2/2 and variance h^2, and Gaussian noise is
(epsilon, delta)-DP if and only if

    delta >= Phi(h/2 - epsilon/h) - e^epsilon Phi(-h/2 - epsilon/h).

Noise is N(0, sigma^2) on every coordinate, sensitivity is the largest L2 distance of the values of two neighbours.
"""

import math

import numpy as np
from scipy.special import erfcx, ndtr

from semipriv import checks
from semipriv.privacy.search import smallest

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_MARGIN = 1e-12
"""Above the relative rounding error of ``gaussian_delta``."""


def gaussian_delta(sigma: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """Return the smallest delta at this epsilon >= 0.

    The relative error is below 1e-12 for epsilon up to 1e4; below the float range delta is 0.

    With a = h/2 - epsilon/h and b = a - h, e^epsilon phi(b) = phi(a).  So delta = phi(a) (R(-a) - R(-b)) with Mills'
    ratio R(t) = (1 - Phi(t)) / phi(t): no e^epsilon, no difference of tails.  For small h the difference is the
    integral of -R'(t) = 1 - t R(t).

    >>> round(gaussian_delta(sigma=1.0, epsilon=1.0), 6)
    0.126937
    """
    sigma, sensitivity = checks.positive("sigma", sigma), checks.positive("sensitivity", sensitivity)
    return _delta(sigma, checks.between("epsilon", epsilon, 0, math.inf, closed="l"), sensitivity)


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest sigma that is (epsilon, delta)-DP, for epsilon >= 0 and delta in (0, 1).

    It is never too small by rounding.  Raises ValueError if it exceeds the float range.

    >>> round(gaussian_sigma(1.0, 1e-5), 4)
    3.7306
    """
    epsilon = checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    delta, sensitivity = checks.between("delta", delta, 0, 1), checks.positive("sensitivity", sensitivity)

    def holds(sigma: float) -> bool:
        return _delta(sigma, epsilon, sensitivity) * (1 + _MARGIN) <= delta

    high = sensitivity
    while not holds(high):
        high *= 2
    if math.isinf(high):
        raise ValueError(f"delta = {delta!r}: sigma would exceed the float range")
    while high / 2 > 0 and holds(high / 2):
        high /= 2
    return smallest(holds, high / 2, high)


def gaussian_epsilon(sigma: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest epsilon at this delta in (0, 1).

    It is never too small by rounding.  Raises ValueError if it exceeds the float range.

    >>> round(gaussian_epsilon(sigma=3.7306317, delta=1e-5), 6)
    1.0
    """
    sigma, sensitivity = checks.positive("sigma", sigma), checks.positive("sensitivity", sensitivity)
    delta = checks.between("delta", delta, 0, 1)

    def holds(epsilon: float) -> bool:
        return _delta(sigma, epsilon, sensitivity) * (1 + _MARGIN) <= delta

    if holds(0.0):
        return 0.0
    high = 1.0
    while not holds(high):
        high *= 2
        if math.isinf(high):
            raise ValueError(f"sigma = {sigma!r}: epsilon would exceed the float range")
    return smallest(holds, 0.0, high)


def classical_gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return sigma = sensitivity sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon in (0, 1].

    Dwork and Roth 2014, theorem 3.22.  For comparison: it is never below ``gaussian_sigma``.  Larger epsilons are
    refused, since the formula is not private for them.

    >>> round(classical_gaussian_sigma(1.0, 1e-5), 4)
    4.8448
    """
    epsilon, delta = checks.between("epsilon", epsilon, 0, 1, closed="h"), checks.between("delta", delta, 0, 1)
    return checks.positive("sensitivity", sensitivity) * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _delta(sigma: float, epsilon: float, sensitivity: float) -> float:
    h = sensitivity / sigma
    a = h / 2 - epsilon / h if h > 0 else -math.inf
    if math.isinf(h):
        return 1.0
    if a < -39:  # delta <= Phi(a), below the float range
        return 0.0
    density = math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    if h <= 1:
        t = -a + h * (_NODES + 1) / 2
        return float(density * h / 2 * (_WEIGHTS @ (1 - t * _mills(t))))
    if a < 0:
        return float(density * (_mills(-a) - _mills(h - a)))
    return float(ndtr(a) - density * _mills(h - a))


def _mills(t: float | np.ndarray) -> np.ndarray:
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(np.asarray(t) / math.sqrt(2)))
