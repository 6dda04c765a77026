"""What selection mechanisms share: candidates pooled by their score, and the draw of a pool, then of a member."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from numbers import Integral
from typing import Any, Literal, Protocol, Self, TypeVar, cast

import attrs
import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks, registry
from semipriv.core.fields import checked, positive, value
from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness, Secure, Simulation, as_randomness
from semipriv.core.rounding import above, rational
from semipriv.core.types import Floats, Indices, Integers
from semipriv.mechanisms.sampling.choice import (
    below,
    choose_near,
    choose_pool,
    horizon,
    pool_masses,
)
from semipriv.privacy.events import Event, Pure

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

SelectionName = Literal["exponential", "permute_and_flip"]
"""Names of the mechanisms of this folder, which an editor completes."""

_LARGEST = 2**62 - 1
"""Differences of scores up to here fit in 64 bits."""
_STEEPEST = Fraction(2**900)


class Candidates(Protocol[T_co]):
    """What a mechanism needs of candidates with integer numbers of mistakes, listed or too many to be listed."""

    def histogram(self) -> tuple[Integers, Integers]:
        """Return distinct numbers of mistakes, increasing, and the number >= 1 of candidates with each: (p,), (p,)."""

    def member(self, mistakes: int, randomness: Randomness) -> T_co:
        """Return a uniform one of the candidates with that many mistakes."""

    def draw(self, rate: Fraction, randomness: Randomness) -> T_co:
        """Return one with probability proportional to exp(-rate * mistakes): exactly so under Secure."""


_BLOCK = 128
"""Scores in a block.  The largest of each block is kept: blocks far from the best score are not looked at again."""


@njit(cache=True, interpreted=True)
def _extremes(scores: Integers) -> tuple[int, Integers]:
    """Return the smallest score, and the largest score of each block of _BLOCK."""
    least = scores[0]
    tops = np.empty((scores.size + _BLOCK - 1) // _BLOCK, np.int64)
    for block in range(scores.size // _BLOCK):
        low = top = scores[block * _BLOCK]
        for i in range(_BLOCK):  # by index, of a fixed length: so it is compiled to vector instructions
            low, top = min(low, scores[block * _BLOCK + i]), max(top, scores[block * _BLOCK + i])
        least, tops[block] = min(least, low), top
    rest = scores[scores.size // _BLOCK * _BLOCK :]
    if rest.size:
        least, tops[-1] = min(least, rest.min()), rest.max()
    return least, tops


def _pooled_by_sorting(scores: Integers, tops: Integers, best: int, width: int) -> tuple[Integers, Integers]:
    """Return what ``_pooled`` returns."""
    gaps, sizes = np.unique(best - scores, return_counts=True)
    near = gaps < width
    return gaps[near], sizes[near]


@njit(cache=True, stand_in=_pooled_by_sorting, seconds=100e-9)
def _pooled(scores: Integers, tops: Integers, best: int, width: int) -> tuple[Integers, Integers]:
    """Return the distances below ``width`` from the best score that occur, and the number of scores at each."""
    counts = np.zeros(width, np.int64)
    for block in range(tops.size):
        if best - tops[block] < width:
            for i in range(block * _BLOCK, min((block + 1) * _BLOCK, scores.size)):
                gap = best - scores[i]
                if gap < width:
                    counts[gap] += 1
    most = min(width, scores.size) + 1
    gaps, sizes, number = np.empty(most, np.int64), np.empty(most, np.int64), np.uint64(0)
    for gap in range(width):  # one that does not occur is overwritten by the next: no branch to be guessed
        gaps[number], sizes[number] = gap, counts[gap]
        number += np.uint64(counts[gap] > 0)
    return gaps[:number], sizes[:number]


@njit(cache=True, interpreted=True)
def _count(scores: Integers, tops: Integers, score: int) -> int:
    """Return how many scores are equal to ``score``."""
    count = 0
    for block in range(tops.size):
        if tops[block] >= score:
            for i in range(block * _BLOCK, min((block + 1) * _BLOCK, scores.size)):
                count += scores[i] == score
    return count


@njit(cache=True, interpreted=True)
def _index(scores: Integers, tops: Integers, score: int, rank: int) -> int:
    """Return the index of the score equal to ``score`` that has ``rank`` such scores before it; -1 if none has."""
    for block in range(tops.size):
        if tops[block] >= score:
            for i in range(block * _BLOCK, min((block + 1) * _BLOCK, scores.size)):
                if scores[i] == score:
                    if rank == 0:
                        return i
                    rank -= 1
    return -1


def _large_integers(values: ArrayLike, dtype: np.dtype[Any]) -> Integers:
    """Return Python integers of any size, moved into 62 bits; raises ValueError for other values, naming their type.

    NumPy takes a list of them for floats or objects if they do not fit in one of its types.
    """
    listed = np.array(values, object).tolist()
    if not all(isinstance(value, Integral) and not isinstance(value, bool) for value in listed):
        raise ValueError(f"scores: must be integers, got {dtype}")
    return np.array([min(max(int(value), -_LARGEST), _LARGEST) for value in listed], np.int64)


@dataclass(frozen=True, eq=False)
class Pools:
    """Indices of k listed scores as candidates, pooled by their mistakes: the distance from the best score.

    scores: (k,) int64, all between worst and best.  tops: the largest score of each block.
    """

    scores: Integers
    tops: Integers
    worst: int
    best: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Pools":
        """Return the pools of (k,) integers, k >= 1; those beyond 2^62 - 1, either way, count as the nearest to it.

        Scores are private: none is refused for its size.  Two scores are no further apart afterwards, so that the
        sensitivity holds.  Raises ValueError for other shapes, and for numbers that are not integers.
        """
        raw = checks.array("scores", values)
        if raw.ndim != 1 or raw.size == 0:
            raise ValueError(f"scores: must have shape (k,) with k >= 1, got {raw.shape}")
        if not np.issubdtype(raw.dtype, np.integer):
            raw = _large_integers(values, raw.dtype)
        if raw.dtype.kind == "u" and raw.dtype.itemsize == 8:
            raw = np.minimum(raw, _LARGEST)
        scores = np.ascontiguousarray(raw, dtype=np.int64)
        worst, tops = _extremes(scores)
        best = int(np.maximum.reduce(tops))
        if best > _LARGEST or worst < -_LARGEST:
            scores = np.clip(scores, -_LARGEST, _LARGEST)
            worst, tops = _extremes(scores)
            best = int(np.maximum.reduce(tops))
        return cls(scores, tops, int(worst), best)

    @property
    def gaps(self) -> Integers:
        """Distances from the best score, increasing."""
        return self._pools[0]

    @property
    def counts(self) -> Integers:
        """Number of scores in each pool."""
        return self._pools[1]

    def _countable(self, width: int) -> bool:
        """Return whether counting at ``width`` distances is cheaper than sorting."""
        return width <= 8 * self.scores.size + 1024

    @cached_property
    def _pools(self) -> tuple[Integers, Integers]:
        width = self.best - self.worst + 1
        if self._countable(width):
            return _pooled(self.scores, self.tops, self.best, width)
        gaps, sizes = np.unique(self.best - self.scores, return_counts=True)
        return gaps, sizes.astype(np.int64)

    @cached_property
    def pool(self) -> Indices:
        """Index of the pool of each score."""
        return np.searchsorted(self.gaps, self.best - self.scores)

    @cached_property
    def _order(self) -> tuple[Indices, Integers]:
        return np.argsort(self.pool, kind="stable"), np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    def members(self, pools: Indices, randomness: Randomness) -> Indices:
        """Draw a uniform member of each of the given pools: O(k log k) once, then O(1) each."""
        order, start = self._order
        counts = self.counts[pools]
        if isinstance(randomness, Simulation):
            rank = randomness.generator.integers(counts)
        else:
            rank = np.array([below(int(count), randomness) for count in counts], np.int64)
        return order[start[pools] + rank]

    def histogram(self) -> tuple[Integers, Integers]:
        """Return gaps and counts."""
        return self._pools

    def member(self, mistakes: int, randomness: Randomness) -> int:
        """Draw a uniform index at that distance from the best score, in O(k); raises ValueError if there is none."""
        count = int(_count(self.scores, self.tops, self.best - mistakes))
        if not count:
            raise ValueError(f"mistakes = {mistakes}: no score is at that distance from the best")
        return self._at(mistakes, count, randomness)

    def _at(self, mistakes: int, count: int, randomness: Randomness) -> int:
        return int(_index(self.scores, self.tops, self.best - mistakes, below(count, randomness)))

    def draw(self, rate: Fraction, randomness: Randomness) -> int:
        """Draw by the exponential mechanism, in O(k); scores far below the best are pooled only if needed."""
        if isinstance(randomness, Simulation):
            gap, count = self._simulated(rate, randomness)
            return self._at(gap, count, randomness)
        near = self.near(horizon(rate))
        if near is None:
            pool = choose_pool(self.gaps, self.counts, rate, randomness)
            return self._at(int(self.gaps[pool]), int(self.counts[pool]), randomness)
        gaps, counts, beyond = near
        width = int(gaps[-1]) + 1
        chosen = choose_near(gaps, counts, rate, float(beyond), lambda: self.beyond(width), randomness)
        if chosen is not None:
            return self._at(int(gaps[chosen]), int(counts[chosen]), randomness)
        gaps, sizes = self.beyond(width)
        pool = choose_pool(gaps, sizes, rate, randomness)
        return self._at(int(gaps[pool]), int(sizes[pool]), randomness)

    def _simulated(self, rate: Fraction, randomness: Simulation) -> tuple[int, int]:
        """Return gap and count of a drawn pool: what ``choose_pool`` draws, without its checks."""
        gaps, counts = self._pools
        total = pool_masses(gaps, counts, rate).cumsum()
        draw = randomness.generator.random() * total[-1]
        pool = min(int(total.searchsorted(draw, side="right")), len(total) - 1)
        return int(gaps[pool]), int(counts[pool])

    def near(self, largest: int) -> tuple[Integers, Integers, int] | None:
        """Return the pools of gaps up to ``largest``, and how many scores are beyond; None if that takes a sort."""
        width = min(self.best - self.worst, largest) + 1
        if not self._countable(width):
            return None
        gaps, counts = _pooled(self.scores, self.tops, self.best, width)
        return gaps, counts, self.scores.size - int(counts.sum())

    def beyond(self, width: int) -> tuple[Integers, Integers]:
        """Return the pools at distance width or more: gaps and counts."""
        first = np.searchsorted(self.gaps, width)
        return self.gaps[first:], self.counts[first:]


@value
class SelectionMechanism(ABC):
    """Select an index with a high score, or a candidate with few mistakes.

    Only score gaps in units of 2 * sensitivity / epsilon matter.  The parameters are the stored floating-point numbers;
    a sensitivity that is not a float is rounded up.  One draw is epsilon-DP, k independent draws from the same data are
    k epsilon-DP: ``semipriv.privacy.composition`` adds them up.  Scores beyond 2^62 - 1, either way, count as the
    nearest to it: no score is refused for its size.

    Args:
        epsilon: privacy parameter, finite and > 0.
        sensitivity: largest change of one score between neighbours, > 0.
    """

    epsilon: float = positive()
    sensitivity: float = checked(lambda name, given: above(name, rational(name, given)), default=1.0)

    @property
    def event(self) -> Event:
        """What one draw does to the data, as accountants read it."""
        return Pure(self.epsilon)

    def per(self, units: int) -> Self:
        """Return the mechanism for scores of which a person has so many units: of so many times the sensitivity.

        Args:
            units: W >= 1.

        Returns:
            A mechanism with the same event.
        """
        if units == 1:
            return self
        scaled: Self = attrs.evolve(cast(Any, self), sensitivity=units * Fraction(self.sensitivity))
        return scaled

    @property
    def rate(self) -> Fraction:
        """epsilon / (2 sensitivity), exactly: the exponent of one unit of score.

        The 2 is for replace-one neighbours, where some scores may rise while others fall.

        >>> from semipriv.mechanisms.selection.exponential import ExponentialMechanism
        >>> ExponentialMechanism(1.0).rate
        Fraction(1, 2)
        """
        return _rate(self.epsilon, self.sensitivity)

    @property
    def _float_rate(self) -> float:
        """The rate, at most 2^900: there a gap of 1 has log-probability about -2^900 at best."""
        return float(min(self.rate, _STEEPEST))

    @abstractmethod
    def pool_log_probabilities(self, gaps: Integers, counts: Integers) -> Floats:
        """Return the log-probability of *one member* of each pool.

        Args:
            gaps: (p,) distances of the pools from the best score, increasing from 0.
            counts: (p,) members of each pool, >= 1.

        Returns:
            The logarithms (p,).
        """

    @abstractmethod
    def exact_pool(self, gaps: Integers, counts: Integers, randomness: Secure) -> int:
        """Draw a pool with exactly its probability.

        Args:
            gaps: (p,) distances of the pools from the best score, increasing from 0.
            counts: (p,) members of each pool, >= 1.
            randomness: Secure().

        Returns:
            The index of the pool.
        """

    def log_probabilities(self, scores: ArrayLike) -> Floats:
        """Return the exact output distribution.

        Args:
            scores: (k,) integers.

        Returns:
            Natural logarithms of the probabilities (k,).
        """
        pools = Pools.of(scores)
        return self.pool_log_probabilities(pools.gaps, pools.counts)[pools.pool]

    def choose_pools(self, gaps: Integers, counts: Integers, randomness: Randomness, size: int) -> Indices:
        """Draw pools independently.

        Simulation: inverse transform of floating-point masses, O(log p) a draw.  Secure: ``exact_pool``, O(p) a draw.

        Args:
            gaps: (p,) distances of the pools from the best score, increasing from 0.
            counts: (p,) members of each pool, >= 1.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            size: how many draws.

        Returns:
            Indices of pools (size,).
        """
        if isinstance(randomness, Secure):
            return np.array([self.exact_pool(gaps, counts, randomness) for _ in range(size)], np.intp)
        cumulative = np.cumsum(np.exp(self.pool_log_probabilities(gaps, counts)) * counts)
        draws = randomness.generator.random(size) * cumulative[-1]
        return np.minimum(np.searchsorted(cumulative, draws, side="right"), len(cumulative) - 1)

    def select(self, candidates: Candidates[T], randomness: Randomness) -> T:
        """Draw a pool of the histogram, then a uniform member of it.

        Args:
            candidates: what knows its histogram of mistakes and draws a member, such as a ``Tally``.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The candidate.
        """
        as_randomness(randomness)
        mistakes, counts = candidates.histogram()
        pool = self.choose_pools(mistakes - mistakes[0], counts, randomness, 1)[0]
        return candidates.member(int(mistakes[pool]), randomness)

    def sample(self, scores: ArrayLike, randomness: Randomness, size: int | None = None) -> Any:
        """Draw an index, or independent ones, from the output distribution.

        One index costs epsilon, ``size`` of them cost size * epsilon: each draw reads the scores again.
        Simulation: floating-point probabilities.  Secure: exactly those of the distribution.  One draw takes O(k) if
        the range of the scores is small against their number, else O(k log k), whatever the gaps between them.

        Args:
            scores: (k,) integers, k >= 1.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            size: how many; None: a single index.

        Returns:
            An index, or an array (size,) intp.
        """
        as_randomness(randomness)
        pools = Pools.of(scores)
        if size is None:
            return self.select(pools, randomness)
        return pools.members(self.choose_pools(pools.gaps, pools.counts, randomness, size), randomness)

    def sample_each(self, scores: Integers, randomness: Randomness) -> Indices:
        """Draw an index for each row of scores, independently, each as ``sample`` does.

        Args:
            scores: (g, k) int64, k >= 1.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            Indices (g,).
        """
        return np.array([self.sample(row, randomness) for row in scores], np.intp)


def within(scores: Integers) -> Integers:
    """Return scores int64 of any shape; those beyond 2^62 - 1, either way, count as the nearest to it."""
    return np.clip(scores, -_LARGEST, _LARGEST)


@lru_cache
def _rate(epsilon: float, sensitivity: float) -> Fraction:
    return Fraction(epsilon) / (2 * Fraction(sensitivity))


def selection(name: str, epsilon: float, sensitivity: float = 1.0) -> SelectionMechanism:
    """Return the selection mechanism with the given name: that of its file."""
    mechanism: SelectionMechanism = registry.load("mechanisms/selection", name)(epsilon, sensitivity)
    return mechanism
