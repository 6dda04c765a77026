"""Lines in the midst of the cells of halfplanes: each from the two lines that come next about its two points.

A dichotomy of points in the plane is that of a line a -> b (``semipriv.geometry.halfplanes``).  Turned counterclockwise
about a, the line next meets a point c; turned about b, a point d.  The lines a -> b, a -> c and b -> d, each with
the side where the dichotomy has its points, are in the closure of its cell; so a sum of the three with positive weights
is in the cell.  c and d follow from the points sorted by their slopes about a and about b: O(m^2 log m) for all
dichotomies of m points, none of which is compared with all points.

Points may count as on one line that are so up to rounding, as decimals are.  Then of their dichotomies only those are
left that part them in their order, which a line of doubles has with a margin.

How far the sum stays away from every point: with the unit normals n_ac + 2 n_ab + n_bd, and the angles of the wedges
held to 90 degrees, no point but a is in the wedge at a.  Beside a wedge of angle t the sum of its two lines is at least
sin(t) |p - a| at p, which makes sin(t) |p - a| + sin(s) |p - b| >= min(sin t, sin s) |a - b| in all, for a and b, too.
"""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices
from semipriv.geometry.predicates import orientation
from semipriv.geometry.slopes import comparable, settled, unsure

__all__ = ["lines", "mergeable", "turned", "unsettled"]

_BLOCK = 500_000
"""Slopes that are sorted at once, and lines that are made at once."""
_LOOKED_AT = 16
"""Points about which neighbours are looked at, to tell how long all take."""
_ROUNDING = 2.0**-47
"""Rounding of a value of a sum of normals, over the sum of their coordinates times the largest of points, is below it:
some 30 roundings of 2^-53 each.
"""
_APART = 2.0**-51
"""Distance of a point from a line, over the largest coordinates, up to which rounding to doubles may have moved it and
the two points of the line.
"""
_SPREAD = 2.0**-40
"""Least distance of two values of a coordinate, over the largest one, that are told apart whatever rounding does."""
_TINY = 2.0**-1000
"""Far above what underflow can do to a value."""


def mergeable(points: Points) -> bool:
    """Return whether rounding is far below the distances of points: then those that it parts from a line may merge.

    Args:
        points: (m, 2).
    """
    return all(bool(np.all(np.diff(np.unique(column)) > _SPREAD * np.abs(column).max())) for column in points.T)


def turned(points: Points, pivots: Indices, merge: bool = False) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """Return which point a line through a pivot and a point next meets, and which points are next to the pivot.

    Args:
        points: (m, 2) distinct and sorted lexicographically, m >= 2.
        pivots: (k,) indices.
        merge: whether lines count as one if rounding alone parts them.

    Returns:
        After: (k, m), at the place of a point c the first point, by index, on the line that comes next after the line
        through the pivot and c, counterclockwise; ~ that index where the line passes the vertical on its way.  Beside:
        (k, m), 1 where c is the first point after the pivot on their line, -1 where it is the last one before it, else
        0.  Slopes are compared exactly.
    """
    m, points = len(points), _at_one(points)
    after, beside = np.zeros((len(pivots), m), np.int32), np.zeros((len(pivots), m), np.int8)
    fast, step = comparable(points), max(1, _BLOCK // m)
    for start in range(0, len(pivots), step):
        block = slice(start, start + step)
        order, together = _by_slope(points, pivots[block], fast, merge)
        first = np.concatenate([np.ones((len(order), 1), bool), ~together], axis=1)
        starts = np.where(first, np.arange(m - 1), m - 1)
        following = np.minimum.accumulate(starts[:, :0:-1], axis=1)[:, ::-1]  # the next place at which a line starts
        following = np.concatenate([following, np.full((len(order), 1), m - 1)], axis=1)
        wrapped = following == m - 1
        met = np.take_along_axis(order, np.where(wrapped, 0, following), axis=1)
        np.put_along_axis(after[block], order, np.where(wrapped, ~met, met).astype(np.int32), axis=1)
        beyond, before = order > pivots[block, None], order < pivots[block, None]
        nearest, last = beyond.copy(), before.copy()
        nearest[:, 1:] &= ~(together & beyond[:, :-1])
        last[:, :-1] &= ~(together & before[:, 1:])
        np.put_along_axis(beside[block], order, nearest.astype(np.int8) - last, axis=1)
    return after, beside


def unsettled(points: Points) -> float:
    """Return for which share of neighbours by slope rounding decides nothing, where that costs exact orientations.

    Args:
        points: (m, 2) distinct and sorted lexicographically, m >= 2.

    Returns:
        The share, in [0, 1], of the neighbours about a few points; 0 for ``comparable`` points, which cost little.
    """
    points = _at_one(points)
    if comparable(points):
        return 0.0
    pivots = np.unique(np.linspace(0, len(points) - 1, _LOOKED_AT).astype(np.intp))
    with np.errstate(all="ignore"):
        _, slopes = _rounded(points, pivots)
    return float(np.mean(unsure(slopes)))


def _at_one(points: Points) -> Points:
    """Return points whose largest coordinates are about 1, by powers of two, if that loses no bit: their slopes compare
    as before.
    """
    _, exponents = np.frexp(np.abs(points).max(axis=0))
    scaled = np.ldexp(points, -exponents)
    return scaled if np.array_equal(np.ldexp(scaled, exponents), points) else points


def _by_slope(points: Points, pivots: Indices, fast: bool, merge: bool) -> tuple[Indices, Bools]:
    """Return the other points by the slopes of their lines through each pivot, and whether neighbours are on one.

    Those of one line are in the order of their indices.
    """
    with np.errstate(all="ignore"):
        order, slopes = _rounded(points, pivots)
        together = unsure(slopes)
    rows = np.flatnonzero(together.any(axis=1))
    order[rows], together[rows] = _exactly(points, pivots[rows], order[rows], together[rows], fast)
    if not merge:
        return order, together
    merged = together | _one_line(points, pivots, order)
    rows = np.flatnonzero((merged > together).any(axis=1))
    order[rows] = _by_index(order[rows], merged[rows], len(points))
    return order, merged


def _rounded(points: Points, pivots: Indices) -> tuple[Indices, Floats]:
    """Return the other points by the rounded slopes of their lines through each pivot, and these: (k, m - 1)."""
    run, rise = (points[:, j] - points[pivots, j, None] for j in (0, 1))
    slope = rise / run
    slope[run == 0] = np.inf
    own = np.arange(len(pivots)), pivots
    slope[own] = 0.0
    slope[np.isnan(slope).any(axis=1)] = np.inf  # differences that overflow: nothing is known of any slope
    slope[own] = np.nan  # the last one
    order = np.argsort(slope, axis=1, kind="stable")[:, :-1]
    return order, np.take_along_axis(slope, order, axis=1)


def _one_line(points: Points, pivots: Indices, order: Indices) -> Bools:
    """Return whether rounding of coordinates alone may part neighbours by slope from one line."""
    with np.errstate(all="ignore"):
        x, y = (points[order, j] - points[pivots, j, None] for j in (0, 1))
        width, height = np.abs(points).max(axis=0)
        off = np.abs(x[:, :-1] * y[:, 1:] - y[:, :-1] * x[:, 1:])
        run, rise = (np.maximum(np.abs(coordinates[:, :-1]), np.abs(coordinates[:, 1:])) for coordinates in (x, y))
        return np.asarray(off <= _APART * (rise * width + run * height))


def _by_index(order: Indices, together: Bools, m: int) -> Indices:
    """Return an order of points in which those of one line are sorted by index."""
    group = np.cumsum(np.concatenate([np.zeros((len(order), 1), bool), ~together], axis=1), axis=1)
    return np.sort(group * m + order, axis=1) % m


def _exactly(points: Points, pivots: Indices, order: Indices, near: Bools, fast: bool) -> tuple[Indices, Bools]:
    """Sort points about each pivot exactly, by slope and index, where rounding may have exchanged near neighbours."""
    row, place = np.nonzero(near)
    first, second, pivot = order[row, place], order[row, place + 1], pivots[row]
    sign = orientation(points[pivot], points[first], points[second])
    sign[(first < pivot) != (second < pivot)] *= -1
    together = near.copy()
    together[row, place] = sign == 0
    order = _by_index(order, together, len(points))
    for i in np.unique(row[sign < 0]):
        turned_row = order[i].copy()
        together[i] = settled(points, int(pivots[i]), turned_row, near[i], fast)
        order[i] = turned_row
    return order, together


def lines(
    points: Points, a: Indices, b: Indices, after_a: NDArray[np.int32], after_b: NDArray[np.int32]
) -> tuple[Floats, Bools]:
    """Return a line in the cell of each dichotomy, and where it is certain to have this in floating point.

    Args:
        points: (m, 2).
        a: (k,) indices.
        b: (k,) indices, b > a, consecutive on their line.
        after_a: (k,), of b in the row of ``turned`` of the pivot a.
        after_b: (k,), of a in that of the pivot b.

    Returns:
        Rows (w_1, w_2, b) with w of unit length and w x + b > 0 left of a -> b: (k, 3).  Certain: (k,), whether |w x +
        b| exceeds any rounding of it at every point, whatever the order of its sum is.
    """
    theta, certain = np.empty((len(a), 3)), np.empty(len(a), bool)
    with np.errstate(all="ignore"):
        largest = np.abs(points).max(axis=0)
        for start in range(0, len(a), _BLOCK):
            block = slice(start, start + _BLOCK)
            p, q = points[a[block]], points[b[block]]
            along = _unit(q - p)
            normal = _left(along)
            turned_a, narrow = _next(points, a[block], along, after_a[block])
            turned_b, narrower = _next(points, b[block], along, after_b[block])
            w = turned_a + 2 * normal + turned_b
            offset = -np.sum((turned_a + normal) * p, axis=1) - np.sum((normal + turned_b) * q, axis=1)
            theta[block] = np.column_stack([w, offset]) / np.hypot(w[:, 0], w[:, 1])[:, None]
            margin = np.minimum(narrow, narrower) * np.hypot(*(q - p).T)
            size = (np.abs(turned_a) + 2 * np.abs(normal) + np.abs(turned_b)) @ largest
            certain[block] = margin > np.maximum(_ROUNDING * size, _TINY)
    return theta, certain & np.all(np.isfinite(theta), axis=1)


def _next(points: Points, pivots: Indices, along: Floats, after: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Return the left normals of the next lines, turned by 90 degrees at most, and the sines of their angles."""
    wrapped = after < 0
    met = np.where(wrapped, ~after, after)
    direction = _unit(points[met] - points[pivots])
    direction[(met < pivots) != wrapped] *= -1.0  # points are sorted: those before a pivot are at most as far right
    wide = np.sum(along * direction, axis=1) < 0
    direction = np.where(wide[:, None], _left(along), direction)
    sine = along[:, 0] * direction[:, 1] - along[:, 1] * direction[:, 0]
    return _left(direction), np.where(wide, 1.0, sine)


def _unit(vectors: Floats) -> Floats:
    return vectors / np.hypot(vectors[:, 0], vectors[:, 1])[:, None]


def _left(vectors: Floats) -> Floats:
    """Return vectors turned by 90 degrees counterclockwise."""
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])
