"""Normal marginal."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from semipriv import checks
from semipriv.distributions.marginals.base import FloatArray, Marginal
from semipriv.samples import Points

__all__ = ["Normal"]


@dataclass(frozen=True)
class Normal(Marginal):
    """Normal with the given mean and standard deviation; in several dimensions isotropic."""

    mean: float = 0.0
    sd: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mean", checks.real("mean", self.mean))
        object.__setattr__(self, "sd", checks.positive("sd", self.sd))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Phi((x - mean) / sd)."""
        return np.asarray(ndtr((np.asarray(x, float) - self.mean) / self.sd))

    def quantile(self, u: ArrayLike) -> FloatArray:
        """Mean + sd Phi^{-1}(u)."""
        return np.asarray(self.mean + self.sd * ndtri(u))

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """n independent points, (n, dimension)."""
        return generator.normal(self.mean, self.sd, (n, self.dimension))
