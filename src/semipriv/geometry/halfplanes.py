"""Dichotomies of points in the plane by halfplanes, each exactly once, ties and collinear points included.

Two disjoint convex polygons A, B have exactly one common tangent directed such that A lies left of it or on it, B right
of it or on it, and on it A comes first.  So the dichotomies with both sides non-empty correspond one to one to the
ordered pairs (a, b) of points that are consecutive on the line through them: A holds the points strictly left of
a -> b, and those on the line up to a.  Swapping a and b gives the complement.  In general position that makes
m (m - 1) + 2 dichotomies with the two trivial ones.
"""

from collections.abc import Iterator

import numpy as np

from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices
from semipriv.geometry.predicates import orientations_of_pairs

_BLOCK = 2_000_000
_PAIRS = 300_000
"""Orientations that are computed at once: their arrays fit a cache."""

Split = tuple[Indices, Indices, Bools]


def splits(points: Points) -> Iterator[Split]:
    """Yield blocks (a, b, inside) of pairs a < b and the dichotomies of a -> b; b -> a has the complement.

    points: (m, 2) distinct and sorted lexicographically, which is also their order along every line.
    a, b: (k,) indices of points consecutive on their line, by increasing a, then b; inside: (k, m) bool, exact.
    """
    m = len(points)
    order = np.arange(m)
    step = max(1, _PAIRS // max(1, m**2))
    for start in range(0, m - 1, step):
        first = order[start : min(start + step, m - 1)]
        a = np.repeat(first, m - 1 - first)
        b = np.concatenate([order[i + 1 :] for i in first])
        side = orientations_of_pairs(points[a], points[b], points)
        on = side == 0
        if np.count_nonzero(on) > 2 * len(a):  # some line has a third point: keep neighbours on it
            consecutive = ~np.any(on & (order > a[:, None]) & (order < b[:, None]), axis=1)
            a, b, side, on = a[consecutive], b[consecutive], side[consecutive], on[consecutive]
        yield a, b, (side > 0) | (on & (order <= a[:, None]))


def sides(points: Points, a: Indices, b: Indices) -> Bools:
    """Return the dichotomies of a -> b, pairs a < b as ``splits`` yields them: (k, m), exact."""
    side = orientations_of_pairs(points[a], points[b], points)
    return np.asarray((side > 0) | ((side == 0) & (np.arange(len(points)) <= a[:, None])))


def most_facets(points: Points) -> int:
    """Return the largest number of points whose label alone may change, over all dichotomies of m >= 1 points.

    points: as for ``splits``.  In the dual plane, the most facets of a cell.  Dichotomies are compared by sums of
    64-bit keys: should two sums agree by chance, the number is too large, never too small.

    >>> most_facets(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    4
    """
    m = len(points)
    keys = np.random.default_rng(m).integers(0, 2**64, m, np.uint64)
    inside = np.concatenate([np.ones((1, m), bool), *(block for _, _, block in splits(points))])
    inside = np.concatenate([inside, ~inside])
    sums = (inside * keys).sum(axis=1, dtype=np.uint64)
    changed = np.where(inside, sums[:, None] - keys, sums[:, None] + keys)
    return int(np.isin(changed, sums).sum(axis=1).max())


def separators(points: Points, a: Indices, b: Indices, inside: Bools) -> Floats:
    """Return lines that separate the dichotomies of a -> b: (k, 3) rows (w_1, w_2, b) with w x + b > 0 inside.

    inside: (k, m).  The line turns counter-clockwise about the midpoint of a and b, half the way to the next point that
    it would meet.  If further points lie on it up to rounding, it turns about the middle between the last of them
    inside and the first outside.  Floating point; zeros on over- or underflow: the caller checks each one.
    """
    theta = np.empty((len(a), 3))
    rows = max(1, _BLOCK // max(1, len(points)))
    with np.errstate(all="ignore"):
        for start in range(0, len(a), rows):
            block = slice(start, start + rows)
            theta[block] = _separators(points, a[block], b[block], inside[block])
    theta[~np.all(np.isfinite(theta), axis=1)] = 0.0
    return theta


def _separators(points: Points, a: Indices, b: Indices, inside: Bools) -> Floats:
    half = points[b] / 2 - points[a] / 2
    direction = half / np.hypot(half[:, 0], half[:, 1])[:, None]
    left = np.stack([-direction[:, 1], direction[:, 0]], axis=1)
    rounding = 2.0**-48 * (np.abs(left) @ np.abs(points).max(axis=0))
    dx, dy = ((points[:, j] - points[a, j, None]) - half[:, j, None] for j in (0, 1))  # from the midpoint
    along = dx * direction[:, :1] + dy * direction[:, 1:]
    across = dx * left[:, :1] + dy * left[:, 1:]
    scale = np.max(np.abs(along), axis=1, keepdims=True)
    near = np.abs(across) <= 1e-12 * scale + rounding[:, None]
    last = np.max(along, axis=1, where=near & inside, initial=-np.inf)
    first = np.min(along, axis=1, where=near & ~inside, initial=np.inf)
    pivot = (last + first) / 2
    along -= pivot[:, None]
    meets = ((along > 0) == (across > 0)) & ~near
    slope = np.where(meets, np.abs(across) / np.abs(along), np.inf)
    row, next_met = np.arange(len(slope)), np.argmin(slope, axis=1)
    turn = np.arctan2(np.abs(across[row, next_met]), np.abs(along[row, next_met]))
    angle = np.where(meets[row, next_met], turn, np.pi / 2) / 2
    centre = points[a] + half + pivot[:, None] * direction
    normal = left * np.cos(angle)[:, None] - direction * np.sin(angle)[:, None]
    return np.column_stack([normal, -np.sum(normal * centre, axis=1)])
