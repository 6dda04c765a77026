"""The least population error of a class: exact, or estimated with limits."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

FRESH_SAMPLE = 50_000
"""Points of the fresh sample that estimates an error without a closed form."""
LEVEL = 0.95
"""Probability with which the limits of an estimate hold."""


@dataclass(frozen=True)
class BestError:
    """Infimum of the population error over a class, with limits; all three are equal if it is exact."""

    value: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether the value is known exactly."""
        return self.low == self.high


def exactly(value: float) -> BestError:
    """Return a best error that is known exactly."""
    return BestError(value, value, value)


def estimate_best_error(
    hypothesis_class: HypothesisClass,
    distribution: Marginal,
    probability: Callable[[Points], Floats],
    randomness: Simulation,
) -> BestError:
    """Estimate inf_h err(h), err(h) = E[P[h(x) != y | x]], points of a distribution, labels of probability eta(x).

    A first sample of ``hypothesis_class.minimise_size`` points gives the hypothesis of least empirical error, a second
    one of FRESH_SAMPLE points its error anew: this is the value.  Limits, each with probability 1 - (1 - LEVEL) / 2 by
    Hoeffding's inequality, for errors P[h(x) != y | x] in [0, 1]:

    low: the least error on the first sample - sqrt(ln(2 / (1 - LEVEL)) / (2 n_1)).  The empirical error of a best
    hypothesis, which was not chosen by the sample, exceeds its error by more only rarely, and the least is no larger.
    high: the error on the second sample + sqrt(ln(2 / (1 - LEVEL)) / (2 n_2)).  The hypothesis does not depend on the
    second sample, and no hypothesis has an error below the infimum.

    Raises ValueError if points of the distribution are not of the domain of the class.
    """
    first = distribution.sample(hypothesis_class.minimise_size, randomness.spawn("minimise").generator)
    eta = probability(first)
    minimum = hypothesis_class.minimise(first, np.ones(len(first), np.int8), 2 * eta - 1)
    second = distribution.sample(FRESH_SAMPLE, randomness.spawn("error").generator)
    least = _mean_error(hypothesis_class, minimum.parameters, first, eta)
    value = _mean_error(hypothesis_class, minimum.parameters, second, probability(second))
    low = min(max(least - _deviation(len(first)), 0.0), value)
    return BestError(value, low, min(value + _deviation(len(second)), 1.0))


def _mean_error(h: HypothesisClass, parameters: Floats, points: Points, eta: Floats) -> float:
    """Return the mean of P[h(x) != y | x] over points with P[y = 1 | x] = eta."""
    return float(np.where(h.predict(parameters[None], points)[0], 1 - eta, eta).mean())


def _deviation(n: int) -> float:
    """Return t; a mean of n numbers in [0, 1] exceeds its expectation by t with probability <= (1 - LEVEL) / 2."""
    return math.sqrt(math.log(2 / (1 - LEVEL)) / (2 * n))
