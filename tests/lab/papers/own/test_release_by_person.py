"""All releasable learners by person: a replaced person moves what enters each mechanism by as much as it hides.

Two tables differ in one person, who has any one to three rows in each, and in the order of all rows.  Mechanisms
answer by numbers that depend on a seed alone (``papers.own.transcripts``).  Then outputs must be equal, and what the
mechanisms were asked may cost at most the guarantee.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.persons import Persons, shares
from semipriv.core.randomness import Simulation
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.releasable import check_releasable
from semipriv.practice.sums import by_person
from semipriv.practice.sums.by_person import release_by_person
from semipriv.practice.sums.counts import CellCounts
from semipriv.practice.sums.records import Rows
from semipriv.practice.sums.tallies import statistic
from semipriv.privacy.guarantee import Neighbours
from semipriv_lab.papers.own.studies.privacy import DIMENSION, LABELS, SIZES, case
from semipriv_lab.papers.own.transcripts import forced, is_pure, loss_of, spent

KINDS = {
    "public_metric_discriminant": "two labels",
    "public_model_discriminant": "two labels",
    "public_metric_multiclass": "several labels",
    "public_model_multiclass": "several labels",
    "public_gram_regression": "response",
    "public_ridge_regression": "response",
}
"""Learners whose sums are adaptive, and what their rows are."""
TABLES: dict[str, Callable[[float, float], Any]] = {
    "table": TableRelease,
    "public rows": lambda epsilon, delta: PublicRowsRelease(epsilon, delta or 1e-6, rounds=2),
}
OTHER_PROOF = {
    "fixed_grid": "one selection by mistakes",
    "log_grid": "one selection by mistakes",
    "sspp": "one selection by mistakes",
    "sspp_with_grid": "one selection by mistakes",
    "grid_query_release": "a method on counts",
    "query_release": "a method on counts",
    "active_subsampling": "one row",
    "all_concepts": "one row",
    "every_threshold": "one row",
    "pattern_vote": "one row",
    "pooled": "one row",
    "public_data_reduction": "one row",
    "rrspm": "one row",
    "query_release_learner": "one row",
    "generic_learner": "refused",
    "label_boost": "refused",
    "learn_half": "refused",
}
"""Learners that the transcripts here do not see: what is known of them, tested below."""
PERSONS = 40
CORNERS = [(1.0, 0.0), (60.0, 0.0), (3.0, 1e-6)]


def learners() -> dict[str, Any]:
    """Return an example of each learner that may be released."""
    makers_by_kind = {}
    for name in registry.names("learners"):
        for actual_example in registry.load("learners", name).examples():
            try:
                check_releasable(name, actual_example)
            except ValueError:
                continue
            makers_by_kind.setdefault(name, actual_example)
    return makers_by_kind


def test_every_releasable_learner_is_audited_or_named_here() -> None:
    assert set(KINDS) | set(OTHER_PROOF) == set(learners())


def rows_of(kind: str, coins: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    if kind not in ("two labels", "several labels", "response"):
        return coins.integers(0, SIZES, (size, len(SIZES))).astype(np.float64), np.zeros(size, np.int8)
    far = coins.choice([1.0, 1e3, 1e300], (size, 1))
    points = np.clip(coins.normal(size=(size, DIMENSION)) * far, -1e300, 1e300)
    if kind == "response":
        return points, coins.choice([-1.0, -0.25, 0.5, 1.0, 7.0], size)
    return points, coins.integers(0, 2 if kind == "two labels" else LABELS, size).astype(np.int8)


def table_of(kind: str, seed: int, changed: int) -> tuple[np.ndarray, np.ndarray, Persons]:
    """Return persons with one to three rows; those of the first person, and the order, follow from ``changed``."""
    parts, names = [], list[str]()
    for person in range(PERSONS):
        coins = np.random.default_rng([seed, person, changed if person == 0 else 0])
        size = int(coins.integers(1, 4))
        parts.append(rows_of(kind, coins, size))
        names += [f"{person}"] * size
    points, labels = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.random.default_rng([seed, changed]).permutation(len(names))
    return points[order], labels[order], Persons.of(names[i] for i in order)


def transcript(learner: Any, prepared: Any, table: Any, rows: str, seed: int) -> Any:
    with forced(seed) as asked:
        released = release_by_person(learner, prepared, *table, Simulation(5), rows)
    return asked, released


def losses(kind: str, make: Callable[[float, float], Any], epsilon: float, delta: float, rows: str) -> float:
    """Return the largest loss over epsilon; raise AssertionError if outputs differ by more than what was asked."""
    transcript_case = case("table" if kind in TABLES else kind, make)
    learner, worst = make(epsilon, delta), 0.0
    for seed in range(2):
        tables = [table_of(kind, seed, changed) for changed in range(4)]
        computed_transcripts = [transcript(learner, transcript_case.prepared, table, rows, seed) for table in tables]
        arrays = [[a.tobytes() for a in released.output.arrays().values()] for _, released in computed_transcripts]
        assert all(same == arrays[0] for same in arrays), "the release depends on rows by what is asked alone"
        assert computed_transcripts[0][1].guarantee.neighbours is Neighbours.REPLACE_PERSON
        for (a, _), (b, _) in itertools.combinations(computed_transcripts, 2):
            pure = is_pure(a)
            loss = float(spent(a, b, True)) if pure else loss_of(a, b, learner.guarantee.delta)
            worst = max(worst, loss / epsilon)
    return worst


def makers() -> dict[str, tuple[str, Callable[[float, float], Any]]]:
    def by_name(name: str) -> Callable[[float, float], Any]:
        kind = registry.load("learners", name)
        return lambda epsilon, delta: kind(epsilon, *[delta] * ("delta" in kind.__annotations__))

    return {name: (kind, by_name(name)) for name, kind in KINDS.items()} | {
        name: (name, make) for name, make in TABLES.items()
    }


@pytest.mark.parametrize("rows", ["average", "one"])
@pytest.mark.parametrize("name", makers())
def test_a_replaced_person_costs_at_most_epsilon(name: str, rows: str) -> None:
    kind, make = makers()[name]
    losses_at_corners = [losses(kind, make, epsilon, delta, rows) for epsilon, delta in CORNERS]
    assert max(losses_at_corners) <= 1 + 1e-9
    assert max(losses_at_corners) > 0.1, "some person moves something"


def broken(monkeypatch: pytest.MonkeyPatch, weigh: Callable[..., np.ndarray]) -> float:
    """Return the loss over epsilon of a discriminant where the units of rows are those of ``weigh``."""
    kind, make = makers()["public_metric_discriminant"]
    monkeypatch.setattr(by_person, "uneven", lambda persons, units: np.arange(len(persons.place)))
    monkeypatch.setattr(by_person, "shares_of", weigh)
    return losses(kind, make, 1.0, 0.0, "average")


def test_a_cap_of_rows_without_its_factor_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of up to three rows of a person has all units; noise is that of one row."""
    assert broken(monkeypatch, lambda persons, order, units, key: np.full(len(order), units)) > 1.5


def test_ranks_across_persons_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a person are ranked by their place in the whole table: another order of rows moves others' units."""

    def ranked(persons: Persons, order: np.ndarray, units: int, key: str) -> np.ndarray:
        return shares(persons, np.arange(len(order))[:, None], 1, key) * units

    assert broken(monkeypatch, ranked) > 1.5


def test_a_key_that_depends_on_the_table_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """All persons draw other rows if one of them changes."""

    def keyed(persons: Persons, order: np.ndarray, units: int, key: str) -> np.ndarray:
        return shares(persons, order, 1, str(int(order.sum()))) * units

    assert broken(monkeypatch, keyed) > 1.5


def test_the_exact_total_of_rows_is_caught() -> None:
    """A method that divides by the number of rows, in place of persons, tells that number."""
    learner = registry.load("learners", "query_release").examples()[0]
    prepared = learner.prepare([[0.0], [1.0], [2.0]], Thresholds())

    def asked(counts: list[int], units: int) -> bytes:
        with forced(3):
            sums = np.array(counts + [0] * (len(prepared.representatives) - len(counts)), np.int64)
            return learner.release_counts(prepared, sums, Simulation(1), units).output.shares.tobytes()

    assert asked([6_000, 0], 3) == asked([1_000, 5_000], 3), "2,000 persons of three units"
    assert asked([2_000, 0], 1) != asked([1_000, 3_000], 1), "2,000 rows, 4,000 rows"


@pytest.mark.parametrize("name", [name for name, why in OTHER_PROOF.items() if why == "one row"])
def test_one_row_of_a_person_is_a_map_to_a_table_of_rows(name: str) -> None:
    """Same coins: the statistic of persons hands on the rows that have the unit, and nothing else."""
    learner = learners()[name]
    coins = np.random.default_rng(1)
    names = np.repeat([str(i) for i in range(30)], coins.integers(1, 4, 30))
    points, labels = coins.integers(0, 4, (len(names), 1)).astype(np.float64), coins.integers(0, 2, len(names))
    persons = Persons.of(names)
    own = Rows(learner, None).of_persons(30)
    units = shares(persons, own.order(points, labels), own.units, "key")
    own.add(points, labels, units)
    own.flush()
    assert own.units == 1
    assert units.sum() == 30
    kept = own.arrays()
    assert np.array_equal(kept["points"], points[units == 1])
    assert np.array_equal(kept["labels"], labels[units == 1])
    with pytest.raises(ValueError, match="take one"):
        Rows(learner, None).of_persons(30, "average")


@pytest.mark.parametrize("name", [name for name, why in OTHER_PROOF.items() if why == "refused"])
def test_a_guarantee_of_other_neighbours_does_not_extend_to_persons(name: str) -> None:
    guarantee = learners()[name].guarantee
    assert guarantee.neighbours is not Neighbours.REPLACE_PRIVATE_EXAMPLE


def test_queries_count_units_by_cell() -> None:
    """Whose methods are audited in the tests of queries."""
    for name in ("query_release", "grid_query_release"):
        learner = learners()[name]
        prepared = learner.prepare([[0.0], [1.0], [2.0]], Thresholds())
        own = statistic(learner, prepared, 10).of_persons(10)
        assert isinstance(own, CellCounts)
        assert own.units > 1
