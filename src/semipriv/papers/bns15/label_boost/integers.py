"""Thresholds of integers below 2^63 by sorted values: what LabelBoost needs of them, with 8 bytes for an example.

Labels are those of 1[x < j].  Examples count by their values: equal values share a run of thresholds.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.discrete_thresholds import ThresholdGroups
from semipriv.core.types import Bools, Indices, Integers

_SPARSE = 16
"""Values are sorted from so many integers for each of them on."""


def distinct(values: Integers) -> Integers:
    """Return the distinct values, increasing, by sorting: for so many, NumPy's own way by hashing takes ten times.

    Where values are dense, by marks of all integers up to the largest: O(n).
    """
    if len(values) and values.max() < _SPARSE * len(values):
        seen = np.zeros(int(values.max()) + 1, np.bool_)
        seen[values] = True
        return np.flatnonzero(seen)
    ordered = np.sort(_short(values))
    return ordered[_starts(ordered)].astype(np.int64)


def _short(values: Integers) -> NDArray[Any]:
    """Return integers >= 0 as uint32 if all are that short: half the bytes are sorted in half the time."""
    return values.astype(np.uint32) if len(values) and values.max() < 2**32 else values


def _starts(ordered: Integers) -> Indices:
    """Return the places where sorted values begin to differ from those before."""
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def counted(values: Integers, labels: Bools) -> tuple[Integers, Integers, Integers]:
    """Return the distinct values (g,), increasing, and how many examples of each have label 0, and label 1."""
    if not len(values):
        return values, values, values
    if values.max() < 2**62:
        keys = np.sort(_short(2 * values + labels))  # the labels of equal values may stand in any order
        ordered, ones = keys >> 1, (keys & 1).astype(bool)
    else:
        order = np.argsort(values, kind="stable")
        ordered, ones = values[order], labels[order]
    starts = _starts(ordered)
    labelled_one = np.add.reduceat(ones, starts, dtype=np.int64)
    return ordered[starts].astype(np.int64), np.diff(np.append(starts, len(values))) - labelled_one, labelled_one


def mistakes(zeros: Integers, ones: Integers) -> Integers:
    """Return the mistakes of labelling the k least of g values 1, for k = 0, ..., g: (g,), (g,) -> (g + 1,)."""
    wrong_below, right_below = (np.append(0, np.cumsum(part)) for part in (zeros, ones))
    return np.asarray(wrong_below + (right_below[-1] - right_below), np.int64)


def dichotomies(distinct: Integers, values: Integers, labels: Bools) -> ThresholdGroups:
    """Group the dichotomies of distinct sorted values (g,) by their mistakes on labelled examples, all among them.

    Dichotomy i labels the i least values 1, i = 0, ..., g.  Between values of the examples the mistakes do not change.

    >>> found = dichotomies(np.array([1, 4, 6, 9]), np.array([4]), np.array([True]))
    >>> found.first.tolist(), found.sizes.tolist(), found.mistakes.tolist()
    ([0, 2], [2, 3], [1, 0])
    """
    labelled, zeros, ones = counted(values, labels)
    first = np.append(0, np.searchsorted(distinct, labelled) + 1)
    sizes = np.diff(np.append(first, len(distinct) + 1))
    return ThresholdGroups(first.astype(object), sizes.astype(object), mistakes(zeros, ones))


def all_thresholds(values: Integers, labels: Bools, bits: int) -> ThresholdGroups:
    """Group all 2^bits + 1 thresholds by their mistakes on labelled examples, as ``group_thresholds`` does.

    values: (n,) below 2^bits, which may be far beyond 2^63.  Nothing is checked.
    """
    labelled, zeros, ones = counted(values, labels)
    first = np.append(np.array([0], object), labelled.astype(object) + 1)
    sizes = np.append(first[1:], np.array([2**bits + 1], object)) - first
    return ThresholdGroups(first, sizes, mistakes(zeros, ones))
