"""Discrete Laplace noise, also called two-sided geometric (Ghosh, Roughgarden and Sundararajan 2009)."""

import math
from fractions import Fraction
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.fields import checked, value
from semipriv.core.randomness import Secure
from semipriv.core.rounding import rational, rounded_up
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise, integers
from semipriv.mechanisms.sampling.bernoulli import bernoulli_exponential

__all__ = ["DiscreteLaplace"]


@value
class DiscreteLaplace(DiscreteNoise):
    """P[k] = tanh(1 / (2 scale)) exp(-|k| / scale) on the integers k.

    Args:
        scale: > 0, within the range of floats, kept exactly as a rational number: a fraction stays one.

    Source:
        Ghosh, Roughgarden and Sundararajan 2009.

    Examples:
        >>> np.exp(DiscreteLaplace(1).log_probability([0, 1, -1])).round(5)
        array([0.46212, 0.17   , 0.17   ])
        >>> DiscreteLaplace(Fraction(10, 3)).epsilon(1)
        0.30000000000000004
    """

    scale: float | Fraction = checked(rational)

    def per(self, units: int) -> "DiscreteLaplace":
        """Return noise of so many times the scale, exactly."""
        return DiscreteLaplace(Fraction(self.scale) * units)

    @cached_property
    def _width(self) -> float:
        return float(self.scale)

    @property
    def _log_ratio(self) -> float:
        """1 / scale, infinite beyond the range of floats: ln P[k] - ln P[k + 1] for k >= 0."""
        return 1 / self._width

    def log_probability(self, values: ArrayLike) -> Floats:
        """Return ln P[k] of integers k.

        Args:
            values: integers, of any shape.

        Returns:
            The logarithms, of the shape of values; -inf below the range of floats.

        Raises:
            ValueError: for values that are not integers.
        """
        k = np.abs(integers("values", values))
        with np.errstate(over="ignore"):
            return math.log(math.tanh(self._log_ratio / 2)) - k / self._width

    def log_cumulative(self, values: ArrayLike) -> Floats:
        """Return ln P[K <= k] of integers k; P[K >= k] is P[K <= -k].

        With q = exp(-1 / scale) it is q^-k / (1 + q) for k <= 0, and 1 - q^(k+1) / (1 + q) for k >= 0.

        Args:
            values: integers, of any shape.

        Returns:
            The logarithms, of the shape of values.

        Raises:
            ValueError: for values that are not integers.

        Examples:
            >>> np.exp(DiscreteLaplace(1).log_cumulative([-1, 0])).round(5)
            array([0.26894, 0.73106])
        """
        k = integers("values", values)
        with np.errstate(over="ignore"):
            tail = -np.where(k <= 0, -k, k + 1) / self._width - math.log1p(math.exp(-self._log_ratio))
        above_half = np.log1p(-np.exp(np.minimum(tail, -math.log(2))))  # tail <= -ln 2 wherever it is used
        return np.where(k <= 0, tail, above_half)

    @property
    def variance(self) -> float:
        """2 q / (1 - q)^2 with q = exp(-1 / scale)."""
        root = math.exp(-self._log_ratio / 2) / -math.expm1(-self._log_ratio)
        return 2 * root * root

    def epsilon(self, sensitivity: float | Fraction = 1) -> float:
        """Return sensitivity / scale, rounded up: independent noise on each coordinate is epsilon-DP.

        Args:
            sensitivity: > 0, the largest L1 distance of the integer values of two neighbours: |k + s| <= |k| + s.

        Returns:
            epsilon.
        """
        return rounded_up(rational("sensitivity", sensitivity) / Fraction(self.scale))

    @property
    def _reach(self) -> tuple[int, int]:
        """16 times s = ceil(scale), where exp(-16) is left, and s, with which exp(-1) of it is left."""
        whole = math.ceil(self.scale)
        return 16 * whole, whole

    def exponent(self, magnitude: int) -> Fraction:
        """Return magnitude / scale."""
        return Fraction(magnitude) / Fraction(self.scale)

    def _exponents(self, magnitudes: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return magnitudes / self._width

    def exact(self, randomness: Secure) -> int:
        """Draw an integer with exactly its probability, scale = t / s.

        x = u + t v is geometric, P[x] ~ exp(-x / t); so is its quotient by s, P[y] ~ exp(-y s / t).  A random sign
        makes it two-sided; -0 is rejected.

        Source:
            Canonne, Kamath and Steinke 2020, algorithm 2.
        """
        t, s = Fraction(self.scale).as_integer_ratio()
        while True:
            u = randomness.below(t)
            if not bernoulli_exponential(Fraction(u, t), randomness):
                continue
            v = next(v for v in count() if not bernoulli_exponential(Fraction(1), randomness))
            magnitude, negative = (u + t * v) // s, randomness.bits(1)
            if magnitude or not negative:
                return -magnitude if negative else magnitude

    def _draw(self, generator: np.random.Generator, size: int) -> Integers:
        """Draw the difference of two geometric numbers, floor(scale E) with E exponential."""
        first, second = np.floor(self._width * generator.standard_exponential((2, size))).astype(np.int64)
        return first - second

    def _draw_one(self, generator: np.random.Generator) -> int:
        """Draw the same without arrays, which take most of the time of one."""
        first = math.floor(self._width * generator.standard_exponential())
        return first - math.floor(self._width * generator.standard_exponential())
