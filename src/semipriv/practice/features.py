"""Features of an own table: a range of numbers, integers, or categories; each encodes its column record by record."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv import checks
from semipriv.fields import checked, value
from semipriv.practice.columns import Known, numbers, places, texts

Floats = NDArray[np.float64]
_LARGEST = 2**53
PUBLIC = "public"
"""In place of declared values: those of the public rows, from the smallest to the largest, or all that occur."""


class Feature(ABC):
    """A column and the values that it may have.

    unknown: the value that stands for a cell that is none of them, record by record; None: such a cell is refused.
    """

    kind: ClassVar[str]
    """The key that declares it."""
    column: Any
    unknown: Any

    @abstractmethod
    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return coordinates (n,), and whether each cell is what is declared or has a place for what is unknown.

        Raise ColumnTypeError for a column that cannot hold such values.
        """

    @abstractmethod
    def decode(self, coordinates: Floats) -> pa.Array:
        """Return coordinates (n,) as values of the column."""

    @property
    def open(self) -> bool:
        """Whether its values are those of the public rows, and these are not read yet."""
        return bool(self._declared() == PUBLIC)

    def closed(self, column: pa.ChunkedArray) -> "Feature":
        """Return the feature with the values of a column of public rows where they are not declared.

        Raise ValueError if the rows have one value only, or none.
        """
        if not self.open:
            return self
        found = self._found(column)
        if len(set(found)) < 2:
            raise ValueError(f"column {self.column!r} is the same in all public rows, it tells none apart")
        return feature(self.column, {self.kind: found, "unknown": self.unknown})

    @abstractmethod
    def _found(self, column: pa.ChunkedArray) -> list[Any]:
        """Return the values that a column has, in the form in which they are declared."""

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the greatest coordinate."""

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        found = {"column": self.column, self.kind: self._declared()}
        return found if self.unknown is None else {**found, "unknown": self.unknown}

    @abstractmethod
    def _declared(self) -> Any:
        """Return the declared values as those of JSON."""


def _pair(name: str, given: Any) -> tuple[float, float]:
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(f"{name} = {given!r}: must be [low, high]")
    low, high = (checks.real(name, end) for end in given)
    if not low < high:
        raise ValueError(f"{name} = {given!r}: low must be < high")
    if not np.isfinite(high - low):
        raise ValueError(f"{name} = {given!r}: is too wide for a float")
    return low, high


def _range(name: str, given: Any) -> Any:
    return PUBLIC if given == PUBLIC else _pair(name, given)


def _integers(name: str, given: Any) -> Any:
    if given == PUBLIC:
        return PUBLIC
    low, high = _pair(name, given)
    if not (low.is_integer() and high.is_integer() and max(abs(low), abs(high)) <= _LARGEST):
        raise ValueError(f"{name} = {given!r}: must be two integers up to 2^53")
    return int(low), int(high)


def _categories(name: str, given: Any) -> Any:
    if given == PUBLIC:
        return PUBLIC
    if not isinstance(given, list | tuple) or len(given) < 2:
        raise ValueError(f"{name} = {given!r}: must be a list of at least two values")
    for one in given:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise ValueError(f"{name}: {one!r} must be text or an integer (write yes, no, true, false in quotes)")
    shown = [str(one) for one in given]
    for one in shown:
        if shown.count(one) > 1:
            raise ValueError(f"{name}: {one!r} is there twice")
    return tuple(given)


def _filled(encoded: Floats, known: Known, place: float | None) -> tuple[Floats, Known]:
    """Put the place of what is unknown where a cell is none of the declared values, if there is such a place."""
    if place is None or known.all():
        return encoded, known
    return np.where(known, encoded, place), np.ones_like(known)


@value
class Range(Feature):
    """Numbers, clipped into [low, high] and mapped affinely to [0, 1].

    >>> Range("dollars", [0, 10]).encode(pa.chunked_array([[-3.0, 5.0, 1e9]]))
    (array([0. , 0.5, 1. ]), array([ True,  True,  True]))
    """

    kind = "range"
    column: str
    range: Any = checked(_range)
    unknown: float | None = None

    def __attrs_post_init__(self) -> None:
        if self.unknown is not None:
            checks.real(f"unknown of {self.column!r}", self.unknown)
            if self.range != PUBLIC:
                checks.between(f"unknown of {self.column!r}", self.unknown, *self.range, closed="lh")

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value."""
        low, high = self.range
        return low, high

    def _found(self, column: pa.ChunkedArray) -> list[Any]:
        values, known = numbers(column)
        return [float(f(values[known])) for f in (np.min, np.max)] if known.any() else []

    @property
    def ends(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Clip and map; cells that are no finite number are unknown."""
        values, known = numbers(column)
        place = None if self.unknown is None else float(self._mapped(np.array([float(self.unknown)]))[0])
        return _filled(self._mapped(values), known, place)

    def _mapped(self, values: Floats) -> Floats:
        low, high = self.limits
        found = np.clip(values, low, high)
        found -= low
        found /= high - low
        return np.minimum(found, 1.0, out=found)

    def decode(self, coordinates: Floats) -> pa.Array:
        """Map [0, 1] back."""
        low, high = self.limits
        return pa.array(np.clip(low + coordinates * (high - low), low, high))

    def _declared(self) -> Any:
        return PUBLIC if self.range == PUBLIC else list(self.range)


@value
class Integers(Feature):
    """Integers, clipped into low, ..., high; their places from 0 are the coordinates."""

    kind = "integers"
    column: str
    integers: Any = checked(_integers)
    unknown: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.unknown is not None and not self.open:
            name = f"unknown of {self.column!r}"
            if not checks.between(name, self.unknown, *self.integers, closed="lh").is_integer():
                raise ValueError(f"{name} = {self.unknown!r}: must be an integer")

    def _found(self, column: pa.ChunkedArray) -> list[Any]:
        values, known = numbers(column)
        known &= values == np.floor(values)
        return [int(f(values[known])) for f in (np.min, np.max)] if known.any() else []

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value."""
        low, high = self.integers
        return low, high

    @property
    def values(self) -> range:
        """All values."""
        return range(self.integers[0], self.integers[1] + 1)

    @property
    def ends(self) -> tuple[float, float]:
        """0 and high - low."""
        return 0.0, float(self.integers[1] - self.integers[0])

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Clip; cells that are no integer are unknown."""
        values, known = numbers(column)
        known = known & (values == np.floor(values))
        low, high = self.integers
        place = None if self.unknown is None else float(self.unknown) - low
        return _filled(np.clip(values, low, high) - low, known, place)

    def decode(self, coordinates: Floats) -> pa.Array:
        """Return the integers at these places."""
        return pa.array(np.rint(coordinates).astype(np.int64) + self.integers[0])

    def _declared(self) -> Any:
        return PUBLIC if self.integers == PUBLIC else list(self.integers)


@value
class Categories(Feature):
    """Texts or integers from a list; their places in it are the coordinates."""

    kind = "categories"
    column: str
    categories: Any = checked(_categories)
    unknown: str | int | None = None

    def __attrs_post_init__(self) -> None:
        if self.unknown is not None and not self.open and str(self.unknown) not in self.values:
            raise ValueError(f"unknown of {self.column!r} = {self.unknown!r}: must be one of {', '.join(self.values)}")

    def _found(self, column: pa.ChunkedArray) -> list[Any]:
        cells = {cell for cell in texts(column).to_pylist() if cell is not None}
        return sorted(cells | ({str(self.unknown)} if self.unknown is not None else set()))

    @property
    def values(self) -> tuple[str, ...]:
        """All values as texts."""
        return tuple(map(str, self.categories))

    @property
    def ends(self) -> tuple[float, float]:
        """0 and the last place."""
        return 0.0, float(len(self.categories) - 1)

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Look up the place; cells that are not in the list are unknown."""
        found = places(texts(column), list(self.values))
        place = None if self.unknown is None else float(self.values.index(str(self.unknown)))
        return _filled(found.astype(np.float64), found >= 0, place)

    def decode(self, coordinates: Floats) -> pa.Array:
        """Return the values at these places: integers if all of them are, else texts."""
        whole = all(isinstance(one, int) for one in self.categories)
        table = np.array(self.categories if whole else self.values, np.int64 if whole else object)
        return pa.array(table[np.rint(coordinates).astype(np.intp)])

    def _declared(self) -> Any:
        return PUBLIC if self.categories == PUBLIC else list(self.categories)


_KINDS: tuple[type[Any], ...] = (Range, Integers, Categories)
KINDS = tuple(one.kind for one in _KINDS)


def feature(column: str, declared: Mapping[str, Any]) -> Feature:
    """Return the feature of a column; raise ValueError unless exactly one of range, integers, categories is declared.

    >>> feature("age", {"integers": [0, 120]}).ends
    (0.0, 120.0)
    >>> feature("age", {})
    Traceback (most recent call last):
    ValueError: features.age: needs one of range, integers, categories; nothing is inferred from private rows
    """
    given = [kind for kind in KINDS if declared.get(kind) is not None]
    if len(given) != 1:
        rule = "; nothing is inferred from private rows" if not given else f", got {' and '.join(given)}"
        raise ValueError(f"features.{column}: needs one of {', '.join(KINDS)}{rule}")
    try:
        found: Feature = _KINDS[KINDS.index(given[0])](column, declared[given[0]], declared.get("unknown"))
    except ValueError as error:
        raise ValueError(f"features.{column}: {error}") from None
    return found


def restored_feature(description: Mapping[str, Any]) -> Feature:
    """Return the feature with this description."""
    return feature(description["column"], description)
