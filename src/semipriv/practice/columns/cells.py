"""Cells of a column as numbers or texts, each by itself, with a mask of the cells that can be read so.

No error is raised for a cell, so that no message can hold one.  What a cell becomes depends on nothing but the cell.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from semipriv.core.errors import PublicError
from semipriv.core.types import Floats, Integers

Known = NDArray[np.bool_]
"""(n,) bool: whether a cell is what it should be."""

_WHOLE = r"^(?:-?(0)|(-?[1-9][0-9]*))[.]0+$"
"""A whole number with decimals, as pandas writes a column of codes with a gap."""
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
BLANKS += "\u2028\u2029\u202f\u205f\u3000"
"""What is taken off around a cell: white space of Unicode."""
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class ColumnTypeError(PublicError):
    """A column of a type that cannot hold what is declared.  The type of a column is not private."""


class Declared(Protocol):
    """A column that a request declares, and what it may hold."""

    @property
    def column(self) -> str:
        """Its name."""

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold what is declared."""


def check_type(read: Callable[[pa.ChunkedArray], Any], kind: pa.DataType) -> None:
    """Raise ColumnTypeError if a column of this type cannot be read; a column without cells can."""
    try:
        read(pa.chunked_array([], kind))
        return
    except ColumnTypeError:
        raise
    except (pa.ArrowException, ValueError):
        pass
    raise ColumnTypeError(f"has the type {type_name(kind)}, which cannot be read")


def check_texts(declared: Iterable[str], kind: pa.DataType) -> None:
    """Raise ColumnTypeError if a column of this type cannot be read as texts, or if no cell can be a declared one."""
    check_type(texts, kind)
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_boolean(kind):
        possible = any(text in ("false", "true") for text in declared)
    else:
        spelt = "-?[0-9]+" if is_number(kind) else "-?[0-9]+([.][0-9]+)?" if pa.types.is_decimal(kind) else "(?s).*"
        possible = any(re.fullmatch(spelt, text) for text in declared)
    if not possible and pa.types.is_boolean(kind):
        raise ColumnTypeError(f"has the type {type_name(kind)}, whose cells are the texts true and false: declare them")
    if not possible:
        raise ColumnTypeError(f"has the type {type_name(kind)}, so that no cell is one of the declared texts")


def type_name(kind: pa.DataType) -> str:
    """Return a type in a word: without names of nested fields, lengths and time zones, which are not part of a request.

    >>> type_name(pa.struct({"x": pa.int8()})), type_name(pa.timestamp("s", "UTC"))
    ('struct', 'timestamp with a time zone')
    """
    if isinstance(kind, pa.BaseExtensionType):
        return "extension"
    word = re.match(r"[a-z0-9_]*", str(kind))
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return (word[0] if word else "") + (" with a time zone" if zoned else "")


def numbers(column: pa.ChunkedArray) -> tuple[Floats, Known]:
    """Return cells as finite numbers (n,), 0 where there is none: missing, infinite, not a number, or another text.

    Raise ColumnTypeError for columns that are neither numbers, booleans nor texts.

    >>> numbers(pa.chunked_array([["1.5", "inf", "", "2e3", "x"]]))
    (array([1.5e+00, 0.0e+00, 0.0e+00, 2.0e+03, 0.0e+00]), array([ True, False, False,  True, False]))
    """
    column = undictionaried(column)
    kind = column.type
    if is_text(kind):
        column = _parsed(cells_as_texts(column))
    elif not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    ):
        dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        raise ColumnTypeError(
            f"has the type {type_name(kind)}, must be numbers" + ("; dates need a `unit`" if dated else "")
        )
    elif pa.types.is_decimal(kind):  # by its digits, to the nearest float: Arrow's own way may take another one
        column = pc.cast(column, pa.string())
    if column.type != pa.float64():
        column = pc.cast(column, pa.float64(), safe=False)
    valid = None if not column.null_count else column.is_valid().to_numpy()
    values = (column if valid is None else column.fill_null(0.0)).to_numpy()
    known = np.isfinite(values)
    if valid is not None:
        known &= valid
    return (values if known.all() else np.where(known, values, 0.0)), known


def texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells as texts, null where there is none: missing, not in UTF-8, or a float that is not whole.

    Blanks around a text do not matter, letters with accents are composed (NFC), and a whole number is its digits,
    however it is spelt: 1.0 and 1.00 are 1.  Decimals are as they are spelt, booleans true and false.  Raise
    ColumnTypeError for columns that are neither texts, numbers nor booleans.

    >>> texts(pa.chunked_array([[" a ", "1.0", "1.5", "007", None]])).to_pylist()
    ['a', '1', '1.5', '007', None]
    >>> texts(pa.chunked_array([[1.0, 1.5, None]])).to_pylist()
    ['1', None, None]
    """
    column = undictionaried(column)
    kind = column.type
    if is_text(kind) or pa.types.is_decimal(kind):
        cells = trimmed(cells_as_texts(column))
        some = pc.any(pc.match_substring(cells, ".0")).as_py()  # as each cell has that matches, and few others have
        return pc.replace_substring_regex(cells, _WHOLE, r"\1\2") if some else cells
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_floating(kind):
        chunks = [pc.cast(whole_numbers(pc.cast(chunk, pa.float64())), pa.string()) for chunk in column.chunks]
        return pa.chunked_array(chunks, pa.string())
    raise ColumnTypeError(f"has the type {type_name(kind)}, must be texts, numbers or booleans")


def trimmed(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts without the blanks around them, accents composed (NFC)."""
    return pc.utf8_normalize(pc.utf8_trim_whitespace(cells), form="NFC")


def as_cells(declared: Sequence[str]) -> list[str]:
    """Return declared texts as ``texts`` returns equal cells; raise ValueError for what is not text.

    >>> as_cells([" a", "1.0"])
    ['a', '1']
    """
    try:
        column = pa.chunked_array([pa.array(list(declared), pa.large_string())])
    except UnicodeEncodeError:
        raise ValueError("holds half a character, which is not text") from None
    return list(texts(column).to_pylist())


def is_number(kind: pa.DataType) -> bool:
    """Return whether a type is that of integers or of floats."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def whole_numbers(cells: pa.Array) -> pa.Array:
    """Return numbers as integers, null where there is none: missing, or not an integer up to 2^53.

    Larger integers become null: beside a missing cell all of them would be floats, which round them.

    >>> whole_numbers(pa.array([1.0, None, 1.5])).to_pylist(), whole_numbers(pa.array([7, 2**53 + 2])).to_pylist()
    ([1, None, None], [7, None])
    """
    if pa.types.is_integer(cells.type):
        if cells.type.bit_width < 64:
            return cells
        least = 0 if cells.type == pa.uint64() else -(2**53)
        most, least = (pa.scalar(end, cells.type) for end in (2**53, least))
        small = pc.and_(pc.less_equal(cells, most), pc.greater_equal(cells, least))
        return pc.if_else(small, cells, pa.scalar(None, cells.type))
    whole = pc.and_(pc.equal(cells, pc.floor(cells)), pc.less_equal(pc.abs(cells), 2.0**53))
    return pc.cast(pc.if_else(whole, cells, pa.scalar(None, cells.type)), pa.int64())


def places(column: pa.ChunkedArray, known: list[str]) -> Integers:
    """Return the place of each text among the known ones, -1 for others: (n,)."""
    indices = pc.index_in(column, pa.array(known, column.type), skip_nulls=True)
    return np.asarray(pc.fill_null(indices, -1).to_numpy(), np.int64)


def undictionaried(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of a dictionary as one of its values, others as they are."""
    kind = column.type
    return pc.cast(column, kind.value_type) if pa.types.is_dictionary(kind) else column


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is text, bytes, or that of a column without any cell."""
    is_string = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(is_string or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_null(kind))


def as_spelt(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts or bytes as texts, with a mark for bytes that are none; other cells as they are.  To be shown."""
    column = undictionaried(column)
    if not is_text(column.type):
        return column
    try:
        return pc.cast(column, pa.large_string())
    except pa.ArrowException:  # its message holds a cell, so nothing more is done while it is handled
        pass
    column = column.cast(pa.large_binary())
    spelt = [None if cell is None else bytes(cell).decode(errors="replace") for cell in column.to_pylist()]
    return pa.chunked_array([pa.array(spelt, pa.large_string())])


def cells_as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts or bytes as texts; a cell that is not UTF-8 becomes null, whatever type the file declares."""
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        column = pc.cast(pc.cast(column, pa.large_string()), pa.large_binary())
    try:
        return pc.cast(column, pa.large_string())
    except pa.ArrowInvalid:  # its message holds a cell, so nothing more is done while it is handled
        pass
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
    except pa.ArrowInvalid:  # its message holds a cell, so nothing more is done while it is handled
        pass
    trimmed = pc.utf8_trim_whitespace(column)
    spelt = pc.match_substring_regex(trimmed, _NUMBER)
    return pc.cast(pc.if_else(spelt, trimmed, pa.scalar(None, trimmed.type)), pa.float64())
