"""A_ConstrHalf: the regions that labelled public examples span (BMN20 algorithm 1)."""

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points, Sample, StatusModel
from semipriv.core.types import Indices
from semipriv.geometry.grid import Grid
from semipriv.learners.stages.base import LabelledStage
from semipriv.papers.bmn20.regions.cover import RegionCover, region_cover
from semipriv.papers.bmn20.regions.family import MODES

__all__ = ["Regions"]


@value
class Regions(LabelledStage[RegionCover]):
    """A family of halfspaces with public points on their boundaries, and the intersections of its halfspaces.

    Args:
        grid: the a-priori grid to which features are rounded; None: features are integers, which is checked on the
            public points.
        mode: 'facet' or 'full'.
        subset: number of public examples that span the family, chosen at random; None: all.
        subset_seed: public seed of that choice.
        privacy: which statuses are possible; public examples that it does not allow are refused.
    """

    grid: Grid | None
    mode: str = "facet"
    subset: int | None = None
    subset_seed: int = 0
    privacy: StatusModel = StatusModel.LABEL_DETERMINED

    def __attrs_post_init__(self) -> None:
        registry.check_name("mode", self.mode, MODES)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces of the grid's dimension."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"regions are cut out by halfspaces, the class is {hypothesis_class!r}")
        if self.grid is not None and self.grid.dimension != hypothesis_class.dimension:
            raise ValueError(f"grid: has {self.grid.dimension} feature(s), the class has {hypothesis_class.dimension}")

    def grid_of(self, hypothesis_class: HypothesisClass) -> Grid:
        """Return the grid; the grid of the integers if none is given."""
        return Grid.unit(hypothesis_class.dimension) if self.grid is None else self.grid

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> RegionCover:
        self.privacy.check(examples.labels, np.zeros(len(examples), bool), "public_labels")
        if self.grid is None:
            _check_integers(examples.points)
        return region_cover(self.grid_of(hypothesis_class), examples, self._spanning(len(examples)), self.mode)

    def _spanning(self, n: int) -> Indices:
        """Return the rows of the public examples that span the family, in a fixed order."""
        if self.subset is None or self.subset >= n:
            return np.arange(n)
        order = Simulation(self.subset_seed).spawn("public subset", n).generator.permutation(n)
        return np.sort(order[: self.subset])

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> RegionCover:
        """Return the regions; the family is not constructed again."""
        return RegionCover.of(arrays, self.grid_of(hypothesis_class))


def _check_integers(points: Points) -> None:
    """Raise ValueError unless every feature is an integer of the grid that is used if none is given."""
    grid = Grid.unit(points.shape[1])
    wrong = (points != np.rint(points)) | (points < np.array(grid.low)) | (points > np.array(grid.high))
    if wrong.any():
        row, feature = map(int, np.argwhere(wrong)[0])
        raise ValueError(
            f"public points: row {row}, feature {feature} = {points[row, feature]}: without a grid features must be "
            f"integers from {grid.low[feature]:g} to {grid.high[feature]:g}, others would be rounded to them; fix the "
            "ends of each feature before any private data are seen: grid={'low': [...], 'high': [...]}"
        )
