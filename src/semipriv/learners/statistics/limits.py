"""Limits of counts, sums, means and variances by group, from the known distribution of the noise."""

from functools import lru_cache
from typing import Any

import numpy as np

from semipriv.core.types import Floats
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.intervals import CellNoise, Limits, around, cell_noise, mean_limits, variance_limits
from semipriv.learners.statistics.measure import Measured, scale_of
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.queries.residuals import Key

__all__ = ["limits_of"]


class _Remembered:
    """The noise of a cell, whose limits are worked out once: they depend on public numbers and on ends alone."""

    def __init__(self, noise: CellNoise) -> None:
        self.noise = noise
        self.known: dict[tuple[bytes, float], float] = {}

    def limit(self, vector: Floats, level: float) -> float:
        key = vector.tobytes(), level
        if key not in self.known:
            self.known[key] = self.noise.limit(vector, level)
        return self.known[key]


@lru_cache(maxsize=256)
def _noise(
    sizes: tuple[tuple[str, int], ...],
    noises: tuple[tuple[Key, DiscreteNoise], ...],
    masses: tuple[tuple[Key, int], ...],
    table: Key,
    levels: bool,
) -> _Remembered:
    return _Remembered(cell_noise(dict(sizes), dict(noises), dict(masses), table, levels))


def limits_of(request: Asked, measurement: Measured, values: Floats, level: float) -> Limits:
    """Return limits of a statistic of each group, (*by) in the schema's order: each holds with the chance ``level``.

    They are of the statistic of the private rows with numbers clipped to the ends, for the noise alone.

    Args:
        request: a statistic that is not of quantiles.
        measurement: what was measured.
        values: of the statistic.
        level: in (0, 1).
    """
    prepared, key = measurement.prepared, table_of(request, measurement.prepared.schema)
    if not key:
        return values, values
    noise: Any = _noise(
        tuple(prepared.sizes.items()),
        tuple(measurement.noises.items()),
        tuple(measurement.masses.items()),
        key,
        request.column is not None,
    )
    if request.column is None:
        return around(values, noise.limit(np.ones(1), level), 0.0, float(measurement.n))
    levels, (low, width) = prepared.levels[request.column], scale_of(request.column, prepared, measurement.ends)
    table = measurement.estimates[key]
    if request.statistic == "sum":
        vector = low * levels.present + width * levels.first
        return around(values, noise.limit(vector, level))
    if request.statistic == "mean":
        bottom, top = mean_limits(noise, table, levels.first, levels.present, level)
        return low + width * bottom, low + width * top
    one_sided = (1 + level) / 2
    mean = mean_limits(noise, table, levels.first, levels.present, one_sided)
    bottom, top = variance_limits(mean, mean_limits(noise, table, levels.second, levels.present, one_sided))
    return width**2 * bottom, width**2 * top
