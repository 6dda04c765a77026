"""The cover of a grid of equal ratios that does not depend on data."""

from functools import lru_cache

import numpy as np

from semipriv.classes.base import Cover, HypothesisClass, restored_cover
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.learners.stages.fixed_grid import product

__all__ = ["LogGridStage"]


@value
class LogGridStage(UnlabelledStage[Cover]):
    """The cover of a grid with ``size`` points in each feature, from low > 0 to high by equal ratios.

    Public points are not used.
    """

    low: float
    high: float
    size: int

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Cover:
        return _cover(hypothesis_class, self)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Cover:
        """Return the cover of the grid."""
        return restored_cover(arrays, hypothesis_class)


@lru_cache(maxsize=8)
def _cover(hypothesis_class: HypothesisClass, stage: LogGridStage) -> Cover:
    """Return the cover of the grid.  It is the same in every trial, so it is made once."""
    values = np.geomspace(stage.low, stage.high, stage.size)
    return hypothesis_class.cover(product(values, hypothesis_class.dimension))
