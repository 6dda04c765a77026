"""Files of a table: CSV, Parquet, or a folder of Parquet parts, read in chunks of bounded memory."""

import csv
import hashlib
import hmac
import io
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from semipriv.core.errors import PublicError
from semipriv.core.fields import checked, value
from semipriv.practice.columns.schema import Chunk, PrivateTableError
from semipriv.practice.sources.source import Part, Source

BATCH = 2**15
"""Rows of a Parquet file that are read at once: of a column so many stay in a near cache."""
BLOCK = 2**22
"""Bytes of a CSV file that are read at once."""
_BLOCK = 2**20
_SHOWN = 255
"""Letters of a path that a message holds at most."""
SUFFIXES = {".csv": ",", ".tsv": "\t", ".parquet": None}
"""Suffixes of files of tables, and what separates cells in those of text."""


def _path(name: str, given: Any) -> Path:
    if "://" in str(given):  # it may hold a password
        raise PublicError(f"{name}: must be a file or a folder, and is an address")
    path, what = Path(given), f"must be a file ({', '.join(SUFFIXES)}) or a folder of Parquet files"
    try:
        if path.suffix in SUFFIXES or path.is_dir():
            path.exists()
            return path
        what += "" if path.exists() else ", and nothing has this name"
    except OSError as error:
        what = error.strerror or "cannot be looked at"
    raise PublicError(f"{name} = {str(path)[:_SHOWN]!r}: {what}")


@value
class Files(Source):
    """A table by its path: a CSV file, a Parquet file, or a folder of Parquet files of the same columns, its parts.

    Cells of CSV are read as texts: no type is inferred from them.  No message repeats what is read, neither names of
    columns nor cells: of a table without a header the first line is a record.
    """

    path: Path = checked(_path)

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    @cached_property
    def parts(self) -> tuple[Path, ...]:
        """Files in the order of their names; raise ValueError if there is none."""
        if not self.path.is_dir():
            if not self.path.exists():
                raise PublicError(f"{self.path}: there is no such file")
            return (_regular(self.path),)
        parts = tuple(sorted(path for path in self.path.glob("*.parquet") if not path.name.startswith(".")))
        if not parts:
            raise PublicError(f"{self.path}: the folder has no file *.parquet")
        return tuple(map(_regular, parts))

    def schema(self, part: Part) -> list[tuple[str, pa.DataType]]:
        """Return names and types of the columns of a part; those of CSV are texts."""
        part = Path(part)
        if _separator(part) is None:
            schema = _parquet(part).schema_arrow
            return list(zip(schema.names, schema.types, strict=True))
        return [(name, pa.string()) for name in _header(part)]

    def without(self, part: Part) -> str:
        """Say how many columns there are; of text, that the header may be missing."""
        return _without(Path(part), len(self.schema(part)))

    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows of a part, or of all; it is public."""
        if part is None:
            return sum(map(self.rows, self.parts))
        part = Path(part)
        if _separator(part) is None:
            return int(_parquet(part).metadata.num_rows)
        return sum(len(chunk.numbers) for chunk in self.chunks(part, self.names(part)[:1]))

    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows of a part in order, some 100,000 at a time; raise PrivateTableError where it is malformed."""
        part = Path(part)
        batches = _parquet_batches(part, columns) if _separator(part) is None else _csv_batches(part, columns)
        start = 1
        for batch in batches:
            if batch.num_rows:
                yield Chunk(part, pa.Table.from_batches([batch]), np.arange(start, start + batch.num_rows))
            start += batch.num_rows

    def mac(self, key: bytes, part: Part) -> bytes:
        """Return the HMAC-SHA-256 of a file's bytes: without the key it tells nothing of them."""
        digest = hmac.new(key, digestmod=hashlib.sha256)
        with Path(part).open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.digest()

    @property
    def suffix(self) -> str:
        """That of the file, or of the first one in a folder."""
        return (self.parts[0] if self.path.is_dir() else self.path).suffix

    def digest(self) -> str:
        """Return the SHA-256 of the bytes; of a folder, that of names and digests.  For public data only."""
        digests = [_digest(part) for part in self.parts]
        if not self.path.is_dir():
            return digests[0]
        lines = [f"{digest}  {part.name}\n" for digest, part in zip(digests, self.parts, strict=True)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def _regular(part: Path) -> Path:
    """Return a part if it is a file; raise ValueError for a pipe, which would wait for ever, and other such things."""
    if not part.is_file():
        what = (
            "there is no such file" if not part.exists() else "must be a file: it is a folder, pipe, socket or device"
        )
        raise PublicError(f"{part}: {what}")
    return part


def _without(part: Path, columns: int) -> str:
    """Return what is to be said of a part in which a name is not found, without a name that is there."""
    if _separator(part) is None:
        return f"none of its {columns} columns has this name"
    if columns == 1:
        return f"its first line has 1 cell, and this is not it; is the header missing, or is {_separator(part)!r} too?"
    return f"its first line has {columns} cells, and this is none of them; is the header missing?"


def _digest(part: Path) -> str:
    with part.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _header(part: Path) -> list[str]:
    """Return the names of the columns of a file of text."""
    wrong = "is empty"
    try:
        with part.open("rb") as file:
            line = file.readline(BLOCK + 1)
        header = line.decode("utf-8-sig").splitlines() if len(line) <= BLOCK else []
        if names := next(csv.reader(header, delimiter=_separator(part) or ","), []):
            return names
        if line.strip():
            wrong = "the first line is too long for a header"
    except UnicodeDecodeError:
        wrong = "the header is not text in UTF-8"
    except (OSError, csv.Error) as error:
        wrong = f"cannot be read ({getattr(error, 'strerror', None) or 'is not CSV'})"
    raise PublicError(f"{part}: {wrong}")


def _separator(part: Path) -> str | None:
    """Return what separates the cells of a file; None for Parquet."""
    return SUFFIXES[part.suffix]


# ---------------------------------------------------------------------------------------------------- Parquet
def _parquet(part: Path) -> pq.ParquetFile:
    wrong = "is not a readable Parquet file"
    try:
        return pq.ParquetFile(part)
    except FileNotFoundError:
        wrong = "there is no such file"
    except (OSError, pa.ArrowException):
        pass
    raise PublicError(f"{part}: {wrong}")


def _parquet_batches(part: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    file = _parquet(part)
    try:
        yield from file.iter_batches(BATCH, columns=list(dict.fromkeys(columns)), use_threads=False)
        return
    except (OSError, pa.ArrowException):  # their messages may hold cells
        pass
    raise PrivateTableError(f"{part}: is damaged, or not a readable Parquet file")


# ---------------------------------------------------------------------------------------------------- CSV
_MALFORMED = re.compile(r"CSV parse error: Row #([0-9]+): Expected [0-9]+ columns, got [0-9]+: ")
"""How Arrow says that a row has another number of cells; the row follows.

A handler of such rows does not help: for a row that is not text Arrow prints an error, with a byte of it and its place.
"""


class _Quotes(io.RawIOBase):
    """A file that counts its quotes while it is read: an odd number leaves one open, which would swallow rows."""

    def __init__(self, part: Path) -> None:
        self.file = part.open("rb")
        self.odd = False

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        content = self.file.read(size)
        self.odd ^= content.count(b'"') % 2 == 1
        return content

    def readable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        super().close()


def _csv_batches(part: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    names = _header(part)
    types = {column: pa.binary() for column in columns}
    parse = pa_csv.ParseOptions(
        delimiter=_separator(part),
        newlines_in_values=True,
        ignore_empty_lines=len(names) > 1,  # in a table of one column it is a missing cell
    )
    convert = pa_csv.ConvertOptions(
        include_columns=list(types), column_types=types, strings_can_be_null=False, check_utf8=False
    )
    wrong = "is not a readable CSV file"
    try:
        read = pa_csv.ReadOptions(use_threads=False, block_size=BLOCK)
        with _Quotes(part) as file:
            yield from pa_csv.open_csv(file, read_options=read, parse_options=parse, convert_options=convert)
            if not file.odd:
                return
        wrong = 'has an odd number of quotes ("): one is left open, and hides rows'
    except (OSError, pa.ArrowException) as error:  # their messages hold cells
        if malformed := _MALFORMED.match(str(error)):
            row = int(malformed[1]) - 1  # the header has number 1
            wrong = f"row {row}: must have {len(names)} cells, as many as the header"
    raise PrivateTableError(f"{part}: {wrong}")
