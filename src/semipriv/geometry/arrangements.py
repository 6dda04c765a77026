"""Cells of arrangements of hyperplanes, and the sign vectors of vector configurations, in any dimension.

Points x_i and halfspaces 1[w x + b >= 0] are dual: the dichotomies of the points are the cells that the hyperplanes
{(w, b): w x_i + b = 0} cut out of the space of (w, b).  Two ways lead to one point in each cell:

- ``simple_cells``: of a simple arrangement each bounded-below cell has one lowest vertex, at which d hyperplanes meet;
  the others reach below all vertices and are the cells of a cut (recursion).  Exactly sum_{i <= d} C(k, i) points in
  floating point, and nothing to be compared (Edelsbrunner 1987, section 1.2).  ``complete`` holds them against that
  number, which no arrangement exceeds (Buck 1943): as many certain, distinct sign vectors are all there are.
- ``sign_vectors``: of any arrangement, degenerate as it may be.  Each cell is a cone; its extreme rays are orthogonal
  to hyperplanes spanned by the vectors, and their sum lies inside it.  Exact predicates.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Floats, Indices, Integers, Whole, Words
from semipriv.geometry.bits import first_of_each, groups, packed
from semipriv.geometry.predicates import affine_values, hyperplanes, independent_columns, rounding_bound, scaled

__all__ = [
    "cell_points",
    "complete",
    "crossings",
    "number_of_cells",
    "primitive",
    "sign_vectors",
    "simple_cells",
]

_Found = tuple[Floats, Words]
"""Points or rays, and the sign vector of each packed into words."""

_BLOCK = 4_000_000
_ROWS = 1_000_000
_TURNS = 3
"""Sweep directions to try before an arrangement that is nearly complete is worked exactly."""
_NEARLY = 0.95
"""Share of the cells that must be found for another direction to be worth its while."""


def number_of_cells(k: int, d: int) -> int:
    """Return sum_{i <= d} C(k, i), the cells of a simple arrangement of k hyperplanes in R^d; no arrangement has more.

    >>> number_of_cells(3, 2)
    7
    """
    return sum(math.comb(k, i) for i in range(d + 1))


# --------------------------------------------------------------------------------------------------- simple
def simple_cells(planes: Floats, turn: int = 0) -> Floats:
    """Return a point of each cell of a simple arrangement of hyperplanes {u: a u + c = 0}: (sum C(k, i), d).

    planes: (k, d + 1) rows (a, c).  turn: which of several directions is "up".  Floating point, O(d^2 + k) a vertex.
    If hyperplanes are not, or only just, in general position, rows may be nan or points of other cells.
    """
    with np.errstate(all="ignore"):
        return _simple_cells(planes, turn)


def _simple_cells(planes: Floats, turn: int) -> Floats:
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
    parts.append(floor * up + _simple_cells(cut, turn) @ basis.T)
    return np.concatenate(parts)


@njit(cache=True)
def _above_vertices(planes: Floats, subsets: Integers, up: Floats) -> tuple[Floats, Floats]:
    """Return points (s, d) above the vertices v in which subsets (s, d) of the planes meet, and the heights up v (s,).

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


@njit(cache=True)
def _inverse(planes: Floats, subset: Integers, work: Floats) -> bool:
    """Write the inverse of the matrix of the d normals of a subset into the right half of work (d, 2 d).

    Gauss-Jordan elimination with partial pivoting; returns False if a pivot is 0.
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


@njit(cache=True)
def _reach(planes: Floats, subset: Integers, v: Floats, direction: Floats) -> float:
    """Return the least step at which v + step * direction meets a plane not in the subset; max(1, |v|) if none."""
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


def complete(planes: Floats, want: int, read: Callable[[Floats], Iterable[_Found]]) -> Floats | None:
    """Return all rows that ``read`` finds in the cells of an arrangement (k, d + 1), or None if some may be missing.

    read: gets the points of ``simple_cells`` (r, d), and returns blocks of rows and words that are certain.  want: the
    largest possible number of different words; with as many, none is missing.  Other directions are tried as long as
    few words are missing, and fewer every time.
    """
    rows, words = np.zeros((0, 0)), np.zeros((0, 0), np.uint64)
    for turn in range(_TURNS):
        have = len(rows)
        blocks = list(read(simple_cells(planes, turn)))
        if have:
            blocks.insert(0, (rows, words))
        rows, words = np.concatenate([r for r, _ in blocks]), np.concatenate([w for _, w in blocks])
        first = first_of_each(words)
        rows, words = rows[first], words[first]
        if len(rows) == want:
            return rows
        if len(rows) < _NEARLY * want or len(rows) == have:
            break
    return None


# --------------------------------------------------------------------------------------------------- exact
def sign_vectors(whole: Whole) -> tuple[Bools, Floats]:
    """Return all sign vectors (v_i theta > 0)_i without zeros in which the first sign is positive, each once.

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
    known: _Found = np.zeros((0, width)), packed(np.zeros((0, n), bool))
    waiting: list[_Found] = []
    seen: set[bytes] = set()
    for subsets in _subsets(n, width - 1, max(1, _BLOCK // (n << width - 1))):
        normals, sides = hyperplanes(whole, floats, subsets)
        on, spans = sides == 0, normals.any(axis=1)
        simple = spans & (on.sum(axis=1) == width - 1)
        waiting.append(_about_simple(subsets[simple], normals[simple], sides[simple]))
        for i in np.flatnonzero(spans & ~simple):
            if on[i].tobytes() not in seen:
                seen.add(on[i].tobytes())
                waiting.append(_about_crowded(whole, normals[i], sides[i]))
        if sum(len(rays) for rays, _ in waiting) > len(known[0]) + _ROWS:
            known, waiting = _merged([known, *waiting]), []
    rays, words = _merged([known, *waiting])
    return np.unpackbits(words.view(np.uint8), axis=1, count=n).astype(bool), rays


def _about_simple(subsets: Indices, normals: Floats, sides: NDArray[np.int8]) -> _Found:
    """Return the cells about rays (s, D); each is orthogonal to D - 1 vectors, a subset (s, D - 1), and to no other."""
    n, subset_size = sides.shape[1], subsets.shape[1]
    splits = np.array(list(itertools.product((False, True), repeat=subset_size)))
    bits = np.repeat((sides > 0)[:, None], len(splits), axis=1)
    places = np.broadcast_to(subsets[:, None], (len(subsets), len(splits), subset_size))
    np.put_along_axis(bits, places, splits[None], 2)
    return _first_positive(bits.reshape(-1, n), np.repeat(normals, len(splits), axis=0))


def _about_crowded(whole: Whole, normal: Floats, sides: NDArray[np.int8]) -> _Found:
    """Return the cells about one ray (D,) that is orthogonal to any number of vectors."""
    on = sides == 0
    inner, _ = sign_vectors(np.delete(whole[on], np.argmax(np.abs(normal)), axis=1))
    bits = np.repeat((sides > 0)[None], 2 * len(inner), axis=0)
    bits[:, on] = np.concatenate([inner, ~inner])
    return _first_positive(bits, np.repeat(normal[None], len(bits), axis=0))


def _first_positive(bits: Bools, rays: Floats) -> _Found:
    """Return cells and their rays, turned such that the sign of the first vector is positive."""
    flipped = ~bits[:, :1]
    return np.where(flipped, -rays, rays), packed(bits ^ flipped)


def _subsets(n: int, size: int, rows: int) -> Iterator[Indices]:
    """Yield all subsets of range(n) of that size, in blocks (rows, size)."""
    every = itertools.combinations(range(n), size)
    while block := list(itertools.islice(every, rows)):
        yield np.array(block, np.intp).reshape(len(block), size)


def _merged(parts: list[_Found]) -> _Found:
    """Return the sums of the rays of equal words, and the distinct words."""
    rays, words = np.concatenate([r for r, _ in parts]), np.concatenate([w for _, w in parts])
    order, starts = groups(words)
    return np.add.reduceat(rays[order], starts, axis=0), words[order[starts]]


# --------------------------------------------------------------------------------------------------- points of cells
def primitive(whole: Whole) -> tuple[Whole, Indices]:
    """Return the distinct hyperplanes {x: a x + c = 0} of the integer rows (a, c), and the index of each row's one.

    A hyperplane is a row of coprime integers; the first that is not 0 is positive.  The index is -1 for a = 0.
    """
    place: dict[tuple[int, ...], int] = {}
    of = np.full(len(whole), -1, np.intp)
    for i, row in enumerate(whole.tolist()):
        leading = next((v for v in row[:-1] if v), 0)
        if leading:
            common = math.gcd(*row) if leading > 0 else -math.gcd(*row)
            of[i] = place.setdefault(tuple([v // common for v in row]), len(place))
    return np.array(list(place), object).reshape(-1, whole.shape[1]), of


def cell_points(whole: Whole) -> tuple[Floats, bool]:
    """Return a point of each cell of distinct ``primitive`` hyperplanes (k, d + 1), and if the arrangement is simple.

    Cells narrower than rounding may be missed.  Certificate of a simple arrangement: sum C(k, i) points have signs that
    are certain and differ, and no arrangement has more cells.
    """
    k, d = len(whole), whole.shape[1] - 1
    if k == 0:
        return np.zeros((1, d)), True
    if d == 1:
        ends = crossings(whole)
        return _between(ends)[:, None], len(ends) == k
    floats, bits = scaled(whole)
    points = complete(floats, number_of_cells(k, d), lambda x: [_certain_signs(floats, x)])
    if points is not None:
        return np.ldexp(points, bits[d] - bits[:d]), True
    return _cells_by_rays(whole), False


def _certain_signs(planes: Floats, points: Floats) -> _Found:
    """Return the points among (r, d) that are certainly on no plane (k, d + 1), and on which side of each they lie."""
    kept, words = [points[:0]], [packed(np.zeros((0, len(planes)), bool))]
    with np.errstate(invalid="ignore", over="ignore"):
        for x in np.array_split(points, 1 + len(points) * len(planes) // _BLOCK):
            columns = np.ascontiguousarray(x.T)
            value = affine_values(planes, columns)
            sure = np.all(np.abs(value) > rounding_bound(planes, columns), axis=0)
            kept.append(x[sure])
            words.append(packed(value[:, sure].T > 0))
    return np.concatenate(kept), np.concatenate(words)


def _cells_by_rays(whole: Whole) -> Floats:
    """Return points (r, d) of the cells of any arrangement: sign vectors of its rows and the hyperplane at infinity."""
    d = whole.shape[1] - 1
    vectors = np.concatenate([np.array([[0] * d + [1]], object), whole])
    columns = independent_columns(vectors)
    _, bits = scaled(vectors[:, columns])
    _, rays = sign_vectors(vectors[:, columns])
    points = np.zeros((len(rays), d))
    points[:, columns[:-1]] = np.ldexp(rays[:, :-1] / rays[:, -1:], bits[-1] - bits[:-1])
    return points


def _between(ends: Floats) -> Floats:
    """Return numbers below, between and above sorted ends."""
    margin = max(1.0, float(np.abs(ends).max()))
    return np.concatenate([[ends[0] - margin], ends[:-1] / 2 + ends[1:] / 2, [ends[-1] + margin]])


def crossings(whole: Whole) -> Floats:
    """Return the points -c / a of hyperplanes (a, c) of the line, sorted; equal floats stand once."""
    return np.unique(np.array([-c / a for a, c in whole.tolist()]))
