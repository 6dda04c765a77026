"""Dates and times are numbers of declared units, each cell by itself, and become dates again."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from releases import THRESHOLDS, lay_out

from semipriv.practice.asking.request import load
from semipriv.practice.columns.dates import UNITS, dates, numbers_of_dates, text_of
from semipriv.practice.columns.features import feature, restored_feature
from semipriv.practice.engine import figure
from semipriv.practice.engine.whole import release
from semipriv.practice.published.model import Model
from semipriv.practice.published.verify import verify

EPOCH = datetime(1970, 1, 1)
SPAN = {"range": [date(2023, 1, 1), date(2023, 1, 11)], "unit": "day"}
CELLS = st.one_of(
    st.none(),
    st.datetimes().map(lambda t: t.isoformat(" ")),
    st.datetimes().map(lambda t: f" {t.isoformat(timespec='minutes')}"),
    st.dates().map(str),
    st.text(max_size=12),
    st.sampled_from(["2023-02-29", "2024-02-29", "2023-13-01", "0000-01-01", "2023-01-01T24:00", "2023-01-01T10"]),
    st.sampled_from(["2023-01-01T10:00Z", "2023-01-01T10:00+01:00", "2023-01-01\n2", "\u0662023-01-01", "20230101"]),
)


def by_python(cell: str | None, unit: str) -> int | None:
    """The brute-force reference: Python's own reader, without the forms that are none of ours."""
    cell = (cell or "").strip()
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        return None
    own = moment.tzinfo is None and cell.isascii() and len(cell) not in (8, 13) and cell[4] == cell[7] == "-"
    return (moment - EPOCH) // timedelta(seconds=UNITS[unit]) if own else None


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=5), st.sampled_from(sorted(UNITS)))
def test_a_cell_is_what_the_calendar_says_and_depends_on_itself_alone(cells: list[str | None], unit: str) -> None:
    values, known = numbers_of_dates(pa.chunked_array([pa.array(cells, pa.string())]), unit)
    assert [int(value) if ok else None for value, ok in zip(values, known, strict=True)] == [
        by_python(cell, unit) for cell in cells
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.datetimes(datetime(1, 1, 1), datetime(2200, 1, 1)), min_size=1), st.sampled_from(sorted(UNITS)))
def test_texts_and_types_of_arrow_are_the_same_numbers(times: list[datetime], unit: str) -> None:
    spelt = numbers_of_dates(pa.chunked_array([[time.isoformat() for time in times]]), unit)[0]
    column = pa.chunked_array([pa.array([*times, None], pa.timestamp("us"))])
    finer = [column.cast(pa.timestamp("ns"))] if min(times).year > 1700 else []
    for cells in (column, column.dictionary_encode(), *finer):
        numbers, known = numbers_of_dates(cells, unit)
        assert numbers.tolist() == [*spelt, 0]
        assert known.tolist() == [True] * len(times) + [False]
    days = numbers_of_dates(pa.chunked_array([[str(time.date()) for time in times]]), "day")[0]
    for kind in (pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms")):
        cells = pa.chunked_array([pa.array([time.date() for time in times], pa.date32()).cast(kind)])
        assert numbers_of_dates(cells, "day")[0].tolist() == days.tolist()
    back = dates(spelt, unit)
    assert [text_of(number, unit) for number in spelt] == list(map(str, back))
    assert numbers_of_dates(pa.chunked_array([pa.array(back)]), unit)[0].tolist() == spelt.tolist()


def test_a_range_of_dates_is_clipped_mapped_and_mapped_back() -> None:
    own = feature("day", SPAN)
    coordinates, known = own.encode(pa.chunked_array([["2023-01-02", "2022-12-31", "2024-01-01 10:00", "11.1.2023"]]))
    assert coordinates[:3].tolist() == [0.1, 0, 1]
    assert known.tolist() == [True, True, True, False]
    assert own.decode(np.array([0, 0.1, 0.99])).to_pylist() == [date(2023, 1, 1), date(2023, 1, 2), date(2023, 1, 11)]
    declaration = {"column": "day", "range": ["2023-01-01", "2023-01-11"], "unknown": "public", "unit": "day"}
    assert own.description() == declaration
    assert restored_feature(own.description()) == own
    assert feature("day", yaml.safe_load("{range: ['2023-01-01', 2023-01-11], unit: day}")) == own
    assert own.shown(np.array([0.05])).tolist() == [datetime(2023, 1, 1, 12)]


def test_integers_are_units_since_the_lower_end() -> None:
    own = feature(
        "hour", {"integers": ["2023-01-01T08:00", "2023-01-02"], "unit": "hour", "unknown": "2023-01-01T09:00"}
    )
    cells = pa.chunked_array([["2023-01-01T10:59:59.9", "", "2023-01-01"]])
    assert own.encode(cells)[0].tolist() == [2, 1, 0]
    assert own.ends == (0, 16)
    assert len(own.values) == 17
    assert own.decode(np.array([2.0])).to_pylist() == [datetime(2023, 1, 1, 10)]
    assert restored_feature(own.description()) == own


@pytest.mark.parametrize(
    ("kind", "ends"), [("range", ["2022-12-30", "2023-01-07"]), ("integers", ["2023-01-01", "2023-01-05"])]
)
def test_ends_may_be_those_of_public_rows(kind: str, ends: list[str]) -> None:
    own = feature("day", {kind: "public", "unit": "day"})
    assert own.open
    known = ["2023-01-01", "2023-01-05"]
    closed = own.closed(pa.chunked_array([[*reversed(known), "x"]]))
    declaration = {kind: ends, "public_values": known, "unknown": "2023-01-01", "unit": "day"}
    assert closed.description() == {"column": "day", **declaration}
    assert restored_feature(closed.description()) == closed


def test_a_wider_range_of_dates_stays_within_those_that_can_be_written() -> None:
    own = feature("day", {"range": "public", "unit": "day"})
    assert own.closed(pa.chunked_array([["0003-01-01", "9990-01-01"]])).range == ("0001-01-01", "9999-12-31")


def test_different_dates_are_not_called_the_same() -> None:
    with pytest.raises(
        ValueError, match="no public row has a finite number there, but '2023-01-05': a date, which needs a `unit`"
    ):
        feature("day", {"range": "public"}).closed(pa.chunked_array([["2023-01-05", "2023-01-01"]]))
    with pytest.raises(ValueError, match="is the same in all public rows that have a date, as 2023-01-31, or a time"):
        feature("day", {"range": "public", "unit": "day"}).closed(
            pa.chunked_array([["2023-01-05", "2023-01-01T10:00Z"]])
        )


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"range": [date(2023, 1, 1), date(2024, 1, 1)]}, "are dates, which need a unit: one of day, hour"),
        ({"range": [0, 1], "unit": "day"}, "must be two dates or times for the unit 'day', each a date, as 2023-01-31"),
        ({"range": ["2023-01-01", 5], "unit": "day"}, "5: must be a date, as 2023-01-31, or a time"),
        ({"range": ["2023-01-01", "2023-02-30"], "unit": "day"}, "2023-02-30': must be a date, as 2023-01-31"),
        ({"range": ["2023-01-02", "2023-01-02T12:00"], "unit": "day"}, "low must be < high"),
        ({"range": [datetime(2023, 1, 1, tzinfo=UTC), "2024-01-01"], "unit": "day"}, "has a time zone"),
        ({"range": ["2023-01-01", "2024-01-01"], "unit": "dya"}, "unknown unit 'dya': did you mean 'day'"),
        ({**SPAN, "unknown": 3}, "must be a date, as 2023-01-31"),
        ({**SPAN, "unknown": "2024-01-01"}, r"must be in \[2023-01-01, 2023-01-11\]"),
        ({"categories": ["a", "b"], "unit": "day"}, "categories have none"),
        ({"categories": [date(2023, 1, 1), "b"]}, "dates in quotes"),
    ],
)
def test_what_is_declared_wrongly_is_refused(declared: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        feature("day", declared)


def test_a_model_of_dates_predicts_on_texts_and_on_types_and_has_a_picture(tmp_path: Path) -> None:
    for name, label_column in (("private", ",y"), ("public", "")):
        rows = [f"{day}{',no' if day.day < 16 else ',yes'}" if label_column else str(day) for day in PEOPLE]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"x{label_column}", *rows, ""]))
    given = {name: {"path": str(tmp_path / f"{name}.csv")} for name in ("private", "public")}
    path = lay_out(tmp_path / "own", {**THRESHOLDS, **given, "features": {"x": {"range": "public", "unit": "day"}}})
    release(load(path))
    model = Model.load(tmp_path / "own/results/releases/visits/model.json")
    predicted = model.predict({"x": list(map(str, PEOPLE))})
    assert predicted.tolist() == model.predict(pd.DataFrame({"x": pd.to_datetime(list(map(str, PEOPLE)))})).tolist()
    drawn = figure.draw(model, model.records.points({"x": PEOPLE}))
    assert drawn.axes[0].get_xlim()[0] == pytest.approx((PEOPLE[0] - EPOCH.date()).days - 14, abs=1)
    plt.close(drawn)


PEOPLE = [date(2023, 1, 1 + i % 29) for i in range(40)]
TABLES = {
    "csv": lambda cells: pa.table({"day": list(map(str, cells)), "sex": ["F", ""] * (len(cells) // 2)}),
    "parquet": lambda cells: pa.table(
        {"day": pa.array(cells).cast(pa.timestamp("ns")), "sex": ["F", None] * (len(cells) // 2)}
    ),
}


@pytest.mark.parametrize("ending", TABLES)
def test_a_synthetic_table_has_dates_and_a_category_of_its_own_for_what_is_missing(tmp_path: Path, ending: str) -> None:
    what = {
        "private": {"path": str(tmp_path / f"clinic.{ending}")},
        "public": {"path": str(tmp_path / f"register.{ending}")},
        "features": {
            "day": {"integers": [date(2023, 1, 1), date(2023, 1, 31)], "unit": "day"},
            "sex": {"categories": ["F", "M"], "unknown": "none"},
        },
        "label": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": "1e-6"},
        "class": None,
    }
    for name, people in (("clinic", PEOPLE), ("register", PEOPLE[:8])):
        table, path = TABLES[ending](people), tmp_path / f"{name}.{ending}"
        (pa_csv.write_csv if ending == "csv" else pq.write_table)(table, path)
    outcome = release(load(lay_out(tmp_path, what)))
    path = tmp_path / f"results/releases/visits/synthetic.{ending}"
    synthetic = (pa_csv.read_csv if ending == "csv" else pq.read_table)(path)
    assert synthetic.column("day").type == (pa.date32() if ending == "csv" else pa.timestamp("ns"))
    days = {str(date(2023, 1, day)) for day in range(1, 32)}
    assert {str(cell)[:10] for cell in synthetic.column("day").to_pylist()} <= days
    assert set(synthetic.column("sex").to_pylist()) <= {"F", "M", "none"}
    assert len(synthetic) == outcome.released.sizes["n_private"] == len(PEOPLE)
    assert all(check.passed for check in verify(tmp_path / "results/releases/visits", tmp_path / "ledger.jsonl"))
