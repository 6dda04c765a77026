"""Regions from a public subset: losses against enumeration, the gate, its power, and negative controls."""

import itertools
import math
import re

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, StatusModel
from semipriv.core.statistics import Verdict, frequency, upper_bound_verdict
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.stages.regions import Regions
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import subsample as study
from semipriv_lab.papers.bmn20.studies.subsample import Runs, Scored, run, scored


def planar(n: int, seed: int) -> Scored:
    return scored(n, 2, Simulation(seed))


def test_runs_are_counts_over_all_regions() -> None:
    """All pairs of halfspaces through pairs of the chosen points, one by one."""
    given = planar(40, 3)
    x, y = given.sample.points, given.sample.labels
    zeros = x[y == 0]
    for seed in range(3):
        runs = Runs()
        run(given, 5, seed, runs)
        rows = LearnHalf(1.0, subset=5, subset_seed=seed).public_stage._spanning(len(zeros))
        chosen = zeros[rows]
        assert len(chosen) == 5
        halfspaces = []
        for a, b in itertools.combinations(chosen, 2):
            side = (b[0] - a[0]) * (x[:, 1] - a[1]) - (b[1] - a[1]) * (x[:, 0] - a[0])
            halfspaces += [side >= 0, side <= 0]
        regions = [np.zeros(40, bool), *halfspaces, *(p & q for p, q in itertools.combinations(halfspaces, 2))]
        mistakes = np.array([np.sum(~region != y) for region in regions])
        assert runs.losses == [(mistakes.min() - given.best) / len(zeros)]
        for epsilon in study.EPSILONS:
            weights = np.exp(-epsilon * (mistakes - mistakes.min()) / 2)
            assert runs.excess[epsilon] == [pytest.approx((weights @ mistakes / weights.sum() - given.best) / 40)]


def test_every_run_that_loses_more_than_the_bound_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    given, runs = planar(40, 3), Runs()
    for seed, bound in enumerate((-1.0, -1.0, 1.0, -1.0, 1.0)):
        monkeypatch.setattr(study, "loss_bound", lambda m, d, bound=bound: bound)
        run(given, 5, seed, runs)
    assert (runs.failures, len(runs.losses)) == (3, 5)


def test_best_halfspace_of_a_sample() -> None:
    """By all lines through two points, the points on them given to either side."""
    given = planar(14, 1)
    x, y = given.sample.points, given.sample.labels
    best = min(np.sum(y == 0), np.sum(y == 1))
    for a, b in itertools.combinations(range(14), 2):
        side = (x[b, 0] - x[a, 0]) * (x[:, 1] - x[a, 1]) - (x[b, 1] - x[a, 1]) * (x[:, 0] - x[a, 0])
        others = np.setdiff1d(np.arange(14), [a, b])
        for sign in (1, -1):  # in general position the two points on the line take any labels
            best = min(best, np.sum((sign * side[others] > 0) != y[others]))
    assert given.best == best
    assert given.sample.model is StatusModel.LABEL_DETERMINED


def test_terms_of_the_trade_off() -> None:
    assert study.privacy_term(100, 10, 2, 0.5) == pytest.approx(2 / 50 * math.log(1 + 90 + 90 * 89 / 2))
    expected = study.loss_bound(30, 2) * 0.5 + 2 / 1e4 * (math.log(1 + 870 + 870 * 869 / 2) + math.log(10))
    assert study.proven(10_000, 30, 2, 1.0, 0.5) == pytest.approx(expected)
    gates = [(m, d) for d, sizes in study.SUBSETS.items() for m in sizes if study.judged(10_000, m, d)]
    assert gates == [*((m, 1) for m in (10, 20, 30, 60, 100, 300, 1_000)), *((m, 2) for m in (20, 30, 60, 100))]
    assert study.level() == pytest.approx(1e-4 / 13)
    needed = math.log(study.level() / 2) / math.log(0.9)
    assert needed < study.TRIALS, "trials that suffice without a failure"


# ---------------------------------------------------------------------------------------------------- the finding
@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SIZES", (60, 400))
        patch.setattr(study, "SUBSETS", {1: (10, 20, 60), 2: (10, 20, 40)})
        yield patch


def finding_at(effort: float = 1.0) -> Finding:
    return study.subsets(Run(Simulation(8), effort))


@pytest.fixture(scope="module")
def measured(small) -> Finding:
    return finding_at()


def test_claim_holds(measured: Finding) -> None:
    assert measured.verdict is Verdict.HOLDS
    judged = [row for row in measured.measurements if row.verdict is not None]
    controls = [row for row in judged if row.quantity == study.SMALLER]
    assert len(judged) - len(controls) == 3 + 2
    assert [(row.settings["d"], row.settings["subset"]) for row in controls] == [(1, 60), (2, 40)]
    assert all(row.measured.low > study.BETA for row in controls)
    assert measured.deciding.quantity == study.FAILURES
    assert all(row.trials == study.TRIALS and row.settings["n"] == 400 for row in judged)
    rows = {(r.quantity, r.settings["d"], r.settings["n"], r.settings.get("subset")): r for r in measured.measurements}
    assert (study.LOSS, 2, 60, 20) in rows
    assert (study.LOSS, 2, 60, 40) not in rows
    losses = [rows[study.LOSS, 2, 400, m].measured.value for m in (10, 20, 40)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0.02
    assert (
        "on average over 2 samples of one distribution, judged at n = 400 where gamma < 1; 0 subsets fail in the"
        in measured.reason
    )


def test_a_control_that_does_not_fail_leaves_it_open(small, monkeypatch) -> None:
    monkeypatch.setattr(study, "PART", 1)
    assert finding_at().verdict is Verdict.INCONCLUSIVE


def test_few_subsets_are_inconclusive(small) -> None:
    finding = finding_at(0.1)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "12 subsets, a verdict on beta = 0.1 takes" in finding.reason
    needed = int(re.search(r"takes (\d+) without a failure", finding.reason)[1])
    for trials, verdict in ((needed, Verdict.HOLDS), (needed - 1, Verdict.INCONCLUSIVE)):
        assert upper_bound_verdict(frequency(0, trials, study.level()), study.BETA) is verdict


def test_a_bound_that_promises_too_much_is_caught(small, monkeypatch) -> None:
    right = study.subsample_loss
    monkeypatch.setattr(study, "subsample_loss", lambda m, d, beta: right(m, d, beta) / 30)
    finding = finding_at(0.2)
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding.measured.low > study.BETA


def test_a_subset_that_is_not_random_is_caught(small, monkeypatch) -> None:
    """The public points farthest from the border span regions that miss most of the others."""

    def leftmost(given: Scored, m: int, seed: int, runs: Runs) -> None:
        order = np.argsort(given.sample.points[:, 0], kind="stable")
        sample = MixedSample(given.sample.points[order], given.sample.labels[order], given.sample.private[order])
        run(Scored(sample, given.best), m, seed, runs)

    monkeypatch.setattr(study, "run", leftmost)
    monkeypatch.setattr(Regions, "_spanning", lambda self, n: np.arange(min(self.subset, n)))
    assert finding_at(0.2).verdict is Verdict.VIOLATED
