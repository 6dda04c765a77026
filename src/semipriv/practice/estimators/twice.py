"""Whether one table was handed in as both the public and the private one."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.errors import PublicError
from semipriv.practice.estimators.door import array_of, names_of


def check_other(public: Any, private: Any, columns: Sequence[str] | None = None, hint: str = "") -> None:
    """Raise PublicError if the private rows are the public ones: one object, or tables of one shape that are in one
    memory or equal in full.

    Such rows are protected by nothing: the learner looks at public rows as it likes.  That a table is the other one in
    full follows from what the holder handed in, not from what a person's row holds: tables of different people are not
    equal in every cell.  So the refusal tells the holder of a slip, before anything is drawn or charged, and it is not
    part of a release.  That *single* rows of both are equal is another matter: it depends on what these people are, it
    is private, and it is never looked at.  Tables in which all rows are alike are not compared by content, either.

    public, private: arrays, lists, DataFrames, or mappings of columns.  columns: those that count, of DataFrames and
    mappings; None: all of them.  hint: what else to do.
    """
    if public is None or private is None or (np.ndim(public) == 0 and not _is_table(public)):
        return
    if public is private or _alike(public, private, columns):
        raise PublicError(
            "public: is the same table as X, so that its rows would be read as public ones and not be protected; give "
            f"rows that are public{hint} (nothing was drawn or charged)"
        )


def check_other_targets(public: Any, private: Any, name: str) -> None:
    """Raise PublicError if private labels, or responses, are handed in as public ones: one object, or one memory.

    Equal labels of different people are no surprise, so their content is not compared.  name: of the public ones.
    """
    if public is None or private is None or np.ndim(public) == 0:
        return
    public_cells, private_cells = (
        given if isinstance(given, np.ndarray) else np.asarray(getattr(given, "values", ()))
        for given in (public, private)
    )
    shared = public_cells.shape == private_cells.shape and _share(public_cells, private_cells)
    if public is private or shared:
        raise PublicError(f"{name}: are y, so that private labels would be read as public ones (nothing was charged)")


def _is_table(given: Any) -> bool:
    return names_of(given) is not None


def _alike(public: Any, private: Any, columns: Sequence[str] | None) -> bool:
    """Return whether two tables share memory, or are equal in full; False for what cannot be read, refused later."""
    try:
        ours, theirs = list(_columns(public, columns)), list(_columns(private, columns))
        if [column.shape for column in ours] != [column.shape for column in theirs]:
            return False
        if any(_share(own, foreign) for own in ours for foreign in theirs):
            return True
        return all(map(_equal, ours, theirs)) and any(
            not _equal(column, np.broadcast_to(column[:1], column.shape)) for column in ours
        )
    except Exception:
        return False


def _columns(given: Any, columns: Sequence[str] | None) -> Iterator[NDArray[Any]]:
    """Return the columns, (n,) each, as views where that is possible."""
    names = names_of(given)
    if names is not None:
        yield from (array_of(given[name], "column") for name in (names if columns is None else columns))
    else:
        cells = array_of(given, "table")
        yield from (cells if cells.ndim == 1 else cells.T)


def _share(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return bool(np.may_share_memory(left, right) and np.shares_memory(left, right))


def _equal(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether both are equal in every cell; two missing cells are equal."""
    import pandas as pd  # noqa: PLC0415  (a slow import)

    if left.dtype.kind in "biuf" and right.dtype.kind in "biuf":
        return bool(np.array_equal(left, right, equal_nan=left.dtype.kind == right.dtype.kind == "f"))
    return pd.Series(left, dtype=object).equals(pd.Series(right, dtype=object))
