"""Random classification noise: a threshold whose labels are flipped at a constant rate."""

import numpy as np

from semipriv.core import fields
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["ClassificationNoise"]


@fields.value
class ClassificationNoise(LineLabeling):
    """y = 1[x_1 >= target], flipped with probability rate < 1/2: err(t) = rate + (1 - 2 rate) |F(t) - F(target)|.

    Args:
        target: the least x_1 with label 1, except for noise.
        rate: probability of a flip, in [0, 1/2).
    """

    target: float = fields.real()
    rate: float = fields.between(0, 0.5, closed="l")

    def pieces(self) -> Pieces:
        """Return the steps rate, below the target, and 1 - rate, from it on."""
        return Pieces(np.array([float(self.target)]), np.array([self.rate, 1 - self.rate]))
