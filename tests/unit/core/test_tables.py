"""Parquet tables: schema, metadata, identical bytes, no half-written file, no altered byte read, clear errors."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv.core import tables
from semipriv.core.tables import Column, Schema, TableError

SCHEMA = Schema(
    "things", "for tests", (Column("n", pa.int64(), "a count"), Column("x", tables.FLOATS, "values, in metres"))
)
ROWS = [{"n": 1, "x": [0.5]}, {"n": 2, "x": None}]
REMEDY = "it was not used: delete it and run again, and it is made anew where it is needed"


def refusal(path: Path, data: bytes) -> str | None:
    """What is said of a file with these bytes; None if it is read."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    try:
        tables.read(path, SCHEMA)
    except TableError as error:
        return str(error)
    return None


@pytest.fixture
def written(tmp_path: Path) -> bytes:
    tables.write(tmp_path / "written.parquet", SCHEMA, ROWS)
    return (tmp_path / "written.parquet").read_bytes()


def test_round_trip_with_meanings(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.parquet"
    tables.write(path, SCHEMA, ROWS)
    assert tables.read_rows(path, SCHEMA) == ROWS
    assert tables.read_all(path).equals(tables.read(path, SCHEMA))
    schema = tables.read(path, SCHEMA).schema
    assert schema.metadata == {b"table": b"things", b"meaning": b"for tests"}
    assert schema.field("x").metadata == {b"meaning": b"values, in metres"}


def test_other_readers_of_parquet_read_it(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "written.parquet"
    pq.write_table(pa.table({"n": [1, 2], "x": [[0.5], None]}, schema=SCHEMA.arrow()), tmp_path / "plain.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_parquet(tmp_path / "plain.parquet"))
    schema = pq.read_schema(path)
    assert schema.field("x").metadata == {b"meaning": b"values, in metres"}
    assert schema.metadata == {b"table": b"things", b"meaning": b"for tests"}
    digest = pq.read_metadata(path).metadata[b"semipriv.sha256"]
    assert written.count(digest) == written.count(b"semipriv.sha256") == 1


def test_equal_contents_have_equal_bytes(tmp_path: Path) -> None:
    rows = [{"n": i, "x": [i / 3]} for i in range(1000)]
    for name in ("a", "b"):
        tables.write(tmp_path / name, SCHEMA, rows)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_every_altered_byte_is_refused(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "t.parquet"
    assert refusal(path, written) is None
    for i, byte in enumerate(written):
        for value in {byte ^ 1, byte ^ 32, byte ^ 128, 0, 255} - {byte}:
            message = refusal(path, written[:i] + bytes([value]) + written[i + 1 :])
            assert message is not None, f"byte {i} set to {value} was read"
            assert message.startswith(f"{path}: ")
            assert message.endswith(REMEDY)


def test_every_truncated_or_lengthened_file_is_refused(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "t.parquet"
    shorter = [written[:n] for n in range(len(written))] + [written[n:] for n in range(1, len(written))]
    longer = [written + b"\0", written + b"PAR1", written + written, b"PAR1" + written, written[:100] + written]
    for data in shorter + longer:
        message = refusal(path, data)
        assert message is not None
        assert message.startswith(f"{path}: ")
        assert message.endswith(REMEDY)


def test_swapped_and_zeroed_parts_are_refused(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "t.parquet"
    for i in range(0, len(written), 64):
        assert refusal(path, written[:i] + bytes(64) + written[i + 64 :])
    assert refusal(path, written[:200] + written[264:328] + written[200:264] + written[328:])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (lambda written: b"", "is empty"),
        (lambda written: written[:-20], "is not a whole Parquet file: it was truncated, or its end was altered"),
        (lambda written: b"n,x\n1,2\n", "is not a Parquet file, or its beginning was altered"),
        (lambda written: written.replace(b"semipriv", b"somebody"), "carries no digest: it was not written by"),
        (lambda written: written.replace(b"arrow version", b"Arrow version"), "was altered after it was written"),
    ],
)
def test_refusals_say_what_is_wrong(tmp_path: Path, written: bytes, data, what: str) -> None:
    assert refusal(tmp_path / "t.parquet", data(written)).startswith(f"{tmp_path / 't.parquet'}: {what}")


def test_tables_of_others_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1, 2], "x": [[0.5], None]}, schema=SCHEMA.arrow()), tmp_path / "t")
    with pytest.raises(TableError, match="t: carries no digest"):
        tables.read(tmp_path / "t", SCHEMA)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t"
    tables.write(path, SCHEMA, ROWS)
    before = path.read_bytes()
    with pytest.raises(pa.ArrowInvalid):
        tables.write(path, SCHEMA, [{"n": "text", "x": []}])
    with pytest.raises(KeyError):
        tables.write(path, SCHEMA, [{"n": 1}])

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        tables.write(path, SCHEMA, ROWS * 2)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["t"]


def test_errors_name_file_and_column(tmp_path: Path) -> None:
    tables.write(tmp_path / "t", SCHEMA, [{"n": 1, "x": []}])
    other = Schema("other", "", (Column("y", pa.int64(), ""),))
    with pytest.raises(TableError, match=r"t: column 'y' is missing"):
        tables.read(tmp_path / "t", other)
    for near in (pa.int32(), pa.int8(), pa.uint64(), pa.float64()):
        with pytest.raises(TableError, match=rf"t: column 'n' is int64, must be {near}"):
            tables.read(tmp_path / "t", Schema("other", "", (Column("n", near, ""),)))
    with pytest.raises(TableError, match=r"t: column 'x' is list<.*double>, must be list<.*int8>"):
        tables.read(tmp_path / "t", Schema("other", "", (Column("x", tables.SMALL_INTEGERS, ""),)))
    wrong = Schema("other", "", (Column("n", pa.string(), ""),))
    with pytest.raises(TableError, match=r"t: column 'n' is int64, must be string"):
        tables.read(tmp_path / "t", wrong)
    with pytest.raises(TableError, match=r"absent: cannot be read \(No such file or directory\)"):
        tables.read(tmp_path / "absent", SCHEMA)
    with pytest.raises(TableError, match=r"cannot be read \(Is a directory\)"):
        tables.read(tmp_path, SCHEMA)


def test_nothing_else_reads_parquet() -> None:
    """Except for tables that users bring, and those that a release makes for them."""
    sources = Path(tables.__file__).parents[1]
    readers = {
        str(path.relative_to(sources))
        for path in sources.rglob("*.py")
        if re.search(r"pyarrow\.parquet|read_parquet|pyarrow\.dataset", path.read_text())
    }
    brought = {
        "databases/_rowwise",
        "databases/duckdb",
        "planner/population",
        "sources/files",
        "sources/objects",
        "published/tables",
        "published/verify",
    }
    assert readers == {"core/tables.py", *(f"practice/{name}.py" for name in brought)}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_reading_starts_no_thread(tmp_path: Path) -> None:
    """A process that ends while pyarrow starts a thread aborts now and then: a job would fail after its work."""
    tables.write(tmp_path / "t.parquet", SCHEMA, ROWS)
    code = f"""
import os
import numpy, pandas, pyarrow
from semipriv.core import tables
from semipriv.classes.halfspaces import Halfspaces
from semipriv.practice.planner.population import read_population
from semipriv.core.tables import Column, Schema
schema = Schema("things", "", (Column("n", pyarrow.int64(), ""), Column("x", tables.FLOATS, "")))
before = len(os.listdir("/proc/self/task"))
tables.read_rows({str(tmp_path / "t.parquet")!r}, schema)
tables.read_frame({str(tmp_path / "t.parquet")!r}, schema)
read_population(Halfspaces(1), {str(tmp_path / "t.parquet")!r}, ["n"])
print(len(os.listdir("/proc/self/task")) - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
