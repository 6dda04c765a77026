"""MWEM: vectors by hand, updates against the plain algorithm, one distribution for both sources of randomness."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.properties.entropy import Seeded
from semipriv.core.randomness import Simulation
from semipriv.privacy.events import concentrated, guarantee_of, pure_guarantee, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods import mwem
from semipriv.queries.methods.mwem import MWEM, Iterate, scores
from semipriv.queries.workloads import Listed, Runs
from semipriv_lab.papers.bcm20.controls.transcripts import transcripts

PURE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, 1e-6)


def prefixes(cells: int) -> Runs:
    return Runs(cells, np.zeros(cells - 1, np.int64), np.arange(1, cells))


def test_one_update_worked_by_hand() -> None:
    """K = 2, count 9 of 10: the factor is exp(.4 / 2) = 1.2214."""
    state = Iterate.start(Listed(np.array([[True, False]])))
    state.measure(np.array([True, False]), 0.9, 1)
    factor = math.exp(0.2)
    assert state.weights == pytest.approx([factor / (1 + factor), 1 / (1 + factor)], abs=1e-15)
    assert state.weights == pytest.approx([0.5498, 0.4502], abs=5e-5)


def plain(rows: np.ndarray, values: np.ndarray, sweeps: int) -> np.ndarray:
    """Multiplicative weights as written in the paper: cell by cell, normalised after each update."""
    weights = np.full(rows.shape[1], 1 / rows.shape[1])
    for t in range(len(rows)):
        for _ in range(sweeps):
            for row, value in zip(rows[t::-1], values[t::-1], strict=True):
                weights = weights * np.exp(row * (value - weights @ row) / 2)
                weights /= weights.sum()
    return weights


@pytest.mark.parametrize("sweeps", [1, 3])
@pytest.mark.parametrize("kind", ["runs", "listed"])
def test_updates_by_atoms_are_those_of_the_plain_algorithm(kind: str, sweeps: int) -> None:
    rng = np.random.default_rng(5)
    rows = rng.random((12, 40)) < 0.4
    if kind == "runs":
        rows = np.array([prefixes(40).row(query) for query in rng.integers(0, 39, 12)])
    rows[5] = rows[2]
    values = rng.random(12)
    state = Iterate.start(Listed(rows))
    for row, value in zip(rows, values, strict=True):
        state.measure(row, float(value), sweeps)
    assert state.weights == pytest.approx(plain(rows, values, sweeps), rel=1e-10)
    assert state.weights.sum() == pytest.approx(1, abs=1e-14)


def test_weights_do_not_underflow() -> None:
    """Logarithms are kept: after very many updates that shrink a cell its weight comes back."""
    state = Iterate.start(prefixes(2))
    for value in [0.0] * 40 + [1.0] * 40:
        state.measure(np.array([True, False]), value, 100)
    assert np.isfinite(state.weights).all()
    assert state.weights.sum() == pytest.approx(1)


def test_scores_are_floors_and_have_sensitivity_one() -> None:
    estimates = np.array([0.0, 0.2, 3.7, 9.99])
    assert scores(estimates, np.array([0, 1, 1, 12])).tolist() == [0, 0, 2, 2]
    rng = np.random.default_rng(0)
    estimate, count = 20 * rng.random(10_000), rng.integers(0, 20, 10_000)
    for moved in (-1, 1):
        assert np.abs(scores(estimate, count) - scores(estimate, count + moved)).max() == 1


def test_scores_are_not_rounded_apart() -> None:
    """Floats would give 1 - 2^-53 and 2, whose floors differ by 2."""
    estimate = np.array([2.0**-53])
    assert np.floor(np.abs(estimate - [1, 2])).tolist() == [0, 2]
    assert [int(scores(estimate, np.array([count]))[0]) for count in (0, 1, 2)] == [0, 0, 1]


def test_average_and_last_iterate() -> None:
    """One round releases p_1 either way, which has read the records; after two rounds they differ; n decides."""
    workload, counts = prefixes(2), np.array([9, 1])
    average, last = (MWEM(1, 1, iterate).fit(workload, counts, PURE, Simulation(1)) for iterate in ("average", "last"))
    assert average.weights.tolist() == last.weights.tolist() != [0.5, 0.5]
    average, last = (MWEM(2, 1, iterate).fit(workload, counts, PURE, Simulation(1)) for iterate in ("average", "last"))
    assert average.weights.tolist() != last.weights.tolist()
    assert [MWEM().averaged(n) for n in (1, 10_000, 10_001)] == [True, True, False]
    assert not MWEM(iterate="last").averaged(1)
    assert MWEM(iterate="average").averaged(10**9)


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_the_average_is_over_the_iterates_after_each_round(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mass 1: not (T + 1) / T, as with p_0 in the sum."""
    seen = []
    measure = Iterate.measure

    def noted(state: Iterate, *arguments) -> None:
        measure(state, *arguments)
        seen.append(state.weights)

    monkeypatch.setattr(Iterate, "measure", noted)
    fitted = MWEM(rounds, 2, "average").fit(prefixes(5), np.array([5, 0, 1, 0, 2]), APPROXIMATE, Simulation(3))
    assert len(seen) == rounds
    assert fitted.weights == pytest.approx(np.mean(seen, axis=0), abs=1e-15)
    assert fitted.weights.sum() == pytest.approx(1, abs=1e-14)
    assert fitted.answers == pytest.approx(np.cumsum(fitted.weights)[:-1], abs=1e-14)


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE, Guarantee(0.1), Guarantee(3.0, 1e-9)])
@pytest.mark.parametrize("rounds", [1, 7, 30])
def test_rounds_spend_the_budget_and_not_more(rounds: int, budget: Guarantee) -> None:
    event = MWEM(rounds).event(prefixes(5), budget)
    cost = event.rho if budget.delta else event.pure
    assert cost <= whole(budget)
    assert float(cost) == pytest.approx(float(whole(budget)), rel=1e-12)
    assert guarantee_of(event, budget).epsilon == pytest.approx(budget.epsilon, rel=1e-9)
    if not budget.delta:
        assert pure_guarantee(event).epsilon <= budget.epsilon


def test_parameters_of_a_round() -> None:
    """Epsilon / (2 T) for each part; or rho / (2 T), e0 = sqrt(8 rho_sel), sigma = 1 / sqrt(2 rho_mea)."""
    pure, approximate = MWEM(30).round(PURE), MWEM(30).round(APPROXIMATE)
    assert pure.selection.epsilon == pytest.approx(1 / 60)
    assert float(pure.noise.scale) == pytest.approx(60)
    part = float(whole(APPROXIMATE)) / 60
    assert approximate.selection.epsilon == pytest.approx(math.sqrt(8 * part))
    assert float(approximate.noise.sigma) == pytest.approx(math.sqrt(1 / (2 * part)))
    assert concentrated(approximate.event).rho == pytest.approx(2 * part)
    assert approximate.selection.sensitivity == 1


def test_nothing_is_read_before_it_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one more round than the budget was split for, the last is refused."""
    shorter = MWEM(2).round(PURE)
    monkeypatch.setattr(MWEM, "round", lambda self, budget: shorter)
    with pytest.raises(ValueError, match="0 is left, the next step costs"):
        MWEM(3).fit(prefixes(3), np.array([1, 2, 3]), PURE, Simulation(0))


@pytest.mark.parametrize("secure", [False, True])
def test_draws_follow_the_enumerated_distribution(secure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries and cut counts of two rounds, against the distribution that the audit enumerates."""
    method, workload, counts, budget = MWEM(2, 1), prefixes(3), np.array([2, 0, 1]), Guarantee(6.0)
    distribution = {key: math.exp(value) for key, value in transcripts(method, workload, counts, budget).items()}
    assert math.fsum(distribution.values()) == pytest.approx(1, abs=1e-12)
    seen: list[tuple[int, int]] = []
    measure = Iterate.measure

    def noted(state: Iterate, row: np.ndarray, value: float, sweeps: int) -> None:
        seen.append((int(row.sum()) - 1, round(3 * value)))
        measure(state, row, value, sweeps)

    monkeypatch.setattr(Iterate, "measure", noted)
    draws, counted = (300 if secure else 1500), Counter()
    randomness = Seeded(7) if secure else Simulation(7)
    for _ in range(draws):
        seen.clear()
        method.fit(workload, counts, budget, randomness)
        counted[tuple(seen)] += 1
    assert counted.keys() <= distribution.keys()
    common = [key for key in distribution if draws * distribution[key] >= 5]
    rest = draws - sum(counted[key] for key in common)
    expected = [draws * distribution[key] for key in common]
    assert chisquare([*(counted[key] for key in common), rest], [*expected, draws - sum(expected)]).pvalue > 1e-4


def test_a_query_may_be_selected_again() -> None:
    """The distribution of two rounds has pairs of one query: nothing is drawn again until it is new."""
    distribution = transcripts(MWEM(2, 1), prefixes(3), np.array([3, 0, 0]), PURE)
    assert sum(math.exp(p) for (first, second), p in distribution.items() if first[0] == second[0]) > 0.3


def test_error_falls_with_updates_of_the_right_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the truth of a skewed distribution; the reversed update makes it worse than uniform weights."""
    workload, counts = prefixes(33), np.r_[60_000, np.full(32, 1000)]
    truth = workload.sums(counts) / counts.sum()

    def error() -> float:
        return float(np.abs(MWEM().fit(workload, counts, APPROXIMATE, Simulation(2)).answers - truth).max())

    assert error() < 0.02
    measured = mwem._measured

    def reversed_update(*arguments: object) -> tuple[object, ...]:
        atom, member, moved = measured(*arguments)
        return atom, member, -moved

    monkeypatch.setattr(mwem, "_measured", reversed_update)
    assert error() > np.abs(np.arange(1, 33) / 33 - truth).max()


def test_the_noise_of_the_pure_budget_is_kept_exactly() -> None:
    assert MWEM(3).round(PURE).noise.scale == Fraction(6)
