"""Files of own tables: read in chunks, with rows that keep their numbers."""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv.practice.asking.request import Status
from semipriv.practice.columns.cells import Declared
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.sources import delimited, files
from semipriv.practice.sources.files import Files

DECLARED = [feature(name, {"range": [0, 1]}) for name in ("a", "b")]
TABLE = pa.table({"a": list(range(1000)), "b": [str(i % 7) for i in range(1000)]})


def written(folder: Path, kind: str) -> Files:
    if kind == "csv":
        path = folder / "t.csv"
        path.write_text("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(1000)))
        return Files(path)
    if kind == "parquet":
        pq.write_table(TABLE, folder / "t.parquet", row_group_size=300)
        return Files(folder / "t.parquet")
    for i, start in enumerate((0, 400, 400)):
        pq.write_table(TABLE.slice(start, 400 if not i else 600 * (i - 1)), folder / f"part-{i}.parquet")
    return Files(folder)


@pytest.mark.parametrize("kind", ["csv", "parquet", "folder"])
def test_all_rows_are_read_once_in_order(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BATCH", 128)
    monkeypatch.setattr(delimited, "BLOCK", 512)
    table = written(tmp_path, kind)
    table.check(DECLARED)
    assert table.rows() == 1000
    cells = []
    for part in table.parts:
        chunks = list(table.chunks(part, ["a"]))
        assert table.rows(part) == sum(len(chunk.numbers) for chunk in chunks)
        cells += [int(cell) for chunk in chunks for cell in chunk.table.column("a").to_pylist()]
        numbers = [n for chunk in chunks for n in chunk.numbers]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(len(chunk.numbers) < 400 for chunk in chunks)
    assert cells == list(range(1000))
    assert len(table.parts) == (3 if kind == "folder" else 1)


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    table = written(tmp_path, "csv")
    assert table.digest() == hashlib.sha256(table.path.read_bytes()).hexdigest()
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = written(folder, "folder")
    before = parts.digest()
    (folder / "part-2.parquet").rename(folder / "part-9.parquet")
    assert Files(folder).digest() != before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xlsx", b"", r"must be a file \(.csv, .tsv, .txt, .parquet, .pq; of text also .gz\) or a folder"),
        ("t.csv", None, "there is no such file"),
        ("t" * 300 + ".csv", None, "File name too long$"),
        ("", None, r"the folder has no file \*.parquet, \*.pq, \*.csv"),
        ("t.csv", b"", "is empty"),
        (
            "t.csv",
            b"a,c\n1,2\n",
            "'b' is missing: its first line has 2 cells, and this is none of them; is it spelt otherwise, or",
        ),
        ("t.csv", b"A , b\n1,2\n", "'a' is missing: its name there has other capitals, or blanks around it; "),
        ("t.csv", b"17;18\n", "has 1 cell, and this is not it; is ',' not the separator, or no header"),
        ("t.csv", b"a," * 2**21 + b"b\n1,2\n", "the first line is too long for a header"),
        ("t.csv", b"a,b,b\n1,2,3\n", "column 'b' occurs twice"),
        ("t.csv", b"\xff\xfe", "the header is not text in UTF-8; it starts as utf-16 does: declare"),
        ("t.csv", b"a,\xe4\n", "the header is not text in UTF-8; declare `encoding`, as latin-1"),
        ("t.parquet", b"PAR1xxxx", "is not a readable Parquet file"),
    ],
)
def test_wrong_files_are_refused_by_their_headers(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Files(tmp_path / name).check(DECLARED)


def test_a_malformed_row_is_named_by_its_number_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n3,SECRET\xff,4\n")
    with pytest.raises(PrivateTableError, match=r"t\.csv: row 2: must have 2 cells, as many as the header") as caught:
        list(Files(path).chunks(path, ["a"]))
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_quote_that_hides_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"two\nlines"\n"3""",4\n')
    assert Files(path).rows() == 2
    path.write_text('a,b\n1,"2\n3,4\n')
    with pytest.raises(PrivateTableError, match=r"a quote \(\"\) is opened and not closed"):
        Files(path).rows()


def test_a_damaged_part_is_named_only(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path, compression="snappy")
    damaged = bytearray(path.read_bytes())
    damaged[20:200] = bytes(180)
    path.write_bytes(damaged)
    with pytest.raises(PrivateTableError, match=r"t.parquet: is damaged") as caught:
        np.sum([len(chunk.numbers) for chunk in Files(path).chunks(path, ["a", "b"])])
    assert caught.value.__context__ is None


def test_a_missing_cell_of_the_only_column_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n\n2\n")
    assert Files(path).rows() == 3


KINDS = {
    "list": pa.list_(pa.float64()),
    "struct": pa.struct({"SECRET": pa.int8()}),
    "map": pa.map_(pa.string(), pa.string()),
    "timestamp": pa.timestamp("ns"),
    "timestamp with a time zone": pa.timestamp("s", "UTC"),
    "date32": pa.date32(),
    "time32": pa.time32("s"),
    "duration": pa.duration("s"),
    "fixed_size_binary": pa.binary(7),
    "extension": pa.json_(),
    "double": pa.float64(),
    "decimal128": pa.decimal128(10, 2),
    "int64": pa.int64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "binary": pa.binary(),
    "null": pa.null(),
}
NUMBERS = {"double", "decimal128", "int64", "bool", "string", "binary", "null"}
TEXTS = NUMBERS
WORDS = NUMBERS - {"int64", "double", "decimal128", "bool"}
HOLD: dict[str, tuple[Declared, set[str]]] = {
    "range": (feature("a", {"range": "public"}), NUMBERS),
    "integers": (feature("a", {"integers": [0, 1]}), NUMBERS),
    "categories": (feature("a", {"categories": ["u", "v"]}), WORDS),
    "categories of integers": (feature("a", {"categories": [0, 1]}), TEXTS - {"bool"}),
    "categories or another": (feature("a", {"categories": ["u", "v"], "unknown": "w"}), WORDS),
    "dates": (feature("a", {"range": "public", "unit": "day"}), {"timestamp", "date32", "string", "binary", "null"}),
    "label of texts": (Label("a", ["u"], ["v"]), WORDS),
    "label of texts or others": (Label("a", ["u"], ["v"], 0), WORDS),
    "label of numbers": (Label("a", [1], {"below": 1}), NUMBERS),
    "status": (Status("a", "u"), TEXTS),
}


@pytest.mark.parametrize("declared", HOLD)
@pytest.mark.parametrize("kind", KINDS)
def test_a_type_is_refused_by_the_footer_exactly_if_its_cells_cannot_be_read(
    tmp_path: Path, kind: str, declared: str
) -> None:
    """Whether a table of no row, of one missing cell, or behind a dictionary: it is the type that tells."""
    declaration, held = HOLD[declared]
    for i, cells in enumerate((pa.array([], KINDS[kind]), pa.nulls(1, KINDS[kind]))):
        path = tmp_path / f"{i}.parquet"
        pq.write_table(pa.table({"a": cells}), path)
        if kind in held:
            Files(path).check([declaration])
            continue
        with pytest.raises(
            ValueError, match=rf"{i}.parquet: column 'a' has the type {kind}, (must be|so that|whose cells are) "
        ) as caught:
            Files(path).check([declaration])
        assert caught.value.__context__ is None
        assert "SECRET" not in str(caught.value)
