"""A vector of integers with discrete Gaussian noise: exact under ``Secure``, with the sensitivity that it hides."""

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semipriv.core.fields import checked, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rational
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.events import Event, GaussianEvent, gaussian_scale


@value
class GaussianIntegers:
    """Add independent discrete Gaussian noise to each coordinate of a vector of integers.

    If neighbours' vectors differ by at most the sensitivity in L2, it is rho-zCDP with sigma = sensitivity /
    sqrt(2 rho), rounded up: divergences of independent coordinates add up (Canonne, Kamath and Steinke 2020).

    Args:
        sensitivity: an integer >= 1, the largest L2 distance of the vectors of two neighbours.
        rho: > 0, kept exactly.
    """

    sensitivity: int = size()
    rho: float | Fraction = checked(rational)

    norm: ClassVar[int] = 2
    """The norm of the sensitivity."""

    @property
    def noise(self) -> DiscreteGaussian:
        """The noise of one coordinate."""
        return DiscreteGaussian(gaussian_scale(Fraction(self.rho), self.sensitivity))

    @property
    def event(self) -> Event:
        """What one release does to the data: a rho of at most ``rho``, as sigma is rounded up."""
        return GaussianEvent(self.noise.sigma, self.sensitivity)

    def per(self, units: int) -> "GaussianIntegers":
        """Return the mechanism for sums of which a person has so many units: the sensitivity is so many times as large.

        Args:
            units: W >= 1.
        """
        return GaussianIntegers(self.sensitivity * units, self.rho)

    def release(self, values: Integers, randomness: Randomness) -> NDArray[Any]:
        """Return the integers (m,) int64 with noise; Python integers if a noise is 2^62 or more, either way."""
        return self.noise.add(values, randomness)


def bounded_in_length(summands: Floats, most: int) -> Integers:
    """Return summands (p, n), a column for each record, as integers of L2 norm at most ``most``, column by column.

    As ``noisy_integers.bounded``: squares of the integers are summed up exactly, and a column that is still too long
    becomes 0.  most: below 2^26, so that a square of a column's numbers fits in 64 bits.

    >>> bounded_in_length(np.array([[3.0, 30.0, np.inf], [-4.5, 40.0, 0.0]]), 10)
    array([[ 3,  6,  0],
           [-4,  8,  0]])
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        norms = np.sqrt((summands**2).sum(axis=0))
        cut = np.trunc(np.where(norms > most, summands * (most / norms), summands))
    whole = np.where(np.abs(cut) <= most, cut, 0.0).astype(np.int64)  # where it is no number, 0
    return np.where((whole**2).sum(axis=0) <= most**2, whole, 0)
