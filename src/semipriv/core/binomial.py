"""The binomial distribution near its mean, for exact sums."""

import math

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.types import Floats

_DEVIATIONS = 12.0
"""Binomial values farther from the mean, in standard deviations, together weigh less than 1e-30."""


def binomial_distribution(n: int, p: float) -> tuple[Floats, Floats]:
    """Return values of Bin(n, p) near its mean and their log-probabilities; all others weigh less than 1e-30."""
    checks.size("n", n, 0)
    checks.between("p", p, 0, 1)
    spread = _DEVIATIONS * math.sqrt(n * p * (1 - p)) + 3 * _DEVIATIONS**2
    k = np.arange(max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread)) + 1, dtype=np.float64)
    log_choose = scipy.special.gammaln(n + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(n - k + 1)
    return k, log_choose + k * math.log(p) + (n - k) * math.log1p(-p)
