"""Rows of studies are of the samples, sizes and bounds that they name."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, loglog_slope
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding, gates
from semipriv_lab.papers.abm19.studies import _reduction_runs as runs
from semipriv_lab.papers.abm19.studies import bad_event, public_need, reduction


@pytest.mark.parametrize("bad", [0, 3, 9])
def test_one_trial_alone_contradicts_a_comparison_of_all(bad: int) -> None:
    radii, diameters = np.full(10, 0.3), np.full(10, 0.3)
    assert bad_event._ratio({}, radii, diameters).verdict is Verdict.HOLDS
    radii[bad] += 1e-9
    assert bad_event._ratio({}, radii, diameters).verdict is Verdict.VIOLATED


def of_claim(monkeypatch: pytest.MonkeyPatch, claim: str, marginals: str, a: float, b: float) -> Finding:
    """Measure a claim on runs of A and of B that have one error each."""
    for name in ("_second", "_real"):
        monkeypatch.setattr(reduction, name, lambda *_: None)
    pairs = {s: (np.full(s.runs, a), np.full(s.runs, b)) for s in reduction.SETUPS if s.marginals == marginals}
    monkeypatch.setattr(reduction, "pairs", lambda *_: pairs)
    return (reduction.accuracy if claim == "C4.6" else reduction.transfer)(Run(Simulation(0), 1.0))


@pytest.mark.parametrize("marginals", ["equal", "disjoint"])
def test_distributions_of_a_and_b_that_differ_are_a_violation(monkeypatch: pytest.MonkeyPatch, marginals: str) -> None:
    """Above .4, too, where the events of disjoint marginals do not differ: the distance itself is a gate then."""
    finding = of_claim(monkeypatch, "L4.4", marginals, 0.42, 0.48)
    assert finding.verdict is Verdict.VIOLATED
    distances = [measurement for measurement in finding.measurements if measurement.quantity.startswith("Kolmogorov")]
    assert {gap.verdict for gap in distances} == {Verdict.VIOLATED}
    assert of_claim(monkeypatch, "L4.4", marginals, 0.42, 0.42).verdict is Verdict.HOLDS


def test_it_is_b_whose_errors_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    quantity = "P[err(B) > 100 n_public alpha]"
    for a, b, share in ((0.1, 0.2, 1.0), (0.2, 0.1, 0.0)):
        finding = of_claim(monkeypatch, "C4.6", "equal", a, b)
        assert {gate.measured.value for gate in gates(finding.measurements) if gate.quantity == quantity} == {share}


def test_b_has_no_public_example_of_d() -> None:
    """Where D0 lies beyond D each threshold of B's cover is a constant on D; A on the mixture has others."""
    setup = runs.Setup(20, 10**6, "disjoint")
    assert set(setup.errors(True, 3_000, Simulation(1).generator)) == {0.5}
    assert setup.errors(False, 3_000, Simulation(1).generator).min() < 0.5


def test_a_need_has_limits_on_both_sides_of_it() -> None:
    grid = np.unique(np.geomspace(8, 300, 20).round().astype(int))
    actual_least_sizes = public_need.least_sizes(
        public_need.kuiper_statistics, grid, (0.4, 0.2), 400, GATE_LEVEL, Simulation(0)
    )
    for need in actual_least_sizes.values():
        assert need.low < need.value < need.high


def test_an_exponent_is_that_of_the_rows_which_it_names() -> None:
    finding = public_need.cover(Run(Simulation(3), 0.05))
    needs = {
        (actual_measurement.settings["d"], actual_measurement.settings["alpha"]): actual_measurement.measured
        for actual_measurement in finding.measurements
        if actual_measurement.quantity == public_need.NEED
    }
    dimensions = (1, *public_need.DIMENSIONS)
    (slope,) = (
        actual_measurement
        for actual_measurement in finding.measurements
        if actual_measurement.quantity == public_need.IN_D
    )
    at = [needs[d, slope.settings["alpha"]].value for d in dimensions]
    assert slope.measured.value == pytest.approx(loglog_slope(dimensions, at).value)
    for measurement in finding.measurements:
        if measurement.quantity in (public_need.RAW, public_need.NORMALISED):
            own = {alpha: need.value for (d, alpha), need in needs.items() if d == measurement.settings["d"]}
            logs = {a: measurement.settings["d"] * np.log(1 / a) + np.log(1 / public_need.BETA) for a in own}
            sizes = [n / (logs[a] if measurement.quantity == public_need.NORMALISED else 1) for a, n in own.items()]
            assert measurement.measured.value == pytest.approx(loglog_slope(list(own), sizes).value)
