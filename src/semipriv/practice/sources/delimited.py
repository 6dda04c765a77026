"""Files of text in which a character separates cells, read in blocks that end where a row ends.

Arrow reads each block by itself.  If blocks ended anywhere, the border could change a cell: a quoted line break of two
bytes loses one of them there (apache/arrow#51368).  No message holds what is read.
"""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from semipriv.core.errors import PublicError
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.sources.forms import Form

BLOCK = 2**22
"""Bytes that are read at once."""
WIDE, MOST_BLOCKS = 100, 16
"""For each so many columns BLOCK more bytes are read at once, at most so many times BLOCK in all."""
HEADER = 2**20
"""Bytes that the first line may have."""
LONGEST = 2**26
"""Bytes that a row may have: more of them is a quote that was left open, or a file of another kind."""
_OPEN = "a quote ({quote}) is opened and not closed: it hides the rows behind it; or declare `quote: none`"
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MALFORMED = re.compile(r"CSV parse error: Row #([0-9]+): Expected [0-9]+ columns, got [0-9]+: ")
"""How Arrow says that a row has another number of cells; the row follows.

A handler of such rows does not help: for a row that is not text Arrow prints an error, with a byte of it and its place.
"""


class _UnreadableError(Exception):
    """A reason why a file cannot be read, in words that repeat nothing of it."""


@attrs.frozen
class _Rows:
    """Where rows end in bytes that start with a row.

    separator, quote: one byte each; quote None: nothing is quoted.
    """

    separator: bytes
    quote: bytes | None

    @property
    def closing(self) -> re.Pattern[bytes]:
        """What is behind the opening quote of a cell, with the closing one."""
        mark = re.escape(self.quote or b"")
        return re.compile(b"[^" + mark + b"]*(?:" + mark * 2 + b"[^" + mark + b"]*)*" + mark)

    def end(self, content: bytes) -> tuple[int, bool]:
        """Return where the last row ends for certain, 0 if none does, and whether a quote is open at the end.

        A cell is quoted if it starts with a quote.  It ends at the next quote that is not doubled; a quote anywhere
        else is a letter.
        """
        if self.quote is None or self.quote not in content:
            return _line(content, 0, len(content)), False
        quotes = np.flatnonzero(np.frombuffer(content, np.uint8) == self.quote[0])
        if not self._paired(content, quotes):
            return self._walked(content)
        lines = np.flatnonzero(_line_ends(content))
        outside = lines[np.searchsorted(quotes, lines) % 2 == 0]
        return (int(outside[-1]) + 1 if len(outside) else 0), len(quotes) % 2 == 1

    def _paired(self, content: bytes, quotes: Any) -> bool:
        """Return whether each quote opens or closes a cell, or is one of a doubled pair, as their places alternate."""
        padded = np.frombuffer(b"\n" + content + b"\n", np.uint8)
        edges = np.isin(padded, np.frombuffer(b"\r\n" + self.separator + (self.quote or b""), np.uint8))
        return bool(edges[quotes[::2]].all() and edges[quotes[1::2] + 2].all())

    def _walked(self, content: bytes) -> tuple[int, bool]:
        """Return the same cell by cell."""
        assert self.quote is not None
        mark = re.escape(self.quote)
        opening = re.compile(rb"(?:\A|(?<=[\r\n" + re.escape(self.separator) + rb"]))" + mark)
        closing, place, end = self.closing, 0, 0
        while opened := opening.search(content, place):
            end = _line(content, place, opened.start()) or end
            closed = closing.match(content, opened.end())
            if closed is None:
                return end, True
            place = closed.end()
            behind = content[place : place + 1]
            if behind not in (b"", b"\r", b"\n", self.separator) and b"\n" in closed[0]:
                raise _UnreadableError(
                    f"text stands behind a quote ({self.quote.decode()}) that closes a cell of several lines: it may "
                    "hide rows; or declare `quote: none`"
                )
        return _line(content, place, len(content)) or end, False


def _line_ends(content: bytes) -> Any:
    """Return whether a line ends with each byte, (n,) bool; a last byte for return may be half of an end."""
    codes = np.frombuffer(content, np.uint8)
    ends = codes == ord("\n")
    ends[:-1] |= (codes[:-1] == ord("\r")) & (codes[1:] != ord("\n"))
    return ends


def _line(content: bytes, start: int, stop: int) -> int:
    """Return where the last line before stop ends, 0 if none does; a last byte for return may be half of an end."""
    end = content.rfind(b"\n", start, stop) + 1
    back = content.rfind(b"\r", start, min(stop, len(content) - 1)) + 1
    return back if back > end and content[back : back + 1] != b"\n" else end


def _first_row(content: bytes, rows: _Rows) -> int:
    """Return where the first row ends, 0 if it does not for certain."""
    place, behind = 0, re.compile(b"[\r\n" + re.escape(rows.separator) + b"]")
    while True:
        if rows.quote is not None and content.startswith(rows.quote, place):
            closed = rows.closing.match(content, place + 1)
            if closed is None:
                return 0
            place = closed.end()
        ended = behind.search(content, place)
        if ended is None or (ended[0] == b"\r" and ended.end() == len(content)):
            return 0
        place = ended.end()
        if ended[0] != rows.separator:
            return place + content.startswith(b"\n", place) * (ended[0] == b"\r")


# ---------------------------------------------------------------------------------------------------- bytes
def _contents(part: Path, form: Form, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file in UTF-8, so many of those of the file at a time.

    Bytes that the encoding does not allow become bytes that are not UTF-8, so that only their cell is unknown.
    """
    plain = form.encoding in ("utf-8", "utf-8-sig")
    errors = "surrogatepass" if form.encoding.startswith("utf") else "surrogateescape"
    decoder = codecs.getincrementaldecoder(form.encoding)(errors)
    first, opened = True, gzip.open if part.suffix.lower() == ".gz" else open
    with opened(part, "rb") as file:
        while content := file.read(size):
            if first and plain:
                content = content.removeprefix(codecs.BOM_UTF8)
            first = False
            yield content if plain else decoder.decode(content).encode("utf-8", "surrogatepass")
    if not plain:
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def _blocks(part: Path, form: Form, columns: int) -> Iterator[bytes]:
    """Yield the rows of a file in UTF-8, in blocks that end where a row ends.

    Blocks are larger where many columns are read: each of these takes time in each block, however few rows it has.
    """
    rows, rest = _rows(part, form), b""
    for content in _contents(part, form, BLOCK * min(1 + columns // WIDE, MOST_BLOCKS)):
        rest += content
        end, _ = rows.end(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > LONGEST:
            raise _UnreadableError(f"a row has more than {LONGEST // 2**20} MiB; is a quote left open?")
    if rows.end(rest)[1]:
        raise _UnreadableError(_OPEN.format(quote=form.quote_of(part)))
    if rest:
        yield rest


def _rows(part: Path, form: Form) -> _Rows:
    separator, quote = form.separator_of(part), form.quote_of(part)
    assert separator is not None
    return _Rows(separator.encode(), None if quote is None else quote.encode())


# ---------------------------------------------------------------------------------------------------- header
def header(part: Path, form: Form) -> list[str]:
    """Return the names of the columns; raise ValueError, without what is read, if the first line does not fit."""
    line = _head(part, form)
    if form.names is None:
        return line
    if len(line) != len(form.names):
        raise PublicError(f"{part}: names: has {len(form.names)} names, and the first line has {len(line)} cells")
    return list(form.names)


def _head(part: Path, form: Form) -> list[str]:
    """Return the cells of the first line."""
    wrong, content, end = "is empty", b"", 0
    try:
        for block in _contents(part, form, BLOCK):
            content += block
            end = _first_row(content, _rows(part, form))
            if end or len(content) > HEADER:
                break
        else:
            end = len(content)
        if end > HEADER or (content and not end):
            wrong = "the first line is too long for a header"
        elif names := _cells(content[:end], part, form):
            return names
        elif content.strip():
            wrong = "its first line is empty"
    except UnicodeDecodeError:
        wrong = ""
    except _DAMAGED:
        wrong = "is damaged, or not compressed as .gz is"
    except (OSError, csv.Error) as error:
        wrong = f"cannot be read ({getattr(error, 'strerror', None) or 'is not CSV'})"
    except _UnreadableError as error:
        wrong = str(error)
    wrong = wrong or _not_text(part, form)
    raise PublicError(f"{part}: {wrong}")


def _cells(line: bytes, part: Path, form: Form) -> list[str]:
    quote = form.quote_of(part)
    quoting: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if quote is None else {"quotechar": quote}
    text = io.StringIO(line.decode(), newline="")
    return next(csv.reader(text, delimiter=form.separator_of(part) or ",", **quoting), [])


def _not_text(part: Path, form: Form) -> str:
    with part.open("rb") as file:
        seen = _BOMS.get(file.read(2))
    advice = (
        f"it starts as {seen} does: declare `encoding: {seen}`" if seen else "declare `encoding`, as latin-1 or cp1252"
    )
    return f"the header is not text in {form.encoding.upper()}; {advice}"


# ---------------------------------------------------------------------------------------------------- rows
def batches(part: Path, columns: Sequence[str], form: Form) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in order, cells as bytes; raise PrivateTableError where it is malformed."""
    names, done, first = header(part, form), 0, True
    wrong = "is not a readable file of text"
    try:
        for block in _blocks(part, form, len(columns)):
            content = block[_first_row(block, _rows(part, form)) or len(block) :] if first and form.header else block
            first = False
            if table := _table(content, names, columns, part, form):
                done += table.num_rows
                yield from table.to_batches()
        return
    except _UnreadableError as error:
        wrong = str(error)
    except UnicodeDecodeError:
        wrong = f"is not text in {form.encoding.upper()} to its end"
    except _DAMAGED:
        wrong = "is damaged, or not compressed as .gz is"
    except (OSError, pa.ArrowException) as error:  # their messages hold cells
        if malformed := _MALFORMED.match(str(error)):
            named = "the header" if form.header else "`names`"
            wrong = f"row {done + int(malformed[1])}: must have {len(names)} cells, as many as {named}"
    raise PrivateTableError(f"{part}: {wrong}")


def _table(content: bytes, names: Sequence[str], columns: Sequence[str], part: Path, form: Form) -> pa.Table | None:
    """Return the rows of bytes that start and end with a row; None if there is none."""
    if not content or (len(names) > 1 and not content.strip(b"\r\n")):
        return None
    types = {column: pa.binary() for column in columns}
    return pa_csv.read_csv(
        pa.BufferReader(content),
        pa_csv.ReadOptions(use_threads=False, block_size=len(content) + 1, column_names=list(names)),
        pa_csv.ParseOptions(
            delimiter=form.separator_of(part),
            quote_char=form.quote_of(part) or False,
            newlines_in_values=True,
            ignore_empty_lines=len(names) > 1,  # in a table of one column it is a missing cell
        ),
        pa_csv.ConvertOptions(
            include_columns=list(types), column_types=types, strings_can_be_null=False, check_utf8=False
        ),
    )
