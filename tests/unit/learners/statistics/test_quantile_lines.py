"""Quantiles in a report: levels in order, limits that are there only where noise proves them, and no deviations."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.learners.outputs.report import KINDS, Report
from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.quantiles import Trees
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

SCHEMA = ReportSchema([Column("ward", range(5)), Number("days", 0, 60, True)])


def rows(n: int, seed: int) -> np.ndarray:
    """Five wards of unlike sizes, skewed days, a tenth of them missing."""
    random = np.random.default_rng(seed)
    ward = random.choice(5, n, p=[0.5, 0.3, 0.15, 0.04, 0.01])
    days = np.minimum(random.gamma(1.5, 0.05 * (1 + ward), n), 1.0)
    missing = random.random(n) < 0.1
    return np.column_stack([ward, np.where(missing, 0.0, days), missing])


def report(at: list[float], epsilon: float, public: int, seed: int) -> tuple[Report, bool]:
    """Return a report, and whether its quantiles are draws."""
    learner = StatisticsRelease(
        epsilon,
        statistics=[Asked("quantiles", "days", ("ward",), tuple(at)), Asked("count")],
    )
    prepared = learner.prepare(rows(public, 100), SCHEMA)
    draws = not isinstance(learner.plan(prepared, 3000).quantiles[0].how, Trees)
    return learner.release(prepared, rows(3000, 1), Simulation(seed)).output, draws


@pytest.mark.parametrize("public", [0, 150])
@pytest.mark.parametrize("at", [[0.5], [0.9, 0.1], [0.75, 0.01, 0.5, 0.99, 0.25, 0.9]], ids=len)
@pytest.mark.parametrize("epsilon", [0.01, 2])
def test_higher_levels_are_no_lower_and_limits_enclose(at: list[float], public: int, epsilon: float) -> None:
    for seed in range(3):
        found, draws = report(at, epsilon, public, seed)
        quantiles = ~np.isnan(found.level)
        assert np.isfinite(found.values[quantiles]).all()
        limited = quantiles & ~np.isnan(found.low)
        assert (found.low[limited] <= found.high[limited]).all()
        assert ((found.values >= 0) & (found.values <= 60))[quantiles].all()
        for kind in range(len(KINDS)):
            for cell in range(5):
                mine = quantiles & (found.kinds == kind) & (found.cell == cell)
                order = np.argsort(found.level[mine])
                for numbers in (found.values, found.low, found.high):
                    assert not (np.diff(numbers[mine][order]) < 0).any()
        without = [np.isnan(found.low[quantiles & (found.kinds == kind)]).all() for kind in range(len(KINDS))]
        assert without == [draws, True, True], "a noisy tree alone proves limits"
        assert np.isnan(found.noise_sd[quantiles]).all()


def test_a_large_budget_gives_the_quantiles_of_each_group() -> None:
    private = rows(3000, 1)
    for public in (0, 150):
        for at in ([0.5], [0.1, 0.25, 0.5, 0.75, 0.9]):
            found, _ = report(at, 500, public, 0)
            for i in np.flatnonzero(~np.isnan(found.level)):
                mine = private[(private[:, 0] == found.cell[i]) & (private[:, 2] == 0), 1] * 60
                below, through = ((mine < found.values[i]).mean(), (mine <= found.values[i]).mean())
                assert below - 0.08 <= found.level[i] <= through + 0.08


@pytest.mark.parametrize(("at", "epsilon"), [([0.5], 0.02), ([0.1, 0.25, 0.5, 0.75, 0.9], 1.0)])
def test_ranks_are_as_exact_as_was_expected(at: list[float], epsilon: float) -> None:
    """Over 60 releases, on evenly spread days and one group, the deviation of the share of rows below is what is told.

    That of draws among evenly spread candidates, that of trees a mean over bins: within a factor of 2.  A quantile is a
    cut or the middle of a bin, which adds up to half a bin, that is 1/64 here.
    """
    private = np.column_stack([np.zeros(4000), np.arange(4000) / 4000, np.zeros(4000)])
    learner = StatisticsRelease(epsilon, statistics=[Asked("quantiles", "days", (), tuple(at))])
    prepared = learner.prepare(rows(0, 1), SCHEMA)
    sums = [one.of(private) for one in learner.questions(prepared, 4000)]
    found = [learner.release_counts(prepared, sums, 4000, Simulation(i)).output for i in range(60)]
    shares = np.array([one.values[one.kinds == 0] for one in found]) / 60
    [told] = learner.expected_ranks(prepared, 4000).values()
    assert np.isnan(learner.expected_report(prepared, 4000).noise_sd).all()
    off = np.sqrt(np.mean((shares - np.array(at)) ** 2))
    assert np.mean(told) / 2 <= off <= 2 * np.mean(told) + 1 / 64
