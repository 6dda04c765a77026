"""Intersections of at most two halfplanes, from all pairs of lines through pairs of public points: O(m^2 n + |G|).

Each line belongs to the pencil of the first public point on it, its apex.  About an apex the r directed lines and their
opposites, 2 r rays, cut the plane into 2 r open sectors.  The closed halfplane to the left of ray j holds the sectors
j to j + r - 1, all modulo 2 r, the rays that bound them, and the apex.  A place in a sector is therefore held by a run
of r halfplanes, one on a ray by a run of r + 1, the apex by all 2 r.  For two pencils, enter the weights of all places
into one table, by the first halfplanes of their two runs.  The weight of the intersection of a halfplane of the one
with a halfplane of the other is then the sum over a window of r by r' cells; two additions each suffice.  Few places
lie on rays, as the public points do: the last halfplane of their run is entered by itself, between the two passes of
windows or after them.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Indices, Integers
from semipriv.papers.bmn20.regions.family import Family
from semipriv.papers.bmn20.regions.intersections import Intersections
from semipriv.papers.bmn20.regions.lanes import LANES, count_by_lane, lane_of

__all__ = ["Pencils"]

_Small = NDArray[np.int32]
_Runs = NDArray[np.int16]

_BUCKETS = 8
"""Buckets of angles for each ray of a pencil."""


class _Data(NamedTuple):
    """What the passes over all pairs of pencils read.

    first, length: (pencils, n), the run of halfplanes about each apex that hold each place; weights: (n,).
    special[starts[p]:starts[p + 1]]: places on a ray or the apex of pencil p.  sizes: (pencils,), r of each;
    repeats[offsets[p]:offsets[p + 1]]: how often each of its lines stands in the list.
    """

    first: _Runs
    length: _Runs
    weights: _Small
    special: Integers
    starts: Integers
    sizes: Integers
    repeats: Integers
    offsets: Integers


@njit(cache=True)
def _apexes(planes: Integers, points: Integers) -> Integers:
    """Return the first of the points (m, 2) on each line (t, 3); 0 for a line without one, which no family has."""
    apexes = np.zeros(len(planes), np.int64)
    for t in range(len(planes)):
        for i in range(len(points)):
            if planes[t, 0] * points[i, 0] + planes[t, 1] * points[i, 1] + planes[t, 2] == 0:
                apexes[t] = i
                break
    return apexes


@njit(cache=True)
def _bucket(x: int, y: int, buckets: int) -> int:
    """Return which of some buckets holds the direction (x, y), at (-90, 90] degrees: increasing, and rounded."""
    rise = float(y)
    return int((rise / (float(x) + abs(rise)) + 1) / 2 * (buckets - 1))


@njit(cache=True)
def _runs(apex: Integers, rays: Integers, places: Integers, first: _Runs, length: _Runs) -> None:
    """Write the run of halfplanes that hold each place, modulo 2 r: the first of them, and their number.

    rays: (r, 2) directions, sorted by angle within (-90, 90] degrees; a place is left of ray j if rays_j x (place -
    apex) > 0.  In the open sector after ray u: the r halfplanes from u - r + 1 on; on ray u: r + 1 from u - r on; at
    the apex: all 2 r.  A table of buckets tells about how many rays lie below a place; exact signs correct it.
    """
    r = len(rays)
    x_of, y_of = rays[:, 0].copy(), rays[:, 1].copy()
    below = np.zeros(_BUCKETS * r + 1, np.int64)
    for ray in range(r):
        below[_bucket(x_of[ray], y_of[ray], _BUCKETS * r) + 1] += 1
    for b in range(_BUCKETS * r):
        below[b + 1] += below[b]
    for i in range(len(places)):
        x, y = places[i, 0] - apex[0], places[i, 1] - apex[1]
        if x == 0 and y == 0:
            first[i], length[i] = 0, 2 * r
            continue
        turned = x < 0 or (x == 0 and y < 0)
        side = -1 if turned else 1
        x, y = side * x, side * y
        low = below[_bucket(x, y, _BUCKETS * r)]  # the place is left of the rays before it, not of the others
        while low < r and x_of[low] * y - y_of[low] * x > 0:
            low += 1
        while low > 0 and x_of[low - 1] * y - y_of[low - 1] * x <= 0:
            low -= 1
        on = low < r and x_of[low] * y - y_of[low] * x == 0
        start = low + (r if turned else 0) + r
        first[i] = start - 2 * r if start >= 2 * r else start
        length[i] = r + 1 if on else r


@njit(cache=True)
def _scatter(of_p: _Runs, of_q: _Runs, weights: _Small, width: int, cells: _Small) -> None:
    """Add the weight of each place to the flat table of the given width, at its rows and columns."""
    unsigned = np.uint32(width)  # no check for an index from the end
    for i in range(len(weights)):
        cells[np.uint32(of_p[i]) * unsigned + np.uint32(of_q[i])] += weights[i]


@njit(cache=True)
def _row_windows(cells: _Small, r: int, s: int) -> None:
    """Replace cells (2 r, 2 s) by their sums over the r rows up to each one, modulo 2 r.

    The windows that end at a and at a + r make up a column.
    """
    line = np.zeros(2 * s, np.int32)
    for a in range(r + 1, 2 * r):
        row = cells[a]
        for i in range(2 * s):
            line[i] += row[i]
    whole = line.copy()
    for a in range(r + 1):
        row = cells[a]
        for i in range(2 * s):
            whole[i] += row[i]
    for a in range(r):
        upper, lower = cells[a], cells[a + r]
        for i in range(2 * s):
            line[i] += upper[i] - (lower[i] if a > 0 else 0)
        for i in range(2 * s):
            upper[i], lower[i] = line[i], whole[i] - line[i]


@njit(cache=True)
def _column_windows(cells: _Small, r: int, s: int) -> None:
    """Replace cells (2 r, 2 s) by their sums over the s columns up to each one, modulo 2 s."""
    line = np.empty(s, np.int32)
    for a in range(2 * r):
        left, right = cells[a, :s], cells[a, s:]
        total, behind = np.int32(0), np.int32(0)
        for i in range(s):
            total += left[i] + right[i]
            behind += right[i]
            line[i] = left[i] - right[i]
        for i in range(s):
            behind += line[i]
            line[i] = behind
        for i in range(s):
            left[i], right[i] = line[i], total - line[i]


@njit(cache=True)
def _pair(p: int, q: int, data: _Data, room: _Small) -> _Small:
    """Return the weights of the intersections of the halfplanes of pencil p with those of pencil q: (2 r, 2 s).

    A run of 2 r is two windows; one of r + 1 a window and the halfplane r after its first one.
    """
    first, length, weights = data.first, data.length, data.weights
    special_p = data.special[data.starts[p] : data.starts[p + 1]]
    special_q = data.special[data.starts[q] : data.starts[q + 1]]
    r, s = data.sizes[p], data.sizes[q]
    flat = room[: 4 * r * s]
    flat[:] = 0
    cells = flat.reshape(2 * r, 2 * s)
    of_p, of_q = first[p], first[q]
    _scatter(of_p, of_q, weights, 2 * s, flat)
    for i in special_q:
        if length[q, i] == 2 * s:
            cells[of_p[i], (of_q[i] + s) % (2 * s)] += weights[i]
    for i in special_p:
        if length[p, i] == 2 * r:
            _add_row(cells, (of_p[i] + r) % (2 * r), of_q[i], length[q, i], s, weights[i])
    _row_windows(cells, r, s)
    for i in special_p:
        if length[p, i] < 2 * r:
            _add_row(cells, (of_p[i] + r) % (2 * r), of_q[i], length[q, i], s, weights[i])
    _column_windows(cells, r, s)
    for i in special_q:
        if length[q, i] < 2 * s:
            column, end = (of_q[i] + s) % (2 * s), of_p[i] + length[p, i]
            for a in range(of_p[i], min(end, 2 * r)):
                cells[a, column] += weights[i]
            for a in range(end - 2 * r):
                cells[a, column] += weights[i]
    return cells


@njit(cache=True)
def _add_row(cells: _Small, row: int, column: int, length: int, s: int, weight: int) -> None:
    """Add a weight in the column where its run of s or s + 1 starts; in two columns for a run of all 2 s."""
    cells[row, column] += weight
    if length == 2 * s:
        cells[row, (column + s) % (2 * s)] += weight


@njit(cache=True)
def _enter(cells: _Small, same: bool, times: Integers, others: Integers, base: int, counts: Integers) -> None:
    """Count the mistakes of a table of weights; times, others: how often each line of the two pencils is listed.

    counts: (4, total + 1), to be added up; neighbours are often equal, and in four increments do not wait for another.
    same: both pencils are one; then each two halfplanes stand in the table twice, and each stands with itself.
    """
    r, s = len(times), len(others)
    singles, pairs, triples, quadruples = counts[0], counts[1], counts[2], counts[3]
    for j in range(r):
        upper, lower, often = cells[j], cells[j + r], times[j]
        if same:
            twice = often + often * (often - 1) // 2
            singles[base + upper[j]] += twice
            pairs[base + upper[j + s]] += often * often
            quadruples[base + lower[j + s]] += twice
        for i in range(j + 1 if same else 0, s):
            number = often * others[i]
            singles[np.uint64(base + upper[i])] += number
            pairs[np.uint64(base + upper[i + s])] += number
            triples[np.uint64(base + lower[i])] += number
            quadruples[np.uint64(base + lower[i + s])] += number


@njit(cache=True, nogil=True)
def _count(first: int, stop: int, data: _Data, base: int, counts: Integers) -> None:
    """Count the sets of at most two indices by their mistakes, for the pairs of pencils of some lanes.

    counts: (lanes, 4, total + 1), of all lanes; first, stop: the lanes to be counted, without the last.
    """
    sizes, repeats, offsets = data.sizes, data.repeats, data.offsets
    room = np.empty(4 * sizes.max() ** 2, np.int32)
    for lane in range(first, stop):
        number = 0
        for p in range(len(sizes)):
            for q in range(p, len(sizes)):
                number += 1
                if number % len(counts) == lane:
                    cells = _pair(p, q, data, room)
                    times, others = repeats[offsets[p] : offsets[p + 1]], repeats[offsets[q] : offsets[q + 1]]
                    _enter(cells, p == q, times, others, base, counts[lane])


@njit(cache=True)
def _find(lane: int, lanes: int, data: _Data, goal: int, rank: int) -> tuple[int, int, int, int]:
    """Return pencil and halfplane, twice, of a set of a lane: of weight ``goal``, with ``rank`` such sets before it."""
    sizes, repeats, offsets = data.sizes, data.repeats, data.offsets
    room = np.empty(4 * sizes.max() ** 2, np.int32)
    number = 0
    for p in range(len(sizes)):
        for q in range(p, len(sizes)):
            number += 1
            if number % lanes != lane:
                continue
            cells = _pair(p, q, data, room)
            for j in range(2 * sizes[p]):
                times = repeats[offsets[p] + j % sizes[p]]
                for i in range(j if p == q else 0, 2 * sizes[q]):
                    if cells[j, i] == goal:
                        sets = times * repeats[offsets[q] + i % sizes[q]]
                        if p == q and i == j:
                            sets = times + times * (times - 1) // 2
                        if rank < sets:
                            return p, j, q, i
                        rank -= sets
    return -1, -1, -1, -1


@dataclass(frozen=True, eq=False)
class _Sheaf:
    """Lines by pencil: pencil p has lines[offsets[p]:offsets[p + 1]] in the order of their angle.

    upper: (lines,), whether the left side of the line's ray is the side {w z + b >= 0}.
    """

    apexes: Integers
    rays: Integers
    lines: Indices
    upper: Bools
    offsets: Integers


@lru_cache(16)
def _sheaf(family: Family) -> _Sheaf:
    """Return the pencils of a family, which all samples counted with it share: it is public."""
    planes, points = family.hyperplanes, family.points
    apex = _apexes(planes, points)
    x, y = planes[:, 1], -planes[:, 0]
    turned = (x < 0) | ((x == 0) & (y < 0))
    rays = np.where(turned, -1, 1)[:, None] * np.column_stack([x, y])
    with np.errstate(divide="ignore"):
        slope = rays[:, 1] / rays[:, 0]  # of integers up to 2^20: different slopes stay different
    order = np.lexsort([slope, apex])
    used, sizes = np.unique(apex, return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return _Sheaf(points[used], rays[order], order, ~turned[order], offsets)


class Pencils(Intersections):
    """Planar families with J = 2, by pencils of lines: hypotheses are not looked at one by one."""

    @cached_property
    def _data(self) -> _Data:
        sheaf, (places, weights) = _sheaf(self.family), self._distinct
        sizes = np.diff(sheaf.offsets)
        first, length = (np.empty((len(sizes), len(places)), np.int16) for _ in range(2))
        for p, apex in enumerate(sheaf.apexes):
            _runs(apex, sheaf.rays[sheaf.offsets[p] : sheaf.offsets[p + 1]], places, first[p], length[p])
        pencil, special = np.nonzero(length != sizes[:, None])
        starts = np.searchsorted(pencil, np.arange(len(sizes) + 1))
        special = np.ascontiguousarray(special)  # one layout for all, or kernels are compiled twice
        return _Data(
            first, length, weights, special, starts, sizes, self.family.multiplicity[sheaf.lines], sheaf.offsets
        )

    @cached_property
    def _distinct(self) -> tuple[Integers, _Small]:
        """Return the distinct places in the order of the examples, and the sum of the weights at each, if not 0."""
        x, y = self.sample.places.T
        _, first, place = np.unique((x << 32) + y, return_index=True, return_inverse=True)
        weights = np.zeros(len(x), np.int32)
        weights[first] = np.bincount(place, self.sample.weights)  # floats add these integers exactly
        return self.sample.places[weights != 0], weights[weights != 0]

    @cached_property
    def _counts(self) -> Integers:
        """Sets by lane and mistakes, (LANES, total + 1)."""
        sizes, places = self._data.sizes, len(self._data.weights)
        steps = len(sizes) ** 2 // 2 * places + 2 * int(sizes.sum()) ** 2
        counts = count_by_lane(_count, self._data, self.sample.base, (4, self.sample.total + 1), steps)
        return np.asarray(counts.sum(axis=1))

    @cached_property
    def counts(self) -> Integers:
        """Number of sets with each number of mistakes."""
        return np.asarray(self._counts.sum(axis=0))

    def find(self, mistakes: int, rank: int) -> tuple[int, ...]:
        """Return the halfplanes of the set, by a second pass over its lane."""
        lane, left = lane_of(self._counts[:, mistakes], rank)
        p, j, q, i = _find(lane, LANES, self._data, mistakes - self.sample.base, left)
        return tuple(sorted({self._halfplane(p, j), self._halfplane(q, i)}))

    def _halfplane(self, pencil: int, ray: int) -> int:
        """Return the index of the closed left side of a ray among the distinct halfspaces."""
        sheaf = _sheaf(self.family)
        size = sheaf.offsets[pencil + 1] - sheaf.offsets[pencil]
        at = sheaf.offsets[pencil] + ray % size
        left_is_upper = bool(sheaf.upper[at]) == (ray < size)
        return int(2 * sheaf.lines[at]) + (0 if left_is_upper else 1)
