"""The spread of linear functions over the unit ball, beside their norm on public points; rounded up, provably."""

import math
from fractions import Fraction

import numpy as np

from semipriv.core.rounding import Bracket
from semipriv.core.types import Floats

_UNIT = 2.0**-53


def spread(public: Floats) -> float:
    """Return K_Z = sup |<w, x>| / ||w||_m over w and ||x|| <= 1, rounded up: (m, p) -> the size, at least 1.

    K_Z = 1 / sqrt(smallest eigenvalue of Z^T Z / m) (BBD24-L2-sharp); infinite if rounding cannot tell that from 0.
    """
    least = least_eigenvalue(public)
    return (1 / Bracket.of(Fraction(least)).sqrt()).up if least > 0 else math.inf


def least_eigenvalue(public: Floats) -> float:
    """Return a lower bound of the smallest eigenvalue of Z^T Z / m for Z (m, p); 0 if none above 0 is proven.

    If Cholesky's method ends for the floating-point matrix G - s I, no eigenvalue of G is below s by more than
    (p + 2) u trace(G), except for a factor of 2 (Rump 2006, u = 2^-53).  Entries of the computed G = Z^T Z / m are off
    by (m + 2) u times those of |Z|^T |Z| / m, whose norm is at most the trace of G.
    """
    m, p = public.shape
    if m < p:
        return 0.0
    gram = public.T @ public / m
    margin = 4 * (m + p + 4) * _UNIT * float(np.trace(gram))
    guess = float(np.linalg.eigvalsh(gram)[0]) - margin
    if guess <= margin:
        return 0.0
    try:
        np.linalg.cholesky(gram - guess * np.eye(p))
    except np.linalg.LinAlgError:
        return 0.0
    return guess - margin
