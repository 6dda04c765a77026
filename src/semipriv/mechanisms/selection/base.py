"""What selection mechanisms share: candidates pooled by their score, and the draw of a pool, then of a member."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.randomness import Randomness, Secure, Simulation
from semipriv.sampling.bernoulli import bernoulli_exponential
from semipriv.sampling.choice import below, choose_near, choose_pool, horizon

Scores = NDArray[np.int64]
Counts = NDArray[np.int64]
FloatVector = NDArray[np.float64]
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

_LARGEST = 2**62 - 1
"""Differences of scores up to here fit in 64 bits."""
_STEEPEST = Fraction(2**900)
_BUCKETS = 2**10
_BLOCK = 2**12


class Candidates(Protocol[T_co]):
    """What a mechanism needs of candidates with integer numbers of mistakes, listed or too many to be."""

    def histogram(self) -> tuple[Scores, Counts]:
        """Distinct numbers of mistakes, increasing, and how many candidates (>= 1) have each: (p,), (p,) int64."""

    def member(self, mistakes: int, randomness: Randomness) -> T_co:
        """Return a uniform one of the candidates with that many mistakes."""

    def draw(self, rate: Fraction, randomness: Randomness) -> T_co:
        """Return one with probability proportional to exp(-rate * mistakes): exactly so under Secure."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def _extremes(scores: Scores) -> tuple[int, int]:
    """Smallest and largest score."""
    least, greatest = scores[0], scores[0]
    for i in range(scores.size):  # by index: so it is compiled to vector instructions
        least, greatest = min(least, scores[i]), max(greatest, scores[i])
    return least, greatest


@njit(cache=True)  # type: ignore[untyped-decorator]
def _histogram(scores: Scores, best: int, shift: int, size: int) -> Counts:
    """Number of scores with (best - score) >> shift = 0, ..., size - 1."""
    counts = np.zeros((4, size), np.int64)  # four in turn: equal scores need not wait for each other
    for i in range(scores.size):
        bucket = (best - scores[i]) >> shift
        if bucket < size:
            counts[i & 3, bucket] += 1
    return counts.sum(axis=0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _index(scores: Scores, best: int, shift: int, bucket: int, rank: int) -> int:
    """Index of the score with (best - score) >> shift = bucket that ``rank`` others precede; -1 where there is none."""
    for start in range(0, scores.size, _BLOCK):
        stop = min(start + _BLOCK, scores.size)
        found = 0
        for i in range(start, stop):  # counted without a branch: vector instructions
            found += (best - scores[i]) >> shift == bucket
        if found > rank:
            for i in range(start, stop):
                if (best - scores[i]) >> shift == bucket:
                    if rank == 0:
                        return i
                    rank -= 1
        rank -= found
    return -1


@dataclass(frozen=True)
class Buckets:
    """Scores near the best, counted in buckets of 2^shift gaps: bucket b has gaps b 2^shift, ..., (b + 1) 2^shift - 1.

    counts: (b,) int64, the first > 0.  beyond: number of scores in no bucket; for these rate * gap > HORIZON.
    """

    shift: int
    counts: Counts
    beyond: int

    @property
    def edges(self) -> Scores:
        """Smallest gap of each bucket, (b,)."""
        return np.arange(self.counts.size) << self.shift


@dataclass(frozen=True, eq=False)
class Pools:
    """Indices of k listed scores as candidates, pooled by their mistakes: the distance from the best score.

    scores: (k,) int64, all between worst and best.
    """

    scores: Scores
    worst: int
    best: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Pools":
        """Check that values are (k,) integers, k >= 1, within 2^62 of 0; raises ValueError where they are not."""
        given = np.asarray(values)
        if given.ndim != 1 or given.size == 0:
            raise ValueError(f"scores: must have shape (k,) with k >= 1, got {given.shape}")
        if not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"scores: must be integers, got {given.dtype}")
        fitting = np.minimum(given, 2**63 - 1) if given.dtype.kind == "u" and given.dtype.itemsize == 8 else given
        scores = np.ascontiguousarray(fitting, dtype=np.int64)
        worst, best = _extremes(scores)
        if best > _LARGEST or worst < -_LARGEST:
            raise ValueError(f"scores: must be within -2^62 and 2^62, got {given.min()} to {given.max()}")
        return cls(scores, int(worst), int(best))

    @property
    def gaps(self) -> Scores:
        """Distances from the best score, increasing."""
        return self._pools[0]

    @property
    def counts(self) -> Counts:
        """Number of scores in each pool."""
        return self._pools[1]

    @cached_property
    def _pools(self) -> tuple[Scores, Counts]:
        width = self.best - self.worst + 1
        if width <= 4 * self.scores.size + 1024:  # counting is cheaper than sorting
            counts = _histogram(self.scores, self.best, 0, width)
            gaps = np.flatnonzero(counts)
            return gaps, counts[gaps]
        gaps, sizes = np.unique(self.best - self.scores, return_counts=True)
        return gaps, sizes.astype(np.int64)

    @cached_property
    def pool(self) -> NDArray[np.intp]:
        """Index of the pool of each score."""
        return np.searchsorted(self.gaps, self.best - self.scores)

    @cached_property
    def _order(self) -> tuple[NDArray[np.intp], Counts]:
        return np.argsort(self.pool, kind="stable"), np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    def members(self, pools: NDArray[np.intp], randomness: Randomness) -> NDArray[np.intp]:
        """Uniform member of each of the given pools: O(k log k) once, then O(1) each."""
        order, start = self._order
        counts = self.counts[pools]
        if isinstance(randomness, Simulation):
            rank = randomness.generator.integers(counts)
        else:
            rank = np.array([below(int(count), randomness) for count in counts], np.int64)
        return order[start[pools] + rank]

    def histogram(self) -> tuple[Scores, Counts]:
        """Gaps and counts."""
        return self._pools

    def member(self, mistakes: int, randomness: Randomness) -> int:
        """Uniform index among those at that distance from the best: O(k), nothing is listed."""
        count = int(self.counts[np.searchsorted(self.gaps, mistakes)])
        return self.index(0, mistakes, below(count, randomness))

    def buckets(self, rate: Fraction) -> Buckets:
        """Count the scores with rate * gap <= HORIZON in at most 1024 buckets: O(k), whatever the gaps."""
        width = min(self.best - self.worst, horizon(rate))
        shift = (width // _BUCKETS).bit_length()
        counts = _histogram(self.scores, self.best, shift, (width >> shift) + 1)
        return Buckets(shift, counts, self.scores.size - int(counts.sum()))

    def index(self, shift: int, bucket: int, rank: int) -> int:
        """Index of the score of that bucket of 2^shift gaps that ``rank`` others of it precede: O(k)."""
        return int(_index(self.scores, self.best, shift, bucket, rank))

    def draw(self, rate: Fraction, randomness: Randomness) -> int:
        """Exponential mechanism.  Simulation: by pools.  Secure: O(k), whatever the gaps and the rate.

        Secure draws by rejection, exactly: a bucket as if all of it were at its smallest gap, a uniform member, and that
        one with probability exp(-rate (gap - smallest gap)), at least e^-1/8.  The scores beyond are proposed with
        their own weights, hence always taken; they are pooled only if the draw falls among them.
        """
        if isinstance(randomness, Simulation):
            return self.member(int(self.gaps[choose_pool(self.gaps, self.counts, rate, randomness)]), randomness)
        near = self.buckets(rate)

        def beyond() -> tuple[Scores, Counts]:
            first = np.searchsorted(self.gaps >> near.shift, near.counts.size)
            return self.gaps[first:], self.counts[first:]

        while True:
            bucket = choose_near(near.edges, near.counts, rate, float(near.beyond), beyond, randomness)
            if bucket is None:
                gaps, counts = beyond()
                return self.member(int(gaps[choose_pool(gaps, counts, rate, randomness)]), randomness)
            chosen = self.index(near.shift, bucket, below(int(near.counts[bucket]), randomness))
            excess = self.best - int(self.scores[chosen]) - (bucket << near.shift)
            if bernoulli_exponential(rate * excess, randomness):
                return chosen


@dataclass(frozen=True)
class SelectionMechanism(ABC):
    """Select an index with a high score, or a candidate with few mistakes.

    epsilon: privacy parameter, finite and > 0.  sensitivity: largest change of one score between neighbours, > 0.
    Only score gaps in units of 2 * sensitivity / epsilon matter.  The parameters are the stored floating-point numbers.
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.positive("epsilon", self.epsilon))
        object.__setattr__(self, "sensitivity", checks.positive("sensitivity", self.sensitivity))

    @property
    def rate(self) -> Fraction:
        """epsilon / (2 sensitivity), exactly: the exponent of one unit of score.

        The 2 is for replace-one neighbours, where some scores may rise while others fall.

        >>> from semipriv.mechanisms.selection.exponential import ExponentialMechanism
        >>> ExponentialMechanism(1.0).rate
        Fraction(1, 2)
        """
        return Fraction(self.epsilon) / (2 * Fraction(self.sensitivity))

    @property
    def _float_rate(self) -> float:
        """The rate, or 2^900 where it is steeper: a gap of 1 has log-probability about -2^900 at best."""
        return float(min(self.rate, _STEEPEST))

    @abstractmethod
    def pool_log_probabilities(self, gaps: Scores, counts: Counts) -> FloatVector:
        """Log-probability of *one member* of each pool: gaps increasing from 0, counts >= 1; (p,) -> (p,)."""

    @abstractmethod
    def exact_pool(self, gaps: Scores, counts: Counts, randomness: Secure) -> int:
        """Draw a pool with exactly its probability: gaps increasing from 0, counts >= 1."""

    def log_probabilities(self, scores: ArrayLike) -> FloatVector:
        """Exact output distribution: scores (k,) integers -> (k,) natural logarithms of probabilities."""
        pools = Pools.of(scores)
        return self.pool_log_probabilities(pools.gaps, pools.counts)[pools.pool]

    def choose_pools(self, gaps: Scores, counts: Counts, randomness: Randomness, size: int) -> NDArray[np.intp]:
        """Draw ``size`` pools independently, (size,): gaps increasing from 0, counts >= 1.

        Simulation: inverse transform of floating-point masses, O(log p) a draw.  Secure: ``exact_pool``, O(p) a draw.
        """
        if isinstance(randomness, Secure):
            return np.array([self.exact_pool(gaps, counts, randomness) for _ in range(size)], np.intp)
        cumulative = np.cumsum(np.exp(self.pool_log_probabilities(gaps, counts)) * counts)
        draws = randomness.generator.random(size) * cumulative[-1]
        return np.minimum(np.searchsorted(cumulative, draws, side="right"), len(cumulative) - 1)

    def select(self, candidates: Candidates[T], randomness: Randomness) -> T:
        """Draw a pool of the histogram, then a uniform member of it."""
        mistakes, counts = candidates.histogram()
        pool = self.choose_pools(mistakes - mistakes[0], counts, randomness, 1)[0]
        return candidates.member(int(mistakes[pool]), randomness)

    def select_index(self, pools: Pools, randomness: Randomness) -> int:
        """Draw one of the listed scores; a mechanism may know a faster way than by their histogram."""
        return self.select(pools, randomness)

    def sample(self, scores: ArrayLike, randomness: Randomness, size: int | None = None) -> Any:
        """Draw an index (or ``size`` independent ones, (size,) intp) from the output distribution.

        Simulation: floating-point probabilities.  Secure: exactly those of the law, one draw in O(k), whatever the gaps
        between the scores.  Several draws, and those of a simulation, share pools made in O(k log k).
        """
        pools = Pools.of(scores)
        if size is None:
            return self.select_index(pools, randomness)
        return pools.members(self.choose_pools(pools.gaps, pools.counts, randomness, size), randomness)
