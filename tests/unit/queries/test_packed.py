"""Packed label vectors: the same workload as a list of rows, with opposite queries stored once."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.bits import packed
from semipriv.learners.stages.representative_domain import RepresentativeDomain
from semipriv.queries import cells
from semipriv.queries.packed import Packed
from semipriv.queries.workloads import Listed


def of(labels: np.ndarray) -> Packed:
    return Packed.of(packed(np.ascontiguousarray(labels.T)), len(labels))


def tables() -> dict[str, np.ndarray]:
    """Random rows; rows with their complements, some of which break the rule rarely or often; and small tables."""
    rng = np.random.default_rng(0)
    rows = rng.random((40, 1_003)) < 0.5
    rare, often = ~rows, ~rows
    rare[3, 1_002] = rows[3, 1_002]
    rare[5, [700, 900]] = rows[5, [700, 900]]
    often[:, 500:] = rows[:, 500:]
    shuffled = np.concatenate([rows, rare])[rng.permutation(80)]
    small = {f"{m} x {k}": rng.random((m, k)) < 0.5 for m, k in ((1, 1), (3, 7), (2, 8), (65, 17), (0, 5))}
    return {"random": rows, "rare": np.concatenate([rows, rare]), "often": np.concatenate([rows, often])} | {
        "shuffled": shuffled,
        "constant": np.repeat([[True], [False], [True]], 100, axis=1),
        **small,
    }


@pytest.mark.parametrize("name", tables())
def test_it_is_the_listed_workload(name: str) -> None:
    labels = tables()[name]
    work, listed = of(labels), Listed(labels)
    assert (work.size, work.cells) == labels.shape
    assert np.array_equal(work.matrix(), labels)
    rng = np.random.default_rng(1)
    counts, weights = rng.integers(0, 2**40, work.cells), rng.random(work.cells)
    assert np.array_equal(work.sums(counts), listed.sums(counts))
    assert work.sums(counts).dtype == np.int64
    np.testing.assert_allclose(work.sums(weights), listed.sums(weights), rtol=1e-12, atol=1e-10)


def test_opposite_queries_are_stored_once() -> None:
    computed_tables = tables()
    assert of(computed_tables["rare"]).bits.shape[1] == 40
    assert len(of(computed_tables["rare"]).cell) == 3
    assert of(computed_tables["shuffled"]).bits.shape[1] == 40
    assert of(computed_tables["often"]).bits.shape[1] == 80


def test_halfplanes_are_packed_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the queries are complements of others, except for the points on their lines; the answers are the same."""
    public = np.random.default_rng(2).normal(size=(12, 2))
    monkeypatch.setattr(cells, "MANY_LABELS", 0)
    prepared_stage = RepresentativeDomain().prepare(public, Halfspaces(2))
    work = prepared_stage.workload
    assert isinstance(work, Packed)
    assert work.bits.shape[1] == work.size // 2
    assert np.array_equal(
        work.matrix(), Halfspaces(2).predict(prepared_stage.cover.parameters, prepared_stage.representatives)
    )
