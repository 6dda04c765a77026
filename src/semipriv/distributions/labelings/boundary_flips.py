"""Adversarial flips near the decision boundary."""

from dataclasses import dataclass

import numpy as np

from semipriv import checks
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling, noise_rate

__all__ = ["BoundaryFlips"]


@dataclass(frozen=True)
class BoundaryFlips(LineLabeling):
    """y = 1[x_1 >= target], flipped with probability rate < 1/2 where -width <= x_1 - target < width.

    All noise sits where it hides the target best: inside the band the excess of a threshold is only
    (1 - 2 rate) |F(t) - F(target)|.
    """

    target: float
    width: float
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", checks.real("target", self.target))
        object.__setattr__(self, "width", checks.positive("width", self.width))
        object.__setattr__(self, "rate", noise_rate("rate", self.rate))

    def pieces(self) -> Pieces:
        """0, rate, 1 - rate, 1."""
        breaks = self.target + self.width * np.array([-1.0, 0.0, 1.0])
        return Pieces(breaks, np.array([0.0, self.rate, 1 - self.rate, 1.0]))
