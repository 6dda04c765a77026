"""Everything private: the inner learner on all examples, checked against that learner run by hand."""

import math

import numpy as np
import pytest

from semipriv.audit.exact import exact_privacy_loss, examples, learner_privacy_loss, outcomes
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.core.work import limits
from semipriv.learners.base import Protection
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.pooled import Pooled
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.privacy.guarantee import Neighbours

GRID = FixedGrid(0.7, 0.0, 3.0, 4)


def data(seed: int, d: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    public, x = rng.normal(size=(15, d)), rng.normal(size=(25, d))
    return public, (rng.random(15) < 0.3).astype(int), x, (rng.random(25) < 0.7).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_the_minimiser_inside_minimises_over_all_examples(seed: int) -> None:
    public, known, x, y = data(seed, 2)
    learner = Pooled(EmpiricalRiskMinimiser())
    actual_output = learner.release(learner.prepare(public, Halfspaces(2), known), x, y, Simulation(seed)).output
    both, labels = np.concatenate([public, x]), np.concatenate([known, y])
    least = Halfspaces(2).cover(both).mistakes(both, labels).min()
    assert np.sum(actual_output.predict(both) != labels) == least
    own = Halfspaces(2).minimise(x, y).parameters
    assert np.sum(Halfspaces(2).predict(own[None], both)[0] != labels) > least, "public examples matter here"


def test_the_distribution_is_that_of_the_inner_learner_on_everything() -> None:
    public, known, x, y = data(0, 1)
    learner = Pooled(GRID)
    actual_listed = learner.output_distribution(learner.prepare(public, Thresholds(), known), x, y)
    cover = GRID.prepare([], Thresholds()).listed()
    mistakes = np.array([sum((v >= t) != b for v, b in zip([*public[:, 0], *x[:, 0]], [*known, *y], strict=True))
                         for t in cover.parameters[:, 0]])  # fmt: skip
    weights = np.exp(-0.35 * mistakes)
    np.testing.assert_allclose(np.exp(actual_listed.log_probabilities), weights / weights.sum(), rtol=1e-12)
    prepared = learner.prepare(public, Thresholds(), known)
    both = prepared.together(x, y)
    np.testing.assert_array_equal(prepared.inner.tally(both.points, both.labels).mistakes, mistakes)


def test_what_the_inner_learner_refuses_is_refused_before_the_charge() -> None:
    """By the number of all examples: 2^43 rows are the most, and one of them is public."""
    learner = Pooled(PublicMetricDiscriminant(1.0))
    prepared = learner.prepare([[0.0]], Halfspaces(1), [1])
    with limits(minutes=math.inf):
        learner.check_release(prepared, 2**43 - 1)
    with pytest.raises(ValueError, match="n_private = 8796093022209"):
        learner.check_release(prepared, 2**43)


def test_replacing_any_example_is_protected() -> None:
    """Public ones too: the exact loss over replacements of any of three examples, one of them public."""
    domain = np.arange(3.0)[:, None]
    learner = Pooled(GRID)

    def distribution(records: tuple) -> dict:
        points, labels = np.array([point for point, _ in records]), np.array([label for _, label in records])
        prepared = learner.prepare(points[:1], Thresholds(), labels[:1])
        return outcomes(learner.output_distribution(prepared, points[1:], labels[1:]))

    everything = exact_privacy_loss(distribution, [examples(domain)] * 3).loss
    private = learner_privacy_loss(learner, Thresholds(), domain[:1], domain, 2, [1]).loss
    assert 0.45 * 0.7 < private <= everything <= 0.7 * (1 + 1e-9)


def test_what_the_inner_learner_is_worth() -> None:
    assert Pooled(GRID).guarantee == GRID.guarantee
    assert Pooled(GRID).guarantee.neighbours is Neighbours.REPLACE_PRIVATE_EXAMPLE
    assert (Pooled(GRID).protection, Pooled(GRID).epsilon) == (Protection.PRIVATE, 0.7)
    minimiser = Pooled(EmpiricalRiskMinimiser())
    assert (minimiser.guarantee, minimiser.protection, minimiser.epsilon) == (None, Protection.NONE, None)
    assert Pooled({"name": "fixed_grid", "epsilon": 0.7, "high": 3, "size": 4}) == Pooled(GRID)
    assert GRID.__class__.__module__ in registry.modules(Pooled(GRID))
