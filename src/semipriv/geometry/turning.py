"""Signed-weight empirical risk minimisation over the dichotomies of points of R^d by halfspaces, by turning.

The hyperplane of a least dichotomy can be moved until it holds d - 1 points; it then turns about them, for every choice
of d - 1 points.
"""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from semipriv.core import estimates
from semipriv.core.kernels import njit, thread_count
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices
from semipriv.core.work import check_work

__all__ = ["Halfspace", "best_halfspace"]


_FEW = 1000
"""Hyperplanes below which one thread is as quick as many."""


class Halfspace(NamedTuple):
    """A dichotomy of points in general position by a halfspace, and its sum of costs.

    The hyperplane through the points ``subset`` (d,) has the points inside on one side and those outside on the other.
    The points of the subset lie on it; by tilting it, each can be put on any side.  inside: (N,) bool.
    """

    value: float
    subset: tuple[int, ...]
    inside: Bools


def best_halfspace(points: Points, costs: Floats) -> Halfspace:
    """Return the dichotomy by a halfspace of R^d of least sum of the costs inside, for points in general position.

    points: (N, d) finite, no d + 1 of them on a hyperplane; costs: (N,) finite, of any sign.  The hyperplane of a least
    dichotomy can be moved until it holds d - 1 points; it then turns about them, for every choice of d - 1 points:
    O(N^d log N) time on as many threads as numba is given, O(N^{d-1}) memory; the first least one in the order of
    subsets, whatever the threads.  Sums are rounded, off by at most ``sweep.rounding_error(costs)``.  For N < d the
    subset has all points.

    Signs are those of floating-point determinants beyond their rounding error (to first order, with a wide margin).
    Raises ValueError if they are not: for points that are not, or only just, in general position.

    >>> x = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0], [0.5, 0.6, 0.7]])
    >>> best_halfspace(x, np.array([-1.0, -1.0, -1.0, -1.0, 2.5])).value
    -3.0
    """
    x, cost = np.asarray(points, np.float64), np.ascontiguousarray(costs, np.float64)
    if x.ndim != 2 or x.shape[1] == 0 or cost.shape != x.shape[:1]:
        raise ValueError(f"points, costs: must have shapes (N, d) and (N,), got {x.shape} and {cost.shape}")
    n, d = x.shape
    if n < d:
        inside = cost < 0
        return Halfspace(float(cost[inside].sum()), tuple(range(n)), inside)
    centred = x / 2 - (x.min(axis=0) / 4 + x.max(axis=0) / 4)
    extent = np.abs(centred).max(axis=0)
    homogeneous = np.column_stack([centred / np.where(extent > 0, extent, 1.0), np.ones(n)])
    turns = math.comb(n, d - 1)
    what = f"turns of a halfspace about {d - 1} of {n:,} points at a time"
    check_work(what, estimates.halfspaces_turned(turns, n, d), "take fewer points or features")
    flat = itertools.chain.from_iterable(itertools.combinations(range(n), d - 1))
    subsets = np.fromiter(flat, np.int64).reshape(turns, d - 1)
    value = _least_sums(homogeneous, cost, subsets)
    if np.any(np.isnan(value)):
        near = tuple(subsets[np.argmax(np.isnan(value))].tolist())
        raise ValueError(f"points: not in general position, up to rounding, about a hyperplane through points {near}")
    subset = subsets[np.argmin(value)]
    inside = np.zeros(n, bool)
    _, met = _turn_about(homogeneous, cost, subset, inside)
    return Halfspace(float(cost[inside].sum()), (*subset.tolist(), int(met)), inside)


def _least_sums(z: Floats, cost: Floats, subsets: Indices) -> Floats:
    """Return the least sum of costs of a hyperplane through each subset, on as many threads as numba is given."""
    value = np.empty(len(subsets))
    threads = 1 if len(subsets) < _FEW else thread_count()
    if threads == 1:
        _turns(z, cost, subsets, value)
        return value
    with ThreadPoolExecutor(threads) as pool:
        parts = zip(np.array_split(subsets, threads), np.array_split(value, threads), strict=True)
        for done in [pool.submit(_turns, z, cost, part, places) for part, places in parts]:
            done.result()
    return value


@njit(cache=True, nogil=True)
def _turns(z: Floats, cost: Floats, subsets: Indices, value: Floats) -> None:
    """Write the least sum of costs of a hyperplane through each subset; nan if its signs are not certain."""
    inside = np.empty(len(z), np.bool_)
    for s in range(len(subsets)):
        value[s] = _turn_about(z, cost, subsets[s], inside)[0]


@njit(cache=True)
def _turn_about(z: Floats, cost: Floats, subset: Indices, inside: Bools) -> tuple[float, int]:
    """Turn a hyperplane about a subset of the homogeneous points z (N, d + 1).

    Return the least sum and the point that is met then.  inside (N,): set to the dichotomy.  In the plane
    orthogonal to the subset the hyperplane is a line through the origin; points in its upper half-plane are ahead.
    """
    basis, tolerance = _complement(z, subset)
    n, subset_size = len(z), len(subset)
    p, rest = np.empty((n - subset_size, 2)), np.empty(n - subset_size, np.int64)
    key, upper, size = np.empty(n - subset_size), np.empty(n - subset_size, np.bool_), np.empty(n - subset_size)
    total, ahead, m = 0.0, 0.0, 0
    for i in range(n):
        inside[i] = False
        if _among(i, subset):
            continue
        dx, dy, square = 0.0, 0.0, 0.0
        for f in range(z.shape[1]):
            dx += z[i, f] * basis[0, f]
            dy += z[i, f] * basis[1, f]
            square += z[i, f] * z[i, f]
        rest[m], upper[m], size[m] = i, dy > 0, np.sqrt(square)
        total += cost[i]
        if upper[m]:
            ahead += cost[i]
        else:
            dx, dy = -dx, -dy
        p[m, 0], p[m, 1] = dx, dy
        key[m] = -dx / (abs(dx) + dy) if dx != 0 or dy != 0 else 0.0
        m += 1
    order = _sorted(key[:m])
    best, step, within = np.inf, 0, True
    for t in range(m):
        i, j, sign = order[t], order[(t + 1) % m], 1.0 if t + 1 < m else -1.0
        far_i, far_j = np.hypot(p[i, 0], p[i, 1]), np.hypot(p[j, 0], p[j, 1])
        area = sign * (p[i, 0] * p[j, 1] - p[i, 1] * p[j, 0]) if m > 1 else far_i * far_i
        if not area > tolerance * (size[i] * far_j + size[j] * far_i):
            return np.nan, 0
        ahead += -cost[rest[i]] if upper[i] else cost[rest[i]]
        if ahead < best:
            best, step, within = ahead, t, True
        if total - ahead < best:
            best, step, within = total - ahead, t, False
    for t in range(m):
        inside[rest[order[t]]] = (upper[order[t]] != (t <= step)) == within
    for i in subset:
        inside[i] = cost[i] < 0
        best += min(0.0, cost[i])
    return best, rest[order[step]]


@njit(cache=True)
def _among(i: int, subset: Indices) -> bool:
    """Return whether a point belongs to a subset."""
    inside = False
    for member in subset:
        inside |= member == i
    return inside


@njit(cache=True)
def _sorted(key: Floats) -> Indices:
    """Return the indices of keys (m,) in increasing order of key and index: a merge sort, quick to compile."""
    order, other = np.arange(len(key)), np.empty(len(key), np.int64)
    width = 1
    while width < len(key):
        for low in range(0, len(key), 2 * width):
            middle, high = min(low + width, len(key)), min(low + 2 * width, len(key))
            i, j = low, middle
            for k in range(low, high):
                if j == high or (i < middle and key[order[i]] <= key[order[j]]):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    return order


@njit(cache=True)
def _product(u: Floats, v: Floats) -> float:
    """Return u . v; array expressions would take a second to compile."""
    total = 0.0
    for f in range(len(u)):
        total += u[f] * v[f]
    return total


@njit(cache=True)
def _farthest(basis: Floats) -> int:
    """Return the first axis farthest from the span of orthonormal rows (r, width)."""
    best, least = 0, np.inf
    for f in range(basis.shape[1]):
        along = _product(basis[:, f], basis[:, f])
        if along < least:
            best, least = f, along
    return best


@njit(cache=True)
def _complement(z: Floats, subset: Indices) -> tuple[Floats, float]:
    """Return two orthonormal vectors orthogonal to the k rows of a subset, and the relative error of their products.

    Gram-Schmidt, twice (Giraud, Langou, Rozloznik 2005).  The error grows with the condition number of the rows scaled
    to length 1: at most k^{k/2} over the product of the sines of the angles of each row with the span of those before.
    """
    width, subset_size = z.shape[1], len(subset)
    basis, sines = np.zeros((width, width)), 1.0
    for row in range(width):
        v = basis[row]
        if row < subset_size:
            for f in range(width):
                v[f] = z[subset[row], f]
        else:
            v[_farthest(basis[:row])] = 1.0
        length = np.sqrt(_product(v, v))
        for _ in range(2):
            for r in range(row):
                along = _product(basis[r], v)
                for f in range(width):
                    v[f] -= along * basis[r, f]
        remains = np.sqrt(_product(v, v))
        if row < subset_size:
            sines *= remains / length
        if sines == 0:
            return basis[:2], np.inf
        for f in range(width):
            v[f] /= remains
    return basis[subset_size:], 2.0**-53 * 64 * width * max(subset_size, 1) ** (subset_size / 2) / sines
