"""Uniform distribution of whole numbers."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals._whole import MOST_BITS, WHY, Whole

__all__ = ["UniformIntegers"]


@fields.value
class UniformIntegers(Whole):
    """Uniform on 0, ..., 2^bits - 1.

    The distribution UNIF of thresholds over as many bits; of thresholds over b > bits bits, with a target near 2^bits,
    the distribution CORNER, under which nearly all concepts agree with each other and err on a mass of its last
    points.

    Args:
        bits: binary digits of the points, 1 to 50.
    """

    bits: int = fields.size(most=MOST_BITS, why=WHY, default=30)

    def _below(self, k: Floats) -> Floats:
        return np.minimum(k / 2.0**self.bits, 1.0)

    def _near(self, u: Floats) -> Floats:
        return np.ceil(u * 2.0**self.bits) - 1

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension)."""
        return generator.integers(2**self.bits, size=(n, self.dimension)).astype(float)
