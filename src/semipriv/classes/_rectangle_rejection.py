"""Draws of a strip of a planar cover of rectangles by rejection: exact, and without looking at every strip.

The weight of a strip is W = sum exp(-rate mistakes) over its rectangles.  Blocks of neighbouring strips have an anchor,
the one inside all of them.  Take all pairs l <= r of columns, whether the strip has points there or not: the anchor's
sum A over them is at least its weight.  Another strip of the block has a band of examples more below, and one above.
Let g be the most by which a band makes mistakes fewer, over all pairs of columns.  Then

    W <= A exp(rate (g_low + g_high)).

A block is drawn by the sum of these bounds, a strip in it by its own bound, and it is accepted with probability W over
its bound, else all is drawn again: an accepted strip has probability W over the sum of all W.  Blocks whose bounds are
loose and matter are split, which only makes acceptance likelier.  Blocks across the diagonal, whose anchors have their
lower ends above their upper ends, are always split.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Integers

__all__ = ["Envelope", "drawn_strip"]


SIDE = 8
"""Rows of the largest blocks, a power of two."""
LOOSE = 4.0
"""Blocks with a bound that may exceed the weight by a factor exp(LOOSE) are split."""
SHARE = -7.0
"""Logarithm of the share of the weight, over the number of blocks, below which a block is not worth splitting."""
EFFORT = 4
"""At most one block is looked at for this many strips, the first ones not counted."""
CUBES = 30_000
"""One strip is proposed for so many triples of rows before the caller draws in another way.  So both ways together take
at most about twice as long as the other alone.  What is accepted does not depend on when it is."""


@njit(cache=True)
def anchor_sums(
    low: Integers, high: Integers, below: Integers, up_to: Integers, table: Floats
) -> tuple[Integers, Floats]:
    """Return g = min L_l - R_r and sum exp(-rate (L_l - R_r - g)) over all pairs l <= r of columns, for each strip.

    table: exp(-rate k) for k = 0, 1, ...; the last entry stands for all beyond.
    """
    beyond = table.size - 1
    fewest, sums = np.empty(low.size, np.int64), np.empty(low.size)
    for s in range(low.size):
        least = below[0, high[s], 0] - below[1, low[s], 0]
        best = least - (up_to[0, high[s], 0] - up_to[1, low[s], 0])
        total, whole = 0.0, 0.0
        for column in range(below.shape[2]):
            left = below[0, high[s], column] - below[1, low[s], column]
            if left >= least:
                total += table[min(left - least, beyond)]
            else:
                total = total * table[min(least - left, beyond)] + 1.0
                least = left
            value = least - (up_to[0, high[s], column] - up_to[1, low[s], column])
            if value >= best:
                whole += total * table[min(value - best, beyond)]
            else:
                whole = whole * table[min(best - value, beyond)] + total
                best = value
        fewest[s], sums[s] = best, whole
    return fewest, sums


@njit(cache=True)
def changes(left: Integers, right: Integers, anchor: Integers) -> tuple[Integers, Integers]:
    """Return max and max of the negative of (left_r' - left_a)_l - (right_r' - right_a)_r over l <= r, for each row.

    left, right: (height, width); anchor: (height,) the row a to which each row r' is compared.
    """
    most, least = np.empty(len(anchor), np.int64), np.empty(len(anchor), np.int64)
    for row in range(len(anchor)):
        a = anchor[row]
        high = low = left[row, 0] - left[a, 0]
        up = down = high - (right[row, 0] - right[a, 0])
        for column in range(1, left.shape[1]):
            first = left[row, column] - left[a, column]
            second = right[row, column] - right[a, column]
            high, low = max(high, first), min(low, first)
            up, down = max(up, high - second), min(down, low - second)
        most[row], least[row] = up, -down
    return most, least


@dataclass(frozen=True, eq=False)
class Rows:
    """Groups of ``side`` neighbouring rows, each with an anchor among them.

    anchor: (g,) the anchors.  bounds: (g, side) rate g of each row, -inf beyond the last row.  total: (g,) logarithm of
    the sum of exp(bounds).  loose: (g,) rate times the most by which mistakes change in a group, either way.
    """

    anchor: Integers
    bounds: Floats
    total: Floats
    loose: Floats

    @classmethod
    def of(cls, left: Integers, right: Integers, side: int, rate: float, last: bool) -> "Rows":
        """Group the rows by their sums left of, and up to, each column: (height, width) each.

        left_l - right_r: how many mistakes fewer the examples before the row's end make.  last: the anchor is the last
        row of a group, not the first.
        """
        height = len(left)
        rows = np.arange(-(-height // side) * side).reshape(-1, side)
        anchor = np.minimum(rows[:, -1 if last else 0], height - 1)
        most, least = changes(left, right, np.repeat(anchor, side)[:height])
        bounds = np.full(rows.size, -np.inf)
        bounds[:height] = rate * most
        spread = np.zeros(rows.size)
        spread[:height] = rate * (most + least)
        bounds = bounds.reshape(rows.shape)
        return cls(anchor, bounds, scipy.special.logsumexp(bounds, axis=1), spread.reshape(rows.shape).max(axis=1))


@dataclass(frozen=True, eq=False)
class Envelope:
    """Bounds of the weights of all strips: blocks (k,) of side rows, by the first rows of their ends.

    Weights are relative to exp(-rate (ones + reference)): so exponents that matter are small, and accurate.
    log_sums: (k,) logarithm of A of each block.  log_bounds: (k,) logarithm of the sum of its strips' bounds.  rows:
    for each side the groups of the lower and of the upper ends.
    """

    low: Integers
    high: Integers
    side: Integers
    log_sums: Floats
    log_bounds: Floats
    rows: dict[int, tuple[Rows, Rows]]
    reference: int

    @classmethod
    def of(cls, below: Integers, up_to: Integers, rate: float, table: Floats) -> "Envelope":
        """Bound the weights of the strips with these sums over the examples.

        below, up_to: those of ``RectangleTally``.  table: that of ``anchor_sums``.
        """
        side, height = SIDE, below.shape[1]
        low, high = (side * i for i in np.triu_indices(-(-height // side)))
        parts: list[tuple[Any, ...]] = []
        groups: dict[int, tuple[Rows, Rows]] = {}
        reference = None
        most, left = -np.inf, height * (height + 1) // 2 // EFFORT
        while low.size:
            lows = Rows.of(below[1], up_to[1], side, rate, last=True)
            highs = Rows.of(-below[0], -up_to[0], side, rate, last=False)
            groups[side] = lows, highs
            i, j = low // side, high // side
            fewest, sums = anchor_sums(lows.anchor[i], highs.anchor[j], below, up_to, table)
            reference = int(fewest.min()) if reference is None else reference
            log_sums = np.log(sums) - rate * (fewest - reference)
            log_bounds = log_sums + lows.total[i] + highs.total[j]
            crossed = (low == high) & (side > 1)
            most = max(most, float(log_sums[~crossed].max(initial=-np.inf)))
            loose = lows.loose[i] + highs.loose[j] > LOOSE
            loose &= (log_bounds > most + SHARE - np.log(low.size)) & (side > 1)
            left -= 4 * np.count_nonzero(loose)
            split = crossed | (loose & (left >= 0))
            keep = ~split
            parts.append((low[keep], high[keep], np.full(len(low), side)[keep], log_sums[keep], log_bounds[keep]))
            side //= 2
            low, high = (
                np.concatenate([part[split] + shift * side for shift in shifts])
                for part, shifts in ((low, (0, 0, 1, 1)), (high, (0, 1, 0, 1)))
            )
            inside = (low <= high) & (high < height)
            low, high = low[inside], high[inside]
        first, last, sides, log_sums, log_bounds = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(first, last, sides, log_sums, log_bounds, groups, reference or 0)


def drawn_strip(
    envelope: Envelope,
    log_weight: Callable[[int, int], float],
    log_empty: float,
    tries: int,
    generator: np.random.Generator,
) -> tuple[int, int] | bool:
    """Draw the lower and the upper row of a strip by its weight; True for the empty set, False if no try succeeds.

    log_weight: logarithm of the weight of the strip of two rows, and log_empty that of the empty set, both as in
    the envelope.  Once the weight of a block of one strip is known, it takes the place of its bound.
    """
    logs = np.append(envelope.log_bounds, log_empty)
    total = np.cumsum(np.exp(logs - logs.max()))
    for _ in range(tries):
        block = min(int(np.searchsorted(total, generator.random() * total[-1], side="right")), len(logs) - 1)
        if block == len(envelope.low):
            return True
        side = int(envelope.side[block])
        bound, ends = envelope.log_sums[block], []
        for rows, first in zip(envelope.rows[side], (envelope.low[block], envelope.high[block]), strict=True):
            bounds = rows.bounds[first // side]
            masses = np.cumsum(np.exp(bounds - bounds.max()))
            place = min(int(np.searchsorted(masses, generator.random() * masses[-1], side="right")), side - 1)
            bound += bounds[place]
            ends.append(int(first) + place)
        low, high = ends
        if low > high:
            continue
        weight = log_weight(low, high)
        if np.log(generator.random()) < weight - bound:
            return low, high
        if side == 1:
            envelope.log_sums[block] = logs[block] = weight
            total = np.cumsum(np.exp(logs - logs.max()))
    return False
