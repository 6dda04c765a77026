"""Growth of the excess with the dimension: excesses against enumeration, limits, sizes, and negative controls."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict, mean_interval
from semipriv.papers.bmn20.regions.cover import RegionTally
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import dimension as study


def finding_at(effort: float = 0.2) -> Finding:
    return study.excess_by_dimension(Run(Simulation(4), effort))


@pytest.fixture(scope="module")
def measured() -> Finding:
    return finding_at(0.5)


def rows(finding: Finding, quantity: str) -> list:
    return [row for row in finding.measurements if row.quantity == quantity]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_excess_is_that_of_all_regions_one_by_one(d: int) -> None:
    """Hyperplanes through d public points by the null space, membership of the points on them forced."""
    actual_excesses, logs = study.excesses(d, 5, 2, Simulation(6))
    for trial in range(2):
        generator = Simulation(6).spawn("dimension, drawn anew", d, 5, trial).generator
        zeros = np.rint((generator.standard_normal((5, d)) - 0.5) * study._UNIT)
        positives = np.rint((generator.standard_normal((study.PRIVATE, d)) + 0.5) * study._UNIT)
        points = np.concatenate([zeros, positives])
        halfspaces = []
        for chosen in itertools.combinations(range(5), d):
            normal = np.linalg.svd(np.column_stack([zeros[list(chosen)], np.ones(d)]))[2][-1]
            side = points @ normal[:-1] + normal[-1]
            on = np.isin(np.arange(len(points)), chosen)
            halfspaces += [on | (side > 0), on | (side < 0)]
        sets = [s for j in range(1, d + 1) for s in itertools.combinations(halfspaces, j)]
        regions = [np.zeros(len(points), bool), *(np.all(s, axis=0) for s in sets)]
        mistakes = np.array([np.sum(~r[:5]) + np.sum(r[5:]) for r in regions])
        assert logs[trial] == pytest.approx(math.log(len(regions)))
        for epsilon in study.EPSILONS:
            weights = np.exp(-epsilon * (mistakes - mistakes.min()) / 2)
            mean = weights @ mistakes / weights.sum() - mistakes.min()
            assert actual_excesses[epsilon][trial] == pytest.approx(mean, rel=1e-9)


def test_claim_holds(measured: Finding) -> None:
    """Exactly: no number of data sets decides it.  Every size and epsilon is judged."""
    assert measured.verdict is Verdict.HOLDS
    judged = [r for r in rows(measured, study.SHARE) if r.verdict is not None]
    cells = {(r.settings["d"], r.settings["n_public"], r.settings["epsilon"]) for r in judged}
    assert {(1, 1012, 1.0), (1, 1003, 4.0)} <= cells, "data made to come near the bound"
    drawn = {
        (r.settings["d"], r.settings["n_public"], r.settings["epsilon"]) for r in judged if r.settings["data_sets"] > 1
    }
    assert drawn == {(d, m, e) for d, sizes in study.SIZES.items() for m in sizes for e in study.EPSILONS}
    assert all(row.measured.value > 1.2 for row in rows(measured, study.HALVED)), "half of epsilon is not enough"
    assert all(row.trials == 0 for row in measured.measurements if row.verdict is not None)
    assert measured.deciding == max(judged, key=lambda row: row.measured.value)
    assert 0.3 < measured.deciding.measured.value < 1


def test_growth_is_for_the_record(measured: Finding) -> None:
    """With d as another implementation saw it on six data sets; with m on the line hardly at all."""
    growth = (study.EXCESS, study.EXPONENT, study.IN_M, study.RAW)
    assert all(row.verdict is None for quantity in growth for row in rows(measured, quantity))
    means = {
        (r.settings["d"], r.settings["n_public"]): r.measured.value
        for r in rows(measured, study.EXCESS)
        if r.settings["epsilon"] == 1
    }
    assert [means[d, 10] for d in (1, 2, 3)] == pytest.approx((1.27, 3.64, 5.78), rel=0.2)
    assert means[1, 10_000] < 1.5 * means[1, 10]
    exponents = {r.settings["epsilon"]: r.measured for r in rows(measured, study.EXPONENT)}
    assert exponents[1.0].value == pytest.approx(0.96, abs=0.1)
    assert exponents[0.5].high < 1 < exponents[4.0].low, "like ln|G| for one epsilon only"
    in_m = {r.settings["d"]: r.measured for r in rows(measured, study.IN_M) if r.settings["epsilon"] == 1}
    assert in_m[1].high < 0.5
    for name in ("at m = 10, 30, 100, 1,000, 10,000 (d = 1)", "(epsilon = 0.5)", "Changed after the result was seen"):
        assert name in measured.reason


def test_means_have_the_limits_that_share_their_level(measured: Finding) -> None:
    """Five sizes on the line: an exponent holds with 95 % if each mean does with 99 %."""
    actual_excesses, _ = study.excesses(1, 30, 60, Simulation(4))
    (row,) = (r for r in rows(measured, study.EXCESS) if r.settings["n_public"] == 30 and r.settings["epsilon"] == 2)
    assert row.measured == mean_interval(actual_excesses[2.0], 0.01)
    assert row.trials == 60


def test_sizes(measured: Finding) -> None:
    sizes = {(r.settings["d"], r.settings["n_public"]): r.measured.value for r in rows(measured, study.LOG_SIZE)}
    assert sizes[1, 1_000] == pytest.approx(math.log(2_001))
    assert sizes[2, 100] == pytest.approx(math.log(49_009_951))
    assert len(sizes) == 8 * 5
    powers = {r.settings["n_public"]: r.measured.value for r in rows(measured, study.IN_DIMENSION)}
    assert sorted(powers) == sorted(powers, key=powers.get), "the exponent in d nears 2 as m grows"


# ---------------------------------------------------------------------------------------------------- negative controls
def only_violated(finding: Finding) -> list[tuple[str, dict]]:
    assert finding.verdict is Verdict.VIOLATED
    return [(r.quantity, r.settings) for r in finding.measurements if r.verdict not in (None, Verdict.HOLDS)]


@pytest.mark.parametrize(("d", "public"), [(d, m) for d, sizes in study.SIZES.items() for m in sizes])
@pytest.mark.parametrize("epsilon", study.EPSILONS)
def test_one_mean_beyond_its_bound_is_caught(monkeypatch, d, public, epsilon) -> None:
    """One data set of one size at one epsilon, the others at their bounds."""

    def control(dimension, m, trials, randomness):
        logs = [3.0 + dimension] * trials
        values = {e: [2 / e * log for log in logs] for e in study.EPSILONS}
        if (dimension, m) == (d, public):
            values[epsilon][-1] *= 1.01
        return values, logs

    monkeypatch.setattr(study, "excesses", control)
    monkeypatch.setattr(study, "_exponents", lambda *given: [])
    ((quantity, at_settings),) = only_violated(finding_at())
    assert quantity == study.SHARE
    assert (at_settings["d"], at_settings["n_public"], at_settings["epsilon"]) == (d, public, epsilon)


def test_a_draw_that_hardly_looks_is_caught(monkeypatch) -> None:
    """It looks at a hundredth of epsilon: at the largest epsilon its means are beyond their bounds."""
    right = RegionTally.expected_mistakes
    monkeypatch.setattr(RegionTally, "expected_mistakes", lambda tally, rate: right(tally, rate / 100))
    monkeypatch.setattr(study, "SIZES", {1: (10, 30), 2: (5, 10)})
    assert {place_settings["epsilon"] for _, place_settings in only_violated(finding_at())} >= {4.0}


def sizes(monkeypatch, wrong: dict[tuple[int, int], int]) -> list[tuple[str, dict]]:
    """Rows that fail if some |G|, by m and d, are others; the exponent in m is taken from other numbers of points."""
    right = study.hypotheses
    monkeypatch.setattr(study, "FAR", (50, 100_000))
    monkeypatch.setattr(study, "hypotheses", lambda m, d: wrong.get((m, d)) or right(m, d))
    monkeypatch.setattr(study, "SIZES", {1: (10, 30), 2: (5, 10)})
    return only_violated(finding_at())


@pytest.mark.parametrize("m", study.FORMULA_POINTS)
@pytest.mark.parametrize("d", study.FORMULA_DIMENSIONS)
def test_one_size_beyond_its_bound_is_caught(monkeypatch, m, d) -> None:
    beyond = (2 * (m + 1) ** d + 1) ** d * 1_001 // 1_000 + 1
    monkeypatch.setattr(study, "MOST_IN_DIMENSION", 9.0)
    assert [(q, w["d"], w["n_public"]) for q, w in sizes(monkeypatch, {(m, d): beyond})] == [(study.LOG_SIZE, d, m)]


@pytest.mark.parametrize("d", study.FORMULA_DIMENSIONS)
def test_one_exponent_in_the_points_is_caught(monkeypatch, d) -> None:
    """m^(0.9 d^2)."""
    wrong = {(100_000, d): round(study.hypotheses(50, d) * 2_000 ** (0.9 * d**2))}
    assert [(q, w["d"]) for q, w in sizes(monkeypatch, wrong)] == [(study.IN_POINTS, d)]


@pytest.mark.parametrize("m", study.FORMULA_POINTS)
def test_one_exponent_in_the_dimension_is_caught(monkeypatch, m) -> None:
    """Too few on the line, so that ln|G| grows faster than d^2."""
    assert [(q, w["n_public"]) for q, w in sizes(monkeypatch, {(m, 1): 2})] == [(study.IN_DIMENSION, m)]
