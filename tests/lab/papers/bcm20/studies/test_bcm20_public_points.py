"""The study of public points: its control is judged by the run that tells least."""

from collections.abc import Iterator

import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.findings import Measurement
from semipriv_lab.papers.bcm20.studies import public_points as study


def control(values: Iterator[float], monkeypatch: pytest.MonkeyPatch) -> Measurement:
    monkeypatch.setattr(study, "moved", lambda *_: next(values))
    table = Table(Run(Simulation(1), 0.0), Simulation(1))
    study.without_noise(table, 3, Simulation(1))
    return table(study.MOVED)[0]


def test_a_moved_projection_must_miss_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert control(iter((1.5, 1.25)), monkeypatch).measured.value == 1.25
    assert control(iter((1.5, 1.25)), monkeypatch).verdict is Verdict.HOLDS
    assert control(iter((1.5, 0.75)), monkeypatch).verdict is Verdict.INCONCLUSIVE
