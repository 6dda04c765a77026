"""Quantiles of integers below 2^b by descent in a tree of noisy counts, and their exact distribution on tiny domains.

The tree has b levels: halves, quarters, ...  A descent to the rank r goes left if the noisy count of all that is left
of the middle, a sum of at most b noisy counts of left halves, reaches r, else right.  Replacing an entry changes the
counts of left halves by 2 b - 1 in all: none where the old and the new entry are in the same half of all before, one
where their ways part, and at most two, by 1 each, on each of the b - 1 levels below.  So discrete Laplace noise of
scale (2 b - 1) / epsilon on each makes all of them epsilon-DP.
"""

import itertools
import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.papers.bns15.queries.sanitizers._multisets import MOST

Quantiles = tuple[int, ...]
Outcome = tuple[Quantiles, float]
_NEGLIGIBLE = 45
"""Noise beyond so many times its scale has a probability below e^-45."""


def noise(bits: int, epsilon: Fraction) -> DiscreteLaplace:
    """Return the noise of each count of a tree of so many levels."""
    return DiscreteLaplace((2 * bits - 1) / epsilon)


def middle_ranks(n: int, size: int) -> list[int]:
    """Return (i - 1/2) n / k for i = 1, ..., k, rounded up: counts reach both or neither."""
    return [-(-(2 * i + 1) * n // (2 * size)) for i in range(size)]


def quantiles(data: Any, bits: int, ranks: Sequence[int], noise: DiscreteLaplace, randomness: Randomness) -> list[int]:
    """Return an integer for each rank, of sorted integers below 2^bits, a sequence or (n,).

    Ranks increase, and so do the results.
    """
    counts: dict[tuple[int, int], int] = {}

    def noisy(start: int, width: int) -> int:
        """Return the noisy count of [start, start + width), the same whenever it is asked for."""
        if (start, width) not in counts:
            count = bisect_left(data, start + width) - bisect_left(data, start)
            counts[start, width] = count + noise.sample(randomness)
        return counts[start, width]

    released = []
    for rank in ranks:
        start, width, left = 0, 2**bits, 0
        while width > 1:
            width //= 2
            below = left + noisy(start, width)
            if below < rank:
                start, left = start + width, below
        released.append(start)
    return released


def counted(data: ArrayLike, bits: int) -> tuple[int, ...]:
    """Return how often each integer below 2^bits is there."""
    return tuple(np.bincount(np.asarray(data, np.int64), minlength=2**bits).tolist())


@lru_cache(maxsize=1024)
def quantile_distribution(
    counts: tuple[int, ...], ranks: tuple[int, ...], noise: DiscreteLaplace
) -> tuple[Outcome, ...]:
    """Return the outcomes of ``quantiles`` with their probabilities, for data with these counts, 2^bits of them.

    Counts whose noise has a probability below e^-45 are left out; else exact up to rounding.  Raise ValueError for more
    than MOST outcomes.
    """
    number = math.comb(len(counts) + len(ranks) - 1, len(ranks))
    if number > MOST:
        raise ValueError(f"{len(ranks)} quantiles: {number:,} outcomes of {len(counts)} places, at most {MOST:,}")
    reach = math.ceil(_NEGLIGIBLE * noise.scale)
    window = np.arange(-reach, sum(counts) + reach + 1)
    below = [0, *itertools.accumulate(counts)]
    edges = np.searchsorted(window, ranks)

    @cache
    def distribution(start: int, width: int, low: int, high: int) -> tuple[list[Quantiles], Floats]:
        """Return outcomes (q,) of the ranks low, ..., high - 1 from a node, and their probabilities, (q, w).

        Given each noisy count of what is left of the node, (w,).
        """
        if width == 1 or low == high:
            return [(start,) * (high - low)], np.ones((1, len(window)))
        width //= 2
        count = below[start + width] - below[start]
        outcomes: list[Quantiles] = []
        chances = []
        for split in range(low, high + 1):  # ranks before it go left: the noisy count reaches them, and no other
            least = edges[split - 1] if split > low else 0
            most = edges[split] if split < high else len(window)
            if least < most:
                lefts, before = distribution(start, width, low, split)
                rights, after = distribution(start + width, width, split, high)
                kept = np.zeros((len(rights), len(window) + count))
                kept[:, least:most] = after[:, least:most]
                mean = _expected(kept, noise)[:, count:]
                chances.append((before[:, None] * mean).reshape(-1, len(window)))
                outcomes += [left + right for left, right in itertools.product(lefts, rights)]
        return outcomes, np.concatenate(chances)

    outcomes, chance = distribution(0, len(counts), 0, len(ranks))
    return tuple(zip(outcomes, chance[:, reach].tolist(), strict=True))


def _expected(values: Floats, noise: DiscreteLaplace) -> Floats:
    """Return E[f(i + noise)] for functions f that are 0 outside of 0, ..., w - 1: (q, w) -> (q, w), of numbers >= 0.

    The two sums of q^|j| f(i + j), q = e^(-1/scale), are recursions: y(i) = q y(i - 1) + f(i), and backwards.
    """
    q = math.exp(-1 / float(noise.scale))
    before = scipy.signal.lfilter([1.0], [1.0, -q], values, axis=1)
    after = scipy.signal.lfilter([1.0], [1.0, -q], values[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((before + after - values) * math.exp(float(noise.log_probability(0))))
