"""The largest noise of a prefix in a binary tree of noisy counts, by its exact distribution."""

import numpy as np

from semipriv.core import checks
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian

_NEGLIGIBLE = 1e-18
"""Probability in each tail that is left out, at each level."""


def largest_prefix_noise(levels: int, noise: DiscreteGaussian) -> Floats:
    """Return P[S = s], s = 0, 1, ..., of the largest noise of a prefix in a binary tree of so many levels.

    A prefix of leaves adds up a noisy left child wherever its end is below the right one (``DyadicTree``).  Of two
    halves, prefixes that end in the left one have its noise, those in the right one add the noise N of the left child:

        S_0 = 0,  S_k = max(S', N + S''),  S' and S'' independent copies of S_(k - 1),
        P[S_k = s] = P[S' = s] P[N + S'' <= s] + P[S' < s] P[N + S'' = s].

    "At most" is 1 minus the tail, summed from its far end: sums near 1 would lose what the tail has, and sums that are
    not 1 would double their error with each level.

    It is one-sided, a lower bound of the largest absolute noise.  Probabilities below 1e-18 at the ends are left out.
    """
    checks.size("levels", levels, 0)
    width = 1
    while noise.log_probability(np.array([width]))[0] > np.log(_NEGLIGIBLE):
        width *= 2
    drawn = np.exp(noise.log_probability(np.arange(-width, width + 1)))
    distribution = np.ones(1)
    for _ in range(levels):
        added = np.convolve(drawn, distribution)  # P[N + S'' = s], s = -width, ...
        left = np.zeros(len(added) - width)
        left[: len(distribution)] = distribution
        below = 1 - np.concatenate([[1.0], _beyond(left)[:-1]])
        distribution = left * (1 - _beyond(added)[width:]) + below * added[width:]
        distribution = distribution[: int(np.flatnonzero(distribution > _NEGLIGIBLE)[-1]) + 1]
    return distribution


def _beyond(distribution: Floats) -> Floats:
    """Return for each place the sum of the probabilities after it."""
    return np.append(np.cumsum(distribution[:0:-1])[::-1], 0.0)


def mean_of(distribution: Floats) -> float:
    """Return the mean of probabilities on 0, 1, ...

    >>> mean_of(np.array([0.5, 0.25, 0.25]))
    0.75
    """
    return float(np.arange(len(distribution)) @ distribution)
