"""Labelled points of the line counted between many cuts, with a table of buckets instead of a sort."""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.samples import Labels
from semipriv.core.types import Floats, Integers

__all__ = ["excess_below"]

POINTS = range(10_000, 2**31)
"""Numbers of points to count so: fewer are sorted in no time, of more there may be too many in one bucket."""
_CHUNK = 1_024
"""Points whose buckets are found at once: their arrays fit the nearest cache."""
_MOST_BUCKETS = 2**15
_CROWDED = 16
"""Cuts in one bucket from which on points are sorted: each point of that bucket is compared with them one by one."""


def excess_below(cuts: Floats, x: Floats, labels: Labels, *, closed: bool) -> Integers | None:
    """Return (number of ones) - (number of zeros) among the points below each cut: (k,), O(n + k log k).

    cuts: (k,), infinite ones too; x: (n,) finite; closed: whether a point that equals a cut is below it.  None if the
    cuts are too crowded for a table, or all equal.

    The bucket of v is floor((v - low) * scale), held to [0, buckets - 1].  Each rounded step is monotone, so the bucket
    is: a cut in a lower bucket than a point's is below the point, one in a higher bucket above.  So most points, in
    buckets without a cut, are counted by their bucket alone; the others are compared with the cuts of their bucket.

    >>> labels = np.array([1, 0, 1], np.int8)
    >>> excess_below(np.array([0.5, 2.0, -np.inf]), np.array([0.0, 1.0, 2.0]), labels, closed=True)
    array([1, 1, 0])
    """
    order = np.argsort(cuts, kind="stable")
    ordered = cuts[order]
    finite = ordered[np.isfinite(ordered)]
    buckets = min(_MOST_BUCKETS, 1 << (16 * len(cuts) - 1).bit_length())
    with np.errstate(over="ignore", divide="ignore"):
        scale = buckets / (finite[-1] - finite[0]) if finite.size else np.inf
    if not 0 < scale < np.inf:
        return None
    first = _table(ordered, finite[0], scale, buckets)
    if np.diff(first).max() > _CROWDED:
        return None
    ends = np.append(ordered, np.inf)
    change = _changes(np.ascontiguousarray(x), labels, ends, first, finite[0], scale, closed)
    below = np.empty(len(cuts), np.int64)
    below[order] = np.cumsum(change[:-1])
    return below


@njit(cache=True)
def _bucket(v: float, low: float, scale: float, last: float) -> np.int32:
    return np.int32(min(max((v - low) * scale, 0.0), last))


@njit(cache=True)
def _table(cuts: Floats, low: float, scale: float, buckets: int) -> NDArray[np.uint32]:
    """Return how many cuts are in buckets before each, and all of them: (buckets + 1,)."""
    first = np.zeros(buckets + 1, np.uint32)
    for cut in cuts:
        first[_bucket(cut, low, scale, buckets - 1.0) + 1] += np.uint32(1)
    for b in range(buckets):
        first[b + 1] += first[b]
    return first


@njit(cache=True)
def _changes(
    x: Floats, labels: Labels, cuts: Floats, first: NDArray[np.uint32], low: float, scale: float, closed: bool
) -> Integers:
    """Return the ones less the zeros among the points with r cuts below them, r = 0, ..., k: (k + 1,).

    cuts: (k + 1,) increasing, the last infinite.  Loops without branches that depend on the points, except for points
    in buckets of two cuts and more.
    """
    buckets = len(first) - 1
    holds = np.empty(buckets, np.uint8)
    for b in range(buckets):
        holds[b] = first[b + 1] > first[b]
    change, inside = np.zeros(len(cuts), np.int64), np.zeros(buckets, np.int32)
    place, left = np.empty(_CHUNK, np.uint32), np.empty(_CHUNK + 1, np.uint32)
    for start in range(0, len(x), _CHUNK):
        part, label = x[start : start + _CHUNK], labels[start : start + _CHUNK]
        for i in range(len(part)):
            place[i] = _bucket(part[i], low, scale, buckets - 1.0)
        kept = np.uint64(0)
        for i in range(len(part)):
            inside[place[i]] += 2 * label[i] - 1
            left[kept] = i
            kept += np.uint64(holds[place[i]])
        for i in left[:kept]:
            v, rank = part[i], np.uint64(first[place[i]])
            if closed:
                rank += np.uint64(cuts[rank] < v)
                while cuts[rank] < v:
                    rank += np.uint64(1)
            else:
                rank += np.uint64(cuts[rank] <= v)
                while cuts[rank] <= v:
                    rank += np.uint64(1)
            change[rank] += 2 * label[i] - 1
    for b in range(buckets):
        if not holds[b]:
            change[first[b]] += inside[b]
    return change
