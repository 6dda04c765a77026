"""Claim BCM20-L17: masses of labelled cells, sizes, controls; and the learner on given counts."""

from itertools import pairwise

import numpy as np
import pytest

from semipriv.audit.query_release import transcripts
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.query_release_learner import QueryReleaseLearner, labelled_counts, least
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.labelled import Mistakes
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.prior import Prior
from semipriv.queries.workloads import Runs
from semipriv.randomness import Simulation
from semipriv.stages.representative_domain import domain_of
from semipriv.statistics import Verdict
from semipriv.studies.bcm20 import learning as claims


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
    learner = QueryReleaseLearner(1e6, 1e-6, Gaussian())
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
    laws = [transcripts(MWEM(1, 1), queries, one, budget) for one in counts]
    losses = [
        max(abs(law[key] - other[key]) for key in law)
        for law, one in zip(laws, counts, strict=True)
        for other, another in zip(laws, counts, strict=True)
        if np.abs(one - another).sum() == 2
    ]
    assert 0.5 < max(losses) <= 1 + 1e-12


@pytest.mark.parametrize("target", claims.TARGETS)
def test_masses_are_those_of_the_law_and_its_labels(target: claims.Target) -> None:
    """Against a sample, and against the error of each threshold in closed form."""
    cell = claims.Cell(target, 0.2)
    rng = np.random.default_rng(2)
    domain = claims.drawn_domain(target.law, 12, Thresholds("le"), rng)
    masses = claims.masses(domain, cell)
    assert masses.sum() == pytest.approx(1)
    x = target.law.sample(60_000, rng)
    y = (x[:, 0] <= target.theta) ^ (rng.random(60_000) < cell.noise)
    assert labelled_counts(domain, x, y) / 60_000 == pytest.approx(masses, abs=0.01)
    away = np.abs(target.law.cdf(domain.cover.parameters[:, 0]) - target.law.cdf(target.theta))
    assert Mistakes(domain.workload).sums(masses) == pytest.approx(0.1 + 0.8 * away)


def test_laws_are_distributions() -> None:
    rng = np.random.default_rng(4)
    at = np.linspace(-0.1, 1.1, 25)
    for law in claims.LAWS:
        x = np.sort(law.sample(20_000, rng)[:, 0])
        for own, side in ((law.cdf(at), "right"), (law.cdf_left(at), "left")):
            assert own == pytest.approx(np.searchsorted(x, at, side) / 20_000, abs=0.02)
        jumps = law.cdf(np.array(law.places)) - law.cdf_left(np.array(law.places))
        assert jumps == pytest.approx(np.array(law.masses))
        assert law.cdf(1.0) == pytest.approx(1)
    assert len({law.name for law in claims.LAWS}) == 5


def test_sizes_are_those_of_the_plan() -> None:
    cells = [claims.Cell(target, alpha) for alpha in claims.ALPHAS for target in claims.TARGETS]
    assert [cell.n_public for cell in cells] == [349] * 3 + [157] * 3
    assert all(cell.learner.method.accuracy == cell.alpha / 4 for cell in cells)
    domain = claims.drawn_domain(claims.LAWS[0], 157, Thresholds("le"), np.random.default_rng(0))
    assert (domain.workload.size, Mistakes(domain.workload).cells) == (158, 316)


def test_a_run_keeps_the_inequality_and_the_largest_answer_breaks_it() -> None:
    runs = [claims.run(claims.Cell(claims.TARGETS[0], 0.2), Simulation(seed)) for seed in range(3)]
    for one in runs:
        assert one.cover <= one.excess <= one.release + one.cover
        assert one.flipped > one.release + one.cover
    assert any(one.excess != other.excess for one, other in pairwise(runs))


def test_without_updates_the_excess_is_that_of_no_ones() -> None:
    found = [claims.without_updates(claims.Cell(target, 0.2), Simulation(1)) for target in claims.TARGETS]
    assert [row.measured.value for row in found] == pytest.approx([0.8 * 0.37, 0.8 * 0.875, 0.8 * 0.75])
    assert all(row.verdict is Verdict.HOLDS for row in found)
