"""Parquet tables with a stable schema, documented columns and identical bytes for identical contents.

Every file carries a digest of itself: Parquet has checksums neither for its footer nor, by default, for its data, and
a reader takes most altered bytes for numbers.

Nothing here starts the thread pool of pyarrow.  A short process that ends while a thread of the pool is still starting
now and then aborts ("terminate called without an active exception"), after all its work was done.
"""

import hashlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from semipriv.core.columns import as_column
from semipriv.core.files import atomic

if TYPE_CHECKING:
    import pandas as pd

FLOATS = pa.list_(pa.float64())
SMALL_INTEGERS = pa.list_(pa.int8())

_MAGIC = b"PAR1"
_KEY = "semipriv.sha256"
_BLANK = b"0" * 64
_MARK = _KEY.encode() + b"\x18" + bytes([len(_BLANK)])
"""What stands before the digest in the footer: the key, and in Thrift's compact protocol the header of its value."""


@dataclass(frozen=True)
class Column:
    """One column: its type, and what it means, with units."""

    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True)
class Schema:
    """A table's name, meaning and columns; all of it goes into the file's metadata."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    def arrow(self) -> pa.Schema:
        """The pyarrow schema with meanings as metadata."""
        fields = [pa.field(c.name, c.type, metadata={"meaning": c.meaning}) for c in self.columns]
        return pa.schema(fields, metadata={"table": self.name, "meaning": self.meaning})

    @property
    def names(self) -> list[str]:
        """Names of the columns in order."""
        return [c.name for c in self.columns]


class TableError(ValueError):
    """A table that cannot be read or does not have the schema it should; the message names the file and the column."""


def write(path: str | Path, schema: Schema, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    """Write rows (mappings of all columns) or columns to ``path``, whole or not at all, with a digest of the file.

    The digest is the SHA-256, as 64 hexadecimal digits, of the file with zeros in the digest's place.  It stands in the
    metadata of the Parquet footer under the key ``semipriv.sha256``.  Raises OSError naming ``path`` if it cannot be
    written.
    """
    if isinstance(rows, Mapping):
        data = {name: rows[name] for name in schema.names}
    else:
        data = {name: [row[name] for row in rows] for name in schema.names}
    columns = [as_column(data[column.name], column.type) for column in schema.columns]
    table = pa.Table.from_arrays(columns, schema=schema.arrow())
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, compression="zstd", store_schema=True) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_KEY: _BLANK.decode()})
    before, _, after = _parts(sink.getvalue())
    with atomic(path) as temporary, temporary.open("wb") as file:
        for part in (before, _digest(before, after), after):
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def read_all(path: str | Path) -> pa.Table:
    """Return all columns of a table that ``write`` wrote, whatever its schema.

    If the file is missing, truncated, altered in a single byte or not written by ``write``, nothing of it is read:
    raises TableError naming the file, what is wrong and what to do.
    """
    data = _checked(path)
    try:
        return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: is not a readable Parquet file ({error})") from None


def read(path: str | Path, schema: Schema) -> pa.Table:
    """Return the columns of a table that has the given schema.

    Raises TableError as ``read_all`` does, and for another schema, naming the file and the first wrong column.
    """
    table = read_all(path)
    for column in schema.columns:
        if column.name not in table.column_names:
            raise TableError(f"{path}: column {column.name!r} is missing (table {schema.name!r} has {schema.names})")
        column_type = table.schema.field(column.name).type
        if column_type != column.type:
            raise TableError(f"{path}: column {column.name!r} is {column_type}, must be {column.type}")
    return table.select(schema.names).replace_schema_metadata(schema.arrow().metadata)


def read_frame(path: str | Path, schema: Schema) -> "pd.DataFrame":
    """Return the columns of a table as a data frame."""
    return read(path, schema).to_pandas(use_threads=False)


def read_rows(path: str | Path, schema: Schema) -> list[dict[str, Any]]:
    """Return the rows of a table as a list of mappings."""
    rows: list[dict[str, Any]] = read(path, schema).to_pylist()
    return rows


def _checked(path: str | Path) -> bytes:
    """Return the bytes of a table that ``write`` wrote; raises TableError if a single byte has changed."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        before, digest, after = _parts(data)
        if digest != _digest(before, after):
            raise ValueError("was altered after it was written (its contents do not have the digest that it carries)")
    except ValueError as error:
        raise TableError(
            f"{path}: {error}; it was not used: delete it and run again, and it is made anew where it is needed"
        ) from None
    return data


def _parts(data: bytes) -> tuple[memoryview, memoryview, memoryview]:
    """Return a Parquet file up to its digest, the digest, and the rest; raises ValueError saying why it has none."""
    if not data:
        raise ValueError("is empty")
    if not data.startswith(_MAGIC):
        raise ValueError("is not a Parquet file, or its beginning was altered")
    if not data.endswith(_MAGIC):
        raise ValueError("is not a whole Parquet file: it was truncated, or its end was altered")
    start = data.rfind(_MARK) + len(_MARK)
    if start < len(_MARK):
        raise ValueError("carries no digest: it was not written by semipriv, or was altered")
    view = memoryview(data)
    return view[:start], view[start : start + len(_BLANK)], view[start + len(_BLANK) :]


def _digest(before: memoryview, after: memoryview) -> bytes:
    """Return the digest of a file; the digest stands between these two parts of it."""
    digest = hashlib.sha256(before)
    digest.update(_BLANK)
    digest.update(after)
    return digest.hexdigest().encode()
