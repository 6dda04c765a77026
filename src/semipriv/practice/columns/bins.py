"""Numbers, dates and times in bins: between declared ends, or by quantiles of the public rows."""

import itertools
from typing import Any, Self

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
from semipriv.practice.columns.coding import OUTSIDE, Steps
from semipriv.practice.columns.dates import UNITS
from semipriv.practice.columns.feature import USUAL, Feature, Usual, filled, usual

_LARGEST = 2**53
_MOST = 1000
"""Bins that a column may have."""


def _bins(name: str, given: Any) -> Any:
    if isinstance(given, int) and not isinstance(given, bool):
        if not 2 <= given <= _MOST:
            raise ValueError(f"{name} = {given!r}: must be 2 to {_MOST} bins")
        return given
    if not isinstance(given, list | tuple) or not 3 <= len(given) <= _MOST + 1:
        raise ValueError(f"{name} = {given!r}: must be a number of bins, or a list of at least three increasing ends")
    if any(map(dates.is_date, given)):
        return tuple(dates.declared(name, end) for end in given)
    return tuple(checks.real(name, end) for end in given)


def _unit(name: str, given: Any) -> str | None:
    return None if given is None else check_name(name, given, list(UNITS))


@value
class Bins(Feature):
    """Numbers, or dates and times, in bins, whose places 0, 1, ... are the coordinates.

    bins: the ends: bin i starts at end i, which it holds, and stops before end i + 1; the last bin also holds its last
    end, and numbers outside are in the first or the last bin.  Or a number K: the ends are the smallest public value,
    the public quantiles 1/K, 2/K, ..., and the largest public value; equal ends make one bin.  unknown: a number, whose
    bin stands for unknown cells; or a text, a category of its own for these, the last one; or ``USUAL``, the public
    median.  middles: the value of each bin in a synthetic row: the lower median of the public rows in it, or the middle
    of its ends if it has none; numbers outside count as the nearest end.

    >>> Bins("x", [0, 10, 50, 100]).encode(pa.chunked_array([[-3.0, 10.0, 49.0, 100.0, None]]))
    (array([0., 1., 1., 2., 0.]), array([ True,  True,  True,  True, False]))
    """

    kind = "bins"
    column: str
    bins: Any = checked(_bins)
    unknown: Any = attrs.field(default=None, converter=usual)
    unit: str | None = checked(_unit, default=None)
    middles: Any = attrs.field(default=None, converter=lambda given: None if given is None else tuple(given))

    def __attrs_post_init__(self) -> None:
        name = f"unknown of {self.column!r}"
        if isinstance(self.unknown, bool) or not isinstance(self.unknown, str | int | float | Usual | None):
            raise ValueError(f"{name} = {self.unknown!r}: must be a number, or text, a category of its own")
        if isinstance(self.bins, int):
            return
        shown = f"bins = {list(self.bins)!r}"
        if (self.unit is None) == any(isinstance(end, str) for end in self.bins):
            what = "are dates, which need a unit" if self.unit is None else f"must be dates or times for {self.unit!r}"
            raise ValueError(f"{shown}: {what}")
        ends = self._ends
        steps = np.diff(ends)
        if np.any(steps[:-1] <= 0) or steps[-1] < 0 or not np.isfinite(ends[-1] - ends[0]):
            raise ValueError(f"{shown}: must be increasing")
        if self.middles is not None:
            middles = np.array([self._number(middle) for middle in self.middles])
            inside = len(middles) == len(steps) and np.all(self._placed(middles) == np.arange(len(steps)))
            if not inside or middles[0] < ends[0] or middles[-1] > ends[-1]:
                raise ValueError(f"middles = {list(self.middles)!r}: must be one number of each bin")

    # ---------------------------------------------------------------------------------------------- ends
    @property
    def open(self) -> bool:
        """Whether the values of the bins are still to be read from public rows."""
        return self.middles is None

    def _number(self, given: Any) -> float:
        return checks.real(self.column, given) if self.unit is None else float(dates.number_of(given, self.unit))

    @property
    def _ends(self) -> Floats:
        return np.array([self._number(end) for end in self.bins])

    @property
    def outer(self) -> tuple[float, float]:
        """The first and the last end."""
        return float(self._ends[0]), float(self._ends[-1])

    def _spelt(self, number: float) -> Any:
        return float(number) if self.unit is None else dates.text_of(number, self.unit)

    def _usual(self, column: pa.ChunkedArray) -> Any:
        """Return the lower median, which is one of the values."""
        values, known = self.read(column)
        if not known.any():
            raise self._none(column)
        return self._spelt(float(np.quantile(values[known], 0.5, method="lower")))

    def _with_values(self, column: pa.ChunkedArray) -> Self:
        """Return the feature with ends and middles by a column of public rows; raise ValueError for one value only."""
        values, known = self.read(column)
        public = np.sort(values[known])
        if len(public) and not isinstance(self.bins, int):
            public = np.clip(public, self._ends[0], self._ends[-1])
        if not len(public):
            raise self._none(column)
        ends = self._ends if not isinstance(self.bins, int) else _quantiles(public, self.bins)
        if len(ends) < 3:
            raise ValueError(f"column {self.column!r} is the same in all public rows that have {self.rule} there")
        place = np.searchsorted(ends[1:-1], public, "right")
        middles = [self._middle(public[place == i], *ends[i : i + 2]) for i in range(len(ends) - 1)]
        return attrs.evolve(  # type: ignore[misc]
            self, bins=tuple(map(self._spelt, ends)), middles=tuple(map(self._spelt, middles))
        )

    def middled(self) -> Self:
        """Return the feature with middles of the listed ends where the values of its bins are not known."""
        if self.middles is not None or isinstance(self.bins, int):
            return self
        middles = [self._spelt(self._middle(np.empty(0), *pair)) for pair in itertools.pairwise(self._ends)]
        return attrs.evolve(self, middles=tuple(middles))  # type: ignore[misc]

    def _middle(self, public: Floats, low: float, high: float) -> float:
        """Return the lower median of sorted numbers; of none the middle of their bin, of dates a whole unit."""
        if len(public):
            return float(public[(len(public) - 1) // 2])
        middle = float(low + (high - low) / 2)
        middle = middle if self.unit is None else float(np.floor(middle))
        return middle if middle < high else float(low)

    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        raise AssertionError("closed by itself")

    # ---------------------------------------------------------------------------------------------- places
    @property
    def rule(self) -> str:
        """A number or a date."""
        return "a finite number" if self.unit is None else dates.RULE

    @property
    def hint(self) -> str:
        """Dates need a unit."""
        return "; dates and times need a `unit`" if self.unit is None else ""

    def read(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return numbers (n,), and whether each cell is one."""
        return numbers(column) if self.unit is None else dates.numbers_of_dates(column, self.unit)

    @property
    def _alone(self) -> bool:
        """Whether unknown cells are a category of their own."""
        return isinstance(self.unknown, str) and (self.unit is None or not dates.is_date(self.unknown))

    @property
    def _place(self) -> float | None:
        """The place of unknown cells."""
        if self.unknown in (None, USUAL):
            return None
        return float(len(self.bins) - 1 if self._alone else self._placed(np.array([self._number(self.unknown)]))[0])

    def _placed(self, values: Floats) -> Floats:
        return np.searchsorted(self._ends[1:-1], values, "right").astype(np.float64)

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Look up the bin; cells that are no numbers are unknown."""
        values, known = self.read(column)
        return filled(np.where(known, self._placed(values), 0.0), known, self._place)

    def coding(self, breaks: Floats, coordinate: int = 0) -> Steps:
        """Return the inner ends as cuts."""
        reached = np.searchsorted(breaks, np.arange(len(self.bins) - 1), "right").astype(np.int64)
        unknown = OUTSIDE if self._place is None else int(np.searchsorted(breaks, self._place, "right"))
        cuts = Steps(*_merged(self._ends[1:-1], reached), False, unknown)
        return cuts if self.unit is None else cuts.in_seconds(UNITS[self.unit])

    @property
    def values(self) -> tuple[str, ...]:
        """The bins as texts, and the category of unknown cells if they have one."""
        ends = [end if isinstance(end, str) else f"{end:g}" for end in self.bins]
        if len(set(ends)) < len(ends) - (self.bins[-1] == self.bins[-2]):
            ends = [end if isinstance(end, str) else repr(end) for end in self.bins]
        inner = [f"{low} to {high}" for low, high in itertools.pairwise(ends)]
        return (*inner, str(self.unknown)) if self._alone else tuple(inner)

    @property
    def ends(self) -> tuple[float, float]:
        """0 and the last place."""
        return 0.0, float(len(self.bins) - 2 + self._alone)

    # ---------------------------------------------------------------------------------------------- back
    def decode(self, places: Floats) -> pa.Array:
        """Return what stands for each bin, null for the category of unknown cells.

        They are integers if all of them are, up to 2^53, as those of ``Integers``; else floats.
        """
        at = np.rint(places).astype(np.intp)
        table = np.array([self._number(middle) for middle in self.middled().middles])
        missing = at >= len(table)
        values = table[np.where(missing, 0, at)]
        if self.unit is not None:
            return pa.array(dates.dates(values, self.unit), mask=missing)
        whole = np.all(table == np.rint(table)) and np.abs(table).max() <= _LARGEST
        return pa.array(values.astype(np.int64) if whole else values, mask=missing)

    def named(self, places: Floats) -> list[str]:
        """Return the bins as texts."""
        return [self.values[i] for i in np.rint(places).astype(int).tolist()]

    def shown(self, places: Floats) -> NDArray[Any]:
        """Return the places."""
        return places

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        optional = {"unit": self.unit, "middles": None if self.middles is None else list(self.middles)}
        return super().description() | {key: value for key, value in optional.items() if value is not None}

    def _declared(self) -> Any:
        return self.bins if isinstance(self.bins, int) else list(self.bins)


def _quantiles(public: Floats, bins: int) -> Floats:
    """Return ends, taken from the sorted numbers, of at most so many bins that hold about as many numbers each.

    If all quantiles are the least number, the next one starts the second bin.
    """
    inner = np.unique(np.quantile(public, np.arange(1, bins) / bins, method="inverted_cdf"))
    inner = inner[inner > public[0]]
    if not len(inner):
        inner = public[public > public[0]][:1]
    return np.concatenate([public[:1], inner, public[-1:]])


def _merged(cuts: Floats, codes: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Return cuts and codes of pieces without cuts at which no code changes."""
    changes = np.diff(codes) != 0
    return cuts[changes], np.append(codes[:1], codes[1:][changes])
