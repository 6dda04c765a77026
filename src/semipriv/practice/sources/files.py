"""Files of a table: text, Parquet, or a folder of either, read in chunks of bounded memory."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semipriv.core.errors import PublicError
from semipriv.core.fields import checked, value
from semipriv.core.files import names_in
from semipriv.practice.columns.schema import Chunk, PrivateTableError
from semipriv.practice.sources import delimited
from semipriv.practice.sources.forms import PARQUET, SEPARATORS, Form, Kind, is_table, suffix
from semipriv.practice.sources.source import Part, Source
from semipriv.practice.sources.versions import check_one_version, folders_of

BATCH = 2**15
"""Rows of a Parquet file that are read at once: of a column so many stay in a near cache."""
_BLOCK = 2**20
_SHOWN = 255
"""Letters of a path that a message holds at most."""
_GAP = "__HIVE_DEFAULT_PARTITION__"
"""What stands for a missing cell in the name of a folder."""


def _path(name: str, given: Any) -> Path:
    if "://" in str(given):  # it may hold a password
        raise PublicError(f"{name}: must be a file or a folder, and is an address")
    path = Path(given)
    what = f"must be a file ({', '.join((*SEPARATORS, *PARQUET))}; of text also .gz) or a folder of such files"
    try:
        if path.is_dir() or is_table(path):
            path.exists()
            return path
        what += "" if path.exists() else ", and nothing has this name"
    except OSError as error:
        what = error.strerror or "cannot be looked at"
    raise PublicError(f"{name} = {str(path)[:_SHOWN]!r}: {what}")


@value
class Files(Source):
    """A table by its path: a file of text or Parquet, or a folder of such files of the same columns, its parts.

    form: how it is written.  kinds: what cells stand for, by column.  Folders named ``key=value`` are columns of the
    rows in them.  Cells of files of text are read as texts: no type is inferred from them.  No message repeats what is
    read, neither names of columns nor cells: the first line of a table without a header is a record.
    """

    path: Path = checked(_path)
    form: Form = Form()
    kinds: Mapping[str, Kind] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.path.is_dir():
            self.form.check(self.path)

    @property
    def as_written(self) -> "Files":
        """The same files, with cells as they are spelt instead of the values that they stand for."""
        plain = Form()
        spelt = {key: getattr(plain, key) for key in ("decimal", "thousands", "missing", "dates")}
        form: Form = attrs.evolve(self.form, **spelt)  # type: ignore[misc]
        files: Files = attrs.evolve(self, form=form)  # type: ignore[misc]
        return files

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
            self._check_one_version([self.path])
            return (_regular(self.path),)
        self._check_one_version([self.path / "part"])
        parts = _of_one_kind(self.path, sorted(_listed(self.path)))
        for part in parts:
            self.form.check(part)
            if list(self._folders(part)) != list(self._folders(parts[0])):
                raise PublicError(f"{part}: the folders above it must be those of the same columns as of {parts[0]}")
        self._check_one_version(parts)
        return tuple(map(_regular, parts))

    def _check_one_version(self, parts: Sequence[Path]) -> None:
        check_one_version(self.name, folders_of(parts), names_in)

    @property
    def is_text(self) -> bool:
        """Whether its parts are text, and not Parquet."""
        return _is_text(Path(self.parts[0]))

    def _folders(self, part: Path) -> dict[str, str | None]:
        """Return the columns, with their cells, that the names of a part's folders hold."""
        if part == self.path:
            return {}
        pairs = [folder.partition("=") for folder in part.relative_to(self.path).parts[:-1]]
        return {unquote(name): None if cell == _GAP else unquote(cell) for name, _, cell in pairs}

    def schema(self, part: Part) -> list[tuple[str, pa.DataType]]:
        """Return names and types of the columns of a part; those of text, and of folders, are texts."""
        part = Path(part)
        return [*self._own(part), *((name, pa.string()) for name in self._folders(part))]

    def _own(self, part: Path) -> list[tuple[str, pa.DataType]]:
        """Return names and types of the columns in a file."""
        if _is_text(part):
            return [(name, pa.string()) for name in delimited.header(part, self.form)]
        schema = _parquet(part).schema_arrow
        return list(zip(schema.names, schema.types, strict=True))

    def without(self, part: Part) -> str:
        """Say how many columns there are; of text, that the header may be missing."""
        part = Path(part)
        columns = len(self._own(part))
        if not _is_text(part):
            return f"none of its {columns} columns has this name"
        if self.form.names is not None:
            return f"is none of `names`, which are {columns}"
        if columns == 1:
            separator = self.form.separator_of(part)
            wrong = f"is {separator!r} not the separator, or no header there?"
            return f"its first line has 1 cell, and this is not it; {wrong}"
        wrong = "is it spelt otherwise, or is the header missing?"
        return f"its first line has {columns} cells, and this is none of them; {wrong}"

    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows of a part, or of all; it is public."""
        if part is None:
            return sum(map(self.rows, self.parts))
        part = Path(part)
        if not _is_text(part):
            return int(_parquet(part).metadata.num_rows)
        return sum(batch.num_rows for batch in self._batches(part, []))

    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows of a part in order, some 100,000 at a time; raise PrivateTableError where it is malformed."""
        part = Path(part)
        start, folders = 1, self._folders(part)
        own = [name for name in dict.fromkeys(columns) if name not in folders]
        here = {name: value for name, value in folders.items() if name in columns}
        for batch in self._batches(part, own):
            cells = {name: batch.column(name) for name in own}
            cells |= {name: pa.repeat(pa.scalar(value, pa.string()), batch.num_rows) for name, value in here.items()}
            if batch.num_rows:
                yield Chunk(part, self.form.read(pa.table(cells), self.kinds), np.arange(start, start + batch.num_rows))
            start += batch.num_rows

    def _batches(self, part: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part with some of its own columns; with none of them, with the first one."""
        columns = columns or [name for name, _ in self._own(part)[:1]]
        return delimited.batches(part, columns, self.form) if _is_text(part) else _parquet_batches(part, columns)

    def mac(self, key: bytes, part: Part) -> bytes:
        """Return the HMAC-SHA-256 of a file's bytes: without the key it tells nothing of them."""
        part = Path(part)
        digest = hmac.new(key, digestmod=hashlib.sha256)
        if self._folders(part):
            digest.update(str(part.relative_to(self.path)).encode() + b"\0")
        with part.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.digest()

    @property
    def suffix(self) -> str:
        """.parquet of Parquet, .csv of text."""
        return ".csv" if _is_text(self.parts[0]) else ".parquet"

    def digest(self) -> str:
        """Return the SHA-256 of the bytes; of a folder, that of names and digests.  For public data only."""
        digests = [_digest(part) for part in self.parts]
        if not self.path.is_dir():
            return digests[0]
        names = [part.relative_to(self.path).as_posix() for part in self.parts]
        lines = [f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def _is_text(part: Path) -> bool:
    """Return whether a file of a table is one of text."""
    return part.suffix.lower() not in PARQUET


def _listed(folder: Path) -> Iterator[Path]:
    """Yield the tables in a folder, and in folders named key=value; names that start with . or _ are passed over."""
    for path in folder.iterdir():
        if path.name.startswith((".", "_")):
            continue
        if not path.is_dir():
            if is_table(path):
                yield path
        elif "=" in path.name:
            yield from _listed(path)
        elif any(map(is_table, path.iterdir())):
            raise PublicError(f"{path}: holds tables, and is not named key=value: which rows are they?")


def _of_one_kind(folder: Path, files: Sequence[Path]) -> Sequence[Path]:
    """Return the files of a folder that are its table; raise ValueError if there is none, or several kinds."""
    kinds: dict[str, list[Path]] = {}
    for part in files:
        kinds.setdefault(suffix(part) if _is_text(part) else PARQUET[0], []).append(part)
    if len(kinds) > 1:
        kinds.pop(".txt", None)  # notes beside a table
    if not kinds:
        raise PublicError(
            f"{folder}: the folder has no file {', '.join('*' + ending for ending in (*PARQUET, *SEPARATORS))}"
        )
    if len(kinds) > 1:
        raise PublicError(f"{folder}: the folder has files of several kinds ({', '.join(sorted(kinds))})")
    return next(iter(kinds.values()))


def _regular(part: Path) -> Path:
    """Return a part if it is a file; raise ValueError for a pipe, which would wait for ever, and other such things."""
    if not part.is_file():
        what = (
            "there is no such file" if not part.exists() else "must be a file: it is a folder, pipe, socket or device"
        )
        raise PublicError(f"{part}: {what}")
    return part


def _digest(part: Path) -> str:
    with part.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
