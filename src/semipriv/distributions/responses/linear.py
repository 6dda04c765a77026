"""A linear response with symmetric noise."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats
from semipriv.distributions.responses.base import Response

__all__ = ["Linear"]

NOISES = ["two_point", "uniform"]


@fields.value
class Linear(Response):
    """y = <weights, x> + noise: a U with U = +1 or -1 ('two_point'), or U uniform on [-1, 1] ('uniform').

    ||weights|| times the largest norm of a point, plus a, must be at most 1.  The target is best for the squared and
    for the absolute loss: it is mean and median.

    Args:
        amplitude: a, in [0, 1).
        noise_law: distribution of U, 'two_point' or 'uniform'.
    """

    amplitude: float = fields.between(0, 1, closed="l", default=0.0)
    noise_law: str = fields.one_of(NOISES, "the response", default="two_point")

    @property
    def noise(self) -> float:
        """The amplitude."""
        return self.amplitude

    def sample(self, points: Points, generator: np.random.Generator) -> Responses:
        """Draw a response for each point."""
        u = 2 * generator.random(len(points)) - 1
        return np.clip(self.mean(points) + self.amplitude * (np.sign(u) if self.noise_law == "two_point" else u), -1, 1)

    @property
    def _variance(self) -> float:
        return self.amplitude**2 / (1 if self.noise_law == "two_point" else 3)

    def variance(self, points: Points) -> Floats:
        """Return a^2, or a^2 / 3 for uniform noise."""
        return np.full(len(points), self._variance)

    def mean_variance(self, second: Floats) -> float:
        """Return a^2, or a^2 / 3 for uniform noise."""
        return self._variance

    def absolute(self, predictions: Floats, points: Points) -> Floats:
        """Return with t = |f - mean|: max(t, a) for two points; (t^2 + a^2) / (2 a), t if t >= a, for uniform noise."""
        t, a = np.abs(predictions - self.mean(points)), self.amplitude
        if self.noise_law == "two_point":
            return np.maximum(t, a)
        return np.where(t >= a, t, (t**2 + a**2) / (2 * a or 1.0))

    def _best_absolute(self, second: Floats) -> float:
        return self.amplitude / (2 if self.noise_law == "two_point" else 4)
