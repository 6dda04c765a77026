"""A report: statistics by group with the deviation of their noise and limits, and the noisy tables behind them."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.types import Floats, Integers
from semipriv.learners.statistics.asked import Asked
from semipriv.privacy.guarantee import Output
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["restore"]

KINDS = ("noise", "leans on public rows", "leans on other groups")
"""What a number is: noise alone was added to it; or it was shrunk towards public rows and other groups besides; or,
without public rows, towards other groups."""


class Row(NamedTuple):
    """A number of a report.

    statistic: 'count', 'sum', 'mean', 'variance' or 'quantile 0.5'.  column: the number; empty for counts.  by, group:
    columns of the groups and their values, each joined by ', '; of several values one with a comma or a quotation mark
    is quoted as in CSV.  value, low, high: the number and its limits, NaN where there are none.  noise_sd: standard
    deviation of the noise.  kind: of ``KINDS``.  clipped_low, clipped_high: ends to which the cells were clipped before
    they were summed, so that number and limits are about clipped cells; NaN for counts and quantiles.
    """

    statistic: str
    column: str
    by: str
    group: str
    value: float
    low: float
    high: float
    noise_sd: float
    kind: str
    clipped_low: float
    clipped_high: float


@value(eq=False)
class Report(Output):
    """Numbers (r,) of statistics by group, and the noisy tables of which they were made.

    asked: the statistics.  place: of its statistic, for each number.  level: of a quantile, else NaN.  cell: the group,
    its place among the groups by the statistic's columns, the last one fastest.  values, low, high, noise_sd: numbers,
    limits of what they estimate, deviation of the noise.  kinds: places in ``KINDS``.

    tables: columns of the noisy tables.  noisy: their cells in rows, table after table.  masses: of a row in each.
    scales: of the noise in each table, of the integers that were measured.  ends: to which each number was clipped, in
    its own unit.  n: number of private rows, or of persons.  units: of a person; 1: rows were counted.  interval:
    chance of limits.
    """

    kind: ClassVar[str] = "report"

    schema: ReportSchema
    asked: Sequence[Asked]
    place: Integers
    level: Floats
    cell: Integers
    values: Floats
    low: Floats
    high: Floats
    noise_sd: Floats
    kinds: NDArray[np.int8]
    tables: Sequence[tuple[str, ...]] = attrs.field(kw_only=True)
    noisy: Floats = attrs.field(kw_only=True)
    masses: Floats = attrs.field(kw_only=True)
    scales: Floats = attrs.field(kw_only=True)
    noise: str = attrs.field(kw_only=True)
    ends: dict[str, tuple[float, float]] = attrs.field(kw_only=True)
    n: int = attrs.field(kw_only=True)
    units: int = attrs.field(default=1, kw_only=True)
    interval: float = attrs.field(default=0.95, kw_only=True)

    def __len__(self) -> int:
        return len(self.values)

    def groups(self, request: Asked) -> list[str]:
        """Return what the groups of a statistic are called, by cell: each another name, as ``Row`` has it."""
        return [", ".join(map(_quoted, values) if len(values) > 1 else values) for values in self.labels(request)]

    def labels(self, request: Asked) -> list[tuple[str, ...]]:
        """Return the values of a statistic's columns in each of its groups, by cell."""
        parts = [[str(label) for label in column.decoded(np.arange(column.size))] for column in self._by(request)]
        return list(itertools.product(*parts))

    @property
    def variables(self) -> dict[str, str]:
        """Every column by which groups are, with its name in a table of the numbers.

        That is its own, with ' (group)' after it if a column of ``Row`` has that name.
        """
        names: dict[str, str] = {}
        for name in dict.fromkeys(name for request in self.asked for name in request.by):
            own = name
            while own in Row._fields or own in names.values() or (own != name and own in self.schema.names):
                own += " (group)"
            names[name] = own
        return names

    def grouped(self) -> dict[str, list[str | None]]:
        """Return the value of each of ``variables`` for each number, by its name in a table.

        It is None where groups are not by it.
        """
        labels = [self.labels(request) for request in self.asked]
        columns: dict[str, list[str | None]] = {own: [] for own in self.variables.values()}
        for place, cell in zip(self.place.tolist(), self.cell.tolist(), strict=True):
            of_cell = dict(zip(self.asked[place].by, labels[place][cell], strict=True))
            for name, own in self.variables.items():
                columns[own].append(of_cell.get(name))
        return columns

    def _by(self, request: Asked) -> list[Column]:
        return [self.schema.grouping(name) for name in request.by]

    def rows(self) -> Iterator[Row]:
        """Yield all numbers with what they are, statistic after statistic in the order they were asked for."""
        names = [self.groups(request) for request in self.asked]
        parts = (self.place, self.level, self.cell, self.values, self.low, self.high, self.noise_sd, self.kinds)
        for place, level, cell, number, low, high, sd, kind in zip(*(part.tolist() for part in parts), strict=True):
            request = self.asked[place]
            statistic = request.statistic if math.isnan(level) else f"quantile {level:g}"
            clipped = (math.nan, math.nan)
            if request.column is not None and math.isnan(level):
                clipped = self.ends[request.column]
            named = (statistic, request.column or "", ", ".join(request.by), names[place][cell])
            yield Row(*named, number, low, high, sd, KINDS[kind], *clipped)

    def frame(self) -> "pd.DataFrame":
        """Return ``rows`` as a table of pandas, with a column for each of ``variables``."""
        import pandas as pd  # noqa: PLC0415  (slow import, tables only)

        return pd.DataFrame(list(self.rows()), columns=list(Row._fields)).assign(**self.grouped())

    def find(
        self, statistic: str, column: str | None = None, *by: str, at: float | None = None, kind: str = KINDS[0]
    ) -> Floats:
        """Return the numbers of one statistic by group, of the shape of its groups.

        Raise ValueError for what was not asked for.
        """
        for place, request in enumerate(self.asked):
            if (request.statistic, request.column, request.by) == (statistic, column, by):
                chosen = (self.place == place) & (self.kinds == KINDS.index(kind))
                chosen &= np.isnan(self.level) if at is None else self.level == at
                if chosen.any():
                    return self.values[chosen].reshape([self.schema.grouping(name).size for name in by])
        raise ValueError(f"{statistic} of {column!r} by {', '.join(by) or 'nothing'}: was not asked for")

    def description(self) -> dict[str, Any]:
        """Return the columns, what was asked for, and how it was measured."""
        return {
            "schema": [_column(column) for column in self.schema.columns],
            "asked": [request.described() for request in self.asked],
            "tables": [list(table) for table in self.tables],
            "noise": self.noise,
            "ends": {name: list(ends) for name, ends in self.ends.items()},
            "n": self.n,
            "units": self.units,
            "interval": self.interval,
        }

    def arrays(self) -> Arrays:
        """Return the numbers, and the noisy tables."""
        names = ("place", "level", "cell", "values", "low", "high", "noise_sd", "kinds", "noisy", "masses", "scales")
        return {name: getattr(self, name) for name in names}


def _quoted(label: str) -> str:
    """Return a value as a field of CSV that is parted by commas."""
    return '"{}"'.format(label.replace('"', '""')) if "," in label or '"' in label else label


def _column(column: Column | Number) -> dict[str, Any]:
    if isinstance(column, Number):
        return {"name": column.name, "low": column.low, "high": column.high, "missing": column.missing}
    values = column.values
    return {
        "name": column.name,
        "values": [values.start, values.stop, values.step] if isinstance(values, range) else list(values),
    }


def _restored(given: dict[str, Any]) -> Column | Number:
    if "values" not in given:
        return Number(**given)
    values = given["values"]
    return Column(given["name"], range(*values) if isinstance(values[0], int) else values)


def restore(description: dict[str, Any], arrays: Arrays) -> Report:
    """Return the report of a description and arrays."""
    names = ("place", "level", "cell", "values", "low", "high", "noise_sd", "kinds")
    return Report(
        ReportSchema([_restored(column) for column in description["schema"]]),
        tuple(Asked(**parameters) for parameters in description["asked"]),
        *(arrays[name] for name in names),
        tables=tuple(tuple(table) for table in description["tables"]),
        noisy=arrays["noisy"],
        masses=arrays["masses"],
        scales=arrays["scales"],
        noise=description["noise"],
        ends={name: (ends[0], ends[1]) for name, ends in description["ends"].items()},
        n=description["n"],
        units=description["units"],
        interval=description["interval"],
    )
