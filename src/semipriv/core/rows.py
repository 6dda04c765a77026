"""Distinct numbers, and distinct rows of a table of numbers."""

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from semipriv.core.types import Indices, Integers

__all__ = ["Distinct", "distinct_numbers", "distinct_rows"]

_Number = TypeVar("_Number", bound=np.generic)


def distinct_numbers(values: NDArray[_Number]) -> NDArray[_Number]:
    """Return the distinct numbers of an array of any shape without nan, increasing, (k,).

    By sorting, in a fraction of the time of ``np.unique``, which hashes integers.

    >>> distinct_numbers(np.array([[3, 1], [1, 2]])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


class Distinct(NamedTuple):
    """Distinct rows in lexicographic order, the place of each given row among them, and how often each is given."""

    rows: NDArray[Any]
    place: Indices
    counts: Integers


def distinct_rows(rows: NDArray[_Number]) -> Distinct:
    """Return the distinct rows of an array (n, d) of numbers without nan: (k, d), (n,) and (k,).

    Columns are sorted as numbers, one by one: several times as quick as sorting rows as wholes, and the same order.

    >>> rows, place, counts = distinct_rows(np.array([[2, 1], [0, 3], [2, 1]]))
    >>> rows.tolist(), place.tolist(), counts.tolist()
    ([[0, 3], [2, 1]], [1, 0, 1], [1, 2])
    """
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    sorted_rows = rows[order]
    new = np.ones(len(rows), bool)
    new[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    place = np.empty(len(rows), np.intp)
    place[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    return Distinct(sorted_rows[new], place, np.diff(starts, append=len(rows)))
