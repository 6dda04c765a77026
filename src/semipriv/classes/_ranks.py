"""Rows of numbers as integers: their places among the distinct rows."""

import numpy as np

from semipriv.core.types import Bools, Floats, Indices

_FIRST = 2
"""Leading numbers by which rows are sorted first: often no two rows have them in common."""


def ranks(rows: Floats) -> tuple[Indices, Indices]:
    """Return the lexicographic ranks (n,) of rows (n, d) among the r distinct ones, and where each is first, (r,).

    rows[first] are the distinct rows, sorted; O(d n log n).

    >>> place, first = ranks(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]]))
    >>> place.tolist(), first.tolist()
    ([1, 0, 1], [1, 0])
    """
    order, new = _sorted(rows[:, :_FIRST])
    if rows.shape[1] > _FIRST and not new.all():
        order, new = _sorted(rows[:, np.any(rows != rows[:1], axis=0)])
    place = np.empty(len(rows), np.intp)
    place[order] = np.cumsum(new) - 1
    return place, order[new]


def _sorted(rows: Floats) -> tuple[Indices, Bools]:
    """Return a stable order of rows (n, d), and which of them, in this order, differ from the one before, (n,)."""
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    ordered = rows[order]
    new = np.ones(len(rows), bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return order, new
