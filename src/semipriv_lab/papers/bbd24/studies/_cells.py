"""Three small distributions in closed form on which claims of BBD24 are judged.

signs: the two constant functions +1 and -1, perturbed by algorithm 2.  On any m points ||f||_m = 1, and the process w_m
is g on +1 and -g on -1, for one normal g: E sup w_m = sqrt(2 / pi), inf ||f||_m = 1.

slopes: F = {x -> w x : |w| <= 1}, the loss |f(x) - y| / 2, whose Lipschitz constant is 1/2, and public points that are
all 1, so that ||f||_m = |w|, and no function is farther from another than on the public points: the spread is 1.

parity: all patterns on m points, and a private point on which a function's value is the parity of its pattern.
"""

import math
from typing import overload

import numpy as np
import scipy

from semipriv.core.types import Floats, Integers

SIGNS_WIDTH = math.sqrt(2 / math.pi)
"""E sup w_m of the two signs, the mean of |g|."""
SLOPES_LIPSCHITZ = 0.5
"""Lipschitz constant of |f - y| / 2 in f."""


def share_positive(lead: float, eta: float) -> float:
    """Return P[+1 minimises L(f) + eta w_m(f)] = Phi(lead / (2 eta)), where lead = L(-1) - L(+1).

    L is the sum of losses.  One record changes the lead by at most 2, from 1 to -1 for instance.
    """
    return float(scipy.special.ndtr(lead / (2 * eta)))


def share_different(tau: float, eta: float) -> float:
    """Return P[the minimisers with one g differ] = 2 Phi(tau / (2 eta)) - 1 for leads tau and -tau.

    Between the two, the sum of losses of each function changes by tau.  Equals half the distance of the means of the
    minimisers.
    """
    return float(scipy.special.erf(tau / (2 * eta) / math.sqrt(2)))


@overload
def slope(balance: float, eta: float) -> float: ...
@overload
def slope(balance: Integers, eta: float) -> Floats: ...
def slope(balance: float | Integers, eta: float) -> float | Floats:
    """Return the minimiser w = balance / (4 eta), clipped to [-1, 1], of the regularised sum of losses.

    balance: records (1, 1) less records (1, -1); records (0, y) play no part.  The sum of losses is constant -
    balance w / 2, and eta w^2 is added.
    """
    w = np.clip(np.asarray(balance) / (4 * eta), -1, 1)
    return w if w.ndim else float(w)


def sign(label: int, eta: float) -> float:
    """Return which of +1 and -1 minimises |f - label| / 2 + eta f^2: the label, at every eta, as f^2 = 1 for both.

    The two signs alone are no convex class; their hull is that of the slopes.
    """
    return min((1.0, -1.0), key=lambda f: SLOPES_LIPSCHITZ * abs(f - label) + eta * f**2)


def parity_loss(m: int, scale: float) -> float:
    """Return the privacy loss ln(2 exp(m / scale) - 1) of RRSPM's patterns by Laplace weights of a scale.

    One record makes even patterns dearer by 1, its neighbour odd ones.  The dearer half wins only if the best pattern
    without the record is in it and no weight is within 1 of 0: with chance exp(-m / scale) / 2.
    """
    return math.log(2 * math.exp(m / scale) - 1)
