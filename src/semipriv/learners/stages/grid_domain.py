"""The representative domain of a fixed grid, which does not depend on data."""

from functools import lru_cache

from semipriv.classes.base import HypothesisClass
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage, no_points
from semipriv.learners.stages.fixed_grid import grid_points
from semipriv.learners.stages.representative_domain import Domain, domain_of, restored_domain

__all__ = ["GridDomain"]


@value
class GridDomain(UnlabelledStage[Domain]):
    """The representative domain of a grid with ``size`` points in each feature.

    counted: whether public points are counted by cell; else they are not used.
    """

    low: float
    high: float
    size: int
    counted: bool = False

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Domain:
        domain = _domain(hypothesis_class, self)
        return domain.beside(domain.counts(points)) if self.counted else domain

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Domain:
        """Return the domain of the grid."""
        return restored_domain(arrays, hypothesis_class)


@lru_cache(maxsize=8)
def _domain(hypothesis_class: HypothesisClass, stage: GridDomain) -> Domain:
    """Return the domain of the grid.  It is the same in every trial, so it is made once."""
    points = grid_points(stage.low, stage.high, stage.size, hypothesis_class.dimension)
    return domain_of(points, no_points(hypothesis_class), hypothesis_class, "midpoint")
