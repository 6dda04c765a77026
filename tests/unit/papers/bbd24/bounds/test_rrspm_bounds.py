"""Errors of RRSPM with explicit constants: against arithmetic by hand, and sizes against what they must satisfy."""

import math

import numpy as np
import pytest

from semipriv.papers.bbd24.bounds.rrspm import disagreement, error_bound, noise_error, sizes


def growth(m: int) -> int:
    return m + 1


@pytest.mark.parametrize("sigma", [1.0, 0.2])
def test_sizes_are_the_least_that_the_bound_allows(sigma: float) -> None:
    least_sizes = sizes(0.2, 0.05, growth, lambda m: 2.0 * m, sigma)
    m, n = least_sizes.n_public, least_sizes.n_private
    assert disagreement(m, growth, 0.05 / 4, sigma) <= 0.585 * 0.2 < disagreement(m - 1, growth, 0.05 / 4, sigma)
    assert error_bound(n, m, growth, 2.0 * m, 0.05, sigma) <= 0.2
    assert error_bound(n - 1, m, growth, 2.0 * m, 0.05, sigma) > 0.2


def test_a_best_error_of_0_needs_a_relative_deviation_alone() -> None:
    m, n, b, beta, sigma = 50, 10_000, 4.0, 0.1, 0.5
    t = math.log(8 * 51 / beta)
    noise = 2 * b / n * (math.sqrt(m * t) + t / 2)
    agreement = 2 / (m * sigma) * (2 * math.log2(101) + math.log2(80))
    s = (math.log(20_001) + math.log(160)) / n
    consistent = noise + agreement + 2 * math.sqrt(noise * s) + 4 * s
    assert error_bound(n, m, growth, b, beta, sigma, realizable=True) == pytest.approx(consistent)


def test_noise_stays_below_its_bound() -> None:
    """On thresholds without a private example, in units of mistakes: what the winner has less than a fixed pattern."""
    rng, m, b, beta = np.random.default_rng(0), 30, 2.0, 0.05
    walks = np.cumsum(rng.laplace(scale=b, size=(2_000, m)), axis=1)
    lead = np.maximum(0.0, walks.max(axis=1))
    bound = noise_error(1, m, b, m + 1, beta / 4)
    assert np.mean(lead > bound) <= beta / 4
    assert np.mean(lead > bound / 6) > beta / 4, "the test sees a bound of a sixth"
