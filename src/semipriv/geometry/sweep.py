"""Signed-weight empirical risk minimisation over the dichotomies of points in the plane by halfplanes, by sweeping.

The dichotomies are those of ``semipriv.geometry.halfplanes``: one for each ordered pair (a, b) of points consecutive on
their line, and the two trivial ones.  A directed line turns about a pivot a from pointing down to pointing up; inside
are the points after a in lexicographic order that it has yet to meet, and those before a that it has met.  When it has
passed a line through a, the sum of costs inside is that of a -> b, b the first point after a on that line: O(N) a pivot
once the lines through it are sorted by slope.

Slopes are compared in floating point; where two of them are so close that rounding could have exchanged or parted them,
the exact sign of the orientation decides.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices
from semipriv.geometry.predicates import orientation
from semipriv.geometry.slopes import TINY, TOLERANCE, comparable, settle, settled, unsure

__all__ = ["Candidate", "best_split", "candidates", "dichotomy", "rounding_error"]


_FIRST, _GROWTH = 16, 8
_FEW = 1_000
"""Points up to which the loop over pivots is quicker compiled than with NumPy's sort."""
_SECTOR = 3
"""About how many points share a sector of the bound on the values at a pivot: the fewer, the more pivots it spares."""


class Candidate(NamedTuple):
    """A dichotomy A and its sum of costs.

    A holds a, and b is outside it: the points strictly left of a -> b, and those of the line up to a.  -1 stands for no
    such point: (-1, 0) is the empty set, (0, -1) the set of all points.
    """

    value: float
    a: int
    b: int


def best_split(points: Points, costs: Floats) -> Candidate:
    """Return the dichotomy of least sum of costs, the first of ``candidates``.

    >>> best_split(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), np.array([1.0, -2.0, -3.0]))
    Candidate(value=-5.0, a=1, b=0)
    """
    return next(candidates(points, costs))


def candidates(points: Points, costs: Floats) -> Iterator[Candidate]:
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


def dichotomy(points: Points, a: int, b: int) -> Bools:
    """Return which of the sorted points (N, 2) are inside the dichotomy of a -> b: (N,) bool, exact."""
    if min(a, b) < 0:
        return np.full(len(points), a >= 0)
    side, order = orientation(points[a], points[b], points), np.arange(len(points))
    return (side > 0) | ((side == 0) & ((order <= a) if a < b else (order >= a)))


def rounding_error(costs: Floats) -> float:
    """Return a bound on the error of the value of a candidate: (2 N + 3) 2^-52 sum |costs|.

    A value takes fewer than 4 N + 6 additions.  The result of each is, to first order, a sum of some of the costs,
    hence at most sum |costs|, and rounded by at most 2^-53 of that.  So the first candidate exceeds the least exact
    value by at most twice this, and every exact minimiser is among the candidates within twice this of the first.
    """
    return float((2 * len(costs) + 3) * 2.0**-52 * np.abs(costs).sum())


def _least(x: Points, cost: Floats, last: Candidate | None, many: int) -> list[Candidate]:
    """Return the ``many`` least candidates strictly after ``last``, sorted, by one run over all pivots."""
    n = len(x)
    total, index = float(cost.sum()), np.arange(n)
    fast = comparable(x)
    bounds = _lower_bounds(x, cost, total, max(1, n // _SECTOR)) if fast else np.full(max(n - 1, 0), -np.inf)
    pivots = np.argsort(bounds, kind="stable")  # the most promising pivots spare the others a sort
    if fast and n <= _FEW and np.all(cost == np.rint(cost)) and np.abs(cost).sum() < 2.0**53:
        after = (-np.inf, -1, -1) if last is None else (last.value, last.a, last.b)
        value, first, second, size = _least_of_whole(x, cost, total, bounds, pivots, *after, many)
        rows = zip(value[:size].tolist(), first[:size].tolist(), second[:size].tolist(), strict=True)
        return [Candidate(*row) for row in rows]
    trivial = ([0.0, total], [-1, 0], [0, -1]) if n else ([0.0], [-1], [-1])
    value, first, second = np.array(trivial[0]), np.array(trivial[1]), np.array(trivial[2])
    bound = np.inf
    margin = 4 * rounding_error(cost)
    for a in [-1, *pivots.tolist()]:
        if a >= 0:
            if bounds[a] > bound + margin:
                break
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


@njit(cache=True)
def _lower_bounds(x: Points, cost: Floats, total: float, sectors: int) -> Floats:
    """Return lower bounds on the values of all candidates at each pivot but the last point, without a sort: O(N^2).

    The line turns through ``sectors`` sectors of slopes.  Within one the sum inside is that at its start up to the
    absolute costs of its points, and of those of both neighbours in case rounding put a point there.
    """
    change, size, bounds, ahead = np.empty(sectors), np.empty(sectors + 2), np.empty(max(len(x) - 1, 0)), total
    for a in range(len(bounds)):
        change[:], size[:] = 0.0, 0.0
        for i in range(len(x)):
            if i == a:
                continue
            run, rise = x[i, 0] - x[a, 0], x[i, 1] - x[a, 1]
            slope = np.inf if run == 0 else rise / run
            sector = sectors - 1
            if slope < 1e15:
                sector = min(max(int((slope / (1 + abs(slope)) + 1) / 2 * sectors), 0), sectors - 1)
            change[sector] += cost[i] if i < a else -cost[i]
            size[sector + 1] += abs(cost[i])
        least, most, inside = np.inf, -np.inf, ahead
        for k in range(sectors):
            slack = size[k] + size[k + 1] + size[k + 2]
            least, most = min(least, inside - slack), max(most, inside + slack)
            inside += change[k]
        bounds[a] = min(least, total - most)
        ahead -= cost[a]
    return bounds


@njit(cache=True)
def _least_of_whole(
    x: Points,
    cost: Floats,
    total: float,
    bounds: Floats,
    pivots: Indices,
    after: float,
    after_a: int,
    after_b: int,
    many: int,
) -> tuple[Floats, Indices, Indices, int]:
    """Do what ``_least`` does, for whole costs, whose sums are exact, and points that are ``comparable``.

    pivots: by increasing ``bounds``.  after, after_a, after_b: the candidate before the first.  Returns values, a and
    b, (many,), and how many are found.
    """
    n, size, zero, none = len(x), np.int64(0), np.int64(0), np.int64(-1)  # of constants, ``_insert`` is compiled anew
    value, first, second = np.empty(many), np.empty(many, np.intp), np.empty(many, np.intp)
    lowest = (after, after_a, after_b)
    size = _insert(0.0, none, zero if n else none, lowest, value, first, second, size)
    if n:
        size = _insert(total, zero, none, lowest, value, first, second, size)
    slope, other = np.empty(max(n - 1, 0)), np.empty(max(n - 1, 0), np.intp)
    for a in pivots:
        if size == many and bounds[a] > value[many - 1]:
            break
        ahead = cost[a]
        for i in range(n - 1):
            c = i if i < a else i + 1
            run, rise = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1]
            slope[i], other[i] = np.inf if run == 0 else rise / run, c
            if c > a:
                ahead += cost[c]
        by_slope = np.argsort(slope)
        order, close, any_close = other[by_slope], np.zeros(n - 2, np.bool_), False
        for i in range(n - 2):
            low, high = slope[by_slope[i]], slope[by_slope[i + 1]]
            close[i] = not high - low > TOLERANCE * max(abs(low), abs(high)) + TINY  # infinite ones are close
            any_close |= close[i]
        if any_close:
            close = settle(x, a, order, close)
        b, inside = _sums(cost, a, order, close, ahead)
        for i in range(len(b)):
            size = _insert(inside[i], a, b[i], lowest, value, first, second, size)
            size = _insert(total - inside[i], b[i], a, lowest, value, first, second, size)
    return value, first, second, size


@njit(cache=True)
def _insert(
    v: float,
    a: int,
    b: int,
    lowest: tuple[float, int, int],
    value: Floats,
    first: Indices,
    second: Indices,
    count: int,
) -> int:
    """Put a candidate in its place among the least, if it comes after ``lowest``; return how many there are."""
    i, many = count, len(value)
    if (count == many and v > value[many - 1]) or (v, a, b) <= lowest:
        return count
    while i > 0 and (v, a, b) < (value[i - 1], first[i - 1], second[i - 1]):
        if i < many:
            value[i], first[i], second[i] = value[i - 1], first[i - 1], second[i - 1]
        i -= 1
    if i == many:
        return count
    value[i], first[i], second[i] = v, a, b
    return min(count + 1, many)


def _turn(x: Points, cost: Floats, a: int, index: Indices, fast: bool) -> tuple[Indices, Floats]:
    """Return the points b > a next to a on their line, by increasing slope, and the sums of costs of a -> b."""
    with np.errstate(all="ignore"):
        run, rise = (x - x[a]).T
        slope = rise / run
        slope[run == 0] = np.inf
        if np.any(np.isnan(np.delete(slope, a))):  # differences that overflow: nothing is known of any slope
            slope[:] = np.inf
        order = np.delete(index, a)
        order = order[np.argsort(slope[order], kind="stable")]
        together = unsure(slope[order])
    if together.any():
        together = settled(x, a, order, together, fast)
    return _sums(cost, a, order, together, float(cost[a:].sum()))


@njit(cache=True)
def _sums(cost: Floats, a: int, order: Indices, together: Bools, ahead: float) -> tuple[Indices, Floats]:
    """Sweep over the lines through a; neighbours in ``order`` lie on the same line if they are ``together``.

    ahead: the sum of the costs of a and of the points after it.
    """
    n = len(order)
    b, value = np.empty(n - a, order.dtype), np.empty(n - a)
    size, nearest, inside = 0, n + 1, ahead
    for i in range(n):
        c = order[i]
        if c > a:
            inside -= cost[c]
            nearest = min(nearest, c)
        else:
            inside += cost[c]
        if i == n - 1 or not together[i]:
            if nearest <= n:
                b[size], value[size] = nearest, inside
                size += 1
            nearest = n + 1
    return b[:size], value[:size]
