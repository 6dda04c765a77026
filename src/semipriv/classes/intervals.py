"""Intervals on the line."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._by_label import sorted_by_label
from semipriv.classes._interval_tally import IntervalTally, tally_interval_counts, tally_intervals
from semipriv.classes.base import (
    DOMAIN,
    MOST_EXAMPLES,
    HypothesisClass,
    Minimum,
    Predictions,
    Shift,
    UnlistedCover,
    check_listing,
)
from semipriv.core import estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.kernels import njit
from semipriv.core.samples import Labels, Points, as_points, distinct
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost
from semipriv.geometry.pieces import cell_representative, starts_of_pieces
from semipriv.geometry.shapes import Boxes

__all__ = ["Intervals"]

_Ends = tuple[Floats, Floats]


@fields.value
class Intervals(HypothesisClass):
    """h(x) = 1[lo <= x <= hi], ends real or infinite, and the empty set, written (inf, -inf); lo > hi is empty too.

    Parameters (lo, hi).  VC dimension 2, dual VC dimension 2, infinite Littlestone dimension, growth m (m + 1) / 2 + 1.
    Representatives: the left end lies in the cell (u_{i-1}, u_i] of its first public point u_i, the right end in the
    cell [u_j, u_{j+1}) of its last; each is put half-way to the public point outside, infinite if there is none
    ('midpoint'), or is the least ('lower') or the greatest ('upper') number of its cell.
    """

    @classmethod
    def examples(cls) -> "Sequence[Intervals]":
        """Return the only one."""
        return [Intervals()]

    dimension = 1
    width = 2
    """Two: lo and hi."""
    vc_dimension = 2
    """2: of three points no interval holds the outer ones alone."""
    dual_vc_dimension = 2
    """2: two that overlap are shattered; the 2 k ends of k cut the line into 2 k + 1 < 2^k pieces for k >= 3."""
    littlestone_dimension = math.inf
    """Infinite: thresholds embed."""

    def growth(self, m: int) -> int:
        """Return m (m + 1) / 2 + 1."""
        return m * (m + 1) // 2 + 1

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 2), (n, 1) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 2)
        x = as_points(points, 1)[:, 0]
        return np.asarray((x >= theta[:, :1]) & (x <= theta[:, 1:]))

    def _cover(self, points: Points, representative: str) -> "IntervalCover":
        return IntervalCover(self, points, representative)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return the empty set, then the intervals by first and last public point."""
        m = len(points)
        check_listing(self.growth(m), 2, "tally the cover of the class, which counts and draws without listing")
        lower, upper = interval_ends(points, representative)
        theta = np.empty((self.growth(m), 2))
        theta[0] = np.inf, -np.inf
        row = 1
        for i in range(m):
            theta[row : row + m - i, 0] = lower[i]
            theta[row : row + m - i, 1] = upper[i:]
            row += m - i
        return theta

    def representative_domain(self, parameters: Parameters) -> Points:
        """Return the least number of each class of points that the intervals treat alike, increasing: O(k log k).

        Points are floating-point numbers: the pieces of the line start at the left ends and at the numbers next to the
        right ends; the first piece, which has no start, has the number next to its end.  Of all intervals around a
        point, the last to start and the first to end name the others: where two points share both, an interval around
        one ends after the other and starts before it, hence holds both.

        Examples:
            >>> Intervals().representative_domain([[1.0, 2.0], [4.0, 5.0]]).round(5)[:, 0].tolist()
            [1.0, 1.0, 4.0]
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, 2)
        check_listing(2 * len(theta) + 1, 1, "take fewer hypotheses", DOMAIN)
        lo, hi = theta[theta[:, 0] <= theta[:, 1]].T
        with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
            starts = np.unique(np.concatenate([lo, np.nextafter(hi, np.inf)]))
            starts = starts[np.isfinite(starts)]
            pieces = np.concatenate([np.nextafter(starts[:1], -np.inf), starts]) if starts.size else np.zeros(1)
        pieces = pieces[np.isfinite(pieces)] + 0.0
        around = np.column_stack([_last_start(lo, hi, pieces), _last_start(-hi, -lo, -pieces[::-1])[::-1]])
        _, first = np.unique(around, axis=0, return_index=True)
        return pieces[np.sort(first), None]

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count the mistakes of k intervals on n examples in O((n + k) log n), by sorting the ones and the zeros."""
        ones, zeros = sorted_by_label(points, labels)
        return len(ones) - _inside(ones, parameters) + _inside(zeros, parameters)

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to count examples between cuts."""
        return estimates.cuts_counted(k, n)

    minimise_size = MOST_EXAMPLES

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Find the stretch of distinct points with the least sum of signed weights: O(n log n)."""
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        u, place = np.unique(points[:, 0], return_inverse=True)
        parameters = np.array([np.inf, -np.inf])
        if u.size:
            up_to = np.concatenate([[0.0], np.cumsum(np.bincount(place, signed, len(u)))])
            least_after = np.minimum.accumulate(up_to[:0:-1])[::-1]
            i = int(np.argmin(least_after - up_to[:-1]))
            j = i + int(np.argmin(up_to[i + 1 :]))
            if up_to[j + 1] < up_to[i]:
                lower, upper = interval_ends(u[:, None], "midpoint")
                parameters = np.array([lower[i], upper[j]])
        wrong = self.predict(parameters[None], points)[0] != (labels == 1)
        return Minimum(parameters, float(weights[wrong].sum()))

    def nonempty_teaching_shift(self, points: ArrayLike) -> Shift:
        """Return 4, or 2 for one point: the weights beside both ends move by 4 together, where 4 points would take 8.

        Mistakes are a function of the right end plus one of the left end, for intervals with a public point.  Replacing
        a record changes both by a function of total variation at most 2 (docs/findings.md, BBD24, has the proof).  The
        pattern of zeros is left out: it is told from each interval of one point by that point alone.

        Source:
            BBD24 3d.
        """
        return Shift.of_teaching(min(2, len(distinct(self.validated(points, "public points")))))

    free_ends = True
    exact_ends = True

    def ones(self, parameters: Parameters) -> Boxes:
        """Return the intervals."""
        return Boxes(parameters[:, :1], parameters[:, 1:])


@dataclass(frozen=True, eq=False)
class IntervalCover(UnlistedCover):
    """The empty set and the intervals of i-th to j-th public point, i <= j."""

    @property
    def size(self) -> int:
        """m (m + 1) / 2 + 1."""
        return self.functions.growth(len(self.points))

    @cached_property
    def _ends(self) -> _Ends:
        return interval_ends(self.points, self.representative)

    def tally_cost(self, n: int) -> Cost:
        """Return what it takes to count examples between the ends of intervals, and to draw."""
        return estimates.cuts_counted(len(self.points), n)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> IntervalTally:
        """Tally all intervals in O(n log n + m)."""
        return tally_intervals(self.functions, *self._ends, *self.functions.labelled(points, labels))

    def breaks(self) -> tuple[Floats]:
        """Return the left ends, and the numbers next to the right ends."""
        return (starts_of_pieces(*self._ends),)

    def tally_counts(self, points: Points, ones: Integers, zeros: Integers) -> IntervalTally:
        """Tally all intervals where ones_i and zeros_i examples are at the i-th point: (n, 1), (n,), (n,)."""
        return tally_interval_counts(self.functions, *self._ends, points[:, 0], ones, zeros)


def interval_ends(points: Points, representative: str) -> _Ends:
    """Return left ends in (u_{i-1}, u_i] and right ends in [u_j, u_{j+1}) of sorted distinct u (m, 1): (m,), (m,)."""
    u = points[:, 0]
    bounds = np.concatenate([[-np.inf], u, [np.inf]])
    lower = cell_representative(bounds[: len(u)], u, representative, open_low=True)
    return lower, cell_representative(u, bounds[2:], representative, open_low=False)


def _inside(x: Floats, parameters: Parameters) -> Integers:
    """Count the sorted x (n,) in each of the intervals (k, 2), 0 if lo > hi: (k,)."""
    up_to, below = np.searchsorted(x, parameters[:, 1], "right"), np.searchsorted(x, parameters[:, 0], "left")
    return np.maximum(up_to - below, 0)


def _last_start(lo: Floats, hi: Floats, x: Floats) -> Floats:
    """Return the largest lo_i of the intervals [lo_i, hi_i] around each of the increasing x (n,); inf for none."""
    order = np.argsort(lo, kind="stable")
    start: Floats = _latest(lo[order], hi[order], x)
    return start


@njit(cache=True, interpreted=True)
def _latest(starts: Floats, ends: Floats, x: Floats) -> Floats:
    """Do so for intervals by increasing starts.

    A stack of intervals by increasing start, each of smaller end than those below it: an interval that starts no
    earlier and ends no earlier hides another for good.
    """
    stack, size, seen = np.empty(len(starts), np.intp), 0, 0
    result = np.full(len(x), np.inf)
    for place in range(len(x)):
        while seen < len(starts) and starts[seen] <= x[place]:
            while size and ends[stack[size - 1]] <= ends[seen]:
                size -= 1
            stack[size] = seen
            size += 1
            seen += 1
        while size and ends[stack[size - 1]] < x[place]:
            size -= 1
        if size:
            result[place] = starts[stack[size - 1]]
    return result
