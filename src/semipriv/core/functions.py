"""Sets of functions given by parameters: what predictors of labels and real-valued regressors have in common."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.core.samples import Points, as_points

Parameters = NDArray[np.float64]
"""(k, p) float64: k functions of p parameters each."""


class Functions(ABC):
    """A set of functions from R^dimension to the numbers, given by parameters."""

    labels: ClassVar[str] = "functions"
    """What they are, in words, for messages."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of features of a point."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of parameters of a function."""

    @abstractmethod
    def specification(self) -> dict[str, Any]:
        """Return the room, the name and the parameters from which the registry builds these functions.

        Returns:
            A mapping of values of JSON.
        """

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Check points, and return them as an array.

        Args:
            points: (n, d), or (n,) where points have one feature.
            name: what messages call them.

        Returns:
            The points (n, d) float64.

        Raises:
            ValueError: for other shapes, and with the row of the first point outside the domain.
        """
        return as_points(points, self.dimension, name)
