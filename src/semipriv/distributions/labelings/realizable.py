"""Realizable labels: a threshold of the first feature."""

from dataclasses import dataclass

import numpy as np

from semipriv import checks
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["Realizable"]


@dataclass(frozen=True)
class Realizable(LineLabeling):
    """y = 1[x_1 >= target]; errors of thresholds are disagreements with the target.  ABM19 section 2."""

    target: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", checks.real("target", self.target))

    def pieces(self) -> Pieces:
        """0 below the target, 1 from it on."""
        return Pieces(np.array([float(self.target)]), np.array([0.0, 1.0]))
