"""Limits of counts, sums, means and variances by group, from the known distribution of the noise."""

import numpy as np

from semipriv.core.types import Floats
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.intervals import Limits, around, cell_noise, mean_limits, variance_limits
from semipriv.learners.statistics.measure import Measured, scale_of

__all__ = ["limits_of"]


def limits_of(one: Asked, found: Measured, values: Floats, level: float) -> Limits:
    """Return limits of a statistic of each group, (*by) in the schema's order: each holds with the chance ``level``.

    They are of the statistic of the private rows with numbers clipped to the ends, for the noise alone.

    Args:
        one: a statistic that is not of quantiles.
        found: what was measured.
        values: of the statistic.
        level: in (0, 1).
    """
    prepared, key = found.prepared, table_of(one, found.prepared.schema)
    if not key:
        return values, values
    noise = cell_noise(prepared.sizes, found.noises, found.masses, key, one.column is not None)
    if one.column is None:
        return around(values, noise.limit(np.ones(1), level), 0.0, float(found.n))
    levels, (low, width) = prepared.levels[one.column], scale_of(one.column, prepared, found.ends)
    table = found.estimates[key]
    if one.statistic == "sum":
        vector = low * levels.present + width * levels.first
        return around(values, noise.limit(vector, level))
    if one.statistic == "mean":
        bottom, top = mean_limits(noise, table, levels.first, levels.present, level)
        return low + width * bottom, low + width * top
    each = (1 + level) / 2
    mean = mean_limits(noise, table, levels.first, levels.present, each)
    bottom, top = variance_limits(mean, mean_limits(noise, table, levels.second, levels.present, each))
    return width**2 * bottom, width**2 * top
