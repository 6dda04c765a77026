"""Search for the end of a half-line of floats."""

import struct
from collections.abc import Callable


def smallest(holds: Callable[[float], bool], low: float, high: float, near: float | None = None) -> float:
    """Return the smallest float in (low, high] from which on ``holds`` is true; holds(high) is taken as known.

    0 <= low < high.  The floats between the ends are halved until none is left, in at most 63 steps for any ends.
    ``holds`` was seen true at the float returned, unless that is ``high``, and false at the one before, unless that is
    ``low``: the result is on the safe side of the root, by less than a unit in the last place.

    near: a guess of the result, from which steps of 1, 2, 4, ... floats look for both ends first.  It changes the
    number of steps alone, about twice the binary logarithm of the floats in between.

    >>> smallest(lambda x: x * x >= 2, 1.0, 2.0)
    1.4142135623730951
    """
    first, last = _place(low), _place(high)
    if near is not None and low < near < high:
        place, step = _place(near), 1
        if holds(near):
            last = place
            while last - step > first and holds(_float(last - step)):
                last, step = last - step, 2 * step
            first = max(first, last - step)
        else:
            first = place
            while first + step < last and not holds(_float(first + step)):
                first, step = first + step, 2 * step
            last = min(last, first + step)
    while last - first > 1:
        middle = (first + last) // 2
        if holds(_float(middle)):
            last = middle
        else:
            first = middle
    return _float(last)


def _place(value: float) -> int:
    """Return the number of floats in [0, value)."""
    place: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return place


def _float(place: int) -> float:
    """Return the float >= 0 with this number of floats before it; ``_place`` inverts this."""
    value: float = struct.unpack("<d", struct.pack("<q", place))[0]
    return value
