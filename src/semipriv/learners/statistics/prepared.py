"""What the public stage of statistics by group leaves: the request, the columns, and public rows."""

import math
from collections.abc import Sequence
from functools import cached_property

import attrs
import numpy as np

from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.learners.statistics.asked import Asked, levels_of, table_of
from semipriv.learners.statistics.shapes import cuts
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import Levels, ReportSchema, units

__all__ = ["Prepared"]

_CUTS, _CELLS = 64, 2**25
"""Cuts of a number, and numbers in the answer to one question by groups, at most."""
_MEAN_PRIOR = 4.0
"""Public rows that the mean of all public rows is worth in a group."""


@attrs.frozen(eq=False)
class Prepared:
    """Input of the private stage.

    schema: the columns.  asked: the statistics.  points: public rows (m, d), m >= 0.
    """

    schema: ReportSchema
    asked: Sequence[Asked]
    points: Points

    @property
    def n_public(self) -> int:
        """m, the number of public rows."""
        return len(self.points)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of which counts, sums, means or variances are asked for, in the schema's order."""
        named = {
            request.column for request in self.asked if request.column is not None and request.statistic != "quantiles"
        }
        return tuple(sorted(named, key=self.schema.place))

    @cached_property
    def levels(self) -> dict[str, Levels]:
        """The levels of each of ``numbers``."""
        return {column: levels_of(column, self.asked, self.schema) for column in self.numbers}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of values of each column of a table: categories, or levels."""
        by = {column for request in self.asked for column in request.by}
        groups = {column: self.schema.grouping(column).size for column in sorted(by, key=self.schema.place)}
        return {**groups, **{column: levels.size for column, levels in self.levels.items()}}

    @cached_property
    def tables(self) -> tuple[Key, ...]:
        """The tables off which the statistics are read, without quantiles, each once; not the one of all rows."""
        read = [table_of(request, self.schema) for request in self.asked if request.statistic != "quantiles"]
        return tuple(table for table in dict.fromkeys(read) if table)

    @cached_property
    def shaped(self) -> tuple[str, ...]:
        """The numbers whose shape over all rows serves: not those of which quantiles of all rows alone are asked."""
        named = {request.column for request in self.asked if request.statistic == "quantiles" and request.by} | set(
            self.numbers
        )
        return tuple(sorted((name for name in named if name is not None), key=self.schema.place))

    def places(self, column: str) -> Floats:
        """Return the places in [0, 1] of the public rows whose number is not missing."""
        axis, indicator = self.schema.axis(column), self.schema.indicator(column)
        rows = self.points if indicator is None else self.points[self.points[:, indicator] == 0]
        return np.asarray(rows[:, axis], np.float64)

    def units(self, column: str) -> Integers:
        """Return their units."""
        return units(self.places(column))

    def cuts(self, column: str) -> Integers:
        """Return where a number is cut into bins, in units: fewer cuts where there are very many groups."""
        groups = max(self.cells(request.by) for request in self.asked if request.column == column)
        return cuts(self.units(column), min(_CUTS, max(2, _CELLS // (6 * groups) - 1)))

    def clipped(self, column: str, a: int, b: int) -> tuple[float, float]:
        """Return ends in units in a number's own unit."""
        number = self.schema.number(column)
        return float(number.at(a)), float(number.at(b))

    def cells(self, by: Sequence[str]) -> int:
        """Return the number of groups by some columns."""
        return math.prod(self.schema.grouping(column).size for column in by)

    def codes(self, by: Sequence[str]) -> Indices:
        """Return the group of each public row, (m,), the last column fastest."""
        sizes = [self.schema.grouping(column).size for column in by]
        places = [self.points[:, self.schema.axis(column)].astype(np.intp) for column in by]
        return np.ravel_multi_index(tuple(places), tuple(sizes)) if by else np.zeros(self.n_public, np.intp)

    def shares(self, by: Key) -> Floats:
        """Return smoothed public shares of the groups, (*by): to products of the columns' own, these to equal ones."""
        sizes = [self.sizes[column] for column in by]
        product = np.ones(())
        for column, size in zip(by, sizes, strict=True):
            own = (np.bincount(self.codes((column,)), minlength=size) + 0.5) / (self.n_public + 0.5 * size)
            product = np.multiply.outer(product, own)
        if len(by) < 2:
            return product
        prior = 2 * math.sqrt(math.prod(sizes))
        counts = np.bincount(self.codes(by), minlength=math.prod(sizes)).reshape(sizes)
        return np.asarray((counts + prior * product) / (self.n_public + prior))

    def judged(self, request: Asked) -> Bools:
        """Return of which groups the wish is judged, (groups,) in the order of the statistic's columns.

        Of those with a public row, or with one that has a number; of all, where no group has any.
        """
        held = np.ones(self.n_public, bool)
        indicator = None if request.column is None else self.schema.indicator(request.column)
        if indicator is not None:
            held = self.points[:, indicator] == 0
        seen = np.bincount(self.codes(request.by)[held], minlength=self.cells(request.by)) > 0
        return np.asarray(seen if seen.any() else ~seen)

    def binned(self, by: Sequence[str], column: str, cuts: Integers) -> Integers | None:
        """Return public rows of each group in each bin of a number, (groups, bins); None if there are none."""
        axis, indicator = self.schema.axis(column), self.schema.indicator(column)
        held = np.ones(self.n_public, bool) if indicator is None else self.points[:, indicator] == 0
        if not held.any():
            return None
        groups, bins = self.cells(by), len(cuts) + 1
        cell = self.codes(by)[held] * bins + np.searchsorted(cuts, units(self.points[held, axis]), "right")
        return np.bincount(cell, minlength=groups * bins).reshape(groups, bins)

    def predicted(self, table: Key, ends: tuple[int, int] | None, n: int) -> Floats:
        """Return what public rows predict of a table, in rows, (*by) or (*by, levels).

        Without public rows groups are equal, numbers are spread evenly between their ends, and none is missing.  No
        group is predicted below half of an equal share.
        """
        column = table[-1] if table and table[-1] in self.levels else None
        by = table if column is None else table[:-1]
        groups = n * np.maximum(self.shares(by), 0.5 / self.cells(by))
        if column is None:
            return groups
        levels = self.levels[column]
        assert ends is not None, "a number has ends"
        return groups[..., None] * self._spread(column, levels, by, ends)

    def _spread(self, column: str, levels: Levels, by: Key, ends: tuple[int, int]) -> Floats:
        """Return the shares of the levels in each group, (*by, levels)."""
        flat = np.append(np.full(2 + levels.squares, 1 / (2 + levels.squares)), [0.0] * levels.missing)
        (a, b), places = ends, self.points[:, self.schema.axis(column)]
        x = np.clip(units(places) - a, 0, b - a) / (b - a)
        masses = [(1 - x) ** 2, 2 * x * (1 - x), x**2] if levels.squares else [1 - x, x]
        if levels.missing:
            gone = self.points[:, self.schema.axis(column) + 1] > 0
            masses = [*(np.where(gone, 0.0, mass) for mass in masses), gone.astype(np.float64)]
        by_row = np.stack(masses, axis=-1)
        overall = (by_row.sum(axis=0) + flat) / (self.n_public + 1)
        cells = self.cells(by)
        summed = np.stack([np.bincount(self.codes(by), mass, cells) for mass in by_row.T], axis=-1)
        count = summed.sum(axis=-1, keepdims=True)
        shape = [*(self.sizes[name] for name in by), levels.size]
        return np.asarray((summed + _MEAN_PRIOR * overall) / (count + _MEAN_PRIOR)).reshape(shape)
