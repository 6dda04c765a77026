"""Studies of sizes and accounting of LabelBoost: what they find, and that wrong sizes or factors are noticed."""

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bns15.bounds import relabelling
from semipriv.papers.bns15.label_boost import accounting as tree
from semipriv.papers.bns15.label_boost.growth import Growth, Tower
from semipriv.papers.bns15.label_boost.schedule import PAPER, Schedule, schedule
from semipriv.privacy import amplification
from semipriv.privacy.guarantee import Guarantee
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bns15.studies import accounting, rounds, starts

RUN = Run(Simulation(1), 1.0)


def test_two_to_five_rounds_are_looked_at() -> None:
    for count, vc in product(rounds.ROUNDS, (1, 20)):
        assert len(rounds.beyond(0.1, 0.1, vc, count)[1]) == count


@pytest.mark.parametrize(
    ("read", "slow"),
    [((1, 2, 4), 0), ((1, 2, 3), 0), ((1, 1.999, 4, 8), 1), ((8, 4, 2, 1), 2), ((1, 1.5, 2, 9), 2)],
)
def test_rounds_that_do_not_double_are_counted(
    read: tuple[float, ...], slow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the last one, which reads what is left of a block; one of them is enough for the claim to fall."""
    monkeypatch.setattr(rounds, "ACCURACIES", (0.05, 0.2))
    monkeypatch.setattr(rounds, "DIMENSIONS", (1, 20))
    growths = tuple(Growth(Tower.of(1.0), Tower.of(1000.0 * read_count)) for read_count in read)
    monkeypatch.setattr(rounds, "beyond", lambda *given: (Tower.of(10.0**9), growths))
    finding = rounds.enough(RUN)
    doubling = "rounds 1 < i < N that read less than twice as many as the round before"
    assert {row.measured.value for row in finding.measurements if row.quantity == doubling} == {slow}
    assert (finding.verdict is Verdict.HOLDS) == (slow == 0)


def test_a_start_that_reads_more_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = schedule

    def hungry(*given: Any, **named: Any) -> Schedule:
        sizes = right(*given, **named)
        return replace(sizes, unlabelled=2 * sizes.unlabelled)

    monkeypatch.setattr(starts, "schedule", hungry)
    assert starts.any_start(Run(Simulation(1), 0.05)).verdict is Verdict.VIOLATED


def test_sizes_by_floats_agree_with_exact_ones() -> None:
    """At the least start at which the rounds end, and at one less, from which they never end."""
    n = np.array([1756.0, 7190.0, 27_818.0])
    same = np.full(3, 0.2), np.full(3, 0.2), np.ones(3)
    least = starts.least_starts(n, *same)
    assert least.tolist() == [429_373, 440_925, 440_948]
    for below in (0, 1):
        sums, ends, counts, doubled = starts.runs(least - below, n, *same)
        assert ends.tolist() == [not below] * 3
        assert below or doubled.all()
        for share, count, start, size in zip(sums, counts, least - below, n, strict=True):
            exact = schedule(PAPER, int(start), int(size), 0.2, 0.2, 1)
            assert (exact.failure is None) == (not below)
            if not below:
                assert count == len(exact.rounds)
                assert share == pytest.approx(exact.unlabelled / PAPER.block(int(size)), rel=1e-3)


@pytest.mark.parametrize("factor", ["relabelled", "relabelled_sharp", "relabelled_bns15"])
def test_a_larger_factor_of_relabelling_is_noticed(monkeypatch: pytest.MonkeyPatch, factor: str) -> None:
    """Epsilon larger by 0.2 after each relabelling, by one of the accountants; the paper's have room for 0.55."""
    share_attained = 0.6 if factor == "relabelled_bns15" else 0.2
    right = getattr(tree, factor)

    def larger(own: Guarantee, eps0: float) -> Guarantee:
        correct_value = right(own, eps0)
        return Guarantee(correct_value.epsilon + share_attained, correct_value.delta, correct_value.neighbours)

    accountants = {
        name: tree.Accountant(
            accountant.resampled,
            accountant.subsampled,
            larger if accountant.relabelled is right else accountant.relabelled,
        )
        for name, accountant in tree.ACCOUNTANTS.items()
    }
    monkeypatch.setattr(tree, "ACCOUNTANTS", accountants)
    if factor == "relabelled_bns15":
        with pytest.raises(ValueError, match=r"claim 4\.3"):
            accounting.printed(RUN)
    else:
        assert accounting.sharp(RUN).verdict is Verdict.VIOLATED


def test_delta_that_is_not_thinned_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = amplification.without_replacement

    def kept(own: Guarantee, rate: float) -> Guarantee:
        return Guarantee(right(own, rate).epsilon, 2 * own.delta, own.neighbours)

    monkeypatch.setattr(accounting, "without_replacement", kept)
    assert accounting.any_epsilon(RUN).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("kept", "unlabelled", "width"), [(12, 3000, 2**30), (30, 30_000, 2**20), (40, 60_000, 2**30)])
def test_bounds_of_a_round_hold_a_simulation(kept: int, unlabelled: int, width: int) -> None:
    generator = np.random.default_rng(0)
    failing = []
    for _ in range(100):
        c0, c1, c = generator.multinomial(kept, [0.5, 0.25, 0.25])
        labelled = generator.integers(width, size=c)
        other = generator.integers(width, size=generator.binomial(unlabelled, 0.25))
        points = np.unique(np.concatenate([labelled, other]))
        below = np.searchsorted(np.sort(labelled), np.concatenate([[-1], points]), side="right")
        weight = math.exp(-c0 / 2) + np.exp(-(c1 + below) / 2).sum()
        failing.append(weight / (1 + weight))
    mean, error = np.mean(failing), 4 * np.std(failing) / 10
    most = relabelling.most_failing(kept, unlabelled, 0.25)
    least = relabelling.least_failing(kept, unlabelled, 0.25, width)
    assert least - error < mean < most + error
    assert 0.2 * most < least < most
