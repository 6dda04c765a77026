"""Search for the end of a half-line of floats."""

from collections.abc import Callable


def smallest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest float in (low, high] from which on ``holds`` is true; holds(high) is taken as known.

    The interval is halved until no float lies between its ends.  ``holds`` was seen true at the float returned, unless
    that is ``high``: the result is on the safe side of the root, by less than a unit in the last place.

    >>> smallest(lambda x: x * x >= 2, 1.0, 2.0)
    1.4142135623730951
    """
    while low < (middle := low + (high - low) / 2) < high:
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
