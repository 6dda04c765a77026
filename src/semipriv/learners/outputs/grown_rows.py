"""Weighted rows of which some are public and some are made up, with the noisy marginals to which they were fitted."""

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.core import checks, estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.types import Floats, Indices, Integers
from semipriv.core.work import Cost
from semipriv.learners.outputs._swapping import swapped
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.marginals import joint
from semipriv.queries.schema import Schema

__all__ = ["restore"]

ORIGINS = ("public", "tree", "model", "noisy_tree")
"""Where a row comes from: the public rows, their tree (equal shares without public rows), a model that was fitted to
the noisy marginals, or a tree of these."""
_NOISES = {"gaussian": DiscreteGaussian, "laplace": DiscreteLaplace}
_WIDE = 1e4
_LEAST = 1e-12
"""Variance of noise that is hardly ever other than 0."""


class Interval(NamedTuple):
    """A measured marginal: places of its columns, and its cells, each array (k,), in the order of ``Workload``.

    public, rows: shares among public rows, 0 without any, and by the weights.  noisy, low, high: noisy share, limits of
    the private one.  fit_low, fit_high: those about the share by the weights.
    """

    columns: tuple[int, ...]
    public: Floats
    rows: Floats
    noisy: Floats
    low: Floats
    high: Floats
    fit_low: Floats
    fit_high: Floats


@value(eq=False)
class GrownRows(WeightedRows):
    """Distinct rows (s, c) with weights (s,), and their public shares (s,), 0 of rows that are not public.

    origins: (s,), places in ``ORIGINS``.  measured: (t, k), places of the columns of the marginals measured, -1 after
    the last one.  values: noisy counts of their cells, marginal after marginal.  noise: its name; scales: of each
    marginal (t,).  n: number of private rows, or of persons.  kappa: how many records the prior was worth.  units: of a
    person (``core.persons``), in which counts and scales are; 1: rows were counted.
    """

    kind: ClassVar[str] = "grown_rows"

    origins: NDArray[np.int8] = attrs.field(factory=lambda: np.zeros(0, np.int8), kw_only=True)
    values: Integers = attrs.field(factory=lambda: np.zeros(0, np.int64), kw_only=True)
    scales: Floats = attrs.field(factory=lambda: np.zeros(0), kw_only=True)
    noise: str = attrs.field(default="gaussian", kw_only=True)
    n: int = attrs.field(kw_only=True)
    kappa: float = attrs.field(kw_only=True)
    units: int = attrs.field(default=1, kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if len(self.origins) != len(self.rows):
            raise ValueError(f"origins: must be {len(self.rows)} numbers, one for each row, got {len(self.origins)}")
        cells = sum(int(np.prod(self._shape(group))) for group in self._groups())
        if len(self.scales) != len(self.measured) or len(self.values) != cells:
            raise ValueError(f"values, scales: must be {cells} counts of {len(self.measured)} marginals")
        if self.noise not in _NOISES:
            raise ValueError(f"noise = {self.noise!r}: must be one of {', '.join(_NOISES)}")

    def _groups(self) -> Iterator[tuple[int, ...]]:
        return (tuple(int(i) for i in group if i >= 0) for group in self.measured)

    def _shape(self, group: tuple[int, ...]) -> list[int]:
        return [self.schema.sizes[i] for i in group]

    def rows_cost(self, size: int) -> Cost:
        """Return what ``size`` synthetic rows take, swapped until their marginals are near."""
        return estimates.rows_made(size, len(self.schema.columns), len(self.measured), len(self.rows))

    def places(self, size: int) -> Indices:
        """Return the places (size,) of rows whose measured marginals are near those of the weights (``swapped``)."""
        groups = list(self._groups())
        starts = np.cumsum([0, *(int(np.prod(self._shape(group))) for group in groups)])
        index = np.empty((len(self.rows), len(groups)), np.int32)
        for t, group in enumerate(groups):
            index[:, t] = starts[t] + joint(self.rows, group, self.schema)
        return swapped(self.weights, index, int(starts[-1]), size)

    def intervals(self, level: float = 0.9) -> Iterator[Interval]:
        """Yield of each measured marginal the limits of its private shares, post-processing of what was released.

        low, high: the noisy share +- t / n, where noise exceeds t with probability at most 1 - level: they hold of each
        cell with at least this probability, whatever the private and the public rows are.

        fit_low, fit_high: the share by the weights +- z s, with z the normal quantile, and 1 / s^2 the precision
        kappa / (p (1 - p)) of the prior at the fitted share p plus n^2 / sigma^2 of the noise; never wider than the
        limits above, and stretched to meet them where they are apart.  It is an approximation, which leans on the
        prior: on public rows that are a sample of the private population.

        Neither covers the difference between the private rows and their population, nor a cell that the support cannot
        reach, nor the rounding of written rows (``places``).
        """
        checks.between("level", level, 0, 1)
        z, start = NormalDist().inv_cdf((1 + level) / 2), 0
        for group, scale in zip(self._groups(), self.scales, strict=True):
            cells = int(np.prod(self._shape(group)))
            distribution: DiscreteNoise = _NOISES[self.noise](float(scale))
            noisy = self.values[start : start + cells] / (self.n * self.units)
            start += cells
            names = [self.schema.names[i] for i in group]
            rows = self.answer(*names).ravel()
            public = self.public.answer(*names).ravel() if self.prior.any() else np.zeros(cells)
            t = exceeded(distribution, level) / (self.n * self.units)
            limits = self._limits(z, rows, noisy, t, self._variance(scale))
            yield Interval(group, public, rows, noisy, *limits)

    def alone(self, level: float = 0.9) -> Iterator[Interval]:
        """Yield the limits of each column by itself, of the measured marginal in which the noise of its sums is least.

        low, high: those of ``intervals`` where the column was measured by itself; else the normal quantile times the
        deviation of a sum of independent noises.  A column that is in no measured marginal is left out.
        """
        checks.between("level", level, 0, 1)
        z, parts = NormalDist().inv_cdf((1 + level) / 2), list(self.intervals(level))
        variances = [self._variance(scale) for scale in self.scales]
        for column, size in enumerate(self.schema.sizes):
            held = [t for t, part in enumerate(parts) if column in part.columns]
            if not held:
                continue
            best = min(held, key=lambda t: variances[t] * len(parts[t].rows))
            part, variance = parts[best], variances[best] * len(parts[best].rows) / size
            if len(part.columns) == 1:
                yield part
                continue
            axes = tuple(i for i, other in enumerate(part.columns) if other != column)
            public, rows, noisy = (
                x.reshape(self._shape(part.columns)).sum(axis=axes) for x in (part.public, part.rows, part.noisy)
            )
            t = z * float(np.sqrt(variance)) / self.n
            yield Interval((column,), public, rows, noisy, *self._limits(z, rows, noisy, t, variance))

    def _variance(self, scale: float) -> float:
        """Return the variance of noise of a scale, in persons, or rows."""
        return max(_NOISES[self.noise](float(scale)).variance / self.units**2, _LEAST)

    def _limits(self, z: float, rows: Floats, noisy: Floats, t: float, variance: float) -> Iterator[Floats]:
        """Yield low, high, fit_low and fit_high, in [0, 1]."""
        smooth = (rows * self.n + 1 / len(rows)) / (self.n + 2)
        precision = self.kappa / (smooth * (1 - smooth)) + self.n * (self.n / variance)
        s = np.minimum(z / np.sqrt(precision), t)
        low, high = noisy - t, noisy + t
        for end in (low, high, np.minimum(rows - s, high), np.maximum(rows + s, low)):
            yield np.clip(end, 0.0, 1.0)

    def description(self) -> dict[str, Any]:
        """Return the schema, and how the marginals were measured."""
        measurement = {"noise": self.noise, "n": self.n, "kappa": self.kappa, **self._unit()}
        return {**super().description(), **measurement}

    def _unit(self) -> dict[str, int]:
        return {} if self.units == 1 else {"units": self.units}

    def arrays(self) -> Arrays:
        """Return rows, weights, public shares, origins, and the measured marginals with their noisy counts."""
        return {**super().arrays(), "origins": self.origins, "values": self.values, "scales": self.scales}


def exceeded(noise: DiscreteNoise, level: float) -> int:
    """Return the least t with P[|K| > t] <= 1 - level, of noise K; for scales above 10^4 one within a scale / 1000.

    >>> exceeded(DiscreteGaussian(10), 0.9), exceeded(DiscreteLaplace(1), 0.5)
    (16, 1)
    """
    if isinstance(noise, DiscreteLaplace):  # P[|K| > t] = 2 q^(t + 1) / (1 + q)
        q = np.exp(-1 / float(noise.scale))
        bound = np.log((1 - level) * (1 + q) / 2) * -float(noise.scale) - 1 if q > 0 else 0.0
        return max(0, int(np.ceil(bound - 1e-9)))
    assert isinstance(noise, DiscreteGaussian), "noise is one of the two"
    sigma = float(noise.sigma)
    if sigma > _WIDE:  # the sum over integers is the integral within 1e-12 there
        return int(np.ceil(sigma * NormalDist().inv_cdf((1 + level) / 2)))
    masses = np.exp(noise.log_probability(np.arange(int(9 * sigma) + 2)))
    inside = masses[0] + 2 * np.concatenate([[0.0], np.cumsum(masses[1:])])
    return int(np.searchsorted(inside, level * (1 + 1e-12)))


def restore(description: dict[str, Any], arrays: Arrays) -> GrownRows:
    """Return the weighted rows with the schema of the description."""
    return GrownRows(
        Schema.restored(description["schema"]),
        *(arrays[name] for name in ("rows", "weights", "prior", "measured")),
        origins=arrays["origins"],
        values=arrays["values"],
        scales=arrays["scales"],
        noise=description["noise"],
        n=description["n"],
        kappa=description["kappa"],
        units=description.get("units", 1),
    )
