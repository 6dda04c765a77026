"""Least and largest sizes and numbers, by bisection."""

import math
from collections.abc import Callable

from semipriv.core import checks


def least_size(failure: Callable[[int], float], beta: float, start: int = 1) -> int:
    """Return the least n >= start with failure(n) <= beta, by doubling, then bisection; failure must fall with n.

    >>> least_size(lambda n: 1 / n, 0.05)
    20
    """
    checks.size("start", start)
    checks.between("beta", beta, 0, 1)
    low, high = start - 1, start
    while failure(high) > beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failure(middle) <= beta else (middle, high)
    return high


def largest_size(fits: Callable[[int], bool], start: int = 0) -> int:
    """Return the largest n >= start that fits, by doubling, then bisection; all up to it must fit, and start does.

    >>> largest_size(lambda n: n * n < 50)
    7
    """
    checks.size("start", start, 0)
    low, step = start, 1
    while fits(low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def least_number(enough: Callable[[float], bool]) -> float | None:
    """Return the least float in (0, 1) from which on enough(x) holds; None if it does not hold just below 1.

    enough must hold for every larger number, too.  Below 1e-12 no number is looked at.

    >>> least_number(lambda x: x >= 0.25), least_number(lambda x: False)
    (0.25, None)
    """
    low, high = 1e-12, math.nextafter(1.0, 0.0)
    if not enough(high):
        return None
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
