"""Accounting of LabelBoost: the specification's numbers, what follows from each step, and trees that survive JSON."""

import json
import math

import pytest

from semipriv.papers.bns15.label_boost.accounting import (
    ACCOUNTANTS,
    Base,
    Event,
    Relabelled,
    Resampled,
    Round,
    Subsampled,
    described,
    guarantee,
    label_boost,
    relabelled,
    relabelled_sharp,
    restored,
)
from semipriv.papers.bns15.label_boost.schedule import EXACT_LEAST, NAMED, PAPER, SHARP_LEAST, Constants, schedule
from semipriv.privacy.guarantee import Guarantee, Neighbours

LEARNER = Base(1.0, 1e-9)
PLENTY = 10**9


def final(r0: int, size: int = PLENTY) -> Event:
    """Steps 3 to 5 at the keep ratio 1 / r0."""
    return Subsampled(Resampled(LEARNER, size, size), [(size, r0 * size)])


def rounds(tree: Event, r: int, count: int) -> Event:
    for _ in range(count):
        tree = Round(tree, [(1, r), (1, r)])
    return tree


def growth(found: Guarantee) -> float:
    return found.delta / LEARNER.delta


def test_paper_accounting() -> None:
    found = guarantee(final(300), "paper")
    assert found.epsilon == pytest.approx(247 / 300, rel=1e-12)
    assert growth(found) == pytest.approx(4 * 2467 / 300, rel=1e-12)
    assert found.neighbours is Neighbours.REPLACE_ENTRY
    step = guarantee(Subsampled(Relabelled(Base(1.0, 41e-9)), [(1, 100)]), "paper")
    assert step.epsilon == pytest.approx((3 + math.exp(4)) / 100, rel=1e-12)
    assert growth(step) == pytest.approx(16 * math.e * 41 / 100, rel=1e-12)
    assert guarantee(rounds(final(300), 100, 50), "paper") == found


def test_sharp_accounting() -> None:
    found = guarantee(final(3), "sharp")
    assert found.epsilon == pytest.approx(0.9262, abs=1e-4)
    assert growth(found) == pytest.approx(0.8875, abs=1e-4)
    read = guarantee(Subsampled(Relabelled(final(3)), [(1, 11)]), "sharp")
    assert read.epsilon == pytest.approx(0.9240, abs=1e-4)
    assert growth(read) < growth(found)


@pytest.mark.parametrize(
    ("name", "accountant"),
    [("paper", "paper"), ("exact", "exact"), ("sharp", "sharp"), ("exact_least", "exact"), ("sharp_least", "sharp")],
)
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_named_constants_keep_what_they_promise(name: str, accountant: str, count: int) -> None:
    constants = NAMED[name]
    found = guarantee(rounds(final(constants.r0), constants.r, count), accountant)
    assert found.epsilon <= 1
    assert growth(found) <= (41 if accountant == "paper" else 1)


@pytest.mark.parametrize(("constants", "accountant"), [(EXACT_LEAST, "exact"), (SHARP_LEAST, "sharp")])
def test_least_ratios_are_the_least(constants: Constants, accountant: str) -> None:
    assert guarantee(final(constants.r0 - 1), accountant).epsilon > 1
    for r, within in ((constants.r, True), (constants.r - 1, False)):
        assert (guarantee(rounds(final(constants.r0), r, 50), accountant).epsilon <= 1) == within


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
def test_relabelling_by_the_formulas(eps0: float) -> None:
    own = Guarantee(0.5, 1e-6, Neighbours.REPLACE_ENTRY)
    plain, sharp = relabelled(own, eps0), relabelled_sharp(own, eps0)
    assert plain.epsilon == pytest.approx(0.5 + math.log(4) + eps0, rel=1e-12)
    assert plain.delta == pytest.approx(4e-6 * math.exp(eps0), rel=1e-12)
    assert sharp.epsilon == pytest.approx(0.5 + 2 * math.log(1 + math.exp(eps0 / 2)), rel=1e-12)
    assert sharp.delta == 1e-6
    assert sharp.epsilon < plain.epsilon


def test_an_entry_that_no_round_reads_is_only_passed_on() -> None:
    """A round that keeps hardly anything cannot make the rest more private."""
    assert guarantee(Round(final(3), [(1, 10**6)]), "exact") == guarantee(final(3), "exact")


def test_the_part_of_which_most_is_kept_decides() -> None:
    one, other = (guarantee(Subsampled(LEARNER, parts), "exact") for parts in ([(1, 9), (1, 2)], [(1, 2)]))
    assert one == other
    assert one.epsilon == pytest.approx(math.log((1 + math.e) / 2))


def test_tree_of_a_schedule() -> None:
    sizes = schedule(PAPER, 440_925, 7190, 0.2, 0.2, 1)
    tree = label_boost(sizes, LEARNER)
    for each in sizes.rounds:
        assert isinstance(tree, Round)
        assert tree.parts == ((each.kept_labelled, each.labelled), (each.kept_unlabelled, each.read))
        tree = tree.then
    assert tree == Subsampled(Resampled(LEARNER, sizes.final, sizes.final), [(sizes.final, sizes.labelled)])


def test_no_round_is_the_final_stage_alone() -> None:
    tree = label_boost(schedule(PAPER, 300_000, 1000, 0.2, 0.2, 1), LEARNER)
    assert guarantee(tree, "paper").epsilon == pytest.approx(247 / 300)


def test_pure_stays_pure() -> None:
    tree = label_boost(schedule(PAPER, 440_925, 7190, 0.2, 0.2, 1), Base(1.0))
    assert {guarantee(tree, name).delta for name in ACCOUNTANTS} == {0.0}


def test_trees_survive_json() -> None:
    tree = label_boost(schedule(PAPER, 440_925, 7190, 0.2, 0.2, 1), LEARNER)
    for event in (tree, Relabelled(Base(0.1 + 0.2), 0.7)):
        assert restored(json.loads(json.dumps(described(event)))) == event
