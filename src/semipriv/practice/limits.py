"""Limits of a chance of mistakes from a number of mistakes with noise: of the draw of rows and of the noise, exactly.

A number of mistakes among N rows is Bin(N, p), if rows are independent draws, and Y = Bin(N, p) + noise is published.
"""

from collections.abc import Callable

import numpy as np

from semipriv.core.binomial import binomial_law
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

_HALVINGS = 60


def limits(noisy: int, fewest: int, most: int, noise: DiscreteLaplace, share: float) -> tuple[float, float]:
    """Return limits (low, high) of p, each of which misses it with probability at most ``share``, in (0, 1/2).

    noisy: Y.  fewest, most: what N is at least and at most.  The high one is the largest p with P[Y <= noisy] > share,
    of N = fewest: more rows make more mistakes, so that this probability falls with N as it falls with p.  In the same
    way the low one is that of N = most.  No row says nothing.
    """

    def at_most(p: float) -> bool:
        return _chance(noise, noisy, fewest, p) > share

    def at_least(p: float) -> bool:
        return _chance(noise, -noisy, most, p, sign=-1) > share

    low = 0.0 if not most or at_least(0.0) else _root(lambda p: not at_least(p))
    high = 1.0 if not fewest or at_most(1.0) else _root(at_most)
    return low, high


def _chance(noise: DiscreteLaplace, y: int, rows: int, p: float, sign: int = 1) -> float:
    """Return P[sign Bin(rows, p) + noise <= y]; the noise is symmetric."""
    if p in (0.0, 1.0):
        return float(np.exp(noise.log_cumulative([y - sign * round(rows * p)]))[0])
    counts, law = binomial_law(rows, p)
    return float(np.exp(law + noise.log_cumulative(y - sign * counts)).sum())


def _root(below: Callable[[float], bool]) -> float:
    """Return the p in (0, 1) up to which ``below`` is true."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high
