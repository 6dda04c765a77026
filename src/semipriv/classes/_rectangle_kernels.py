"""Loops over the strips of a planar cover of rectangles; what strips are is told in ``_rectangle_tally``.

following: (height, width) int32, the least row >= r with a point in column c, ``height`` if there is none.  low,
high: (s,) the lowest and highest row of each strip.  below, up_to: ones less zeros left of, and up to, each column by
rows.  The mistakes of a rectangle are ones + left - right, for its left and its right end.
"""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Integers

_Ranks = NDArray[np.int32]


@njit(cache=True)
def strip(following: _Ranks, low: int, high: int, columns: Integers, limits: Integers) -> int:
    """Write the columns of a strip and, for each last column, the number of first columns; return their number."""
    count = 0
    lowest, highest = 0, 0
    for column in range(following.shape[1]):
        if following[low, column] <= high:
            columns[count] = column
            count += 1
            if following[low, column] == low:
                lowest = count
            if following[high, column] == high:
                highest = count
            limits[count - 1] = min(lowest, highest)
    return count


@njit(cache=True)
def sizes(following: _Ranks, low: Integers, high: Integers) -> Integers:
    """Count the rectangles of each strip."""
    width = following.shape[1]
    columns, limits = np.empty(width, np.int64), np.empty(width, np.int64)
    sizes = np.zeros(low.size, np.int64)
    for s in range(low.size):
        for r in range(strip(following, low[s], high[s], columns, limits)):
            sizes[s] += limits[r]
    return sizes


@njit(cache=True)
def listed(following: _Ranks, low: Integers, high: Integers, size: int) -> NDArray[np.int32]:
    """Return the ranks (left, low, right, high) of all rectangles, (size, 4)."""
    width = following.shape[1]
    columns, limits = np.empty(width, np.int64), np.empty(width, np.int64)
    ranks = np.empty((size, 4), np.int32)
    k = 0
    for s in range(low.size):
        for r in range(strip(following, low[s], high[s], columns, limits)):
            for i in range(limits[r]):
                ranks[k, 0], ranks[k, 1], ranks[k, 2], ranks[k, 3] = columns[i], low[s], columns[r], high[s]
                k += 1
    return ranks


@njit(cache=True)
def open(
    following: _Ranks,
    low: int,
    high: int,
    below: Integers,
    up_to: Integers,
    limits: Integers,
    left: Integers,
    right: Integers,
) -> int:
    """Write limits, and ones less zeros left of and up to each column of a strip; return the number of columns."""
    count = strip(following, low, high, left, limits)
    for c in range(count):
        column = left[c]
        right[c] = up_to[0, high, column] - up_to[1, low, column]
        left[c] = below[0, high, column] - below[1, low, column]
    return count


@njit(cache=True)
def fewest(following: _Ranks, low: Integers, high: Integers, below: Integers, up_to: Integers, ones: int) -> int:
    """Return the fewest mistakes of a rectangle; the number of ones if there is no rectangle."""
    width = below.shape[2]
    limits, left, right = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    best = ones
    for s in range(low.size):
        count = open(following, low[s], high[s], below, up_to, limits, left, right)
        least, place = 0, 0
        for r in range(count):
            if place == 0 and limits[r] > 0:
                least = left[0]
            while place < limits[r]:
                least = min(least, left[place])
                place += 1
            if place > 0:
                best = min(best, ones + least - right[r])
    return best


@njit(cache=True)
def right_sums(
    limits: Integers, left: Integers, right: Integers, ones: int, fewest: int, table: Floats, sums: Floats
) -> float:
    """Add exp(-rate (mistakes - fewest)) over the left ends of each right end to sums; return the total.

    total = sum over the left ends so far of exp(-rate (left - least)), least the smallest: a larger one adds a term, a
    smaller one scales the sum and adds 1.
    """
    beyond = table.size - 1
    least, place, total, whole = 0, 0, 0.0, 0.0
    for r in range(limits.size):
        while place < limits[r]:
            step = left[place] - least
            if place == 0:
                least, total = left[0], 1.0
            elif step >= 0:
                total += table[min(step, beyond)]
            else:
                least, total = left[place], total * table[min(-step, beyond)] + 1.0
            place += 1
        if place > 0:
            weight = total * table[min(ones + least - right[r] - fewest, beyond)]
            sums[r] += weight
            whole += weight
    return whole


@njit(cache=True)
def strip_sums(
    following: _Ranks,
    low: Integers,
    high: Integers,
    below: Integers,
    up_to: Integers,
    ones: int,
    fewest: int,
    table: Floats,
) -> Floats:
    """Sum exp(-rate (mistakes - fewest)) over the rectangles of each strip."""
    width = below.shape[2]
    limits, left, right = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    unused = np.zeros(width)
    sums = np.empty(low.size)
    for s in range(low.size):
        c = open(following, low[s], high[s], below, up_to, limits, left, right)
        sums[s] = right_sums(limits[:c], left[:c], right[:c], ones, fewest, table, unused)
    return sums


@njit(cache=True)
def excess(
    following: _Ranks,
    low: Integers,
    high: Integers,
    below: Integers,
    up_to: Integers,
    ones: int,
    fewest: int,
    table: Floats,
) -> tuple[Floats, Floats]:
    """Sum w = exp(-rate (mistakes - fewest)) and w (mistakes - fewest) over the rectangles of each strip."""
    width = below.shape[2]
    limits, left, right = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    beyond = table.size - 1
    sums, excess = np.zeros(low.size), np.zeros(low.size)
    for s in range(low.size):
        count = open(following, low[s], high[s], below, up_to, limits, left, right)
        least, place, total, gaps = 0, 0, 0.0, 0.0
        for r in range(count):
            while place < limits[r]:
                step = left[place] - least
                if place == 0:
                    least, total, gaps = left[0], 1.0, 0.0
                elif step >= 0:
                    factor = table[min(step, beyond)]
                    total, gaps = total + factor, gaps + step * factor
                else:
                    factor = table[min(-step, beyond)]
                    least, total, gaps = left[place], total * factor + 1.0, (gaps - step * total) * factor
                place += 1
            if place > 0:
                gap = ones + least - right[r] - fewest
                factor = table[min(gap, beyond)]
                sums[s] += total * factor
                excess[s] += (gaps + gap * total) * factor
    return sums, excess


@njit(cache=True)
def histogram(
    following: _Ranks,
    low: Integers,
    high: Integers,
    below: Integers,
    up_to: Integers,
    ones: int,
    start: int,
    stop: int,
    examples: int,
) -> Integers:
    """Count rectangles of strips start <= s < stop that make 0, ..., examples mistakes."""
    width = below.shape[2]
    limits, left, right = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    counts = np.zeros(examples + 1, np.int64)
    for s in range(start, stop):
        for r in range(open(following, low[s], high[s], below, up_to, limits, left, right)):
            shift = ones - right[r]
            for i in range(limits[r]):
                counts[left[i] + shift] += 1
    return counts


@njit(cache=True)
def members(
    following: _Ranks,
    low: Integers,
    high: Integers,
    below: Integers,
    up_to: Integers,
    ones: int,
    mistakes: int,
) -> Integers:
    """Count the rectangles of each strip that make the given number of mistakes."""
    width = below.shape[2]
    limits, left, right = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    counts = np.zeros(low.size, np.int64)
    for s in range(low.size):
        for r in range(open(following, low[s], high[s], below, up_to, limits, left, right)):
            wanted = mistakes - ones + right[r]
            for i in range(limits[r]):
                counts[s] += left[i] == wanted
    return counts
