"""Linear functions with an intercept on all points."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressors
from semipriv.core import fields
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.geometry.predicates import affine_values

__all__ = ["Linear"]


@value
class Linear(Regressors):
    """The functions x -> w_1 x_1 + ... + w_d x_d + b, moved into [-1, 1], on all of R^d; parameters (w_1, ..., w_d, b).

    Args:
        dimension: number of features, > 0.
    """

    dimension: int = fields.size()

    @classmethod
    def examples(cls) -> "tuple[Linear, ...]":
        """Return those of a line and of a plane."""
        return cls(1), cls(2)

    @property
    def width(self) -> int:
        """One weight for each feature, and the intercept."""
        return self.dimension + 1

    def values(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the values, each of its own point alone: (k, d + 1), (n, d) -> (k, n)."""
        return clipped_values(np.asarray(parameters, np.float64), self.validated(points))

    def clipped(self, points: Points) -> Points:
        """Return the points: all are of the domain."""
        return points

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that all parameters are finite.

        Raises:
            ValueError: with the row, for others.
        """
        check_finite(parameters, name)


def clipped_values(parameters: Floats, points: Points) -> Floats:
    """Return w_1 x_1 + ... + w_d x_d + b, moved into [-1, 1]: (k, d + 1), (n, d) -> (k, n).

    Infinite terms of both signs have no sum: the value is 0 there, and no warning tells.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(affine_values(parameters, np.ascontiguousarray(points.T))), -1.0, 1.0)


def check_finite(parameters: Parameters, name: str) -> None:
    """Raise ValueError with the first row that has a number that is not finite."""
    wrong = ~np.isfinite(parameters).all(axis=1)
    if wrong.any():
        raise ValueError(f"{name}: row {int(np.argmax(wrong))}: must be finite")
