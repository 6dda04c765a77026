"""Texts of all tables are compared in one way, each by itself; lists of any length, in time that grows with them."""

import math
import time
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semipriv.practice.columns.categories import MOST, Categories
from semipriv.practice.columns.cells import BLANKS, as_cells, numbers, texts
from semipriv.practice.columns.dates import numbers_of_dates
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.strict import loads
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import Form

WORDS = st.text(st.sampled_from("-+.017aéÅ\u0301\u030a\u212b\u00a0\u3000 \t\n\u200b\ufeffK\u212a"), max_size=6)


def by_python(cell: str | None) -> str | None:
    """The negative control: Python's own blanks and forms."""
    if cell is None:
        return None
    plain = unicodedata.normalize("NFC", cell.strip())
    front, point, behind = plain.partition(".")
    digits = front.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")
    if point and behind and set(behind) == {"0"} and whole:
        return "0" if digits == "0" else front
    return plain


@settings(max_examples=300, deadline=None)
@given(st.lists(st.none() | WORDS, min_size=1, max_size=5))
@example(["-0.0", "-10.00", "0.0", "00.0", "1.", ".0", "1.0.0", "--1.0", "1.0\n"])
def test_a_text_is_what_it_is_without_blanks_composed_and_whole(cells: list[str | None]) -> None:
    expected = [by_python(cell) for cell in cells]
    column = pa.array(cells, pa.string())
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary()):
        assert texts(pa.chunked_array([column.cast(kind)])).to_pylist() == expected
    assert texts(pa.chunked_array([column.dictionary_encode()])).to_pylist() == expected
    assert [texts(pa.chunked_array([column[i : i + 1]])).to_pylist()[0] for i in range(len(cells))] == expected
    assert as_cells([cell for cell in expected if cell is not None]) == [cell for cell in expected if cell is not None]


def test_blanks_are_those_of_unicode() -> None:
    assert set(BLANKS) == {chr(code) for code in range(0x110000) if chr(code).isspace()}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.integers(-(2**54), 2**54).map(float) | st.floats(), min_size=1, max_size=5))
def test_a_float_is_the_text_of_its_integer(cells: list[float | None]) -> None:
    read = texts(pa.chunked_array([pa.array(cells, pa.float64())])).to_pylist()
    for cell, text in zip(cells, read, strict=True):
        whole = cell is not None and math.isfinite(cell) and cell.is_integer() and abs(cell) <= 2**53
        assert text == (str(int(cell)) if whole and cell is not None else None)


def test_the_category_1_is_found_however_a_table_writes_it() -> None:
    """pandas writes integers as 1.0 where a column has a gap."""
    categories = Categories("a", [1, 2], "none")
    columns: list[Any] = [
        pa.array(["1", "2", None]), pa.array(["1.0", "2.00", ""]), pa.array([1, 2, None]), pa.array([1.0, 2.0, np.nan]),
        pa.array([1.0, 2.0, None], pa.float32()), pa.array([Decimal("1.0"), Decimal("2.0"), None]),
        pa.array([b" 1", b"2 ", b"\xff"]), pa.array(["1", "2", "x"]).dictionary_encode(),
    ]  # fmt: skip
    for column in columns:
        assert categories.encode(pa.chunked_array([column]))[0].tolist() == [0, 1, 2]
        label = Label("a", ["1.0"], [" 2"], 0)
        assert label.encode(pa.chunked_array([column]))[0].tolist() == [1, 0, 0]
    assert ClassLabel("a", ["1.0", "2", "3"], " 2.0").encode(pa.chunked_array([columns[1]]))[0].tolist() == [0, 1, 1]
    assert Categories("a", ["1.0", "x "], " none").description() == {
        "column": "a", "categories": ["1", "x"], "unknown": "none",
    }  # fmt: skip


@pytest.mark.parametrize("sides", [(["a"], ["b", " a"]), (["1.0"], ["1"]), (["é"], ["e\u0301"])])
def test_sides_of_a_label_that_are_read_as_one_are_refused(sides: tuple[list[str], list[str]]) -> None:
    with pytest.raises(ValueError, match="is both one and zero"):
        Label("a", *sides)
    with pytest.raises(ValueError, match="is in two of them"):
        ClassLabel("a", list(sides))


def test_half_a_character_is_no_category() -> None:
    with pytest.raises(ValueError, match="half a character"):
        Categories("a", ["\ud800", "b"])


def growth(work: Callable[[int], Any]) -> float:
    """Return how the time of work grows if its size grows tenfold; the least of three times counts."""

    def seconds(n: int) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            work(n)
            times.append(time.process_time() - start)
        return min(times)

    return seconds(100_000) / seconds(10_000)


def twice(text: str) -> None:
    with pytest.raises(ValueError, match="twice in one object"):
        loads(text.encode())


LISTS: dict[str, Callable[[int], Any]] = {
    "categories": lambda n: Categories("a", [f"c{i}" for i in range(n)]),
    "integers": lambda n: Categories("a", range(n)),
    "a label": lambda n: Label("a", [f"c{i}" for i in range(n)], [f"d{i}" for i in range(n)]),
    "keys of JSON": lambda n: twice("{" + ",".join(f'"{i}":0' for i in range(n)) + f',"{n - 1}":0}}'),
}


@pytest.mark.parametrize("what", LISTS)
def test_long_lists_take_time_that_grows_with_them(what: str) -> None:
    """Tenfold lists took a hundredfold time: 50,000 categories 38 seconds."""
    assert growth(LISTS[what]) < 40


def test_a_column_has_so_many_categories_at_most() -> None:
    with pytest.raises(ValueError, match=r"categories: has 1,000,001 values, must have at most 1,000,000"):
        Categories("a", range(MOST + 1))


def test_keys_of_json_that_are_there_twice_are_named() -> None:
    with pytest.raises(ValueError, match="has the key 'b' twice in one object"):
        loads(b'{"a": 1, "b": {"c": 1}, "d": [{"b": 1}], "b": 2}')


def test_a_cell_that_a_file_calls_text_and_that_is_none_is_unknown_alone(tmp_path: Path) -> None:
    """Parquet may hold any bytes in a column of texts: one such cell ended a release."""
    cells = pa.array([b"1", b"\xff", b"2.0"])
    column = pa.Array.from_buffers(pa.string(), 3, cells.buffers())
    pq.write_table(pa.table({"a": column, "b": column.cast(pa.large_string())}), tmp_path / "t.parquet")
    for form in (Form(), Form(missing=["x"])):
        kinds: dict[str, Any] = {"a": "texts", "b": "numbers"}
        (chunk,) = Files(tmp_path / "t.parquet", form, kinds).chunks(tmp_path / "t.parquet", ["a", "b"])
        assert texts(chunk.table.column("a")).to_pylist() == ["1", None, "2"]
        assert numbers(chunk.table.column("b"))[1].tolist() == [True, False, True]
        dates = pa.chunked_array([pa.Array.from_buffers(pa.string(), 2, pa.array([b"2023-01-01", b"\xff"]).buffers())])
        assert numbers_of_dates(dates, "day")[1].tolist() == [True, False]


@pytest.mark.parametrize("values", [["x" * 3_000, "é" * 700], ["x" * 30_000, "y"]])
def test_long_texts_are_decoded_in_parts(values: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was met: an array of texts holds 2^31 bytes, and more were asked for at once."""
    from semipriv.practice.columns import categories

    monkeypatch.setattr(categories, "_BYTES", 10_000)
    cells = Categories("a", values).decode(np.arange(500) % 2 * 1.0)
    assert cells.to_pylist() == values * 250
    assert max(len(chunk) for chunk in cells.chunks) == max(1, 10_000 // len(values[0]))
