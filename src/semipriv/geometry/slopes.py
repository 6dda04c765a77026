"""Slopes of lines through one of some points in the plane, compared exactly."""

import functools
import itertools

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices
from semipriv.geometry.predicates import orientation

__all__ = ["TINY", "TOLERANCE", "comparable", "settle", "settled", "unsure"]


TOLERANCE = 2.0**-50
"""Three roundings put a slope off by at most 3.1 * 2^-53 of itself, two slopes by 6.2 * 2^-53 of the larger one."""
TINY = 2.0**-1020
"""More than twice what underflow can do to a slope."""
_LARGE, _SMALL = 2.0**450, 2.0**-485
"""Products of differences of numbers that are 0 or within these bounds neither overflow nor lose a bit to underflow."""
_FILTER = (3.0 + 16.0 * 2.0**-53) * 2.0**-53
_SPLITTER = 2.0**27 + 1.0


def comparable(points: Points) -> bool:
    """Return whether ``settle`` can take the points (N, 2): their numbers are 0 or in 2^-485 to 2^450."""
    size = np.abs(points)
    return bool(np.all((size == 0) | ((size < _LARGE) & (size > _SMALL))))


def unsure(slopes: Floats) -> Bools:
    """Return whether rounding may have exchanged or parted neighbours of rounded slopes (..., N), sorted."""
    with np.errstate(invalid="ignore"):  # infinite slopes differ by what is not a number, and are close
        lower, upper = slopes[..., :-1], slopes[..., 1:]
        return np.asarray(~(upper - lower > TOLERANCE * np.maximum(np.abs(lower), np.abs(upper)) + TINY))


def _settled(x: Points, a: int, order: Indices, near: Bools) -> Bools:
    """Do as ``settle`` by exact orientations of any points."""

    def compare(p: int, q: int) -> int:
        sign = int(orientation(x[a], x[p], x[q]))
        return sign if (p < a) != (q < a) else -sign

    together = np.zeros(len(near), bool)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
    for start, stop in ends.reshape(-1, 2):
        run = sorted(sorted(order[start : stop + 1].tolist()), key=functools.cmp_to_key(compare))
        order[start : stop + 1] = run
        together[start:stop] = [compare(p, q) == 0 for p, q in itertools.pairwise(run)]
    return together


@njit(cache=True, stand_in=_settled, seconds=20e-6)
def settle(x: Points, a: int, order: Indices, close: Bools) -> Bools:
    """Sort runs of close neighbours exactly, in place, by slope and index; return if neighbours lie on one line.

    order: points by the rounded slopes of their lines through point a; close: whether rounding may have exchanged or
    parted each two neighbours.  The points are ``comparable``.
    """
    together = np.zeros(len(close), np.bool_)
    other, scratch = np.empty_like(order), np.empty(16)
    start = np.int64(0)  # of a constant, ``_merge_sort`` would be compiled twice
    while start < len(close):
        stop, on_one_line = start + 1, True
        while stop <= len(close) and close[stop - 1]:
            on_one_line &= _orientation(x[a], x[order[stop - 1]], x[order[stop]], scratch) == 0
            stop += 1
        if stop - start > 1:
            _merge_sort(x, a, order, start, stop, on_one_line, other, scratch)
        for i in range(start, stop - 1):
            together[i] = on_one_line or _orientation(x[a], x[order[i]], x[order[i + 1]], scratch) == 0
        start = stop
    return together


def settled(x: Points, a: int, order: Indices, near: Bools, fast: bool) -> Bools:
    """Do as ``settle`` for any points; fast: they are ``comparable``."""
    return np.asarray(settle(x, a, order, near)) if fast else _settled(x, a, order, near)


@njit(cache=True)
def _merge_sort(
    x: Points, a: int, order: Indices, start: int, stop: int, by_index: bool, other: Indices, scratch: Floats
) -> None:
    """Sort order[start:stop] by index, or by ``_comes_first``; other: room for as many."""
    width = 1
    while width < stop - start:
        for low in range(start, stop, 2 * width):
            middle, high = min(low + width, stop), min(low + 2 * width, stop)
            i, j = low, middle
            for k in range(low, high):
                first = i < middle and (
                    j == high or (order[i] < order[j] if by_index else _comes_first(x, a, order[i], order[j], scratch))
                )
                if first:
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        for k in range(start, stop):
            order[k] = other[k]
        width *= 2


@njit(cache=True)
def _comes_first(x: Points, a: int, p: int, q: int, scratch: Floats) -> bool:
    """Return whether the line through a and p has a smaller slope than that through a and q, or the same and p < q."""
    sign = _orientation(x[a], x[p], x[q], scratch)
    if (p < a) != (q < a):
        sign = -sign
    return sign > 0 or (sign == 0 and p < q)


@njit(cache=True)
def _orientation(a: Floats, b: Floats, c: Floats, scratch: Floats) -> int:
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


@njit(cache=True)
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """Return (s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(cache=True)
def _two_difference(a: float, b: float) -> tuple[float, float]:
    """Return (s, e) with s = fl(a - b) and s + e = a - b exactly."""
    return _two_sum(a, -b)


@njit(cache=True)
def _two_product(a: float, b: float) -> tuple[float, float]:
    """Return (p, e) with p = fl(a b) and p + e = a b exactly (Dekker), barring over- and underflow."""
    p, s, t = a * b, _SPLITTER * a, _SPLITTER * b
    high, top = s - (s - a), t - (t - b)
    low, bottom = a - high, b - top
    return p, low * bottom - (((p - high * top) - low * top) - high * bottom)
