"""A hypothesis of an active learner, with the labels that it asked for."""

from dataclasses import dataclass
from typing import Any, ClassVar

from semipriv.classes.base import Hypothesis
from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.core.types import Integers

__all__ = ["restore"]


@dataclass(frozen=True, eq=False)
class Transcript(Hypothesis):
    """A hypothesis, and the places of the examples whose labels were asked for, in their order.

    BNS15 definitions 5.2 and 5.3: who answers sees the places, so that they are released, too.  asked: (k,) integers.
    """

    asked: Integers
    kind: ClassVar[str] = "transcript"

    def arrays(self) -> Arrays:
        """Return the parameters and the places."""
        return {**super().arrays(), "asked": self.asked}


def restore(description: dict[str, Any], arrays: Arrays) -> Transcript:
    """Return the hypothesis with the set of functions in the description, and these arrays."""
    return Transcript(registry.specified(description["functions"]), arrays["parameters"], arrays["asked"])
