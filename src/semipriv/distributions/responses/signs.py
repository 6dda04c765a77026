"""Responses +1 and -1."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats
from semipriv.distributions.responses.base import Response

__all__ = ["Signs"]


@fields.value
class Signs(Response):
    """y = 1 with probability (1 + <weights, x>) / 2, else -1: the largest noise that a mean allows.

    The absolute loss is linear in f, |f - y| / 2 = (1 - f y) / 2: its best function is S weights / ||S weights|| with
    S = E[x x^T], not the mean.
    """

    def sample(self, points: Points, generator: np.random.Generator) -> Responses:
        """Draw a response for each point."""
        return np.where(2 * generator.random(len(points)) - 1 < self.mean(points), 1.0, -1.0)

    def variance(self, points: Points) -> Floats:
        """Return 1 - <weights, x>^2."""
        return np.asarray(1 - self.mean(points) ** 2)

    def mean_variance(self, second: Floats) -> float:
        """Return 1 - weights^T S weights."""
        return float(1 - self.target @ second @ self.target)

    def absolute(self, predictions: Floats, points: Points) -> Floats:
        """Return 1 - f <weights, x>, for f in [-1, 1]."""
        return np.asarray(1 - predictions * self.mean(points))

    def _linear_absolute(self, weights: Floats, second: Floats) -> Floats:
        return np.asarray((1 - weights @ second @ self.target) / 2)

    def _best_absolute(self, second: Floats) -> float:
        return float((1 - np.linalg.norm(second @ self.target)) / 2)
