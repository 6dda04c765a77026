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
        """P[X <= x] of one feature; x may be infinite."""

    def cdf_left(self, x: ArrayLike) -> FloatArray:
        """P[X < x] of one feature; equal to the cdf where there are no atoms."""
        return self.cdf(x)

    @property
    def support(self) -> FloatArray | None:
        """The atoms of one feature where there are finitely many and nothing else, sorted; else None."""
        return None

    @abstractmethod
    def quantile(self, u: ArrayLike) -> FloatArray:
        """Least x with P[X <= x] >= u, for u in (0, 1)."""

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """n independent points, (n, dimension), by the quantile function."""
        return self.quantile(generator.random((n, self.dimension)))
