"""The public distribution mixed with its restriction to a small region."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.shifts.base import Shift, piecewise_linear

__all__ = ["Mixture"]


@fields.value
class Mixture(Shift):
    """nu = (1 - w) mu + w mu(. | A), mu(A) = a = share * sigma, w = (1/sigma - 1) / (1/a - 1): ratio 1/sigma on A.

    Args:
        centre: middle of A on the quantile scale, as far as [0, 1] allows.
        share: in (0, 1], 1 gives the region shift.
    """

    centre: float = fields.between(0, 1, closed="lh", default=0.5)
    share: float = fields.between(0, 1, closed="h", default=0.5)

    @property
    def _knots(self) -> tuple[Floats, Floats]:
        a = self.share * self.sigma
        weight = 0.0 if self.sigma == 1 else (1 / self.sigma - 1) / (1 / a - 1)
        start = float(np.clip(self.centre - a / 2, 0.0, 1.0 - a))
        knots = np.array([0.0, start, start + a, 1.0])
        return knots, (1 - weight) * knots + weight * np.array([0.0, 0.0, 1.0, 1.0])

    def distribution(self, u: ArrayLike) -> Floats:
        """Return (1 - w) u + w mu(A and below u) / a."""
        return piecewise_linear(u, *self._knots)

    def inverse(self, v: ArrayLike) -> Floats:
        """Return the inverse of the piecewise linear distribution function."""
        knots, values = self._knots
        return piecewise_linear(v, values, knots)
