"""Dichotomies of a class, and how far frequencies are from probabilities for all its functions at once."""

import math
from collections.abc import Callable

from semipriv.core import checks

Growth = Callable[[int], int]
"""Largest number of dichotomies of m points."""


def sauer(m: int, d: int) -> int:
    """Return Sauer's bound sum_{i <= d} C(m, i) on the number of dichotomies of m points.

    >>> sauer(4, 1), sauer(3, 5)
    (5, 8)
    """
    return sum(math.comb(m, i) for i in range(min(m, d) + 1))


def deviation(n: int, growth: Growth, beta: float) -> float:
    """Return sqrt(8 (ln growth(2n) + ln(4/beta)) / n), BBD24 theorem 9: sup |L_D - L| exceeds it with chance <= beta.

    >>> round(deviation(100, lambda m: m + 1, 0.05), 2)
    0.88
    """
    checks.size("n", n)
    checks.between("beta", beta, 0, 1)
    return math.sqrt(8 * (math.log(growth(2 * n)) + math.log(4 / beta)) / n)
