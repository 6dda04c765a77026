"""Baseline: private selection from a fixed, data-independent grid; no public data."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from semipriv import checks
from semipriv.classes.base import Cover, HypothesisClass
from semipriv.learners.base import FiniteOutput, Law, Learner, refuse_labels
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness

__all__ = ["FixedGrid"]


@lru_cache(maxsize=8)
def _grid_cover(hypothesis_class: HypothesisClass, low: float, high: float, size: int) -> Cover:
    """Cover of the grid: the same for every trial, so made once."""
    axis = np.linspace(low, high, size)
    grid = np.stack(np.meshgrid(*[axis] * hypothesis_class.dimension, indexing="ij"), axis=-1)
    return hypothesis_class.cover(grid.reshape(-1, hypothesis_class.dimension))


@dataclass(frozen=True)
class FixedGrid(Learner, FiniteOutput):
    """Exponential mechanism over the cover of the grid of ``size`` points a feature between low and high.

    Good where the marginal is known to be spread over the grid, useless where it hides between two grid points.
    """

    epsilon: float
    low: float = 0.0
    high: float = 1.0
    size: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.positive("epsilon", self.epsilon))
        object.__setattr__(self, "low", checks.real("low", self.low))
        object.__setattr__(self, "high", checks.real("high", self.high))
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")
        object.__setattr__(self, "size", checks.size("size", self.size))

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    @property
    def preparation(self) -> tuple[str, ...]:
        """The grid."""
        return ("grid", repr(self.low), repr(self.high), str(self.size))

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Cover of the grid; the public points are not used."""
        refuse_labels(public_labels)
        return _grid_cover(hypothesis_class, self.low, self.high, self.size)

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """Exponential mechanism on mistakes."""
        chosen = ExponentialMechanism(self.epsilon).select(prepared.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, {"cover_size": prepared.size})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Probability of each hypothesis of the grid."""
        listed = prepared.listed()
        scores = -listed.mistakes(points, labels)
        return Law(listed.parameters, ExponentialMechanism(self.epsilon).log_probabilities(scores))
