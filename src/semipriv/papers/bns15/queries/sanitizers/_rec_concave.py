"""Private choice of a point of high quality for qualities that first rise and then fall: RecConcave (Beimel, Nissim and
Stemmer 2013), behind the sanitizer that BNS15 corollary 3.4 cites.

A quality gives integers to 0, ..., N - 1, and replacing an entry changes each by at most 1.  Let L(j) be the largest
minimum over runs of 2^j points.  One level of the recursion chooses a j for which L(j) is large and L(j + 1) is not,
which is a problem on log2 N + 1 points; then runs of 8 2^j points, in two partitions shifted by half of one, are
compared: at most one of each is released, if its quality stands out; then one of 16 points is drawn.

Privacy needs no promise.  A run is released if dist + Z >= m, for Z discrete Laplace noise of scale 1 / epsilon and
P[Z >= m] <= delta, where dist = max(0, ceil(gap / 2) - 1), gap the quality of the best run less that of the second.  If
neighbours have the same best run, dist differs by at most 1; if not, both gaps are at most 2, both dist are 0, and a
run is released with probability at most delta.  So a level costs 3 epsilon and 2 delta, and the last draw epsilon.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from semipriv.core.randomness import Randomness
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.sampling.choice import choose_pool

BASE = 33
"""Points of which one is drawn at once."""
RUN, SHIFT = 8, 4
"""Length of a run over 2^j, and by how much the second partition is shifted."""
_INNER = Fraction(1, 4)
"""Share of its promise that an inner choice may lose."""
Interval = tuple[int, int]


class Quality(Protocol):
    """Integers for 0, ..., size - 1 that first rise and then fall; most: the largest one."""

    @property
    def size(self) -> int:
        """Number of points."""

    @property
    def most(self) -> int:
        """The largest quality."""

    def at(self, x: int) -> int:
        """Return the quality of a point."""

    def interval(self, least: int) -> Interval | None:
        """Return the first and last point of at least this quality, if there is one."""


@dataclass(frozen=True)
class Listed:
    """A quality by its values."""

    values: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def most(self) -> int:
        """The largest value."""
        return max(self.values)

    def at(self, x: int) -> int:
        """Return the value of a point."""
        return self.values[x]

    def interval(self, least: int) -> Interval | None:
        """Return the first and last point of at least this quality."""
        high = [x for x, value in enumerate(self.values) if value >= least]
        return (high[0], high[-1]) if high else None


@dataclass(frozen=True)
class Rank:
    """r + min(#{entries <= x} - t, #{entries >= x} - (n - t)): at least r at the t-th entry, (1 <= t <= n).

    data: sorted integers below 2^bits.
    """

    data: tuple[int, ...]
    bits: int
    rank: int
    promise: int

    @property
    def size(self) -> int:
        """Number of points."""
        return 2**self.bits

    @property
    def most(self) -> int:
        """The largest value: of one of the entries."""
        t = self.rank
        return max(self.at(x) for x in self.data[max(0, t - 1) : t + 1])

    def at(self, x: int) -> int:
        """Return the quality of an integer."""
        n, below, up_to = len(self.data), bisect_left(self.data, x), bisect_right(self.data, x)
        return self.promise + min(up_to - self.rank, n - below - (n - self.rank))

    def interval(self, least: int) -> Interval | None:
        """Return the first and last integer of at least this quality."""
        n, t = len(self.data), least - self.promise + self.rank  # up_to >= t, and n - below >= n - 2 rank + t
        u = least - self.promise + n - self.rank
        if t > n or u > n:
            return None
        low = 0 if t <= 0 else self.data[t - 1]
        high = self.size - 1 if u <= 0 else self.data[n - u]
        return (low, high) if low <= high else None


def levels(size: int, base: int = BASE) -> int:
    """Return how often the recursion goes down: 0 up to 33 points, 1 up to 2^32, 2 up to 2^(2^32).

    base: points of which one is drawn at once.

    >>> [levels(2**bits) for bits in (5, 6, 32, 33, 1000)]
    [0, 1, 1, 2, 2]
    """
    return 0 if size <= base else 1 + levels((size - 1).bit_length() + 1, base)


@dataclass(frozen=True)
class RecConcave:
    """The recursion with epsilon for each draw and delta for each comparison; it loses a share alpha of the promise."""

    epsilon: Fraction
    delta: float
    base: int = BASE

    def choose(self, quality: Quality, promise: int, alpha: Fraction, randomness: Randomness) -> int | None:
        """Return a point, or None where no run stands out."""
        if quality.size <= self.base:
            return self._drawn(quality, list(range(quality.size)), randomness)
        lengths = self.lengths(quality, promise, alpha)
        j = self.choose(lengths, _promise_of_lengths(promise, alpha), _INNER, randomness)
        if j is None:
            return None
        points = []
        for start, gap in _runs(quality, j):
            if gap is None or self.dist(gap) + self.noise.sample(randomness) >= self.least:
                points += _candidates(quality, start, j)
        return self._drawn(quality, points, randomness) if points else None

    def output_distribution(self, quality: Quality, promise: int, alpha: Fraction) -> dict[int | None, float]:
        """Return the probability of each outcome of ``choose``, up to rounding."""
        if quality.size <= self.base:
            return self._weights(quality, list(range(quality.size)))
        distribution: defaultdict[int | None, float] = defaultdict(float)
        inner = self.output_distribution(
            self.lengths(quality, promise, alpha), _promise_of_lengths(promise, alpha), _INNER
        )
        for j, chance in inner.items():
            if j is None:
                distribution[None] += chance
                continue
            runs = _runs(quality, j)
            for kept in itertools.product((False, True), repeat=len(runs)):
                points: list[int] = []
                probability = chance
                for (start, gap), keep in zip(runs, kept, strict=True):
                    probability *= self._passes(gap) if keep else 1 - self._passes(gap)
                    points += _candidates(quality, start, j) if keep else []
                for outcome, share in (self._weights(quality, points) if points else {None: 1.0}).items():
                    distribution[outcome] += probability * share
        return dict(distribution)

    def _passes(self, gap: int | None) -> float:
        """Return the probability with which a run with this gap is released."""
        if gap is None:
            return 1.0
        return math.exp(float(self.noise.log_cumulative(self.dist(gap) - self.least)))

    def _weights(self, quality: Quality, points: list[int]) -> dict[int | None, float]:
        most = max(map(quality.at, points))
        weights: defaultdict[int | None, float] = defaultdict(float)
        for x in points:
            weights[x] += math.exp(float(self.epsilon) / 2 * (quality.at(x) - most))
        total = math.fsum(weights.values())
        return {x: weight / total for x, weight in weights.items()}

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of a distance."""
        return DiscreteLaplace(1 / self.epsilon)

    @property
    def least(self) -> int:
        """m with P[noise >= m] <= e^(-m epsilon) <= delta, rounded up."""
        return math.floor(-math.log(self.delta) / float(self.epsilon) * (1 + 1e-12)) + 1

    @staticmethod
    def dist(gap: int) -> int:
        """Return how many entries can be replaced before another run may be the best one."""
        return max(0, -(-gap // 2) - 1)

    def lengths(self, quality: Quality, promise: int, alpha: Fraction) -> Listed:
        """Return min(L(j) - ceil((1 - alpha) r), r - L(j + 1)) for j = 0, ..., ceil(log2 N); it rises, then falls.

        Points beyond N up to a power of 2 count as of the quality min(0, that of the last point).
        """
        p = (quality.size - 1).bit_length()
        outside = min(0, quality.at(quality.size - 1))
        longest = [_longest(quality, 1, 1 << p, outside, quality.most)]
        for j in range(1, p + 1):
            longest.append(_longest(quality, 1 << j, 1 << p, outside, longest[-1]))
        longest.append(min(0, longest[-1]))
        lost = math.ceil((1 - alpha) * promise)
        return Listed(tuple(min(longest[j] - lost, promise - longest[j + 1]) for j in range(p + 1)))

    def _drawn(self, quality: Quality, points: list[int], randomness: Randomness) -> int:
        scores = [-quality.at(x) for x in points]
        return points[choose_pool(scores, [1] * len(points), self.epsilon / 2, randomness)]


def _promise_of_lengths(promise: int, alpha: Fraction) -> int:
    """Return floor((r - ceil((1 - alpha) r)) / 2): some j has as much."""
    return (promise - math.ceil((1 - alpha) * promise)) // 2


def _longest(quality: Quality, length: int, padded: int, outside: int, most: int) -> int:
    """Return the largest c <= most for which so many neighbouring points have a quality of at least c, by bisection."""

    def wide(c: int) -> bool:
        if (interval := quality.interval(c)) is None:
            return False
        first, last = interval
        return (padded - first if c <= outside else last - first + 1) >= length

    low, high, step = most, most + 1, 1  # `wide` falls with c
    while not wide(low):
        low, high, step = low - step, low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return low


def _runs(quality: Quality, j: int) -> list[tuple[int, int | None]]:
    """Return the best run of each partition."""
    return [best_run(quality, RUN << j, shift) for shift in (0, SHIFT << j)]


def _candidates(quality: Quality, start: int, j: int) -> list[int]:
    """Return every 2^j-th point of a run."""
    return [x for x in range(start, start + (RUN << j), 1 << j) if 0 <= x < quality.size]


def best_run(quality: Quality, length: int, shift: int) -> tuple[int, int | None]:
    """Return the first point of the best run [i length - shift, (i + 1) length - shift), and the gap to the second.

    The gap is None if there is one run only.  As the quality rises, then falls, the second is next to the best.
    """
    interval = quality.interval(quality.most)
    assert interval is not None
    first, last = interval
    start = (first + shift) // length * length - shift
    beside = [x for x in (start - 1, start + length) if 0 <= x < quality.size]
    if not beside:
        return start, None
    if last >= start + length:
        return start, 0
    return start, quality.most - max(quality.at(x) for x in beside)
