"""Signed-weight empirical risk minimisation over the dichotomies of points in the plane by halfplanes, by sweeping.

The dichotomies are those of ``semipriv.geometry.halfplanes``: one for each ordered pair (a, b) of points consecutive on
their line, and the two trivial ones.  A directed line turns about a pivot a from pointing down to pointing up; inside
are the points after a in lexicographic order that it has yet to meet, and those before a that it has met.  When it has
passed a line through a, the sum of costs inside is that of a -> b, b the first point after a on that line: O(N) a pivot
once the lines through it are sorted by slope.

Slopes are compared in floating point; where two of them are so close that rounding could have exchanged or parted them,
the exact sign of the orientation decides.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from semipriv.geometry.predicates import orientation
from semipriv.samples import Points

__all__ = ["Candidate", "Halfspace", "best_halfspace", "best_split", "candidates", "dichotomy", "rounding_error"]

_Floats = NDArray[np.float64]
_Indices = NDArray[np.intp]
_Flags = NDArray[np.bool_]

_TOLERANCE = 2.0**-50
"""Three roundings put a slope off by at most 3.1 * 2^-53 of itself, two slopes by 6.2 * 2^-53 of the larger one."""
_TINY = 2.0**-1020
"""More than twice what underflow can do to a slope."""
_LARGE, _SMALL = 2.0**450, 2.0**-485
"""Products of differences of numbers that are 0 or within these bounds neither overflow nor lose a bit to underflow."""
_FILTER = (3.0 + 16.0 * 2.0**-53) * 2.0**-53
_SPLITTER = 2.0**27 + 1.0
_FIRST, _GROWTH = 16, 8
_FEW = 300
"""Points up to which one compiled loop is quicker than NumPy's sort, pivot by pivot."""
_SECTOR = 40
"""About how many points share a sector of the bound on the values at a pivot."""


class Candidate(NamedTuple):
    """A dichotomy A and its sum of costs.

    A holds a, and b is outside it: the points strictly left of a -> b, and those of the line up to a.  -1 stands for no
    such point: (-1, 0) is the empty set, (0, -1) the set of all points.
    """

    value: float
    a: int
    b: int


def best_split(points: Points, costs: _Floats) -> Candidate:
    """Return the dichotomy of least sum of costs, the first of ``candidates``.

    >>> best_split(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), np.array([1.0, -2.0, -3.0]))
    Candidate(value=-5.0, a=1, b=0)
    """
    return next(candidates(points, costs))


def candidates(points: Points, costs: _Floats) -> Iterator[Candidate]:
    """Yield all dichotomies by halfplanes, each once, by increasing (sum of the costs inside, a, b).

    points: (N, 2) finite, distinct, sorted lexicographically; costs: (N,) finite, of any sign.  O(N^2 log N) time and
    O(N) memory for the first 16, the same again for the 128 next, and so on.  Values are exact if the costs are
    integers whose absolute values add up to less than 2^53; else each is off by at most ``rounding_error(costs)``, and
    the order is the one of the rounded values.  Raises ValueError for wrong shapes or an order that is not
    lexicographic.
    """
    x, cost = np.ascontiguousarray(points, np.float64), np.ascontiguousarray(costs, np.float64)
    if x.ndim != 2 or x.shape[1] != 2 or cost.shape != x.shape[:1]:
        raise ValueError(f"points, costs: must have shapes (N, 2) and (N,), got {x.shape} and {cost.shape}")
    step = x[1:] > x[:-1]
    if not np.all(step[:, 0] | (step[:, 1] & (x[1:, 0] == x[:-1, 0]))):
        raise ValueError("points: must be distinct and sorted lexicographically")
    last, many = None, _FIRST
    while True:
        batch = _least(x, cost, last, many)
        yield from batch
        if len(batch) < many:
            return
        last, many = batch[-1], many * _GROWTH


def dichotomy(points: Points, a: int, b: int) -> _Flags:
    """Return which of the sorted points (N, 2) are inside the dichotomy of a -> b: (N,) bool, exact."""
    if min(a, b) < 0:
        return np.full(len(points), a >= 0)
    side, order = orientation(points[a], points[b], points), np.arange(len(points))
    return (side > 0) | ((side == 0) & ((order <= a) if a < b else (order >= a)))


def rounding_error(costs: _Floats) -> float:
    """Return a bound on the error of the value of a candidate: (2 N + 3) 2^-52 sum |costs|.

    A value takes fewer than 4 N + 6 additions.  The result of each is, to first order, a sum of some of the costs,
    hence at most sum |costs|, and rounded by at most 2^-53 of that.  So the first candidate exceeds the least exact
    value by at most twice this, and every exact minimiser is among the candidates within twice this of the first.
    """
    return float((2 * len(costs) + 3) * 2.0**-52 * np.abs(costs).sum())


def _least(x: Points, cost: _Floats, last: Candidate | None, many: int) -> list[Candidate]:
    """Return the ``many`` least candidates strictly after ``last``, sorted, by one run over all pivots."""
    n = len(x)
    total, index = float(cost.sum()), np.arange(n)
    size = np.abs(x)
    fast = bool(np.all((size == 0) | ((size < _LARGE) & (size > _SMALL))))
    if fast and n <= _FEW and np.all(cost == np.rint(cost)) and np.abs(cost).sum() < 2.0**53:
        after = (-np.inf, -1, -1) if last is None else (last.value, last.a, last.b)
        value, first, second, found = _least_of_few(x, cost, total, *after, many)
        rows = zip(value[:found].tolist(), first[:found].tolist(), second[:found].tolist(), strict=True)
        return [Candidate(*row) for row in rows]
    trivial = ([0.0, total], [-1, 0], [0, -1]) if n else ([0.0], [-1], [-1])
    value, first, second = np.array(trivial[0]), np.array(trivial[1]), np.array(trivial[2])
    bound = np.inf
    margin = 4 * rounding_error(cost)
    for a in [-1, *_spread(n - 1)]:
        if a >= 0:
            if fast and bound < np.inf and _lower_bound(x, cost, a, total, max(1, n // _SECTOR)) > bound + margin:
                continue
            b, inside = _turn(x, cost, a, index, fast)
            values = np.concatenate([inside, total - inside])
            near = np.flatnonzero(values <= bound)
            if not near.size:
                continue
            forward = near < len(b)
            other = b[np.where(forward, near, near - len(b))]
            value = np.concatenate([value, values[near]])
            first = np.concatenate([first, np.where(forward, a, other)])
            second = np.concatenate([second, np.where(forward, other, a)])
        if last is not None:
            later = (first > last.a) | ((first == last.a) & (second > last.b))
            later = (value > last.value) | ((value == last.value) & later)
            value, first, second = value[later], first[later], second[later]
        order = np.lexsort((second, first, value))[:many]
        value, first, second = value[order], first[order], second[order]
        bound = value[-1] if len(value) == many else np.inf
    return [Candidate(float(v), int(p), int(q)) for v, p, q in zip(value, first, second, strict=True)]


def _spread(n: int) -> list[int]:
    """Return 0 to n - 1, such that the first of them are far apart: good pivots early spare many others a sort."""
    return [int(i) for i in np.argsort(np.arange(n) * ((math.sqrt(5) - 1) / 2) % 1, kind="stable")]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _lower_bound(x: Points, cost: _Floats, a: int, total: float, sectors: int) -> float:
    """Return a lower bound on the values of all candidates at a pivot, without a sort: O(N).

    The line turns through ``sectors`` sectors of slopes.  Within one the sum inside is that at its start up to the
    absolute costs of its points, and of those of both neighbours in case rounding put a point there.
    """
    change, size, inside = np.zeros(sectors), np.zeros(sectors + 2), 0.0
    for i in range(len(x)):
        if i >= a:
            inside += cost[i]
        if i == a:
            continue
        run, rise = x[i, 0] - x[a, 0], x[i, 1] - x[a, 1]
        slope = np.inf if run == 0 else rise / run
        sector = sectors - 1
        if slope < 1e15:
            sector = min(max(int((slope / (1 + abs(slope)) + 1) / 2 * sectors), 0), sectors - 1)
        change[sector] += cost[i] if i < a else -cost[i]
        size[sector + 1] += abs(cost[i])
    least, most = np.inf, -np.inf
    for k in range(sectors):
        slack = size[k] + size[k + 1] + size[k + 2]
        least, most = min(least, inside - slack), max(most, inside + slack)
        inside += change[k]
    return min(least, total - most)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _least_of_few(
    x: Points, cost: _Floats, total: float, after: float, after_a: int, after_b: int, many: int
) -> tuple[_Floats, _Indices, _Indices, int]:
    """Do what ``_least`` does, for costs whose sums are exact and points that ``_settle_fast`` can take.

    after, after_a, after_b: the candidate before the first.  Returns values, a and b, (many,), and how many are found.
    """
    n, found = len(x), 0
    value, first, second = np.empty(many), np.empty(many, np.intp), np.empty(many, np.intp)
    lowest = (after, after_a, after_b)
    found = _insert(0.0, -1, 0 if n else -1, lowest, value, first, second, found)
    if n:
        found = _insert(total, 0, -1, lowest, value, first, second, found)
    slope, order, close = np.empty(n), np.empty(n - 1 if n else 0, np.intp), np.empty(max(n - 2, 0), np.bool_)
    from_here = total
    for a in range(n - 1):
        for i in range(n):
            run, rise = x[i, 0] - x[a, 0], x[i, 1] - x[a, 1]
            slope[i] = np.inf if run == 0 else rise / run
            if np.isnan(slope[i]):
                slope[i] = np.inf
        others = np.argsort(np.concatenate((slope[:a], slope[a + 1 :])))
        for i in range(n - 1):
            order[i] = others[i] + (others[i] >= a)
        some = False
        for i in range(n - 2):
            one, other = slope[order[i]], slope[order[i + 1]]
            close[i] = not other - one > _TOLERANCE * max(abs(one), abs(other)) + _TINY
            some |= close[i]
        together = _settle_fast(x, a, order, close) if some else close
        b, inside = _sums(cost, a, order, together, from_here)
        for i in range(len(b)):
            found = _insert(inside[i], a, b[i], lowest, value, first, second, found)
            found = _insert(total - inside[i], b[i], a, lowest, value, first, second, found)
        from_here -= cost[a]
    return value, first, second, found


@njit(cache=True)  # type: ignore[untyped-decorator]
def _insert(
    v: float,
    a: int,
    b: int,
    lowest: tuple[float, int, int],
    value: _Floats,
    first: _Indices,
    second: _Indices,
    found: int,
) -> int:
    """Put a candidate in its place among the least, if it comes after ``lowest``; return how many there are."""
    i, many = found, len(value)
    if (found == many and v > value[many - 1]) or (v, a, b) <= lowest:
        return found
    while i > 0 and (v, a, b) < (value[i - 1], first[i - 1], second[i - 1]):
        if i < many:
            value[i], first[i], second[i] = value[i - 1], first[i - 1], second[i - 1]
        i -= 1
    if i == many:
        return found
    value[i], first[i], second[i] = v, a, b
    return min(found + 1, many)


def _turn(x: Points, cost: _Floats, a: int, index: _Indices, fast: bool) -> tuple[_Indices, _Floats]:
    """Return the points b > a next to a on their line, by increasing slope, and the sums of costs of a -> b."""
    with np.errstate(all="ignore"):
        run, rise = (x - x[a]).T
        slope = rise / run
        slope[run == 0] = np.inf
        if np.any(np.isnan(np.delete(slope, a))):  # differences that overflow: nothing is known of any slope
            slope[:] = np.inf
        order = np.delete(index, a)
        order = order[np.argsort(slope[order])]
        sorted_slope = slope[order]
        # infinite slopes differ by what is not a number, and are close
        tolerance = _TOLERANCE * np.maximum(np.abs(sorted_slope[1:]), np.abs(sorted_slope[:-1])) + _TINY
        close = ~(np.diff(sorted_slope) > tolerance)
    if not fast:
        together = _settle(x, a, order, close)
    elif close.any():
        together = _settle_fast(x, a, order, close)
    else:
        together = close
    return _sums(cost, a, order, together, float(cost[a:].sum()))


def _settle(x: Points, a: int, order: _Indices, close: _Flags) -> _Flags:
    """Sort runs of close neighbours exactly, in place, by slope and index; return if neighbours lie on one line."""

    def compare(p: int, q: int) -> int:
        sign = int(orientation(x[a], x[p], x[q]))
        return sign if (p < a) != (q < a) else -sign

    together = np.zeros(len(close), bool)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], close, [False]])))
    for start, stop in ends.reshape(-1, 2):
        run = sorted(sorted(order[start : stop + 1].tolist()), key=functools.cmp_to_key(compare))
        order[start : stop + 1] = run
        together[start:stop] = [compare(p, q) == 0 for p, q in itertools.pairwise(run)]
    return together


@njit(cache=True)  # type: ignore[untyped-decorator]
def _settle_fast(x: Points, a: int, order: _Indices, close: _Flags) -> _Flags:
    """Do what ``_settle`` does, for points whose products of differences neither overflow nor underflow."""
    together = np.zeros(len(close), np.bool_)
    other, scratch = np.empty_like(order), np.empty(16)
    start = 0
    while start < len(close):
        stop, on_one_line = start + 1, True
        while stop <= len(close) and close[stop - 1]:
            on_one_line &= _orientation(x[a], x[order[stop - 1]], x[order[stop]], scratch) == 0
            stop += 1
        if on_one_line:
            order[start:stop].sort()
            together[start : stop - 1] = True
        else:
            _merge_sort(x, a, order, start, stop, other, scratch)
            for i in range(start, stop - 1):
                together[i] = _orientation(x[a], x[order[i]], x[order[i + 1]], scratch) == 0
        start = stop
    return together


@njit(cache=True)  # type: ignore[untyped-decorator]
def _merge_sort(x: Points, a: int, order: _Indices, start: int, stop: int, other: _Indices, scratch: _Floats) -> None:
    """Sort order[start:stop] by ``_comes_first``; other: room for as many."""
    width = 1
    while width < stop - start:
        for low in range(start, stop, 2 * width):
            middle, high = min(low + width, stop), min(low + 2 * width, stop)
            i, j = low, middle
            for k in range(low, high):
                if j == high or (i < middle and _comes_first(x, a, order[i], order[j], scratch)):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order[start:stop] = other[start:stop]
        width *= 2


@njit(cache=True)  # type: ignore[untyped-decorator]
def _comes_first(x: Points, a: int, p: int, q: int, scratch: _Floats) -> bool:
    """Return whether the line through a and p has a smaller slope than that through a and q, or the same and p < q."""
    sign = _orientation(x[a], x[p], x[q], scratch)
    if (p < a) != (q < a):
        sign = -sign
    return sign > 0 or (sign == 0 and p < q)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _orientation(a: _Floats, b: _Floats, c: _Floats, scratch: _Floats) -> int:
    """Return the exact sign of (b - a) x (c - a), barring over- and underflow: of 16 products without rounding error.

    Differences are kept with their rounding errors, and so are products of differences (Dekker).  The products are
    added to an expansion of numbers that do not overlap (Shewchuk 1997, grow-expansion); its sign is that of its last
    non-zero number.
    """
    left, right = (b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])
    if abs(left - right) > _FILTER * (abs(left) + abs(right)):
        return 1 if left > right else -1
    length = 0
    for turn in range(2):
        p = _two_difference(b[turn], a[turn])
        q = _two_difference(c[1 - turn], a[1 - turn])
        for u in p:
            for v in q:
                for term in _two_product(u if turn == 0 else -u, v):
                    if term != 0:
                        rest = term
                        for i in range(length):
                            rest, scratch[i] = _two_sum(rest, scratch[i])
                        scratch[length] = rest
                        length += 1
    for i in range(length - 1, -1, -1):
        if scratch[i] != 0:
            return 1 if scratch[i] > 0 else -1
    return 0


@njit(cache=True)  # type: ignore[untyped-decorator]
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """Return (s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _two_difference(a: float, b: float) -> tuple[float, float]:
    """Return (s, e) with s = fl(a - b) and s + e = a - b exactly."""
    return _two_sum(a, -b)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _two_product(a: float, b: float) -> tuple[float, float]:
    """Return (p, e) with p = fl(a b) and p + e = a b exactly (Dekker), barring over- and underflow."""
    p, s, t = a * b, _SPLITTER * a, _SPLITTER * b
    high, top = s - (s - a), t - (t - b)
    low, bottom = a - high, b - top
    return p, low * bottom - (((p - high * top) - low * top) - high * bottom)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _sums(cost: _Floats, a: int, order: _Indices, together: _Flags, ahead: float) -> tuple[_Indices, _Floats]:
    """Sweep over the lines through a; neighbours in ``order`` lie on the same line if they are ``together``.

    ahead: the sum of the costs of a and of the points after it.
    """
    n = len(order)
    b, value = np.empty(n - a, order.dtype), np.empty(n - a)
    found, nearest, inside = 0, n + 1, ahead
    for i in range(n):
        c = order[i]
        if c > a:
            inside -= cost[c]
            nearest = min(nearest, c)
        else:
            inside += cost[c]
        if i == n - 1 or not together[i]:
            if nearest <= n:
                b[found], value[found] = nearest, inside
                found += 1
            nearest = n + 1
    return b[:found], value[:found]


# --------------------------------------------------------------------------------------------------- any dimension
class Halfspace(NamedTuple):
    """A dichotomy of points in general position by a halfspace, and its sum of costs.

    The hyperplane through the points ``subset`` (d,) has the points inside on one side and those outside on the other.
    The points of the subset lie on it; by tilting it, each can be put on any side.  inside: (N,) bool.
    """

    value: float
    subset: tuple[int, ...]
    inside: _Flags


def best_halfspace(points: Points, costs: _Floats) -> Halfspace:
    """Return the dichotomy by a halfspace of R^d of least sum of the costs inside, for points in general position.

    points: (N, d) finite, no d + 1 of them on a hyperplane; costs: (N,) finite, of any sign.  The hyperplane of a least
    dichotomy can be moved until it holds d - 1 points; it then turns about them, for every choice of d - 1 points:
    O(N^d log N) time on as many threads as numba is given, O(N^{d-1}) memory; the first least one in the order of
    subsets, whatever the threads.  Sums are rounded, off by at most ``rounding_error(costs)``.  For N < d the subset
    has all points.

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
    flat = itertools.chain.from_iterable(itertools.combinations(range(n), d - 1))
    subsets = np.fromiter(flat, np.int64).reshape(math.comb(n, d - 1), d - 1)
    value = _turns(homogeneous, cost, subsets)
    if np.any(np.isnan(value)):
        near = tuple(subsets[np.argmax(np.isnan(value))].tolist())
        raise ValueError(f"points: not in general position, up to rounding, about a hyperplane through points {near}")
    subset = subsets[np.argmin(value)]
    inside = np.zeros(n, bool)
    _, met = _turn_about(homogeneous, cost, subset, inside)
    return Halfspace(float(cost[inside].sum()), (*subset.tolist(), int(met)), inside)


@njit(cache=True, parallel=True)  # type: ignore[untyped-decorator]
def _turns(z: _Floats, cost: _Floats, subsets: _Indices) -> _Floats:
    """Return the least sum of costs of a hyperplane through each subset; nan if its signs are not certain."""
    value = np.empty(len(subsets))
    for s in prange(len(subsets)):
        value[s] = _turn_about(z, cost, subsets[s], np.empty(len(z), np.bool_))[0]
    return value


@njit(cache=True)  # type: ignore[untyped-decorator]
def _turn_about(z: _Floats, cost: _Floats, subset: _Indices, inside: _Flags) -> tuple[float, int]:
    """Turn a hyperplane about a subset of the homogeneous points z (N, d + 1).

    Return the least sum and the point that is met then.  inside (N,): set to the dichotomy.  In the plane
    orthogonal to the subset the hyperplane is a line through the origin; points in its upper half-plane are ahead.
    """
    basis, tolerance = _complement(z, subset)
    n, few = len(z), len(subset)
    p, rest = np.empty((n - few, 2)), np.empty(n - few, np.int64)
    key, upper, size = np.empty(n - few), np.empty(n - few, np.bool_), np.empty(n - few)
    total, ahead, m = 0.0, 0.0, 0
    for i in range(n):
        inside[i] = False
        if np.any(subset == i):
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
    order = np.argsort(key)
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


@njit(cache=True)  # type: ignore[untyped-decorator]
def _complement(z: _Floats, subset: _Indices) -> tuple[_Floats, float]:
    """Return two orthonormal vectors orthogonal to the k rows of a subset, and the relative error of their products.

    Gram-Schmidt, twice (Giraud, Langou, Rozloznik 2005).  The error grows with the condition number of the rows scaled
    to length 1: at most k^{k/2} over the product of the sines of the angles of each row with the span of those before.
    """
    width, few = z.shape[1], len(subset)
    basis, sines = np.zeros((width, width)), 1.0
    for row in range(width):
        v = np.zeros(width)
        if row < few:
            v[:] = z[subset[row]]
        else:  # the axis farthest from the span so far
            v[np.argmin((basis[:row] ** 2).sum(axis=0))] = 1.0
        length = np.sqrt((v**2).sum())
        for _ in range(2):
            for r in range(row):
                v -= (basis[r] * v).sum() * basis[r]
        remains = np.sqrt((v**2).sum())
        if row < few:
            sines *= remains / length
        if sines == 0:
            return basis[:2], np.inf
        basis[row] = v / remains
    return basis[few:], 2.0**-53 * 64 * width * max(few, 1) ** (few / 2) / sines
