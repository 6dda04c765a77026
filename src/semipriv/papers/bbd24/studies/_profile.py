"""Exact privacy of two shifted normal laws, in floats; the package's own is worked in long numbers."""

import math

import numpy as np
import scipy


def shifted(distance: float, epsilon: float) -> float:
    """Return Phi(h/2 - epsilon/h) - e^epsilon Phi(-h/2 - epsilon/h), the delta of two normal laws h > 0 apart.

    h: distance in standard deviations.  With a = h/2 - epsilon/h, b = a - h and Mills' ratio R(t) of the upper tail it
    is phi(a) (R(-a) - R(-b)): no e^epsilon, so that small values keep their digits.
    """
    a = distance / 2 - epsilon / distance
    b = a - distance
    if a > 0:
        return float(scipy.special.ndtr(a) - math.exp(epsilon) * scipy.special.ndtr(b))
    ratios = scipy.special.erfcx(-np.array([a, b]) / math.sqrt(2)) * math.sqrt(math.pi / 2)
    return float(math.exp(-a * a / 2) / math.sqrt(2 * math.pi) * (ratios[0] - ratios[1]))
