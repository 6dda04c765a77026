"""What every marginal offers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.samples import Points

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Marginal(ABC):
    """Law of points with ``dimension`` independent features of one law on the line."""

    dimension: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", checks.size("dimension", self.dimension))

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
