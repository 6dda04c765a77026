"""Units of persons enter the noise of every query method: a replaced person costs what a replaced record costs."""

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.core.persons import Persons, shares
from semipriv.core.randomness import Simulation
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods import pmw
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.noisy_cells import NoisyCells
from semipriv.queries.methods.prior import Prior
from semipriv.queries.methods.public_prior_tree import PublicPriorTree
from semipriv.queries.methods.tree import DyadicTree
from semipriv.queries.methods.two_level_tree import TwoLevelTree
from semipriv.queries.workloads import Runs

CELLS = 5
WORKLOAD = Runs(CELLS, np.zeros(CELLS - 1, np.int64), np.arange(1, CELLS))
METHODS = [
    ConsistentTree(),
    Gaussian(isotonic=True),
    MWEM(rounds=3),
    NoisyCells(),
    pmw.PMW(0.5),
    Prior(),
    PublicPriorTree(),
    DyadicTree(),
    TwoLevelTree(isotonic=True),
]
BUDGET = Guarantee(1.0, 1e-6)
BAG = st.lists(st.integers(0, CELLS - 1), min_size=1, max_size=3)
Asked = list[tuple[Any, np.ndarray]]


@contextlib.contextmanager
def forced(seed: int) -> Iterator[Asked]:
    """Note what enters each mechanism, which answers by numbers that depend on the seed alone."""
    asked: Asked = []
    answers = np.random.default_rng(seed)
    first_above = pmw._first_above

    def add(self: Any, values: np.ndarray, randomness: Any) -> np.ndarray:
        asked.append((self, np.array(values)))
        return answers.integers(0, 1000, len(values))

    def sample(self: Any, scores: np.ndarray, randomness: Any, size: int | None = None) -> int:
        asked.append((self, np.array(scores)))
        return int(answers.integers(len(scores)))

    def drawn(self: Any, randomness: Any, size: int | None = None) -> Any:
        asked.append((self, np.zeros(1, np.int64)))
        return 0 if size is None else np.zeros(size, np.int64)

    def above(exact: Any, shares: Any, noise: Any, threshold: int, total: int, start: int, out: Any) -> int:
        first_above(exact, shares, noise * 0, 1 << 60, total, start, out)  # writes all shares
        asked.append((("threshold", threshold, total), exact - np.rint(total * out).astype(np.int64)))
        return int(answers.integers(start, len(exact) + 1))

    with (
        patch.object(DiscreteNoise, "add", add),
        patch.object(DiscreteNoise, "sample", drawn),
        patch.object(SelectionMechanism, "sample", sample),
        patch.object(pmw, "_first_above", above),
    ):
        yield asked


def counted(bags: list[list[int]], units: int) -> np.ndarray:
    cells = np.concatenate(bags)
    persons = Persons.of(str(i) for i, bag in enumerate(bags) for _ in bag)
    return np.bincount(cells, shares(persons, cells[:, None], units, "key"), CELLS).astype(np.int64)


def transcript(method: Any, bags: list[list[int]], units: int, seed: int) -> tuple[Asked, Any]:
    with forced(seed) as asked:
        fitted = method.fit(WORKLOAD, counted(bags, units), BUDGET, Simulation(seed), units)
    return asked, fitted


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
@settings(deadline=None, max_examples=25)
@given(
    others=st.lists(BAG, max_size=3), one=BAG, other=BAG, units=st.sampled_from([1, 2, 3, 64]), seed=st.integers(0, 9)
)
def test_what_a_replaced_person_moves_is_what_noise_hides(
    method: Any, others: list[list[int]], one: list[int], other: list[int], units: int, seed: int
) -> None:
    """Outputs differ by nothing but what mechanisms were asked; and that, per unit, by what one row moves at most."""
    (asked, here), (again, there) = (transcript(method, [*others, bag], units, seed) for bag in (one, other))
    plain, _ = transcript(method, [[0]] * (len(others) + 1), 1, seed)
    assert np.array_equal(here.answers, there.answers), "all that is private enters a mechanism"
    assert here.cost == there.cost
    assert len(asked) == len(again) == len(plain)
    moved: dict[str, int] = {}
    for (mechanism, a), (same, b), (of_rows, _) in zip(asked, again, plain, strict=True):
        assert repr(mechanism) == repr(same)
        if isinstance(mechanism, SelectionMechanism):
            assert mechanism.sensitivity == units * Fraction(of_rows.sensitivity)
            assert np.abs(a - b).max() <= units
        elif isinstance(mechanism, DiscreteNoise):
            assert mechanism == of_rows.per(units), "noise W times as wide"
            moved["l1"] = moved.get("l1", 0) + int(np.abs(a - b).sum())
            assert np.abs(a - b).max() <= units
        else:
            assert np.abs(a - b).max() <= units
    limit = {"Gaussian": CELLS - 1, "MWEM": 3, "NoisyCells": 2, "PMW": len(asked)}
    tree = getattr(method, "tree", None)
    most = limit.get(type(method).__name__, 2 * tree(CELLS).levels if tree else 0)
    assert moved.get("l1", 0) <= most * units


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_answers_are_those_of_as_many_rows_as_persons(method: Any) -> None:
    """400,000 persons of one cell each, in 4 units: errors of the size that 400,000 rows have."""
    counts = np.array([150_000, 10_000, 90_000, 50_000, 100_000])
    budget = Guarantee(1.0, 1e-6)
    rows, persons = (method.fit(WORKLOAD, counts * w, budget, Simulation(1), w) for w in (1, 4))
    assert np.abs(persons.answers - rows.answers).max() < 0.02
    assert persons.cost.keys() == rows.cost.keys()
    assert persons.cost.get("noise", 0.0) == pytest.approx(rows.cost.get("noise", 0.0), rel=0.01)
