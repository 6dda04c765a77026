"""Columns of tables from Python's values and NumPy's, and back, without pandas.

pyarrow looks for pandas at its first conversion, and so loads it, which takes longer than most tables do.  What is made
here is what ``pyarrow.array`` makes, to the byte in a file; what is not plain is left to it.
"""

from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core.types import Bools

__all__ = ["as_column", "numbers"]

_LONGEST = 2**31 - 1
"""Most entries of all lists of a column, or bytes of all its texts."""
_EXACT = 2**53
"""Integers up to here are floats."""


def as_column(values: Sequence[Any] | NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Return values as a column of a type, None as null; raises what ``pyarrow.array`` does for values that do not fit.

    >>> as_column([1, None, 3], pa.int64()).to_pylist()
    [1, None, 3]
    >>> as_column([np.ones(2), None], pa.list_(pa.float64())).to_pylist()
    [[1.0, 1.0], None]
    """
    array = _made(values, kind)
    return pa.array(values, kind) if array is None else array


def numbers(values: pa.Array) -> NDArray[Any]:
    """Return the numbers of a column without null, not copied; they cannot be changed."""
    return np.from_dlpack(values)


def _made(values: Sequence[Any] | NDArray[Any], kind: pa.DataType) -> pa.Array | None:
    """Return the column, None if the values are not plain."""
    if isinstance(values, np.ndarray):
        plain = values.ndim == 1 and _is_number(kind) and values.dtype == kind.to_pandas_dtype()
        return _of_buffers(kind, len(values), None, [np.ascontiguousarray(values)]) if plain else None
    if not isinstance(values, list | tuple):
        return None
    types = set(map(type, values))
    present = np.array([value is not None for value in values], bool) if NoneType in types else None
    known = [value for value in values if value is not None] if NoneType in types else list(values)
    types.discard(NoneType)
    if pa.types.is_boolean(kind) and types <= {bool, np.bool_}:
        return _of_buffers(kind, len(values), present, [_bits(_spread(known, bool, present))])
    if _is_number(kind):
        return _of_numbers(known, types, kind, len(values), present)
    if pa.types.is_string(kind):
        return _of_texts(known, types, kind, len(values), present)
    if pa.types.is_list(kind):
        return _of_lists(known, types, kind, len(values), present)
    if pa.types.is_struct(kind) and types <= {dict} and present is None:
        fields = [kind.field(i) for i in range(kind.num_fields)]
        children = [_made([value.get(field.name) for value in known], field.type) for field in fields]
        complete = all(child is not None for child in children)
        return _of_buffers(kind, len(values), None, [], children) if complete else None
    return None


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_signed_integer(kind) or pa.types.is_float64(kind))


def _of_numbers(
    known: list[Any], types: set[type], kind: pa.DataType, length: int, present: Bools | None
) -> pa.Array | None:
    whole = all(issubclass(element_type, int | np.integer) and element_type is not bool for element_type in types)
    if not whole and not (pa.types.is_float64(kind) and types <= {int, float, np.float64, np.int64}):
        return None
    dtype = np.dtype(kind.to_pandas_dtype())
    least, most = (-_EXACT, _EXACT) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    mixed = any(issubclass(element_type, int | np.integer) for element_type in types)
    integers = known if whole else [value for value in known if isinstance(value, int | np.integer)] if mixed else []
    if integers and not least <= min(integers) <= max(integers) <= most:
        return None
    return _of_buffers(kind, length, present, [_spread(known, dtype, present)])


def _of_texts(
    known: list[Any], types: set[type], kind: pa.DataType, length: int, present: Bools | None
) -> pa.Array | None:
    if not all(issubclass(element_type, str) for element_type in types):
        return None
    encoded = [value.encode() for value in known]
    if (offsets := _offsets(list(map(len, encoded)), present)) is None:
        return None
    return _of_buffers(kind, length, present, [offsets, np.frombuffer(b"".join(encoded), np.uint8)])


def _of_lists(
    known: list[Any], types: set[type], kind: pa.DataType, length: int, present: Bools | None
) -> pa.Array | None:
    if types <= {np.ndarray} and types:
        if not _is_number(kind.value_type) or any(array.ndim != 1 for array in known):
            return None
        if {array.dtype for array in known} != {np.dtype(kind.value_type.to_pandas_dtype())}:
            return None
        inner: Any = np.concatenate(known)
    elif types <= {list}:
        inner = [entry for array in known for entry in array]
    else:
        return None
    child, offsets = _made(inner, kind.value_type), _offsets(list(map(len, known)), present)
    if child is None or offsets is None:
        return None
    return _of_buffers(kind, length, present, [offsets], [child])


def _spread(known: list[Any], dtype: Any, present: Bools | None) -> NDArray[Any]:
    """Return the known values at the places where they are present, 0 elsewhere."""
    if present is None:
        return np.array(known, dtype)
    spread = np.zeros(len(present), dtype)
    spread[present] = known
    return spread


def _offsets(lengths: list[int], present: Bools | None) -> NDArray[np.int32] | None:
    """Return where each value starts, and where the last ends; None if they are too long."""
    sums = np.cumsum(np.append(0, _spread(lengths, np.int64, present)))
    return sums.astype(np.int32) if sums[-1] <= _LONGEST else None


def _bits(values: Bools) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")


def _of_buffers(
    kind: pa.DataType,
    length: int,
    present: Bools | None,
    parts: list[NDArray[Any]],
    children: Sequence[pa.Array | None] | None = None,
) -> pa.Array:
    buffers = [None if present is None else pa.py_buffer(_bits(present)), *map(pa.py_buffer, parts)]
    nulls = 0 if present is None else int(len(present) - np.count_nonzero(present))
    return pa.Array.from_buffers(kind, length, buffers, nulls, children=children)
