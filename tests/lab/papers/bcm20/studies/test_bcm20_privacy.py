"""Claims BCM20-L7-dp and BCM20-T10-dp: closed forms against enumeration, and verdicts that follow their controls."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import Iterate, scores
from semipriv.queries.methods.pmw import PMW, Plan
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bcm20.controls import mwem
from semipriv_lab.papers.bcm20.controls.transcripts import transcripts
from semipriv_lab.papers.bcm20.studies import _sampled_audit as audits
from semipriv_lab.papers.bcm20.studies import _sparse_vector as epochs
from semipriv_lab.papers.bcm20.studies import privacy as claims


@pytest.mark.parametrize("fault", ["fit", "plan"])
def test_half_the_noise_of_comparisons_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``PMW.fit`` draws or its plan is wrong: the loss stays within epsilon, the distribution is another."""
    drawn, noises = claims.drawn_kinds, Plan.noises.fget
    if fault == "fit":
        halved = claims.pmw.quieter(Fraction(1, 2))
        monkeypatch.setattr(claims, "drawn_kinds", lambda method, *rest: drawn(halved, *rest))
    else:

        def less_noise(plan: Plan) -> tuple[DiscreteLaplace, ...]:
            lot, comparison, numeric = noises(plan)
            return lot, DiscreteLaplace(Fraction(comparison.scale) / 2), numeric

        monkeypatch.setattr(Plan, "noises", property(less_noise))
    monkeypatch.setattr(claims, "WORKLOADS", {"each cell": claims.pmw.CELLS})
    assert claims.exact_distribution(Run(Simulation(1), 0.3)).verdict is Verdict.VIOLATED


def test_values_known_by_hand() -> None:
    rows = claims.sparse_vector(Run(Simulation(1), 0.3)).measurements
    (every,) = (row for row in rows if row.quantity == claims.SPENT and "budgets" in row.settings)
    assert every.measured.value == pytest.approx(0.4793, abs=1e-4)
    losses_at_less_noise = [row.measured.value for row in rows if row.settings.get("change") == "noise / 2.2"]
    assert losses_at_less_noise == [pytest.approx(1.048, abs=1e-3)]
    assert claims.spent(Fraction(1, 100), 1e-6) == pytest.approx(0.01 + 0.2 * math.sqrt(math.log(1e6)))
    for epsilon in (0.01, 0.999):
        for delta in (1e-300, 1e-6, 0.9, 0.9999):
            rho = PMW(0.1, scales="book").plan(50, 60, Guarantee(epsilon, delta)).event.rho
            assert claims.spent(rho, delta) <= claims.share_of_all() * epsilon


@pytest.mark.parametrize("queries", [1, 3])
def test_the_epoch_is_the_sparse_vector_technique(queries: int) -> None:
    """The same loss from the listed distribution: noise b of thresholds and 2 b of comparisons make epsilon = 2 / b."""
    mechanism = SparseVector(2 / epochs.SCALE, threshold=0)
    end = (*[False] * queries, True)
    worst = 0.0
    for g, h, s, t in itertools.product(range(-40, 41, 20), range(-40, 41, 20), (-1, 1), (-1, 0, 1)):
        first, other = (mechanism.log_probabilities([*[g + u] * queries, h + v])[end] for u, v in ((0, 0), (s, t)))
        worst = max(worst, abs(first - other))
    actual_epoch_loss = epochs.epoch_loss(2 * epochs.SCALE, queries)
    assert 0.95 * actual_epoch_loss <= worst <= actual_epoch_loss + 1e-12
    assert actual_epoch_loss <= 2 / epochs.SCALE + 1e-12


def test_neighbours_are_all_that_move_by_at_most_one() -> None:
    """The answers below and the one above each move by -1, 0 or 1, together or against each other."""
    for seed in range(20):
        table = np.random.default_rng(seed).normal(size=(5, 5))
        table[seed % 5, seed % 4] = -np.inf if seed % 2 else 0.0
        worst = 0.0
        for (g, h), (s, t) in itertools.product(np.ndindex(5, 5), itertools.product((-1, 0, 1), repeat=2)):
            if 0 <= g + s < 5 and 0 <= h + t < 5 and np.isfinite([table[g, h], table[g + s, h + t]]).any():
                worst = max(worst, abs(table[g, h] - table[g + s, h + t]))
        assert epochs._largest(table) == min(worst, epochs.LIMIT)


def test_noise_reused_has_an_infinite_loss() -> None:
    assert epochs.reused_loss(20) == epochs.LIMIT


def test_a_bound_that_a_broken_change_keeps_is_not_concluded(monkeypatch: pytest.MonkeyPatch) -> None:
    make = mwem.mwem_noise_halved
    tame = {"mwem_tame": lambda: replace(make(), broken=make().honest)}
    monkeypatch.setattr(claims, "CONTROLS", tame)
    assert claims.query_release(Run(Simulation(2), 0.03)).verdict is Verdict.INCONCLUSIVE


# ---------------------------------------------------------------------------------------------------- runs
def test_runs_have_the_distribution_of_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """On four cells and four records: frequencies of transcripts, by statistic, against the exact distribution."""
    work, counts, budget = mwem.PREFIXES, np.array([2, 1, 0, 1]), Guarantee(audits.EPSILON)
    moved = np.array([1, 1, 0, 2])
    for name, given in (("PREFIXES", work), ("CELLS", 4), ("RECORDS", 4), ("neighbours", lambda: (counts, moved))):
        monkeypatch.setattr(audits, name, given)
    method = audits.METHODS[""]
    noise = method.round(budget).noise
    for of, own in enumerate((counts, moved)):
        distribution = transcripts(method, work, own, budget)
        expected: dict[float, float] = {}
        for transcript, logarithm in distribution.items():
            value = 0.0
            for sign, side in ((1, counts), (-1, moved)):
                state = Iterate.start(work)
                for query, noisy in transcript:
                    chosen = method.round(budget).selection.log_probabilities(
                        scores(4 * work.sums(state.weights), work.sums(side))
                    )
                    value += sign * (chosen[query] + noise.log_probability(noisy - work.sums(side)[query]))
                    state.measure(work.row(query), noisy / 4, method.sweeps)
            key = round(float(value), 6)
            expected[key] = expected.get(key, 0.0) + math.exp(logarithm)
        runs = 20_000
        actual_counts = Counter(np.round(audits.statistics(method, of, runs, Simulation(6).spawn(of)), 6).tolist())
        assert sum(expected.values()) == pytest.approx(1)
        assert set(actual_counts) <= set(expected)
        chi = sum((actual_counts[key] - runs * p) ** 2 / (runs * p) for key, p in expected.items() if runs * p >= 5)
        common = sum(runs * p >= 5 for p in expected.values())
        assert chi < common + 5 * math.sqrt(2 * common)


def test_an_honest_method_is_not_called_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs rule out stays below epsilon without the break, so that the gate of the negative control is not met."""
    monkeypatch.setitem(audits.METHODS, "noise / 10", audits.METHODS[""])
    table = Table(Run(Simulation(7), 0.1), Simulation(7))
    audits.sampled_audit(table)
    assert [row.verdict for row in table.rows] == [None, None, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE]
    assert all(row.measured.value < audits.EPSILON for row in table.rows)


def test_divergences_of_distributions_known_in_closed_form() -> None:
    """Two coins: D_2 = ln sum p^2 / q."""
    p, q = np.array([[0.3, 0.7]]), np.array([[0.6, 0.4]])
    assert claims.renyi(np.log(p), np.log(q), 2.0) == pytest.approx(math.log(float((p * p / q).sum())))
