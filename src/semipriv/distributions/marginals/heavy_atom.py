"""Uniform marginal with one heavy atom."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["HeavyAtom"]


@fields.value
class HeavyAtom(Marginal):
    """With probability ``weight`` the point ``position``, otherwise uniform on [0, 1]; weight 1 is a point mass.

    Args:
        weight: mass of the atom, in [0, 1].
        position: place of the atom, in [0, 1].
    """

    weight: float = fields.between(0, 1, closed="lh")
    position: float = fields.between(0, 1, closed="lh", default=0.5)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return (1 - weight) x + weight 1[x >= position]."""
        x = np.asarray(x, float)
        return (1 - self.weight) * np.clip(x, 0.0, 1.0) + self.weight * (x >= self.position)

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return (1 - weight) x + weight 1[x > position]."""
        x = np.asarray(x, float)
        return (1 - self.weight) * np.clip(x, 0.0, 1.0) + self.weight * (x > self.position)

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the inverse of the cdf; all of a stretch of length ``weight`` is mapped to the atom."""
        u = np.asarray(u, float)
        rest = max(1 - self.weight, np.finfo(float).tiny)
        below, above = u / rest, (u - self.weight) / rest
        return np.where(below < self.position, below, np.maximum(self.position, np.minimum(above, 1.0)))
