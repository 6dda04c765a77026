"""The entrance for private rows and labels of an estimator: each cell is read by itself, and no message shows a cell.

The checks of scikit-learn repeat cells, and NumPy chooses one type for all cells of a list.  So every argument is read
here before it reaches either of them.  Rows are counted from 0.  Errors are raised outside of any handler, so that no
other error is attached to them.
"""

import warnings
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from semipriv.core.errors import PublicError
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats

__all__ = [
    "NotANumberError",
    "array_of",
    "check_each",
    "first_refused",
    "labels",
    "names_of",
    "points",
    "responses",
    "withheld",
]

_DECLARE = (
    "texts, categories, dates and missing cells of a DataFrame need columns={...}, see `semipriv docs estimators`"
)
_KINDS = {"U": "texts", "S": "bytes", "M": "times", "m": "durations", "V": "records"}


T = TypeVar("T")


class NotANumberError(PublicError, TypeError):
    """A cell that is no number: both a PublicError and a TypeError, which is what scikit-learn raises."""


# ---------------------------------------------------------------------- what may be told
def withheld(make: Callable[[], T], what: str) -> T:
    """Return what ``make`` returns; raise PublicError for whatever it raises, whose text may hold a cell.

    The text of a PublicError is shown; of any other error only the type.

    >>> withheld(lambda: float("secret"), "X: cannot be read")
    Traceback (most recent call last):
    semipriv.core.errors.PublicError: X: cannot be read (ValueError; its text is withheld, it may hold a private value)
    """
    try:
        return make()
    except PublicError as error:
        text = str(error)
    except Exception as error:
        text = f"{what} ({type(error).__name__}; its text is withheld, it may hold a private value)"
    raise PublicError(text)


def first_refused(size: int, accepts: Callable[[int], bool]) -> int:
    """Return the row of the first of ``size`` rows that is refused; accepts: whether the first k rows are all right.

    >>> first_refused(10, lambda k: k <= 7)
    7
    """
    low, high = 0, size  # the first low rows are all right, the first high rows are not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepts(middle) else (low, middle)
    return low


def check_each(rows: NDArray[Any], check: Callable[[NDArray[Any]], object], name: str, rule: str) -> None:
    """Raise PublicError, with the row alone, for the first of (n, ...) rows that ``check`` refuses.

    check: looks at each row by itself.  name: what the message begins with, as "X: ".
    """

    def accepted(count: int) -> bool:
        try:
            check(rows[:count])
        except Exception:  # whatever a cell makes of it
            return False
        return True

    if not accepted(len(rows)):
        raise PublicError(f"{name}row {first_refused(len(rows), accepted)}: {rule}")


# ---------------------------------------------------------------------- arrays
def array_of(given: Any, name: str) -> NDArray[Any]:
    """Return what is given as an array: of its own type, or of objects where it has none, as a list."""
    if given is None:
        raise PublicError(f"{name}: Expected array-like (array or non-string sequence), got None")
    if hasattr(given, "toarray") and hasattr(given, "nnz"):
        raise PublicError(f"{name}: is a sparse matrix, must be dense: {name}.toarray()")
    if isinstance(given, np.ma.MaskedArray):
        raise PublicError(f"{name}: is a masked array, must have all its cells")

    def as_array() -> NDArray[Any]:
        return np.asarray(given) if hasattr(given, "__array__") else np.array(given, dtype=object)

    return withheld(as_array, f"{name}: cannot be read as an array")


def _number(cell: Any) -> float | None:
    """Return a cell as a float, NaN if it is missing or beyond floats; None if it is no number."""
    if type(cell) is float:
        return cell
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return np.nan
    if isinstance(cell, int | float | np.bool_ | np.integer | np.floating | Decimal | Fraction):
        try:
            return float(cell)
        except (ArithmeticError, ValueError):
            return np.nan
    return None


def _floats(cells: NDArray[Any], name: str, place: Callable[[int], str]) -> Floats:
    """Return cells as finite floats of the same shape; place: where the cell at a flat position stands, in words."""
    kind = cells.dtype.kind
    if kind == "c":
        raise PublicError(f"{name}: Complex data not supported")
    if kind not in "biufO":
        held = _KINDS.get(kind, "cells of a type of their own")
        raise NotANumberError(f"{name}: holds {held}, must hold numbers: {_DECLARE}")
    if kind == "O":
        converted = [_number(cell) for cell in cells.ravel()]
        if None in converted:
            spot = place(converted.index(None))
            raise NotANumberError(
                f"{name}: {spot}: is no number (the argument must be no string but a number): {_DECLARE}"
            )
        numbers = np.array(converted, np.float64).reshape(cells.shape)
    else:
        with np.errstate(all="ignore"):
            numbers = cells.astype(np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        raise PublicError(
            f"{name}: {place(int(np.argmin(finite)))}: must be finite, neither NaN nor infinity; {_DECLARE}"
        )
    return numbers + 0.0


# ---------------------------------------------------------------------- rows
def points(estimator: Any, given: Any, *, reset: bool, name: str = "X") -> Points:
    """Return rows (n, d) of numbers, and note (``reset``) or compare the names and the number of features.

    Raise PublicError for anything but finite numbers, with row and feature; ValueError for other features.
    """
    cells = array_of(given, name)
    if cells.ndim != 2:
        raise PublicError(
            f"{name}: Expected 2D array, got {cells.ndim}D array of shape {cells.shape} instead, must have shape "
            f"(n, d). Reshape your data: {name}.reshape(-1, 1) if it has one feature, {name}.reshape(1, -1) if it is "
            "one row"
        )
    for size, of in zip(cells.shape, ("sample(s)", "feature(s)"), strict=True):
        if not size:
            raise PublicError(
                f"{name}: Found array with 0 {of} (shape={cells.shape}) while a minimum of 1 is required."
            )
    names = _names(given, cells.shape[1])

    def place(position: int) -> str:
        row, feature = divmod(position, cells.shape[1])
        return f"row {row}, feature {names[feature]!r}" if names else f"row {row}, feature {feature}"

    numbers = _floats(cells, name, place)
    framed = given if names and hasattr(given, "columns") and not hasattr(given, "column_names") else numbers
    validate_data(estimator, framed, reset=reset, skip_check_array=True)
    return numbers


def _names(given: Any, features: int) -> list[Any] | None:
    """Return the names of the columns of a DataFrame; None of anything else."""
    names = names_of(given)
    return names if names is not None and len(names) == features else None


def names_of(given: Any) -> list[Any] | None:
    """Return the names of the columns of a DataFrame, a mapping or a Table of Arrow; None of anything else.

    ``columns`` of a Table are its cells.
    """
    for attribute in ("column_names", "columns"):
        if (known := getattr(given, attribute, None)) is not None:
            return list(known)
    return list(given) if isinstance(given, Mapping) else None


# ---------------------------------------------------------------------- one value for each row
def _vector(given: Any, name: str, rows: int | None) -> NDArray[Any]:
    """Return one value for each row, (n,), as an array; a column (n, 1) is taken with a warning, as elsewhere."""
    if given is None:
        raise PublicError(
            f"{name}: is None, must be a target for each row: requires {name} to be passed, but the "
            f"target {name} is None"
        )
    cells = array_of(given, name)
    if cells.ndim == 2 and cells.shape[1] == 1:
        warnings.warn(
            f"A column-vector {name} was passed when a 1d array was expected. Please change the shape of {name} to "
            "(n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise PublicError(f"{name}: {name} should be a 1d array, got an array of shape {cells.shape} instead.")
    if rows is not None and len(cells) != rows:
        raise PublicError(f"{name}: Found input variables with inconsistent numbers of samples: {[rows, len(cells)]}")
    return cells


def labels(given: Any, rows: int | None, name: str = "y") -> NDArray[Any]:
    """Return labels (n,) unchanged, with their own type or as objects; their values are not checked."""
    return _vector(given, name, rows)


def responses(given: Any, rows: int | None, name: str = "y") -> Responses:
    """Return finite numbers (n,); raise PublicError, with the row, for anything else."""
    return _floats(_vector(given, name, rows), name, lambda row: f"row {row}")
