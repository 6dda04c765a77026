"""The counterexamples behind the refuted rows of OWN, by the learners alone, and the bounds beside them."""

from unittest.mock import patch

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.learners.discriminant.candidates import constants, stumps
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv.learners.public_ridge_regression import PublicRidgeRegression
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.papers.own.bounds.selection import chance_of_another, lost_mistakes, one_feature_mistakes
from semipriv.queries.schema import Column, Schema
from semipriv_lab.papers.own.studies import much_data, no_epsilon


def test_constants_and_cuts_err_on_half_of_all_rows() -> None:
    """Also where a point lies on a cut: heaped values, and the public points themselves."""
    coins = np.random.default_rng(0)
    public = np.column_stack([coins.integers(0, 3, 50), coins.normal(size=50), np.zeros(50)])
    prepared = PublicMetricDiscriminant(1.0).prepare(public, Halfspaces(3))
    candidates = np.concatenate([constants(prepared), stumps(prepared)])
    for labels in (np.zeros(50, np.int8), (public[:, 0] > 0).astype(np.int8)):
        wrong = prepared.functions.mistakes(candidates, public, labels)
        assert wrong.sum() * 2 == 50 * len(candidates)


def test_another_rule_than_the_public_model_is_released_now_and_then() -> None:
    """By draws, on private labels that contradict the public ones: the less often, the smaller n epsilon is."""
    x, y = no_epsilon._separated(2)
    learner = PublicModelDiscriminant(1 / 40)
    prepared = learner.prepare(x, Halfspaces(3), y)
    coins = Simulation(1)
    outputs = [learner.release(prepared, x, 1 - y, coins.spawn(i)).output for i in range(600)]
    model = prepared.rule / np.abs(prepared.rule).max()
    others = sum(not np.allclose(actual_output.parameters.ravel(), model) for actual_output in outputs)
    low, high = clopper_pearson(others, 600, 1e-4)
    exact = float(no_epsilon.scores(Simulation(2), 1 / 40, 40, 2, True)[0][1:].sum())
    assert low <= exact <= high
    assert exact <= chance_of_another(40, 1 / 40)
    small = float(no_epsilon.scores(Simulation(2), 1e-9 / 40, 40, 2, False)[0][1:].sum())
    assert 0 < small <= chance_of_another(40, 1e-9 / 40) < 1e-11


def test_private_rows_without_noise_can_make_a_public_model_worse() -> None:
    """The public model as it is by itself, on no private row, is nearer to the private responses."""
    both = slice(0, 3)
    public, known = much_data._rows(60, (both, both))
    x, y = much_data._rows(1_000, (slice(0, 200), slice(200, 400)))
    learner = PublicRidgeRegression(1e4)
    prepared = learner.prepare(public, Linear(3), known)
    with patch.object(NoisyIntegers, "release", lambda self, values, randomness: values):
        moved = learner.release(prepared, x, y, Simulation(0)).output
    z = prepared.metric.functions.standardised(x)
    alone = np.clip(z @ prepared.rule[:-1] + prepared.rule[-1], -1, 1)
    best = (
        np.column_stack([x, np.ones(len(x))]) @ np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
    )
    errors = [((answer - y) ** 2).mean() for answer in (moved.predict(x), alone, best)]
    assert errors[0] > errors[1] + 0.007
    assert errors[2] < 0.011


@pytest.mark.parametrize("times", [1, 4])
def test_the_selection_of_a_metric_finds_the_best_candidate(times: int) -> None:
    """With what a hundredth of the rows takes alone it loses a share that does not vanish with more rows."""
    share, limited, n, count = much_data.lost_shares(times, Simulation(times))
    assert share < 1e-9
    assert 0.001 < limited < 0.003
    assert (n, count) == (8_000 * times, 578)


def test_public_rows_that_lack_a_value_leave_an_error_of_two() -> None:
    schema = Schema((Column("a", range(2)),))
    learner = TableRelease(1e3, 1e-6, ways=1, tree=0.0)
    prepared = learner.prepare({"a": np.zeros(5, np.int64)}, schema)
    output = learner.release(prepared, {"a": np.ones(1_000, np.int64)}, Simulation(0)).output
    assert output.rows.tolist() == [[0]]
    assert output.weights.tolist() == [1.0]


def test_bounds_at_their_ends() -> None:
    assert lost_mistakes(1, 1.0, 0.5) == pytest.approx(2 * np.log(2))
    assert one_feature_mistakes(10, 1e-12) == pytest.approx((0.5, 0.5))
    assert one_feature_mistakes(10, 1e-12, 4)[1] == 0.75
    assert chance_of_another(1, 1e-12) == pytest.approx(3.75e-15)
    assert chance_of_another(10**6, 1e4) > 1
