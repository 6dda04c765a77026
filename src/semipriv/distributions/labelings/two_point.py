"""The two-point family: labels independent of the point."""

import numpy as np

from semipriv.core import fields
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling

__all__ = ["TwoPoint"]


@fields.value
class TwoPoint(LineLabeling):
    """P[y = 1 | x] = 1/2 + gap for every x: the wrong constant has excess 2 |gap|.

    With a point mass as marginal, the family on which the private need grows like 1 / gap^2.

    Args:
        gap: P[y = 1 | x] - 1/2, in (-1/2, 1/2), not 0.

    Source:
        ABM19 theorem 3.1, agnostic.
    """

    gap: float = fields.between(-0.5, 0.5)

    def __attrs_post_init__(self) -> None:
        if self.gap == 0:
            raise ValueError("gap = 0: must not be 0, both constants would be best")

    def pieces(self) -> Pieces:
        """Return the only step."""
        return Pieces(np.array([]), np.array([0.5 + self.gap]))
