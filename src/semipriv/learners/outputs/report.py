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
    columns of the groups and their values, each joined by ', '.  value, low, high: the number and its limits, NaN
    where there are none.  noise_sd: standard deviation of the noise.  kind: of ``KINDS``.
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

    def groups(self, one: Asked) -> list[str]:
        """Return what the groups of a statistic are called, by cell: values of its columns, joined by ', '."""
        parts = [[str(label) for label in column.decoded(np.arange(column.size))] for column in self._by(one)]
        return [", ".join(labels) for labels in itertools.product(*parts)]

    def _by(self, one: Asked) -> list[Column]:
        return [self.schema.grouping(name) for name in one.by]

    def rows(self) -> Iterator[Row]:
        """Yield all numbers with what they are, statistic after statistic in the order they were asked for."""
        names = [self.groups(one) for one in self.asked]
        parts = (self.place, self.level, self.cell, self.values, self.low, self.high, self.noise_sd, self.kinds)
        for place, level, cell, number, low, high, sd, kind in zip(*(part.tolist() for part in parts), strict=True):
            one = self.asked[place]
            statistic = one.statistic if math.isnan(level) else f"quantile {level:g}"
            yield Row(
                statistic, one.column or "", ", ".join(one.by), names[place][cell], number, low, high, sd, KINDS[kind]
            )

    def frame(self) -> "pd.DataFrame":
        """Return ``rows`` as a table of pandas."""
        import pandas as pd  # noqa: PLC0415  (slow import, tables only)

        return pd.DataFrame(list(self.rows()), columns=list(Row._fields))

    def find(
        self, statistic: str, column: str | None = None, *by: str, at: float | None = None, kind: str = KINDS[0]
    ) -> Floats:
        """Return the numbers of one statistic by group, of the shape of its groups.

        Raise ValueError for what was not asked for.
        """
        for place, one in enumerate(self.asked):
            if (one.statistic, one.column, one.by) == (statistic, column, by):
                mine = (self.place == place) & (self.kinds == KINDS.index(kind))
                mine &= np.isnan(self.level) if at is None else self.level == at
                if mine.any():
                    return self.values[mine].reshape([self.schema.grouping(name).size for name in by])
        raise ValueError(f"{statistic} of {column!r} by {', '.join(by) or 'nothing'}: was not asked for")

    def description(self) -> dict[str, Any]:
        """Return the columns, what was asked for, and how it was measured."""
        return {
            "schema": [_column(one) for one in self.schema.columns],
            "asked": [one.described() for one in self.asked],
            "tables": [list(one) for one in self.tables],
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


def _column(one: Column | Number) -> dict[str, Any]:
    if isinstance(one, Number):
        return {"name": one.name, "low": one.low, "high": one.high, "missing": one.missing}
    values = one.values
    return {
        "name": one.name,
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
        ReportSchema([_restored(one) for one in description["schema"]]),
        tuple(Asked(**one) for one in description["asked"]),
        *(arrays[name] for name in names),
        tables=tuple(tuple(one) for one in description["tables"]),
        noisy=arrays["noisy"],
        masses=arrays["masses"],
        scales=arrays["scales"],
        noise=description["noise"],
        ends={name: (ends[0], ends[1]) for name, ends in description["ends"].items()},
        n=description["n"],
        units=description["units"],
        interval=description["interval"],
    )
