"""Noisy tables of private rows, what they say together, and statistics that are read off them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.noises import Measure
from semipriv.learners.statistics.prepared import Prepared
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.queries.residuals import Key, Residuals
from semipriv.queries.unit_mass import UNITS

__all__ = [
    "Ends",
    "Measured",
    "deviations",
    "fit_of",
    "mass_of",
    "measured",
    "moments",
    "most_deviation",
    "numbered",
    "scale_of",
    "values",
]

Ends = Mapping[str, tuple[int, int]]
"""Of each number the ends a < b, in units, to which it is clipped."""


@attrs.frozen(eq=False)
class Measured:
    """Noisy tables: all that is known of private rows.

    prepared, n: public.  ends: of each number.  noises: of a cell of each table, masses: of a row, both in units of
    persons if there are such.  tables: noisy masses over the mass of a row, (*by) or (*by, levels).  fit: least squares
    of them, and its parts.  estimates: of all tables off which statistics are read, in rows.
    """

    prepared: Prepared
    n: int
    ends: Ends
    noises: Mapping[Key, DiscreteNoise]
    masses: Mapping[Key, int]
    tables: Mapping[Key, Floats]
    fit: Residuals
    parts: Mapping[Key, Floats]
    estimates: Mapping[Key, Floats]

    def redrawn(self, randomness: Randomness) -> dict[Key, Floats]:
        """Return noise alone, drawn again, of the tables off which statistics are read: total 0, no data."""
        noise = {
            key: (noise.sample(randomness, self.tables[key].size) / self.masses[key]).reshape(self.tables[key].shape)
            for key, noise in self.noises.items()
        }
        parts = self.fit.parts(noise)
        return {key: self.fit.table(parts, key, 0.0) for key in self.estimates}


def mass_of(prepared: Prepared, table: Key, ends: Ends, units: int = 1) -> int:
    """Return the mass of a row in a table, or that of a person in units of persons."""
    column = table[-1]
    return units * (prepared.levels[column].mass(ends[column]) if column in prepared.levels else 1)


def fit_of(prepared: Prepared, measures: Sequence[Measure], ends: Ends, n: int, units: int = 1) -> Residuals:
    """Return the least squares of the tables that are measured, in rows: public, but for the ends."""
    variances = {}
    for measure in measures:
        mass = mass_of(prepared, measure.table, ends, units)
        variances[measure.table] = measure.noise.per(mass).variance / mass**2
    return Residuals(prepared.sizes, variances, float(n))


def measured(
    prepared: Prepared,
    measures: Sequence[Measure],
    ends: Ends,
    tables: Mapping[Key, Integers],
    n: int,
    randomness: Randomness,
    units: int = 1,
) -> Measured:
    """Add noise to tables of masses, and estimate by least squares.

    tables: of each that is measured, exact masses (*by) or (*by, levels), in units of persons if rows have such.
    """
    noises, masses, noisy = {}, {}, {}
    for measure in measures:
        mass = mass_of(prepared, measure.table, ends, units)
        noise, exact = measure.noise.per(mass), tables[measure.table]
        drawn = noise.add(exact.ravel(), randomness).astype(np.float64).reshape(exact.shape)
        noises[measure.table], masses[measure.table], noisy[measure.table] = noise, mass, drawn / mass
    fit = fit_of(prepared, measures, ends, n, units)
    parts = fit.parts(noisy)
    estimates = {key: fit.table(parts, key) for key in prepared.tables}
    return Measured(prepared, n, ends, noises, masses, noisy, fit, parts, estimates)


def values(request: Asked, prepared: Prepared, ends: Ends, table: Floats) -> Floats:
    """Return a statistic of each group, (*by) in the schema's order of columns, from a table in rows.

    A mean is cut to the ends, whatever noise says.  ``reported`` says of which groups a mean or a variance is none.
    """
    if request.column is None:
        return table
    levels, (low, width) = prepared.levels[request.column], scale_of(request.column, prepared, ends)
    rows, first = table @ levels.present, table @ levels.first
    if request.statistic == "sum":
        return low * rows + width * first
    some = np.maximum(rows, 1.0)
    mean = np.clip(first / some, 0.0, 1.0)
    if request.statistic == "mean":
        return low + width * mean
    return width**2 * np.clip(table @ levels.second / some - mean**2, 0.0, 0.25)


def reported(request: Asked, prepared: Prepared, table: Floats, fit: Residuals) -> Bools:
    """Return whether a statistic of each group is reported, (*by), by a noisy table in rows: post-processing.

    A mean or a variance is reported if the noisy number of rows that have a number is at least 1/2, and at least the
    standard deviation of its noise.  Counts and sums always are.
    """
    if request.column is None or request.statistic == "sum":
        return np.ones(table.shape if request.column is None else table.shape[:-1], bool)
    rows, noise = numbered(table_of(request, prepared.schema), prepared, table, fit)
    return np.asarray(rows >= max(0.5, noise))


def numbered(key: Key, prepared: Prepared, table: Floats, fit: Residuals) -> tuple[Floats, float]:
    """Return the rows of each group that have a number, (*by), by a noisy table of a number, and their deviation."""
    present = prepared.levels[key[-1]].present
    p, q = fit.spread(key)
    return table @ present, float(_root(p * float(present @ present) + q * float(present.sum()) ** 2))


def deviations(request: Asked, prepared: Prepared, ends: Ends, table: Floats, fit: Residuals) -> Floats:
    """Return the standard deviation of the noise of each value, linearised at a table in rows: exact for counts and
    sums.

    It is at most ``most_deviation``.
    """
    key = table_of(request, prepared.schema)
    if not key:
        return np.zeros(())
    squares, totals = moments(request, prepared, ends, table)
    p, q = fit.spread(key, request.column is not None)
    return np.minimum(_root(p * squares + q * totals), most_deviation(request, prepared, ends))


def most_deviation(request: Asked, prepared: Prepared, ends: Ends) -> float:
    """Return the largest standard deviation that a statistic can have.

    Means are cut to ends of the distance w, and variances to 0 and w^2 / 4: nothing between two ends deviates by more
    than half of their distance.
    """
    if request.column is None or request.statistic == "sum":
        return math.inf
    width = scale_of(request.column, prepared, ends)[1]
    return width / 2 if request.statistic == "mean" else width**2 / 8


def moments(request: Asked, prepared: Prepared, ends: Ends, table: Floats) -> tuple[Floats, Floats]:
    """Return sum_l f_l^2 and (sum_l f_l)^2 of each group, (*by): f_l is how a statistic moves with a level's mass.

    Of a count it is 1 of the one cell.  With m the mean and s the mean square between the ends 0 and 1, of r rows, the
    mean moves by sum_l (f_l - m g_l) z_l over r, and the variance by sum_l (s_l - 2 m f_l - (s - 2 m^2) g_l) z_l over
    r, if levels move by z: g counts rows, f sums them up, and s their squares.
    """
    if request.column is None:
        return np.ones(table.shape), np.ones(table.shape)
    levels, (low, width) = prepared.levels[request.column], scale_of(request.column, prepared, ends)
    if request.statistic == "sum":
        vector = low * levels.present + width * levels.first
        shape = table.shape[:-1]
        return np.full(shape, np.sum(vector**2)), np.full(shape, vector.sum() ** 2)
    rows = np.maximum(table @ levels.present, 1.0)
    mean = np.clip(table @ levels.first / rows, 0.0, 1.0)[..., None]
    vectors, unit = levels.first - mean * levels.present, float(width)
    if request.statistic == "variance":
        square = np.clip(table @ levels.second / rows, 0.0, 1.0)[..., None]
        vectors = levels.second - 2 * mean * levels.first - (square - 2 * mean**2) * levels.present
        unit = width**2
    scale = (unit / rows) ** 2
    return scale * np.sum(vectors**2, axis=-1), scale * vectors.sum(axis=-1) ** 2


def _root(variance: Any) -> Any:
    """Return the square root of a variance, which floats may put just below 0."""
    return np.sqrt(np.maximum(variance, 0.0))


def scale_of(column: str, prepared: Prepared, ends: Ends) -> tuple[float, float]:
    """Return the lower end of a number, and the distance of its ends, in its own unit."""
    number, (a, b) = prepared.schema.number(column), ends[column]
    low = number.at(a)
    return low, (number.high - number.low) * ((b - a) / UNITS)
