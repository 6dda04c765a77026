"""What every marginal offers."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import fields
from semipriv.samples import Points

FloatArray = NDArray[np.float64]


@fields.value(kw_only=True)
class Marginal(ABC):
    """Law of points with ``dimension`` independent features of one law on the line."""

    dimension: int = fields.size(default=1)

    @abstractmethod
    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return P[X <= x] of one feature; x may be infinite."""

    def cdf_left(self, x: ArrayLike) -> FloatArray:
        """Return P[X < x] of one feature: the cdf, unless there are atoms."""
        return self.cdf(x)

    @property
    def support(self) -> FloatArray | None:
        """The values of one feature, sorted, if there are finitely many; else None."""
        return None

    @abstractmethod
    def quantile(self, u: ArrayLike) -> FloatArray:
        """Return the least x with P[X <= x] >= u, for u in (0, 1)."""

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension), by the quantile function."""
        return self.quantile(generator.random((n, self.dimension)))
