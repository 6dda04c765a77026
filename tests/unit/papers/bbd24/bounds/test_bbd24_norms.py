"""Comparisons of norms against exact sums, and lengths of noise against their distributions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy

from semipriv.papers.bbd24.bounds.norms import (
    laplace_length,
    noise_length,
    norm_remainder,
    printed_noise_length,
    shortfall,
)


def falls_short(m: int, p: Fraction, remainder: float, factor: float) -> float:
    """P[sqrt(p) > factor sqrt(K / m) + remainder], by summing the binomial distribution."""
    short = [k for k in range(m + 1) if math.sqrt(p) > factor * math.sqrt(k / m) + remainder]
    return float(sum(math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in short))


@pytest.mark.parametrize(("m", "remainder", "factor"), [(5, 0.1, 1.0), (12, 0.3, math.sqrt(2)), (12, 0.1, 2.0)])
def test_the_shortfall_is_the_largest_over_all_chances(m: int, remainder: float, factor: float) -> None:
    computed_falls_shorts = [falls_short(m, Fraction(i, 4000), remainder, factor) for i in range(1, 4000)]
    exact = shortfall(m, remainder, factor)
    assert max(computed_falls_shorts) <= exact < max(computed_falls_shorts) + 0.02


def test_no_function_falls_short_by_more_than_its_whole_norm() -> None:
    assert shortfall(20, 1.0) == 0.0


@pytest.mark.parametrize("m", [20, 300])
@pytest.mark.parametrize("events", [1, 50])
@pytest.mark.parametrize("beta", [0.5, 0.01])
def test_a_remainder_is_enough_for_its_events(m: int, events: int, beta: float) -> None:
    """For g in {0, 1}, and for g in {0, 2}, which is twice such a function."""
    assert shortfall(m, norm_remainder(m, events, beta)) <= beta / events
    assert shortfall(m, norm_remainder(m, events, beta, largest=2.0) / 2) <= beta / events


def test_a_remainder_is_bernsteins() -> None:
    """Its proof at ||g||_mu = r: the mean of g^2 falls from M = r^2 to 0, m s^2 / (2 largest^2 M) = ln(events/beta)."""
    m, events, beta, largest = 30, 7, 0.05, 2.0
    r = norm_remainder(m, events, beta, largest)
    assert math.isclose(m * r**2 / (2 * largest**2), math.log(events / beta))


@pytest.mark.parametrize("m", [1, 2, 10, 400])
@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-4])
def test_lengths_of_noise_are_exceeded_by_few(m: int, beta: float) -> None:
    assert scipy.special.chdtrc(m, m * noise_length(m, beta) ** 2) <= beta
    largest = -math.expm1(m * math.log1p(-math.exp(-laplace_length(m, beta))))  # P[max |zeta_i| > length]
    assert largest <= beta * (1 + 1e-12)


def test_the_printed_length_is_below_the_noise_for_a_large_beta() -> None:
    lengths = np.sqrt((np.random.default_rng(1).standard_normal((2000, 50)) ** 2).mean(axis=1))
    assert (lengths > 2 * printed_noise_length(0.9)).mean() > 0.9
    assert (lengths > printed_noise_length(0.01)).mean() < 0.01
