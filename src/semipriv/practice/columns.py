"""Cells of a column as numbers or texts, each by itself, with a mask of those that are none.

No error is raised for a cell, so that no message can hold one.  What a cell becomes depends on nothing but the cell.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Known = NDArray[np.bool_]
"""(n,) bool: whether a cell is what it should be."""

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class ColumnTypeError(ValueError):
    """A column of a type that cannot hold what is declared.  The type of a column is no private value."""


def numbers(column: pa.ChunkedArray) -> tuple[Floats, Known]:
    """Return cells as finite numbers (n,), 0 where there is none: missing, infinite, not a number, or another text.

    Raise ColumnTypeError for columns that are neither numbers, booleans nor texts.

    >>> numbers(pa.chunked_array([["1.5", "inf", "", "2e3", "x"]]))
    (array([1.5e+00, 0.0e+00, 0.0e+00, 2.0e+03, 0.0e+00]), array([ True, False, False,  True, False]))
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return numbers(pc.cast(column, kind.value_type))
    if _is_text(kind):
        column = _parsed(_texts(column))
    elif not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    ):
        raise ColumnTypeError(f"has the type {kind}, must be numbers")
    if column.type != pa.float64():
        column = pc.cast(column, pa.float64(), safe=False)
    valid = None if not column.null_count else column.is_valid().to_numpy()
    values = (column if valid is None else column.fill_null(0.0)).to_numpy()
    known = np.isfinite(values)
    if valid is not None:
        known &= valid
    return (values if known.all() else np.where(known, values, 0.0)), known


def texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells as texts, null where there is none: missing, or not in UTF-8.  Integers and booleans as JSON.

    Raise ColumnTypeError for columns that are neither texts, integers nor booleans.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return texts(pc.cast(column, kind.value_type))
    if _is_text(kind):
        return _texts(column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return pc.cast(column, pa.string())
    raise ColumnTypeError(f"has the type {kind}, must be texts, integers or booleans")


def places(column: pa.ChunkedArray, known: list[str]) -> NDArray[np.int64]:
    """Return the place of each text among the known ones, -1 for others: (n,)."""
    found = pc.index_in(column, pa.array(known, column.type), skip_nulls=True)
    return np.asarray(pc.fill_null(found, -1).to_numpy(), np.int64)


def _is_text(kind: pa.DataType) -> bool:
    is_string = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(is_string or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_null(kind))


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts or bytes as texts; bytes that are no text become null, one by one."""
    try:
        return pc.cast(column, pa.large_string())
    except pa.ArrowInvalid:
        decoded = [_decoded(cell) for cell in column.to_pylist()]
    return pa.chunked_array([pa.array(decoded, pa.large_string())])


def _decoded(cell: Any) -> str | None:
    try:
        return None if cell is None else bytes(cell).decode()
    except UnicodeDecodeError:
        return None


def _parsed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as float64, null for those that spell no number; blanks around a number do not matter."""
    try:
        return pc.cast(column, pa.float64())
    except pa.ArrowInvalid:
        trimmed = pc.utf8_trim_whitespace(column)
        spelt = pc.match_substring_regex(trimmed, _NUMBER)
    return pc.cast(pc.if_else(spelt, trimmed, pa.scalar(None, trimmed.type)), pa.float64())
