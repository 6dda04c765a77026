"""The planar rectangle of least cost: a sweep over pairs of rows with a tree over the columns."""

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Floats, Indices, Integers

__all__ = ["least_rectangle"]


def least_rectangle(columns: Indices, rows: Indices, costs: Floats) -> tuple[int, int, int, int] | None:
    """Return the ranks (left, low, right, high) of the sides of a rectangle with the least sum of costs inside.

    columns, rows: (n,) ranks of the points; costs: (n,).  None where the least sum is >= 0, that of the empty set.  The
    rectangle is the least one around the points in it, and the first such by (low, high, right, left) where sums are
    exact, for instance of integers; where they are rounded, it is of least cost up to rounding.

    For each lowest row the rows above are added one by one to a tree over the columns, whose nodes hold sum and best
    stretches of their columns (Bentley 1984; Dobkin, Gunopulos and Maass 1996): O(n^2 log n).
    """
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(int(rows.max()) + 2))
    best, low, high = _sweep(
        columns[order].astype(np.int64), starts.astype(np.int64), costs[order], int(columns.max()) + 1
    )
    if best >= 0:
        return None
    inside = (rows >= low) & (rows <= high)
    distinct, place = np.unique(columns[inside], return_inverse=True)
    up_to = np.concatenate([[0.0], np.cumsum(np.bincount(place, costs[inside], len(distinct)))])
    limits = np.minimum(*(_last(place[rows[inside] == row], len(distinct)) for row in (low, high)))
    costliest_before = np.maximum.accumulate(up_to[:-1])
    values = np.where(limits > 0, up_to[1:] - costliest_before[limits - 1], np.inf)
    right = int(np.argmin(values))
    left = int(np.argmax(up_to[: limits[right]]))
    return (int(distinct[left]), int(low), int(distinct[right]), int(high)) if values[right] < 0 else None


def _last(places: Indices, size: int) -> Indices:
    """Return for each of ``size`` columns one more than the last of the places up to it, 0 if there is none."""
    met = np.zeros(size, np.intp)
    met[places] = places + 1
    return np.maximum.accumulate(met)


@njit(cache=True)
def _sweep(columns: Integers, starts: Integers, costs: Floats, width: int) -> tuple[float, int, int]:
    """Return the least cost of a rectangle, and its lowest and highest row; 0 for the empty one.

    Nodes of the tree hold (sum, least prefix, least suffix, least stretch), where prefix, suffix and stretch may be
    empty; leaves are columns.  ``lowest`` says of each whether it can be had with a point of the lowest row: where not,
    the rectangle is met again from its own lowest row.
    """
    leaves = 1
    while leaves < width:
        leaves *= 2
    best, low, high = 0.0, 0, 0
    tree = np.empty((2 * leaves, 4))
    lowest = np.empty((2 * leaves, 4), np.bool_)
    for bottom in range(starts.size - 1):
        tree[:] = 0.0
        lowest[:] = False
        for top in range(bottom, starts.size - 1):
            for i in range(starts[top], starts[top + 1]):
                node = leaves + columns[i]
                tree[node, 0] += costs[i]
                tree[node, 1:] = min(tree[node, 0], 0.0)
                lowest[node, 0] |= top == bottom
                lowest[node, 1:] = lowest[node, 0] and tree[node, 0] <= 0.0
                node //= 2
                while node:
                    _join(tree, lowest, node)
                    node //= 2
            if tree[1, 3] < best and lowest[1, 3]:
                best, low, high = tree[1, 3], bottom, top
    return best, low, high


@njit(cache=True)
def _join(tree: Floats, lowest: Bools, node: int) -> None:
    """Work a node out from its children a and b, left and right.

    sum = sum_a + sum_b, prefix = min(prefix_a, sum_a + prefix_b), suffix = min(suffix_b, sum_b + suffix_a), stretch =
    min(stretch_a, stretch_b, suffix_a + prefix_b).
    """
    a, b = tree[2 * node], tree[2 * node + 1]
    in_a, in_b = lowest[2 * node], lowest[2 * node + 1]
    prefix, suffix, across = a[0] + b[1], b[0] + a[2], a[2] + b[1]
    least = min(a[3], b[3], across)
    tree[node, 0] = a[0] + b[0]
    tree[node, 1], tree[node, 2], tree[node, 3] = min(a[1], prefix), min(b[2], suffix), least
    lowest[node, 0] = in_a[0] | in_b[0]  # no branches: a processor could not foresee them
    lowest[node, 1] = (in_a[1] & (a[1] <= prefix)) | ((in_a[0] | in_b[1]) & (prefix <= a[1]))
    lowest[node, 2] = (in_b[2] & (b[2] <= suffix)) | ((in_b[0] | in_a[2]) & (suffix <= b[2]))
    lowest[node, 3] = (
        (in_a[3] & (a[3] <= least)) | (in_b[3] & (b[3] <= least)) | ((in_a[2] | in_b[1]) & (across <= least))
    )
