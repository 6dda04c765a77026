"""Realizable labels: a threshold of the first feature."""

import numpy as np

from semipriv.core import fields
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["Realizable"]


@fields.value
class Realizable(LineLabeling):
    """y = 1[x_1 >= target]; errors of thresholds are disagreements with the target.

    Args:
        target: the least x_1 with label 1.

    Source:
        ABM19 section 2.
    """

    target: float = fields.real()

    def pieces(self) -> Pieces:
        """Return the steps 0, below the target, and 1, from it on."""
        return Pieces(np.array([float(self.target)]), np.array([0.0, 1.0]))
