"""Gaussian noise."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.fields import positive, value
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.base import ContinuousNoise
from semipriv.privacy.zcdp import gaussian_rho

__all__ = ["Gaussian"]


@value
class Gaussian(ContinuousNoise):
    """Density exp(-x^2 / (2 sigma^2)) / (sigma sqrt(2 pi)), for simulation only.

    Args:
        sigma: standard deviation, finite and > 0, in the units of the number it is added to.

    Examples:
        >>> Gaussian(2.0).rho(1.0), Gaussian(2.0).variance
        (0.125, 4.0)
    """

    sigma: float = positive()
    discrete: ClassVar[str] = "DiscreteGaussian"

    def log_density(self, values: ArrayLike) -> Floats:
        """Return -(x / sigma)^2 / 2 - ln(sigma sqrt(2 pi)).

        Args:
            values: numbers x, of any shape.

        Returns:
            The logarithms, of the shape of values.
        """
        with np.errstate(over="ignore"):
            exponent = (np.asarray(values, np.float64) / self.sigma) ** 2 / 2
        return -exponent - math.log(2 * math.pi) / 2 - math.log(self.sigma)

    @property
    def variance(self) -> float:
        """sigma^2."""
        return self.sigma * self.sigma

    def rho(self, sensitivity: float = 1.0) -> float:
        """Return sensitivity^2 / (2 sigma^2), rounded up: independent noise on each coordinate is rho-zCDP.

        ``semipriv.privacy.zcdp`` adds rhos up and converts them, ``semipriv.privacy.gaussian`` gives the exact
        (epsilon, delta) of one release.  For real numbers; floating-point sums keep no such promise.

        Args:
            sensitivity: > 0, the largest L2 distance of the values of two neighbours.

        Returns:
            rho.

        Source:
            Bun and Steinke 2016, proposition 1.6.
        """
        return gaussian_rho(self.sigma, sensitivity)

    def _draw(self, generator: np.random.Generator, size: int | None) -> Any:
        return generator.normal(scale=self.sigma, size=size)
