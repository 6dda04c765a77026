"""Growth of the excess with the dimension: excesses against enumeration, limits, sizes, and broken twins."""

import itertools
import math

import numpy as np
import pytest

from semipriv import tables
from semipriv.figures.base import draw_figure
from semipriv.ledger.findings import Finding
from semipriv.ledger.table import MEASUREMENTS, write_findings
from semipriv.randomness import Simulation
from semipriv.statistics import Interval, Verdict
from semipriv.studies.bmn20 import dimension as study


def found(effort: float = 0.2) -> Finding:
    return study.findings(Simulation(4), effort)[study.CLAIM]


@pytest.fixture(scope="module")
def measured() -> Finding:
    return found(0.5)


def rows(finding: Finding, quantity: str) -> list:
    return [row for row in finding.measurements if row.quantity == quantity]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_excess_is_that_of_all_regions_one_by_one(d: int) -> None:
    """Hyperplanes through d public points by the null space, membership of the points on them forced."""
    found, logs = study.excesses(d, 5, 2, Simulation(6))
    for trial in range(2):
        generator = Simulation(6).spawn("dimension", d, 5, trial).generator
        zeros = np.rint((generator.standard_normal((5, d)) - 0.5) * study._UNIT)
        ones = np.rint((generator.standard_normal((study.PRIVATE, d)) + 0.5) * study._UNIT)
        points = np.concatenate([zeros, ones])
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
            assert found[epsilon][trial] == pytest.approx(mean, rel=1e-9)


def test_claim_holds(measured: Finding) -> None:
    assert measured.verdict is Verdict.HOLDS
    judged = [r for r in rows(measured, study.EXCESS) if r.verdict is not None]
    for row, seen in zip(judged, (1.27, 3.64, 5.78), strict=True):  # six data sets by another implementation
        assert row.measured.value == pytest.approx(seen, rel=0.2)
        assert row.measured.high < row.bound
        assert row.bound == pytest.approx(2 * row.settings["log_size"]), "(2 / epsilon) ln|G| at epsilon = 1"
    assert {row.trials for row in judged} == {60}
    (exponent,) = (r for r in rows(measured, study.EXPONENT) if r.verdict is not None)
    assert exponent == measured.deciding
    assert exponent.measured.value == pytest.approx(0.96, abs=0.1)
    assert sum(row.verdict is not None for row in measured.measurements if row.trials) == study._GATES


def test_few_data_sets_are_inconclusive() -> None:
    finding = found(0.05)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "6 data sets a dimension" in finding.reason


def test_sizes(measured: Finding) -> None:
    sizes = {(r.settings["d"], r.settings["n_public"]): r.measured.value for r in rows(measured, study.LOG_SIZE)}
    assert sizes[1, 1_000] == pytest.approx(math.log(2_001))
    assert sizes[2, 100] == pytest.approx(math.log(49_009_951))
    assert len(sizes) == 8 * 5
    powers = {r.settings["n_public"]: r.measured.value for r in rows(measured, study.IN_DIMENSION)}
    assert sorted(powers) == sorted(powers, key=powers.get), "the exponent in d nears 2 as m grows"


def test_limits() -> None:
    assert study._ratio(Interval(6, 4, 8), Interval(2, 1, 4)) == Interval(3, 1, 8)
    assert study._ratio(Interval(6, 4, 8), Interval(2, -1, 4)).high == math.inf
    assert study._spread([Interval(1, 0.5, 2), Interval(3, 2.5, 4)]) == Interval(3, 1.25, 8)


# ---------------------------------------------------------------------------------------------------- twins
def scaled(monkeypatch: pytest.MonkeyPatch, factors: tuple[float, float, float]) -> Finding:
    right = study.excesses

    def twin(d, public, trials, randomness):
        found, sizes = right(1, public, trials, randomness)
        logs = {1: sizes, 2: [8.3] * trials, 3: [14.7] * trials}[d]
        return {e: [v * factors[d - 1] for v in values] for e, values in found.items()}, logs

    monkeypatch.setattr(study, "excesses", twin)
    return found()


@pytest.mark.parametrize(
    ("factors", "caught"),
    [
        ((1, 1, 1), study.EXPONENT),
        ((1, 0.4, 0.2), study.GROWTH),
        ((1, 8, 23), study.EXPONENT),
        ((1, 8, 23), study.SPREAD),
        ((1, 30, 90), study.EXCESS),
        ((1, 30, 90), study.ABOVE),
    ],
)
def test_other_growths_are_caught(monkeypatch, factors, caught) -> None:
    """No growth, a fall, |G|'s logarithm squared, and excesses beyond the bound."""
    finding = scaled(monkeypatch, factors)
    assert finding.verdict is Verdict.VIOLATED
    assert any(row.verdict is Verdict.VIOLATED for row in rows(finding, caught))


@pytest.mark.parametrize(
    ("twin", "caught"),
    [
        (lambda m, d: 2 * (m + 1) ** d, study.IN_POINTS),
        (lambda m, d: 1 + math.comb(m, 1), study.IN_DIMENSION),
        (lambda m, d: (2 * (m + 1) ** d + 2) ** d, study.LOG_SIZE),
    ],
    ids=["m^d", "m", "above the bound"],
)
def test_other_sizes_are_caught(monkeypatch, twin, caught) -> None:
    monkeypatch.setattr(study, "hypotheses", twin)
    verdicts = [row.verdict for row in study._formulas() if row.quantity == caught]
    assert Verdict.VIOLATED in verdicts


def test_figure(measured: Finding, tmp_path) -> None:
    write_findings({study.CLAIM: measured}, tmp_path / "rows.parquet", tmp_path / "m.parquet")
    assert len(tables.read_rows(tmp_path / "m.parquet", MEASUREMENTS)) == len(measured.measurements)
    inputs = {"measurements": tmp_path / "m.parquet"}
    draw_figure(
        '{"room": "figures/plots/bmn20", "name": "mixture_dimension"}', inputs, tmp_path / "a.pdf", tmp_path / "a.png"
    )
    assert (tmp_path / "a.png").stat().st_size > 10_000
