"""Baselines that learn from labelled public points alone: which model, and that private data change nothing."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.learners.public_logistic_regression import PublicLogisticRegression


def rows(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 2))
    return x, (x @ [1.0, -0.5] + generator.normal(size=n) >= 0.2).astype(int)


@pytest.mark.parametrize("strength", [0.01, 1.0, 100.0])
def test_logistic_regression_is_that_of_the_public_points(strength: float) -> None:
    (x, y), (private, labels) = rows(0), rows(1)
    learner = PublicLogisticRegression(C=strength)
    prepared = learner.prepare(x, Halfspaces(2), y)
    model = learner.release(prepared, private, 1 - labels, Simulation(1)).output
    assert np.array_equal(model.predict(private), LogisticRegression(C=strength).fit(x, y).predict(private) == 1)
    wrong = LogisticRegression(C=strength).fit(private, 1 - labels).predict(private) == 1
    assert not np.array_equal(model.predict(private), wrong)


def test_the_minimiser_is_that_of_the_public_points() -> None:
    learner, x = PublicLabelled(), np.arange(10.0)[:, None]
    prepared = learner.prepare(x, Thresholds(), x[:, 0] >= 4)
    model = learner.release(prepared, x, x[:, 0] < 4, Simulation(1)).output
    assert np.array_equal(model.predict(x), x[:, 0] >= 4)


@pytest.mark.parametrize("label", [0, 1])
def test_labels_that_are_all_the_same_give_a_constant(label: int) -> None:
    learner, (x, _) = PublicLogisticRegression(), rows(0)
    prepared = learner.prepare(x, Halfspaces(2), np.full(len(x), label))
    assert set(learner.release(prepared, x, np.zeros(len(x)), Simulation(1)).output.predict(x)) == {bool(label)}
