"""The cover of a fixed grid that does not depend on data."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import Cover, HypothesisClass, restored_cover
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage

__all__ = ["FixedGridStage", "grid_points", "product"]


@value
class FixedGridStage(UnlabelledStage[Cover]):
    """The cover of a grid with ``size`` points in each feature, from low to high.  Public points are not used."""

    low: float
    high: float
    size: int

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Cover:
        return _cover(hypothesis_class, self)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Cover:
        """Return the cover of the grid."""
        return restored_cover(arrays, hypothesis_class)


@lru_cache(maxsize=8)
def _cover(hypothesis_class: HypothesisClass, stage: FixedGridStage) -> Cover:
    """Return the cover of the grid.  It is the same in every trial, so it is made once."""
    return hypothesis_class.cover(grid_points(stage.low, stage.high, stage.size, hypothesis_class.dimension))


def grid_points(low: float, high: float, size: int, dimension: int) -> Points:
    """Return the points of a grid with ``size`` points in each feature: (size^dimension, dimension)."""
    return product(np.linspace(low, high, size), dimension)


def product(values: NDArray[np.float64], dimension: int) -> Points:
    """Return the points whose features each take all of some values (size,): (size^dimension, dimension)."""
    grid = np.meshgrid(*[values] * dimension, indexing="ij")
    return np.stack(grid, axis=-1).reshape(-1, dimension)
