"""Limits of a mean from a sum over rows with noise: of the draw of rows and of the noise at once.

A number of mistakes among N rows is Bin(N, p), if rows are independent draws, and Y = Bin(N, p) + noise is published:
``limits`` are exact.  Of other scores only the range is known: ``mean_limits`` hold for every distribution of them.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import rel_entr

from semipriv.core.binomial import binomial_distribution
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

_HALVINGS = 60
_REACH, _PIECES = 30, 1200
"""Scales of the noise, either way, that are cut into so many pieces."""


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
    counts, log_mass = binomial_distribution(rows, p)
    return float(np.exp(log_mass + noise.log_cumulative(y - sign * counts)).sum())


def mean_limits(
    noisy: int, fewest: int, most: int, score: int, noise: DiscreteLaplace, share: float
) -> tuple[float, float]:
    """Return limits (low, high) of p, each of which misses it with probability at most ``share``, in (0, 1/2).

    noisy: Y = S + K, for the sum S of N independent integers of [0, score], whose mean is p score, whatever their
    distribution, and the noise K.  fewest, most: what N is at least and at most.  With
    kl(a, p) = a ln(a / p) + (1 - a) ln((1 - a) / (1 - p)),

        P[S <= x] <= exp(-N kl(x / (N score), p))    for 0 <= x <= N score p    (Hoeffding 1963, theorem 1),

    as on [0, 1] e^(-t z) is below its chord, so that no distribution with this mean has a larger E e^(-t z) than
    that of a coin.
    The integers are cut into pieces, the first and the last without end.  P[Y <= y] is at most the sum over pieces of
    P[K in the piece] times the bound at y - (the least of the piece), 1 for the first.  It falls with p: the high limit
    is the largest p for which it is above the share, of N = fewest, as S grows with N.  The low one is 1 - the high one
    of what scores lack, of N = most.  No row says nothing.
    """
    low = 1 - _highest(most * score - noisy, most, score, noise, share)
    return low, _highest(noisy, fewest, score, noise, share)


def _highest(noisy: int, rows: int, score: int, noise: DiscreteLaplace, share: float) -> float:
    """Return the largest p for which the bound of P[Y <= noisy] is above the share; 1 for no row."""
    if not rows:
        return 1.0
    steps = np.rint(float(noise.scale) * np.linspace(-_REACH, _REACH, _PIECES + 1)).astype(np.int64)
    ends = np.unique(np.concatenate([steps, [-1, 0, 1]]))
    reached = np.exp(noise.log_cumulative(ends))
    chances = np.diff(reached, append=1.0)
    shares = np.array([(noisy - end - 1) / (rows * score) for end in ends.tolist()])

    def above(p: float) -> bool:
        return float(reached[0] + chances @ _below(shares, rows, p)) > share

    return 1.0 if above(1.0) else _root(above)


def _below(shares: Floats, rows: int, p: float) -> Floats:
    """Return bounds of the probability that a mean of ``rows`` scores in [0, 1], expected to be p, is at most these."""
    a = np.clip(shares, 0.0, p)
    divergence = rel_entr(a, p) + rel_entr(1 - a, 1 - p)
    return np.where(shares < 0, 0.0, np.exp(-rows * np.where(a < p, divergence, 0.0)))


def _root(below: Callable[[float], bool]) -> float:
    """Return the p in (0, 1) up to which ``below`` is true."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high
