"""Axis-parallel rectangles."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.classes._rectangle_minimum import least_rectangle
from semipriv.classes._rectangle_tally import RectangleTally, Strips, tally_rectangles
from semipriv.classes.base import (
    Cover,
    HypothesisClass,
    Minimum,
    Parameters,
    Predictions,
    UnlistedCover,
    check_listing,
    sauer,
)
from semipriv.classes.intervals import interval_ends
from semipriv.geometry.bits import first_of_each, packed
from semipriv.samples import Labels, Points, as_labels, as_points

__all__ = ["Rectangles"]

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]
_BLOCK = 2**24
"""Bits of dichotomies handled at once."""


@dataclass(frozen=True)
class Rectangles(HypothesisClass):
    """h(x) = 1[lo_j <= x_j <= hi_j for all j], ends real or infinite, and the empty set; lo_j > hi_j is empty too.

    Parameters (lo_1, ..., lo_d, hi_1, ..., hi_d); the empty set is (inf, ..., -inf, ...).  VC dimension 2 d, dual VC
    dimension 2 d, infinite Littlestone dimension.  In the plane covers are not listed: their draws are exact all the
    same.  Elsewhere they are.

    Representatives: with [u_i, u_j] the least side around the points of a dichotomy, u_1 < u_2 < ... the distinct
    coordinates of all public points on that axis, the left end lies in (u_{i-1}, u_i] and the right end in [u_j,
    u_{j+1}): half-way to the coordinate outside, infinite where there is none ('midpoint'), or at the least ('lower')
    or greatest ('upper') number.
    """

    dimension: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", checks.size("dimension", self.dimension))

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
        """sum_{i <= 2 d} C(m, i), an upper bound: a dichotomy is given by the at most 2 d extreme points of its ones.

        Exact up to m = 2 d, and on the line.
        """
        return sauer(m, 2 * self.dimension)

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """(k, 2 d), (n, d) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 2 * self.dimension)
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)
        inside = np.ones((len(theta), columns.shape[1]), bool)
        for j, x in enumerate(columns):
            inside &= x >= theta[:, j, None]
            inside &= x <= theta[:, self.dimension + j, None]
        return inside

    # ------------------------------------------------------------------ covers
    def _ends(self, coordinates: NDArray[np.float64], representative: str) -> Ends:
        """Left and right ends for the sorted distinct coordinates (g,) of an axis: (g,), (g,)."""
        return interval_ends(coordinates[:, None], representative)

    def _cover(self, points: Points, representative: str) -> Cover:
        if self.dimension == 2:
            return RectangleCover(self, points, representative)
        return super()._cover(points, representative)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """The empty set, then the others."""
        d = self.dimension
        empty = np.repeat([np.inf, -np.inf], d)[None]
        if not len(points):
            return empty
        ranks = self._ranks_in_plane(points) if d == 2 else self._ranks(points)
        theta = np.empty((len(ranks), 2 * d))
        for j in range(d):
            left, right = self._ends(np.unique(points[:, j]), representative)
            theta[:, j], theta[:, d + j] = left[ranks[:, j]], right[ranks[:, d + j]]
        return np.concatenate([empty, theta])

    @staticmethod
    def _ranks_in_plane(points: Points) -> NDArray[np.int64]:
        """Ranks (left, low, right, high) of the sides of the least rectangles, (k, 4)."""
        strips = Strips.of(points)
        check_listing(1 + int(strips.sizes.sum()), 4, "tally the cover, which counts and draws without listing")
        return strips.listed()

    def _ranks(self, points: Points) -> NDArray[np.intp]:
        """Ranks (k, 2 d) of their sides: by intersection of the dichotomies of the axes, one axis after the other."""
        m = len(points)
        ranks = np.stack([np.unique(x, return_inverse=True)[1] for x in points.T])
        words = packed(np.ones((1, m), bool))
        for places in ranks:
            low, high = np.triu_indices(int(places.max()) + 1)
            words = _intersections(words, packed((places >= low[:, None]) & (places <= high[:, None])))
            check_listing(len(words) + 1, 2 * self.dimension, "take fewer public points or fewer features")
        inside = np.unpackbits(words.view(np.uint8), axis=1, count=m).view(bool)
        inside = inside[inside.any(axis=1)]
        low_ranks = [np.where(inside, places, m).min(axis=1) for places in ranks]
        high_ranks = [np.where(inside, places, -1).max(axis=1) for places in ranks]
        return np.column_stack([*low_ranks, *high_ranks])

    # ------------------------------------------------------------------ minima
    def _minimise(self, points: Points, labels: Labels, weights: NDArray[np.float64]) -> Minimum:
        """In the plane O(N^2 log N), see ``least_rectangle``; elsewhere over the cover of the points.

        The value is the weighted number of mistakes of what is returned.
        """
        if self.dimension != 2 or not len(points):
            return super()._minimise(points, labels, weights)
        (x, columns), (y, rows) = (np.unique(points[:, j], return_inverse=True) for j in range(2))
        found = least_rectangle(columns, rows, np.where(labels == 1, -weights, weights))
        parameters = np.repeat([np.inf, -np.inf], 2)
        if found is not None:
            ends = [self._ends(u, "midpoint") for u in (x, y)]
            (left, right), (low, high) = found
            parameters = np.array([ends[0][0][left], ends[1][0][low], ends[0][1][right], ends[1][1][high]])
        wrong = self.predict(parameters[None], points)[0] != (labels == 1)
        return Minimum(parameters, math.fsum(weights[wrong]))

    # ------------------------------------------------------------------ dual class
    def representative_domain(self, parameters: Parameters) -> Points:
        """Points of the grid of all ends and numbers next to them, the first of each label vector.

        On each axis the pieces start at the left ends and at the numbers next to the right ends; the first, which has
        no start, has the number next to its end.  ValueError where the grid, labels included, exceeds LISTING_LIMIT
        bytes.
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, 2 * self.dimension)
        lo, hi = theta[:, : self.dimension], theta[:, self.dimension :]
        real = np.all(lo <= hi, axis=1)
        axes = [self._pieces(lo[real, j], hi[real, j]) for j in range(self.dimension)]
        size = math.prod(map(len, axes))
        check_listing(size, self.dimension + len(theta) // 64 + 1, "take fewer hypotheses or features")
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.dimension)
        blocks = np.array_split(grid, 1 + len(grid) * len(theta) // _BLOCK)
        words = np.concatenate([packed(self.predict(theta, x).T) for x in blocks])
        return grid[first_of_each(words)]

    def _pieces(self, lo: NDArray[np.float64], hi: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
            starts = np.unique(np.concatenate([lo, np.nextafter(hi, np.inf)]))
            starts = starts[np.isfinite(starts)]
            pieces = np.concatenate([np.nextafter(starts[:1], -np.inf), starts]) if starts.size else np.zeros(1)
        return np.asarray(pieces[np.isfinite(pieces)] + 0.0)


@dataclass(frozen=True, eq=False)
class RectangleCover(UnlistedCover):
    """The empty set and the least rectangles around the public points in them, in the plane."""

    @cached_property
    def _strips(self) -> Strips:
        return Strips.of(self.points)

    @cached_property
    def _ends(self) -> tuple[Ends, Ends]:
        assert isinstance(self.hypothesis_class, Rectangles)
        left, right = (self.hypothesis_class._ends(np.unique(self.points[:, j]), self.representative) for j in range(2))
        return left, right

    @property
    def size(self) -> int:
        """Counted in O(m^3), once."""
        return 1 + int(self._strips.sizes.sum())

    def tally(self, points: ArrayLike, labels: ArrayLike) -> RectangleTally:
        """Mistakes of all rectangles, in O(n log m + m^2)."""
        x = self.hypothesis_class.validated(points)
        return tally_rectangles(self.hypothesis_class, self._strips, self._ends, x, as_labels(labels, len(x)))


def _intersections(words: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The distinct intersections of two families of packed dichotomies."""
    rows = max(1, _BLOCK // max(1, others.size))
    found = words[:0]
    for start in range(0, len(words), rows):
        met = (words[start : start + rows, None] & others[None]).reshape(-1, words.shape[1])
        found = np.concatenate([found, met[first_of_each(met)]])
    return found[first_of_each(found)]
