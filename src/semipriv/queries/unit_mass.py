"""Tables in which every row has the same mass: counts, sums and sums of squares by group, as integers.

A place p in [0, 1] of a number counts as u = floor(2^16 p + 1/2) units.  With ends a < b in units, and R = b - a, a row
has h = clip(u - a, 0, R) units at the high end and R - h at the low end of its group: R in all, whatever p is.  With
squares it has (R - h)^2, 2 h (R - h) and h^2 units on three levels: R^2 in all.  A row whose number is missing has all
its units on a level of its own.

So a replaced row takes the mass T of one row from some cells of a table, and adds T to some cells: it moves the table
by at most 2 T in L1 and sqrt(2) T in L2 (proof in docs/findings.md).
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.queries.schema import Column

__all__ = ["NARROWEST", "UNITS", "WIDEST", "Levels", "Number", "ReportSchema", "Sums", "break_of", "units"]

UNITS = 2**16
"""Units of the whole range of a number."""
WIDEST, NARROWEST = 1e70, 1e-70
"""Of a number the largest ends of its range, and the smallest width: fourth powers of both are floats."""
_LARGEST = 2**25
"""Cells of one answer: they take 256 MB."""


@value
class Number:
    """A column of numbers.

    low, high: the ends of its range, within 1e70 of 0, and at least 1e-70 apart.  missing: whether a cell may be
    unknown; then one more coordinate, 0 or 1, says whether it is.
    """

    name: str
    low: float = checked(checks.real)
    high: float = checked(checks.real)
    missing: bool = checked(checks.boolean, default=False)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"column {self.name!r}: low = {self.low!r}: must be < high = {self.high!r}")
        if max(-self.low, self.high) > WIDEST or self.high - self.low < NARROWEST:
            raise ValueError(
                f"column {self.name!r}: low = {self.low!r}, high = {self.high!r}: must be within {WIDEST:g} of 0, and "
                f"at least {NARROWEST:g} apart"
            )

    def at(self, place: Any) -> Any:
        """Return the number at a place in units, from 0 to ``UNITS``."""
        return self.low + (self.high - self.low) * (place / UNITS)


def _columns(name: str, given: Any) -> tuple[Column | Number, ...]:
    columns = tuple(given)
    if not all(isinstance(column, Column | Number) for column in columns):
        raise ValueError(f"{name}: must be columns of categories or of numbers")
    names = [column.name for column in columns]
    twice = [repeated for i, repeated in enumerate(names) if repeated in names[:i]]
    if twice:
        raise ValueError(f"{name}: column {twice[0]!r} is listed twice")
    return columns


@value
class ReportSchema:
    """The columns of a report, and where they stand in points (n, d).

    A column of categories has one coordinate: the place of the value, 0 to size - 1.  A number has one, its place
    (v - low) / (high - low) in [0, 1], and after it one more if it may be missing: 1 where it is, else 0.

    Args:
        columns: columns of categories and of numbers, in the order of their coordinates.

    Examples:
        >>> schema = ReportSchema([Column("ward", ["A", "B"]), Number("days", 0, 60, True), Column("month", 12)])
        >>> schema.axis("month"), schema.indicator("days"), schema.dimension
        (3, 2, 4)
    """

    columns: Sequence[Column | Number] = checked(_columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _axes(self) -> tuple[int, ...]:
        widths = [1 + (isinstance(column, Number) and column.missing) for column in self.columns]
        return tuple(sum(widths[:i]) for i in range(len(widths) + 1))

    @property
    def dimension(self) -> int:
        """d, the number of coordinates."""
        return self._axes[-1]

    def place(self, name: object) -> int:
        """Return the place of a column among the columns; raises ValueError for an unknown name."""
        return self.names.index(check_name("column", name, list(self.names)))

    def axis(self, name: str) -> int:
        """Return the coordinate of a column, of a number that of its place."""
        return self._axes[self.place(name)]

    def indicator(self, name: str) -> int | None:
        """Return the coordinate that says whether a number is missing; None if it never is."""
        return self.axis(name) + 1 if self.number(name).missing else None

    def grouping(self, name: str) -> Column:
        """Return a column of categories by name; raises ValueError for a number."""
        column = self.columns[self.place(name)]
        if not isinstance(column, Column):
            raise ValueError(f"by: column {name!r} holds numbers, must be declared by categories, integers or bins")
        return column

    def number(self, name: str) -> Number:
        """Return a column of numbers by name; raises ValueError for one of categories."""
        column = self.columns[self.place(name)]
        if not isinstance(column, Number):
            raise ValueError(f"column {name!r}: holds categories, must be declared by a range of numbers")
        return column


def units(places: Floats) -> Integers:
    """Return the units of places (n,) in [0, 1], exactly floor(2^16 p + 1/2); places outside count as the next end.

    >>> units(np.array([0.0, 0.5 / UNITS, np.nextafter(0.5 / UNITS, 0), 1.0])).tolist()
    [0, 1, 0, 65536]
    """
    doubled = np.floor(np.clip(np.nan_to_num(places, nan=0.0), 0.0, 1.0) * (2 * UNITS))
    return (doubled.astype(np.int64) + 1) // 2


def break_of(unit: Any) -> Any:
    """Return the least place that counts as ``unit`` or more units: (unit - 1/2) / 2^16, exact."""
    return (np.asarray(unit, np.float64) - 0.5) / UNITS


@attrs.frozen(eq=False)
class Sums:
    """Sums over rows, by cells of a grid of some coordinates: all that is read of private rows.

    axes: coordinates.  breaks: increasing numbers for each of them; the code of a row is the number of breaks that its
    coordinate reaches.  number: the coordinate that is summed up; None: rows are counted.  degree: 0, 1 for the sum of
    its units u, 2 for that of u^2, too.

    The answer has shape (*codes, degree + 1), or (*codes,) without a number: number of rows, sum of u, sum of u^2,
    each times the units of persons if rows have such.
    """

    axes: tuple[int, ...]
    breaks: tuple[Floats, ...]
    number: int | None = None
    degree: int = 0

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of codes on each axis."""
        return tuple(len(cuts) + 1 for cuts in self.breaks)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the answer."""
        return self.grid if self.number is None else (*self.grid, self.degree + 1)

    @property
    def cells(self) -> int:
        """Numbers in the answer."""
        return math.prod(self.shape)

    def of(self, points: Points, weights: Integers | None = None) -> Integers:
        """Return the answer for rows (n, d), with their units (n,) if persons have such."""
        codes = [
            np.searchsorted(cut, points[:, axis], "right") for axis, cut in zip(self.axes, self.breaks, strict=True)
        ]
        size = math.prod(self.grid)
        cell = np.ravel_multi_index(tuple(codes), self.grid) if codes else np.zeros(len(points), np.intp)
        mass = np.ones(len(points), np.int64) if weights is None else weights
        answer = [_total(cell, mass, size)]
        if self.number is not None:
            u = units(points[:, self.number])
            answer += [_total(cell, mass * u**power, size) for power in range(1, self.degree + 1)]
            return np.stack(answer, axis=-1).reshape(self.shape)
        return answer[0].reshape(self.shape)


def _total(cell: Integers, amounts: Integers, size: int) -> Integers:
    total = np.zeros(size, np.int64)
    np.add.at(total, cell, amounts)
    return total


@attrs.frozen
class Levels:
    """The levels over which a row of a table with a number spreads its mass: low, (middle,) high, (missing).

    squares: whether there are three levels, whose masses are (1 - x)^2, 2 x (1 - x) and x^2 of a row at x = h / R, so
    that sums of squares follow.  missing: whether a level of missing numbers is the last.
    """

    squares: bool
    missing: bool

    @property
    def size(self) -> int:
        """L, their number."""
        return 2 + self.squares + self.missing

    def mass(self, ends: tuple[int, int]) -> int:
        """Return T, the mass of a row with ends a < b in units: R, or R^2 with squares."""
        return (ends[1] - ends[0]) ** (1 + self.squares)

    @property
    def present(self) -> Floats:
        """What counts rows with a number, (L,)."""
        return np.array([1.0] * (2 + self.squares) + [0.0] * self.missing)

    @property
    def first(self) -> Floats:
        """What sums up x, (L,)."""
        return np.array([0.0, 0.5, 1.0][:: 1 if self.squares else 2] + [0.0] * self.missing)

    @property
    def second(self) -> Floats:
        """What sums up x^2, (L,); with squares only."""
        assert self.squares, "squares are not measured"
        return np.array([0.0, 0.0, 1.0] + [0.0] * self.missing)

    def table(self, sums: Integers, cuts: Integers, ends: tuple[int, int]) -> Integers:
        """Return the mass on each level, (*groups, L), whose sum over all cells is T times the number of rows.

        Args:
            sums: (*groups, [2,] bins, degree + 1), the answer to ``Sums`` by groups, whether the number is missing, and
                the bins of the number between cuts.
            cuts: increasing, in units, of 1 to 2^16.
            ends: a < b, each a cut, 0 or 2^16.
        """
        a, b = ends
        starts = np.concatenate([[0], cuts])  # the least u of each bin
        present = sums[..., 0, :, :] if self.missing else sums
        inside, above = (
            present[..., (starts >= a) & (starts < b), :].sum(axis=-2),
            present[..., starts >= b, 0].sum(axis=-1),
        )
        rows, first = present[..., 0].sum(axis=-1), inside[..., 1] - a * inside[..., 0] + (b - a) * above
        width = b - a
        if self.squares:
            square = inside[..., 2] - 2 * a * inside[..., 1] + a * a * inside[..., 0] + width * width * above
            levels = [width * width * rows - 2 * width * first + square, 2 * (width * first - square), square]
        else:
            levels = [width * rows - first, first]
        if self.missing:
            levels.append(self.mass(ends) * sums[..., 1, :, 0].sum(axis=-1))
        return np.stack(levels, axis=-1)
