"""Lines through one of some points in the plane, each in the midst of the gap between the directions of two others.

A dichotomy of points in the plane is that of a line a -> b turned a little counterclockwise about what is between a and
b, which are next to each other on it (``semipriv.geometry.halfplanes``): a is left of it then.  So it is that of any
line through a, with a counted to its left, whose direction is in the gap after that of b.  The gaps about a are what
the sorted directions of all other points leave: O(m log m) time for a point and O(m) memory, O(m^2 log m) for the
dichotomies of m points, of which none need be kept.

A direction (1 - |t|, t) is given by its turn t in (-1, 1], which grows with its angle, by a half to one radian for
each; t and t + 2 stand for one line.  Rounding blurs the turn of a point p about a by at most

    doubt = 2^-47 (|p|_1 + |a|_1) / |p - a|_1:

a line through a that is turned by more than that from p has it on the same side in floating point as in truth.  For the
normal w of a turn has |w|_1 = 1, and w (p - a) is at least (1 / pi) |p - a|_1 for each unit between the turns.  At most
40 2^-53 (|p|_1 + |a|_1) is the rounding of turns, of the offset and of the value, together.  Points that are blurred
into one direction count as on one line with a, in their order.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.geometry.predicates import affine_values
from semipriv.geometry.slopes import comparable

__all__ = ["Gaps", "Pencils", "Weighted"]

_ROUNDING = 2.0**-47
_WHOLE = 4.0
"""Doubt of a turn that may be any."""
_TINY = 2.0**-900
"""Distances, of points whose largest coordinates are about 1, above which underflow does nothing to a turn."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """The lines of one pivot: their turns (g,), increasing, and which are directed backwards (g,)."""

    pivot: int
    turns: Floats
    backwards: Bools


@dataclass(frozen=True, eq=False)
class Weighted:
    """Points (n, 2) with integer weights (n,), and their scaled coordinates: x, y and size |x| + |y|, (n,) each."""

    points: Points
    weights: Integers
    x: Floats
    y: Floats
    size: Floats


@dataclass(frozen=True, eq=False)
class Pencils:
    """Lines through each of some points, one for each dichotomy of them that is not trivial, up to its sign.

    points: (m, 2) distinct and sorted lexicographically, for which ``fits``.
    """

    points: Points

    @staticmethod
    def fits(points: Points) -> bool:
        """Return whether the numbers of points are 0 or far from overflow and underflow."""
        return comparable(points)

    @cached_property
    def _exponents(self) -> Indices:
        """Powers of two, (2,), by which coordinates are divided so that the largest ones are about 1."""
        return np.asarray(np.frexp(np.abs(self.points).max(axis=0, initial=0.0))[1], np.intp)

    def _scaled(self, points: Points) -> tuple[Floats, Floats, Floats]:
        """Return the coordinates of points over those powers, and the sums of their sizes: (n,) each."""
        with np.errstate(all="ignore"):
            x, y = (np.ldexp(points[:, j], -self._exponents[j]) for j in (0, 1))
            return x, y, np.abs(x) + np.abs(y)

    @cached_property
    def _own(self) -> tuple[Floats, Floats, Floats]:
        return self._scaled(self.points)

    def gaps(self, pivot: int) -> Gaps:
        """Return the lines through a point: one after each direction in which points after it are, by index."""
        if len(self.points) < 2:
            return Gaps(pivot, np.zeros(0), np.zeros(0, bool))
        low, high = _blurred(*self._own, pivot)
        low.sort()
        high.sort()
        turns, backwards = np.empty(len(low)), np.empty(len(low), bool)
        lines = _open(low, high, high.view(np.int64), turns, backwards)
        return Gaps(pivot, turns[:lines], backwards[:lines])

    def parameters(self, gaps: Gaps) -> tuple[Floats, Floats]:
        """Return rows (w_1, w_2, b) of w x + b >= 0 left of each line, and right of it: (g, 3) twice.

        The pivot is left of it: there the value is 0, and on the right it is the negative number next to that.
        """
        w = np.column_stack([-gaps.turns, 1.0 - np.abs(gaps.turns)])
        w[gaps.backwards] *= -1.0
        w = np.ldexp(w, -self._exponents)
        at = affine_values(np.column_stack([w, np.zeros(len(w))]), self.points[gaps.pivot][:, None])[:, 0]
        return np.column_stack([w, -at]), np.column_stack([-w, np.nextafter(at, -np.inf)])

    def weighted(self, points: Points, weights: Integers) -> Weighted:
        """Return points (n, 2) with weights (n,), of which ``sums`` makes sums."""
        return Weighted(points, weights, *self._scaled(points))

    def sums(self, gaps: Gaps, given: Weighted) -> tuple[Integers, Integers]:
        """Return the sums of the weights of points left and right of each line: (g,) each.

        Sides are those of ``parameters`` in floating point.  O((n + g) log g); points that rounding may put on either
        side are evaluated, each at each line.
        """
        turns, lines = gaps.turns, len(gaps.turns)
        if not lines:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        above, unsure = np.zeros(lines, np.int64), np.empty(len(given.x), bool)
        a = tuple(of_all[gaps.pivot] for of_all in self._own)
        total = _passed(turns, a, given.x, given.y, given.size, given.weights, above, unsure)
        left, right = np.where(gaps.backwards, total - above, above), np.where(gaps.backwards, above, total - above)
        rest = np.flatnonzero(unsure)
        if rest.size:
            same = (given.points[rest] == self.points[gaps.pivot]).all(axis=1)
            left += given.weights[rest[same]].sum()
            rows = self.parameters(gaps) if not same.all() else ()
            for place in rest[~same]:
                inside = (self._holds(row, given.points[place]) for row in rows)
                further_pair = (given.weights[place] * held for held in inside)
                left, right = (sums + further for sums, further in zip((left, right), further_pair, strict=True))
        return left, right

    def _holds(self, parameters: Floats, point: Floats) -> Bools:
        """Return which halfplanes have a point: (g, 3), (2,) -> (g,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(affine_values(parameters, point[:, None])[:, 0] >= 0)


@njit(cache=True, error_model="numpy")
def _blurred(x: Floats, y: Floats, size: Floats, pivot: int) -> tuple[Floats, Floats]:
    """Return the least and the largest turn of each other point about the pivot, as far as rounding tells: (m - 1,).

    The last bit of the largest one, which is far below what rounding does, tells whether the point is after the pivot.
    """
    low, high = np.empty(len(x) - 1), np.empty(len(x) - 1)
    for i in range(len(x) - 1):
        p = i if i < pivot else i + 1
        run, rise = x[p] - x[pivot], y[p] - y[pivot]
        far = abs(run) + abs(rise)
        turn, doubt = rise / far, _ROUNDING * (size[p] + size[pivot]) / far
        if i < pivot:
            turn = -turn
        if not doubt < 0.5:
            doubt = _WHOLE
        low[i], high[i] = turn - doubt, turn + doubt
    bits = high.view(np.int64)
    for i in range(len(bits)):
        bits[i] = bits[i] | 1 if i >= pivot else bits[i] & ~1
    return low, high


@njit(cache=True)
def _open(low: Floats, high: Floats, bits: Integers, turns: Floats, backwards: Bools) -> int:
    """Write the turns of lines in the gaps that follow points after the pivot, increasing; return their number.

    low, high: sorted ends of turns; bits: those of high.  As many ends are below a gap on either side of it.  Turns
    are round: what is above 1 is above -1, too.
    """
    m = len(low)
    least, most = low[0] + 2.0, high[m - 1] - 2.0
    waiting = False  # whether points after the pivot were met since the last gap; first, those at the end of the round
    for i in range(m - 1, -1, -1):
        if i < m - 1 and min(low[i + 1], least) > max(high[i], most):
            break
        waiting |= bits[i] & 1 == 1
    if least > high[m - 1]:
        waiting = False
    count = 0
    for i in range(m):
        waiting |= bits[i] & 1 == 1
        start, stop = max(high[i], most), min(low[i + 1], least) if i + 1 < m else least
        if stop > start:
            if waiting:
                turns[count], backwards[count] = (start + stop) / 2.0, False
                count += 1
            waiting = False
    if count and turns[count - 1] > 1.0:  # the last gap goes on past the vertical
        last = turns[count - 1] - 2.0
        for i in range(count - 1, 0, -1):
            turns[i] = turns[i - 1]
        turns[0], backwards[0] = last, True
    return count


@njit(cache=True, error_model="numpy")
def _passed(
    turns: Floats,
    pivot: tuple[float, float, float],
    x: Floats,
    y: Floats,
    size: Floats,
    weights: Integers,
    above: Integers,
    unsure: Bools,
) -> int:
    """Write the sums of weights above each line, and which points rounding may put on either side: these count nowhere.

    Return the sum of all others.  Points are put between turns by buckets of equal width.
    """
    lines = len(turns)
    starts = np.zeros(lines + 2, np.int64)  # how many turns are in earlier buckets
    scale = 0.5 * lines
    for k in range(lines):
        starts[int((turns[k] + 1.0) * scale) + 1] += 1
    for bucket in range(lines + 1):
        starts[bucket + 1] += starts[bucket]
    total, first = 0, 0
    for i in range(len(x)):
        run, rise = x[i] - pivot[0], y[i] - pivot[1]
        far = abs(run) + abs(rise)
        turn = rise / far if run >= 0 else -rise / far
        unsure[i] = True
        if not (far > _TINY and abs(turn) <= 1.0):
            continue
        place = starts[int((turn + 1.0) * scale)]
        while place < lines and turns[place] < turn:
            place += 1
        before = turns[place - 1] if place > 0 else turns[lines - 1] - 2.0
        after = turns[place] if place < lines else turns[0] + 2.0
        if min(turn - before, after - turn) > _ROUNDING * (size[i] + pivot[2]) / far:
            unsure[i] = False
            total += weights[i]
            gained = weights[i] if run < 0 else -weights[i]
            if run >= 0:
                first += weights[i]
            if place < lines:
                above[place] += gained
    for k in range(lines):
        first += above[k]
        above[k] = first
    return total
