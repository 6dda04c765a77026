"""The range of public values, widened by a public rule, since private values may lie beyond it."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.types import Floats

__all__ = ["widened"]

_DIGITS = 3
"""The width has so many more digits than the unit of its ends."""
_NOISE = 6
"""Digits beyond those of ends; what differs only after them is the rounding of floats."""


def widened(low: ArrayLike, high: ArrayLike, *, signed: bool = True) -> tuple[Floats, Floats]:
    """Return ends that are half of the width further out on each side, but do not cross 0.

    low, high: the least and the greatest public value of each feature, (d,), finite.  signed: whether they are numbers:
    0 is a bound for values none of which is beyond it, as amounts are, and ends are rounded outwards to multiples of a
    power of ten, at most a thousandth of the width; dates have neither.  A range too wide for a float stays.

    Among m public rows and a private row of the same distribution, the private one has the least or the greatest
    value with probability 2 / (m + 1): so often it would be clipped to public ends.  The width of 60 normal rows is 4.6
    standard deviations; one row in 200,000 lies beyond a range twice as wide.  A population with the same width may lie
    half of it to one side.

    >>> widened([10.0, 2.0, -4.0, 7.0], [20.0, 10.0, 0.0, 7.0])
    (array([ 5.,  0., -6.,  7.]), array([25., 14.,  0.,  7.]))
    >>> [end.tolist() for end in widened([0.7, 1.2345], [1.3, 9.87])]
    [[0.4, 0.0], [1.6, 14.188]]
    """
    least, greatest = np.asarray(low, np.float64), np.asarray(high, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        half = greatest / 2 - least / 2
        bottom, top = least - half, greatest + half
        fits = np.isfinite(top - bottom)
    if signed:
        bottom, top = -_outwards(-bottom, half), _outwards(top, half)
        bottom = np.where(least >= 0, np.maximum(bottom, 0.0), bottom)
        top = np.where(greatest <= 0, np.minimum(top, 0.0), top)
    return np.where(fits, bottom, least) + 0.0, np.where(fits, top, greatest) + 0.0


def _outwards(top: Floats, half: Floats) -> Floats:
    """Return upper ends rounded up to multiples, as the nearest floats; as they are where floats cannot tell."""
    with np.errstate(all="ignore"):
        places = _DIGITS - np.floor(np.log10(2 * half))
        scale = 10.0 ** np.abs(places)
        units = np.where(places >= 0, top * scale, top / scale)
        units = np.ceil(np.round(units, _NOISE))
        rounded = np.where(places >= 0, units / scale, units * scale)
    return np.where(np.isfinite(rounded) & (rounded >= top - half / 2) & (half > 0), rounded, top)
