"""Accuracy of RRSPM: the sum of three terms by hand, what it grows with, and refused arguments."""

import math

import numpy as np
import pytest

from semipriv.bounds.bbd24.rrspm import agreement_bound, excess_bound, noise_bound


def growth(m: int) -> int:
    return m + 1


def test_the_sum_by_hand() -> None:
    m, n, b, beta, sigma = 50, 10_000, 4.0, 0.1, 0.5
    t = math.log(8 * 51 / beta)
    noise = 2 * b / n * (math.sqrt(m * t) + t / 2)
    agreement = 2 / (m * sigma) * (2 * math.log2(101) + math.log2(80))
    deviation = math.sqrt(8 * (math.log(20_001) + math.log(160)) / n)
    assert noise_bound(growth, m, n, b, beta) == pytest.approx(noise)
    assert agreement_bound(growth, m, beta, sigma) == pytest.approx(agreement)
    assert excess_bound(growth, m, n, b, beta, sigma) == pytest.approx(noise + agreement + 2 * deviation)
    s = (math.log(20_001) + math.log(160)) / n
    consistent = noise + agreement + 2 * math.sqrt(noise * s) + 4 * s
    assert excess_bound(growth, m, n, b, beta, sigma, realizable=True) == pytest.approx(consistent)


def test_noise_stays_below_its_bound() -> None:
    """On thresholds without a private example, in units of mistakes: what the winner has less than a fixed pattern."""
    rng, m, b, beta = np.random.default_rng(0), 30, 2.0, 0.05
    walks = np.cumsum(rng.laplace(scale=b, size=(2_000, m)), axis=1)
    lead = np.maximum(0.0, walks.max(axis=1))
    bound = noise_bound(growth, m, 1, b, beta)
    assert np.mean(lead > bound) <= beta / 4
    assert np.mean(lead > bound / 6) > beta / 4, "the test sees a bound of a sixth"


@pytest.mark.parametrize("sigma", [0.0, -0.5, 1.1])
def test_sigma_outside_its_range_is_refused(sigma: float) -> None:
    with pytest.raises(ValueError, match=rf"sigma = {sigma}: must be in \(0, 1\]"):
        excess_bound(growth, 10, 10, 1.0, 0.1, sigma)
