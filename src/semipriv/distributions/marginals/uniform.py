"""Uniform marginal."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["Uniform"]


@fields.value
class Uniform(Marginal):
    """Uniform on [low, high].

    Args:
        low: the least point.
        high: the greatest point, > low.
    """

    low: float = fields.real(default=0.0)
    high: float = fields.real(default=1.0)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")

    def cdf(self, x: ArrayLike) -> Floats:
        """Return (x - low) / (high - low), clipped to [0, 1]."""
        return np.clip((np.asarray(x, float) - self.low) / (self.high - self.low), 0.0, 1.0)

    def quantile(self, u: ArrayLike) -> Floats:
        """Return low + u (high - low)."""
        return self.low + np.asarray(u, float) * (self.high - self.low)
