"""How far frequencies are from probabilities, for all functions of a class at once."""

import math
from collections.abc import Callable

from semipriv.core import checks

Growth = Callable[[int], int]
"""Largest number of dichotomies of m points."""


def deviation(n: int, growth: Growth, beta: float) -> float:
    """Return sqrt(8 (ln growth(2n) + ln(4/beta)) / n), BBD24 theorem 9: sup |L_D - L| exceeds it with chance <= beta.

    >>> round(deviation(100, lambda m: m + 1, 0.05), 2)
    0.88
    """
    checks.size("n", n)
    checks.between("beta", beta, 0, 1)
    return math.sqrt(8 * (math.log(growth(2 * n)) + math.log(4 / beta)) / n)
