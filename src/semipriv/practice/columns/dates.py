"""Dates and times as numbers: whole units since 1970-01-01T00:00, rounded down, in the calendar of ISO 8601.

A day has 86,400 seconds, there are no leap seconds and no time zones: a date is its midnight, wherever that was.
"""

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from semipriv.core.types import Floats, Integers
from semipriv.practice.columns.cells import ColumnTypeError, Known, cells_as_texts, is_text, type_name, undictionaried

UNITS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
"""Seconds of each unit."""
RULE = "a date, as 2023-01-31, or a time, as 2023-01-31T10:30, without a time zone"
FIRST, LAST = "0001-01-01", "9999-12-31"
"""The first and the last date that can be written."""
_DAY = r"(?P<y>[0-9]{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:[.][0-9]{1,9})?)?"
_SPELT = f"^{_DAY}(?:[T ]{_TIME})?$"
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_PARTS = {
    "Y": r"(?P<y>[0-9]{4})", "y": r"(?P<yy>[0-9]{2})", "m": "(?P<m>0?[1-9]|1[0-2])",
    "d": "(?P<d>0?[1-9]|[12][0-9]|3[01])",
    "H": "(?P<hour>[01]?[0-9]|2[0-3])", "M": "(?P<minute>[0-5]?[0-9])", "S": "(?P<second>[0-5]?[0-9])",
    "f": "[0-9]{1,9}", "b": f"(?P<month>{'|'.join(month[:3] for month in _MONTHS)})",
    "B": f"(?P<month>{'|'.join(_MONTHS)})", "%": "%",
}  # fmt: skip
"""What a letter of a format stands for, in cells; next to another one a number has all of its digits."""
_YOUNG = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def numbers_of_dates(column: pa.ChunkedArray, unit: str) -> tuple[Floats, Known]:
    """Return cells as whole units (n,), 0 where there is none: missing, or not spelt as a date or a time.

    Raise ColumnTypeError for columns that are neither dates, times without a time zone nor texts.

    >>> numbers_of_dates(pa.chunked_array([["1970-01-02", "1970-01-03T23:59", "2023-02-30", "x"]]), "day")
    (array([1., 2., 0., 0.]), array([ True,  True, False, False]))
    """
    column = undictionaried(column)
    kind = column.type
    if is_text(kind):
        seconds, known = _parsed(cells_as_texts(column))
    elif pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        known = np.asarray(column.is_valid().to_numpy(), bool)
        zero = pa.scalar(0, pa.int32() if pa.types.is_date32(kind) else pa.int64()).cast(kind)
        seconds = _seconds(column.fill_null(zero) if column.null_count else column)
    else:
        raise ColumnTypeError(
            f"has the type {type_name(kind)}, must be dates, times without a time zone, or texts of them"
        )
    return np.where(known, seconds // UNITS[unit], 0).astype(np.float64), known


def _seconds(column: pa.ChunkedArray) -> Integers:
    """Return dates or times as seconds (n,), rounded down."""
    if pa.types.is_date32(column.type):
        return np.asarray(column.cast(pa.int32()).to_numpy(), np.int64) * UNITS["day"]
    ticks = 10**3 if pa.types.is_date64(column.type) else _TICKS[column.type.unit]
    return np.asarray(column.cast(pa.int64()).to_numpy(), np.int64) // ticks


def _parsed(column: pa.ChunkedArray, spelt: str = _SPELT) -> tuple[Integers, Known]:
    """Return texts as seconds (n,), and which are dates of the calendar; each different text is looked at once.

    spelt: a pattern with named parts.
    """
    distinct = pc.unique(column)
    seconds, known = _looked_at(distinct, spelt)
    places = np.asarray(pc.index_in(column, distinct).to_numpy(), np.int64)
    return seconds[places], known[places]


def times_of(column: pa.ChunkedArray, form: str) -> pa.ChunkedArray:
    """Return texts that are spelt by a format as times, null for all others; blanks around them do not matter.

    >>> times = times_of(pa.chunked_array([["31.1.2023", "31.02.2023", "2023-01-31"]]), "%d.%m.%Y")
    >>> times.cast(pa.string()).to_pylist()
    ['2023-01-31 00:00:00', None, None]
    """
    seconds, known = _parsed(cells_as_texts(column), pattern(form))
    return pa.chunked_array([pa.array(seconds, pa.int64(), mask=~known).cast(pa.timestamp("s"))])


def pattern(form: Any) -> str:
    """Return the pattern of the cells that a format describes; raise ValueError for a format without a day.

    Its letters are those of strptime: %Y %y %m %b %B %d %H %M %S %f and %%; names of months are English.

    >>> pattern("%Y%m")
    Traceback (most recent call last):
    ValueError: must tell year, month and day, as %d.%m.%Y
    """
    pieces = re.findall(r"%.|[^%]|%$", form, re.DOTALL) if isinstance(form, str) else ["%"]
    letters = [piece[1:] for piece in pieces if piece[0] == "%"]
    if not set(letters) <= set(_PARTS):
        raise ValueError(f"must be a format of {' '.join(f'%{letter}' for letter in _PARTS)}, as %d.%m.%Y")
    parts = [{"y": "Y", "b": "m", "B": "m"}.get(letter, letter) for letter in letters if letter != "%"]
    if len(set(parts)) < len(parts):
        raise ValueError("must tell each part of a date once")
    if not {"Y", "m", "d"} <= set(parts):
        raise ValueError("must tell year, month and day, as %d.%m.%Y")
    if any(coarse not in parts for fine, coarse in ("MH", "SM", "fS") if fine in parts):
        raise ValueError("must tell hours before minutes, minutes before seconds, and seconds before their parts")
    digits = [piece[0] == "%" and piece not in ("%b", "%B", "%%") for piece in pieces]
    expression = ""
    for place, piece in enumerate(pieces):
        part = _PARTS[piece[1]] if piece[0] == "%" else re.escape(piece)
        beside = digits[place] and any(digits[max(place - 1, 0) : place] + digits[place + 1 : place + 2])
        expression += part.replace("0?", "0").replace("[01]?", "[01]").replace("[0-5]?", "[0-5]") if beside else part
    return f"^(?i:{expression})$"


def _looked_at(cells: pa.Array, spelt: str) -> tuple[Integers, Known]:
    """Return texts as seconds (n,), and which are dates of the calendar; blanks around them do not matter."""
    parts = pc.extract_regex(pc.utf8_trim_whitespace(cells), spelt)
    known = np.asarray(parts.is_valid().to_numpy(zero_copy_only=False), bool)

    def number(name: str) -> Integers:
        there = parts.type.get_field_index(name) >= 0
        return _whole(pc.struct_field(parts, [name])) if there else np.zeros(len(cells), np.int64)

    y, m, d, *time = map(number, ("y", "m", "d", "hour", "minute", "second"))
    if parts.type.get_field_index("yy") >= 0:
        y = number("yy")
        y = y + np.where(y < _YOUNG, 2000, 1900)
    if parts.type.get_field_index("month") >= 0:
        names = pc.utf8_slice_codeunits(pc.utf8_lower(pc.struct_field(parts, ["month"])), 0, 3)
        listed = pa.array([month[:3] for month in _MONTHS], names.type)
        m = np.asarray(pc.fill_null(pc.index_in(names, listed), -1).to_numpy(), np.int64) + 1
    months = ((y - 1970) * 12 + np.maximum(m, 1) - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (np.maximum(d, 1) - 1)
    known &= (days.astype("datetime64[M]") == months) & (y >= 1) & (m >= 1)
    hour, minute, second = time
    return days.astype(np.int64) * UNITS["day"] + hour * 3600 + minute * 60 + second, known


def _whole(digits: pa.Array) -> Integers:
    """Return texts of digits as integers (n,), 0 for what is empty or missing."""
    filled = pc.fill_null(digits, "")
    filled = pc.if_else(pc.equal(filled, ""), "0", filled)
    return np.asarray(pc.cast(filled, pa.int64()).to_numpy(), np.int64)


def is_date(given: Any) -> bool:
    """Return whether a value of a request is a date or a time."""
    return isinstance(given, date) or (isinstance(given, str) and re.fullmatch(_SPELT, given) is not None)


def declared(name: str, given: Any) -> str:
    """Return a date or a time of a request in the form of ISO 8601; raise ValueError for anything else."""
    if isinstance(given, datetime) and given.tzinfo is not None:
        raise ValueError(f"{name} = {str(given)!r}: has a time zone, must be without one")
    spelt = given.isoformat() if isinstance(given, date) else given
    if not is_date(spelt) or not _in_calendar(spelt):
        raise ValueError(f"{name} = {given!r}: must be {RULE}")
    return str(spelt)


@lru_cache(maxsize=1024)
def _in_calendar(spelt: str) -> bool:
    """Return whether a declared text is a date or a time of the calendar; it is looked at once."""
    return bool(_parsed(pa.chunked_array([[spelt]]))[1].all())


@lru_cache(maxsize=1024)
def number_of(spelt: str, unit: str) -> int:
    """Return what stands for a declared date or time; it is looked at once.

    >>> number_of("1970-01-02", "hour")
    24
    """
    return int(numbers_of_dates(pa.chunked_array([[spelt]]), unit)[0][0])


def dates(numbers: NDArray[Any], unit: str) -> NDArray[np.datetime64]:
    """Return numbers (n,) as dates, if the unit is a day, else as times; fractions go to the nearest unit."""
    whole = np.rint(numbers).astype(np.int64)
    return whole.astype("datetime64[D]") if unit == "day" else (whole * UNITS[unit]).astype("datetime64[s]")


def text_of(number: float, unit: str) -> str:
    """Return a number as a date or a time in the form of ISO 8601; ``number_of`` inverts this."""
    return str(dates(np.array([number]), unit)[0])
