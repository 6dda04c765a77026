"""The public-metric discriminant of several labels: its sums, its plan, what it learns, what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from semipriv.audit.exact import exact_privacy_loss
from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.core.work import limits
from semipriv.learners.discriminant.gradients import Coordinates
from semipriv.learners.multiclass.plan import LEAST, multiclass_plan
from semipriv.learners.multiclass.sums import gradient_sum, softmax, sums_by_label
from semipriv.learners.public_metric_multiclass import PublicMetricMulticlass
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import pure_guarantee
from semipriv_lab.controls.discriminant import window_distribution

D, K = 6, 4
MEANS = np.random.default_rng(0).normal(size=(K, D)) * 1.2
SCALE = np.array([1, 10, 1e3, 1, 1, 1e-3])


def examples(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    coins = np.random.default_rng(seed)
    y = coins.choice(K, n, p=[0.4, 0.3, 0.2, 0.1])
    return (MEANS[y] + coins.normal(size=(n, D)) @ (np.eye(D) + 0.3)) * SCALE, y.astype(np.int8)


def prepared(m: int = 150) -> Metric:
    return PublicMetricMulticlass(1.0).prepare(examples(m, 99)[0], LinearRules(D, K))


# ---------------------------------------------------------------------------------------------------- privacy
def test_sums_and_a_selection_cost_what_they_say() -> None:
    """All values of the noise on two rows, of which one is replaced: sums by label, and mistakes of two constants."""
    noise, select = NoisyIntegers(2 * 3, Fraction(1)), PermuteAndFlip(0.5)

    def distribution(data: tuple) -> dict:
        points, labels = (np.array(column) for column in zip(*data, strict=True))
        sums = sums_by_label(points[None], labels, 2, 1.0, 3)
        first, second = (window_distribution(noise, int(actual_sum)) for actual_sum in sums)
        chosen = select.log_probabilities(-np.array([np.count_nonzero(labels), np.count_nonzero(labels == 0)]))
        places = np.ndindex(len(first), len(second), 2)
        return {(i, j, c): float(first[i] + second[j] + chosen[c]) for i, j, c in places}

    records = [(point, label) for point in (-2.0, 0.4, 5.0) for label in (0, 1)]
    loss = exact_privacy_loss(distribution, [records] * 2)
    assert 1 <= loss.loss <= 1.5 + loss.rounding


@pytest.mark.parametrize("lattice", [5, 2**13])
def test_summands_are_within_the_lattice_over_all_labels_together(lattice: int) -> None:
    """Each row's part, by taking it away; at weights of noise, too; and sums of rows in blocks are sums."""
    coordinates = Coordinates.of(prepared(), 4)
    x, y = examples(60, 5)
    x[:3] = [[1e308] * D, [-1e308] * D, [0.0] * D]
    own = coordinates(prepared().functions.standardised(x))
    for weights in (np.zeros((K, 5)), np.full((K, 5), 1e200), np.full((K, 5), np.nan), np.arange(20.0).reshape(K, 5)):
        with np.errstate(invalid="ignore", over="ignore"):
            computed_gradient_sums = [
                gradient_sum(weights, own[:, [i]], y[[i]], coordinates.clip(), lattice) for i in range(60)
            ]
            total = gradient_sum(weights, own, y, coordinates.clip(), lattice)
        assert np.array_equal(total, sum(computed_gradient_sums))
        assert max(np.abs(item).sum() for item in computed_gradient_sums) <= lattice
    computed_gradient_sums = [sums_by_label(own[:, [i]], y[[i]], K, coordinates.clip(), lattice) for i in range(60)]
    assert np.array_equal(sums_by_label(own, y, K, coordinates.clip(), lattice), sum(computed_gradient_sums))
    assert max(np.abs(item).sum() for item in computed_gradient_sums) <= lattice


def test_a_sum_is_the_gradient_of_the_softmax_loss() -> None:
    """Without noise and with a clip out of reach: against differences of the loss."""
    coordinates = Coordinates.of(prepared(), 3)
    x, y = examples(40, 6)
    own, weights = coordinates(prepared().functions.standardised(x)), np.random.default_rng(1).normal(size=(K, 4)) / 3

    def loss(w: np.ndarray) -> float:
        return float(-np.log(softmax(w @ own)[y, np.arange(40)]).sum())

    computed_gradient_sum = gradient_sum(weights, own, y, 1e3, 2**40).reshape(K, 4) * (1e3 / 2**40)
    for c, j in np.ndindex(K, 4):
        step = np.zeros((K, 4))
        step[c, j] = 1e-5
        assert computed_gradient_sum[c, j] == pytest.approx(
            (loss(weights - step) - loss(weights + step)) / 2e-5, abs=1e-4
        )


# ---------------------------------------------------------------------------------------------------- the plan
@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 3.0, 1e6])
@pytest.mark.parametrize("n", [1, 150, 10**6, 2**39])
def test_epsilons_add_up_exactly(epsilon: float, n: int) -> None:
    plan = multiclass_plan(epsilon, n, 12, K, 10)
    assert sum(plan.gradients, Fraction(plan.selection)) == Fraction(epsilon)
    assert pure_guarantee(plan.event).epsilon == epsilon
    assert (plan.axes == 0) == (plan.gradients == ()) == (n * epsilon < LEAST * K)
    plan.check(n)


def test_more_rows_than_sums_can_hold_are_refused_before_anything_is_read() -> None:
    learner = PublicMetricMulticlass(1.0)
    most = 2**53 // learner.plan(prepared(), 10**6).lattice
    with limits(minutes=math.inf):
        learner.check_release(prepared(), most)
    with pytest.raises(ValueError, match=f"n_private = {most + 1}: must be at most {most}"):
        learner.check_release(prepared(), most + 1)


# ---------------------------------------------------------------------------------------------------- what it learns
@pytest.mark.parametrize("randomness", [Simulation(2), Secure()], ids=["simulation", "secure"])
def test_with_many_rows_it_is_nearly_as_good_as_without_privacy(randomness: Randomness) -> None:
    (x, y), (held, truth) = examples(6_000, 7), examples(6_000, 8)
    output = PublicMetricMulticlass(2.0).release(prepared(), x, y, randomness).output
    best = float((LinearDiscriminantAnalysis().fit(x, y).predict(held) != truth).mean())
    assert float((output.predict(held) != truth).mean()) < best + 0.03
    assert (truth != 0).mean() > best + 0.3, "a constant would not do"


def test_few_rows_are_answered_with_a_constant() -> None:
    """A public rule; the constant is selected by its mistakes."""
    x, y = examples(35, 3)
    learner, prepared_stage = PublicMetricMulticlass(1.0), prepared()
    assert not learner.plan(prepared_stage, 35).gradients
    distribution = learner.output_distribution(prepared_stage, x, np.where(y == 1, 1, 2))
    assert len(distribution.parameters) == K
    assert np.exp(distribution.log_probabilities).sum() == pytest.approx(1)
    release = learner.release(prepared_stage, x, np.full(35, 3), Simulation(1))
    assert release.cost["sums"] == 0
    assert (release.output.predict(x) == 3).all()
    with pytest.raises(ValueError, match="n_private = 600: has sums, whose noise has no end"):
        learner.output_distribution(prepared_stage, *examples(600, 1))


def test_a_label_that_nobody_has_is_no_error() -> None:
    x, y = examples(3_000, 10)
    output = PublicMetricMulticlass(3.0).release(prepared(), x, np.minimum(y, 1), Simulation(1)).output
    assert np.mean(output.predict(x) == np.minimum(y, 1)) > 0.75
    assert np.mean(output.predict(x) > 1) < 0.01


@pytest.mark.parametrize("classes", [2, 30])
def test_two_labels_and_thirty(classes: int) -> None:
    coins = np.random.default_rng(5)
    y = coins.integers(0, classes, 4_000)
    x = np.eye(classes)[y] * 6 + coins.normal(size=(4_000, classes))
    learner = PublicMetricMulticlass(8.0)
    prepared_stage = learner.prepare(x[:200], LinearRules(classes, classes))
    output = learner.release(prepared_stage, x[200:], y[200:], Simulation(1)).output
    assert np.mean(output.predict(x) == y) > 0.9
