"""Which private rows a database means: to learn from, held out, or both, and without public ones.

A database knows the declared order of rows and the column that marks public rows, as a reader of files does.  It
chooses the same rows, and counts them where they are.
"""

from typing import Any

import pyarrow as pa

from semipriv.practice.asking.request import Request
from semipriv.practice.columns.coding import Listed
from semipriv.practice.sources.stored import Choice, Stored


def listable(kind: pa.DataType) -> bool:
    """Return whether a database finds cells of this type in a list of texts as a reader of files does."""
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_decimal(kind)
    return bool(text or pa.types.is_integer(kind) or pa.types.is_floating(kind))


def choice(request: Request, *, held: bool | None) -> Choice | None:
    """Return the choice of private rows; None if they are in files, or if no query can separate them from public rows.

    held: True for the rows held out, False for those to learn from, None for both; without held-out rows all are
    learned from.
    """
    source, every, status = request.private, None if request.held_out is None else request.held_out.every, None
    if not isinstance(source, Stored):
        return None
    if request.status is not None:
        if not listable(source.types(source.name)[request.status.column]):
            return None
        status = request.status.column, Listed({request.status.value: 0}, 1)
    return Choice(None if held is None else every, held, status)


def table_of(request: Request, *, held: bool | None, nothing: bool = False) -> Any:
    """Return the table of these rows; None if no query tells them.  nothing: without any of them."""
    asked = choice(request, held=held)
    if asked is None or not isinstance(request.private, Stored):
        return None
    return request.private.session.chosen(asked, nothing=nothing)


def number_of(request: Request, *, held: bool | None) -> int | None:
    """Return how many these rows are; None if no query tells it."""
    asked = choice(request, held=held)
    if asked is None or not isinstance(request.private, Stored):
        return None
    return request.private.session.count(asked)
