"""Compiled: coordinates of private points, and sums of clipped gradients in integers.

A column is made of its own point alone.  Numbers are those of ``affine_values`` and ``bounded``, operation by
operation: the same bits.
"""

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Integers

_TILE = 64
"""Points at a time: what is made of them stays in the nearest cache."""


@njit(cache=True)
def coordinates_and_scores(
    columns: Floats, rows: Floats, radius: float, constant: float, weights: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Return coordinates (k + 1, n) of standardised points (d, n), and their scores (n,).

    rows: (k, d + 1), each an affine function, a coordinate.  Columns longer than the radius are shortened to it; the
    last coordinate is ``constant``.  A score is <weights, u>, and what the affine function ``start`` (d + 1,) adds, if
    it has entries.
    """
    n, k = columns.shape[1], len(rows)
    u, scores = np.empty((k + 1, n)), np.empty(n)
    z, own, factors = np.empty((len(columns), _TILE)), np.empty((k + 1, _TILE)), np.empty(_TILE)
    own[k] = constant
    for first in range(0, n, _TILE):
        size = min(_TILE, n - first)
        _copy(columns, first, z, 0, size)
        factors[:] = 0.0
        for j in range(k):
            _affine(z, rows[j], own[j])
            for i in range(_TILE):
                factors[i] += own[j, i] * own[j, i]
        for i in range(_TILE):
            factors[i] = radius / max(np.sqrt(factors[i]), radius)
        for j in range(k):
            for i in range(_TILE):
                own[j, i] *= factors[i]
        _copy(own, 0, u, first, size)
        _affine(own, weights, factors)
        for i in range(size):
            scores[first + i] = factors[i]
        if len(start):
            _affine(z, start, factors)
            for i in range(size):
                scores[first + i] += factors[i]
    return u, scores


@njit(cache=True)
def _copy(points: Floats, start: int, into: Floats, first: int, size: int) -> None:
    """Write some points, in columns, into others; numba takes seconds to compile the same with slices."""
    for j in range(len(into)):
        for i in range(size):
            into[j, first + i] = points[j, start + i]


@njit(cache=True)
def _affine(columns: Floats, row: Floats, into: Floats) -> None:
    """Write ((w_1 x_1 + w_2 x_2) + ...) + b of a tile of points."""
    d = len(columns)
    weight = row[0]
    for i in range(_TILE):
        into[i] = weight * columns[0, i]
    j = 1
    while j + 3 < d:  # four terms at a time, in the same order: sums are loaded and stored a fourth as often
        w0, w1, w2, w3 = row[j], row[j + 1], row[j + 2], row[j + 3]
        for i in range(_TILE):
            into[i] = (
                ((into[i] + w0 * columns[j, i]) + w1 * columns[j + 1, i]) + w2 * columns[j + 2, i]
            ) + w3 * columns[j + 3, i]
        j += 4
    while j < d:
        weight = row[j]
        for i in range(_TILE):
            into[i] += weight * columns[j, i]
        j += 1
    weight = row[-1]
    for i in range(_TILE):
        into[i] += weight


@njit(cache=True)
def bounded_sum(residuals: Floats, u: Floats, factor: float, most: int) -> Integers:
    """Return the sum over columns of r u factor, (p,), each as integers of L1 norm at most ``most``, as ``bounded``."""
    p, n = u.shape
    total, cut = np.zeros(p, np.int64), np.empty((p, _TILE))
    norms, whole = np.empty(_TILE), np.empty(_TILE)
    for first in range(0, n, _TILE):
        size = min(_TILE, n - first)
        norms[:], whole[:] = 0.0, 0.0
        for j in range(p):
            for i in range(size):
                cut[j, i] = residuals[first + i] * u[j, first + i] * factor
                norms[i] += abs(cut[j, i])
        for i in range(size):
            norms[i] = most / norms[i] if norms[i] > most else 1.0
        for j in range(p):
            for i in range(size):
                value = np.trunc(cut[j, i] * norms[i])
                cut[j, i] = value if abs(value) <= most else 0.0
                whole[i] += abs(cut[j, i])  # integers up to ``most``: their sum is exact
        for i in range(size):
            norms[i] = 1.0 if whole[i] <= most else 0.0
        for j in range(p):
            part = 0.0
            for i in range(size):
                part += cut[j, i] * norms[i]
            total[j] += np.int64(part)
    return total
