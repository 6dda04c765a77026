"""Discrete Gaussian noise (Canonne, Kamath and Steinke 2020)."""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.fields import checked, value
from semipriv.core.randomness import Secure
from semipriv.core.rounding import rational
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise, integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.sampling.bernoulli import bernoulli_exponential
from semipriv.privacy.zcdp import gaussian_rho

__all__ = ["DiscreteGaussian"]

_TERMS = np.arange(1, 6)
"""Terms of a theta series that are summed: the k-th is at most exp(-pi k^2), and the sixth is below 1e-49."""


@value
class DiscreteGaussian(DiscreteNoise):
    """P[k] = exp(-k^2 / (2 sigma^2)) / Z on the integers k.

    The normaliser is a theta function, by Poisson's summation formula

        Z = sum_k exp(-k^2 / (2 sigma^2)) = sigma sqrt(2 pi) sum_k exp(-2 (pi sigma k)^2),

    and of the two series the one that converges faster is summed.  The variance is below sigma^2.

    Args:
        sigma: > 0, within the range of floats, kept exactly as a rational number: a fraction stays one.

    Source:
        Canonne, Kamath and Steinke 2020.

    Examples:
        >>> np.exp(DiscreteGaussian(1).log_probability([0, 1, -1])).round(5)
        array([0.39894, 0.24197, 0.24197])
        >>> round(DiscreteGaussian(0.5).variance, 6), DiscreteGaussian(10).rho(1)
        (0.215013, 0.005)
    """

    sigma: float | Fraction = checked(rational)

    def per(self, units: int) -> "DiscreteGaussian":
        """Return noise of so many times sigma, exactly."""
        return DiscreteGaussian(Fraction(self.sigma) * units)

    @cached_property
    def _width(self) -> float:
        return float(self.sigma)

    @property
    def _theta(self) -> tuple[bool, float, float]:
        """Whether sigma is wide, sum_k exp(-a k^2) - 1 of the series that is summed, and a times its mean of k^2.

        a = 2 (pi sigma)^2 for a wide sigma, 1 / (2 sigma^2) else; at least pi, infinite beyond the range of floats.
        """
        wide = self._width * self._width > 1 / (2 * math.pi)
        root = math.pi * self._width if wide else 1 / (2 * max(self._width, 1e-300))
        a = min(2 * root * root, 1e6)  # all terms but the zeroth are 0 from 800 on
        terms = np.exp(-a * _TERMS**2)
        beyond_one = 2 * float(terms.sum())
        return wide, beyond_one, 2 * a * float(_TERMS**2 @ terms) / (1 + beyond_one)

    @property
    def log_normaliser(self) -> float:
        """Ln Z > 0, within 1e-15 max(1, ln Z)."""
        wide, beyond_one, _ = self._theta
        return math.log1p(beyond_one) + (math.log(2 * math.pi) / 2 + math.log(self._width) if wide else 0.0)

    def log_probability(self, values: ArrayLike) -> Floats:
        """Return ln P[k] of integers k.

        Args:
            values: integers, of any shape.

        Returns:
            The logarithms, of the shape of values; -inf below the range of floats.

        Raises:
            ValueError: for values that are not integers.
        """
        with np.errstate(over="ignore"):
            exponent = (integers("values", values) / self._width) ** 2 / 2
        return -exponent - self.log_normaliser

    @property
    def variance(self) -> float:
        """-d ln Z / d(1 / (2 sigma^2)), from the series that is summed: sigma^2 (1 - 2 a E[k^2]), or E[k^2] itself."""
        wide, _, moment = self._theta
        squared = self._width * self._width
        return squared * (1 - 2 * moment) if wide else 2 * squared * moment

    def rho(self, sensitivity: float | Fraction = 1) -> float:
        """Return sensitivity^2 / (2 sigma^2), rounded up: independent noise on each coordinate is rho-zCDP.

        ``semipriv.privacy.zcdp`` adds rhos up and converts them.

        Args:
            sensitivity: > 0, the largest L2 distance of the integer values of two neighbours.

        Returns:
            rho.

        Source:
            Canonne, Kamath and Steinke 2020, theorem 4, for each coordinate: divergences of independent ones add up.
        """
        return gaussian_rho(self.sigma, sensitivity)

    @property
    def _reach(self) -> tuple[int, int]:
        """Six times s = ceil(sigma), where exp(-18) is left, and s: ((y + s)^2 - y^2) / (2 sigma^2) >= y / s."""
        whole = math.ceil(self.sigma)
        return 6 * whole, whole

    def exponent(self, magnitude: int) -> Fraction:
        """Return magnitude^2 / (2 sigma^2)."""
        numerator, denominator = Fraction(self.sigma).as_integer_ratio()
        return Fraction((magnitude * denominator) ** 2, 2 * numerator**2)

    def _exponents(self, magnitudes: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return (magnitudes / self._width) ** 2 / 2

    def exact(self, randomness: Secure) -> int:
        """Draw by rejection from discrete Laplace noise of scale t > sigma.

        exp(-k^2 / (2 sigma^2)) is exp(-|k| / t) times exp(-(|k| - sigma^2 / t)^2 / (2 sigma^2)), times a constant.

        Source:
            Canonne, Kamath and Steinke 2020, algorithm 3.
        """
        squared = Fraction(self.sigma) ** 2
        t = math.floor(self.sigma) + 1
        proposal = DiscreteLaplace(t)
        while True:
            k = proposal.exact(randomness)
            if bernoulli_exponential((abs(k) - squared / t) ** 2 / (2 * squared), randomness):
                return k

    def _draw(self, generator: np.random.Generator, size: int) -> Integers:
        """Draw by the same rejection, for all missing numbers at once."""
        t = math.floor(self.sigma) + 1
        proposal = DiscreteLaplace(t)
        drawn = np.empty(size, np.int64)
        missing = np.arange(size)
        while missing.size:
            k = proposal._draw(generator, missing.size)
            with np.errstate(over="ignore"):
                exponent = ((np.abs(k) - self._width * (self._width / t)) / self._width) ** 2 / 2
            accepted = generator.standard_exponential(missing.size) >= exponent
            drawn[missing[accepted]] = k[accepted]
            missing = missing[~accepted]
        return drawn
