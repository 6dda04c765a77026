"""Claim BCM20-L17: masses of labelled cells, distributions, sizes, the inequality and its controls."""

from itertools import pairwise

import numpy as np
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bcm20.learners.query_release_learner import labelled_counts
from semipriv.papers.bcm20.releases.labelled import Mistakes
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bcm20.studies import learning as claims


@pytest.mark.parametrize("target", claims.TARGETS)
def test_masses_are_those_of_the_distribution_and_its_labels(target: claims.Target) -> None:
    """Against a sample, and against the error of each threshold in closed form."""
    cell = claims.Cell(target, 0.2)
    rng = np.random.default_rng(2)
    domain = claims.drawn_domain(target.distribution, 12, Thresholds("le"), rng)
    masses = claims.masses(domain, cell)
    assert masses.sum() == pytest.approx(1)
    x = target.distribution.sample(60_000, rng)
    y = (x[:, 0] <= target.theta) ^ (rng.random(60_000) < cell.noise)
    assert labelled_counts(domain, x, y) / 60_000 == pytest.approx(masses, abs=0.01)
    away = np.abs(target.distribution.cdf(domain.cover.parameters[:, 0]) - target.distribution.cdf(target.theta))
    assert Mistakes(domain.workload).sums(masses) == pytest.approx(0.1 + 0.8 * away)


def test_distributions_are_distributions() -> None:
    rng = np.random.default_rng(4)
    at = np.linspace(-0.1, 1.1, 25)
    for distribution in claims.DISTRIBUTIONS:
        x = np.sort(distribution.sample(20_000, rng)[:, 0])
        for own, side in ((distribution.cdf(at), "right"), (distribution.cdf_left(at), "left")):
            assert own == pytest.approx(np.searchsorted(x, at, side) / 20_000, abs=0.02)
        jumps = distribution.cdf(np.array(distribution.places)) - distribution.cdf_left(np.array(distribution.places))
        assert jumps == pytest.approx(np.array(distribution.masses))
        assert distribution.cdf(1.0) == pytest.approx(1)
    assert len({distribution.name for distribution in claims.DISTRIBUTIONS}) == 5


def test_sizes_are_those_of_the_plan() -> None:
    cells = [claims.Cell(target, alpha) for alpha in claims.ALPHAS for target in claims.TARGETS]
    assert [cell.n_public for cell in cells] == [349] * 3 + [157] * 3
    assert all(0.9 * cell.alpha / 4 < cell.learner.method.accuracy < cell.alpha / 4 for cell in cells)
    assert [cell.n_private for cell in cells[::3]] == [cell.accurate.records for cell in cells[::3]]
    domain = claims.drawn_domain(claims.DISTRIBUTIONS[0], 157, Thresholds("le"), np.random.default_rng(0))
    assert (domain.workload.size, Mistakes(domain.workload).cells) == (158, 316)


def test_a_run_keeps_the_inequality_and_the_largest_answer_breaks_it() -> None:
    runs = [claims.run(claims.Cell(claims.TARGETS[0], 0.2), Simulation(seed)) for seed in range(3)]
    for actual_run in runs:
        assert actual_run.cover <= actual_run.excess <= actual_run.release + actual_run.cover
        assert actual_run.flipped > actual_run.release + actual_run.cover
    assert any(first.excess != other.excess for first, other in pairwise(runs))


def test_without_updates_the_excess_is_that_of_no_ones() -> None:
    table = Table(Run(Simulation(1), 1.0), Simulation(1))
    for target in claims.TARGETS:
        claims.without_updates(table, claims.Cell(target, 0.2))
    assert table.values(claims.PRIOR) == pytest.approx([0.8 * 0.37, 0.8 * 0.875, 0.8 * 0.75])
    assert all(row.verdict is Verdict.HOLDS for row in table.rows)
