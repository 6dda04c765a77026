"""Laplace noise (Dwork, McSherry, Nissim and Smith 2006)."""

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.fields import positive, value
from semipriv.core.rounding import rational, rounded_up
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.base import ContinuousNoise

__all__ = ["Laplace"]


@value
class Laplace(ContinuousNoise):
    """Density exp(-|x| / scale) / (2 scale), for simulation only.

    Args:
        scale: finite and > 0, in the units of the number it is added to.

    Source:
        Dwork, McSherry, Nissim and Smith 2006.

    Examples:
        >>> Laplace(2.0).epsilon(1.0), Laplace(2.0).variance
        (0.5, 8.0)
    """

    scale: float = positive()
    discrete: ClassVar[str] = "DiscreteLaplace"

    def log_density(self, values: ArrayLike) -> Floats:
        """Return -|x| / scale - ln(2 scale).

        Args:
            values: numbers x, of any shape.

        Returns:
            The logarithms, of the shape of values.
        """
        with np.errstate(over="ignore"):
            return -np.abs(np.asarray(values, np.float64)) / self.scale - math.log(2) - math.log(self.scale)

    @property
    def variance(self) -> float:
        """2 scale^2."""
        return 2 * self.scale * self.scale

    def epsilon(self, sensitivity: float = 1.0) -> float:
        """Return sensitivity / scale, rounded up: independent noise on each coordinate is epsilon-DP.

        For real numbers; floating-point sums keep no such promise.

        Args:
            sensitivity: > 0, the largest L1 distance of the values of two neighbours.

        Returns:
            epsilon.
        """
        return rounded_up(rational("sensitivity", sensitivity) / Fraction(self.scale))

    def _draw(self, generator: np.random.Generator, size: int | None) -> Any:
        return generator.laplace(scale=self.scale, size=size)
