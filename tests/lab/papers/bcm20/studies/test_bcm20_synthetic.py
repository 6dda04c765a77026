"""Claim BCM20-R9: what is measured of synthetic data, and that gates see data with too few points."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bcm20.studies import synthetic as claims


def tables(seed: int) -> Table:
    return Table(Run(Simulation(seed), 1.0), Simulation(seed))


@pytest.mark.parametrize("case", [claims.THRESHOLDS, claims.INTERVALS], ids=lambda case: case.name)
@pytest.mark.parametrize("distribution", claims.DISTRIBUTIONS, ids=lambda distribution: distribution.name)
def test_exact_shares_are_those_of_the_distribution(case: claims.Case, distribution: claims.AtomsAndUniform) -> None:
    actual_released = claims.released(case, distribution, Gaussian(), Simulation(2))
    x = distribution.sample(20_000, np.random.default_rng(5))
    shares = case.functions.predict(actual_released.domain.cover.parameters, x).mean(axis=1)
    assert actual_released.exact == pytest.approx(shares, abs=0.02)
    assert 0 < actual_released.error < 0.2


def test_bounds() -> None:
    assert claims.bound(100, 50) == pytest.approx(2 * np.sqrt(np.log(2000) / 100))
    assert claims.distance(np.array([0.1, 0.5]), np.array([0.2, 0.5])) == pytest.approx(0.2)


def test_quantiles_with_too_few_points_break_the_gate() -> None:
    table = tables(3)
    claims.by_quantiles(table, claims.DISTRIBUTIONS[0], 2)
    verdicts = {row.quantity: row.verdict for row in table.rows}
    assert verdicts[claims.ROUNDING] is verdicts[claims.ADDED] is verdicts[claims.CONTROL] is Verdict.HOLDS
    assert min(table.values(claims.CONTROL)) > 1


def test_the_linear_program_is_gated_by_the_error_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are not the optimum are noticed."""
    table = tables(1)
    claims.by_program(table, claims.INTERVALS, claims.DISTRIBUTIONS[2], 2)
    uniform = lambda self, how: np.full(len(self.representatives), 1 / len(self.representatives))  # noqa: E731
    monkeypatch.setattr(claims.Answers, "weights_by", uniform)
    claims.by_program(table, claims.INTERVALS, claims.DISTRIBUTIONS[2], 2)
    assert [row.verdict for row in table.rows] == [Verdict.HOLDS, Verdict.VIOLATED]


def test_samples_with_far_too_few_points_violate() -> None:
    """A sixteenth of the points, as if they were all."""
    actual_released = claims.released(claims.INTERVALS, claims.DISTRIBUTIONS[0], MWEM(), Simulation(4))
    fitted, allowed = actual_released.fitted("sampled"), claims.bound(len(actual_released.output.shares), 800)
    exceeding = [
        claims.distance(actual_released.data(50, "sampled", Simulation(seed)), fitted) > allowed for seed in range(40)
    ]
    many = [
        claims.distance(actual_released.data(800, "sampled", Simulation(seed)), fitted) > allowed for seed in range(40)
    ]
    assert np.mean(exceeding) > 0.9
    assert np.mean(many) < 0.1
