"""Adversarial flips near the decision boundary."""

import numpy as np

from semipriv.core import fields
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["BoundaryFlips"]


@fields.value
class BoundaryFlips(LineLabeling):
    """y = 1[x_1 >= target], flipped with probability rate < 1/2 where -width <= x_1 - target < width.

    All noise sits where it hides the target best: inside the band the excess of a threshold is only
    (1 - 2 rate) |F(t) - F(target)|.

    Args:
        target: the least x_1 with label 1, except for noise.
        width: half the width of the band with noise, > 0.
        rate: probability of a flip in the band, in [0, 1/2).
    """

    target: float = fields.real()
    width: float = fields.positive()
    rate: float = fields.between(0, 0.5, closed="l")

    def pieces(self) -> Pieces:
        """Return the steps 0, rate, 1 - rate, 1."""
        breaks = self.target + self.width * np.array([-1.0, 0.0, 1.0])
        return Pieces(breaks, np.array([0.0, self.rate, 1 - self.rate, 1.0]))
