"""Files of text: a cell is what it is by itself, wherever a block of bytes ends, and however the file is written."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.sources import delimited
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import ENCODINGS, Form

TEXTS = st.text(st.sampled_from("ab,;\t\"\r\nä '"), max_size=8)


def cells(path: Path, form: Form, columns: tuple[str, ...] = ("a", "b")) -> list[tuple[Any, ...]]:
    files = Files(path, form)
    rows = [tuple(row.values()) for c in files.chunks(path, columns) for row in c.table.to_pylist()]
    return [tuple(cell.decode() if isinstance(cell, bytes) else cell for cell in row) for row in rows]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS), max_size=9),
    st.integers(1, 40),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([",", ";", "\t", "|"]),
    st.booleans(),
)
def test_quoted_cells_come_back_wherever_blocks_end(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], block: int, end: str, separator: str, every: bool
) -> None:
    """Each cell comes back, to the last byte of a line break in quotes."""
    path = tmp_path_factory.getbasetemp() / "t.csv"
    special = set(f'"\r\n{separator}')

    def spelt(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if every or special & set(cell) else cell

    lines = ["a" + separator + "b", *(separator.join(map(spelt, row)) for row in rows)]
    path.write_bytes("".join(line + end for line in lines).encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(delimited, "BLOCK", max(block, 8))
        assert cells(path, Form(separator=separator, quote='"')) == rows


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('ab,"\n\r'), max_size=40), st.integers(8, 30))
def test_the_border_of_a_block_decides_nothing(tmp_path_factory: pytest.TempPathFactory, text: str, block: int) -> None:
    """Of any bytes, well written or not: rows, or that it is refused, are those of the file read at once."""
    path = tmp_path_factory.getbasetemp() / "u.csv"
    path.write_bytes(b"a,b\n" + text.encode())
    answers: list[list[Any]] = []
    for size in (block, 2**22):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(delimited, "BLOCK", size)
            try:
                answers.append(cells(path, Form()))
            except PrivateTableError:
                answers.append([("refused",)])
    assert answers[0] == answers[1]


def test_a_line_break_in_quotes_across_the_border_of_arrow_keeps_both_bytes(tmp_path: Path) -> None:
    """The fault that was met (apache/arrow#51368): one byte was lost where a block of 4 MiB ended."""
    path = tmp_path / "t.csv"
    for shift in (0, 1, 2):
        first = b"x" * (2**22 - len(b'a,b\n,1\n"y') - 1 - shift)
        path.write_bytes(b"a,b\n" + first + b',1\n"y\r\nz",2\n')
        assert [row[0] for row in cells(path, Form())][1] == "y\r\nz"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_read_and_none_has_a_state(tmp_path: Path, encoding: str) -> None:
    """A cell that is no text in the encoding is unknown by itself; what is behind it is read."""
    text = "a,b\nx,1\nyé,2\n" if _can("é", encoding) else "a,b\nx,1\ny,2\n"
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(delimited, "BLOCK", 8)
        assert cells(path, Form(encoding=encoding)) == [tuple(line.split(",")) for line in text.split("\n")[1:-1]]


def _can(text: str, encoding: str) -> bool:
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii", "shift_jis"])
def test_bytes_that_are_no_text_make_one_cell_unknown(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\nx,1\n\x81,2\ny,3\n")
    files = Files(path, Form(encoding=encoding, missing=["NA"]), {"a": "texts"})
    (chunk,) = files.chunks(path, ["a", "b"])
    assert chunk.table.column("a").to_pylist() == ["x", None, "y"]


def test_a_name_of_an_encoding_may_be_spelt_as_others_do() -> None:
    spelt = ["UTF8", "utf_16", "ISO-8859-1", "windows-1252", "Latin-1", "latin1", "cp1252", "iso-8859-15"]
    assert [Form(encoding=name).encoding for name in spelt] == [
        "utf-8", "utf-16", "latin-1", "cp1252", "latin-1", "latin-1", "cp1252", "iso8859-15",
    ]  # fmt: skip
    for wrong in ("utf-7", "iso-2022-jp", "rot13", "x"):
        with pytest.raises(ValueError, match=r"encoding = .*must be one of utf-8,"):
            Form(encoding=wrong)


def test_quotes_in_a_table_with_tabs_are_letters_unless_declared(tmp_path: Path) -> None:
    """The fault that was met: cells that begin with a quote hid 295 of 600 rows."""
    path = tmp_path / "t.tsv"
    path.write_text('a\tb\n"x\t1\ny"\t2\n"z"\t3\n')
    assert cells(path, Form()) == [('"x', "1"), ('y"', "2"), ('"z"', "3")]
    assert Files(path).rows() == 3
    assert cells(path, Form(quote='"')) == [("x\t1\ny", "2"), ("z", "3")]


def test_text_behind_a_quote_that_held_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"x,1\ny" SECRET,2\n')
    with pytest.raises(PrivateTableError, match=r"text stands behind a quote .*it may hide rows") as caught:
        cells(path, Form())
    assert "SECRET" not in str(caught.value)
    path.write_text('a,b\nsays "hi" to,5"\n"he" said,6\n')
    assert cells(path, Form()) == [('says "hi" to', '5"'), ("he said", "6")]


def test_a_row_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST", 100)
    monkeypatch.setattr(delimited, "BLOCK", 50)
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,2\n"' + "x,1\n" * 100)
    with pytest.raises(PrivateTableError, match="a row has more than"):
        cells(path, Form())


def test_a_malformed_row_behind_the_first_block_has_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK", 64)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 100 + "1,2,3\n" + "1,2\n")
    with pytest.raises(PrivateTableError, match="row 101: must have 2 cells, as many as the header"):
        cells(path, Form())
    path.write_text("1,2\n" * 100 + "1,2,3\n")
    with pytest.raises(PrivateTableError, match="row 101: must have 2 cells, as many as `names`"):
        cells(path, Form(header=False, names=["a", "b"]))


@pytest.mark.parametrize("suffix", [".csv.gz", ".txt.gz", ".tsv.gz", ".CSV"])
def test_compressed_text_is_read_as_it_is_without(tmp_path: Path, suffix: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter="|").writerows([("a", "b"), *((i, i % 7) for i in range(5000))])
    content = text.getvalue().encode()
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    form = Form(separator="|")
    assert cells(path, form) == [(str(i), str(i % 7)) for i in range(5000)]
    assert Files(path, form).suffix == ".csv"
    if suffix.endswith("gz"):
        for wrong in (content, path.read_bytes()[:-2000]):
            path.write_bytes(wrong)
            with pytest.raises(ValueError, match="is damaged, or not compressed"):
                cells(path, form)


def test_a_header_is_one_row_with_line_breaks_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf"a\nb",c\r\n1,2\r\n')
    assert Files(path).names(path) == ["a\nb", "c"]
    assert cells(path, Form(), ("a\nb", "c")) == [("1", "2")]


def test_names_stand_for_a_header_that_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,2\n3,4\n")
    assert cells(path, Form(header=False, names=["a", "b"])) == [("1", "2"), ("3", "4")]
    with pytest.raises(ValueError, match="names: has 3 names, and the first line has 2 cells"):
        Files(path, Form(header=False, names=["a", "b", "c"])).names(path)
