"""Public labels of another rule, and of the same one: what they cost a learner that begins with them."""

import itertools

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv_lab.papers.own.distributions import TWO_LABELS, DrawnRows


def turned(distribution: DrawnRows, coins: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of which the labels follow the distribution's rule on other columns."""
    x, y = distribution(coins, n)
    spread = np.where(x.std(axis=0) > 0, x.std(axis=0), 1.0)
    order = np.random.default_rng(11).permutation(x.shape[1])
    return ((x - x.mean(axis=0)) / spread)[:, order] * spread + x.mean(axis=0), y


@pytest.mark.parametrize(("epsilon", "n"), [(0.4, 300), (0.3, 1_500), (1.0, 1_500), (1.0, 6_000)])
def test_unrelated_public_labels_cost_no_more_than_their_test(epsilon: float, n: int) -> None:
    """Compare with no public labels at the epsilon that the test leaves; labels of one population cost hardly more."""
    lost, paid = [], []
    for seed, distribution in itertools.product(range(4), TWO_LABELS.values()):
        coins = np.random.default_rng([23, seed])
        (x, y), (held, truth), other, good = (
            distribution(coins, n),
            distribution(coins, 4_000),
            turned(distribution, coins, 200),
            distribution(coins, 200),
        )

        def wrong(learner: object, built: object, x=x, y=y, held=held, truth=truth, seed=seed) -> float:
            return float(np.mean(learner.release(built, x, y, Simulation(seed)).output.predict(held) != truth))

        learner = PublicModelDiscriminant(epsilon)
        prepared_stage = learner.prepare(other[0], Halfspaces(8), other[1])
        test = learner.test(prepared_stage, n)
        rest = epsilon - (float(test.epsilon) if test else 0.0)
        lost.append(wrong(learner, prepared_stage) - wrong(PublicMetricDiscriminant(rest), prepared_stage.metric))
        prepared_stage = learner.prepare(good[0], Halfspaces(8), good[1])
        paid.append(
            wrong(learner, prepared_stage)
            - wrong(PublicModelDiscriminant(epsilon, same_population=True), prepared_stage)
        )
    assert np.mean(lost) < 0.01
    assert np.mean(paid) < 0.005
