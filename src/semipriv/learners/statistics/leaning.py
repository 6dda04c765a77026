"""Counts, sums and means of groups, shrunk towards public rows and towards other groups: post-processing.

Means are those of clipped numbers, to which the mean distance of the numbers from their ends is added: by the shape of
all rows, tilted to the mean of the group, and by the median over the shapes that all rows may have.
"""

import attrs
import numpy as np

from semipriv.core.types import Floats
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.measure import Measured
from semipriv.learners.statistics.shapes import Shape, tails
from semipriv.learners.statistics.shrinkage import Shrunk, shrunk_counts, shrunk_means, shrunk_overall
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS, units

__all__ = ["Leaning"]

_UNKNOWN = 1e6
"""Deviation of a mean of which nothing was measured, in widths of the range."""


@attrs.frozen(eq=False)
class Leaning:
    """Shrunk values of what was measured.

    measurement: what was measured.  shapes: of numbers whose shape was measured.  units: of a person; 1: rows were
    counted, whose numbers are whole.

    They have no limits and no deviation: these would hold only as far as public rows and other groups are like the
    group, which nothing proves.
    """

    measurement: Measured
    shapes: dict[str, Shape]
    units: int = 1
    _counts: dict[Key, Floats] = attrs.field(factory=dict, init=False)
    _means: dict[Key, Floats] = attrs.field(factory=dict, init=False)

    def of(self, request: Asked) -> Floats | None:
        """Return values of a statistic by group, (*by) in the schema's order.

        None for a statistic that is not shrunk: of all rows, of a variance.
        """
        key = table_of(request, self.measurement.prepared.schema)
        by = key if request.column is None else key[:-1]
        if not by or request.statistic == "variance":
            return None
        n = float(self.measurement.n)
        if request.column is None:
            return np.clip(self._count_values(by), 0.0, n)
        low, high = self._ends(request.column)
        means = low + (high - low) * self._mean_values(by, request.column) + self._beyond(by, request.column)
        number = self.measurement.prepared.schema.number(request.column)
        if request.statistic == "mean":
            return np.clip(means, number.low, number.high)
        sums = self._present(by, request.column) * means
        return np.clip(sums, n * min(number.low, 0.0), n * max(number.high, 0.0))

    def _ends(self, column: str) -> tuple[float, float]:
        return self.measurement.prepared.clipped(column, *self.measurement.ends[column])

    def _beyond(self, by: Key, column: str) -> Floats:
        """Return the mean of a number minus that of the clipped one in each group, in its own unit."""
        prepared, shape = self.measurement.prepared, self.shapes.get(column)
        public = prepared.units(column)
        if shape is None and len(public):
            shape = Shape.of(public)
        places = self._mean_values(by, column)
        if shape is None:
            return np.zeros(places.shape)
        number = prepared.schema.number(column)
        lost = tails(shape, *self.measurement.ends[column], places, self._present(by, column))
        return lost / UNITS * (number.high - number.low)

    # ------------------------------------------------------------------ counts
    def _shrunk_counts(self, by: Key) -> Shrunk:
        measurement, prepared = self.measurement, self.measurement.prepared
        measured, (variance, _) = measurement.fit.table(measurement.parts, by), measurement.fit.spread(by, last=False)
        public = np.bincount(prepared.codes(by), minlength=prepared.cells(by)).reshape(measured.shape)
        ways = [self._count_values((column,)) for column in by] if len(by) > 1 else []
        total = measurement.n if self.units == 1 else float(measurement.n)
        return shrunk_counts(measured, max(variance, 0.0) ** 0.5, total, public.astype(np.float64), ways)

    def _count_values(self, by: Key) -> Floats:
        if by not in self._counts:
            self._counts[by] = self._shrunk_counts(by).values
        return self._counts[by]

    def _present(self, by: Key, column: str) -> Floats:
        """Return shrunk numbers of rows that are not missing."""
        measurement, levels = self.measurement, self.measurement.prepared.levels[column]
        whole = measurement.fit.table(measurement.parts, (column,)) @ levels.present
        return self._count_values(by) * float(np.clip(whole / measurement.n, 0.0, 1.0))

    # ------------------------------------------------------------------ means
    def _shrunk_means(self, by: Key, column: str) -> Shrunk:
        measurement, prepared = self.measurement, self.measurement.prepared
        levels, key = prepared.levels[column], (*by, column)
        table, whole = (
            measurement.fit.table(measurement.parts, key),
            measurement.fit.table(measurement.parts, (column,)),
        )
        public, there = self._public(by, column), float(whole @ levels.present)
        present = max(there, 1.0)
        overall = float(whole @ levels.first) / present
        off = self._deviation((column,), levels.first - float(np.clip(overall, 0, 1)) * levels.present) / present
        if there < max(1.0, self._deviation((column,), levels.present)):
            off = _UNKNOWN  # of no rows that are told from none there is no mean
        own = None if public is None else (float(m := public[0].sum()), float(public[1].sum() / m), public[2])
        overall = shrunk_overall(overall, off, own)
        vector, rows = levels.first - overall * levels.present, np.maximum(self._present(by, column), 1.0)
        sd = self._deviation(key, vector) / rows
        ways = [self._mean_values((name,), column) for name in by] if len(by) > 1 else []
        return shrunk_means(overall + table @ vector / rows, sd, overall, rows, public, ways)

    def _deviation(self, key: Key, vector: Floats) -> float:
        """Return the standard deviation of the noise of a table's cell times a vector of its levels."""
        p, q = self.measurement.fit.spread(key)
        return float(max(p * float(vector @ vector) + q * float(vector.sum()) ** 2, 0.0) ** 0.5)

    def _mean_values(self, by: Key, column: str) -> Floats:
        if (*by, column) not in self._means:
            self._means[*by, column] = self._shrunk_means(by, column).values
        return self._means[*by, column]

    def _public(self, by: Key, column: str) -> tuple[Floats, Floats, float] | None:
        """Return of public rows numbers and sums of places between the ends by group, and the variance of places."""
        prepared, (a, b) = self.measurement.prepared, self.measurement.ends[column]
        axis, indicator = prepared.schema.axis(column), prepared.schema.indicator(column)
        held = np.ones(prepared.n_public, bool) if indicator is None else prepared.points[:, indicator] == 0
        if not held.any():
            return None
        x = np.clip(units(prepared.points[held, axis]) - a, 0, b - a) / (b - a)
        codes, cells = prepared.codes(by)[held], prepared.cells(by)
        shape = [prepared.sizes[name] for name in by]
        number = np.bincount(codes, minlength=cells).reshape(shape).astype(np.float64)
        sums = np.bincount(codes, x, cells).astype(np.float64)
        return number, sums.reshape(shape), float(x.var())
