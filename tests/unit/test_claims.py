"""The ledger: verdicts of claims, and broken measurements that must not pass."""

from pathlib import Path

import numpy as np
import pytest

from semipriv import tables
from semipriv.claims import abm19_cover
from semipriv.claims.ledger import (
    CLAIMS,
    MEASUREMENTS,
    Finding,
    Measurement,
    check_claims,
    claims,
    counts,
    write_finding,
    write_ledger,
)
from semipriv.claims.measured import EXPERIMENTS, measure, module
from semipriv.fingerprint import closure
from semipriv.randomness import Simulation
from semipriv.statistics import Interval, Verdict


def test_every_experiment_belongs_to_a_claim_of_the_list() -> None:
    assert EXPERIMENTS.keys() <= claims().keys()
    for claim in EXPERIMENTS:
        assert module(claim) in closure([module(claim)])


def test_bad_probability_claim() -> None:
    finding = measure("ABM19-E1-exact", Simulation(11), 0.5)
    assert finding.verdict is Verdict.HOLDS
    assert all(row.trials == 10_000 for row in finding.measurements)


@pytest.mark.parametrize("twin", [lambda p, m, a: p(m + 3, a), lambda p, m, a: p(m, a * 9 / 10)], ids=["m", "alpha"])
def test_a_wrong_formula_is_caught(monkeypatch: pytest.MonkeyPatch, twin) -> None:
    right = abm19_cover.bad_probability_thresholds
    monkeypatch.setattr(abm19_cover, "bad_probability_thresholds", lambda m, a: twin(right, m, a))
    assert measure("ABM19-E1-exact", Simulation(11), 0.5).verdict is Verdict.VIOLATED


def test_too_few_trials_are_inconclusive() -> None:
    finding = measure("ABM19-E1-exact", Simulation(11), 0.01)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "wider" in finding.reason


def test_public_points_claim() -> None:
    finding = measure("ABM19-L3.3-rate", Simulation(12), 0.2)
    rows = {(row.quantity, row.settings): row for row in finding.measurements}
    assert finding.verdict is Verdict.HOLDS
    assert rows["exponent in alpha", "d 1, allowed [-1.25, -1]"].measured.value == pytest.approx(-1.138, abs=1e-3)
    expected = {2: 128, 4: 242, 8: 460}
    for d, size in expected.items():
        measured = rows["public points needed", f"d {d}, alpha 0.1, beta 0.05"].measured
        assert measured.low <= size <= measured.high
        assert measured.value == pytest.approx(size, rel=0.05)


def test_a_quadratic_need_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were 1/alpha^2 points needed, as by estimating all distances, the claim would be violated."""
    monkeypatch.setattr(abm19_cover, "cover_points_thresholds", lambda alpha, beta: round(3 / alpha**2))
    assert measure("ABM19-L3.3-rate", Simulation(12), 0.05).verdict is Verdict.VIOLATED


def test_ledger(tmp_path: Path) -> None:
    broken = Measurement("error", "somewhere", Interval(0.5, 0.4, 0.6), 0.1, 100, Verdict.VIOLATED)
    finding = Finding("a broken measurement", Verdict.VIOLATED, broken, (broken, broken))
    write_finding("ABM19-T3.1", finding, tmp_path / "row.parquet", tmp_path / "m.parquet")
    write_ledger(
        [tmp_path / "row.parquet"], [tmp_path / "m.parquet"], tmp_path / "claims.parquet", tmp_path / "all.parquet"
    )
    rows = {row["claim"]: row for row in tables.read_rows(tmp_path / "claims.parquet", CLAIMS)}
    assert list(rows) == list(claims())
    row = rows["ABM19-T3.1"]
    assert (row["verdict"], row["bound"], row["low"], row["trials"]) == ("violated", 0.1, 0.4, 100)
    assert counts(tmp_path / "claims.parquet")["ABM19"] == {"violated": 1, "not implemented": 22}
    assert len(tables.read_rows(tmp_path / "all.parquet", MEASUREMENTS)) == 2


def test_unknown_claims() -> None:
    with pytest.raises(ValueError, match=r"unknown claim 'ABM19-L33': did you mean"):
        check_claims(["ABM19-L33"], list(EXPERIMENTS))
    with pytest.raises(ValueError, match=r"claim 'BCM20-L7' has no experiment yet \(measurable: ABM19-E1-exact"):
        check_claims(["BCM20-L7"], list(EXPERIMENTS))


def test_quantile_limits_cover() -> None:
    """Order statistics enclose the quantile with at least the stated probability, exactly by the binomial law."""
    from scipy.stats import binom

    for trials, quantile, level in ((200, 0.95, 0.05), (2000, 0.95, 1e-4), (10_000, 0.95, 1e-6)):
        low, high = abm19_cover._quantile_ranks(trials, quantile, level)
        below = binom(trials, quantile)  # number of values at most the quantile
        missed_below = below.cdf(low - 1)  # the low-th value lies above the quantile
        missed_above = below.sf(high - 1)  # the high-th value lies at or below it
        assert missed_below <= level / 2 < below.cdf(low)
        assert missed_above <= level / 2 < below.sf(high - 2)
        assert 0 < low < quantile * trials < high <= trials


def test_too_few_trials_give_no_limit() -> None:
    """With 200 trials no order statistic exceeds the 0.95-quantile with probability 1 - 1e-7: the limit is infinite."""
    low, high = abm19_cover._quantile_ranks(200, 0.95, 1e-7)
    assert (high, low > 0) == (201, True)
    finding = measure("ABM19-L3.3-rate", Simulation(12), 0.02)
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_crossing() -> None:
    grid, curve = np.array([10, 20, 40]), np.array([0.4, 0.2, 0.1])
    assert abm19_cover._crossing(grid, curve, 0.2) == pytest.approx(20)
    assert abm19_cover._crossing(grid, curve, 0.15) == pytest.approx(20 * 2 ** np.log2(0.2 / 0.15))
    assert abm19_cover._crossing(grid, curve, 0.5) == 0
    assert abm19_cover._crossing(grid, curve, 0.05) == np.inf


@pytest.mark.parametrize("d", [4, 8])
def test_a_quadratic_need_of_larger_classes_is_caught(monkeypatch: pytest.MonkeyPatch, d: int) -> None:
    right = abm19_cover._simulated

    def twin(e, trials, randomness):
        found = right(e, trials, randomness)
        return (
            {a: Interval(*(v * 0.2 / a for v in (s.value, s.low, s.high))) for a, s in found.items()}
            if e == d
            else found
        )

    monkeypatch.setattr(abm19_cover, "_simulated", twin)
    assert measure("ABM19-L3.3-rate", Simulation(12), 0.2).verdict is Verdict.VIOLATED
