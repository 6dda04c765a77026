"""Least sizes, by bisection."""

from collections.abc import Callable

from semipriv import checks


def least_size(failure: Callable[[int], float], beta: float, start: int = 1) -> int:
    """Return the least n >= start with failure(n) <= beta, by doubling, then bisection; failure must fall with n.

    >>> least_size(lambda n: 1 / n, 0.05)
    20
    """
    checks.between("beta", beta, 0, 1)
    low, high = start - 1, start
    while failure(high) > beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failure(middle) <= beta else (middle, high)
    return high
