"""The learner made of query release: its queries count mistakes, its choice, and an audit of a round."""

import numpy as np
import pytest

from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.stages.representative_domain import domain_of
from semipriv.papers.bcm20.learners.query_release_learner import QueryReleaseLearner, labelled_counts, least
from semipriv.papers.bcm20.releases.labelled import Mistakes
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.prior import Prior
from semipriv.queries.workloads import Runs
from semipriv_lab.papers.bcm20.controls.transcripts import transcripts


@pytest.mark.parametrize("functions", [Thresholds(), Thresholds("le"), Intervals()], ids=repr)
def test_labelled_queries_count_mistakes(functions) -> None:
    rng = np.random.default_rng(3)
    domain = domain_of(rng.random((5, 1)), rng.random((0, 1)), functions, "midpoint")
    x, y = rng.random((40, 1)), rng.integers(0, 2, 40)
    counts, queries = labelled_counts(domain, x, y.astype(np.int8)), Mistakes(domain.workload)
    expected = (functions.predict(domain.cover.parameters, x) != y).sum(axis=1)
    assert queries.sums(counts).tolist() == expected.tolist() == (queries.matrix() @ counts).tolist()
    assert queries.sums(counts / 40.0) == pytest.approx(expected / 40)
    assert counts.sum() == 40
    assert len(counts) == queries.cells == 2 * domain.workload.cells


def test_many_cells_do_not_overflow_small_labels() -> None:
    x = np.arange(300.0)[:, None]
    domain = domain_of(x, x[:0], Thresholds("le"), "lower")
    counts = labelled_counts(domain, x, np.ones(300, np.int8))
    assert counts[: len(counts) // 2].sum() == 0
    assert counts.sum() == 300


def test_without_noise_it_is_the_empirical_risk_minimiser_over_the_cover() -> None:
    rng = np.random.default_rng(8)
    x, y = rng.random((4000, 1)), (rng.random(4000) < 0.5).astype(int)
    learner = QueryReleaseLearner(1e3, 1e-6, Gaussian())
    prepared = learner.prepare(rng.random((20, 1)), Thresholds())
    mistakes = prepared.cover.mistakes(x, y)
    output = learner.release(prepared, x, y, Simulation(1)).output
    assert output.parameters.tolist() == prepared.cover.parameters[np.argmin(mistakes)].tolist()


def test_ties_go_to_the_first() -> None:
    learner = QueryReleaseLearner(1.0, method=Prior())
    prepared = learner.prepare(np.random.default_rng(1).random((50, 1)), Thresholds())
    counts = np.ones(2 * prepared.workload.cells, np.int64)
    assert least(learner.answers(prepared, counts, Simulation(1)).answers) == 0


def test_exact_privacy_of_a_round_on_labelled_cells() -> None:
    """All data sets of two labelled records in four cells, all neighbours: what is chosen is a function of this."""
    queries, budget = Mistakes(Runs(2, np.array([0, 0]), np.array([1, 2]))), Guarantee(1.0)
    counts = [np.bincount(pair, minlength=4) for pair in np.ndindex(4, 4)]
    distributions = [transcripts(MWEM(1, 1), queries, count, budget) for count in counts]
    losses = [
        max(abs(distribution[key] - other[key]) for key in distribution)
        for distribution, count in zip(distributions, counts, strict=True)
        for other, another in zip(distributions, counts, strict=True)
        if np.abs(count - another).sum() == 2
    ]
    assert 0.5 < max(losses) <= 1 + 1e-12
