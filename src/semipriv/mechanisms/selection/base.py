"""What selection mechanisms share: checked integer scores, and pools of equal scores."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.randomness import Simulation

Scores = NDArray[np.int64]
FloatVector = NDArray[np.float64]

_LARGEST = 2**62 - 1
"""Differences of scores up to here fit in 64 bits."""


def as_scores(values: ArrayLike) -> Scores:
    """Return values as (k,) int64 scores; raises ValueError where they are not integers or there are none."""
    scores = np.asarray(values)
    if scores.ndim != 1 or scores.size == 0:
        raise ValueError(f"scores: must have shape (k,) with k >= 1, got {scores.shape}")
    if not np.issubdtype(scores.dtype, np.integer):
        raise ValueError(f"scores: must be integers, got {scores.dtype}")
    if int(scores.max()) > _LARGEST or int(scores.min()) < -_LARGEST:
        raise ValueError(f"scores: must be within -2^62 and 2^62, got {int(scores.min())} to {int(scores.max())}")
    return scores.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Pools:
    """Equal scores pooled: p pools with gaps to the best score, increasing from 0, and counts."""

    scores: Scores

    @cached_property
    def _unique(self) -> tuple[Scores, NDArray[np.intp], NDArray[np.int64]]:
        gaps, pool, counts = np.unique(self.scores.max() - self.scores, return_inverse=True, return_counts=True)
        return gaps, pool, counts.astype(np.int64)

    @property
    def gaps(self) -> Scores:
        """Distances to the best score, increasing."""
        return self._unique[0]

    @property
    def pool(self) -> NDArray[np.intp]:
        """Index of the pool of each score."""
        return self._unique[1]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of scores in each pool."""
        return self._unique[2]

    @cached_property
    def _members(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        return np.argsort(self.pool, kind="stable"), np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    def member(self, pools: NDArray[np.intp], generator: np.random.Generator) -> NDArray[np.intp]:
        """Uniform member of each of the given pools."""
        order, start = self._members
        return order[start[pools] + generator.integers(self.counts[pools])]


@dataclass(frozen=True)
class SelectionMechanism(ABC):
    """Select an index with a high score.

    epsilon: privacy parameter, finite and > 0.  sensitivity: largest change of one score between neighbours, > 0.
    Only score gaps in units of 2 * sensitivity / epsilon matter.
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.positive("epsilon", self.epsilon))
        object.__setattr__(self, "sensitivity", checks.positive("sensitivity", self.sensitivity))

    @property
    def rate(self) -> float:
        """epsilon / (2 sensitivity): the exponent of one unit of score.

        The 2 is for replace-one neighbours, where some scores may rise while others fall.
        """
        return self.epsilon / (2 * self.sensitivity)

    @abstractmethod
    def pool_log_probabilities(self, gaps: Scores, counts: NDArray[np.int64]) -> FloatVector:
        """Log-probability of *one member* of each pool: gaps increasing from 0, counts >= 1; (p,) -> (p,)."""

    def log_probabilities(self, scores: ArrayLike) -> FloatVector:
        """Exact output distribution: scores (k,) integers -> (k,) natural logarithms of probabilities."""
        pools = Pools(as_scores(scores))
        return self.pool_log_probabilities(pools.gaps, pools.counts)[pools.pool]

    def sample(self, scores: ArrayLike, randomness: Simulation, size: int | None = None) -> Any:
        """Draw an index (or ``size`` independent ones, (size,) intp) from the output distribution.

        A pool is drawn by inverse transform, then a member of it uniformly: O(k log k) once and O(log p) a draw.
        """
        pools = Pools(as_scores(scores))
        mass = np.exp(self.pool_log_probabilities(pools.gaps, pools.counts)) * pools.counts
        cumulative = np.cumsum(mass)
        draws = randomness.generator.random(1 if size is None else size) * cumulative[-1]
        chosen = np.minimum(np.searchsorted(cumulative, draws, side="right"), len(cumulative) - 1)
        members = pools.member(chosen, randomness.generator)
        return int(members[0]) if size is None else members
