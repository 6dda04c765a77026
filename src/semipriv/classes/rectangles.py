"""Axis-parallel rectangles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes._rectangle_listing import least_boxes
from semipriv.classes._rectangle_minimum import least_rectangle
from semipriv.classes._rectangle_tally import RectangleTally, Strips, tally_rectangles
from semipriv.classes.base import (
    DOMAIN,
    MOST_EXAMPLES,
    Cover,
    HypothesisClass,
    Minimum,
    Predictions,
    UnlistedCover,
    check_listing,
)
from semipriv.classes.intervals import interval_ends
from semipriv.core import estimates, fields
from semipriv.core.deviation import sauer
from semipriv.core.functions import Parameters
from semipriv.core.samples import Labels, Points, as_labels, as_points
from semipriv.core.types import Floats
from semipriv.core.work import Cost, check_work
from semipriv.geometry.bits import first_of_each
from semipriv.geometry.pieces import starts_of_pieces
from semipriv.geometry.shapes import Boxes

__all__ = ["Rectangles"]

Ends = tuple[Floats, Floats]
_INSTEAD = "tally the cover, which counts and draws without listing"


@fields.value
class Rectangles(HypothesisClass):
    """h(x) = 1[lo_j <= x_j <= hi_j for all j], ends real or infinite, and the empty set; lo_j > hi_j is empty too.

    Parameters (lo_1, ..., lo_d, hi_1, ..., hi_d); the empty set is (inf, ..., -inf, ...).  VC dimension 2 d, dual VC
    dimension 2 d, infinite Littlestone dimension.  In the plane covers are not listed: their draws are exact all the
    same.  Elsewhere they are.

    Representatives: with [u_i, u_j] the least side around the points of a dichotomy, u_1 < u_2 < ... the distinct
    coordinates of all public points on that axis, the left end lies in (u_{i-1}, u_i] and the right end in [u_j,
    u_{j+1}): half-way to the coordinate outside, infinite if there is none ('midpoint'), or at the least ('lower')
    or greatest ('upper') number.

    Args:
        dimension: d, number of features.
    """

    dimension: int = fields.size(default=2)

    @classmethod
    def examples(cls) -> "Sequence[Rectangles]":
        """Return those of up to three features."""
        return [Rectangles(1), Rectangles(2), Rectangles(3)]

    @property
    def width(self) -> int:
        """2 d: the lower ends, then the upper ones."""
        return 2 * self.dimension

    @property
    def vc_dimension(self) -> int:
        """2 d: of 2 d + 1 points, one that is extreme in no direction is inside whenever the others are."""
        return 2 * self.dimension

    @property
    def dual_vc_dimension(self) -> int:
        """2 d (Renyi, Renyi and Suranyi 1951).

        Two overlapping slabs for each axis are shattered.  Of 2 d + 1 rectangles one bounds their intersection on no
        side: no point is in all others but not in it.
        """
        return 2 * self.dimension

    @property
    def littlestone_dimension(self) -> float:
        """Infinite: thresholds embed."""
        return math.inf

    def growth(self, m: int) -> int:
        """Return sum_{i <= 2 d} C(m, i), an upper bound: at most 2 d extreme points of its ones give a dichotomy.

        Exact up to m = 2 d, and on the line.
        """
        return sauer(m, 2 * self.dimension)

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 2 d), (n, d) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 2 * self.dimension)
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)
        inside = np.ones((len(theta), columns.shape[1]), bool)
        for j, x in enumerate(columns):
            inside &= x >= theta[:, j, None]
            inside &= x <= theta[:, self.dimension + j, None]
        return inside

    # ------------------------------------------------------------------ covers
    def _ends(self, coordinates: Floats, representative: str) -> Ends:
        """Return left and right ends for the sorted distinct coordinates (g,) of an axis: (g,), (g,)."""
        return interval_ends(coordinates[:, None], representative)

    def _cover(self, points: Points, representative: str) -> Cover:
        if self.dimension == 2:
            return RectangleCover(self, points, representative)
        return super()._cover(points, representative)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return the empty set, then the others, by slabs of the last feature, then of the one before, and so on."""
        d = self.dimension
        if not len(points):
            return self._empty()[None]
        values, ranks = zip(*(np.unique(x, return_inverse=True) for x in points.T), strict=True)
        if d > 2:
            what = f"the least boxes around some of {len(points):,} public points to look for"
            check_work(what, estimates.boxes_listed(len(points), d), "take fewer public points or features")
        boxes = least_boxes(np.column_stack(ranks), _INSTEAD if d == 2 else "take fewer public points or features")
        theta = np.empty((1 + len(boxes), 2 * d))
        theta[0] = self._empty()
        for j in range(d):
            left, right = self._ends(values[j], representative)
            theta[1:, j], theta[1:, d + j] = left[boxes[:, j]], right[boxes[:, d + j]]
        return theta

    def _empty(self) -> Floats:
        return np.repeat([np.inf, -np.inf], self.dimension)

    # ------------------------------------------------------------------ minima
    @property
    def minimise_size(self) -> int:
        """Those of O(N log N) on the line, of O(N^2 log N) in the plane; above, over the cover."""
        return {1: MOST_EXAMPLES, 2: 2_000}.get(self.dimension) or super().minimise_size

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise in O(N log N) on the line, in O(N^2 log N) in the plane (``least_rectangle``), above over the cover.

        The value is the weighted number of mistakes of what is returned, a hypothesis of the cover of the points: the
        first minimiser where sums of weights are exact.
        """
        d = self.dimension
        if d > 2 or not len(points):
            return super()._minimise(points, labels, weights)
        values, ranks = zip(*(np.unique(x, return_inverse=True) for x in points.T), strict=True)
        rows = ranks[1] if d == 2 else np.zeros(len(points), np.intp)
        box = least_rectangle(ranks[0], rows, np.where(labels == 1, -weights, weights))
        parameters = self._empty()
        if box is not None:
            for j in range(d):
                left, right = self._ends(values[j], "midpoint")
                parameters[j], parameters[d + j] = left[box[j]], right[box[2 + j]]
        wrong = self.predict(parameters[None], points)[0] != (labels == 1)
        return Minimum(parameters, math.fsum(weights[wrong]))

    def _representative(self, points: Points, pattern: Labels) -> Floats:
        """Return the member of the cover around the bounding box of the ones."""
        parameters, ones = self._empty(), points[pattern == 1]
        for j in range(self.dimension if len(ones) else 0):
            values = np.unique(points[:, j])
            left, right = self._ends(values, "midpoint")
            parameters[j] = left[np.searchsorted(values, ones[:, j].min())]
            parameters[self.dimension + j] = right[np.searchsorted(values, ones[:, j].max())]
        return parameters

    # ------------------------------------------------------------------ dual class
    def representative_domain(self, parameters: Parameters) -> Points:
        """Return points of the grid of all ends and numbers next to them, the first of each label vector.

        On each axis the pieces start at the left ends and at the numbers next to the right ends; the first, which has
        no start, has the number next to its end.

        Raises:
            ValueError: where the grid, labels included, takes more memory than is allowed.
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, 2 * self.dimension)
        lo, hi = theta[:, : self.dimension], theta[:, self.dimension :]
        real = np.all(lo <= hi, axis=1)
        axes = [self._pieces(lo[real, j], hi[real, j]) for j in range(self.dimension)]
        size = math.prod(map(len, axes))
        check_listing(size, self.dimension + len(theta) // 64 + 1, "take fewer hypotheses or features", DOMAIN)
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.dimension)
        return grid[first_of_each(self.label_vectors(theta, grid))]

    def _pieces(self, lo: Floats, hi: Floats) -> Floats:
        with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
            starts = np.unique(np.concatenate([lo, np.nextafter(hi, np.inf)]))
            starts = starts[np.isfinite(starts)]
            pieces = np.concatenate([np.nextafter(starts[:1], -np.inf), starts]) if starts.size else np.zeros(1)
        return np.asarray(pieces[np.isfinite(pieces)] + 0.0)

    # ------------------------------------------------------------------ population
    free_ends = True

    def ones(self, parameters: Parameters) -> Boxes:
        """Return the rectangles."""
        return Boxes(parameters[:, : self.dimension], parameters[:, self.dimension :])


@dataclass(frozen=True, eq=False)
class RectangleCover(UnlistedCover):
    """The empty set and the least rectangles around the public points in them, in the plane."""

    @cached_property
    def _strips(self) -> Strips:
        return Strips.of(self.points)

    @cached_property
    def _ends(self) -> tuple[Ends, Ends]:
        assert isinstance(self.functions, Rectangles)
        left, right = (self.functions._ends(np.unique(self.points[:, j]), self.representative) for j in range(2))
        return left, right

    @property
    def size(self) -> int:
        """Counted in O(m^3), once."""
        return 1 + int(self._strips.sizes.sum())

    def tally_cost(self, n: int) -> Cost:
        """Return what it takes to look at m^3 pieces: a draw takes as long, and examples hardly count."""
        return estimates.rectangles_counted(len(self.points), n)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> RectangleTally:
        """Tally all rectangles in O(n log m + m^2)."""
        x = self.functions.validated(points)
        y = as_labels(labels, len(x))
        return self.tally_counts(x, y, 1 - y)

    def breaks(self) -> tuple[Floats, ...]:
        """Return, on each axis, the left ends, and the numbers next to the right ends."""
        return tuple(starts_of_pieces(*ends) for ends in self._ends)

    def tally_counts(self, points: Points, ones: NDArray[np.integer], zeros: NDArray[np.integer]) -> RectangleTally:
        """Tally all rectangles where ones_i and zeros_i examples are at the i-th point: (n, 2), (n,), (n,)."""
        return tally_rectangles(self.functions, self._strips, self._ends, points, ones, zeros)
