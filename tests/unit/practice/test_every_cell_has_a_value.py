"""A cell of any kind has a value by a declared rule, and what a request refuses costs nothing."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
from releases import LABEL, kinds, project, request

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.dates import times_of
from semipriv.practice.columns.features import REFUSE, feature, restored_feature
from semipriv.practice.columns.hints import hint
from semipriv.practice.columns.labels import label_of
from semipriv.practice.columns.schema import PrivateTableError, Records
from semipriv.practice.engine.whole import release

PUBLIC = pd.DataFrame(
    {
        "range": [1.0, 2.0, np.nan, 4.0, 9.0],
        "integers": [3, 3, 8, 1, 2],
        "categories": ["b", "a", "b", None, "c"],
        "bins": [1.0, 5.0, 7.0, 9.0, 12.0],
        "day": ["2023-01-04", "2023-01-01", None, "2023-01-02", "2023-01-09"],
    }
)
DECLARED: dict[str, tuple[dict[str, Any], Any]] = {
    "range": ({"range": [0, 10]}, 2.0),
    "integers": ({"integers": [0, 10]}, 3),
    "categories": ({"categories": ["a", "b", "c"]}, "b"),
    "bins": ({"bins": [0, 4, 8, 12]}, 7.0),
    "day": ({"range": ["2023-01-01", "2023-12-31"], "unit": "day"}, "2023-01-02"),
}
NOT_DECLARED = [None, "", "  ", "x", "1,5", "nan", "inf", b"\xff", True, [1], {"a": 1}, object(), float("nan")]


def closed(kind: str, **changes: Any) -> Records:
    records = Records([feature(kind, {**DECLARED[kind][0], **changes})])
    return records.closed([records.chunk(PUBLIC, "public")])


@pytest.mark.parametrize("kind", DECLARED)
def test_what_the_public_rows_say_stands_for_a_cell_of_any_kind(kind: str) -> None:
    """The same as if it were declared, whatever the other cells are."""
    records, stands = closed(kind), DECLARED[kind][1]
    assert records == closed(kind, unknown=stands) == closed(kind, unknown="public")
    (expected,) = records.points({kind: [stands]})
    cells = [cell for cell in NOT_DECLARED if not (cell is True and kind != "categories")]
    assert np.array_equal(records.points({kind: cells}), np.repeat([expected], len(cells), 0))
    assert Records.restored(json.loads(json.dumps(records.description()))) == records
    with pytest.raises(PrivateTableError, match=r"row 1: must be .*unknown: refuse"):
        closed(kind, unknown=REFUSE).points({kind: [None]})


def test_public_rows_that_say_nothing_are_refused() -> None:
    empty = pa.chunked_array([pa.array(["?", None])])
    for declared, _ in DECLARED.values():
        with pytest.raises(ValueError, match="no public row has"):
            feature("x", declared).closed(empty)


@pytest.mark.parametrize("word", ["public", REFUSE])
def test_a_word_that_is_a_category_is_meant_as_one(word: str) -> None:
    column = feature("sector", {"categories": ["private", word], "unknown": word})
    assert column.encode(pa.chunked_array([["private", None]]))[0].tolist() == [0, 1]
    assert restored_feature(column.description()) == column
    if word == REFUSE:
        with pytest.raises(ValueError, match="'refuse': is a category, too"):
            type(column)("sector", ["private", word]).description()


@pytest.mark.parametrize(
    "described",
    [
        {"column": "y", "one": ["a"], "zero": ["b"]},
        {"column": "y", "classes": ["a", "b", "c"]},
        {"column": "y", "range": [0, 1]},
    ],
)
def test_a_label_has_no_usual_value_and_its_description_says_so(tmp_path: Path, described: dict[str, Any]) -> None:
    refusing = label_of(described)
    assert refusing.description()["unknown"] == REFUSE
    assert label_of(refusing.description()) == refusing
    key = "response" if "range" in described else "label"
    with pytest.raises(ValueError, match=f"{key}: needs unknown, what a cell is that is missing or none of what is de"):
        load(project(tmp_path, **{"label": None, key: described}))


# ---------------------------------------------------------------------------------------------------- releases
DAMAGED = {"age": "sesame", "dollars": "", "ill": "YES"}


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A table of which a row has a bad cell in each column."""
    project(tmp_path)
    table = pd.read_csv(tmp_path / "clinic.csv", dtype=str)
    for row, (column, cell) in enumerate(DAMAGED.items(), start=5):
        table.loc[row, column] = cell
    table.to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path


def test_bad_cells_stop_no_release(damaged: Path) -> None:
    release(load(request(damaged, label={**LABEL, "unknown": 0})))
    assert kinds(damaged) == ["opened", "reserved", "released"]


@pytest.mark.parametrize("command", [["--dry-run", "--no-simulation"], []])
def test_what_is_refused_is_told_at_once_and_costs_nothing(damaged: Path, command: list[str], capsys: Any) -> None:
    """All columns with their numbers, no cell; the mended table is released, by the same request."""
    refusing = {name: {**declaration, "unknown": REFUSE} for name, declaration in releases.COLUMNS.items()}
    path = request(damaged, features=refusing, label={**LABEL, "unknown": REFUSE})
    assert main(["release", str(path), *command]) == 2
    printed = capsys.readouterr().err
    for place, column in enumerate(DAMAGED):
        assert f"column '{column}': 1 cell(s) missing or not as declared, the first in row {place + 6}" in printed
    assert "nothing was charged" in printed
    assert not any(cell in printed for cell in DAMAGED.values() if cell)
    assert kinds(damaged) == ["opened"]
    releases.people(60, 0).to_csv(damaged / "clinic.csv", index=False)
    assert main(["release", str(path), *command]) == 0


# ---------------------------------------------------------------------------------------------------- the holder's look
def test_a_holder_sees_what_is_not_as_declared(damaged: Path, capsys: Any) -> None:
    path = request(damaged, features={**releases.COLUMNS, "age": {"range": [40, 60]}}, label={**LABEL, "unknown": 0})
    before = sorted(damaged.rglob("*"))
    assert main(["inspect", str(path), "--person", "ill"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("PRIVATE")
    assert "'YES': 1 cell(s): 'yes' in other capitals?" in printed
    assert "'sesame': 1 cell(s)" in printed
    assert "60 cells, 1 missing, 0 not as declared; for these stands" in printed
    assert main(["inspect", str(path), "--json"]) == 0
    (age, dollars, ill) = json.loads(capsys.readouterr().out)["columns"]
    table = pd.read_csv(damaged / "clinic.csv")
    numbers = pd.to_numeric(table["age"], errors="coerce")
    assert (age["private"]["below"], age["private"]["above"]) == ((numbers < 40).sum(), (numbers > 60).sum())
    assert (dollars["private"]["missing"], dollars["private"]["unknown"]) == (1, 0)
    assert ill["private"]["sides"] == {
        str(place): int((table["ill"] == answer).sum()) for place, answer in enumerate(("no", "yes"))
    }
    assert sorted(damaged.rglob("*")) == before, "nothing is written"
    assert kinds(damaged) == ["opened"]


def test_persons_are_counted_without_rows_that_name_nobody(tmp_path: Path, capsys: Any) -> None:
    path = project(tmp_path)
    names = ["7", " 7", "", None, *map(str, range(100, 156))]
    releases.people(60, 0).assign(pid=names).to_csv(tmp_path / "clinic.csv", index=False)
    assert main(["inspect", str(path), "--person", "pid", "--json"]) == 0
    persons = json.loads(capsys.readouterr().out)["persons"]
    assert persons == {
        "persons": 57,
        "repeated": 1,
        "most": 2,
        "quantiles": {"50%": 1, "90%": 1, "99%": 2},
        "top": 2 / 60,
        "nobody": 2,
        "public": 0,
    }
    assert main(["inspect", str(path), "--person", "pdi"]) == 2
    assert "column 'pdi' is missing" in capsys.readouterr().err


def test_public_rows_that_are_private_ones_are_seen_by_the_holder(tmp_path: Path, capsys: Any) -> None:
    path = project(tmp_path)
    releases.people(60, 0)[::6].to_csv(tmp_path / "public.csv", index=False)
    assert main(["inspect", str(path)]) == 0
    assert "public rows that are equal to a private row in all features: 10: are they other" in capsys.readouterr().out


@pytest.mark.parametrize("declared", [{}, {"decimal": ","}], ids=["bytes", "read"])
def test_cells_are_shown_as_they_are_written(tmp_path: Path, capsys: Any, declared: dict[str, Any]) -> None:
    """A cell in another encoding is there, and not missing, whatever a reader made of it."""
    features = {"town": {"categories": ["Köln", "Bonn"]}, "age": {"range": [0, 100]}}
    private = {"path": str(tmp_path / "clinic.csv"), "separator": ";", **declared}
    project(tmp_path)
    changes = {"features": features, "private": private, "label": {**LABEL, "unknown": 0}}
    path = request(tmp_path, "other.yaml", **changes)
    people = releases.people(60, 0).assign(town=["Köln", "Bonn", "1.5"] * 20)
    people.to_csv(tmp_path / "clinic.csv", index=False, sep=";", encoding="latin-1")
    people[:9].to_csv(tmp_path / "public.csv", index=False)
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "60 cells, 0 missing, 40 not as declared" in printed
    assert "20 cell(s): letters in another encoding: declare `encoding`?" in printed
    assert "'1.5': 20 cell(s)" in printed


@pytest.mark.parametrize("kind", [pa.list_(pa.int8()), pa.struct({"a": pa.int8()}), pa.duration("s")], ids=str)
def test_a_label_that_no_learner_reads_may_be_of_any_type(tmp_path: Path, kind: pa.DataType) -> None:
    """Of public rows; the note on these comes after the draw, and ends nothing."""
    project(tmp_path)
    path = request(tmp_path, public={"path": str(tmp_path / "public.parquet")})
    table = pa.table({name: releases.people(9, 1)[name].to_numpy() for name in ("age", "dollars")})
    pq.write_table(table.append_column("ill", pa.nulls(9, kind)), tmp_path / "public.parquet")
    assert main(["release", str(path)]) == 0
    assert main(["inspect", str(path)]) == 0


def test_labels_in_other_capitals_are_seen_before_they_are_paid_for(tmp_path: Path, capsys: Any) -> None:
    path = project(tmp_path, label={**LABEL, "unknown": 0})
    releases.people(60, 0).assign(ill=lambda x: x["ill"].str.upper()).to_csv(tmp_path / "clinic.csv", index=False)
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "WARNING: most cells are not as declared" in printed
    assert "no private row has the label 'no' or 'yes'" in printed


def test_public_cells_that_are_not_as_declared_are_told(tmp_path: Path, capsys: Any) -> None:
    """They cost nothing to look at, and may mean that private ones are alike."""
    path = project(tmp_path)
    (tmp_path / "public.csv").write_text("age,dollars\n20,100\n60,700\n'1,5',300\n40,\n".replace("'", '"'))
    for options in (["--dry-run", "--no-simulation"], []):
        assert main(["release", str(path), *options]) == 0
        printed = capsys.readouterr().out
        assert "NOTE        public rows: column 'age': 1 of 4 cells are not as declared, such as '1,5'" in printed
        assert "column 'dollars'" not in printed, "a gap is no surprise"


@pytest.mark.parametrize(
    ("text", "like"),
    [
        (" yes", "'yes' with other blanks"),
        ("YES", "'yes' in other capitals"),
        ("1.0", "'1' as a number that is spelt otherwise"),
        ("01", "'1' as a number that is spelt otherwise"),
        ("Mu\u0308nchen", "'München' in another form of Unicode"),
        ("MÃ¼nchen", "'München' in another encoding"),
        ("M\ufffdnchen", "letters in another encoding: declare `encoding`"),
        ("other", ""),
    ],
)
def test_a_text_is_told_what_it_lacks(text: str, like: str) -> None:
    assert hint(text, ["yes", "1", "München"]) == like


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("1,5", "a decimal comma: declare `decimal`"),
        ("1.234,50", "a decimal comma: declare `decimal`"),
        ("1,234.50", "a separator of thousands: declare `thousands`"),
        (str(date(2023, 1, 31)), "a date, which needs a `unit`"),
        ("$ 17", "a number with a unit or a currency"),
        ("many", ""),
    ],
)
def test_a_number_is_told_how_it_is_written(text: str, like: str) -> None:
    assert hint(text) == like


@pytest.mark.parametrize(
    "text",
    [
        "31.01.2023", "1.2.23", "1/31/2023", "31/1/2023", "31/01/23", "31-01-2023", "2023/1/31", "20230131",
        "31 Jan 2023", "31-Jan-2023",
    ],
)  # fmt: skip
def test_a_date_is_told_a_format_that_reads_it(text: str) -> None:
    advice = hint(text)
    assert "dates: " in advice
    forms = re.findall(r'"(%[^"]+)"', advice)
    assert [form for form in forms if times_of(pa.chunked_array([[text]]), form).null_count == 0], advice
