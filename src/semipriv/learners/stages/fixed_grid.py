"""The cover of a grid that does not depend on data, of equal steps or of equal ratios."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from semipriv.classes.base import Cover, HypothesisClass, check_listing, restored_cover
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.learners.stages.base import UnlabelledStage

__all__ = ["FixedGridStage", "LogGridStage", "grid_points"]


@value
class FixedGridStage(UnlabelledStage[Cover]):
    """The cover of a grid with ``size`` points in each feature, from low to high.  Public points are not used."""

    low: float
    high: float
    size: int

    def points(self, dimension: int) -> Points:
        """Return the points of the grid: (size^dimension, dimension)."""
        return grid_points(self.low, self.high, self.size, dimension)

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Cover:
        return _cover(hypothesis_class, self)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Cover:
        """Return the cover of the grid."""
        return restored_cover(arrays, hypothesis_class)


@value
class LogGridStage(FixedGridStage):
    """The same for points that grow from low > 0 by equal ratios, in the last ``linear`` features by equal steps."""

    linear: int = 0

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if the class has fewer than ``linear`` features."""
        if self.linear > hypothesis_class.dimension:
            raise ValueError(f"linear = {self.linear}: must be <= {hypothesis_class.dimension}, the number of features")

    def points(self, dimension: int) -> Points:
        """Return the points of the grid: (size^dimension, dimension)."""
        ratios, steps = (make(self.low, self.high, self.size) for make in (np.geomspace, np.linspace))
        return _product([ratios] * (dimension - self.linear) + [steps] * self.linear)


@lru_cache(maxsize=8)
def _cover(hypothesis_class: HypothesisClass, stage: FixedGridStage) -> Cover:
    """Return the cover of the grid.  It is the same in every trial, so it is made once."""
    return hypothesis_class.cover(stage.points(hypothesis_class.dimension))


def grid_points(low: float, high: float, size: int, dimension: int) -> Points:
    """Return the points of a grid with ``size`` points in each feature: (size^dimension, dimension)."""
    return _product([np.linspace(low, high, size)] * dimension)


def _product(values: Sequence[Floats]) -> Points:
    """Return all points whose features are among the values of each: (product of their numbers, dimension).

    Raise WorkError for more of them than memory may hold.
    """
    number, before = math.prod(map(len, values)), 1
    check_listing(number, len(values), "take a grid with fewer points in each feature", "the grid has {} points")
    points = np.empty((number, len(values)))
    for j, own in enumerate(values):
        points[:, j] = np.tile(np.repeat(own, number // (before * len(own))), before)
        before *= len(own)
    return points
