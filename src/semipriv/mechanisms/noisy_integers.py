"""A vector of integers with discrete Laplace noise: exact under ``Secure``, with the sensitivity that it hides."""

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semipriv.core.fields import checked, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rational
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Event, Pure

LARGEST = 2**53
"""Sums up to here are integers of 64 bits with room for their noise, and exact as floats."""


@value
class NoisyIntegers:
    """Add independent discrete Laplace noise of scale sensitivity / epsilon to each coordinate of a vector of integers.

    If neighbours' vectors differ by at most the sensitivity in L1, probabilities of an output differ by a factor of at
    most e^epsilon: P[v + K = o] is proportional to exp(-|o - v|_1 / scale).

    Args:
        sensitivity: an integer >= 1, the largest L1 distance of the vectors of two neighbours.
        epsilon: privacy parameter, > 0; a fraction is kept exactly.
    """

    sensitivity: int = size()
    epsilon: float | Fraction = checked(rational)

    norm: ClassVar[int] = 1
    """The norm of the sensitivity."""

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of one coordinate."""
        return DiscreteLaplace(Fraction(self.sensitivity) / Fraction(self.epsilon))

    @property
    def event(self) -> Event:
        """What one release does to the data: pure epsilon."""
        return Pure(self.epsilon)

    def per(self, units: int) -> "NoisyIntegers":
        """Return the mechanism for sums of which a person has so many units: the sensitivity is so many times as large.

        Args:
            units: W >= 1.
        """
        return NoisyIntegers(self.sensitivity * units, self.epsilon)

    def release(self, values: Integers, randomness: Randomness) -> NDArray[Any]:
        """Return the integers (m,) int64 with noise; Python integers if a noise is 2^62 or more, either way."""
        return self.noise.add(values, randomness)


def bounded(summands: Floats, most: int) -> Integers:
    """Return summands (p, n), a column for each record, as integers of L1 norm at most ``most``, column by column.

    Longer columns are shortened to that norm, then coordinates are cut toward 0.  What is computed in floats promises
    nothing: so norms of the integers are summed up exactly, and a column that is still too long, by whatever rounding,
    becomes 0.  No column depends on another one.

    >>> bounded(np.array([[3.0, 30.0, np.inf], [-1.5, 10.0, 0.0]]), 8)
    array([[ 3,  6,  0],
           [-1,  2,  0]])
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        norms = np.abs(summands).sum(axis=0)
        cut = np.trunc(np.where(norms > most, summands * (most / norms), summands))
    whole = np.where(np.abs(cut) <= most, cut, 0.0).astype(np.int64)  # where it is no number, 0
    return np.where(np.abs(whole).sum(axis=0) <= most, whole, 0)
