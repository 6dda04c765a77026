"""Linear functions of features that are standardised and clipped."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._standardised import Standardised
from semipriv.classes.regressors.base import Regressors
from semipriv.classes.regressors.linear import check_finite, clipped_values
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats

__all__ = ["ClippedLinear"]


@value
class ClippedLinear(Standardised, Regressors):
    """x -> w_1 z_1 + ... + w_d z_d + b, moved into [-1, 1]; z_j = (x_j - centre_j) / scale_j, moved into [-4, 4].

    Parameters: (w_1, ..., w_d, b).  A row far away, or a feature with a long tail, weighs no more than one at 4 scales.

    Args:
        centre: (d,) finite numbers.
        scale: (d,) finite numbers > 0.
    """

    @classmethod
    def examples(cls) -> "tuple[ClippedLinear, ...]":
        """Return those of a line and of a plane."""
        return cls((1.0,), (0.5,)), cls((0.0, -3.0), (2.0, 1e3))

    def values(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the values, each of its own point alone: (k, d + 1), (n, d) -> (k, n)."""
        return clipped_values(np.asarray(parameters, np.float64), self.standardised(points))

    def clipped(self, points: Points) -> Points:
        """Return the points: all are of the domain."""
        return points

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that all parameters are finite.

        Raises:
            ValueError: with the row, for others.
        """
        check_finite(parameters, name)
