"""Accounting of LabelBoost: the specification's numbers, and what follows from each step."""

import math

import pytest

from semipriv.papers.bns15.label_boost.accounting import (
    BaseLearner,
    Mechanism,
    Relabelled,
    Resampled,
    Subsampled,
    guarantee,
    label_boost,
    relabelled,
    relabelled_sharp,
)
from semipriv.papers.bns15.label_boost.schedule import PAPER, schedule
from semipriv.privacy.guarantee import Guarantee, Neighbours

LEARNER = BaseLearner(1.0, 1e-9)
PLENTY = 10**9


def final(r0: int, size: int = PLENTY) -> Mechanism:
    """Steps 3 to 5 at the keep ratio 1 / r0."""
    return Subsampled(Resampled(LEARNER, size, size), [(size, r0 * size)])


def rounds(tree: Mechanism, r: int, count: int) -> Mechanism:
    for _ in range(count):
        tree = Relabelled(tree, [(1, r), (1, r)])
    return tree


def growth(guarantee: Guarantee) -> float:
    return guarantee.delta / LEARNER.delta


def test_paper_accounting() -> None:
    total_guarantee = guarantee(final(300), "paper")
    assert total_guarantee.epsilon == pytest.approx(247 / 300, rel=1e-12)
    assert growth(total_guarantee) == pytest.approx(4 * 2467 / 300, rel=1e-12)
    assert total_guarantee.neighbours is Neighbours.REPLACE_ENTRY
    read = guarantee(Relabelled(BaseLearner(0.01, 1e-9), [(1, 30)]), "paper")
    assert read.epsilon == pytest.approx((3 + math.exp(3.01)) / 30, rel=1e-12)
    assert growth(read) == pytest.approx(16 * math.e / 30, rel=1e-12)
    assert guarantee(rounds(final(300), 100, 50), "paper") == total_guarantee


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
def test_relabelling_by_the_formulas(eps0: float) -> None:
    inner = Guarantee(0.5, 1e-6, Neighbours.REPLACE_ENTRY)
    plain, sharp = relabelled(inner, eps0), relabelled_sharp(inner, eps0)
    assert (plain.epsilon, plain.delta) == pytest.approx((0.5 + math.log(4) + eps0, 4e-6 * math.exp(eps0)), rel=1e-12)
    assert (sharp.epsilon, sharp.delta) == pytest.approx((0.5 + 2 * math.log(1 + math.exp(eps0 / 2)), 1e-6), rel=1e-12)


def test_an_entry_that_no_round_reads_is_only_passed_on() -> None:
    """A round that keeps hardly anything cannot make the rest more private."""
    assert guarantee(Relabelled(final(3), [(1, 10**6)]), "exact") == guarantee(final(3), "exact")


def test_the_part_of_which_most_is_kept_decides() -> None:
    first, other = (guarantee(Subsampled(LEARNER, parts), "exact") for parts in ([(1, 9), (1, 2)], [(1, 2)]))
    assert first == other
    assert first.epsilon == pytest.approx(math.log((1 + math.e) / 2))


def test_tree_of_a_schedule() -> None:
    sizes = schedule(PAPER, 440_925, 7190, 0.2, 0.2, 1)
    tree = label_boost(sizes, LEARNER)
    for actual_round in sizes.rounds:
        assert isinstance(tree, Relabelled)
        assert tree.parts == (
            (actual_round.kept_labelled, actual_round.labelled),
            (actual_round.kept_unlabelled, actual_round.read),
        )
        tree = tree.then
    assert tree == Subsampled(Resampled(LEARNER, sizes.final, sizes.final), [(sizes.final, sizes.labelled)])


def test_no_round_is_the_final_stage_alone() -> None:
    tree = label_boost(schedule(PAPER, 300_000, 1000, 0.2, 0.2, 1), LEARNER)
    assert guarantee(tree, "paper").epsilon == pytest.approx(247 / 300)
