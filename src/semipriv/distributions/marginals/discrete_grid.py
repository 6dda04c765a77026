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
        checks.size("size", self.size)
        if checks.real("low", self.low) > checks.real("high", self.high):
            raise ValueError(f"high = {self.high!r}: must be >= low = {self.low!r}")

    @property
    def atoms(self) -> FloatArray:
        """The points of the grid, (size,)."""
        return np.linspace(self.low, self.high, self.size)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Share of the grid at or below x."""
        return np.searchsorted(self.atoms, np.asarray(x, float), side="right") / self.size

    def cdf_left(self, x: ArrayLike) -> FloatArray:
        """Share of the grid below x."""
        return np.searchsorted(self.atoms, np.asarray(x, float), side="left") / self.size

    def quantile(self, u: ArrayLike) -> FloatArray:
        """Grid point number floor(u * size)."""
        index = np.minimum((np.asarray(u, float) * self.size).astype(np.intp), self.size - 1)
        return np.asarray(self.atoms[index])
