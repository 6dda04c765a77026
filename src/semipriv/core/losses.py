"""Losses of a real prediction for a real response, with values in [0, 1]."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import registry
from semipriv.core.fields import value
from semipriv.core.types import Floats

__all__ = ["LOSSES", "Loss", "loss"]


@value
class Loss:
    """A convex loss l(f, y) of a prediction f and a response y in [-1, 1], with values in [0, 1] (BBD24 section 2).

    power: 2 for the squared loss (f - y)^2 / 4, 1 for the absolute loss |f - y| / 2.  lipschitz: lambda, the largest
    |l(f, y) - l(g, y)| / |f - g|: 1 and 1/2.
    """

    name: str
    power: int
    lipschitz: float

    def of(self, predictions: ArrayLike, responses: ArrayLike) -> Floats:
        """Return the losses of predictions for responses; both are arrays of shapes that NumPy broadcasts.

        >>> loss("squared").of([0.0, 1.0], [1.0, -1.0])
        array([0.25, 1.  ])
        """
        return (np.abs(np.subtract(predictions, responses)) / 2) ** self.power


LOSSES: Mapping[str, Loss] = MappingProxyType(
    {"squared": Loss("squared", 2, 1.0), "absolute": Loss("absolute", 1, 0.5)}
)
"""The losses by name."""


def loss(name: str) -> Loss:
    """Return the loss with that name; raise ValueError, with the names, for another."""
    registry.check_name("loss", name, list(LOSSES))
    return LOSSES[name]
