"""Weights of cells or rows, and cells or rows by their weights."""

from typing import Any

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Indices
from semipriv.mechanisms.sampling.choice import below_each

_DIGITS = 2**53


def as_weights(name: str, given: Any) -> Floats:
    """Return given as weights (k,); raises ValueError unless they are >= 0 and sum to 1."""
    weights = np.asarray(given, np.float64)
    if weights.ndim != 1 or not np.all(weights >= 0) or not abs(float(weights.sum()) - 1) <= 1e-6:
        raise ValueError(f"{name}: must be numbers >= 0 that sum to 1, their sum is {float(weights.sum()):g}")
    return weights


def systematic(weights: Floats, size: int) -> Indices:
    """Return for i = 1, ..., size the first cell up to which the weights reach (i - 1/2) / size."""
    reached = np.searchsorted(np.cumsum(weights), (np.arange(size) + 0.5) / size, "left")
    last = int(np.flatnonzero(weights)[-1])
    return np.minimum(reached, last)


def drawn(weights: Floats, size: int, randomness: Randomness) -> Indices:
    """Draw independent cells with probabilities proportional to the weights, rounded to multiples of 2^-53."""
    up_to = np.cumsum(np.floor(weights * _DIGITS).astype(np.int64))
    return np.searchsorted(up_to, below_each(int(up_to[-1]), size, randomness), "right")
