"""Columns of an own table: a range of numbers, integers, or categories; each encodes its cells record by record.

A column is one coordinate of the points.  Categories may be one for each value (``one_hot``), and numbers may have a
second one, 1 where the cell is unknown (``indicator``).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name
from semipriv.core.types import Floats
from semipriv.practice import dates
from semipriv.practice.columns import Known, check_texts, check_type, numbers, places, texts
from semipriv.practice.dates import UNITS

_LARGEST = 2**53
_QUOTED = " (write yes, no, true, false, dates in quotes)"
PUBLIC = "public"
"""In place of declared values: those of the public rows, from the smallest to the largest, or all that occur."""
_SHOWN = 12
"""Categories that a message lists at most."""


class Feature(ABC):
    """A column and the values that it may have.

    unknown: the value that stands for a cell that is none of them, record by record; None: such a cell is refused.
    """

    kind: ClassVar[str]
    """The key that declares it."""
    column: Any
    unknown: Any

    @property
    @abstractmethod
    def rule(self) -> str:
        """What a cell must be."""

    @property
    def hint(self) -> str:
        """What to declare where no cell is that."""
        return ""

    @abstractmethod
    def read(self, column: pa.ChunkedArray) -> Any:
        """Return the cells of a column as what they stand for.  Raise ColumnTypeError for one that cannot hold it."""

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        check_type(self.read, kind)

    @abstractmethod
    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return places (n,), and whether each cell is what is declared or has a place for what is unknown.

        Raise ColumnTypeError for a column that cannot hold such values.
        """

    @property
    def box(self) -> Sequence[tuple[float, float]]:
        """The least and the greatest value of each coordinate: one, the place, if nothing else is said."""
        return (self.ends,)

    @property
    def names(self) -> Sequence[str]:
        """What each coordinate is called."""
        return (self.column,)

    @property
    def width(self) -> int:
        """Number of coordinates, known before the values of public rows are."""
        return len(self.names)

    def coordinates(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return the coordinates (n, width), and whether each cell is known, as ``encode`` does."""
        places, known = self.encode(column)
        return places[:, None], known

    @abstractmethod
    def decode(self, places: Floats) -> pa.Array:
        """Return places (n,) as values of the column."""

    @abstractmethod
    def shown(self, places: Floats) -> NDArray[Any]:
        """Return places (n,) as places on an axis: numbers, or times; those of categories as they are."""

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
        values = self._occurring(column)
        if not values:
            raise ValueError(f"column {self.column!r}: no public row has {self.rule} there{self.hint}")
        if len(set(values)) < 2:
            raise ValueError(f"column {self.column!r} is the same in all public rows that have {self.rule} there")
        return feature(self.column, {**self.description(), self.kind: values})

    @abstractmethod
    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        """Return the values that occur in a column, in the form in which they are declared."""

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the greatest place."""

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        description = {"column": self.column, self.kind: self._declared()}
        return description if self.unknown is None else {**description, "unknown": self.unknown}

    @abstractmethod
    def _declared(self) -> Any:
        """Return the declared values as those of JSON."""


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    """Return two numbers, or two dates as texts; which of them is the lower is not looked at."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(f"{name} = {given!r}: must be [low, high]")
    if any(map(dates.is_date, given)):
        low, high = (dates.declared(name, end) for end in given)
        return low, high
    return checks.real(name, given[0]), checks.real(name, given[1])


def _range(name: str, given: Any) -> Any:
    return PUBLIC if given == PUBLIC else _pair(name, given)


def _integers(name: str, given: Any) -> Any:
    if given == PUBLIC:
        return PUBLIC
    low, high = _pair(name, given)
    if isinstance(low, str):
        return low, high
    if not (low.is_integer() and high.is_integer() and max(abs(low), abs(high)) <= _LARGEST):
        raise ValueError(f"{name} = {given!r}: must be two integers up to 2^53")
    return int(low), int(high)


def _unit(name: str, given: Any) -> str | None:
    return None if given is None else check_name(name, given, list(UNITS))


def _categories(name: str, given: Any) -> Any:
    if given == PUBLIC:
        return PUBLIC
    if not isinstance(given, list | tuple) or len(given) < 2:
        raise ValueError(f"{name} = {given!r}: must be a list of at least two values")
    for one in given:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise ValueError(f"{name}: {one!r} must be text or an integer{_QUOTED}")
    shown = [str(one) for one in given]
    for one in shown:
        if shown.count(one) > 1:
            raise ValueError(f"{name}: {one!r} is listed twice")
    return tuple(given)


def _filled(encoded: Floats, known: Known, place: float | None) -> tuple[Floats, Known]:
    """Put the place of what is unknown where a cell is none of the declared values, if there is such a place."""
    if place is None or known.all():
        return encoded, known
    return np.where(known, encoded, place), np.ones_like(known)


class _Between(Feature):
    """Numbers, or dates and times as numbers, between two declared ends.

    unit: of dates and times, a key of ``UNITS``; None for numbers.  indicator: whether a second coordinate is 1 where
    the cell is unknown, and 0 elsewhere.
    """

    unit: Any
    indicator: Any

    def __attrs_post_init__(self) -> None:
        ends = self._ends
        if ends != PUBLIC:
            shown = f"{self.kind} = {list(ends)!r}"
            if self.unit is None and isinstance(ends[0], str):
                raise ValueError(f"{shown}: are dates, which need a unit: one of {', '.join(UNITS)}")
            if self.unit is not None and not isinstance(ends[0], str):
                raise ValueError(f"{shown}: must be two dates or times for the unit {self.unit!r}, each {dates.RULE}")
            low, high = self.limits
            if not low < high:
                raise ValueError(f"{shown}: low must be < high")
            if not np.isfinite(high - low):
                raise ValueError(f"{shown}: is too wide for a float")
        if self.indicator and self.unknown is None:
            raise ValueError("indicator: tells which cells are unknown, so it needs `unknown`, what stands for these")
        if self.unknown is not None and self.unknown != PUBLIC:
            name = f"unknown of {self.column!r}"
            place = self._number(name, self.unknown)
            if ends != PUBLIC and not self.limits[0] <= place <= self.limits[1]:
                raise ValueError(f"{name} = {self.unknown!r}: must be in {self.interval}")

    @property
    def _ends(self) -> Any:
        """The declared ends, ``PUBLIC`` if they are open."""
        return getattr(self, self.kind)

    @property
    def interval(self) -> str:
        """The ends in brackets."""
        low, high = (end if isinstance(end, str) else f"{end:g}" for end in self._ends)
        return f"[{low}, {high}]"

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest number."""
        low, high = (self._number(self.kind, end) for end in self._ends)
        return low, high

    def _number(self, name: str, given: Any) -> float:
        """Return the number of a declared value."""
        if self.unit is None:
            return checks.real(name, given)
        return float(dates.number_of(dates.declared(name, given), self.unit))

    @property
    def hint(self) -> str:
        """Dates need a unit."""
        return "; dates and times need a `unit`" if self.unit is None else ""

    def read(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return numbers (n,), and whether each cell is one."""
        return numbers(column) if self.unit is None else dates.numbers_of_dates(column, self.unit)

    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        values, known = self.read(column)
        return [self._spelt(f(values[known])) for f in (np.min, np.max)] if known.any() else []

    def _spelt(self, number: float) -> Any:
        """Return a number in the form in which it is declared."""
        return float(number) if self.unit is None else dates.text_of(number, self.unit)

    @property
    def open(self) -> bool:
        """Whether its ends, or what stands for unknown cells, are those of public rows that are not read yet."""
        return super().open or bool(self.unknown == PUBLIC)

    def closed(self, column: pa.ChunkedArray) -> Feature:
        """Return the feature with the ends, and the median, of a column of public rows where they are not declared.

        The median is one of the values: of two in the middle the lower one.  Raise ValueError if there is none.
        """
        if self.unknown != PUBLIC:
            return super().closed(column)
        values, known = self.read(column)
        if not known.any():
            raise ValueError(f"column {self.column!r}: no public row has {self.rule} there{self.hint}")
        ended = super().closed(column) if super().open else self
        median = np.clip(np.quantile(values[known], 0.5, method="lower"), *ended.limits)  # type: ignore[attr-defined]
        return feature(self.column, {**ended.description(), "unknown": self._spelt(float(median))})

    def _values(self, numbers: NDArray[Any]) -> pa.Array:
        """Return numbers (n,) as cells."""
        return pa.array(numbers if self.unit is None else dates.dates(numbers, self.unit))

    def shown(self, places: Floats) -> NDArray[Any]:
        """Return numbers, or times."""
        values = self.unplaced(places)
        return values if self.unit is None else (values * UNITS[self.unit]).astype("datetime64[s]")

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Clip and map; cells that are not numbers, or not dates, are unknown."""
        values, known = self.read(column)
        return self._filled(values, known)

    def _filled(self, values: Floats, known: Known) -> tuple[Floats, Known]:
        place = None
        if self.unknown is not None:
            place = float(self._placed(np.array([self._number("unknown", self.unknown)]))[0])
        return _filled(self._placed(values), known, place)

    @property
    def box(self) -> Sequence[tuple[float, float]]:
        """The ends, and 0 and 1 of an indicator."""
        return (self.ends, (0.0, 1.0)) if self.indicator else (self.ends,)

    @property
    def names(self) -> Sequence[str]:
        """The column, and that it is unknown."""
        return (self.column, f"{self.column} unknown") if self.indicator else (self.column,)

    def coordinates(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return the places, and 1 where a cell is unknown if there is an indicator."""
        values, known = self.read(column)
        places, placed = self._filled(values, known)
        return (np.column_stack([places, ~known]) if self.indicator else places[:, None]), placed

    @abstractmethod
    def _placed(self, values: Floats) -> Floats:
        """Return the coordinates of numbers (n,), clipped."""

    @abstractmethod
    def unplaced(self, places: Floats) -> Floats:
        """Return the numbers of places (n,), which need not be those of a cell."""

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        description = super().description() | ({"indicator": True} if self.indicator else {})
        if self.unit is None:
            return description
        if self.unknown not in (None, PUBLIC):
            description["unknown"] = dates.declared("unknown", self.unknown)
        return {**description, "unit": self.unit}

    def _declared(self) -> Any:
        return PUBLIC if self._ends == PUBLIC else list(self._ends)


@value
class Range(_Between):
    """Numbers, clipped into [low, high] and mapped affinely to [0, 1]; or dates and times, in whole units.

    >>> Range("dollars", [0, 10]).encode(pa.chunked_array([[-3.0, 5.0, 1e9]]))
    (array([0. , 0.5, 1. ]), array([ True,  True,  True]))
    >>> Range("day", ["2023-01-01", "2023-01-05"], unit="day").encode(pa.chunked_array([["2023-01-02 23:00", ""]]))
    (array([0.25, 0.  ]), array([ True, False]))
    """

    kind = "range"
    column: str
    range: Any = checked(_range)
    unknown: Any = None
    unit: str | None = checked(_unit, default=None)
    indicator: bool = checked(checks.boolean, default=False)

    @property
    def rule(self) -> str:
        """A number or a date."""
        return "a finite number" if self.unit is None else dates.RULE

    ends = 0.0, 1.0

    def _placed(self, values: Floats) -> Floats:
        low, high = self.limits
        mapped = np.clip(values, low, high)
        mapped -= low
        mapped /= high - low
        return np.minimum(mapped, 1.0, out=mapped)

    def decode(self, places: Floats) -> pa.Array:
        """Map [0, 1] back; of dates and times, to the nearest unit."""
        return self._values(np.clip(self.unplaced(places), *self.limits))

    def unplaced(self, places: Floats) -> Floats:
        """Map [0, 1] affinely to [low, high]."""
        low, high = self.limits
        return low + places * (high - low)


@value
class Integers(_Between):
    """Integers, clipped into low, ..., high, or dates and times in whole units; places from 0 are the coordinates."""

    kind = "integers"
    column: str
    integers: Any = checked(_integers)
    unknown: Any = None
    unit: str | None = checked(_unit, default=None)
    indicator: bool = checked(checks.boolean, default=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.unknown not in (None, PUBLIC) and not self._number("unknown", self.unknown).is_integer():
            raise ValueError(f"unknown of {self.column!r} = {self.unknown!r}: must be an integer")

    @property
    def rule(self) -> str:
        """An integer or a date."""
        return "an integer" if self.unit is None else dates.RULE

    def read(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return integers (n,), and whether each cell is one."""
        values, known = super().read(column)
        return values, known & (values == np.floor(values))

    def _spelt(self, number: float) -> Any:
        return int(number) if self.unit is None else super()._spelt(number)

    @property
    def values(self) -> range:
        """All values, those of dates in units since 1970."""
        low, high = map(int, self.limits)
        return range(low, high + 1)

    @property
    def ends(self) -> tuple[float, float]:
        """0 and high - low."""
        low, high = self.limits
        return 0.0, float(high - low)

    def _placed(self, values: Floats) -> Floats:
        low, high = self.limits
        return np.clip(values, low, high) - low

    def decode(self, places: Floats) -> pa.Array:
        """Return the integers at these places."""
        return self._values(np.rint(places).astype(np.int64) + int(self.limits[0]))

    def unplaced(self, places: Floats) -> Floats:
        """Add low."""
        return places + self.limits[0]


@value
class Categories(Feature):
    """Texts or integers from a list; their places in it are the coordinates.

    An ``unknown`` that is not in the list is a category of its own, the last one: of missing cells and all others.  If
    they are one_hot, each of three or more is a coordinate, 1 for rows that have it and 0 for others; of two the place
    is that already.

    >>> Categories("sex", ["F", "M"], "none").encode(pa.chunked_array([["M", None, "x", "none"]]))
    (array([1., 2., 2., 2.]), array([ True,  True,  True,  True]))
    >>> Categories("sex", ["F", "M"], "none", one_hot=True).coordinates(pa.chunked_array([["M", None]]))[0].tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    kind = "categories"
    column: str
    categories: Any = checked(_categories)
    unknown: str | int | None = None
    one_hot: bool = checked(checks.boolean, default=False)

    def __attrs_post_init__(self) -> None:
        if self.unknown is not None and (isinstance(self.unknown, bool) or not isinstance(self.unknown, str | int)):
            raise ValueError(f"unknown of {self.column!r} = {self.unknown!r}: must be text or an integer{_QUOTED}")
        if self.one_hot and self.open:
            raise ValueError(
                "one_hot: a coordinate for each category, so they must be listed, not 'public'; or one_hot: false"
            )

    @property
    def rule(self) -> str:
        """One of the list, of which the first ones are named."""
        if self.open:
            return "text or an integer"
        more = ", ..." if len(self.categories) > _SHOWN else ""
        return f"one of the declared categories ({', '.join(map(str, self.categories[:_SHOWN]))}{more})"

    def read(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return texts, null where there is none."""
        return texts(column)

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        if self.open or self.unknown is not None:
            super().check_type(kind)
        else:
            check_texts(self.values, kind)

    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        cells = {cell for cell in self.read(column).to_pylist() if cell is not None}
        return sorted(cells | ({str(self.unknown)} if self.unknown is not None else set()))

    @property
    def _all(self) -> tuple[str | int, ...]:
        listed = tuple(self.categories)
        return listed if self.unknown is None or str(self.unknown) in map(str, listed) else (*listed, self.unknown)

    @property
    def values(self) -> tuple[str, ...]:
        """All values as texts."""
        return tuple(map(str, self._all))

    @property
    def ends(self) -> tuple[float, float]:
        """0 and the last place."""
        return 0.0, float(len(self.values) - 1)

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Look up the place; cells that are not in the list are unknown."""
        indices = places(self.read(column), list(self.values))
        place = None if self.unknown is None else float(self.values.index(str(self.unknown)))
        return _filled(indices.astype(np.float64), indices >= 0, place)

    @property
    def _wide(self) -> bool:
        return self.one_hot and len(self.values) > 2

    @property
    def box(self) -> Sequence[tuple[float, float]]:
        """The ends of the place, or 0 and 1 for each category."""
        return ((0.0, 1.0),) * len(self.values) if self._wide else (self.ends,)

    @property
    def names(self) -> Sequence[str]:
        """The column, or the column with each category."""
        return tuple(f"{self.column} = {one}" for one in self.values) if self._wide else (self.column,)

    def coordinates(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return the places, or 1 at the place of each row's category; a row that is not known has 0 everywhere."""
        places, known = self.encode(column)
        wide = places[:, None] == np.arange(len(self.values))
        return (wide.astype(np.float64) if self._wide else places[:, None]), known

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        return super().description() | ({"one_hot": True} if self.one_hot else {})

    def decode(self, places: Floats) -> pa.Array:
        """Return the values at these places: integers if all of them are, else texts."""
        whole = all(isinstance(one, int) for one in self._all)
        table = np.array(self._all if whole else self.values, np.int64 if whole else object)
        return pa.array(table[np.rint(places).astype(np.intp)])

    def shown(self, places: Floats) -> NDArray[Any]:
        """Return the places."""
        return places

    def _declared(self) -> Any:
        return PUBLIC if self.categories == PUBLIC else list(self.categories)


_KINDS: tuple[type[Any], ...] = (Range, Integers, Categories)
KINDS = tuple(one.kind for one in _KINDS)
_MORE = {"unknown": KINDS, "unit": KINDS[:2], "indicator": KINDS[:2], "one_hot": KINDS[2:]}
"""What else may be declared, and of which kinds."""
_WHY_NOT = {
    "unit": "is for dates and times of a range or of integers, categories have none",
    "indicator": "is for a range or integers; of categories an `unknown` that is not listed is one of its own",
    "one_hot": "is for categories; a range or integers is one coordinate",
}
OPTIONS = (*KINDS, *_MORE)
"""All keys of a feature."""


def feature(column: str, declared: Mapping[str, Any]) -> Feature:
    """Return the feature of a column; raise ValueError unless exactly one of range, integers, categories is declared.

    >>> feature("age", {"integers": [0, 120]}).ends
    (0.0, 120.0)
    >>> feature("age", {})
    Traceback (most recent call last):
    ValueError: features.age: needs one of range, integers, categories; nothing is inferred from private rows
    """
    kinds = [kind for kind in KINDS if declared.get(kind) is not None]
    if len(kinds) != 1:
        rule = "; nothing is inferred from private rows" if not kinds else f", got {' and '.join(kinds)}"
        raise ValueError(f"features.{column}: needs one of {', '.join(KINDS)}{rule}")
    try:
        more = {key: declared[key] for key in _MORE if declared.get(key) is not None and declared[key] is not False}
        for key in more:
            if kinds[0] not in _MORE[key]:
                raise ValueError(f"{key}: {_WHY_NOT[key]}")
        built: Feature = _KINDS[KINDS.index(kinds[0])](column, declared[kinds[0]], **more)
    except ValueError as error:
        raise ValueError(f"features.{column}: {error}") from None
    return built


def restored_feature(description: Mapping[str, Any]) -> Feature:
    """Return the feature with this description."""
    return feature(description["column"], description)
