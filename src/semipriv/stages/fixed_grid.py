"""The cover of a fixed, data-independent grid."""

from functools import lru_cache

import numpy as np

from semipriv.arrays import Arrays
from semipriv.classes.base import Cover, HypothesisClass, restored_cover
from semipriv.fields import value
from semipriv.samples import Points
from semipriv.stages.base import PublicStage

__all__ = ["FixedGridStage"]


@value
class FixedGridStage(PublicStage[Cover]):
    """The cover of the grid of ``size`` points a feature between low and high; the public points are not used."""

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
    """Return the cover of the grid: the same for every trial, so made once."""
    axis = np.linspace(stage.low, stage.high, stage.size)
    grid = np.stack(np.meshgrid(*[axis] * hypothesis_class.dimension, indexing="ij"), axis=-1)
    return hypothesis_class.cover(grid.reshape(-1, hypothesis_class.dimension))
