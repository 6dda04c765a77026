"""Noisy quantiles in the plane, strip by strip: pure, and no mechanism of BNS15."""

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.papers.bns15.bounds.strips import code_bits, strips_of, strips_size
from semipriv.papers.bns15.queries.sanitizers._quantiles import (
    counted,
    middle_ranks,
    noise,
    quantile_distribution,
    quantiles,
)
from semipriv.queries.sanitizers.base import FiniteSanitizer

__all__ = ["Strips"]

RANGES = 4
"""A symmetric difference of rectangles R and S holds #R + #S - 2 #(R and S) points."""
_SMALL = 62
"""Bits of an integer with which 64-bit arithmetic does."""
Runs = tuple[tuple[int, int], ...]
"""First and last x of each strip."""
Released = tuple[tuple[float, ...], ...]


@value
class Strips(FiniteSanitizer):
    """Strips of about equal counts by noisy quantiles of x, then noisy quantiles of y along all strips, end to end.

    Half of epsilon goes to a noisy tree over x, which gives s - 1 borders, s = sqrt(k) rounded down, at least 2.  Each
    border and each gap between borders is a strip.  The other half goes to a noisy tree over (strip, y), which gives k
    points; their x is a border, or the middle of the gap.  So an atom of x is a strip by itself, and other strips are
    light.  Pure, for rectangles in the plane with coordinates of any number of bits; the size with a proof is of order
    b^2 (``semipriv.papers.bns15.bounds.strips``), the paper's net mechanism has no sampler here but by enumeration.
    """

    theorem = "substitute for theorem A.3, pure"

    short_title = "noisy strips"

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is discrete rectangles in the plane."""
        _bits(hypothesis_class)

    def points_wanted(self, hypothesis_class: HypothesisClass, alpha: float) -> int:
        """Return k with 8 / sqrt(k) = alpha / 4 up to rounding: half of what a range may be off is lost to points."""
        return math.ceil((8 * RANGES / alpha) ** 2)

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> int:
        """Return the size with which shares of ranges are off by at most alpha / 4 (``strips_size``)."""
        return strips_size(alpha / RANGES, beta, epsilon, _bits(hypothesis_class), size)

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Release k points, strip by strip, in each by increasing y."""
        bits = _bits(hypothesis_class)
        x, y = hypothesis_class.validated(points, "unlabelled entries").astype(np.int64).T
        half, ranks, length = Fraction(epsilon) / 2, _border_ranks(len(x), size), code_bits(bits, size)
        runs = _runs(quantiles(np.sort(x), bits, ranks, noise(bits, half), randomness), bits)
        codes = np.sort((_strip(x, runs).astype(np.int64 if length <= _SMALL else object) << bits) + y)
        released = quantiles(codes, length, middle_ranks(len(x), size), noise(length, half), randomness)
        return _decoded(released, runs, bits)

    def output_distribution(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float
    ) -> list[tuple[Points, float]]:
        """Return the distribution by enumeration of the outcomes of both trees."""
        bits, half = _bits(hypothesis_class), Fraction(epsilon) / 2
        x, y = hypothesis_class.validated(points, "unlabelled entries").astype(np.int64).T
        distribution = strips_distribution(x, y, bits, size, noise(bits, half), noise(code_bits(bits, size), half))
        return [(np.array(released), math.log(chance)) for released, chance in distribution.items() if chance > 0]


def strips_distribution(
    x: Integers, y: Integers, bits: int, size: int, across: DiscreteLaplace, along: DiscreteLaplace
) -> dict[Released, float]:
    """Return the probability of each release, its points sorted, for the noise of the tree over x and the other one."""
    distribution: defaultdict[Released, float] = defaultdict(float)
    for border, chance in quantile_distribution(counted(x, bits), tuple(_border_ranks(len(x), size)), across):
        runs = _runs(border, bits)
        counts = counted((_strip(x, runs) << bits) + y, code_bits(bits, size))
        for codes, share in quantile_distribution(counts, tuple(middle_ranks(len(x), size)), along):
            distribution[tuple(sorted(map(tuple, _decoded(codes, runs, bits).tolist())))] += chance * share
    return dict(distribution)


def _bits(hypothesis_class: HypothesisClass) -> int:
    if isinstance(hypothesis_class, DiscreteRectangles) and hypothesis_class.dimension == 2:
        return hypothesis_class.bits
    raise ValueError(
        f"hypothesis_class: must be discrete rectangles of dimension 2 for noisy strips; is {hypothesis_class!r}"
    )


def _border_ranks(n: int, size: int) -> list[int]:
    """Return i n / s for i = 1, ..., s - 1, rounded up."""
    strips = strips_of(size)
    return [-(-i * n // strips) for i in range(1, strips)]


def _runs(borders: Sequence[int], bits: int) -> Runs:
    """Return the strips that borders make: each border, and each gap that holds an integer."""
    runs, start = [], 0
    for border in dict.fromkeys(borders):
        if start < border:
            runs.append((start, border - 1))
        runs.append((border, border))
        start = border + 1
    return tuple([*runs, (start, 2**bits - 1)] if start < 2**bits else runs)


def _strip(x: Integers, runs: Runs) -> Integers:
    """Return the strip of each x."""
    starts = np.array([first for first, _ in runs])
    return np.searchsorted(starts, x, side="right").astype(np.int64) - 1


def _decoded(codes: Sequence[int], runs: Runs, bits: int) -> Points:
    """Return points of places (strip, y), (k, 2); places beyond the last strip are its last one."""
    last = (len(runs) << bits) - 1
    places = [divmod(min(code, last), 2**bits) for code in codes]
    return np.array([((runs[strip][0] + runs[strip][1]) // 2, y) for strip, y in places], np.float64).reshape(-1, 2)
