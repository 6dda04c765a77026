"""Discrete uniform marginal on a grid."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv import checks
from semipriv.distributions.marginals.base import FloatArray, Marginal

__all__ = ["DiscreteGrid"]


@dataclass(frozen=True)
class DiscreteGrid(Marginal):
    """Uniform on the ``size`` points low, ..., high, equally spaced; one point is low."""

    size: int
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", checks.size("size", self.size))
        object.__setattr__(self, "low", checks.real("low", self.low))
        object.__setattr__(self, "high", checks.real("high", self.high))
        if self.low > self.high:
            raise ValueError(f"high = {self.high!r}: must be >= low = {self.low!r}")

    @property
    def support(self) -> FloatArray:
        """The points of the grid, (size,)."""
        return np.linspace(self.low, self.high, self.size)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Share of the grid at or below x."""
        return np.searchsorted(self.support, np.asarray(x, float), side="right") / self.size

    def cdf_left(self, x: ArrayLike) -> FloatArray:
        """Share of the grid below x."""
        return np.searchsorted(self.support, np.asarray(x, float), side="left") / self.size

    def quantile(self, u: ArrayLike) -> FloatArray:
        """Least grid point whose number, counted from 1, is at least u * size."""
        shares = np.arange(1, self.size) / self.size
        return np.asarray(self.support[np.searchsorted(shares, np.asarray(u, float), side="left")])
