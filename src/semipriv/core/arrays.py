"""Named arrays in a column of a table: the form in which public stages and outputs are stored on disk."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.columns import numbers
from semipriv.core.types import Floats

Arrays = Mapping[str, NDArray[Any]]
"""Arrays of numbers by name."""

ARRAYS = pa.list_(
    pa.struct(
        [
            ("name", pa.string()),
            ("type", pa.string()),
            ("shape", pa.list_(pa.int64())),
            ("values", pa.list_(pa.float64())),
        ]
    )
)
"""Type of a column of named arrays.  Values are doubles: integers up to 2^53 are exact."""

TYPES = {name: np.dtype(name) for name in ("bool", "int8", "int64", "float64")}
_LARGEST = 2**53


def to_column(arrays: Arrays) -> list[dict[str, Any]]:
    """Return arrays as one value of a column.

    Raise ValueError, with the name of the array, for a type that is not in TYPES, for an integer beyond 2^53 and for a
    masked array.
    """
    return [_entry(name, checks.array(f"array {name!r}", array)) for name, array in arrays.items()]


def _entry(name: str, array: NDArray[Any]) -> dict[str, Any]:
    kind = array.dtype.name
    if kind not in TYPES:
        raise ValueError(f"array {name!r}: has type {kind}, must be one of {', '.join(TYPES)}")
    if kind == "int64" and array.size and max(abs(int(array.min())), abs(int(array.max()))) > _LARGEST:
        raise ValueError(f"array {name!r}: holds an integer beyond 2^53")
    return {"name": name, "type": kind, "shape": list(array.shape), "values": array.ravel().astype(np.float64)}


def from_column(value: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays in one value of a column.

    value: a scalar of pyarrow, or a list of mappings as pandas gives it.

    >>> from_column(to_column({"points": np.zeros((0, 2)), "labels": np.array([1, 0], np.int8)}))
    {'points': array([], shape=(0, 2), dtype=float64), 'labels': array([1, 0], dtype=int8)}
    """
    if isinstance(value, pa.Scalar):
        entries = value.values
        parts: list[Any] = [entries.field(i) for i in range(4)]
        return {
            parts[0][i].as_py(): _array(parts[1][i].as_py(), parts[2][i].as_py(), _numbers(parts[3][i]))
            for i in range(len(entries))
        }
    return {entry["name"]: _array(entry["type"], entry["shape"], np.asarray(entry["values"])) for entry in value}


def _numbers(values: Any) -> Floats:
    return numbers(values.values)


def _array(kind: str, shape: Any, values: Floats) -> NDArray[Any]:
    return values.astype(TYPES[kind]).reshape([int(n) for n in shape])
