"""Discrete Gaussian noise on vectors of integers: its cost, and that no rounding makes a summand too long."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.gaussian_integers import GaussianIntegers, bounded_in_length
from semipriv.privacy.events import concentrated

REALS = st.floats(allow_nan=True, allow_infinity=True)
TABLES = st.integers(1, 5).flatmap(lambda p: st.lists(st.lists(REALS, min_size=p, max_size=p), min_size=1, max_size=4))


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 2**26 - 1), TABLES)
def test_columns_are_integers_within_their_bound_whatever_comes(most: int, columns: list[list[float]]) -> None:
    summands = np.array(columns, float).T
    bounded_columns = bounded_in_length(summands, most)
    assert bounded_columns.dtype == np.int64
    assert all(sum(entry * entry for entry in column) <= most**2 for column in bounded_columns.T.tolist())
    for i in range(summands.shape[1]):
        assert np.array_equal(bounded_in_length(summands[:, i : i + 1], most)[:, 0], bounded_columns[:, i])


def test_short_columns_are_cut_toward_zero_and_long_ones_keep_their_direction() -> None:
    assert bounded_in_length(np.array([[0.9, -0.9, 2.5], [1.0, -3.9, -2.5]]), 10).tolist() == [[0, 0, 2], [1, -3, -2]]
    long = bounded_in_length(np.array([[300.0], [-400.0]]), 100)
    assert np.abs(long[:, 0] - [60, -80]).max() <= 1


def test_renyi_divergences_of_neighbouring_vectors_are_within_rho() -> None:
    """Over all vectors at that L2 distance, in the plane, at several orders; and nearly attained."""
    mechanism, values = GaussianIntegers(3, Fraction(1, 5)), np.arange(-80, 81)
    distribution = mechanism.noise.log_probability
    largest = 0.0
    for move in itertools.product(range(-3, 4), repeat=2):
        if np.hypot(*move) > 3:
            continue
        for order in (1.5, 2.0, 8.0):
            cost = sum(
                np.log(np.exp(order * distribution(values) + (1 - order) * distribution(values - step)).sum())
                for step in move
            )
            largest = max(largest, cost / (order - 1) / order)
    assert 0.199 < largest <= 0.2 * (1 + 1e-9)
    assert concentrated(mechanism.event).rho <= 0.2


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()], ids=["simulation", "secure"])
def test_noise_is_independent_and_as_wide_as_it_says(randomness: Simulation | Secure) -> None:
    mechanism = GaussianIntegers(20, 0.5)
    noise = mechanism.release(np.zeros(3_000, np.int64), randomness)
    assert abs(noise.var() / 400 - 1) < 6 * np.sqrt(2 / 3_000)
    assert abs(np.mean(noise[1:] * noise[:-1])) < 6 * 400 / np.sqrt(3_000)
