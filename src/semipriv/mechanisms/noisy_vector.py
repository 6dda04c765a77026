"""A vector with independent noise on each coordinate, for simulation only."""

import numpy as np

from semipriv.core.fields import one_of, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.base import ContinuousNoise
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.mechanisms.noise.laplace import Laplace

__all__ = ["NoisyVector"]

NOISES = {"gaussian": Gaussian, "laplace": Laplace}
"""Noises by name, which their scale makes: the standard deviation, or the mean of |x|."""
NORMS = {"gaussian": 2, "laplace": 1}
"""The norm in which each of them measures the distance of neighbours."""


@value
class NoisyVector:
    """Add noise of one scale to all coordinates of a vector.

    What scale and sensitivity are worth together: ``semipriv.privacy.gaussian``, and sensitivity / scale for Laplace
    noise.  For real numbers; floating-point sums keep no such promise.

    Args:
        noise: 'gaussian' or 'laplace'.
        scale: > 0.
        sensitivity: > 0, the largest distance of the vectors of neighbours, in L2 for Gaussian noise, in L1 for Laplace
            noise.
    """

    noise: str = one_of(list(NOISES), "a noisy vector")
    scale: float = positive()
    sensitivity: float = positive()

    @property
    def norm(self) -> int:
        """2 or 1: the norm of the sensitivity."""
        return NORMS[self.noise]

    @property
    def coordinate(self) -> ContinuousNoise:
        """The noise of one coordinate."""
        noise = NOISES[self.noise](self.scale)
        assert isinstance(noise, ContinuousNoise)
        return noise

    def release(self, values: Floats, randomness: Randomness) -> Floats:
        """Return the values (m,) with noise.  Raise ValueError for Secure: real-valued noise is for simulation only."""
        return np.asarray(values + self.coordinate.sample(randomness, len(values)))
