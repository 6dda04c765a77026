"""Weighted numbers of points in many halfspaces at once, as double-precision arithmetic evaluates them.

Rounding is monotone: x <= y implies fl(x) <= fl(y).  So the floating-point value v(x) = ((w_1 x_1 + w_2 x_2) + ...)
+ b grows with x_j if w_j >= 0 and falls if w_j < 0, and over a box of points it lies between its floating-point
values at two opposite corners.  A node of a k-d tree whose corners agree on the sign is therefore counted or dropped
whole, with no tolerance and no rounding error; points are evaluated one by one only in the leaves that the boundary
cuts, O(sqrt(n)) of them in the plane.  An infinite sum has the right sign; infinity minus infinity is not a number and
counts for no side, neither at a point nor at a corner (if it arises at a point, it does, or the sign is the other one,
at the corner that would have to vouch for that point).
"""

import numpy as np

from semipriv.core.kernels import njit, prange
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices, Integers

__all__ = ["weighted_counts"]


_LEAF = 64
"""Largest number of points of a leaf, unless the rows are so few that a deep tree does not pay."""
_LANES = 8
"""Leaves hold a multiple of it, so that vector instructions leave no rest."""
_ROWS = 64
"""Rows that a thread takes at once."""


def weighted_counts(parameters: Floats, points: Points, weights: Integers) -> Integers:
    """Return sum_i weights_i 1[w . x_i + b >= 0] for every row (w_1, ..., w_d, b), (k,) int64.

    parameters: (k, d + 1); points: (n, d) finite; weights: (n,) integers.  Terms are added one coordinate at a time in
    double precision, ((w_1 x_1 + w_2 x_2) + ...) + b without fused operations.  A row and its negative are worked
    together.  O(n log n) for the tree and, in dimension d >= 2, O(n^{1 - 1/d}) a row for points that fill the space; on
    as many threads as numba is given, with a result that does not depend on them.  Raises ValueError for wrong shapes
    and for weights that are not integers.

    >>> weighted_counts(np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]]), np.array([[0.0, 5.0], [1.0, 5.0]]),
    ...                 np.array([10, 1]))
    array([ 1, 11])
    """
    theta, x = np.asarray(parameters, np.float64), np.asarray(points, np.float64)
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError(f"points: must have shape (n, d) with d >= 1, got {x.shape}")
    n, d = x.shape
    if theta.ndim != 2 or theta.shape[1] != d + 1:
        raise ValueError(f"parameters: must have shape (k, {d + 1}), got {theta.shape}")
    if np.shape(weights) != (n,) or not np.issubdtype(np.asarray(weights).dtype, np.integer):
        raise ValueError(f"weights: must be {n} integers")
    if n == 0 or len(theta) == 0:
        return np.zeros(len(theta), np.int64)
    if d == 1:  # the kernels want two coordinates; a sum does not change by 0 * 0
        x, theta = np.column_stack([x, np.zeros(n)]), np.insert(theta, 1, 0.0, axis=1)
    rows, place, negative = _up_to_sign(theta)
    depth = 0
    while n > _LEAF << depth and depth < len(rows).bit_length():  # a level costs as much as a few rows without it
        depth += 1
    size = -(-n // (_LANES << depth)) * _LANES
    padding = (size << depth) - n  # points of weight 0
    columns = np.ascontiguousarray(np.concatenate([x, np.repeat(x[-1:], padding, axis=0)]).T)
    masses = np.concatenate([np.asarray(weights, np.int64), np.zeros(padding, np.int64)])
    boxes, sums = _tree(columns, masses, depth)
    not_negative, not_positive = _count(rows, columns, masses, boxes, sums, depth)
    return np.where(negative, not_positive[place], not_negative[place])


def _up_to_sign(
    theta: Floats,
) -> tuple[Floats, Indices, Bools]:
    """Return the distinct rows up to sign (h, d + 1), the index of each row's one (k,), and if it is its negative (k,).

    fl(-theta . x) = -fl(theta . x) exactly: the negative of a row is >= 0 exactly if the row is <= 0.
    """
    leading = np.take_along_axis(theta, np.argmax(theta != 0, axis=1)[:, None], axis=1)
    negative = leading < 0
    folded = np.where(negative, -theta, theta)
    order = np.lexsort(folded.T)
    new = np.ones(len(theta), bool)
    new[1:] = np.any(folded[order[1:]] != folded[order[:-1]], axis=1)
    place = np.empty(len(theta), np.intp)
    place[order] = np.cumsum(new) - 1
    return folded[order[new]], place, negative[:, 0]


@njit(cache=True)
def _split(columns: Floats, weights: Integers, j: int, start: int, stop: int, middle: int) -> None:
    """Rearrange points start:stop so that x_j[:middle] <= x_j[middle:] (quickselect), in expected O(stop - start)."""
    x = columns[j]
    low, high, state = start, stop - 1, np.uint64(0x9E3779B97F4A7C15)
    while low < high:
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        pivot = x[low + np.int64((state >> np.uint64(1)) % np.uint64(high - low + 1))]
        i, k = low, high
        while i <= k:
            while x[i] < pivot:
                i += 1
            while x[k] > pivot:
                k -= 1
            if i <= k:
                for f in range(len(columns)):
                    columns[f, i], columns[f, k] = columns[f, k], columns[f, i]
                weights[i], weights[k] = weights[k], weights[i]
                i += 1
                k -= 1
        if middle <= k:
            high = k
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True)
def _tree(columns: Floats, weights: Integers, depth: int) -> tuple[Floats, Integers]:
    """Sort points (d, n) and weights into a k-d tree in place; return its boxes and sums of weights.

    A perfect tree: node i of a level holds the i-th of 2^level equal stretches of the points, halved at the median of
    its widest coordinate.  Nodes of all levels follow one another; boxes: (nodes, 2 d) rows (low_1, high_1, ...).
    """
    d, n = columns.shape
    boxes, sums = np.empty(((2 << depth) - 1, 2 * d)), np.empty((2 << depth) - 1, np.int64)
    node = 0
    for level in range(depth + 1):
        width = n >> level
        for start in range(0, n, width):
            widest, extent = 0, 0.0
            for j in range(d):
                low = high = columns[j, start]
                for i in range(start, start + width):
                    low, high = min(low, columns[j, i]), max(high, columns[j, i])
                boxes[node, 2 * j], boxes[node, 2 * j + 1] = low, high
                if high - low > extent:
                    widest, extent = j, high - low
            sums[node] = weights[start : start + width].sum()
            if level < depth and extent > 0:
                feature = np.int64(widest)  # of a constant, ``_split`` would be compiled twice
                _split(columns, weights, feature, start, start + width, start + width // 2)
            node += 1
    return boxes, sums


@njit(cache=True)
def _sides(
    theta: Floats,
    columns: Floats,
    weights: Integers,
    boxes: Floats,
    sums: Integers,
    depth: int,
    here: Integers,
    below: Integers,
    value: Floats,
) -> tuple[int, int]:
    """Return the sum of the weights of points with v(x) >= 0, and that of points with v(x) <= 0, for one row theta.

    here, below: room for 2^{depth + 1} nodes; value: room for the points of a leaf.
    """
    d, size = len(columns), len(value)
    near, far = np.empty(d, np.int64), np.empty(d, np.int64)  # where a box keeps the corners of least and largest value
    for j in range(d):
        near[j] = 2 * j + (1 if theta[j] < 0 else 0)
        far[j] = 4 * j + 1 - near[j]
    w_1, w_2, b = theta[0], theta[1], theta[d]  # two coordinates out of the loops: half the time in the plane
    near_1, near_2, far_1, far_2 = near[0], near[1], far[0], far[1]
    not_negative, not_positive, count = 0, 0, 1
    here[0] = 0
    for level in range(depth + 1):
        kept = 0
        for c in range(count):
            node = (1 << level) - 1 + here[c]
            least = w_1 * boxes[node, near_1] + w_2 * boxes[node, near_2]
            greatest = w_1 * boxes[node, far_1] + w_2 * boxes[node, far_2]
            for j in range(2, d):
                least += theta[j] * boxes[node, near[j]]
                greatest += theta[j] * boxes[node, far[j]]
            least += b
            greatest += b
            zero = (least == 0) & (greatest == 0)
            not_negative += sums[node] if (least > 0) | zero else 0
            not_positive += sums[node] if (greatest < 0) | zero else 0
            below[2 * kept], below[2 * kept + 1] = 2 * here[c], 2 * here[c] + 1
            kept += not ((least > 0) | (greatest < 0) | zero)
        here, below, count = below, here, 2 * kept
    for c in range(0, count, 2):
        start = (here[c] >> 1) * size
        stop = start + size
        x, y, mass = columns[0, start:stop], columns[1, start:stop], weights[start:stop]  # contiguous, hence vectorised
        for i in range(size):
            value[i] = w_1 * x[i] + w_2 * y[i]
        for j in range(2, d):
            x = columns[j, start:stop]
            for i in range(size):
                value[i] += theta[j] * x[i]
        for i in range(size):
            v = value[i] + b
            not_negative += mass[i] if v >= 0 else 0
            not_positive += mass[i] if v <= 0 else 0
    return not_negative, not_positive


@njit(cache=True, parallel=True)
def _count(
    rows: Floats, columns: Floats, weights: Integers, boxes: Floats, sums: Integers, depth: int
) -> tuple[Integers, Integers]:
    """Return ``_sides`` of every row: two (h,) int64."""
    not_negative, not_positive = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    for block in prange(-(-len(rows) // _ROWS)):
        here, below = np.empty(2 << depth, np.int64), np.empty(2 << depth, np.int64)
        value = np.empty(columns.shape[1] >> depth)
        for r in range(block * _ROWS, min(len(rows), (block + 1) * _ROWS)):
            not_negative[r], not_positive[r] = _sides(rows[r], columns, weights, boxes, sums, depth, here, below, value)
    return not_negative, not_positive
