"""Exact audits of releases by person: two persons, each with any one to three rows, one of them replaced."""

import itertools

import numpy as np
import pytest

import semipriv
from semipriv.core.persons import Persons, shares
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.practice.sums.by_person import release_by_person
from semipriv.practice.sums.records import Rows
from semipriv.practice.sums.tallies import statistic
from semipriv.privacy.guarantee import Neighbours, Release

EPSILON = 1.0
EXAMPLES = [(x, y) for x in (0.0, 1.0, 2.0) for y in (0, 1)]
BAGS = [bag for size in (1, 2, 3) for bag in itertools.combinations_with_replacement(range(len(EXAMPLES)), size)]
LEARNER = semipriv.SSPP(EPSILON)
PREPARED = LEARNER.prepare([0.0, 1.0, 2.0], semipriv.Thresholds())


def scores(units: int) -> np.ndarray:
    """Minus the mistakes of all hypotheses on each bag of one person, in units: (bags, hypotheses)."""
    scored = []
    for bag in BAGS:
        points = np.array([[EXAMPLES[i][0]] for i in bag])
        labels = np.array([EXAMPLES[i][1] for i in bag], np.int8)
        own = statistic(LEARNER, PREPARED, 2).of_persons(2)
        own.units = units
        persons = Persons.of(["one"] * len(bag))
        own.add(points, labels, shares(persons, own.order(points, labels), units, "key"))
        own.flush()
        scored.append(-own.sums)
    return np.array(scored)


def loss(of_bags: np.ndarray, units: int) -> float:
    """The largest log-ratio of two distributions on pairs of persons that differ in one of them."""
    mechanism = LEARNER.selection.per(units)
    distributions = np.array([[mechanism.log_probabilities(a + c) for c in of_bags] for a in of_bags])
    return max(float(np.abs(distributions[:, None, c] - distributions[None, :, c]).max()) for c in range(len(of_bags)))


@pytest.mark.parametrize("units", [1, 2, 3, 720720])
def test_a_replaced_person_costs_what_a_replaced_row_costs(units: int) -> None:
    largest = loss(scores(units), units)
    assert 0.45 * EPSILON < largest <= EPSILON + 1e-9


def test_all_rows_at_the_sensitivity_of_one_are_caught() -> None:
    """The negative control: a person has as much weight as they have rows."""
    mistakes = np.array(
        [
            -PREPARED.mistakes(
                np.array([[EXAMPLES[i][0]] for i in bag]), np.array([EXAMPLES[i][1] for i in bag], np.int8)
            )
            for bag in BAGS
        ]
    )
    assert loss(mistakes, 1) > 1.5 * EPSILON


@pytest.mark.parametrize("rows", [None, "average", "one"])
def test_the_release_of_one_row_a_person_is_that_of_the_rows(rows: str | None) -> None:
    points, labels = np.arange(6.0)[:, None] % 3, np.arange(6) % 2
    persons = Persons.of(map(str, range(6)))
    released = release_by_person(LEARNER, PREPARED, points, labels, persons, Simulation(1), rows)
    assert released.guarantee is not None
    assert released.guarantee.neighbours is Neighbours.REPLACE_PERSON
    assert released.output.functions == semipriv.Thresholds()


def test_an_average_is_refused_where_rows_are_read_one_by_one() -> None:
    learner = semipriv.RRSPM(1.0)
    prepared = learner.prepare([0.0, 1.0, 2.0], semipriv.Thresholds())
    persons = Persons.of(["a", "b"])
    with pytest.raises(ValueError, match="take one"):
        release_by_person(learner, prepared, [[0.0], [1.0]], [0, 1], persons, Simulation(1), "average")


class InOrder:
    """Releases the points in the order in which they came: the worst that a learner may read of rows."""

    reads_unlabelled = False

    def release(self, prepared, points, labels, randomness) -> Release:  # type: ignore[no-untyped-def]
        return Release(points[:, 0].tolist(), None, randomness.source)


def in_order(points: np.ndarray, randomness: Randomness) -> list[float]:
    own = Rows(InOrder(), None).of_persons(len(points))
    own.add(points[:, None], np.zeros(len(points), np.int8), np.ones(len(points), np.int64))
    return own.release(randomness).output  # type: ignore[return-value]


@pytest.mark.parametrize("source", [Simulation, lambda seed: Secure()])
def test_where_a_person_stands_is_unknown_to_learners_that_part_records_by_place(source) -> None:  # type: ignore[no-untyped-def]
    """A replaced person whose rows stand elsewhere would move all records between, and so every part of a vote."""
    first = np.array([in_order(np.array([3.0, 1.0, 2.0, 0.0]), source(seed))[0] for seed in range(2000)])
    assert np.abs(np.bincount(first.astype(int), minlength=4) / 2000 - 0.25).max() < 4.5 * np.sqrt(0.1875 / 2000)


def test_the_order_of_rows_does_not_reach_a_learner_of_records() -> None:
    points = np.array([3.0, 1.0, 2.0, 0.0])
    assert in_order(points, Simulation(7)) == in_order(points[::-1], Simulation(7))
