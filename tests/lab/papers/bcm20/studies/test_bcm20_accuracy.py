"""Claim BCM20-L7: sizes, laws, arms that differ as they say, and what the ledger row says."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv.queries.methods.pmw import PMW
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Measurement
from semipriv_lab.papers.bcm20.studies import accuracy as claims


def test_thirteen_cells_at_the_printed_sizes() -> None:
    cells = claims.cells(Simulation(1))
    assert len(cells) == 13
    assert [(c.workload.cells, c.workload.size) for c in cells[::3]] == [
        (356,) * 2,
        (163,) * 2,
        (74,) * 2,
        *[(64, 4000)] * 2,
    ]
    assert claims.records(0.05, 0.05, 356, 356) == pytest.approx(1.587e7, rel=1e-3)
    for cell in cells:
        assert cell.masses.sum() == pytest.approx(1)
        assert np.all(cell.masses > 0)
        assert cell.n == claims.records(cell.alpha, 0.1, cell.workload.cells, cell.workload.size)
    assert cells[0].masses[0] == cells[1].masses[178] == 0.5
    assert cells[9].masses[0] == 0.9
    assert cells[2].masses[0] / cells[2].masses[9] == pytest.approx(10)


def test_errors_are_against_the_population_and_twice_those_of_shares() -> None:
    cell = claims.cells(Simulation(1))[6]
    exact = cell.workload.sums(cell.masses)
    assert cell.error(exact) == 0
    exact[5] += 0.01
    assert cell.error(exact) == pytest.approx(0.02)


def test_random_queries_are_more_than_the_updates() -> None:
    """Else the recorded answers meet the target whatever the updates do."""
    cell = claims.cells(Simulation(1))[-1]
    assert PMW(0.1, 0.1).plan(64, 4000, claims.BUDGET).updates < 4000
    assert claims.SIGN in claims.arms(cell)


def test_arms_are_broken_as_they_say() -> None:
    honest, noisy = (kind(0.1).plan(64, 4000, claims.BUDGET) for kind in (PMW, claims.Noisy))
    assert (noisy.lot, noisy.numeric) == (10 * honest.lot, 10 * honest.numeric)
    assert (noisy.threshold, noisy.updates) == (honest.threshold, honest.updates)
    assert claims.Reversed(0.1).step(0.3, 0.2) == -PMW(0.1).step(0.3, 0.2) == 0.05


def test_the_claim_is_not_concluded_if_a_control_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a control that runs the honest algorithm at the printed n nothing is concluded, and the row names it."""
    cell = claims.cells(Simulation(1))[6]
    monkeypatch.setattr(claims, "cells", lambda randomness: [cell])
    monkeypatch.setattr(claims, "arms", lambda cell: [claims.HONEST, claims.Arm("n / 1.5", PMW)])
    found = claims.lemma_7(Run(Simulation(1), 0.4))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.deciding.settings["arm"] == "n / 1.5"
    assert "controls that do not miss the target: n / 1.5, prefixes, L1" in found.reason


def test_a_cell_holds_and_its_controls_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = claims.cells(Simulation(1))[6]
    monkeypatch.setattr(claims, "cells", lambda randomness: [cell])
    found = claims.lemma_7(Run(Simulation(1), 1.0))
    assert found.verdict is Verdict.HOLDS
    assert found.deciding.bound == 0.1
    assert found.deciding.settings["arm"] == "PMW"
    judged = {row.settings["arm"]: row.measured.value for row in found.measurements if row.verdict is not None}
    assert judged["PMW"] < 0.02
    assert min(judged["n / 1.5"], judged["noise times 10"]) > 0.9
    assert judged["no updates"] > 1


def test_more_failures_than_beta_violate() -> None:
    rows = [Measurement(claims.FAILURES, {"arm": "PMW"}, Interval(0.5, 0.4, 0.6), 0.1, 9, Verdict.VIOLATED)]
    assert claims.honest_or_failed(rows) is rows[0]
