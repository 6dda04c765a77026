"""All private mass in a region of public mass sigma."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.shifts.base import Shift, piecewise_linear

__all__ = ["Region"]


@fields.value
class Region(Shift):
    """nu = mu(. | A) with density ratio 1 / sigma on A.

    A: the quantile range of width sigma, centred at ``centre`` as far as [0, 1] allows.

    Args:
        centre: middle of A on the quantile scale.
    """

    centre: float = fields.between(0, 1, closed="lh", default=0.5)

    @property
    def _knots(self) -> Floats:
        start = float(np.clip(self.centre - self.sigma / 2, 0.0, 1.0 - self.sigma))
        return np.array([start, start + self.sigma])

    def distribution(self, u: ArrayLike) -> Floats:
        """Return 0 before the region, 1 after it, and a linear function inside."""
        return piecewise_linear(u, self._knots, np.array([0.0, 1.0]))

    def inverse(self, v: ArrayLike) -> Floats:
        """Return start + sigma v."""
        return piecewise_linear(v, np.array([0.0, 1.0]), self._knots)
