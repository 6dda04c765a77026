"""Normal marginal."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["Normal"]


@fields.value
class Normal(Marginal):
    """Normal with the given mean and standard deviation; in several dimensions isotropic.

    Args:
        mean: mean of each feature.
        sd: standard deviation of each feature, > 0.
    """

    mean: float = fields.real(default=0.0)
    sd: float = fields.positive(default=1.0)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return Phi((x - mean) / sd)."""
        return np.asarray(scipy.special.ndtr((np.asarray(x, float) - self.mean) / self.sd))

    def quantile(self, u: ArrayLike) -> Floats:
        """Return mean + sd Phi^{-1}(u)."""
        return np.asarray(self.mean + self.sd * scipy.special.ndtri(u))

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension)."""
        return generator.normal(self.mean, self.sd, (n, self.dimension))
