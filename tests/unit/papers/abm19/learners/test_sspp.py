"""A_SSPP: its mechanisms, and what it refuses."""

import numpy as np
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.papers.abm19.learners.sspp import SSPP


def test_permute_and_flip_makes_no_more_mistakes() -> None:
    generator = np.random.default_rng(4)
    x = generator.random((40, 1))
    y = (x[:, 0] > 0.4).astype(int)
    expected = {}
    public = generator.random((20, 1))
    for mechanism in ("exponential", "permute_and_flip"):
        learner = SSPP(0.5, mechanism=mechanism)
        prepared = learner.prepare(public, Thresholds())
        expected[mechanism] = np.exp(learner.law(prepared, x, y).log_probabilities) @ prepared.mistakes(x, y)
    assert expected["permute_and_flip"] < expected["exponential"]


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "much", None, True])
def test_bad_epsilon(epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon = "):
        SSPP(epsilon)


def test_bad_names_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"unknown mechanism 'exponentail': did you mean 'exponential'\?"):
        SSPP(1.0, mechanism="exponentail")
    with pytest.raises(ValueError, match="unknown representative 'middle'"):
        SSPP(1.0, representative="middle")
