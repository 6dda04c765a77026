"""What sets of functions that the registry knows share, and what one function as an output is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.core.functions import Functions
from semipriv.core.types import Floats
from semipriv.privacy.guarantee import Output

F = TypeVar("F", bound=Functions)


class Registered(Functions):
    """A set of functions that the registry builds from a name and parameters."""

    room: ClassVar[str]
    """Room of the registry."""

    def specification(self) -> dict[str, Any]:
        """Return the room, the name and the parameters from which the registry builds these functions.

        Returns:
            A mapping of values of JSON.
        """
        return registry.specification(self.room, self)

    @classmethod
    def examples(cls) -> "Sequence[Registered]":
        """Return the instances that the property tests try; a file without any fails them by name.

        Returns:
            At least one instance, made from constants alone.
        """
        return ()


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
