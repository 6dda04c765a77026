"""Whole numbers whose logarithm is uniform."""

import numpy as np

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.marginals._whole import MOST_BITS, WHY, Whole

__all__ = ["PowerIntegers"]


@fields.value
class PowerIntegers(Whole):
    """floor(2^(bits U)) for U uniform on [0, 1): the distribution POWER.  All scales 1, 2, 4, ... have the same mass.

    Args:
        bits: binary digits of the points, 1 to 50.
    """

    bits: int = fields.size(most=MOST_BITS, why=WHY, default=30)

    def _below(self, k: Floats) -> Floats:
        return np.minimum(np.log2(np.maximum(k, 1.0)) / self.bits, 1.0)

    def _near(self, u: Floats) -> Floats:
        return np.minimum(np.floor(2.0 ** (self.bits * u)), 2.0**self.bits - 1)
