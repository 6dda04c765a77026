"""The cover of the public points (ABM19 algorithm 1, steps 1 to 5)."""

from typing import Any

import attrs
import numpy as np

from semipriv.classes.base import REPRESENTATIVES, Cover, HypothesisClass, restored_cover
from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.core.fields import checked, value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.learners.stages.fixed_grid import FixedGridStage

__all__ = ["CoverStage", "CoverWithGrid"]


def check_representative(name: str, given: Any) -> str:
    """Return the rule for representatives; raise ValueError if it is not one of the allowed words."""
    return registry.check_name(name, given, list(REPRESENTATIVES))


@value
class CoverStage(UnlabelledStage[Cover]):
    """One hypothesis for each dichotomy of the distinct public points.

    Args:
        representative: the place of each hypothesis in its cell, the set of parameters with the same dichotomy:
            'midpoint', 'lower' or 'upper'.
    """

    representative: str = checked(check_representative, default="midpoint")

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Cover:
        return hypothesis_class.cover(points, self.representative)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Cover:
        """Return the cover: a list, or, if it was too large for one, a cover that stores its points."""
        return restored_cover(arrays, hypothesis_class, self.representative)


@value
class CoverWithGrid(CoverStage):
    """One hypothesis for each dichotomy of the distinct public points and the points of a fixed grid together.

    It is a cover of both: some hypothesis labels all public points as any of the class does, and all grid points, too.

    Args:
        grid: the stage of the grid, with its ends and its number of points in each feature.
    """

    grid: FixedGridStage = attrs.field(kw_only=True)

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Cover:
        both = np.concatenate([points, self.grid.points(hypothesis_class.dimension)])
        return hypothesis_class.cover(both, self.representative)
