"""What every marginal offers."""

from abc import ABC, abstractmethod
from functools import cache
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats

QUADRATURE = 1e-9
"""Largest error of moments that count as exact."""


@fields.value(kw_only=True)
class Marginal(ABC):
    """Distribution of points with ``dimension`` features, by default independent and of one distribution on the line.

    Args:
        dimension: number of features.
    """

    independent: ClassVar[bool] = True
    """Whether the features are independent."""
    dimension: int = fields.size(default=1)

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """Return P[X <= x] of one feature; x may be infinite."""

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return P[X < x] of one feature: the cdf, unless there are atoms."""
        return self.cdf(x)

    @property
    def support(self) -> Floats | None:
        """The values of one feature, sorted, if there are finitely many; else None."""
        return None

    @abstractmethod
    def quantile(self, u: ArrayLike) -> Floats:
        """Return the least x with P[X <= x] >= u, for u in (0, 1)."""

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension), by the quantile function."""
        return self.quantile(generator.random((n, self.dimension)))

    @property
    def radius(self) -> float:
        """The largest norm of a point; it may be infinite."""
        return float(np.abs(self.quantile(np.array([0.0, 1.0]))).max() * np.sqrt(self.dimension))

    def at(self, first: Floats) -> Points:
        """Return points of the domain, (k, dimension), with these first features (k,)."""
        return np.repeat(first[:, None], self.dimension, axis=1)

    def moved(self, points: Points, first: Floats) -> Points:
        """Return points (n, dimension) with other first features (n,); the others keep theirs, given the first."""
        moved = points.copy()
        moved[:, 0] = first
        return moved

    @property
    def moments(self) -> tuple[float, float]:
        """E x_1 and E x_1^2 of a bounded distribution: sums over its support, or quadrature of its quantiles."""
        return _moments(self)

    def second_moments(self, first: "Marginal") -> Floats:
        """Return E[x x^T], (dimension, dimension), of points whose first feature has another distribution."""
        pairs = zip(first.moments, self.moments, strict=True)
        means, squares = (np.array([of_first, *[of_others] * (self.dimension - 1)]) for of_first, of_others in pairs)
        moments = np.outer(means, means)
        np.fill_diagonal(moments, squares)
        return moments


@cache
def _moments(distribution: Marginal) -> tuple[float, float]:
    """Return E x_1 and E x_1^2; once for equal distributions, as the cells of an experiment have."""
    if distribution.support is not None:
        mass = distribution.cdf(distribution.support) - distribution.cdf_left(distribution.support)
        return float(mass @ distribution.support), float(mass @ distribution.support**2)
    moments, error = scipy.integrate.quad_vec(
        lambda u: distribution.quantile(u) ** np.array([1, 2]), 0, 1, epsabs=1e-12
    )
    if not error < QUADRATURE:
        raise ValueError(f"moments of {distribution!r} are known to {error:.1e} only, must be below {QUADRATURE:g}")
    return float(moments[0]), float(moments[1])
