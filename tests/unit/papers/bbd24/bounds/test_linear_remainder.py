"""Points that tell norms of linear functions: chances against a binomial tail and a simulation."""

import math

import numpy as np
from scipy.stats import binom

from semipriv.papers.bbd24.bounds.norms import linear_remainder


def test_points_that_tell_norms_of_linear_functions() -> None:
    """For points that are 1 with chance p, else 0, the chance is a binomial tail, exactly."""
    for m in (20, 300, 5000):
        for p in (0.01, 0.1, 0.5, 0.9, 1.0):
            for beta in (1e-6, 0.05, 0.5):
                t = linear_remainder(m, 1, beta)
                assert binom.cdf(math.ceil(m * (p - t)) - 1, m, p) <= beta
    generator = np.random.default_rng(0)
    x = generator.normal(size=(400, 50, 3))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    gaps = np.linalg.eigvalsh(np.eye(3) / 3 - np.einsum("tij,tik->tjk", x, x) / 50)[:, -1]
    assert np.mean(gaps > linear_remainder(50, 3, 0.5)) < 0.5
    assert gaps.max() > linear_remainder(50, 3, 0.5) / 4
