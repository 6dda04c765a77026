"""Output distributions are refused unless their probabilities add up to 1."""

import math
import pickle

import numpy as np
import pytest

from semipriv.privacy.output_distribution import OutputDistribution, tolerance


def test_a_distribution_is_a_mapping_of_the_possible_outcomes() -> None:
    distribution = OutputDistribution({"a": math.log(0.25), ("b", 1): math.log(0.75), "never": -math.inf})
    assert list(distribution) == ["a", ("b", 1)]
    assert len(distribution) == 2
    assert "never" not in distribution
    assert distribution == {"a": math.log(0.25), ("b", 1): math.log(0.75)}
    assert dict(distribution.items()) == dict(distribution)
    assert list(distribution.values()) == [distribution[key] for key in distribution]
    assert distribution.row(["never", "a"]) == [-math.inf, math.log(0.25)]
    with pytest.raises(KeyError):
        distribution["never"]
    assert pickle.loads(pickle.dumps(distribution)) == distribution


def test_equal_outcomes_are_one() -> None:
    """Its probabilities add up, whether the outcome comes with -inf or not, and 1 is 1.0."""
    distribution = OutputDistribution([(1, math.log(0.2)), (2, math.log(0.5)), (1.0, math.log(0.3)), (2, -math.inf)])
    assert {outcome: math.exp(value) for outcome, value in distribution.items()} == pytest.approx({1: 0.5, 2: 0.5})


def test_a_distribution_does_not_change() -> None:
    given = {"a": 0.0}
    distribution = OutputDistribution(given)
    given["b"] = 0.0
    assert dict(distribution) == {"a": 0.0}
    with pytest.raises(AttributeError):
        distribution.more = 1
    with pytest.raises(TypeError):
        distribution["b"] = 0.0


@pytest.mark.parametrize("k", [1, 10, 1000, 30_000])
def test_rounding_is_allowed_for(k: int) -> None:
    """Distributions by log-sum-exp, and by plain sums of floats; an error just beyond the tolerance is not."""
    weights = np.random.default_rng(k).normal(0, 10, k)
    OutputDistribution(dict(enumerate((weights - np.logaddexp.reduce(weights)).tolist())))
    mass = np.random.default_rng(k).random(k)
    exact = np.log(mass / sum(mass.tolist()))
    OutputDistribution(dict(enumerate(exact.tolist())))
    with pytest.raises(ValueError, match=r"must be 1 within|must be a number <= 0"):
        OutputDistribution(dict(enumerate((exact + 1.01 * tolerance(k)).tolist())))
