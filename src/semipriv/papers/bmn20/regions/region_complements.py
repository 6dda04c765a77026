"""The hypotheses of A_LearnHalf: complements of intersections of halfspaces."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Predictions, Predictors
from semipriv.core import registry
from semipriv.core.fields import checked, value
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats, Integers
from semipriv.geometry.grid import Grid
from semipriv.geometry.hulls import AffineHull
from semipriv.geometry.shapes import Boxes, Complement, Outline, rescaled

__all__ = ["RegionComplements"]

_BLOCK = 4_000_000


@value
class RegionComplements(Predictors):
    """g(x) = 1[z not in R], R = {z: w_i z + b_i >= 0 for all i}, z the place of x on a grid (BMN20 section 4).

    Parameters: (w_1, b_1, w_2, b_2, ...), the integers of max(2 d, 3 d - 2) closed halfspaces.  Halfspaces that are not
    needed are (0, ..., 0, 1); a halfspace (0, ..., 0, -1) makes the region empty.  Signs are exact
    (``geometry.grid.bits``).
    """

    grid: Grid = checked(lambda _, given: Grid.from_config(given))

    @property
    def dimension(self) -> int:
        """Number of features."""
        return self.grid.dimension

    @property
    def width(self) -> int:
        """Number of parameters of a hypothesis."""
        return self.rows * (self.dimension + 1)

    def specification(self) -> dict[str, Any]:
        """Return the room, the name and the grid."""
        return registry.specification("regions", self)

    @property
    def rows(self) -> int:
        """Number of halfspaces of a hypothesis."""
        return max(2 * self.dimension, 3 * self.dimension - 2)

    def parameters(self, halfspaces: Integers, hull: AffineHull | None) -> Floats:
        """Return the parameters (p,) of the part of a hull in halfspaces (j, d + 1); of the empty region for None."""
        d = self.dimension
        everything = np.eye(d + 1)[-1]
        if hull is None:
            needed = -everything[None]
        else:
            needed = np.concatenate([halfspaces, hull.equations, -hull.equations]).astype(np.float64)
        if len(needed) > self.rows:
            raise ValueError(f"halfspaces: {len(needed)} with those of the hull, at most {self.rows} are needed")
        return np.concatenate([needed, np.tile(everything, (self.rows - len(needed), 1))]).ravel()

    def _rows_of(self, parameters: ArrayLike) -> Floats:
        return np.asarray(parameters, np.float64).reshape(-1, self.rows, self.dimension + 1)

    def outline(self, parameters: Floats) -> Outline:
        """Return the region, labelled 0, in units of the features instead of grid steps."""
        low, high = np.array(self.grid.low), np.array(self.grid.high)
        rows = self._rows_of(parameters)[0]
        return Outline(rescaled(rows, low, (high - low) / self.grid.steps), 0)

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return predictions: (r, p), (n, d) -> (r, n) bool."""
        rows, places = self._rows_of(parameters), self.grid.place(points).astype(np.float64)
        inside = np.ones((len(rows), len(places)), bool)
        size = max(1, _BLOCK // max(1, len(rows)))
        for start in range(0, len(places), size):
            block = places[start : start + size]
            for i in range(self.rows):
                inside[:, start : start + size] &= rows[:, i, :-1] @ block.T >= -rows[:, i, -1:]
        return ~inside

    def ones(self, parameters: Parameters) -> Complement | None:
        """Return, on the line, the complement of the interval of floats with places in the region.

        Return None in more than one dimension.
        """
        if self.dimension > 1:
            return None
        w, b = np.moveaxis(self._rows_of(parameters).astype(np.int64), 2, 0)
        empty = np.any((w == 0) & (b < 0), axis=1)
        with np.errstate(divide="ignore"):
            ends = -(b // np.where(w, np.abs(w), 1))  # least z with |w| z + b >= 0
        low = np.max(np.where(w > 0, ends, 0), axis=1)
        high = np.min(np.where(w < 0, -ends, self.grid.steps), axis=1)
        low = np.where(empty, 1, low)
        high = np.where(empty, 0, high)
        return Complement(Boxes(self.grid.first(0, low)[:, None], self.grid.last(0, high)[:, None]))
