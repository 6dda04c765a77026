"""Random classification noise: a threshold whose labels are flipped at a constant rate."""

from dataclasses import dataclass

import numpy as np

from semipriv import checks
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling, noise_rate

__all__ = ["ClassificationNoise"]


@dataclass(frozen=True)
class ClassificationNoise(LineLabeling):
    """y = 1[x_1 >= target], flipped with probability rate < 1/2: err(t) = rate + (1 - 2 rate) |F(t) - F(target)|."""

    target: float
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", checks.real("target", self.target))
        object.__setattr__(self, "rate", noise_rate("rate", self.rate))

    def pieces(self) -> Pieces:
        """Rate below the target, 1 - rate from it on."""
        return Pieces(np.array([float(self.target)]), np.array([self.rate, 1 - self.rate]))
