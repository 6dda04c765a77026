"""Beta marginal."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["Beta"]


@fields.value
class Beta(Marginal):
    """Beta(a, b) on [0, 1], density proportional to x^(a - 1) (1 - x)^(b - 1).

    Args:
        a: exponent of x, plus 1; > 0.
        b: exponent of 1 - x, plus 1; > 0.
    """

    a: float = fields.positive()
    b: float = fields.positive()

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the regularised incomplete beta function."""
        return np.asarray(scipy.special.betainc(self.a, self.b, np.clip(np.asarray(x, float), 0.0, 1.0)))

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the inverse of the regularised incomplete beta function."""
        return np.asarray(scipy.special.betaincinv(self.a, self.b, u))

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension)."""
        return generator.beta(self.a, self.b, (n, self.dimension))
