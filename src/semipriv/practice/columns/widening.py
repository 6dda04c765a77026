"""The range of public values, made wider by a public rule: private values may lie beyond these."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.types import Floats

__all__ = ["widened"]


def widened(low: ArrayLike, high: ArrayLike, *, signed: bool = True) -> tuple[Floats, Floats]:
    """Return ends that are half of the width further out on each side, but on no other side of 0.

    low, high: the least and the greatest public value of each feature, (d,), finite.  signed: whether 0 is a bound for
    values none of which is beyond it, as amounts are; not for dates.  A range that would be too wide for a float stays.

    Among m public rows and a private one of the same law, the private one has the least or the greatest value with
    probability 2 / (m + 1): so often it would be clipped to public ends.  The width of 60 normal rows is 4.6 standard
    deviations; beyond a range twice as wide is one row in 200,000.  A population with the same width may lie half of
    it to one side.

    >>> widened([10.0, 2.0, -4.0, 7.0], [20.0, 10.0, 0.0, 7.0])
    (array([ 5.,  0., -6.,  7.]), array([25., 14.,  0.,  7.]))
    """
    least, greatest = np.asarray(low, np.float64), np.asarray(high, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        half = greatest / 2 - least / 2
        bottom, top = least - half, greatest + half
        fits = np.isfinite(top - bottom)
    if signed:
        bottom = np.where(least >= 0, np.maximum(bottom, 0.0), bottom)
        top = np.where(greatest <= 0, np.minimum(top, 0.0), top)
    return np.where(fits, bottom, least), np.where(fits, top, greatest)
