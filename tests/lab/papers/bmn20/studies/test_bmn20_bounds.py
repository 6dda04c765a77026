"""A trial fails if its error exceeds its own bound, not the largest of all trials."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import bounds as study
from semipriv_lab.papers.bmn20.studies import subsample

SMALL, LARGE = 0.1, 0.9


@dataclass(frozen=True)
class Alternating:
    """Trials whose bounds are small and large in turn; every error lies between the two."""

    d: int = 1
    atoms: int = 9
    n: int = 100
    epsilons: tuple[float, ...] = (0.5, 1.0)
    rate: float = 0.2

    def trial(self, realizable: bool, randomness: Simulation) -> Any:
        """The trial's number is the last name of its stream; at the second epsilon no bound is small."""
        even = int(randomness.path[-1]) % 2 == 0
        return study.Run(None, np.zeros((2, 1)), None, np.array([SMALL if even else LARGE, LARGE]), 1.0)

    def excess(self, realizable: bool, runs: list[Any]) -> np.ndarray:
        return np.full((len(runs), 2), 0.5)


def failures(finding: Finding, quantity: str) -> list[float]:
    return [row.measured.value for row in finding.measurements if row.quantity == quantity]


@pytest.mark.parametrize("realizable", [True, False])
def test_failures_are_counted_against_the_bound_of_the_trial(monkeypatch: Any, realizable: bool) -> None:
    monkeypatch.setattr(study, "CASES", (Alternating(),))
    finding = (study.realizable_bounds if realizable else study.agnostic_bounds)(Run(Simulation(0), 40 / study.TRIALS))
    assert failures(finding, study.FAILURES) == [0.5, 0.0]


def test_each_hypothesis_is_held_against_the_bound_at_its_own_mistakes(monkeypatch: Any) -> None:
    """Of two hypotheses the one without mistakes has the smaller bound; only in even trials it exceeds that."""
    case = study.Uniform(1, 0, 1000, 0.2)
    least, most = (study.uniform_bound(k / 1000, 1000, 1, study.BETA) for k in (0, 900))
    assert least < most

    def errors(_: study.Uniform, randomness: Simulation) -> tuple[np.ndarray, np.ndarray]:
        even = int(randomness.path[-1]) % 2 == 0
        first = (least + most) / 2 if even else least / 2
        return np.array([first, 0.0]), np.array([0, 900])

    monkeypatch.setattr(study, "UNIFORM", (case,))
    monkeypatch.setattr(study, "LARGE", case)
    monkeypatch.setattr(study, "BOUNDS", {"additive": study.uniform_bound})
    monkeypatch.setattr(study, "_errors", errors)
    monkeypatch.setattr(study, "_released", errors)
    finding = study.compression(Run(Simulation(0), 40 / study.TRIALS))
    assert failures(finding, study.UNCOVERED) == [0.5, 0.5]


def test_a_subset_fails_if_it_loses_more_than_its_own_share(monkeypatch: Any) -> None:
    """The allowed loss lies between the least and the largest loss of the subsets."""
    given = subsample.scored(300, 2, Simulation(1))
    runs = subsample.Runs()
    for seed in range(8):
        subsample.run(given, 10, seed, runs)
    middle = (min(runs.losses) + max(runs.losses)) / 2
    assert min(runs.losses) < middle < max(runs.losses)
    monkeypatch.setattr(subsample, "loss_bound", lambda m, d: middle)
    again = subsample.Runs()
    for seed in range(8):
        subsample.run(given, 10, seed, again)
    assert again.losses == runs.losses
    assert again.failures == sum(loss > middle for loss in runs.losses)
