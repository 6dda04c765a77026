"""The public-model discriminant of several labels: when its model is used, what all costs, what it learns."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.core.randomness import Simulation
from semipriv.learners.public_metric_multiclass import PublicMetricMulticlass
from semipriv.learners.public_model_multiclass import PublicModelMulticlass
from semipriv.learners.stages.public_softmax import ModelledClasses, ridge_softmax
from semipriv.privacy.events import Composed, pure_guarantee

D, K = 10, 4
WEIGHTS = np.random.default_rng(0).normal(size=(D, K))


def examples(n: int, seed: int, turn: int = 0) -> tuple[np.ndarray, np.ndarray]:
    coins = np.random.default_rng(seed)
    x = coins.normal(size=(n, D))
    return x, ((x @ WEIGHTS + coins.gumbel(size=(n, K))).argmax(axis=1) + turn) % K


def prepared(turn: int = 0) -> ModelledClasses:
    x, y = examples(150, 1, turn)
    return PublicModelMulticlass(1.0).prepare(x, LinearRules(D, K), y)


def error(learner: object, built: object, n: int, trials: int = 4) -> float:
    held, truth = examples(4_000, 2)
    outputs = (learner.release(built, *examples(n, 10 + i), Simulation(i)).output for i in range(trials))
    return float(np.mean([np.mean(output.predict(held) != truth) for output in outputs]))


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_it_is_no_worse_than_public_rows_alone_and_than_private_rows_alone(epsilon: float) -> None:
    prepared_stage = prepared()
    held, truth = examples(4_000, 2)
    functions = (
        PublicMetricMulticlass(1.0).release(prepared_stage.metric, *examples(5, 3), Simulation(0)).output.functions
    )
    alone = float(np.mean(functions.predict(prepared_stage.rule.ravel()[None], held)[0] != truth))
    private = error(PublicMetricMulticlass(epsilon), prepared_stage.metric, 2_000)
    for same in (False, True):
        assert error(PublicModelMulticlass(epsilon, same), prepared_stage, 2_000) <= min(alone, private) + 0.015


def test_a_public_model_that_is_wrong_everywhere_is_left() -> None:
    """Public labels turned: the test sees it; who declares one population pays."""
    prepared_stage = prepared(1)
    assert (
        error(PublicModelMulticlass(1.0), prepared_stage, 2_000)
        < error(PublicMetricMulticlass(1.0), prepared_stage.metric, 2_000) + 0.03
    )
    assert error(PublicModelMulticlass(0.1, same_population=True), prepared_stage, 2_000, 2) > 0.6


def test_public_labels_that_tell_nothing_are_left_without_a_test() -> None:
    """A public decision: the whole epsilon is for the private rows."""
    x, y = examples(150, 1)
    learner = PublicModelMulticlass(1.0)
    prepared_stage = learner.prepare(x, LinearRules(D, K), np.random.default_rng(3).permutation(y))
    assert learner.test(prepared_stage, 2_000) is None
    actual_release_event, other = (
        learner.release_event(prepared_stage, 2_000),
        PublicMetricMulticlass(1.0).release_event(prepared_stage.metric, 2_000),
    )
    assert actual_release_event == other


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("n", [1, 100, 3_000, 10**6])
@pytest.mark.parametrize("epsilon", [1e-300, 0.1, 10.0, 1e300])
def test_both_ways_cost_what_the_test_leaves(epsilon: float, n: int, turn: int) -> None:
    learner, prepared_stage = PublicModelMulticlass(epsilon), prepared(turn)
    event, mechanism = learner.release_event(prepared_stage, n), learner.test(prepared_stage, n)
    assert pure_guarantee(event).epsilon == epsilon
    rest = Fraction(epsilon) - (0 if mechanism is None else Fraction(mechanism.epsilon))
    for plan in (learner.plan(prepared_stage, n), learner.fallback(prepared_stage, n)):
        assert plan.event.pure <= rest
    declared = PublicModelMulticlass(epsilon, same_population=True)
    assert declared.test(prepared_stage, n) is None
    assert isinstance(declared.release_event(prepared_stage, n), Composed)
    assert pure_guarantee(declared.release_event(prepared_stage, n)).epsilon == epsilon


def test_the_public_model_is_the_ridge_regression() -> None:
    """Of scikit-learn, with its intercept as one more feature, so that it is penalised as it should be."""
    x, y = examples(400, 5)
    computed_ridge_softmax = ridge_softmax(x, y, K, np.full(D, 5.0))
    scaled = np.column_stack([x, np.full(400, np.sqrt(5.0 / 0.1))])
    fit = LogisticRegression(C=1 / 5.0, fit_intercept=False, tol=1e-10, max_iter=1_000).fit(scaled, y)
    assert np.allclose(computed_ridge_softmax[:, :-1], fit.coef_[:, :-1], atol=1e-3)
    assert np.allclose(computed_ridge_softmax[:, -1], fit.coef_[:, -1] * np.sqrt(5.0 / 0.1), atol=1e-3)
    warm = ridge_softmax(x, y, K, np.full(D, 5.0), ridge_softmax(x, y, K, np.full(D, 50.0)))
    assert np.allclose(warm, computed_ridge_softmax, atol=1e-3)


def test_public_labels_outside_are_refused_by_their_row() -> None:
    x, y = examples(20, 1)
    y[7] = K
    with pytest.raises(ValueError, match=f"public_labels: row 7 = .*: must be an integer from 0 to {K - 1}"):
        PublicModelMulticlass(1.0).prepare(x, LinearRules(D, K), y)


@pytest.mark.parametrize("kind", ["good", "permuted", "turned"])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-18, 1e-12, 1e-8])
def test_as_epsilon_falls_the_public_model_is_released(kind: str, epsilon: float) -> None:
    """Whatever the public labels are; without use on the public rows, too, where constants were drawn like dice."""
    x, y = examples(150, 1, int(kind == "turned"))
    known = np.random.default_rng(3).permutation(y) if kind == "permuted" else y
    learner = PublicModelMulticlass(epsilon)
    prepared_stage = learner.prepare(x, LinearRules(D, K), known)
    points, labels = examples(400, 6)
    for seed in range(20):
        output = learner.release(prepared_stage, points, labels, Simulation(seed)).output
        assert np.array_equal(output.parameters, (prepared_stage.rule / np.abs(prepared_stage.rule).max()).ravel())
