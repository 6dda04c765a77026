"""Arrays in a column of a table come back as they were, or are refused."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from semipriv.core.arrays import ARRAYS, TYPES, from_column, to_column

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
        read_back = from_column(value)
        assert list(read_back) == ["first", "second"]
        assert (read_back["first"].dtype, read_back["first"].shape) == (array.dtype, array.shape)
        assert read_back["first"].tobytes() == array.tobytes()
