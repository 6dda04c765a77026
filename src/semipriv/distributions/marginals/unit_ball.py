"""The uniform distribution on the unit ball."""

from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

__all__ = ["UnitBall"]


@fields.value
class UnitBall(Marginal):
    """Uniform on the points of norm at most 1.  Features have one distribution and depend on each other.

    A shift acts on the first feature: a region at the end of its quantile scale (``centre``: 1) is a cap.  The
    distribution is the same in every direction, so the first feature stands for any score <v, x> with ||v|| = 1.
    """

    independent: ClassVar[bool] = False

    @property
    def _half(self) -> float:
        return (self.dimension + 1) / 2

    def cdf(self, x: ArrayLike) -> Floats:
        """Return I_{(x + 1) / 2}(h, h), h = (dimension + 1) / 2: a feature is 2 B - 1, B of Beta(h, h)."""
        place = np.clip((np.asarray(x, float) + 1) / 2, 0.0, 1.0)
        return np.asarray(scipy.special.betainc(self._half, self._half, place))

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the inverse of the cdf."""
        return np.asarray(2 * scipy.special.betaincinv(self._half, self._half, np.asarray(u, float)) - 1)

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n independent points, (n, dimension): a direction, and a norm U^(1 / dimension)."""
        points = generator.normal(size=(n, self.dimension))
        norms = generator.random(n) ** (1 / self.dimension)
        return np.asarray(points * (norms / np.linalg.norm(points, axis=1))[:, None])

    radius = 1.0

    def at(self, first: Floats) -> Points:
        """Return points (k, dimension) on the first axis."""
        points = np.zeros((len(first), self.dimension))
        points[:, 0] = first
        return points

    def moved(self, points: Points, first: Floats) -> Points:
        """Return points with other first features: given that it is s, the others fill a ball of radius^2 1 - s^2."""
        old, new = 1 - points[:, 0] ** 2, 1 - first**2
        factor = np.sqrt(np.maximum(new, 0.0) / np.maximum(old, np.finfo(float).tiny))
        return super().moved(points * factor[:, None], first)

    def second_moments(self, first: Marginal) -> Floats:
        """Return E[x x^T]: E x_j^2 = (1 - E x_1^2) / (dimension + 1) for j > 1, and 0 beside the diagonal."""
        _, square = first.moments
        squares = np.full(self.dimension, (1 - square) / (self.dimension + 1))
        squares[0] = square
        return np.diag(squares)
