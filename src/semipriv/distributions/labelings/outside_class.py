"""A target outside the class of thresholds: an interval."""

import numpy as np

from semipriv.core import fields
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["OutsideClass"]


@fields.value
class OutsideClass(LineLabeling):
    """y = 1[low <= x_1 < high]: no threshold is right everywhere, the best one errs on the smaller outer part.

    Args:
        low: the least x_1 with label 1.
        high: the least x_1 above it with label 0, > low.
    """

    low: float = fields.real()
    high: float = fields.real()

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")

    def pieces(self) -> Pieces:
        """Return the steps 0, 1, 0."""
        return Pieces(np.array([self.low, self.high], float), np.array([0.0, 1.0, 0.0]))
