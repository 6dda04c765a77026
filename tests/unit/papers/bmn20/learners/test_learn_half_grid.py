"""Sizes of A_LearnHalf are proved for distributions on its grid, as it says: elsewhere rounding may merge labels."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.learners._needs import needed
from semipriv.papers.bmn20.bounds.sizes import examples
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.practice.planner.answer import learner_text
from semipriv.practice.planner.of_learner import learner_excess, learner_sizes, setting

UNIT = {"low": [0.0], "high": [1.0]}


@pytest.mark.parametrize(
    ("learner", "zero", "first", "error"),
    [
        (LearnHalf(1.0), 0.0, 0.4, 0.5),
        (LearnHalf(1.0, grid=UNIT), 2.0, 3.0, 0.5),
        (LearnHalf(1.0), 0.0, 1.0, 0.0),
        (LearnHalf(1.0, grid=UNIT), 0.0, 0.4, 0.0),
    ],
)
def test_off_the_grid_the_proven_size_is_not_enough(
    learner: LearnHalf, zero: float, first: float, error: float
) -> None:
    """Zeros at one place, ones at another, equally likely: a halfspace errs nowhere."""
    n = examples(0.1, 0.05, 1.0, 1)
    prepared = learner.prepare(np.full((n // 2, 1), zero), Halfspaces(1), np.zeros(n // 2, np.int8))
    for seed in range(3):
        h = learner.release(prepared, np.full((n // 2, 1), first), np.ones(n // 2), Simulation(seed)).output
        assert np.mean(h.predict(np.array([[zero], [first]])) != [0, 1]) == error


@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (LearnHalf(1.0), "on integers from -524,288 to 524,288"),
        (LearnHalf(1.0, grid=UNIT), "on the grid of 1,048,577 values a feature from 0 to 1"),
    ],
)
def test_answers_name_the_grid(learner: LearnHalf, grid: str) -> None:
    h = Halfspaces(1)
    for realizable, distributions in ((False, "every distribution"), (True, "every realizable distribution")):
        words = f"{distributions} {grid}, where an example is private iff its label is 1"
        needed_sizes = needed(learner, 0.1, setting(h, learner, 0.05, realizable))
        assert needed_sizes is not None
        assert needed_sizes.holds == words
        sizes = learner_sizes(h, learner, 0.1, 0.05, realizable=realizable)
        excess = learner_excess(h, learner, {"n": 10_000}, 0.05, realizable=realizable)
        for plan in (sizes, excess):
            assert f"holds for {words}" in learner_text(plan)
            assert plan.to_dict()["proven"]["holds"] == words
