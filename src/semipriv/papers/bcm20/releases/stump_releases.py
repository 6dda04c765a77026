"""Releases of the means of p coordinates: answers to all decision stumps on the cube (BCM20 definition 12).

Answers are in the scale of BCM20, E[z_j] in [-1, 1] (2 a - 1 for a share a), and are not clipped to it.  Replacing one
of n private records moves each mean by at most 2 / n: all of them by 2 sqrt(p) / n in L2, and 2 p / n in L1.  Noise is
real-valued: these are simulations.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.core import fields
from semipriv.core.randomness import Simulation
from semipriv.core.types import Bools, Floats
from semipriv.mechanisms.noise.base import ContinuousNoise
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.papers.bcm20.releases.tracing import record_means
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated


class StumpRelease(ABC):
    """A mechanism that answers the p stumps from private records (n, p) and public ones (m, p)."""

    @property
    def guarantee(self) -> Guarantee | None:
        """The guarantee for replacing one private record, if there is one."""
        return None

    @abstractmethod
    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return the answers (p,); raises ValueError if there are none of the records that it needs."""


class NoisyMeans(StumpRelease):
    """Means plus independent noise on each."""

    @abstractmethod
    def noise(self, p: int, n: int) -> ContinuousNoise:
        """Return the noise of each mean."""

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return noisy means."""
        means = record_means(private, "private")
        return means + self.noise(len(means), len(private)).sample(randomness, len(means))


@fields.value
class ExactMeans(StumpRelease):
    """The means of the private records."""

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return the means."""
        return record_means(private, "private")


@fields.value
class UniformNoise(StumpRelease):
    """Means plus independent noise, uniform in [-alpha, alpha]: accurate to alpha on the sample, and not private."""

    alpha: float = fields.positive()

    @property
    def variance(self) -> float:
        """Variance of the noise, alpha^2 / 3."""
        return self.alpha**2 / 3

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return noisy means."""
        means = record_means(private, "private")
        return means + randomness.generator.uniform(-self.alpha, self.alpha, len(means))


@fields.value
class RoundedMeans(StumpRelease):
    """Means rounded to multiples of 2 alpha: accurate to alpha on the sample, and not private."""

    alpha: float = fields.positive()

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return rounded means."""
        step = 2 * self.alpha
        return step * np.rint(record_means(private, "private") / step)


@fields.value
class GaussianMeans(NoisyMeans):
    """Means plus Gaussian noise, of the rho that rho + 2 sqrt(rho ln(1/delta)) <= epsilon allows."""

    epsilon: float = fields.positive()
    delta: float = fields.between(0, 1)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def rho(self) -> float:
        """The rho of the release, rounded down."""
        return _rho(self.guarantee)

    def noise(self, p: int, n: int) -> Gaussian:
        """Return the noise of each mean: (2 sqrt(p) / n)^2 / (2 sigma^2) <= rho, and hardly less."""
        rho = self.rho
        sigma = math.sqrt(2 * p / rho) / n
        while Fraction(sigma) ** 2 * Fraction(rho) * n**2 < 2 * p:
            sigma = math.nextafter(sigma, math.inf)
        return Gaussian(sigma)


@cache
def _rho(guarantee: Guarantee) -> float:
    return ZeroConcentrated.within(guarantee, tight=False).rho


@fields.value
class LaplaceMeans(NoisyMeans):
    """Means plus Laplace noise of scale 2 p / (n epsilon)."""

    epsilon: float = fields.positive()

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0)."""
        return Guarantee(self.epsilon)

    def noise(self, p: int, n: int) -> Laplace:
        """Return the noise of each mean."""
        scale = 2 * p / (n * self.epsilon)
        while Fraction(scale) * Fraction(self.epsilon) * n < 2 * p:
            scale = math.nextafter(scale, math.inf)
        return Laplace(scale)


@fields.value
class PublicMeans(StumpRelease):
    """The means of the public records: nothing private is used."""

    @property
    def guarantee(self) -> Guarantee:
        """Of what does not depend on private records: epsilon = delta = 0."""
        return Guarantee(0.0)

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return the means of the public records."""
        return record_means(public, "public")


@fields.value
class MixedMeans(StumpRelease):
    """Private Gaussian means and public means with weights 1 - w and w, w = v / (v + 1 / m) and v = 1 / n + sigma^2.

    Variances of one coordinate are at most v and 1 / m, so these are weights by inverse variance (our mixture).
    """

    epsilon: float = fields.positive()
    delta: float = fields.between(0, 1)

    @property
    def private_part(self) -> GaussianMeans:
        """The release of the private means."""
        return GaussianMeans(self.epsilon, self.delta)

    @property
    def guarantee(self) -> Guarantee:
        """That of its private part."""
        return self.private_part.guarantee

    def private_variance(self, p: int, n: int) -> float:
        """Return v = 1 / n + sigma^2."""
        return 1 / n + self.private_part.noise(p, n).variance

    def public_weight(self, p: int, n: int, m: int) -> float:
        """Return w, 0 for no public record."""
        v = self.private_variance(p, n)
        return v * m / (v * m + 1)

    def answers(self, private: Bools, public: Bools, randomness: Simulation) -> Floats:
        """Return the mixture; without public records the private part."""
        alone = self.private_part.answers(private, public, randomness)
        if not len(public):
            return alone
        w = self.public_weight(private.shape[1], len(private), len(public))
        return (1 - w) * alone + w * record_means(public, "public")

    def mean_squared_error(self, p: int, n: int, m: int) -> float:
        """Return (1 - w)^2 (sigma^2 + 2 / (3 n)) + w^2 2 / (3 m), over populations with uniform means, for m >= 1."""
        w = self.public_weight(p, n, m)
        private = self.private_part.noise(p, n).variance + 2 / (3 * n)
        return (1 - w) ** 2 * private + w**2 * 2 / (3 * m)
