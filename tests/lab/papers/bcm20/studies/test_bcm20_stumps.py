"""Stump claims: needs against enumeration and simulation, the mixture's gate and controls, Hoeffding's threshold."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bcm20.bounds.public_only import stumps_public_failure
from semipriv.papers.bcm20.releases.stump_releases import GaussianMeans, MixedMeans
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.findings import gates
from semipriv_lab.papers.bcm20.studies import stumps as study


def test_failures_of_the_gaussian_release_by_simulation() -> None:
    generator = Simulation(1).generator
    n, p, alpha = 2000, 50, 0.12
    sigma = GaussianMeans(1.0, 1 / (4 * n)).noise(p, n).sigma
    means = 2 * generator.binomial(n, 0.5, (4000, p)) / n - 1
    failed = np.mean(np.abs(means + generator.normal(scale=sigma, size=means.shape)).max(axis=1) > alpha)
    exact = study.failure_private(n, p, alpha)
    assert 0.05 < exact < 0.95
    assert failed == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))


@pytest.mark.parametrize(("p", "alpha"), [(100, 0.1), (25600, 0.1), (400, 0.05)])
def test_least_sizes(p: int, alpha: float) -> None:
    n, m = study.least_private(p, alpha), study.least_public(p, alpha)
    assert study.failure_private(n, p, alpha) <= alpha < study.failure_private(n - 1, p, alpha)
    smaller = np.arange(1, m)
    assert stumps_public_failure(np.array(m), alpha, p) <= alpha
    assert np.all(stumps_public_failure(smaller, alpha, p) > alpha)


def test_needs_are_above_the_bound_and_exact_means_below() -> None:
    finding = study.theorem_13(Run(Simulation(0), 1.0))
    assert finding.verdict is Verdict.HOLDS
    assert len(gates(finding.measurements)) == 2 * 15 + 2 * 3 + len(study.LAST_ALPHAS)
    times = [row.measured.value for row in finding.measurements if row.quantity == study.OVER]
    assert (round(min(times)), round(max(times))) == (35, 85)
    exponents = [row.measured.value for row in finding.measurements if row.quantity == study.EXPONENT]
    assert exponents == pytest.approx([0.554, 0.508, 0.404], abs=1e-3)


def test_savings_of_the_mixture() -> None:
    assert [study.saving(m) for m in (1, 3, 4, 34)] == pytest.approx([0.019, 0.054, 0.070, 0.352], abs=5e-4)
    assert round(1 / study.MIXTURE.private_variance(study.MIXED_P, study.MIXED_N)) == study.BALANCE


def mixture():
    return study.mixture(Run(Simulation(2), 1.0))


def test_mixture_holds() -> None:
    computed_mixture = mixture()
    assert computed_mixture.verdict is Verdict.HOLDS
    assert len([row for row in gates(computed_mixture.measurements) if row.trials]) == study._GATES
    assert computed_mixture.deciding.quantity == study.SQUARED
    assert "from m = 24 on" in computed_mixture.reason


def test_controls_of_the_mixture_break_what_their_names_say(monkeypatch) -> None:
    """Their mean squared errors in closed form: other weights, and a quarter of the variance of the noise."""
    monkeypatch.setattr(study, "PUBLIC_SIZES", (1, 8, 64, 256))
    p, n = study.MIXED_P, study.MIXED_N
    noise, fresh = study.MIXTURE.private_part.noise(p, n).variance, 2 / (3 * n)
    v = noise + 1 / n
    checked = 0
    for row in mixture().measurements:
        m = row.settings.get("n_public", 1)
        w, beside = v / (v + 1 / m), 2 / (3 * m)
        exact = {
            study.SQUARED: (1 - w) ** 2 * (noise + fresh) + w**2 * beside,
            f"{study.SQUARED}, weights swapped": w**2 * (noise + fresh) + (1 - w) ** 2 * beside,
            f"{study.SQUARED}, half the noise": (1 - w) ** 2 * (noise / 4 + fresh) + w**2 * beside,
        }
        if row.quantity in exact:
            assert row.measured.low <= exact[row.quantity] <= row.measured.high
            assert row.measured.high - row.measured.low < 0.15 * exact[row.quantity]
            checked += 1
    assert checked == 12


@pytest.mark.parametrize("control", ["weights swapped", "half the noise", "noise of one more public record in ten"])
def test_broken_mixtures_are_caught(control: str, monkeypatch) -> None:
    weight, answers = MixedMeans.public_weight, GaussianMeans.answers
    formula = MixedMeans.mean_squared_error
    exact = {m: formula(study.MIXTURE, study.MIXED_P, study.MIXED_N, m) for m in study.PUBLIC_SIZES}
    monkeypatch.setattr(study, "savings", lambda table: None)
    monkeypatch.setattr(study, "saving", lambda m: 0.0)
    monkeypatch.setattr(MixedMeans, "mean_squared_error", lambda self, p, n, m: exact[m])
    if control == "weights swapped":
        monkeypatch.setattr(MixedMeans, "public_weight", lambda self, p, n, m: 1 - weight(self, p, n, m))
    elif control == "half the noise":
        monkeypatch.setattr(
            GaussianMeans,
            "answers",
            lambda self, private, public, r: (
                (answers(self, private, public, r) + 2 * np.count_nonzero(private, axis=0) / len(private) - 1) / 2
            ),
        )
    else:
        monkeypatch.setattr(study, "PUBLIC_SIZES", (1, 8))
        monkeypatch.setattr(study, "record_means", lambda records: 1.2 * (2 * records.mean(axis=0) - 1))
    assert mixture().verdict is Verdict.VIOLATED


def test_hoeffding_threshold_by_enumeration() -> None:
    """All records of 10 coordinates: the chance above the threshold is below the one it was made for."""
    generator = Simulation(3).generator
    for _ in range(20):
        mu, direction = generator.uniform(-1, 1, 10), generator.normal(size=10)
        records = np.array(list(itertools.product((-1, 1), repeat=10)))
        chances = np.prod((1 + records * mu) / 2, axis=1)
        for rate in (0.3, 0.05, 0.01):
            above = study.hoeffding_threshold(direction, math.log(1 / rate))
            assert chances[(records - mu) @ direction > above].sum() <= rate
    assert study.hoeffding_threshold(np.array([3.0, 4.0]), 2.0) == pytest.approx(10.0)


def test_savings_by_simulation_and_wrong_ones_are_caught(monkeypatch) -> None:
    table = Table(Run(Simulation(0), 1.0), Simulation(0))
    study.savings(table)
    assert {row.verdict for row in table.rows} == {Verdict.HOLDS}
    assert len(table(study.SAVING)) > 40
    formula = MixedMeans.mean_squared_error
    for wrong in (0.5, 1.6):
        monkeypatch.setattr(MixedMeans, "mean_squared_error", lambda *given, wrong=wrong: wrong * formula(*given))
        other = Table(Run(Simulation(0), 1.0), Simulation(0))
        study.savings(other)
        assert Verdict.VIOLATED in {row.verdict for row in other.rows}


def test_an_accurate_release_is_traced_and_another_is_not(monkeypatch) -> None:
    monkeypatch.setattr(study, "EVENT_P", 4000)
    monkeypatch.setattr(study, "EVENT_N", 50)
    monkeypatch.setattr(study, "TWICE", 100)
    for noise, traced in ((0.17, True), (0.6, False)):
        monkeypatch.setattr(study, "EVENT_NOISE", {50: noise, 100: 0.3})
        finding = study.event(Run(Simulation(4), 0.2))
        share = next(row.measured.value for row in finding.measurements if row.quantity == study.TRACED_SHARE)
        assert (share > study.MOST) is traced
        flagged = [row.measured.value for row in finding.measurements if row.quantity.startswith("fresh")]
        assert sum(flagged) <= 1
