"""What every class of real-valued functions offers."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._function import Registered
from semipriv.core.arrays import Arrays
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.privacy.guarantee import Output


class Regressors(Registered):
    """A class of functions from a set of points of R^dimension to [-1, 1], given by parameters."""

    labels: ClassVar[str] = "functions to [-1, 1]"
    room: ClassVar[str] = "regressors"

    @abstractmethod
    def values(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the values of functions at points.

        Args:
            parameters: (k, p), a row for each function.
            points: (n, d).

        Returns:
            The values (k, n) float64, in [-1, 1].
        """

    @abstractmethod
    def clipped(self, points: Points) -> Points:
        """Return for each point, wherever it is, a point of the domain; points of the domain stay.

        Mechanisms clip private records so, since a record outside would move a fit by more than they hide.

        Args:
            points: (n, d).

        Returns:
            The points (n, d) of the domain.
        """

    def listed(self) -> Parameters | None:
        """Return the parameters of all functions of a finite class.

        Returns:
            (N, p); None for other classes.
        """
        return None

    def features(self, points: Points) -> Floats | None:
        """Return vectors of norm at most 1 if the values are <w, vector> for all parameters ||w|| <= 1.

        Args:
            points: (n, d).

        Returns:
            The vectors (n, p); None for a class that is no such ball.
        """
        return None

    @abstractmethod
    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that the class has functions with these parameters.

        Args:
            parameters: (k, p).
            name: what messages call them.

        Raises:
            ValueError: with the row, for parameters that no function of the class has.
        """


@dataclass(frozen=True, eq=False)
class Regressor(Output):
    """A mean of functions of a class: f(x) = sum_j weights[j] f_j(x).  One function with weight 1 is in the class.

    Args:
        functions: the class.
        parameters: (k, p), one row for each function.
        weights: (k,), none below 0, in sum 1.

    Raises:
        ValueError: for other shapes.
    """

    functions: Regressors
    parameters: Parameters
    weights: Floats
    kind: ClassVar[str] = "regressor"

    def __post_init__(self) -> None:
        shape, k = np.shape(self.parameters), len(self.weights)
        if shape != (k, self.functions.width):
            raise ValueError(f"parameters: must have shape ({k}, {self.functions.width}), got {shape}")

    @classmethod
    def single(cls, functions: Regressors, parameters: Floats) -> "Regressor":
        """Return one function of a class.

        Args:
            functions: the class.
            parameters: (p,).

        Returns:
            The function, with weight 1.
        """
        return cls(functions, np.asarray(parameters, np.float64)[None], np.ones(1))

    def predict(self, points: ArrayLike) -> Floats:
        """Return the values at points.

        Args:
            points: (n, d).

        Returns:
            The values (n,) float64, in [-1, 1].
        """
        return np.asarray(self.weights @ self.functions.values(self.parameters, points))

    def description(self) -> dict[str, Any]:
        """Return the specification of the class.

        Returns:
            The specification, as values of JSON.
        """
        return {"functions": self.functions.specification()}

    def arrays(self) -> Arrays:
        """Return parameters and weights.

        Returns:
            ``parameters`` (k, p) and ``weights`` (k,).
        """
        return {"parameters": self.parameters, "weights": self.weights}
