"""Rows that are written: their marginals are nearer those of the weights than of systematic rows, exactly counted."""

import tracemalloc

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.outputs._swapping import swapped
from semipriv.learners.outputs.base import described, restored
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.queries.schema import Schema


def places_of(seed: int, rows: int = 3_000, marginals: int = 15, cells: int = 20) -> tuple[np.ndarray, np.ndarray, int]:
    """Weights of rows, some 0, and a cell of each row in each marginal."""
    generator = default_rng(seed)
    weights = generator.dirichlet(np.full(rows, 0.3)) * (np.arange(rows) % 10 < 9)
    index = generator.integers(cells, size=(rows, marginals)) + cells * np.arange(marginals)
    return weights / weights.sum(), index.astype(np.int32), cells * marginals


def away(places: np.ndarray, weights: np.ndarray, index: np.ndarray, cells: int) -> float:
    """Root of the sum over cells of the squared number of rows too many."""
    fitted = np.bincount(index.ravel(), np.repeat(weights, index.shape[1]), cells)
    written = np.bincount(index[places].ravel(), minlength=cells)
    return float(np.linalg.norm(written - len(places) * fitted))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [200, 2_000, 20_000])
def test_cells_of_marginals_are_right_within_about_a_row(seed: int, size: int) -> None:
    weights, index, cells = places_of(seed)
    places = swapped(weights, index, cells, size)
    assert len(places) == size
    assert np.all(weights[places] > 0)
    before, after = (away(places_drawn, weights, index, cells) for places_drawn in (systematic(weights, size), places))
    assert after < before / 2
    assert after / np.sqrt(cells) < 1.5, "rows too many in a cell, in the root mean square"
    swapped(weights, index, cells, 1)  # the last answer is kept
    assert np.array_equal(places, swapped(weights, index, cells, size)), "a function of what it is given"


def test_memory_does_not_grow_with_rows_times_marginals() -> None:
    """It held the cells of all rows in all marginals: 4.6 GB of 300,000 rows in 1,225 of them."""
    weights, index, cells = places_of(0, rows=100, marginals=400)
    swapped(weights, index, cells, 1)
    tracemalloc.start()
    swapped(weights, index, cells, 100_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 * 100_000 + index.nbytes


def test_it_never_is_further_away_and_ends_in_a_corner() -> None:
    for seed in range(30):
        weights, index, cells = places_of(seed, rows=1 + seed % 4, marginals=seed % 3, cells=2)
        for size in (1, 2, 7):
            places = swapped(weights, index, cells, size)
            assert away(places, weights, index, cells) <= away(systematic(weights, size), weights, index, cells) + 1e-9


def test_rows_that_come_back_from_a_description_are_swapped_as_before() -> None:
    weights, _, _ = places_of(0, rows=240)
    schema = Schema({"a": 12, "b": 20})
    rows = np.array(list(np.ndindex(12, 20)))
    counts = {"values": np.zeros(32, np.int64), "scales": np.ones(2), "origins": np.zeros(240, np.int8)}
    new = GrownRows(schema, rows, weights, weights, np.array([[0], [1]]), **counts, n=9, kappa=1.0)
    places = new.places(50)
    new.places(1)  # the last answer is kept
    assert np.array_equal(restored(described(new), new.arrays()).places(50), places)
    assert not np.array_equal(np.sort(new.places(50)), systematic(weights, 50))


def test_no_more_is_worked_than_allowed(monkeypatch) -> None:
    """Of too many rows none is swapped: what is rounded is little then."""
    from semipriv.learners.outputs import _swapping as module

    weights, index, cells = places_of(0)
    monkeypatch.setattr(module, "_WORK", 10)
    assert np.array_equal(np.sort(swapped(weights, index, cells, 500)), systematic(weights, 500))
