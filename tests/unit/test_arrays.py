"""Arrays in a column of a table come back as they were, or are refused."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from semipriv.arrays import ARRAYS, TYPES, from_column, to_column

EDGES = {
    "bool": [False, True],
    "int8": [-128, 0, 127],
    "int64": [sign * (2**53 - i) for sign in (-1, 1) for i in range(3)],
    "float64": [-np.inf, -0.0, 5e-324, 0.1, np.finfo(float).max],
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [(-1,), (1, -1), (-1, 1), (0, 3)])
def test_arrays_come_back_as_they_were(kind: str, shape: tuple[int, ...]) -> None:
    """The extreme values of each type, by either way to read a column; with the name, the type and the shape."""
    array = np.array([] if 0 in shape else EDGES[kind], kind).reshape(shape)
    column = pa.array([to_column({"first": array, "second": np.zeros(2)})], ARRAYS)
    for value in (column[0], pd.Series(column.to_pandas())[0]):
        found = from_column(value)
        assert list(found) == ["first", "second"]
        assert (found["first"].dtype, found["first"].shape) == (array.dtype, array.shape)
        assert found["first"].tobytes() == array.tobytes()


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("others", [[], [0], [-1, 1]])
def test_integers_that_no_double_holds_are_refused(value: int, others: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^array 'x': holds an integer beyond 2\^53$"):
        to_column({"fine": np.zeros(1, np.int64), "x": np.array([*others, value])})


@pytest.mark.parametrize("kind", ["int32", "uint64", "float32", "object"])
def test_other_types_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match=rf"^array 'x': has type {kind}, must be one of bool, int8, int64, float64$"):
        to_column({"x": np.zeros(1, kind)})
