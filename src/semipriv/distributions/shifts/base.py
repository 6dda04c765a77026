"""What every shift offers: a reweighting of the quantile scale u = F(x) of the first feature."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal


@fields.value
class Shift(ABC):
    """Private distribution nu with density g(F(x)), max g = 1 / sigma, relative to an atomless public marginal mu.

    nu is sigma-smooth with respect to mu: nu(A) <= mu(A) / sigma for every event A.

    Args:
        sigma: smoothness, in (0, 1].

    Source:
        BBD24.
    """

    sigma: float = fields.between(0, 1, closed="h")

    @abstractmethod
    def distribution(self, u: ArrayLike) -> Floats:
        """Return G(u) = integral_0^u g, for u in [0, 1]."""

    @abstractmethod
    def inverse(self, v: ArrayLike) -> Floats:
        """Return G^{-1}(v), for v in [0, 1]."""


@fields.value
class Shifted(Marginal):
    """The private marginal: the shift of the first feature of a public marginal."""

    public: Marginal
    shift: Shift
    dimension: int = attrs.field(init=False, default=attrs.Factory(lambda self: self.public.dimension, takes_self=True))

    def cdf(self, x: ArrayLike) -> Floats:
        """Return G(F(x)) of the first feature."""
        return self.shift.distribution(self.public.cdf(x))

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return G(F(x-)) of the first feature."""
        return self.shift.distribution(self.public.cdf_left(x))

    @property
    def support(self) -> Floats | None:
        """Atoms of the public marginal (some may have lost their mass)."""
        return self.public.support

    def quantile(self, u: ArrayLike) -> Floats:
        """Return F^{-1}(G^{-1}(u)) of the first feature."""
        return self.public.quantile(self.shift.inverse(u))

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points; features after the first follow the public distribution given the first."""
        points = self.public.sample(n, generator)
        return self.public.moved(points, self.quantile(generator.random(n)))

    @property
    def radius(self) -> float:
        """That of the public distribution, which may be larger than it must."""
        return self.public.radius

    def at(self, first: Floats) -> Points:
        """Return points of the domain of the public distribution with these first features."""
        return self.public.at(first)


def piecewise_linear(u: ArrayLike, knots: Floats, values: Floats) -> Floats:
    """Interpolate an increasing function linearly through (knots, values)."""
    return np.asarray(np.interp(np.asarray(u, float), knots, values))
