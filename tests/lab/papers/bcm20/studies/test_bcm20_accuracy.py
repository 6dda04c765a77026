"""Claims BCM20-L7, L7-literal and PMW-accuracy: cells, arms that differ as they say, forced updates by brute force."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv.papers.bcm20.bounds.forced_updates import book_updates, forced_updates
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.pmw import PMW
from semipriv_lab.ledger.checked import contradictions
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.claims import claims as listed
from semipriv_lab.ledger.findings import Measurement
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.papers.bcm20.controls.transcripts import measured_by_pmw
from semipriv_lab.papers.bcm20.studies import accuracy as claims


def cell(name: str, distribution: str, alpha: float) -> claims.Cell:
    (first,) = (
        actual_cell
        for actual_cell in claims.cells(Simulation(1))
        if (actual_cell.name, actual_cell.distribution, actual_cell.alpha) == (name, distribution, alpha)
    )
    return first


def test_hard_cells_have_a_point_mass_and_more_queries_than_updates() -> None:
    for actual_cell in claims.cells(Simulation(1)):
        assert actual_cell.masses.sum() == pytest.approx(1)
        if actual_cell.distribution == claims.POINT:
            assert actual_cell.masses[-1] == 1
        if actual_cell.name != "prefixes":
            plan = actual_cell.accurate.method.plan(
                actual_cell.workload.cells, actual_cell.workload.size, claims.BUDGET
            )
            assert plan.updates < actual_cell.workload.size
            assert claims.SIGN in claims.arms(actual_cell) or actual_cell.distribution != claims.POINT


def test_the_atom_is_just_below_the_threshold() -> None:
    """Uniform cells are off by almost the threshold, and by less than it."""
    for alpha in claims.ALPHAS:
        chosen_cell = cell("prefixes", claims.BELOW, alpha)
        plan = chosen_cell.accurate.method.plan(chosen_cell.workload.cells, chosen_cell.workload.size, claims.BUDGET)
        uniform = np.full(chosen_cell.workload.cells, 1 / chosen_cell.workload.cells)
        gap = (
            np.abs(chosen_cell.workload.sums(chosen_cell.masses) - chosen_cell.workload.sums(uniform)).max()
            * chosen_cell.accurate.records
        )
        assert 0.9 * plan.threshold(chosen_cell.accurate.records) < gap < plan.threshold(chosen_cell.accurate.records)


def test_errors_are_against_the_population_and_twice_those_of_shares() -> None:
    chosen_cell = cell("prefixes", "Zipf", 0.2)
    exact = chosen_cell.workload.sums(chosen_cell.masses)
    assert chosen_cell.error(exact) == 0
    exact[5] += 0.01
    assert chosen_cell.error(exact) == pytest.approx(0.02)


def test_arms_are_broken_as_they_say() -> None:
    honest, noisy = (kind(0.1).plan(64, 4000, claims.BUDGET) for kind in (PMW, claims.Noisy))
    assert (noisy.lot, noisy.numeric) == (30 * honest.lot, 30 * honest.numeric)
    assert (noisy.threshold(10**6), noisy.updates) == (honest.threshold(10**6), honest.updates)
    assert claims.Reversed(0.1).step(0.3, 0.2, 0.05) == -PMW(0.1).step(0.3, 0.2, 0.05) == 0.05


# ---------------------------------------------------------------------------------------------------- the book
def errs_with(updates: tuple[int, ...], signs: tuple[int, ...], error: float, rate: float, cells: int) -> bool:
    """Whether some prefix that is not updated has a weight above ``error``, for updates of these prefixes."""
    weights = np.full(cells, 1 / cells)
    for j in range(1, cells):
        if j in updates:
            weights[:j] *= math.exp(signs[updates.index(j)] * rate)
            weights /= weights.sum()
        elif weights[:j].sum() > error:
            return True
    return False


@pytest.mark.parametrize(("error", "rate", "cells"), [(0.3, 0.8, 7), (0.45, 0.9, 8), (0.2, 1.5, 7), (0.49, 0.3, 6)])
def test_forced_updates_are_the_least_of_all_ways_to_place_them(error: float, rate: float, cells: int) -> None:
    """By exhaustion over which prefixes are updated, and with which signs."""
    need = forced_updates(error, rate, cells)
    for count in (need - 1, need):
        ways = itertools.product(
            itertools.combinations(range(1, cells), count), itertools.product((-1, 1), repeat=count)
        )
        all_err = all(errs_with(placed, signs, error, rate, cells) for placed, signs in ways)
        assert all_err == (count < need)


def test_the_book_errs_whatever_the_noise() -> None:
    """At a thousand times the records, where the book's threshold and noise are nothing, all updates are used up."""
    k, alpha = 10**6, 0.99
    assert book_updates(alpha, k) < forced_updates(alpha / 2, alpha / 2, k)
    work = claims.Runs(k, np.zeros(k - 1, np.int64), np.arange(1, k))
    counts = np.zeros(k, np.int64)
    counts[-1] = 1000 * claims.printed_records(alpha, k, k - 1)
    fit = PMW(alpha, 0.1, scales="book").fit(work, counts, claims.BUDGET, Simulation(1))
    assert fit.cost["exhausted"]
    assert 2 * fit.answers.max() > alpha


# ---------------------------------------------------------------------------------------------------- the proof
def test_replayed_answers_are_those_of_fit() -> None:
    """Releases have this exact distribution: runs miss as often, up to their limits, at too few records."""
    method, work, budget = claims.TINY_METHODS[0], claims.TINY["each of two cells"], Guarantee(claims.EXACT_EPSILON)
    n, counts, trials = 20, np.array([20, 0]), 400
    exact = work.sums(counts) / n
    distribution = measured_by_pmw(method, work, counts, budget)
    chance = sum(
        math.exp(logarithm)
        for transcript, logarithm in distribution.items()
        if np.abs(claims.replayed(method, work, n, budget, transcript) - exact).max() > method.accuracy
    )
    fits = [method.fit(work, counts, budget, Simulation(seed)).answers for seed in range(trials)]
    share = np.mean([np.abs(actual_fit - exact).max() > method.accuracy for actual_fit in fits])
    assert 0.05 < chance < 0.95
    assert share == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / trials))


def test_accuracy_is_said_of_enough_records_alone() -> None:
    """With one record a wrong answer is nearly certain, although the method, the cells and the budget are the same."""
    domain = domain_of(listed()["BCM20-PMW-accuracy"])
    at = {"epsilon": claims.EXACT_EPSILON, "delta": 0.0, "accuracy": 0.45, "failure": 0.3, "passes": 1, "cells": 2}
    assert not domain.broken(at | {"records": claims.ENOUGH})
    assert domain.broken(at | {"records": "1"})
    assert claims.missed(claims.TINY_METHODS[0], claims.TINY["the first of two cells"], 1) > 0.9
    for other in ({"delta": 1e-6}, {"passes": 2}, {"failure": 0.2}):
        assert domain.broken(at | other)
    finding = claims.exactly(Run(Simulation(1), 1.0))
    assert finding.verdict is Verdict.HOLDS
    known = listed()["BCM20-PMW-accuracy"]
    assert contradictions(known, domain_of(known), finding.measurements) == []


def test_a_cell_holds_and_its_controls_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen_cell = cell("random queries", claims.POINT, 0.4)
    monkeypatch.setattr(claims, "cells", lambda randomness: [chosen_cell])
    finding = claims.lemma_7(Run(Simulation(1), 1.0))
    assert finding.verdict is Verdict.HOLDS
    assert (finding.deciding.bound, finding.deciding.settings["arm"]) == (0.1, "PMW")
    rows = [row for row in finding.measurements if row.quantity == claims.FAILURES]
    judged = {row.settings["arm"]: row.measured.value for row in rows}
    assert judged["PMW"] == 0
    assert min(judged["n / 4"], judged["noise times 30"], judged["update reversed"]) > 0.9


def test_the_claim_is_not_concluded_if_a_control_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a control that runs the honest algorithm at the proven n nothing is concluded, and the row names it."""
    chosen_cell = cell("prefixes", claims.POINT, 0.2)
    monkeypatch.setattr(claims, "cells", lambda randomness: [chosen_cell])
    monkeypatch.setattr(claims, "arms", lambda cell: [claims.HONEST, claims.Arm("n / 4", fewer=1.1)])
    finding = claims.lemma_7(Run(Simulation(1), 0.7))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert finding.deciding.settings["arm"] == "n / 4"
    assert "controls that do not miss the target: n / 4, prefixes" in finding.reason


def test_the_proof_asks_for_up_to_so_much_of_the_printed_number() -> None:
    """docs/findings.md says .69 at the corners, and .78 below them, where delta is tiny and queries are many."""
    table = Table(Run(Simulation(1), 1.0), Simulation(1), domain=domain_of(listed()["BCM20-L7"]))
    most = claims.sizes(table)
    usual = [row.measured.value for row in table(claims.SIZES) if row.settings["delta"] >= 1e-6]
    assert 0.68 < max(usual) < 0.69
    assert 0.76 < most < 0.78


def test_more_failures_than_beta_violate() -> None:
    rows = [Measurement(claims.FAILURES, {"arm": "PMW"}, Interval(0.5, 0.4, 0.6), 0.1, 9, Verdict.VIOLATED)]
    assert claims.honest_or_failed(rows) is rows[0]
