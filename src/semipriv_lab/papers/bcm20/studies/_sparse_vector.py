"""The exact privacy loss of one epoch of the sparse vector technique, by a sum over the noise of its threshold."""

import itertools

import numpy as np

from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

SCALE = 10
"""Scale of the threshold's noise."""
_LEVELS = np.arange(-60, 61)
"""Integer answers, less the threshold: six scales to either side."""
_NOISE = np.arange(-500, 501)
"""Noise of the threshold that is summed over: e^-50 of it lies beyond."""
LIMIT = 1000.0
"""Larger losses, and infinite ones, are shown as this."""


def epoch_loss(comparison: float, queries: int) -> float:
    """Return the largest privacy loss of an epoch: ``queries`` answers below the threshold, and perhaps one above it.

    comparison: scale of the noise of each comparison.  The answers below are one number g, the answer above is h; all
    below change alike, by -1, 0 or 1, as h does.  The distribution is a sum over the threshold's noise r:

        sum_r P[r] P[N < r - g]^queries P[N >= r - h], and the same without the last factor.
    """
    r, noise = _NOISE[:, None], DiscreteLaplace(comparison)
    below = DiscreteLaplace(SCALE).log_probability(r) + queries * noise.log_cumulative(r - _LEVELS - 1)
    top = below.max(axis=0)
    mass = np.exp(below - top).T
    ended = np.log(mass @ np.exp(noise.log_cumulative(_LEVELS - r))) + top[:, None]
    unended = np.log(mass.sum(axis=1)) + top
    return max(_largest(ended), float(np.abs(np.diff(unended)).max()))


def reused_loss(comparison: float) -> float:
    """Return the loss of an answer g below and h above, where both are compared with the same noise N.

    The distribution is P[g < R - N <= h], R the noise of the threshold: 0 for h = g, and positive for h = g + 1.
    """
    threshold, noise = (np.exp(DiscreteLaplace(scale).log_probability(_NOISE)) for scale in (SCALE, comparison))
    at_most = np.cumsum(np.convolve(threshold, noise))[_LEVELS + 2 * _NOISE[-1]]
    with np.errstate(divide="ignore"):
        return _largest(np.log(np.maximum(at_most - at_most[:, None], 0.0)))


def _largest(table: Floats) -> float:
    """Return the largest difference of log-probabilities (g, h) where g and h move by at most 1, at most ``LIMIT``."""
    size, largest = len(table), 0.0
    for g, h in itertools.product((0, 1), (-1, 0, 1)):
        overlap = table[: size - g, max(0, -h) : size - max(0, h)]
        other = table[g:, max(0, h) : size + min(0, h)]
        possible = np.isfinite(overlap) | np.isfinite(other)
        largest = max(largest, float(np.abs(overlap[possible] - other[possible]).max()))
    return min(largest, LIMIT)
