"""A cell is read by itself: no other private cell decides what it becomes, of whatever kinds both are."""

import contextlib
import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import semipriv as sp
from semipriv.practice.columns.schema import Records
from semipriv.practice.estimators.declared import declared_columns

ZONE = datetime.timezone(datetime.timedelta(hours=12))
CELLS: dict[str, Any] = {
    "integer": 3, "large integer": 2**60 + 1, "numpy integer": np.int8(5), "float": 2.5, "whole float": 3.0,
    "float32": np.float32(0.1), "infinity": float("inf"), "nan": float("nan"), "true": True, "numpy false": np.False_,
    "text": "b", "number as text": "3", "date as text": "2023-01-01T18:00", "bytes": b"b", "bad bytes": b"\xff",
    "lone surrogate": "\ud800", "none": None, "NA": pd.NA, "NaT": pd.NaT, "date": datetime.date(2023, 1, 1),
    "time": datetime.datetime(2023, 1, 1, 18, 30), "aware time": datetime.datetime(2023, 1, 1, 23, tzinfo=ZONE),
    "timestamp": pd.Timestamp("2023-01-01T06:00:00.000000001"), "aware timestamp": pd.Timestamp("2023-01-01", tz="UTC"),
    "datetime64": np.datetime64("2023-01-01T12:00", "m"), "datetime64 NaT": np.datetime64("NaT"),
    "datetime64 of no unit": np.datetime64("NaT"), "far date": datetime.date(9999, 12, 31), "decimal": Decimal("2.50"),
    "bad decimal": Decimal("sNaN"), "complex": 1j, "time of day": datetime.time(7),
    "difference": datetime.timedelta(days=1),
    "list": [3], "dictionary": {"a": 3}, "object": object(),
}  # fmt: skip
COLUMNS: dict[str, dict[str, Any]] = {
    "range": {"range": [0, 10], "unknown": 1},
    "integers": {"integers": [0, 10], "unknown": 1},
    "bins": {"bins": [0, 2, 4, 8], "unknown": 3},
    "categories": {"categories": ["a", "b", "3", "true", "2.5", "2023-01-01", "other"], "unknown": "other"},
    "hours": {"range": ["2023-01-01", "2023-01-02"], "unit": "hour", "unknown": "2023-01-01T03:00"},
}
PUBLIC = pd.DataFrame({"c": ["2023-01-01", "2023-01-01T10:00", "a", "b", "1", "2", "5"]})


def records(declared: dict[str, Any]) -> Records:
    return declared_columns({"c": declared}, PUBLIC, one_hot=False)[0]


def objects(cells: list[Any]) -> np.ndarray:
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


@pytest.mark.parametrize("declared", COLUMNS)
def test_a_cell_of_an_object_column_is_read_by_itself(declared: str) -> None:
    """Beside cells of all other kinds, whichever is the first, in an array, a list, a Series and a DataFrame."""
    coded = records(COLUMNS[declared])
    alone = [coded.points({"c": objects([cell])}, "X")[0].tolist() for cell in CELLS.values()]
    assert len({str(answer) for answer in alone}) > 2
    for first in range(len(CELLS)):
        cells, expected = (values[first:] + values[:first] for values in ([*CELLS.values()], alone))
        column = objects(cells)
        for given in (column, cells, pd.Series(column, dtype=object), pd.DataFrame({"c": column}, dtype=object)["c"]):
            assert coded.points({"c": given}, "X").tolist() == expected, [*CELLS][first]


@pytest.mark.parametrize("declared", COLUMNS)
def test_a_typed_column_is_read_as_its_cells_are(declared: str) -> None:
    """So another row, for which pandas takes another type, changes nothing; a type that cannot be meant is refused."""
    coded = records(COLUMNS[declared])
    columns = [
        pd.Series([1, 3, 7]), pd.Series([1, None, 7]), pd.Series([1.0, 2.5, np.nan]), pd.Series([True, False]),
        pd.Series(["a", "3", "2023-01-01"]), pd.Series(["a", None]), pd.Series([1, 3], dtype="Int64"),
        pd.Series(pd.to_datetime(["2023-01-01T06:00:00.0", "2023-01-01T23:59:59.9"])), pd.Series([3, 2**60 + 1]),
        pd.Series([3, 2**63 + 1], dtype="uint64"), pd.Series(["b", "a"], dtype="category"),
        pd.Series(objects([datetime.date(2023, 1, 1), datetime.datetime(2023, 1, 1, 18)]), dtype="category"),
    ]  # fmt: skip
    read = 0
    for column in columns:
        cells = {"c": column.astype(object)}
        with contextlib.suppress(ValueError):
            typed = coded.points({"c": column}, "X")
            read += 1
            np.testing.assert_array_equal(typed, coded.points(cells, "X"), err_msg=str(column.dtype))
    assert read >= 4


def test_a_replaced_row_moves_no_other_row() -> None:
    """The fault that was met: a date in the first row took the hours of all others, a loss of 99 at epsilon 1."""
    cells = [datetime.datetime(2023, 1, 1, 6 if i % 2 else 18) for i in range(40)]
    coded = records(COLUMNS["hours"])
    points = [coded.points({"c": objects(column)}, "X") for column in (cells, [datetime.date(2023, 1, 1), *cells[1:]])]
    assert (points[0] != points[1]).any(axis=1).tolist() == [True, *[False] * 39]
    learner, labels = sp.SSPP(epsilon=1.0), [i % 2 for i in range(40)]
    prepared = learner.prepare(np.linspace(0, 1, 5)[:, None], sp.Thresholds())
    first, second = (learner.output_distribution(prepared, x, labels).log_probabilities for x in points)
    assert np.abs(np.asarray(first) - second).max() <= 1 + 1e-9
