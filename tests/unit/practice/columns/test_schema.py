"""Records of own tables: each is encoded by itself, and no message holds a cell."""

import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.practice.columns.cells import numbers
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Chunk, PrivateTableError, Records

RECORDS = Records(
    [
        feature("dollars", {"range": [0, 10]}),
        feature("sex", {"categories": ["F", "M"]}),
        feature("age", {"integers": [18, 120]}),
    ],
    Label("visits", ["3+"], ["0-2"]),
)
GOOD = {"dollars": ["2.5", "99"], "sex": ["F", "M"], "age": ["17", "20"], "visits": ["3+", "0-2"]}
SECRET = "7777.25e1"


def chunk(columns: dict[str, list[object]], first: int = 41) -> Chunk:
    table = pa.table({name: pa.array(cells) for name, cells in columns.items()})
    return Chunk(Path("clinic.csv"), table, np.arange(first, first + table.num_rows))


def test_records_are_clipped_and_scaled_one_by_one() -> None:
    points, labels = RECORDS.encode(chunk(GOOD))
    assert points.tolist() == [[0.25, 0, 0], [1, 1, 2]]
    assert labels.tolist() == [1, 0]
    assert Records.restored(RECORDS.description()) == RECORDS
    assert RECORDS.table(points).to_pydict() == {"dollars": [2.5, 10], "sex": ["F", "M"], "age": [18, 20]}


@pytest.mark.parametrize("text", [False, True])
def test_types_of_files_do_not_matter(text: bool) -> None:
    typed = {"dollars": [2.5, 99.0], "sex": ["F", "M"], "age": [17, 20], "visits": ["3+", "0-2"]}
    given = {k: [str(cell) for cell in cells] for k, cells in typed.items()} if text else typed
    assert RECORDS.encode(chunk(given))[0].tolist() == [[0.25, 0, 0], [1, 1, 2]]
    binary = {k: [str(cell).encode() for cell in cells] for k, cells in typed.items()}
    assert RECORDS.encode(chunk(binary))[0].tolist() == [[0.25, 0, 0], [1, 1, 2]]


@pytest.mark.parametrize(
    ("column", "cell", "rule"),
    [
        *[("dollars", cell, "must be a finite number") for cell in (SECRET + "x", "nan", "inf", "1e999", "", None)],
        *[("dollars", cell, "must be a finite number") for cell in (float("nan"), float("inf"))],
        ("sex", SECRET, "must be one of the declared categories"),
        ("age", SECRET, "must be an integer"),
        ("age", 20.5, "must be an integer"),
        ("visits", SECRET, "must be a value of one or of zero of the label"),
        ("visits", None, "must be a value of one or of zero of the label"),
        ("visits", b"\xff", "must be a value of one or of zero of the label"),
    ],
)
def test_a_bad_cell_is_named_by_file_column_and_row_only(column: str, cell: object, rule: str) -> None:
    beside: Any = {"dollars": 1.0, "age": 20.0, "visits": "3+"}.get(column, "F")
    if isinstance(cell, str | None):
        beside = GOOD[column][0]
    cells = [beside.encode() if isinstance(cell, bytes) else beside, cell]
    with pytest.raises(PrivateTableError) as caught:
        RECORDS.encode(chunk({**GOOD, column: cells}))
    assert str(caught.value).startswith(f"clinic.csv: column {column!r}, row 42: {rule}")
    assert "7777" not in "".join(traceback.format_exception(caught.value, chain=True))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_what_is_unknown_goes_to_its_place_record_by_record() -> None:
    records = Records(
        [
            feature("dollars", {"range": [0, 10], "unknown": 5}),
            feature("sex", {"categories": ["F", "M", "?"], "unknown": "?"}),
            feature("age", {"integers": [18, 120], "unknown": 20}),
        ],
        Label("visits", {"at_least": 3}, {"below": 3}, unknown=1),
    )
    bad = {"dollars": ["x", "1"], "sex": ["", "M"], "age": [None, "30"], "visits": ["many", "2"]}
    points, labels = records.encode(chunk(bad))
    assert points.tolist() == [[0.5, 2, 2], [0.1, 1, 12]]
    assert labels.tolist() == [1, 0]
    assert Records.restored(records.description()) == records


CELLS = st.one_of(
    st.none(),
    st.text(max_size=6),
    st.floats().map(str),
    st.integers().map(str),
    st.sampled_from(["+1", ".5", "5.", " 7 ", "1e400", "nan", "-", "0x1", "1_0", "\u0661"]),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=6))
def test_a_number_depends_on_its_own_cell_alone(cells: list[str | None]) -> None:
    """Quick ways that a whole column may take give each cell what it gets alone."""
    values, known = numbers(pa.chunked_array([pa.array(cells, pa.string())]))
    for cell, value, ok in zip(cells, values, known, strict=True):
        alone, own = numbers(pa.chunked_array([pa.array([cell], pa.string())]))
        beside, _ = numbers(pa.chunked_array([pa.array([cell, "no number"], pa.string())]))
        assert (value, ok) == (alone[0], own[0]) == (beside[0], own[0])


def test_models_take_raw_columns() -> None:
    given = {name: cells for name, cells in GOOD.items() if name != "visits"}
    assert RECORDS.points(given).tolist() == [[0.25, 0, 0], [1, 1, 2]]
