"""Parquet tables with a stable schema, documented columns and identical bytes for identical contents."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

FLOATS = pa.list_(pa.float64())
SMALL_INTEGERS = pa.list_(pa.int8())


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
    """Write rows (mappings of all columns) or columns to ``path``, whole or not at all.

    A temporary file beside the target is renamed into place, so that a kill leaves no truncated table.
    """
    path = Path(path)
    if isinstance(rows, Mapping):
        data = {name: rows[name] for name in schema.names}
    else:
        data = {name: [row[name] for row in rows] for name in schema.names}
    table = pa.table(data, schema=schema.arrow())
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        pq.write_table(table, temporary, compression="zstd", store_schema=True)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: str | Path, schema: Schema) -> pa.Table:
    """Read a table and hold it against its schema; raises TableError naming the file and the first wrong column."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: is not a readable Parquet file ({error})") from None
    for column in schema.columns:
        if column.name not in table.column_names:
            raise TableError(f"{path}: column {column.name!r} is missing (table {schema.name!r} has {schema.names})")
        found = table.schema.field(column.name).type
        if found != column.type:
            raise TableError(f"{path}: column {column.name!r} is {found}, must be {column.type}")
    return table.select(schema.names)


def read_rows(path: str | Path, schema: Schema) -> list[dict[str, Any]]:
    """Read a table as a list of mappings."""
    rows: list[dict[str, Any]] = read(path, schema).to_pylist()
    return rows
