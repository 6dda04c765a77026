"""Noise on counts: the one that a budget allows, and what a use of it costs."""

from fractions import Fraction

from semipriv.core import estimates
from semipriv.core.work import Cost
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Event, GaussianEvent, Pure, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee


def count_noise(changed: int, budget: Guarantee, alone: int = 0) -> DiscreteNoise:
    """Return the noise of counts, so many of which one record changes by 1: so many uses are within the budget.

    Discrete Laplace of scale changed / epsilon for delta = 0, else discrete Gaussian with changed / (2 sigma^2) = rho.
    alone: as of ``whole``, at most ``changed``; 0 where a release does something else besides.
    """
    if budget.delta == 0:
        return DiscreteLaplace(changed / whole(budget))
    return DiscreteGaussian(gaussian_scale(whole(budget, alone) / changed))


def use(noise: DiscreteNoise) -> Event:
    """Return one use of such noise, on a count that changes by 1."""
    if isinstance(noise, DiscreteGaussian):
        return GaussianEvent(noise.sigma)
    assert isinstance(noise, DiscreteLaplace)
    return Pure(1 / Fraction(noise.scale))


def draw_cost(number: int, budget: Guarantee, vectors: int = 1) -> Cost:
    """Return what so many exact draws (``Secure``) of noise within a budget take, about, for so many vectors."""
    return estimates.noise(number, normal=budget.delta > 0, calls=vectors)
