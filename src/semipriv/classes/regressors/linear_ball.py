"""Linear functions <w, x> with ||w|| <= 1 on the unit ball."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressors
from semipriv.core import fields
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points, as_points
from semipriv.core.types import Floats

__all__ = ["LinearBall"]

TOLERANCE = 1e-9
"""How far a norm may exceed 1 by rounding."""


@value
class LinearBall(Regressors):
    """The functions x -> <w, x> with ||w|| <= 1 on the points with ||x|| <= 1.  A parameter vector is w.

    Args:
        dimension: number of features, > 0.

    Source:
        BBD24.
    """

    dimension: int = fields.size()

    @classmethod
    def examples(cls) -> "tuple[LinearBall, ...]":
        """Return a line and a space."""
        return cls(1), cls(3)

    @property
    def width(self) -> int:
        """One weight for each feature."""
        return self.dimension

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points (n, d) of the unit ball.

        Raises:
            ValueError: with the row of the first point outside.
        """
        x = as_points(points, self.dimension, name)
        norms = np.linalg.norm(x, axis=1)
        if (norms > 1 + TOLERANCE).any():
            row = int(np.argmax(norms > 1 + TOLERANCE))
            raise ValueError(f"{name}: row {row} has norm {norms[row]:.6g}: must be at most 1")
        return x

    def values(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return <w, x>, clipped to [-1, 1] against rounding: (k, d), (n, d) -> (k, n)."""
        return np.clip(np.asarray(parameters) @ np.asarray(points).T, -1.0, 1.0)

    def clipped(self, points: Points) -> Points:
        """Return x / max(1, ||x||): the nearest point of the ball, except for rounding."""
        largest = np.maximum(1.0, np.abs(points).max(axis=1, initial=0.0, keepdims=True))
        scaled = points / largest
        norms = np.linalg.norm(scaled, axis=1, keepdims=True)
        inside = norms * largest <= 1 + TOLERANCE
        return np.where(inside, points, scaled / np.where(inside, 1.0, norms))

    def features(self, points: Points) -> Floats:
        """Return the points: they are their own features."""
        return points

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that all weights have norm at most 1.

        Raises:
            ValueError: with the row, for weights of norm above 1.
        """
        norms = np.linalg.norm(parameters, axis=1)
        if (norms > 1 + TOLERANCE).any():
            row = int(np.argmax(norms > 1 + TOLERANCE))
            raise ValueError(f"{name}: row {row} has norm {norms[row]:.6g}: must be at most 1")
