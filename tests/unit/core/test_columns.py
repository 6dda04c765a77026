"""Columns made without pandas are those that pyarrow makes, to the byte in a file."""

import io
import subprocess
import sys
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.arrays import ARRAYS, to_column
from semipriv.core.columns import _made, as_column, numbers


class Word(StrEnum):
    ONE = "one"


FLOATS, BYTES = pa.list_(pa.float64()), pa.list_(pa.int8())
PLAIN: list[tuple[Any, pa.DataType]] = [
    ([1, None, np.int64(3), np.int8(-4)], pa.int64()),
    ([1, None], pa.int32()),
    ([1.5, None, 2, float("nan"), np.float64(-0.0), float("inf")], pa.float64()),
    ([True, None, np.bool_(0)], pa.bool_()),
    (["a", None, "é", Word.ONE, ""], pa.string()),
    ([np.ones(2), None, np.zeros(0)], FLOATS),
    ([np.ones(2, np.int8), None], BYTES),
    ([None, None], BYTES),
    ([None], pa.string()),
    ([[1, 2], [], None], pa.list_(pa.int64())),
    ([to_column({"a": np.zeros((0, 2)), "b": np.array([1, 0], np.int8)}), [], to_column({"c": np.eye(2)})], ARRAYS),
    (np.arange(3.0), pa.float64()),
    (np.arange(6)[::2], pa.int64()),
    *(([], kind) for kind in (pa.string(), pa.float64(), pa.bool_(), FLOATS, ARRAYS)),
]


def in_a_file(column: pa.Array) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"x": column}), sink, compression="zstd")
    return sink.getvalue()


@pytest.mark.parametrize(("values", "kind"), PLAIN)
def test_a_column_is_that_of_pyarrow(values: Any, kind: pa.DataType) -> None:
    column = _made(values, kind)
    assert column is not None, "or pandas would be loaded"
    column.validate(full=True)
    assert column.type == kind
    assert in_a_file(column) == in_a_file(pa.array(values, kind))


@given(st.lists(st.none() | st.lists(st.floats(width=64)).map(np.array)))
def test_lists_of_any_length_are_those_of_pyarrow(values: list[Any]) -> None:
    assert in_a_file(as_column(values, FLOATS)) == in_a_file(pa.array(values, FLOATS))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([300], pa.int8()),
        ([2**70], pa.int64()),
        ([1], pa.string()),
        ([2**53 + 1], pa.float64()),
        ([0.5, 2**53 + 1], pa.float64()),
    ],
)
def test_what_does_not_fit_is_refused_as_pyarrow_refuses_it(values: list[Any], kind: pa.DataType) -> None:
    with pytest.raises((pa.ArrowException, OverflowError)):
        as_column(values, kind)


def test_a_series_of_pandas_has_null_for_nan() -> None:
    assert as_column(pd.Series([1.0, np.nan]), pa.float64()).null_count == 1


def test_numbers_are_those_of_the_column() -> None:
    column = pa.array([[1.0, 2.0], [], [3.0]], FLOATS)
    assert [numbers(part.values).tolist() for part in column] == [[1.0, 2.0], [], [3.0]]


def test_a_table_is_written_and_read_without_pandas(tmp_path: Any) -> None:
    code = f"""
import sys
import numpy as np
import pyarrow as pa
from semipriv.core import tables
from semipriv.core.arrays import ARRAYS, from_column, to_column
from semipriv.core.tables import Column, Schema
schema = Schema("prepared", "", (Column("cell", pa.int64(), ""), Column("arrays", ARRAYS, "")))
tables.write({str(tmp_path / "t")!r}, schema, [{{"cell": 0, "arrays": to_column({{"a": np.ones((2, 1))}})}}])
found = tables.read({str(tmp_path / "t")!r}, schema)
from_column(found.column("arrays").combine_chunks()[0]), found.to_pylist()
print("pandas" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
