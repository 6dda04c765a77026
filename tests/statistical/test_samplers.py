"""Samplers against their exact distributions: chi-square of 2e5 draws at level 1e-4, fixed seeds; wrong ones fail.

Draws from the operating system's entropy do not repeat: their level is 1e-6 a test.
"""

import frequencies
import numpy as np
import pytest

from semipriv.core import registry
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.selection.base import Pools, SelectionMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip

DRAWS = 200_000
LEVEL = 1e-4
UNSEEDED = 1e-6
SELECTION = [
    t
    for t in (registry.load("mechanisms/selection", n) for n in registry.names("mechanisms/selection"))
    if issubclass(t, SelectionMechanism)
]
RNG = np.random.default_rng(0)
SCORES = {
    "example": np.array([0, -1, -2]),
    "pools": np.array([-3, 0, -1, 0, -1, -1, -3, -2, 0, -7]),
    "one pool": np.zeros(50, int),
    "many": -RNG.integers(0, 12, 400),
    "all different": RNG.permutation(200),
}


def p_value(drawn: np.ndarray, distribution: np.ndarray) -> float:
    return frequencies.p_value(np.bincount(drawn, minlength=distribution.size), distribution * drawn.size, 10)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("mechanism", SELECTION)
def test_draws_follow_the_exact_distribution(mechanism, epsilon, name):
    scores = SCORES[name]
    drawn = mechanism(epsilon).sample(scores, Simulation(7, (mechanism.__name__, name)), size=DRAWS)
    assert p_value(drawn, np.exp(mechanism(epsilon).log_probabilities(scores))) > LEVEL


@pytest.mark.parametrize("name", ["pools", "many"])
def test_races_of_pools_follow_the_distribution(name):
    """Permute-and-flip draws a few pools by races, many by their probabilities."""
    pools, randomness, mechanism = Pools.of(SCORES[name]), Simulation(9, (name,)), PermuteAndFlip(1.0)
    drawn = [mechanism.choose_pools(pools.gaps, pools.counts, randomness, 100) for _ in range(500)]
    distribution = np.exp(mechanism.pool_log_probabilities(pools.gaps, pools.counts)) * pools.counts
    assert p_value(np.concatenate(drawn), distribution) > LEVEL


@pytest.mark.parametrize("mechanism", SELECTION)
def test_single_draws_follow_the_same_distribution(mechanism):
    scores, randomness = SCORES["pools"], Simulation(8)
    drawn = np.array([mechanism(1.0).sample(scores, randomness) for _ in range(5000)])
    assert p_value(drawn, np.exp(mechanism(1.0).log_probabilities(scores))) > LEVEL


SECURE = {
    **SCORES,
    "far": np.array([0, -1, 0, -(10**9), -2, -(2**61), -3]),
    "wide": -RNG.integers(0, 20_000, 500),
}


@pytest.mark.parametrize("name", SECURE)
@pytest.mark.parametrize("mechanism", SELECTION)
def test_secure_draws_follow_the_exact_distribution(mechanism, name):
    """One at a time and several at once; scores far apart, and over a wide range."""
    scores, sampler = SECURE[name], mechanism(1e-3 if name == "wide" else 1.0)
    distribution = np.exp(sampler.log_probabilities(scores))
    assert p_value(np.array([sampler.sample(scores, Secure()) for _ in range(2000)]), distribution) > UNSEEDED
    assert p_value(sampler.sample(scores, Secure(), size=2000), distribution) > UNSEEDED


@pytest.mark.parametrize("mechanism", SELECTION)
def test_the_unseeded_gate_can_fail(mechanism):
    """Twice the epsilon is seen."""
    scores = SCORES["pools"]
    for size in (None, 2000):
        drawn = [np.atleast_1d(mechanism(2.0).sample(scores, Secure(), size)) for _ in range(1 if size else 2000)]
        assert p_value(np.concatenate(drawn), np.exp(mechanism(1.0).log_probabilities(scores))) < UNSEEDED


@pytest.mark.parametrize("mechanism", SELECTION)
def test_the_gate_can_fail(mechanism):
    """Three per cent off in epsilon, one score off by one, or the distribution of another mechanism: all are seen."""
    scores = SCORES["pools"]
    drawn = mechanism(1.0).sample(scores, Simulation(9), size=DRAWS)
    wrong = scores.copy()
    wrong[4] -= 1
    assert p_value(drawn, np.exp(mechanism(1.03).log_probabilities(scores))) < LEVEL
    assert p_value(drawn, np.exp(mechanism(1.0).log_probabilities(wrong))) < LEVEL
    for other in SELECTION:
        if other is not mechanism:
            assert p_value(drawn, np.exp(other(1.0).log_probabilities(scores))) < LEVEL
