"""Output laws are refused unless they are laws."""

import math
import pickle

import numpy as np
import pytest

from semipriv.privacy.output_distribution import OutputDistribution, tolerance


def test_a_law_is_a_mapping_of_the_possible_outcomes() -> None:
    law = OutputDistribution({"a": math.log(0.25), ("b", 1): math.log(0.75), "never": -math.inf})
    assert list(law) == ["a", ("b", 1)]
    assert len(law) == 2
    assert "never" not in law
    assert law == {"a": math.log(0.25), ("b", 1): math.log(0.75)}
    assert dict(law.items()) == dict(law)
    assert list(law.values()) == [law[key] for key in law]
    assert law.row(["never", "a"]) == [-math.inf, math.log(0.25)]
    with pytest.raises(KeyError):
        law["never"]
    assert pickle.loads(pickle.dumps(law)) == law


def test_equal_outcomes_are_one() -> None:
    """Its probabilities add up, whether the outcome comes with -inf or not, and 1 is 1.0."""
    law = OutputDistribution([(1, math.log(0.2)), (2, math.log(0.5)), (1.0, math.log(0.3)), (2, -math.inf)])
    assert {outcome: math.exp(value) for outcome, value in law.items()} == pytest.approx({1: 0.5, 2: 0.5})


def test_a_law_does_not_change() -> None:
    given = {"a": 0.0}
    law = OutputDistribution(given)
    given["b"] = 0.0
    assert dict(law) == {"a": 0.0}
    with pytest.raises(AttributeError):
        law.more = 1
    with pytest.raises(TypeError):
        law["b"] = 0.0


@pytest.mark.parametrize("k", [1, 10, 1000, 30_000])
def test_rounding_is_allowed_for(k: int) -> None:
    """Laws by log-sum-exp, and by plain sums of floats; an error just beyond the tolerance is not."""
    weights = np.random.default_rng(k).normal(0, 10, k)
    OutputDistribution(dict(enumerate((weights - np.logaddexp.reduce(weights)).tolist())))
    mass = np.random.default_rng(k).random(k)
    exact = np.log(mass / sum(mass.tolist()))
    OutputDistribution(dict(enumerate(exact.tolist())))
    with pytest.raises(ValueError, match=r"must be 1 within|must be a number <= 0"):
        OutputDistribution(dict(enumerate((exact + 1.01 * tolerance(k)).tolist())))
