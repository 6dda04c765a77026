"""The planar rectangle of least cost: a sweep over pairs of rows with a tree over the columns."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["least_rectangle"]

_Floats = NDArray[np.float64]


def least_rectangle(
    columns: NDArray[np.intp], rows: NDArray[np.intp], costs: _Floats
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Ranks ((left, right), (low, high)) of a rectangle with the least sum of the costs inside; None where it is >= 0.

    columns, rows: (n,) ranks of the points; costs: (n,).  For each lowest row the rows above are added one by one to a
    tree over the columns, whose nodes hold sum and best stretches of their columns (Bentley 1984; Dobkin, Gunopulos and
    Maass 1996): O(n^2 log n).
    """
    order = np.argsort(rows, kind="stable")
    height = int(rows.max()) + 1
    starts = np.searchsorted(rows[order], np.arange(height + 1))
    width = int(columns.max()) + 1
    best, low, high = _sweep(columns[order].astype(np.int64), starts.astype(np.int64), costs[order], width)
    if best >= 0:
        return None
    inside = (rows >= low) & (rows <= high)
    up_to = np.concatenate([[0.0], np.cumsum(np.bincount(columns[inside], costs[inside], width))])
    least_after = np.minimum.accumulate(up_to[:0:-1])[::-1]
    left = int(np.argmin(least_after - up_to[:-1]))
    right = left + int(np.argmin(up_to[left + 1 :]))
    return ((left, right), (int(low), int(high))) if up_to[right + 1] < up_to[left] else None


@njit(cache=True)  # type: ignore[untyped-decorator]
def _sweep(columns: NDArray[np.int64], starts: NDArray[np.int64], costs: _Floats, width: int) -> tuple[float, int, int]:
    """Least cost of a rectangle, and its lowest and highest row; 0 for the empty one.

    Nodes of the tree hold (sum, least prefix, least suffix, least stretch), where prefix, suffix and stretch may be
    empty; leaves are columns.
    """
    leaves = 1
    while leaves < width:
        leaves *= 2
    best, low, high = 0.0, 0, 0
    tree = np.empty((2 * leaves, 4))
    for bottom in range(starts.size - 1):
        tree[:] = 0.0
        for top in range(bottom, starts.size - 1):
            for i in range(starts[top], starts[top + 1]):
                node = leaves + columns[i]
                tree[node, 0] += costs[i]
                below_zero = min(tree[node, 0], 0.0)
                tree[node, 1] = tree[node, 2] = tree[node, 3] = below_zero
                node //= 2
                while node:
                    a, b = tree[2 * node], tree[2 * node + 1]
                    tree[node, 0] = a[0] + b[0]
                    tree[node, 1] = min(a[1], a[0] + b[1])
                    tree[node, 2] = min(b[2], b[0] + a[2])
                    tree[node, 3] = min(a[3], b[3], a[2] + b[1])
                    node //= 2
            if tree[1, 3] < best:
                best, low, high = tree[1, 3], bottom, top
    return best, low, high
