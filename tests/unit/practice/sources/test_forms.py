"""Files as people have them: numbers, dates, gaps and folders as a request says, each cell by itself."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import feature
from semipriv.practice.engine.reading import examples, read_public
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import Form
from semipriv.settings.reading import ConfigError

GERMAN = {"decimal": ",", "thousands": "."}


def read(form: dict[str, Any], kind: Any, cells: list[Any], declared: dict[str, Any]) -> list[Any]:
    """What a feature makes of cells of text: its place, None where it is unknown."""
    table = Form(**form).read(pa.table({"a": pa.array(cells, pa.string())}), {"a": kind})
    values, known = feature("a", declared).encode(table.column("a"))
    return [float(value) if is_known else None for value, is_known in zip(values, known, strict=True)]


def numbers(form: dict[str, Any], cells: list[Any]) -> list[Any]:
    return read(form, "numbers", cells, {"integers": [-10_000_000, 10_000_000]})


@pytest.mark.parametrize(
    ("form", "cells", "values"),
    [
        (GERMAN, ["1.234,0", "1234", "-1.234.567,00", " 7 ", "12,0e2"], [1234, 1234, -1234567, 7, 1200]),
        (GERMAN, ["1.5", "12.34,5", "1,5,0", "1.2345", "", None, "x", "1.234.56"], [None] * 8),
        ({"decimal": ","}, ["1,0", ",0e1", "1.0", "1.000"], [1, 0, None, None]),
        ({"thousands": ","}, ["1,234", "1,234.0", "1234", "12,34", "1,234,5"], [1234, 1234, 1234, None, None]),
        ({"thousands": " "}, ["1 234", "1\u00a0234", "1\u202f234", "1  234"], [1234, 1234, 1234, None]),
        ({"thousands": "'"}, ["1'234", "1\u2019234", "1.234,5"], [1234, 1234, None]),
        ({}, ["1,234", "1.0", "1_0", "0x10"], [None, 1, None, None]),
        ({"missing": ["NA", "-9"]}, ["NA", " NA", "-9", "-9.0", "9", "na"], [None, None, None, None, 9, None]),
        ({"missing": [-9], **GERMAN}, ["-9,0", "-9,5"], [None, None]),
    ],
)
def test_numbers_are_spelt_as_it_is_said(form: dict[str, Any], cells: list[Any], values: list[Any]) -> None:
    """Strictly: a cell that is spelt in another way is none, and is not another number."""
    assert [None if number is None else number - 10_000_000 for number in numbers(form, cells)] == values
    assert [numbers(form, [cell])[0] for cell in cells] == numbers(form, cells)


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**7), 10**7), st.sampled_from([",", "."]), st.sampled_from([None, " ", "'", ","]))
def test_a_number_that_is_written_comes_back(number: int, decimal: str, thousands: str | None) -> None:
    thousands = "." if thousands == decimal else thousands
    spelt = f"{number:,}".replace(",", thousands or "") + decimal + "00"
    assert numbers({"decimal": decimal, "thousands": thousands}, [spelt]) == [number + 10**7]


DAYS = {"range": ["1970-01-01", "2070-01-01"], "unit": "second"}


@settings(max_examples=60, deadline=None)
@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)).map(lambda moment: moment.replace(microsecond=0)),
    st.sampled_from(
        ["%d.%m.%Y %H:%M:%S", "%m/%d/%y %H.%M.%S", "%Y%m%d%H%M%S", "%d %b %Y, %H:%M:%S", "%B %d %Y %H-%M-%S"]
    ),
)
def test_a_date_that_python_writes_is_read(time: datetime, form: str) -> None:
    """Python's own writer is the negative control; every other text is no date."""
    spelt = [time.strftime(form), time.isoformat(), time.strftime(form) + "0", "31.02.2023 00:00:00", None]
    span = feature("a", DAYS)
    table = Form(dates=form).read(pa.table({"a": spelt}), {"a": "dates"})
    values, known = span.encode(table.column("a"))
    own = pa.chunked_array([[time.isoformat()]])
    assert values[0] == span.encode(own)[0][0]
    assert known.tolist() == [True, False, False, False, False]


def test_short_days_and_months_are_dates_where_something_is_between_them() -> None:
    table = Form(dates="%d.%m.%Y").read(pa.table({"a": ["1.2.2023", "01.02.2023", "1.2.23"]}), {"a": "dates"})
    assert [str(date) for date in table.column("a").to_pylist()] == ["2023-02-01 00:00:00"] * 2 + ["None"]
    table = Form(dates="%y%m%d").read(pa.table({"a": ["690101", "680101", "68011"]}), {"a": "dates"})
    assert [date and date.year for date in table.column("a").to_pylist()] == [1969, 2068, None]


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "%d.%m",
        "%q",
        "%d.%m.%Y %M",
        "%d%d%m%Y",
        "%Y-%m-%d %Y",
        "dd.mm.yyyy",
        "%d.%m.%Y %",
        3,
        "%d.%m.%Y %H:%S",
        "%j %Y",
    ],
)
def test_a_format_that_tells_no_day_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^dates = "):
        Form(dates=wrong)


def categories(form: dict[str, Any], cells: list[Any], listed: list[Any]) -> list[Any]:
    return read(form, "texts", cells, {"categories": listed})


def test_texts_are_compared_without_blanks_composed_and_with_whole_numbers_as_their_digits() -> None:
    cells = ["1", "1.0", " 1.00\u00a0", "01", "é", "e\u0301 ", "\té", "E", None]
    assert categories({}, cells, [1, "e\u0301", "x"]) == [0, 0, 0, None, 1, 1, 1, None, None]
    assert categories({}, ["-0.0", "-5.0", "0", "+5"], [0, -5]) == [0, 1, 0, None]
    assert categories({"decimal": ","}, ["1,0", "1.0", "2"], ["1", "2"]) == [0, 0, 1]
    assert categories({"thousands": ".", "decimal": ","}, ["1.000", "1000", "1.000,0", "a.b"], [1000, "a.b"]) == [
        0,
        0,
        0,
        1,
    ]
    assert categories({"missing": ["x", "7"]}, ["x", " x", "7.0", "y"], ["x", "y", 7]) == [None, None, None, 1]


@pytest.mark.parametrize("listed", [["a", " a"], [1, "1.0"], ["é", "e\u0301"], ["1.0", "1.00"], [3, "3"]])
def test_declared_categories_that_are_read_as_one_are_refused(listed: list[Any]) -> None:
    with pytest.raises(ValueError, match="is listed twice"):
        feature("a", {"categories": listed})


def test_gaps_of_a_column_of_numbers_in_parquet_are_gaps(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [-9, 5, None], "b": [-9.0, 0.5, 1.0], "c": ["NA", "x", "-9"]}), tmp_path / "t.pq")
    (chunk,) = Files(tmp_path / "t.pq", Form(missing=["NA", -9])).chunks(tmp_path / "t.pq", ["a", "b", "c"])
    assert chunk.table.to_pydict() == {"a": [None, 5, None], "b": [None, 0.5, 1.0], "c": [None, "x", None]}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("separator", "ab", "must be one character"),
        ("separator", "1", "must be one character"),
        ("separator", '"', "must be one character"),
        ("quote", "x", "must be one of"),
        ("decimal", ";", 'must be "." or ","'),
        ("thousands", ".", "is the decimal point, too"),
        ("thousands", "1", "must be one of"),
        ("encoding", "utf-7", "must be one of utf-8"),
        ("names", ["a"], "declare header: false as well"),
        ("header", False, "needs names"),
        ("missing", [True], "must be text or a number"),
        ("dates", "%d", "must tell year, month and day"),
        ("header", 3, "must be True or False|must be true or false"),
    ],
)
def test_a_wrong_key_is_named_with_what_is_allowed(tmp_path: Path, key: str, value: Any, message: str) -> None:
    path = releases.project(tmp_path, private={"path": str(tmp_path / "clinic.csv"), key: value})
    with pytest.raises(ConfigError, match=rf"private\.{key}|private\.header") as caught:
        load(path)
    assert any(part in str(caught.value) for part in message.split("|"))


def test_a_key_of_text_is_refused_of_parquet_and_of_a_database(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    for key, value in {"separator": ";", "encoding": "latin-1", "quote": "none"}.items():
        with pytest.raises(ValueError, match=f"{key}: is of a file of text, and this is Parquet"):
            Files(tmp_path / "t.parquet", Form(**{key: value}))
    with pytest.raises(ValueError, match=r"needs separator: the suffix \.txt does not tell"):
        Files(tmp_path / "t.txt")
    path = releases.project(tmp_path, private={"database": "duckdb://x", "table": "t", "decimal": ","})
    with pytest.raises(ConfigError, match=r"private.decimal: is of a file, and there is none"):
        load(path)


# ---------------------------------------------------------------------------------------------------- folders
def test_folders_named_for_a_cell_are_columns(tmp_path: Path) -> None:
    for year, sex, ages in (("2023", "F", [1, 2]), ("2023", "M%2FX", [3]), ("2024", "__HIVE_DEFAULT_PARTITION__", [4])):
        folder = tmp_path / f"year={year}" / f"sex={sex}"
        folder.mkdir(parents=True)
        (folder / "p.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages))
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("made up")
    files = Files(tmp_path)
    files.check([feature("age", {"range": [0, 9]}), feature("year", {"integers": [2000, 2030]})])
    rows = [
        row for part in files.parts for batch in files.chunks(part, ["sex", "age"]) for row in batch.table.to_pylist()
    ]
    assert sorted((int(row["age"]), row["sex"]) for row in rows) == [(1, "F"), (2, "F"), (3, "M/X"), (4, None)]
    (part,) = (path for path in files.parts if "2024" in str(path))
    (chunk,) = files.chunks(part, ["year"])
    assert chunk.table.to_pydict() == {"year": ["2024"]}
    assert files.rows() == 4
    before = files.mac(b"k", part)
    (tmp_path / "year=2024").rename(tmp_path / "year=2025")
    moved = Files(tmp_path)
    assert moved.mac(b"k", moved.parts[-1]) != before, "a row with another cell is another table"
    (tmp_path / "year=2025/x.csv").write_text("age\n1\n")
    with pytest.raises(ValueError, match="must be those of the same columns as of"):
        _ = Files(tmp_path).parts


def test_a_folder_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "t.csv").write_text("a\n1\n")
    assert Files(tmp_path).rows() == 1
    (tmp_path / "more/t.csv").write_text("a\n1\n")
    with pytest.raises(ValueError, match="more: holds tables, and is not named key=value"):
        _ = Files(tmp_path).parts
    (tmp_path / "more/t.csv").unlink()
    (tmp_path / "u.parquet").write_bytes(b"")
    with pytest.raises(ValueError, match=r"has files of several kinds \(.csv, .parquet\)"):
        _ = Files(tmp_path).parts


# ---------------------------------------------------------------------------------------------------- requests
def test_a_table_is_one_request_and_one_set_of_points_however_it_is_written(tmp_path: Path) -> None:
    """A German file in UTF-16, gaps as NA, and a plain one: equal points, and another identity."""
    people = releases.people(40, 0)
    plain = releases.project(tmp_path)
    people.to_csv(tmp_path / "clinic.csv", index=False)
    expected = load(plain)
    german = people.copy()
    german["dollars"] = [f"{amount:_.2f}".replace(".", ",").replace("_", ".") for amount in people["dollars"]]
    german["age"] = [f"{age}".replace(".", ",") for age in people["age"]]
    german["ill"] = [f" {answer} " for answer in people["ill"]]
    german.to_csv(tmp_path / "german.txt", sep=";", index=False, header=False, encoding="utf-16")
    keys = {"separator": ";", "header": False, "names": list(people), "encoding": "utf-16", **GERMAN}
    other = load(releases.request(tmp_path, "german.yaml", private={"path": str(tmp_path / "german.txt"), **keys}))
    points = []
    for table in (expected, other):
        public = read_public(table)
        points.append(next(iter(examples(table, public.records, table.private.parts[0]))))
    assert all(np.array_equal(a, b) for a, b in zip(*points, strict=True))
    public = read_public(expected)
    assert "written" not in expected.identity(public)
    assert other.identity(public)["written"] == {"private": keys}


def test_a_column_of_two_kinds_is_refused_where_they_are_spelt_differently(tmp_path: Path) -> None:
    groups = {"column": "age", "categories": ["1", "2"], "unknown": "x", "epsilon": 1}
    keys: dict[str, Any] = {"held_out": {"share": 0.2, "epsilon": 1, "groups": groups}}
    path = releases.project(tmp_path, private={"path": str(tmp_path / "clinic.csv"), "decimal": ","}, **keys)
    with pytest.raises(ConfigError, match="'age' is declared as numbers and as texts"):
        load(path)


def test_a_release_of_a_table_that_is_written_otherwise_is_certified(tmp_path: Path) -> None:
    """From the dry run to the check, with the form in what was asked for; another form is another request."""
    releases.project(tmp_path)
    releases.people(60, 0).to_csv(tmp_path / "clinic.txt", sep=";", decimal=",", index=False)
    keys = {"path": str(tmp_path / "clinic.txt"), "separator": ";", "decimal": ","}
    path = releases.request(tmp_path, private=keys)
    release(load(path))
    folder = tmp_path / "results/releases/visits"
    assert main(["verify", str(folder), "--ledger", str(tmp_path / "ledgers/clinic.jsonl")]) == 0
    spent = releases.kinds(tmp_path)
    release(load(path))
    assert releases.kinds(tmp_path) == spent
    release(load(releases.request(tmp_path, private={**keys, "missing": ["NA"]})))
    assert len(releases.kinds(tmp_path)) > len(spent)
