"""Numbers, dates and times between two declared ends: as they are, or integers only."""

from abc import abstractmethod
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name
from semipriv.core.types import Floats
from semipriv.practice.columns import dates
from semipriv.practice.columns.cells import Known, numbers
from semipriv.practice.columns.coding import OUTSIDE, Amount, Steps, steps
from semipriv.practice.columns.dates import UNITS
from semipriv.practice.columns.feature import PUBLIC, USUAL, Feature, filled, usual
from semipriv.practice.columns.widening import widened
from semipriv.queries.unit_mass import UNITS as WHOLE
from semipriv.queries.unit_mass import break_of, units

CLIPPED = "private values outside count as the nearer end: declare what is possible if you know it"
"""Said of ends that public values gave."""
_LARGEST = 2**53
_DIGITS, _NOISE = 6, 14
"""Digits of public values that are shown; and digits beyond which floats hold the rounding of sums."""


def _shortest(end: float) -> str:
    """Return a number in the shortest digits that name it."""
    return repr(end).removesuffix(".0")


def _outwards(end: float, up: int) -> str:
    """Return a number in few digits, rounded down, or up.

    >>> _outwards(0.39999999999999997, 0), _outwards(1.23456789, 0), _outwards(1.23456789, 1), _outwards(-3.0, 1)
    ('0.4', '1.23456', '1.23457', '-3')
    """
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return f"{context.create_decimal(f'{end:.{_NOISE}g}').normalize():f}"


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    """Return two numbers, or two dates as texts, in whatever order."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(f"{name} = {given!r}: must be [low, high]")
    for end in given:
        if isinstance(end, str) and not dates.is_date(end):
            raise ValueError(f"{name}: {end!r} must be a number, or {dates.RULE}")
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


def _told(name: str, given: Any) -> Any:
    return None if given is None else _pair(name, given)


def _unit(name: str, given: Any) -> str | None:
    return None if given is None else check_name(name, given, list(UNITS))


class _Between(Feature):
    """Numbers, or dates and times as numbers, between two declared ends.

    unit: of dates and times, a key of ``UNITS``; None for numbers.  indicator: whether a second coordinate is 1 where
    the cell is unknown, and 0 elsewhere.  public_values: the least and the greatest public value, if the ends were made
    of these; None for declared ends.
    """

    unit: Any
    indicator: Any
    public_values: Any
    _whole: ClassVar[bool] = False
    """Whether numbers that are no integers are unknown."""

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
            raise ValueError("indicator: tells which cells are unknown, and unknown: refuse refuses these")
        if self.unknown is not None and self.unknown is not USUAL:
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
        low, high = (end if isinstance(end, str) else _shortest(end) for end in self._ends)
        return f"[{low}, {high}]"

    @property
    def from_public(self) -> str:
        """A note on ends that come from public values, and on values outside of them."""
        low, high = (end if isinstance(end, str) else _outwards(end, up) for up, end in enumerate(self.public_values))
        return (
            f"column {self.column!r} has values from {low} to {high}, so its {self.kind} is {self.interval}; {CLIPPED}"
        )

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

    def _with_values(self, column: pa.ChunkedArray) -> Self:
        """Return the feature with the ends that the public values give it, and with these values."""
        closed = super()._with_values(column)
        low, high = closed.limits
        ends = [self._spelt(end) for end in self._outer(low, high)]
        return attrs.evolve(closed, **{self.kind: ends, "public_values": closed._ends})  # type: ignore[misc]

    def _outer(self, low: float, high: float) -> tuple[float, float]:
        """Return the least and the greatest public value as ends."""
        return low, high

    def _spelt(self, number: float) -> Any:
        """Return a number in the form in which it is declared."""
        return float(number) if self.unit is None else dates.text_of(number, self.unit)

    def _usual(self, column: pa.ChunkedArray) -> Any:
        """Return the lower median, which is one of the values, clipped."""
        values, known = self.read(column)
        if not known.any():
            raise self._none(column)
        return self._spelt(float(np.clip(np.quantile(values[known], 0.5, method="lower"), *self.limits)))

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
        places = self._placed(values)
        return (places, known) if known.all() else filled(places, known, self._missing)

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
        return (np.stack([places, ~known]).T if self.indicator else places[:, None]), placed

    def coding(self, breaks: Floats, coordinate: int = 0) -> Steps:
        """Return the cuts at which the coordinates of numbers, or of times, reach the breaks; an indicator has none."""
        if coordinate:
            known, unknown = (int(np.searchsorted(breaks, value, "right")) for value in (0.0, 1.0))
            cuts = Steps(np.empty(0), np.array([known]), self._whole, OUTSIDE if self._missing is None else unknown)
        else:
            unknown = OUTSIDE if self._missing is None else int(np.searchsorted(breaks, self._missing, "right"))
            cuts = Steps(*steps(self._placed, *self.limits, breaks), self._whole, unknown)
        return cuts if self.unit is None else cuts.in_seconds(UNITS[self.unit])

    @property
    def _missing(self) -> float | None:
        """The place that stands for unknown cells; None if there is none."""
        if self.unknown in (None, USUAL):
            return None
        return float(self._placed(np.array([self._number("unknown", self.unknown)]))[0])

    @abstractmethod
    def _placed(self, values: Floats) -> Floats:
        """Return the coordinates of numbers (n,), clipped."""

    @abstractmethod
    def unplaced(self, places: Floats) -> Floats:
        """Return the numbers of places (n,), which need not be those of a cell."""

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        description = super().description() | ({"indicator": True} if self.indicator else {})
        description |= {} if self.public_values is None else {"public_values": list(self.public_values)}
        return description if self.unit is None else {**description, "unit": self.unit}

    def _unknown_declared(self) -> Any:
        given = super()._unknown_declared()
        return given if self.unit is None or self.unknown in (None, USUAL) else dates.declared("unknown", given)

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
    unknown: Any = attrs.field(default=None, converter=usual)
    unit: str | None = checked(_unit, default=None)
    indicator: bool = checked(checks.boolean, default=False)
    public_values: Any = checked(_told, default=None)

    @property
    def rule(self) -> str:
        """A number or a date."""
        return "a finite number" if self.unit is None else dates.RULE

    ends = 0.0, 1.0

    def _outer(self, low: float, high: float) -> tuple[float, float]:
        """Return wider ends; those of dates are dates, too."""
        if self.unit is None:
            bottom, top = widened(low, high)
            return float(bottom), float(top)
        first, last = (dates.number_of(end, self.unit) for end in (dates.FIRST, dates.LAST))
        bottom, top = (np.floor(end) for end in widened(low, high, signed=False))
        return min(low, max(float(bottom), first)), max(high, min(float(top), last))

    @property
    def amount(self) -> Amount:
        """The units of a number, or of a time."""
        (low, high), ends = self.limits, break_of([1, WHOLE])
        cuts, _ = steps(self._placed, low, high, ends)
        unit, unknown = (1 if self.unit is None else UNITS[self.unit]), units(np.array([self._missing or 0.0]))
        return Amount(low, high, float(cuts[0]), float(cuts[-1]), unit, int(unknown[0]), self.coding(np.empty(0)))

    def _placed(self, values: Floats) -> Floats:
        low, high = self.limits
        mapped = np.clip(values, low, high)
        mapped -= low
        mapped /= high - low  # at most 1: a difference and a quotient are rounded in the order of their exact values
        return mapped

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
    _whole = True
    column: str
    integers: Any = checked(_integers)
    unknown: Any = attrs.field(default=None, converter=usual)
    unit: str | None = checked(_unit, default=None)
    indicator: bool = checked(checks.boolean, default=False)
    public_values: Any = checked(_told, default=None)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.unknown not in (None, USUAL) and not self._number("unknown", self.unknown).is_integer():
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
