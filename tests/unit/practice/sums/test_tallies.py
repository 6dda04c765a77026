"""Sums of parts equal those of the whole, and a release from sums is the learner's own on all rows."""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.classes.base import ListedTally
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.sums.counts import CellCounts, Cells, Mistakes
from semipriv.practice.sums.records import Count, Rows
from semipriv.practice.sums.tallies import statistic
from semipriv.queries.schema import Schema

N = 60
PUBLIC = np.random.default_rng(1)
SAMPLE = np.random.default_rng(2)
SPECIFICATIONS: dict[str, tuple[dict[str, Any], Any, type]] = {
    "halfspaces": ({"name": "sspp", "epsilon": 1}, Halfspaces(2), Mistakes),
    "thresholds": ({"name": "sspp", "epsilon": 1}, Thresholds(), Mistakes),
    "stumps": ({"name": "sspp", "epsilon": 0.5, "mechanism": "permute_and_flip"}, DecisionStumps(2), Mistakes),
    "intervals": ({"name": "sspp", "epsilon": 1}, Intervals(), Cells),
    "intervals upper": ({"name": "sspp", "epsilon": 1, "representative": "upper"}, Intervals(), Cells),
    "rectangles": ({"name": "sspp", "epsilon": 1}, Rectangles(2), Cells),
    "boxes": ({"name": "sspp", "epsilon": 1}, Rectangles(3), Mistakes),
    "discrete rectangles": ({"name": "sspp", "epsilon": 1}, DiscreteRectangles(2, 3), Cells),
    "grid": ({"name": "fixed_grid", "epsilon": 1, "low": 0, "high": 1, "size": 5}, Halfspaces(2), Mistakes),
    "queries": (
        {"name": "query_release", "epsilon": 1, "delta": 1e-6, "method": "gaussian"},
        Rectangles(2),
        CellCounts,
    ),
    "learn_half": (
        {"name": "learn_half", "epsilon": 1, "grid": {"low": [0, 0], "high": [1, 1]}, "privacy": "any"},
        Halfspaces(2),
        Rows,
    ),
    "discriminant": ({"name": "public_metric_discriminant", "epsilon": 8}, Halfspaces(2), Count),
    "model discriminant": ({"name": "public_model_discriminant", "epsilon": 8}, Halfspaces(2), Count),
    "rrspm": ({"name": "rrspm", "epsilon": 4, "weights": "discrete_laplace", "scale": "teaching"}, Thresholds(), Rows),
    "generic": (
        {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "net"}, "size": 2, "n_unlabelled": 1},
        DiscreteThresholds(3),
        Rows,
    ),
}
CASES = {
    name: (registry.build("learners", learner), h, kind)
    for name, (learner, h, kind) in SPECIFICATIONS.items()
    if learner["name"] in registry.names("learners")
}
"""Learner, class and kind of tally; without those of a paper that is not here."""


@lru_cache
def case(name: str) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """Learner, what it prepared, points with many ties, some equal to public ones, and labels."""
    learner, h, _ = CASES[name]
    high = 8 if name in ("generic", "discrete rectangles") else 1.0
    public, points = (np.floor(g.random((n, h.dimension)) * 8) * high / 8 for g, n in ((PUBLIC, 6), (SAMPLE, N)))
    labels = (SAMPLE.random(N) < 0.5).astype(np.int8)
    needs = learner.public_stage.needs_labels
    return learner, learner.prepare(public, h, [0, 1, 1, 0, 1, 0] if needs else None), points, labels


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=3, deadline=None)
@given(cuts=st.lists(st.integers(0, N), max_size=4), batch=st.sampled_from([1, 13, 1000]))
def test_parts_add_up_and_release_what_the_learner_does(name: str, cuts: list[int], batch: int) -> None:
    """With the same coins a release from merged sums is that of all rows."""
    learner, prepared, points, labels = case(name)
    parts = np.split(np.arange(N), sorted(cuts))
    again = [(points[part], labels[part], None) for part in parts]
    whole, merged = (statistic(learner, prepared, N, lambda: again) for _ in range(2))
    assert type(whole) is CASES[name][2]
    whole.add(points, labels)
    for part in parts:
        own = statistic(learner, prepared, N)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("semipriv.practice.sums.statistic.BATCH", batch)
            for rows in np.array_split(part, 3):
                own.add(points[rows], labels[rows])
        merged.restore(own.arrays())
    assert merged.whole(N)
    assert whole.whole(N)
    for key, array in whole.arrays().items():
        np.testing.assert_array_equal(merged.arrays()[key], array)
    sources = {"unlabelled": ListedEntries(points)} if learner.reads_unlabelled else {}
    released = merged.release(Simulation(7), **sources)
    expected = learner.release(prepared, points, labels, Simulation(7), **sources)
    for key, array in expected.output.arrays().items():
        np.testing.assert_array_equal(released.output.arrays()[key], array)
    assert (released.guarantee, released.cost) == (expected.guarantee, expected.cost)


@pytest.mark.parametrize("name", [name for name, (_, _, kind) in CASES.items() if kind in (Mistakes, Cells)])
def test_histograms_are_those_of_the_tally(name: str) -> None:
    learner, prepared, points, labels = case(name)
    own = statistic(learner, prepared, N)
    own.add(points, labels)
    own.flush()
    tallied = own.tally() if isinstance(own, Cells) else ListedTally(prepared, own.sums)
    for ours, theirs in zip(tallied.histogram(), prepared.tally(points, labels).histogram(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_marginals_of_a_table_add_up() -> None:
    schema = Schema({"sex": ["F", "M"], "region": 3, "age": range(10, 14)})
    learner = TableRelease(1.0, 1e-6)
    codes = np.column_stack([SAMPLE.integers(size, size=N) for size in schema.sizes])
    prepared = learner.prepare(schema.table(codes[:9]), schema)
    own = statistic(learner, prepared, N)
    for rows in np.array_split(np.arange(N), 4):
        part = statistic(learner, prepared, N)
        part.add(codes[rows].astype(np.float64), np.zeros(len(rows), np.int8))
        own.restore(part.arrays())
    output = own.release(Simulation(3)).output
    expected = learner.release(prepared, schema.table(codes), Simulation(3)).output
    np.testing.assert_array_equal(output.weights, expected.weights)


def test_a_cover_without_points_is_tallied() -> None:
    learner = registry.build("learners", {"name": "sspp", "epsilon": 1})
    prepared = learner.prepare(np.empty((0, 1)), Intervals())
    own = statistic(learner, prepared, 2)
    own.add(np.array([[0.1], [0.2]]), np.array([1, 0], np.int8))
    assert own.release(Simulation(1)).output.parameters.tolist() == [np.inf, -np.inf]


def test_the_limit_of_kept_rows_is_one_of_the_public_size() -> None:
    if "rrspm" not in CASES:
        pytest.skip("needs the paper BBD24, which is not here")
    learner, prepared, *_ = case("rrspm")
    with pytest.raises(ValueError, match="has 200,000,000 rows; RRSPM reads them one by one, at most 119,304,647"):
        statistic(learner, prepared, 200_000_000)


@pytest.mark.parametrize("error", [None, IndexError("0.77"), ZeroDivisionError("0.77")])
def test_no_message_holds_a_point(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
    learner, prepared, *_ = case("discrete rectangles")
    own = statistic(learner, prepared, 1)

    def fail(*_: object) -> None:
        assert error is not None
        raise error

    if error is not None:
        monkeypatch.setattr(own, "_sum", fail)
    own.add(np.array([[0.77, 1.0]]), np.array([1], np.int8))
    with pytest.raises(ValueError, match="one is outside of what is learned") as caught:
        own.flush()
    assert "0.77" not in str(caught.value)
    assert caught.value.__context__ is None
