"""Exact signs: the orientation of three points in the plane, the side of a hyperplane through vectors in any dimension.

A floating-point filter decides nearly all cases; in the plane, where the coordinate differences are exact, error-free
products decide; the rest goes through integers of any size.
"""

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.types import Bools, Floats, Indices, Integers, Whole

_FILTER = (3.0 + 16.0 * 2.0**-53) * 2.0**-53
_PRIME = 2**31 - 1
_SPLITTER = 2.0**27 + 1.0
_SAFE = 2.0**450  # products of factors in (1 / _SAFE, _SAFE) neither overflow nor lose their tail to underflow


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return (p, e) with p = fl(a b) and p + e = a b exactly (Dekker), barring over- and underflow."""
    product = a * b
    scaled_a, scaled_b = _SPLITTER * a, _SPLITTER * b
    high_a, high_b = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error


def _exact(a: Floats, b: Floats, d: Floats) -> Bools:
    """Return whether d = fl(a - b) has no rounding error (its two-sum tail is zero)."""
    bb = a - d
    return (a - (d + bb)) + (bb - b) == 0


def _in_integers(a: Floats, b: Floats, c: Floats) -> NDArray[np.int8]:
    """Return the orientations of triples (k, 2), each coordinate in multiples of its last bit in any of the three."""
    digits, exponents = np.frexp(np.stack([a, b, c]))
    shifts = exponents - exponents.min(axis=0)
    (ax, ay), (bx, by), (cx, cy) = np.swapaxes(np.ldexp(digits, 53).astype(np.int64).astype(object) << shifts, 1, 2)
    determinant = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (determinant > 0).astype(np.int8) - (determinant < 0).astype(np.int8)


def orientation(a: Floats, b: Floats, c: Floats) -> NDArray[np.int8]:
    """Return the exact sign of (b - a) x (c - a): +1 if c lies left of the directed line a -> b, 0 on it, -1 right.

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
    rest = np.flatnonzero(~exact)
    if rest.size:
        answer[rest] = _in_integers(fa[rest], fb[rest], fc[rest])
    sign[unsure] = answer
    return sign


def orientations_of_pairs(a: Floats, b: Floats, c: Floats) -> NDArray[np.int8]:
    """Return the exact orientation of (a_j, b_j, c_k) for all j, k: (p, 2), (p, 2), (q, 2) -> (p, q) int8.

    The same as ``orientation`` of all triples, by one cheap filter: ten times as fast.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        u = b - a
        x, y = c[:, 0] - a[:, :1], c[:, 1] - a[:, 1:]
        determinant = u[:, :1] * y - u[:, 1:] * x
        bound = np.abs(u).max(axis=1, keepdims=True) * (2 * _FILTER) * np.maximum(np.abs(x), np.abs(y))
        sign, unsure = _certain(determinant, bound)
    sign[unsure] = orientation(a[unsure[0]], b[unsure[0]], c[unsure[1]])
    return sign


def _certain(determinant: Floats, bound: Floats) -> tuple[NDArray[np.int8], tuple[Indices, ...]]:
    """Return the signs of determinants with errors up to a bound, (p, q) int8, and the places of the uncertain ones."""
    unsure = np.nonzero(~(np.abs(determinant) > np.maximum(bound, 2.0**-900)) | ~np.isfinite(bound))
    return (determinant > 0).astype(np.int8) - (determinant < 0).astype(np.int8), unsure


# --------------------------------------------------------------------------------------------------- any dimension


def affine_values(theta: Floats, columns: Floats) -> Floats:
    """Return ((w_1 x_1 + w_2 x_2) + ...) + b in floating point: rows (k, d + 1), coordinates (d, n) -> (k, n).

    Coordinates are added one at a time: a value depends on its own row and point alone, and not on how the rows and
    points are blocked, as in a matrix product.
    """
    value = theta[:, :1] * columns[0]
    for j in range(1, len(columns)):
        value += theta[:, j : j + 1] * columns[j]
    value += theta[:, -1:]
    return value


def rounding_bound(theta: Floats, columns: Floats) -> Floats:
    """Return what ``affine_values`` must exceed for their signs to be certain, (k, n).

    d products and d sums put a value off by at most d 2^-53 of |w| |x| + |b|, to first order (Higham 2002, section
    3.1); twice (d + 3) 2^-53 leaves room for the rounding of the bound and for data that were rounded once themselves.
    The last term is for underflow.
    """
    reserve = len(columns) + 3
    bound = affine_values(np.abs(theta), np.abs(columns))
    bound *= reserve * 2.0**-52
    bound += reserve * 2.0**-1074
    return bound


def integers(values: Floats) -> tuple[Whole, Integers]:
    """Return integers (n, D) and exponents (D,) with values = integers * 2^exponents exactly, column by column."""
    table: list[list[int]] = []
    exponents = []
    for column in np.asarray(values, np.float64).T.tolist():
        ratios = [v.as_integer_ratio() for v in column]
        shift = max((q.bit_length() - 1 for _, q in ratios), default=0)
        whole = [p << (shift + 1 - q.bit_length()) for p, q in ratios]
        spare = min(((v & -v).bit_length() - 1 for v in whole if v), default=0)
        table.append([v >> spare for v in whole])
        exponents.append(spare - shift)
    return np.array(table, object).reshape(np.shape(values)[::-1]).T, np.array(exponents, np.int64)


def scaled(whole: Whole) -> tuple[Floats, Integers]:
    """Return floats (n, D) in [-1, 1] and exponents (D,) with floats * 2^exponents = whole, each rounded once."""
    bits = _column_bits(whole)
    rows = [[v / (1 << b) for v, b in zip(row, bits, strict=True)] for row in whole.tolist()]
    return np.array(rows, np.float64).reshape(whole.shape), np.array(bits, np.int64)


def independent_columns(whole: Whole) -> list[int]:
    """Return r sorted columns onto which the span of the rows, of dimension r, projects one to one; exact.

    The last column is among them unless it is zero.  Of the others, those with the largest entries relative to their
    column come first.  Elimination without fractions; it stops when the rank is full.
    """
    width = whole.shape[1]
    sizes = _column_bits(whole)
    largest = max(sizes)
    pivots: list[tuple[int, list[int]]] = []
    for entries in whole.tolist():
        row = entries
        for column, pivot in pivots:
            if row[column]:
                a, b = pivot[column], row[column]
                common = math.gcd(a, b)
                row = [(a // common) * v - (b // common) * u for u, v in zip(pivot, row, strict=True)]
        if not any(row):
            continue
        common = math.gcd(*row)
        row = [v // common for v in row]
        if row[-1] and all(column != width - 1 for column, _ in pivots):
            best = width - 1
        else:
            best = max(
                (c for c in range(width) if row[c]),
                key=lambda c: abs(row[c]) << (largest - sizes[c]),
            )
        pivots.append((best, row))
        if len(pivots) == width:
            break
    return sorted(column for column, _ in pivots)


def rank_at_least(whole: Whole) -> int:
    """Return the rank of integers (n, D) modulo a prime, which their rank is not below; by elimination in O(n D^2)."""
    rows = (whole % _PRIME).astype(np.int64)
    rank = 0
    for column in range(rows.shape[1]):
        below = np.flatnonzero(rows[rank:, column])
        if not len(below):
            continue
        place = rank + int(below[0])
        rows[[rank, place]] = rows[[place, rank]]
        pivot = rows[rank] * pow(int(rows[rank, column]), -1, _PRIME) % _PRIME
        rows[rank + 1 :] = (rows[rank + 1 :] - rows[rank + 1 :, column : column + 1] * pivot) % _PRIME
        rank += 1
        if rank == len(rows):
            break
    return rank


def _minors(rows: NDArray[Any], sign: int) -> NDArray[Any]:
    """Return the signed minors (s, D) of D - 1 rows (s, D - 1, D), a vector orthogonal to them; sign = 1: absolute.

    Laplace expansion along the last row, over all sets of columns.
    """
    width = rows.shape[-1]
    minors: dict[tuple[int, ...], Any] = {(): np.ones(len(rows), rows.dtype)}
    for r in range(width - 1):
        larger = {}
        for chosen in itertools.combinations(range(width), r + 1):
            total = 0 * rows[:, r, 0]
            for place, c in enumerate(chosen):
                total = total + (sign ** (r + place)) * rows[:, r, c] * minors[chosen[:place] + chosen[place + 1 :]]
            larger[chosen] = total
        minors = larger
    every = tuple(range(width))
    return np.stack([sign**c * minors[every[:c] + every[c + 1 :]] for c in every], axis=1)


def hyperplanes(whole: Whole, floats: Floats, subsets: Indices) -> tuple[Floats, NDArray[np.int8]]:
    """Return the normals (s, D) of hyperplanes spanned by subsets (s, D - 1) of vectors, and exact sides (s, n) int8.

    whole, floats: the vectors (n, D) as integers, and ``scaled``.  Normals have length 1, rounded, for the scaled
    vectors.  If a subset does not span a hyperplane, its normal and all its sides are 0.

    A determinant is a sum of products of D entries of relative error 2^-53 each; D multiplications and fewer than D^2
    additions put it off by at most (D + D + D^2) 2^-53, to first order, of the sum of the absolute products.  Within
    four times that the determinant is worked in integers.
    """
    bits = _column_bits(whole)
    with np.errstate(under="ignore"):
        if sum(bits) + math.factorial(len(bits)).bit_length() < 53:  # determinants are exact in floating point
            values = whole.astype(np.float64)
            normals = _minors(values[subsets], -1)
            signs = np.sign(normals @ values.T).astype(np.int8)
            normals *= 2.0 ** (np.array(bits) - max(bits))  # back to the scale of the floats, up to a common factor
        else:
            normals, signs = _filtered(whole, floats, subsets)
        normals /= _positive(np.abs(normals).max(axis=1, keepdims=True))
        normals /= _positive(np.sqrt((normals**2).sum(axis=1, keepdims=True)))
    return normals, signs


def _filtered(whole: Whole, floats: Floats, subsets: Indices) -> tuple[Floats, NDArray[np.int8]]:
    """Return normals (s, D) and exact sides (s, n), by floats if these are certain, else by integers."""
    width = whole.shape[1]
    normals = _minors(floats[subsets], -1)
    products = normals @ floats.T
    signs = np.sign(products).astype(np.int8)
    bounds = _minors(np.abs(floats[subsets]), 1) @ np.abs(floats).T * (4 * width * (width + 2) * 2.0**-53)
    sure = np.abs(products) > bounds + 2.0**-900
    places = np.arange(len(subsets))[:, None], subsets
    sure[places], signs[places] = True, 0
    unsure = np.flatnonzero(~sure.all(axis=1))
    if unsure.size:
        careful = _minors(whole[subsets[unsure]], -1)
        row, place = np.nonzero(~sure[unsure])
        determinants = (careful[row] * whole[place]).sum(axis=1)
        signs[unsure[row], place] = (determinants > 0).astype(np.int8) - (determinants < 0)
        factor = np.array([1 << b for b in _column_bits(whole)], object)
        normals[unsure] = [_unit(r) for r in careful * factor]
    return normals, signs


def _column_bits(whole: Whole) -> list[int]:
    """Return the number of bits of the largest entry of each column."""
    return [int(largest).bit_length() for largest in np.abs(whole).max(axis=0, initial=0)]


def _positive(lengths: Floats) -> Floats:
    """Return divisors, with 1 instead of 0."""
    return np.where(lengths > 0, lengths, 1.0)


def _unit(row: Whole) -> list[float]:
    """Return a row of integers divided by the largest of them."""
    largest = max(abs(v) for v in row) or 1
    return [v / largest for v in row]
