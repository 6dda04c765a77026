"""Discrete uniform marginal on a grid."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["DiscreteGrid"]


@fields.value
class DiscreteGrid(Marginal):
    """Uniform on the ``size`` points low, ..., high, equally spaced; one point is low.

    Args:
        size: number of points, >= 1.
        low: the least point.
        high: the greatest point, >= low.
    """

    size: int = fields.size()
    low: float = fields.real(default=0.0)
    high: float = fields.real(default=1.0)

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"high = {self.high!r}: must be >= low = {self.low!r}")

    @property
    def support(self) -> Floats:
        """The points of the grid, (size,)."""
        return np.linspace(self.low, self.high, self.size)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the share of the grid at or below x."""
        return np.searchsorted(self.support, np.asarray(x, float), side="right") / self.size

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return the share of the grid below x."""
        return np.searchsorted(self.support, np.asarray(x, float), side="left") / self.size

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the k-th grid point, k >= 1 the least number with k >= u * size."""
        shares = np.arange(1, self.size) / self.size
        return np.asarray(self.support[np.searchsorted(shares, np.asarray(u, float), side="left")])

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension), by their places on the grid."""
        return self.support[generator.integers(self.size, size=(n, self.dimension))]
