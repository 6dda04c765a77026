"""Cells and faces of arrangements of hyperplanes, and the sign vectors of vector configurations, in any dimension.

Points x_i and halfspaces 1[w x + b >= 0] are dual: the dichotomies of the points are the cells that the hyperplanes
{(w, b): w x_i + b = 0} cut out of the space of (w, b).  Two ways lead to one point in each cell:

- ``simple_cells``: of a simple arrangement each bounded-below cell has one lowest vertex, at which d hyperplanes meet;
  the others reach below all vertices and are the cells of a cut (recursion).  Exactly sum_{i <= d} C(k, i) points,
  nothing to be compared, floating point: the caller holds them against that number, which no arrangement exceeds.
- ``sign_vectors``: of any arrangement, degenerate as it may be.  Each cell is a cone; its extreme rays are orthogonal
  to hyperplanes spanned by the vectors, and their sum lies inside it.  Exact predicates.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from semipriv.geometry.bits import first_of_each, groups, packed
from semipriv.geometry.predicates import Integers, hyperplanes, independent_columns, scaled

__all__ = [
    "cell_points",
    "face_points",
    "number_of_cells",
    "primitive",
    "sign_vectors",
    "simple_cells",
]

_Floats = NDArray[np.float64]
_BLOCK = 4_000_000
_ROWS = 1_000_000
TURNS = 3
"""Sweep directions to try before an arrangement that is nearly complete is worked exactly."""


def number_of_cells(k: int, d: int) -> int:
    """Cells of a simple arrangement of k hyperplanes in R^d: sum_{i <= d} C(k, i); no arrangement has more.

    >>> number_of_cells(3, 2)
    7
    """
    return sum(math.comb(k, i) for i in range(d + 1))


# --------------------------------------------------------------------------------------------------- simple
def simple_cells(planes: _Floats, turn: int = 0) -> _Floats:
    """A point of each cell of the arrangement of hyperplanes {u: a u + c = 0}, if it is simple: (sum C(k, i), d).

    planes: (k, d + 1) rows (a, c).  turn: which of several directions is "up".  Floating point, O(d^2 + k) a vertex;
    where hyperplanes are not, or nearly not, in general position, rows may be nan or points of other cells.
    """
    k, d = planes.shape[0], planes.shape[1] - 1
    if d == 0:
        return np.zeros((1, 0))
    length = np.sqrt((planes**2).sum(axis=1, keepdims=True))
    unit = np.ascontiguousarray(planes / np.where(length > 0, length, 1.0))
    up = np.cos(np.arange(1.0, d + 1) * (turn + 1.0) + 0.5)
    up /= np.sqrt(up @ up)
    parts, heights = [], np.zeros(0)
    if k >= d:
        flat = itertools.chain.from_iterable(itertools.combinations(range(k), d))
        subsets = np.fromiter(flat, np.int64, math.comb(k, d) * d).reshape(-1, d)
        points, heights = _above_vertices(unit, subsets, up)
        parts.append(points)
    heights = heights[np.isfinite(heights)]
    floor = float(heights.min() - 1 - np.abs(heights).max()) if heights.size else -1.0
    basis = np.linalg.qr(np.column_stack([up, np.eye(d)]))[0][:, 1:]
    cut = np.column_stack([unit[:, :d] @ basis, unit[:, :d] @ (floor * up) + unit[:, d]])
    parts.append(floor * up + simple_cells(cut, turn) @ basis.T)
    return np.concatenate(parts)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _above_vertices(planes: _Floats, subsets: NDArray[np.int64], up: _Floats) -> tuple[_Floats, _Floats]:
    """Points above the vertices v where subsets (s, d) of the planes meet, (s, d), and the heights up v, (s,).

    up = sum_i l_i a_i over the subset: v is the lowest vertex of the cell where l_i (a_i u + c_i) >= 0.  The point lies
    in it in the direction along which each |a_i u + c_i| grows alike, half the way to the next hyperplane.
    """
    many, d = subsets.shape
    points, heights = np.empty((many, d)), np.empty(many)
    work = np.empty((d, 2 * d))
    v, direction = np.empty(d), np.empty(d)
    for s in range(many):
        if not _inverse(planes, subsets[s], work):
            points[s], heights[s] = np.nan, np.nan
            continue
        v[:] = 0.0
        direction[:] = 0.0
        for i in range(d):
            multiplier = 0.0
            for j in range(d):
                multiplier += work[j, d + i] * up[j]
            sign = 1.0 if multiplier > 0 else -1.0
            for j in range(d):
                v[j] -= work[j, d + i] * planes[subsets[s, i], d]
                direction[j] += work[j, d + i] * sign
        step = _reach(planes, subsets[s], v, direction)
        heights[s] = 0.0
        for j in range(d):
            heights[s] += up[j] * v[j]
            points[s, j] = v[j] + 0.5 * step * direction[j]
    return points, heights


@njit(cache=True)  # type: ignore[untyped-decorator]
def _inverse(planes: _Floats, subset: NDArray[np.int64], work: _Floats) -> bool:
    """Write the inverse of the matrix of the d normals of a subset into the right half of work (d, 2 d).

    Gauss-Jordan elimination with partial pivoting; False where a pivot is 0.
    """
    d = len(subset)
    for i in range(d):
        for j in range(d):
            work[i, j] = planes[subset[i], j]
            work[i, d + j] = 1.0 if i == j else 0.0
    for column in range(d):
        best = column
        for i in range(column + 1, d):
            if abs(work[i, column]) > abs(work[best, column]):
                best = i
        if work[best, column] == 0.0:
            return False
        for j in range(2 * d):
            work[column, j], work[best, j] = work[best, j], work[column, j]
        pivot = work[column, column]
        for j in range(2 * d):
            work[column, j] /= pivot
        for i in range(d):
            factor = work[i, column]
            if i != column and factor != 0.0:
                for j in range(2 * d):
                    work[i, j] -= factor * work[column, j]
    return True


@njit(cache=True)  # type: ignore[untyped-decorator]
def _reach(planes: _Floats, subset: NDArray[np.int64], v: _Floats, direction: _Floats) -> float:
    """Least step at which v + step * direction meets a plane not in the subset; max(1, |v|) where it meets none."""
    d = len(subset)
    step = np.inf
    for k in range(len(planes)):
        value, speed = planes[k, d], 0.0
        for j in range(d):
            value += planes[k, j] * v[j]
            speed += planes[k, j] * direction[j]
        if value * speed < 0 and abs(value) < step * abs(speed) and not np.any(subset == k):
            step = -value / speed
    return max(1.0, np.abs(v).max()) if step == np.inf else step


# --------------------------------------------------------------------------------------------------- exact
def sign_vectors(whole: Integers) -> tuple[NDArray[np.bool_], _Floats]:
    """All sign vectors (v_i theta > 0)_i without zeros, of vectors v_i in which the first is positive, each once.

    whole: (n, D) vectors, none zero, that span R^D.  Returns (k, n) bool, exact, and (k, D) the sum theta of the unit
    extreme rays of each cell, for the vectors ``scaled``.  With the complements these are all sign vectors.

    An extreme ray of the cone {theta: +-v_i theta >= 0} is orthogonal to D - 1 independent vectors; off the hyperplane
    that they span it has the signs of the cell, and on it those of a cell of the vectors of that hyperplane, in
    dimension D - 1.  O(C(n, D - 1) (n + 2^D)) in general position.
    """
    n, width = whole.shape
    if width == 1:
        positive = np.array([v > 0 for v in whole[:, 0]])
        return (positive == positive[0])[None], np.array([[1.0 if positive[0] else -1.0]])
    floats, _ = scaled(whole)
    splits = np.array(list(itertools.product((False, True), repeat=width - 1)))
    words, rays = np.zeros((0, max(1, -(-n // 64))), np.uint64), np.zeros((0, width))
    waiting: list[tuple[NDArray[np.uint64], _Floats]] = []
    seen: set[bytes] = set()
    rows = max(1, _BLOCK // (n * len(splits)))
    for subsets in _subsets(n, width - 1, rows):
        normals, sides = hyperplanes(whole, floats, subsets)
        on, spans = sides == 0, normals.any(axis=1)
        simple = spans & (on.sum(axis=1) == width - 1)
        bits = np.repeat((sides[simple] > 0)[:, None], len(splits), axis=1)
        np.put_along_axis(
            bits, np.broadcast_to(subsets[simple][:, None], (*bits.shape[:2], width - 1)), splits[None], 2
        )
        found = [(bits.reshape(-1, n), np.repeat(normals[simple], len(splits), axis=0))]
        for i in np.flatnonzero(spans & ~simple):
            key = on[i].tobytes()
            if key not in seen:
                seen.add(key)
                inner, _ = sign_vectors(np.delete(whole[on[i]], np.argmax(np.abs(normals[i])), axis=1))
                bits = np.repeat((sides[i] > 0)[None], 2 * len(inner), axis=0)
                bits[:, on[i]] = np.concatenate([inner, ~inner])
                found.append((bits, np.repeat(normals[i][None], len(bits), axis=0)))
        for bits, normal in found:
            flipped = ~bits[:, :1]
            waiting.append((packed(bits ^ flipped), np.where(flipped, -normal, normal)))
        if sum(len(w) for w, _ in waiting) > len(words) + _ROWS:
            words, rays = _merged([(words, rays), *waiting])
            waiting = []
    words, rays = _merged([(words, rays), *waiting])
    return np.unpackbits(words.view(np.uint8), axis=1, count=n).astype(bool), rays


def _subsets(n: int, size: int, rows: int) -> Iterator[NDArray[np.intp]]:
    """All subsets of range(n) of that size, in blocks (rows, size)."""
    every = itertools.combinations(range(n), size)
    while block := list(itertools.islice(every, rows)):
        yield np.array(block, np.intp).reshape(len(block), size)


def _merged(parts: list[tuple[NDArray[np.uint64], _Floats]]) -> tuple[NDArray[np.uint64], _Floats]:
    """Equal words once, the sum of their rays."""
    words, rays = np.concatenate([w for w, _ in parts]), np.concatenate([r for _, r in parts])
    order, starts = groups(words)
    return words[order[starts]], np.add.reduceat(rays[order], starts, axis=0)


# --------------------------------------------------------------------------------------------------- points of faces
def primitive(whole: Integers) -> tuple[Integers, NDArray[np.intp]]:
    """The distinct hyperplanes {x: a x + c = 0} of the integer rows (a, c), and which one each row is, -1 for a = 0.

    Each is the row of coprime integers whose first is positive.
    """
    place: dict[tuple[int, ...], int] = {}
    of = np.full(len(whole), -1, np.intp)
    for i, row in enumerate(whole.tolist()):
        leading = next((v for v in row[:-1] if v), 0)
        if leading:
            common = math.gcd(*row) if leading > 0 else -math.gcd(*row)
            of[i] = place.setdefault(tuple([v // common for v in row]), len(place))
    return np.array(list(place), object).reshape(-1, whole.shape[1]), of


def cell_points(whole: Integers) -> tuple[_Floats, bool]:
    """A point of each cell of the arrangement of distinct ``primitive`` hyperplanes (k, d + 1), and if it is simple.

    As long as the cells are not narrower than rounding.  A simple arrangement is certified so: sum C(k, i) points whose
    signs are certain are found to differ, and no arrangement has more cells.
    """
    k, d = len(whole), whole.shape[1] - 1
    if k == 0:
        return np.zeros((1, d)), True
    if d == 1:
        ends = _crossings(whole)
        inner = ends[:-1] / 2 + ends[1:] / 2
        margin = max(1.0, float(np.abs(ends).max()))
        return np.concatenate([[ends[0] - margin], inner, [ends[-1] + margin]])[:, None], len(ends) == k
    floats, bits = scaled(whole)
    known: list[_Floats] = []
    want, have = number_of_cells(k, d), 0
    for turn in range(TURNS):
        points = simple_cells(floats, turn)
        known.append(points[_certain(floats, points)])
        together = np.concatenate(known)
        first = first_of_each(packed(together @ floats[:, :d].T + floats[:, d] > 0))
        if len(first) == want:
            return np.ldexp(together[first], bits[d] - bits[:d]), True
        if len(first) < want * 0.95 or len(first) == have:
            break
        have = len(first)
    infinity = np.array([[0] * d + [1]], object)
    vectors = np.concatenate([infinity, whole])
    columns = independent_columns(vectors)
    _, bits = scaled(vectors[:, columns])
    _, rays = sign_vectors(vectors[:, columns])
    points = np.zeros((len(rays), d))
    points[:, columns[:-1]] = np.ldexp(rays[:, :-1] / rays[:, -1:], bits[-1] - bits[:-1])
    return points, False


def _certain(planes: _Floats, points: _Floats) -> NDArray[np.bool_]:
    """Points (r, d) whose sides of all planes (k, d + 1) are beyond rounding errors: a sum of d + 1 products."""
    d = points.shape[1]
    certain = np.zeros(len(points), bool)
    rows = max(1, _BLOCK // len(planes))
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, len(points), rows):
            x = points[start : start + rows]
            value = x @ planes[:, :d].T + planes[:, d]
            size = np.abs(x) @ np.abs(planes[:, :d]).T + np.abs(planes[:, d])
            certain[start : start + rows] = np.all(np.abs(value) > (d + 3) * 2.0**-52 * size, axis=1)
    return certain


def _crossings(whole: Integers) -> _Floats:
    """Distinct points -c / a of hyperplanes (a, c) of the line, sorted; those that round to the same number once."""
    return np.unique(np.array([-c / a for a, c in whole.tolist()]))


def face_points(whole: Integers, generators: NDArray[np.bool_]) -> Iterator[_Floats]:
    """Points (r, d) of the faces of dimension < d that the hyperplanes (k, d + 1) marked as generators meet in.

    whole: distinct and ``primitive``.  A face of dimension d - j is a cell of the arrangement inside the intersection
    of j generators; integers keep these arrangements exact, and points are rounded.
    """
    d = whole.shape[1] - 1
    if d == 1:
        if generators.any():
            yield _crossings(whole[generators])[:, None]
        return
    for i in np.flatnonzero(generators):
        row = whole[i].tolist()
        p = max(range(d), key=lambda j: abs(row[j]))
        rest = [j for j in range(d) if j != p]
        inside = np.delete(whole * row[p] - whole[:, [p]] * whole[[i]], p, axis=1)
        inside, place = primitive(inside)
        later = np.zeros(len(inside), bool)
        later[place[(place >= 0) & generators & (np.arange(len(whole)) > i)]] = True
        slopes = np.array([row[j] / row[p] for j in rest])
        for points in itertools.chain([cell_points(inside)[0]], face_points(inside, later)):
            lifted = np.empty((len(points), d))
            lifted[:, rest] = points
            lifted[:, p] = -(points @ slopes + row[d] / row[p])
            yield lifted
