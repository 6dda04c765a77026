"""Cells of Python objects as texts, each by itself: how a cell is read never depends on another cell.

An array of such cells needs one type for all of them, and then a single private cell decides how the others are read:
beside a date, a time loses its hours; beside a number, a boolean is refused.  With a text for each cell there is no
such choice.  The text follows from the cell, and from whether texts or numbers are declared.
"""

import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

_LARGEST = 2**53
"""Integers up to it are floats, too, so that whole floats can be read as them."""


def is_of_objects(column: Any) -> bool:
    """Return whether the cells of a column are Python objects, of whatever kinds: a list, or an array of objects.

    A categorical column of pandas does if its categories are objects.

    >>> is_of_objects([1, 2]), is_of_objects(np.array([1, 2])), is_of_objects(np.array([1, "a"], object))
    (True, False, True)
    """
    kind = getattr(column, "dtype", None)
    if kind is None:
        return isinstance(column, list | tuple)
    categories = getattr(kind, "categories", None)
    return bool(getattr(categories, "dtype", kind) == np.dtype(object))


def texts_of(cells: Iterable[Any], *, are_texts: bool) -> pa.Array:
    """Return a text for each cell, null where the cell is missing or of a kind that no column can declare.

    are_texts: whether texts are declared, as categories are: then a boolean is the text true or false; else it is the
    number 1 or 0, as in a column of booleans.  Integers beyond 2^53, and floats that are none, are no texts, as in a
    column of floats.

    >>> from datetime import date
    >>> texts_of(["a", 1, 2.0, 0.5, True, None, date(2023, 1, 31), float("nan")], are_texts=True).to_pylist()
    ['a', '1', '2', None, 'true', None, '2023-01-31', None]
    >>> texts_of([True, b"7", [7]], are_texts=False).to_pylist()
    ['1', '7', None]
    """
    return pa.array([text_of(cell, are_texts) for cell in cells], pa.large_string())


def text_of(cell: Any, are_texts: bool) -> str | None:
    """Return the text of one cell; None if there is none.  A time with a zone has none, as dates have no zone."""
    try:
        return _text_of(cell, are_texts)
    except (ValueError, TypeError, ArithmeticError):  # a text of a lone surrogate, a date without a year, a time span
        return None


def _text_of(cell: Any, are_texts: bool) -> str | None:
    match cell:
        case str():
            return str(cell).encode().decode()
        case bytes() | bytearray():
            return bytes(cell).decode()
        case bool() | np.bool_():
            return (("false", "true") if are_texts else ("0", "1"))[bool(cell)]
        case int() | np.integer():
            return str(int(cell)) if not are_texts or abs(int(cell)) <= _LARGEST else None
        case float() | np.floating():
            return _number(float(cell), are_texts)
        case Decimal():
            return str(cell) if cell.is_finite() else None
        case np.datetime64():
            return None if np.isnat(cell) else str(cell.astype("datetime64[us]"))
        case datetime():
            return None if cell.tzinfo is not None or (text := cell.isoformat()) == "NaT" else text
        case date():
            return cell.isoformat()
    return None


def _number(value: float, are_texts: bool) -> str | None:
    """Return the text of a number; of a float that is no integer there is none where texts are declared."""
    if value.is_integer() and abs(value) <= _LARGEST:
        return str(int(value))
    return repr(value) if math.isfinite(value) and not are_texts else None
