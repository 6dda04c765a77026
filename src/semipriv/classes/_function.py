"""One function of a set of functions, as an output: what hypotheses and classifiers share."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.functions import Functions
from semipriv.core.types import Floats
from semipriv.privacy.guarantee import Output

F = TypeVar("F", bound=Functions)


@dataclass(frozen=True, eq=False)
class FunctionOutput(Output, Generic[F]):
    """One function: the set of functions to which it belongs, and its parameters.

    Args:
        functions: the set of functions.
        parameters: (p,), p the width of that set.

    Raises:
        ValueError: for parameters of another shape.
    """

    functions: F
    parameters: Floats

    def __post_init__(self) -> None:
        if np.shape(self.parameters) != (self.functions.width,):
            shape = np.shape(self.parameters)
            raise ValueError(f"parameters: must have shape ({self.functions.width},) for {self.functions}, got {shape}")

    def description(self) -> dict[str, Any]:
        """Return the specification of its set of functions.

        Returns:
            The specification, as values of JSON.
        """
        return {"functions": self.functions.specification()}

    def arrays(self) -> Arrays:
        """Return the parameters.

        Returns:
            ``parameters`` (p,).
        """
        return {"parameters": self.parameters}
