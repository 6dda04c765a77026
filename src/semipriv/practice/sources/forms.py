"""The declared form of a file: what separates cells, how numbers and dates are spelt, and what marks a gap.

Nothing of it is inferred from a file.  How a cell of text is read depends on that cell alone.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.practice.columns.cells import (
    cells_as_texts,
    is_number,
    is_text,
    numbers,
    texts,
    trimmed,
    undictionaried,
)
from semipriv.practice.columns.dates import pattern, times_of

Kind = Literal["numbers", "dates", "texts"]
"""What the cells of a column stand for, by what is declared of it."""
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": None}
"""Suffixes of files of text, each also with ``.gz`` behind it, and what separates cells; None: it must be declared."""
PARQUET = (".parquet", ".pq")
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "latin-1",
    *(f"iso8859-{i}" for i in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)), *(f"cp{1250 + i}" for i in range(9)),
    "cp437", "cp850", "cp852", "cp866", "koi8-r", "koi8-u", "mac-roman",
    "gbk", "gb18030", "big5", "shift_jis", "cp932", "euc-jp", "euc-kr", "cp949",
)  # fmt: skip
"""Encodings in which a cell is read as it is after any other: those with states from cell to cell are left out."""
_BLANKS = "[ \u00a0\u2007\u2009\u202f]"
"""What stands between thousands where a blank is declared."""


def suffix(path: Path) -> str:
    """Return the suffix of a file without ``.gz``, in small letters; of a table if it is one of those above.

    >>> suffix(Path("clinic.2024.csv.gz")), suffix(Path("CLINIC.CSV"))
    ('.csv', '.csv')
    """
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.suffix.lower()


def is_table(path: Path) -> bool:
    """Return whether a file is a table by its name."""
    return suffix(path) in SEPARATORS or path.suffix.lower() in PARQUET


def _separator(name: str, given: Any) -> str | None:
    given = {"tab": "\t", "\\t": "\t"}.get(given, given) if isinstance(given, str) else given
    if given is None or (
        isinstance(given, str) and len(given) == 1 and given.isascii() and not given.isalnum() and given not in '"\r\n'
    ):
        return given
    raise ValueError(f'{name} = {given!r}: must be one character, as ";", or tab')


def _quote(name: str, given: Any) -> str | None:
    if given is None or given == "none" or (isinstance(given, str) and given in ('"', "'", "`", "|", "~")):
        return given
    raise ValueError(f"{name} = {given!r}: must be one of \", ', `, |, ~ (in quotes), or none")


def _decimal(name: str, given: Any) -> str:
    if given not in (".", ","):
        raise ValueError(f'{name} = {given!r}: must be "." or ","')
    return str(given)


def _thousands(name: str, given: Any) -> str | None:
    if given is None or (isinstance(given, str) and given in (",", ".", " ", "'", "\u2019", "_", "\u00a0", "\u202f")):
        return given
    raise ValueError(f"{name} = {given!r}: must be one of ',', '.', ' ', '_' and an apostrophe (in quotes)")


def _encoding(name: str, given: Any) -> str:
    known = {spelt.replace("_", "-"): spelt for spelt in ENCODINGS}
    known |= {spelt.replace("-", ""): spelt for spelt in list(known)}
    known |= {"iso-8859-1": "latin-1", "windows-1252": "cp1252", "latin9": "iso8859-15", "utf-16le": "utf-16-le"}
    known |= {spelt.replace("iso8859-", "iso-8859-"): spelt for spelt in ENCODINGS if spelt.startswith("iso8859-")}
    known |= {spelt.replace("cp125", "windows-125"): spelt for spelt in ENCODINGS if spelt.startswith("cp125")}
    encoding = known.get(str(given).lower().replace("_", "-"))
    if encoding is None:
        raise ValueError(f"{name} = {given!r}: must be one of {', '.join(ENCODINGS)}")
    return encoding


def _names(name: str, given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if (
        not isinstance(given, list | tuple)
        or not given
        or not all(isinstance(column, str) and column for column in given)
    ):
        raise ValueError(
            f"{name} = {given!r}: must be a list of the names of all columns, in order; yes, no, numbers and dates in "
            "quotes"
        )
    for column in given:
        if given.count(column) > 1:
            raise ValueError(f"{name}: {column!r} is listed twice")
    return tuple(given)


def _missing(name: str, given: Any) -> tuple[str, ...]:
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for spelling in listed:
        if isinstance(spelling, bool) or not isinstance(spelling, str | int | float):
            raise ValueError(f"{name}: {spelling!r} must be text or a number (write null, no, dates in quotes)")
    return tuple(map(str, listed))


def _dates(name: str, given: Any) -> str | None:
    if given is None:
        return None
    try:
        pattern(given)
    except ValueError as error:
        raise ValueError(f"{name} = {given!r}: {error}") from None
    return str(given)


@value
class Form:
    """How a table is written.

    separator: of cells; None: what the suffix says.  decimal, thousands: of numbers; thousands None: nothing is between
    them.  encoding: of text.  quote: around cells that hold separators or line breaks, "none": nothing; None: ``"``,
    and nothing if a tab separates cells.  header: whether the first line has the names of the columns, which are
    ``names`` otherwise.  missing: texts that mean a gap, besides cells that are empty.  dates: a format as of strptime;
    None: as 2023-01-31.
    """

    separator: str | None = checked(_separator, default=None)
    decimal: str = checked(_decimal, default=".")
    thousands: str | None = checked(_thousands, default=None)
    encoding: str = checked(_encoding, default="utf-8")
    quote: str | None = checked(_quote, default=None)
    header: bool = checked(checks.boolean, default=True)
    names: tuple[str, ...] | None = checked(_names, default=None)
    missing: tuple[str, ...] = checked(_missing, default=())
    dates: str | None = checked(_dates, default=None)

    def __attrs_post_init__(self) -> None:
        if self.thousands == self.decimal:
            raise ValueError(f"thousands = {self.thousands!r}: is the decimal point, too; declare decimal")
        if self.separator is not None and self.separator == self.quote:
            raise ValueError(f"quote = {self.quote!r}: is the separator, too")
        if self.header and self.names is not None:
            raise ValueError("names: are those of a file without a header line; declare header: false as well")
        if not self.header and self.names is None:
            raise ValueError("header = False: needs names, a list of the names of all columns, in order")

    def declared(self) -> dict[str, Any]:
        """Return what is not the default, as values of JSON."""
        usual = Form()
        given = {key: getattr(self, key) for key in KEYS if getattr(self, key) != getattr(usual, key)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    def check(self, path: Path) -> None:
        """Raise ValueError for what is declared of text and a file that is none, or for a missing separator."""
        if path.suffix.lower() in PARQUET:
            for key in ("separator", "encoding", "quote", "header", "names"):
                if key in self.declared():
                    raise ValueError(f"{key}: is of a file of text, and this is Parquet")
        elif self.separator_of(path) is None:
            raise ValueError("needs separator: the suffix .txt does not tell what is between cells")

    def separator_of(self, path: Path) -> str | None:
        """Return the separator of the cells of a file of text; None if neither key nor suffix says it."""
        return self.separator or SEPARATORS[suffix(path)]

    def quote_of(self, path: Path) -> str | None:
        """Return the quote around cells of a file of text; None if there is none."""
        if self.quote is None:
            return None if self.separator_of(path) == "\t" else '"'
        return None if self.quote == "none" else self.quote

    # ---------------------------------------------------------------------------------------------- cells
    def read(self, table: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
        """Return rows with cells as features read them, each by its own text and what is declared of its column."""
        if self.decimal == "." and self.thousands is None and not self.missing and self.dates is None:
            return table
        columns = [self._read(table.column(i), kinds.get(name)) for i, name in enumerate(table.column_names)]
        return pa.table(columns, names=table.column_names)

    def _read(self, column: pa.ChunkedArray, kind: Kind | None) -> pa.ChunkedArray:
        column = undictionaried(column)
        if not is_text(column.type):
            return self._without_numbers(column)
        cells = trimmed(cells_as_texts(column))
        if self.missing:
            gaps = pa.array(trimmed(pa.chunked_array([pa.array(self.missing, pa.large_string())])).to_pylist())
            cells = _gaps(cells, pc.is_in(cells, gaps.cast(pa.large_string())))
        if kind == "numbers":
            return self._without_numbers(cells if self._english else self._plain(cells), parsed=True)
        if kind == "dates":
            return cells if self.dates is None else times_of(cells, self.dates)
        if kind == "texts":
            cells = cells if self._english else self._whole(cells)
            plain = texts(pa.chunked_array([pa.array(self.missing, pa.large_string())]))
            return _gaps(cells, pc.is_in(texts(cells), pa.array(plain.to_pylist(), pa.large_string())))
        return cells

    @property
    def _english(self) -> bool:
        return self.decimal == "." and self.thousands is None

    def _without_numbers(self, column: pa.ChunkedArray, *, parsed: bool = False) -> pa.ChunkedArray:
        """Return numbers without those that mean a gap."""
        listed, known = numbers(pa.chunked_array([pa.array(self.missing, pa.large_string())]))
        number = parsed or is_number(column.type) or pa.types.is_decimal(column.type)
        if not known.any() or not number:
            return column
        values, spelt = numbers(column)
        return _gaps(column, pa.chunked_array([pa.array(np.isin(values, listed[known]) & spelt)]))

    @property
    def _spelt(self) -> tuple[str, str]:
        """Patterns of the digits before the decimal point, and of thousands."""
        if self.thousands is None:
            return "[0-9]+", ""
        between = _BLANKS if re.fullmatch(_BLANKS, self.thousands) else re.escape(self.thousands)
        between = "['\u2019]" if self.thousands in "'\u2019" else between
        return f"(?:[0-9]{{1,3}}(?:{between}[0-9]{{3}})+|[0-9]+)", between

    def _plain(self, cells: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return numbers as they are spelt with a point and without thousands; null for what is no number."""
        whole, between = self._spelt
        point = re.escape(self.decimal)
        spelt = f"^[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
        plain = _gaps(cells, pc.invert(pc.match_substring_regex(cells, spelt)))
        plain = pc.replace_substring_regex(plain, between, "") if between else plain
        return pc.replace_substring(plain, self.decimal, ".")

    def _whole(self, cells: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return texts that spell a whole number, as 1,0 or 1.000, as its digits, and all others as they are."""
        _, between = self._spelt
        grouped = f"[1-9][0-9]{{0,2}}(?:{between}[0-9]{{3}})+|" if between else ""
        spelt = f"^-?(?:{grouped}0|[1-9][0-9]*)(?:{re.escape(self.decimal)}0+)?$"
        bare = pc.replace_substring_regex(cells, f"{re.escape(self.decimal)}0+$", "")
        bare = pc.replace_substring_regex(bare, between, "") if between else bare
        return pc.if_else(pc.match_substring_regex(cells, spelt), bare, cells)


def _gaps(column: pa.ChunkedArray, chosen: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column that is null where chosen is true."""
    return pc.if_else(chosen, pa.scalar(None, column.type), column)


def form_of(key: str, given: Mapping[str, Any]) -> Form:
    """Return the form that keys of a request declare; raise ValueError with the key."""
    try:
        return Form(**{name: value for name, value in given.items() if value is not None})
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from None


KEYS: Sequence[str] = tuple(Form.__annotations__)
"""Keys of a request that declare a form."""
