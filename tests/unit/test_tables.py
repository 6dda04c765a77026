"""Parquet tables: schema, metadata, identical bytes, no half-written file, clear errors."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv import tables
from semipriv.tables import Column, Schema, TableError

SCHEMA = Schema(
    "things", "for tests", (Column("n", pa.int64(), "a count"), Column("x", tables.FLOATS, "values, in metres"))
)


def test_round_trip_with_meanings(tmp_path: Path) -> None:
    rows = [{"n": 1, "x": [0.5]}, {"n": 2, "x": None}]
    tables.write(tmp_path / "deep" / "t.parquet", SCHEMA, rows)
    assert tables.read_rows(tmp_path / "deep" / "t.parquet", SCHEMA) == rows
    schema = pq.read_schema(tmp_path / "deep" / "t.parquet")
    assert schema.field("x").metadata[b"meaning"] == b"values, in metres"
    assert schema.metadata[b"meaning"] == b"for tests"


def test_equal_contents_have_equal_bytes(tmp_path: Path) -> None:
    rows = [{"n": i, "x": [i / 3]} for i in range(1000)]
    for name in ("a", "b"):
        tables.write(tmp_path / name, SCHEMA, rows)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    tables.write(tmp_path / "t", SCHEMA, [{"n": 1, "x": []}])
    before = (tmp_path / "t").read_bytes()
    with pytest.raises(pa.ArrowInvalid):
        tables.write(tmp_path / "t", SCHEMA, [{"n": "text", "x": []}])
    with pytest.raises(KeyError):
        tables.write(tmp_path / "t", SCHEMA, [{"n": 1}])
    assert (tmp_path / "t").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_errors_name_file_and_column(tmp_path: Path) -> None:
    tables.write(tmp_path / "t", SCHEMA, [{"n": 1, "x": []}])
    other = Schema("other", "", (Column("y", pa.int64(), ""),))
    with pytest.raises(TableError, match=r"t: column 'y' is missing"):
        tables.read(tmp_path / "t", other)
    wrong = Schema("other", "", (Column("n", pa.string(), ""),))
    with pytest.raises(TableError, match=r"t: column 'n' is int64, must be string"):
        tables.read(tmp_path / "t", wrong)
    (tmp_path / "t").write_bytes((tmp_path / "t").read_bytes()[:-20])
    with pytest.raises(TableError, match=r"t: is not a readable Parquet file"):
        tables.read(tmp_path / "t", SCHEMA)
    with pytest.raises(TableError, match="absent"):
        tables.read(tmp_path / "absent", SCHEMA)
