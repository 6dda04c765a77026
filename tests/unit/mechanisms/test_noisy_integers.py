"""Noise on vectors of integers: its distribution, and that no rounding makes a summand longer than its bound."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noisy_integers import LARGEST, NoisyIntegers, bounded
from semipriv.privacy.events import Pure

REALS = st.floats(allow_nan=True, allow_infinity=True)


TABLES = st.integers(1, 5).flatmap(lambda p: st.lists(st.lists(REALS, min_size=p, max_size=p), min_size=1, max_size=4))


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 2**40), TABLES)
def test_columns_are_integers_within_their_bound_whatever_comes(most: int, columns: list[list[float]]) -> None:
    """Infinite numbers, none at all, sums that overflow; a column depends on itself alone."""
    summands = np.array(columns, float).T
    computed_bounded = bounded(summands, most)
    assert computed_bounded.dtype == np.int64
    assert all(sum(map(abs, column)) <= most for column in computed_bounded.T.tolist())
    for i in range(summands.shape[1]):
        assert np.array_equal(bounded(summands[:, i : i + 1], most)[:, 0], computed_bounded[:, i])


def test_short_columns_are_cut_toward_zero_and_long_ones_keep_their_direction() -> None:
    assert bounded(np.array([[0.9, -0.9, 2.5], [1.0, -3.9, -2.5]]), 10).tolist() == [[0, 0, 2], [1, -3, -2]]
    assert bounded(np.array([[300.0], [-100.0]]), 1000).tolist() == [[300], [-100]]
    long = bounded(np.array([[3e300], [-1e300]]), 1000)
    assert np.abs(long[:, 0] - [750, -250]).max() <= 1


def test_neighbouring_vectors_differ_by_a_factor_of_e_to_the_epsilon_and_attain_it() -> None:
    """Over all vectors at that L1 distance, in the plane: exact log-probabilities."""
    mechanism, values = NoisyIntegers(3, Fraction(7, 10)), np.arange(-30, 31)
    distribution = mechanism.noise.log_probability
    losses = []
    for move in itertools.product(range(-3, 4), repeat=2):
        if sum(map(abs, move)) <= 3:
            apart = [np.abs(distribution(values) - distribution(values - step)).max() for step in move]
            losses.append(sum(apart))
    assert max(losses) == pytest.approx(0.7, abs=1e-12)
    assert mechanism.event == Pure(Fraction(7, 10))
    assert NoisyIntegers(6, 0.5).noise.scale == 12


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()], ids=["simulation", "secure"])
def test_noise_is_independent_and_as_wide_as_it_says(randomness: Simulation | Secure) -> None:
    mechanism = NoisyIntegers(2, 0.25)
    noise = mechanism.release(np.zeros(4_000, np.int64), randomness)
    assert abs(noise.var() / mechanism.noise.variance - 1) < 0.4  # 6 standard errors: the kurtosis is 6
    assert abs(np.mean(noise[1:] * noise[:-1])) < 6 * mechanism.noise.variance / np.sqrt(len(noise))


@pytest.mark.parametrize("drawn", [2**63, -(2**63) - 1, 2**63 - 1, 2**62, 2**62 - 1, -(2**63), -(2**62), 2**70])
def test_what_is_released_is_the_sum_whichever_way_it_is_reached(drawn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum that wrapped around for one vector, and not for its neighbour, would tell them apart for certain."""
    mechanism, most = NoisyIntegers(1, 1.0), LARGEST - 1
    for move in (0, 1, -1, most, -most):
        monkeypatch.setattr(DiscreteLaplace, "exact", lambda self, coins, noise=drawn - move: noise)
        assert mechanism.release(np.array([move]), Secure()).tolist() == [drawn]


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="sensitivity = 0: must be >= 1"):
        NoisyIntegers(0, 1.0)
    with pytest.raises(ValueError, match="epsilon = 0: must be > 0"):
        NoisyIntegers(1, 0)
