"""Tracing claims: what each attack asks, gates that hold, controls of the attack and of the release, the figure."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.papers.bcm20.releases.stump_releases import GaussianMeans, PublicMeans, UniformNoise
from semipriv.papers.bcm20.releases.tracing import record_means, threshold
from semipriv.privacy.gaussian import gaussian_delta
from semipriv_lab.figures.base import draw_figure
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.findings import Finding, gates, recorded
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.papers.bcm20.studies import _attacks, _release_attacks, _trade_off
from semipriv_lab.papers.bcm20.studies import tracing as study
from semipriv_lab.papers.bcm20.studies._attacks import Cell

P, FACTORS = 1000, (0.5, 1.0, 2.0)
SMALL = tuple(Cell(P, alpha, factor) for alpha in (0.1, 0.2) for factor in FACTORS)


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    """One dimension and six cells; other numbers stay."""
    monkeypatch.setattr(study, "CELLS", SMALL)
    monkeypatch.setattr(study, "DIMENSIONS", (P,))
    monkeypatch.setattr(study, "FACTORS", FACTORS)


def attacked(trials: int = 8, seed: int = 1) -> Run:
    attacks = {P: [_attacks.trial(SMALL, Simulation(seed).spawn(t)) for t in range(trials)]}
    return Run(Simulation(seed), 1.0, {study.attack: attacks})


@pytest.fixture(scope="module")
def run() -> Run:
    return attacked(20)


def wrong(finding: Finding) -> set[str]:
    return {row.quantity for row in gates(finding.measurements) if row.verdict is Verdict.VIOLATED}


def test_the_statistic_holds(run) -> None:
    finding = study.statistic(run)
    assert finding.verdict is Verdict.HOLDS
    assert len(gates(finding.measurements)) == 4 * len(SMALL) + 2 * 4
    assert finding.deciding.quantity == study.TRACED
    assert "no alpha-accurate releases" in finding.reason
    rates = [row for row in gates(finding.measurements) if row.quantity == study.TRACED]
    assert all(0 < row.measured.value < 1 and abs(row.measured.value - row.bound) < 0.04 for row in rates)
    farthest = max(rates, key=lambda row: abs(row.measured.value - row.bound))
    assert finding.deciding == farthest


def test_a_violated_gate_decides(run) -> None:
    finding = study.statistic(run)
    bad = [
        replace(row, verdict=Verdict.VIOLATED) if row.quantity == study.VARIANCE else row
        for row in finding.measurements
    ]
    assert study.rate_of_worst(gates(bad)).quantity == study.VARIANCE


@pytest.mark.parametrize(
    "control", ["half the noise", "rate above its threshold twice", "threshold of attacked records"]
)
def test_broken_attacks_are_caught(control: str, monkeypatch) -> None:
    answers = UniformNoise.answers

    def less(self, private, public, randomness):
        means = record_means(private)
        return means + (answers(self, private, public, randomness) - means) / 2

    if control == "half the noise":
        monkeypatch.setattr(UniformNoise, "answers", less)
        caught = study.VARIANCE
    elif control == "rate above its threshold twice":
        monkeypatch.setattr(_attacks, "threshold", lambda fresh, rate: threshold(fresh, 6 * rate))
        caught = study.TRACED
    else:
        monkeypatch.setattr(_attacks, "scores", lambda q, c, records: _attacks_scores(q, 0.9 * np.asarray(c), records))
        caught = study.VARIANCE
    assert caught in wrong(study.statistic(attacked()))


_attacks_scores = _attacks.scores


def test_public_means_that_use_private_records_are_caught(run, monkeypatch) -> None:
    good = study.number_traced(run)
    public = [row for row in gates(good.measurements) if row.quantity.endswith(study.PUBLIC_ONLY)]
    assert len(public) == len(study.PUBLIC_SIZES)
    assert {row.verdict for row in gates(good.measurements) if row not in public} == {Verdict.HOLDS}
    assert all(row.measured.low <= row.bound == 20 / 2001 <= row.measured.high for row in public)
    means = PublicMeans.answers

    def leaks(self, private, public, randomness):
        return means(self, public, np.concatenate([public, private[: len(public)]]), randomness)

    monkeypatch.setattr(PublicMeans, "answers", leaks)
    assert study.number_traced(attacked()).verdict is Verdict.VIOLATED


def test_an_attack_sees_what_it_is_told() -> None:
    """By hand: one release, its own records, the scores by a plain product."""
    cell = Cell(60, 0.5, 1.0)
    assert cell.n == 15
    assert cell.z == pytest.approx((2 * 60 / 45) / math.sqrt(60 * (2 * 0.25 / 9 + 8 / (15 * 15))))
    attack_trial = _attacks.trial([cell], Simulation(2))
    many = attack_trial[_attacks.CENTRED, 0.5, 1.0]
    assert len(many) == 1, "the pool of a trial has room for one data set of the largest n"
    again = Simulation(2)
    population = _attacks.Population.draw(60, again.generator)
    pool, fresh = population.records(15, again.generator), population.records(4000, again.generator)
    population.records(400, again.generator)
    references = population.records(4, again.generator)
    q = UniformNoise(0.5).answers(pool, pool[:0], again)
    mu = population.means
    inside, outside = ((2.0 * part - 1 - mu) @ (q - mu) for part in (pool, fresh))
    above = np.sort(outside[:2000])[-20]
    (seen,) = many
    assert seen.inside == pytest.approx(inside.mean(), abs=1e-4)
    assert seen.variance == pytest.approx(outside.var(ddof=1), rel=1e-4)
    assert (seen.flagged, seen.false_alarms) == (np.mean(inside > above), np.mean(outside[2000:] > above))
    assert seen.error == np.abs(q - mu).max()
    (other,) = attack_trial[_attacks.REFERENCES, 0.5, 1.0]
    c = 2 * references.mean(axis=0) - 1
    assert other.inside == pytest.approx(((2.0 * pool - 1 - c) @ (q - c)).mean(), abs=1e-4)
    (uncentred,) = attack_trial[_attacks.UNCENTRED, 0.5, 1.0]
    assert uncentred.inside == pytest.approx(((2.0 * pool - 1) @ q).mean(), abs=1e-4)


# ---------------------------------------------------------------------------------------------------- trade-off
@pytest.fixture(scope="module")
def trade_off() -> Finding:
    """With a tenth of the trials, which is too few for a verdict."""
    return study.allowed_by_privacy(Run(Simulation(3), 0.1))


@pytest.mark.exhaustive
def test_all_trials_decide() -> None:
    finding = study.allowed_by_privacy(Run(Simulation(3), 1.0))
    assert finding.verdict is Verdict.HOLDS
    assert finding.deciding.measured.value == pytest.approx(0.0123, abs=1e-5)
    rows = gates([row for row in finding.measurements if row.quantity == _release_attacks.RELEASED])
    (broken,) = (row for row in rows if row.settings["release"] == _release_attacks.NO_NOISE)
    assert broken.measured.low > broken.bound


def test_trade_off(trade_off) -> None:
    assert trade_off.verdict is not Verdict.VIOLATED
    bounded = [row for row in trade_off.measurements if row.quantity == _trade_off.ATTACK and row.bound is not None]
    assert {row.settings["release"] for row in bounded} == set(_trade_off.PRIVATE_RELEASES)
    at = next(row for row in bounded if row.settings["release"] == "Gaussian" and row.settings["rate"] == 0.01)
    assert at.bound == pytest.approx(math.e * 0.01 + 1 / 400)


def test_sizes_cover_every_n() -> None:
    assert _trade_off.SIZES[0] == 11
    assert _trade_off.SIZES[-1] == 100_000
    assert all(a < b for a, b in pairwise(_trade_off.SIZES))
    ratio = [_trade_off.release(n).noise(1, n).sigma * n for n in _trade_off.SIZES]
    assert all(a < b for a, b in pairwise(ratio)), "noise over sensitivity grows"
    for n in (13, 500):
        sigma = _trade_off.release(n).noise(9, n).sigma
        delta = gaussian_delta(Fraction(sigma) / 2, 1.0, Fraction(6, n))
        assert _trade_off.delta_over(n, n, 2) == pytest.approx(4 * n * delta, rel=1e-9), "whatever p is"


@pytest.mark.parametrize(("by", "caught"), [(1.9, "every n"), (1.3, "distance")])
def test_noise_too_small_is_caught(by: float, caught: str, monkeypatch) -> None:
    """Noise / 1.9 by the exact trade-off; noise / 1.3, still private for most n, by its distribution."""
    noise = GaussianMeans.noise
    if caught == "every n":
        monkeypatch.setattr(GaussianMeans, "noise", lambda self, p, n: Gaussian(noise(self, p, n).sigma / by))
    else:
        drawn = _trade_off.drawn_noise
        monkeypatch.setattr(_trade_off, "drawn_noise", lambda p, r: (drawn(p, r)[0] / by, drawn(p, r)[1]))
    monkeypatch.setattr(_trade_off, "tracer", lambda table: "")
    monkeypatch.setattr(_trade_off, "attacks_on_releases", lambda table, level: "")
    finding = study.allowed_by_privacy(Run(Simulation(4), 1.0))
    assert finding.verdict is Verdict.VIOLATED
    assert all(caught in quantity for quantity in wrong(finding))


def test_distance_of_two_distributions() -> None:
    """Between N(0, 1) and three values: by the steps of the empirical distribution function."""
    distance_between = _trade_off.distance(np.array([0.0, 0.0, 3.0]), 1.0, GATE_LEVEL)
    assert distance_between.value == pytest.approx(0.5)
    assert (distance_between.low, distance_between.high) == (0.0, 1.0)


# ---------------------------------------------------------------------------------------------------- A_PAP
def test_answers_of_the_learner_are_attacked(trade_off) -> None:
    """Every release of A_PAP is judged at the bound of its n; the one without noise where it must exceed it."""
    rows = [row for row in trade_off.measurements if row.quantity == _release_attacks.RELEASED]
    judged = gates(rows)
    assert len(judged) == _release_attacks.gates() == 2 * 5 * 3 + 1
    assert all(row.bound == pytest.approx(math.e * 0.01 + 1 / (4 * row.settings["n"])) for row in judged)
    (broken,) = (row for row in judged if row.settings["release"] == _release_attacks.NO_NOISE)
    assert (broken.settings["p"], broken.settings["n"]) == (12, 5)
    assert broken.measured.value > broken.bound
    assert "illustration: this attack" in trade_off.reason
    traced = {(row.settings["release"], row.settings["p"], row.settings["n"]): row.measured.value for row in rows}
    own = [value for (release, _, _), value in traced.items() if release.startswith("A_PAP, ")]
    assert f"traces {min(own):.3f} to {max(own):.3f} of the records" in trade_off.reason
    assert f"exact means it traces {traced['exact means', 12, 5]:.2f}" in trade_off.reason


def test_a_learner_without_noise_is_caught(monkeypatch) -> None:
    monkeypatch.setattr(_release_attacks, "DIMENSIONS", (12,))
    monkeypatch.setattr(_release_attacks, "DATA_SETS", {5: 8})
    monkeypatch.setattr(_release_attacks, "MWEM", lambda rounds: _release_attacks.Exact())
    table = Table(Run(Simulation(5), 0.7), Simulation(5))
    _release_attacks.attacks_on_releases(table, GATE_LEVEL / 4)
    verdicts = {row.settings["release"]: row.verdict for row in gates(table.rows)}
    assert verdicts["A_PAP, MWEM"] is Verdict.VIOLATED
    assert verdicts["A_PAP, PMW"] is verdicts["A_PAP, Gaussian noise"] is Verdict.HOLDS


def test_the_learner_answers_stumps_in_order() -> None:
    """Without noise its answers are the means, wherever public points tell all stumps apart."""
    generator = Simulation(8).generator
    private, public = (generator.integers(0, 2, (n, 4)).astype(bool) for n in (9, 40))
    learner = _release_attacks.QueryRelease(1.0, 1e-3, _release_attacks.Exact())
    domain = learner.prepare(2.0 * public - 1, _release_attacks.DecisionStumps(4, "positive", "cube"))
    answers = _release_attacks._learned(learner)(private, public, domain, Simulation(9))
    assert answers == pytest.approx(record_means(private))


def test_figure(run, trade_off, tmp_path) -> None:
    findings_by_claim = {"BCM20-T14": study.statistic(run), "BCM20-T13-dp": trade_off}
    write_findings(findings_by_claim, tmp_path / "rows.parquet", tmp_path / "m.parquet")
    inputs = {"measurements": tmp_path / "m.parquet"}
    sheet = draw_figure('{"room": "papers/bcm20/figures", "name": "tracing"}', inputs, tmp_path / "a.png")
    assert not sheet.faults
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_the_reason_tells_numbers_of_the_rows_that_it_speaks_of() -> None:
    """Each row has a number of its own; those of A_PAP's methods, and of it without noise, are not mixed up."""
    names = ["A_PAP, MWEM", "A_PAP, PMW", "exact means", _release_attacks.NO_NOISE, "Laplace means"]
    table = Table(Run(Simulation(0), 1.0), Simulation(0))
    table.add(
        recorded(quantity, {"release": name, "p": p, "n": n}, 0.1 * i + 0.01 * j + 0.001 * k + 0.0001 * h)
        for h, quantity in enumerate((_release_attacks.RELEASED, _release_attacks.OFF))
        for i, name in enumerate(names, start=1)
        for j, p in enumerate((6, 12))
        for k, n in enumerate((5, 200))
    )
    value_by_setting = {(row.quantity, *row.settings.values()): row.measured.value for row in table.rows}
    own = [
        [v for key, v in value_by_setting.items() if key[0] == kind and key[1] in names[:2]]
        for kind in (_release_attacks.RELEASED, _release_attacks.OFF)
    ]
    actual_reason = _release_attacks.reason(table)
    assert f"traces {min(own[0]):.3f} to {max(own[0]):.3f} of the records" in actual_reason
    assert f"are off by {min(own[1]):.2f} to {max(own[1]):.2f} " in actual_reason
    exact, broken = (value_by_setting[_release_attacks.RELEASED, name, 12, 5] for name in names[2:4])
    assert (
        f"exact means it traces {exact:.2f} (p = 12, n = 5), and without noise A_PAP, {broken:.2f}, must"
        in actual_reason
    )
