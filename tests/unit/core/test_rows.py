"""Distinct rows of tables of every shape."""

import itertools

import numpy as np
import pytest

from semipriv.core.rows import distinct_rows


@pytest.mark.parametrize("kind", [float, np.int64, np.int8])
def test_distinct_rows_are_those_of_sets_and_sorting(kind: type) -> None:
    """No row, no column, ties in the first columns."""
    for n, width in itertools.product((0, 1, 7, 40), range(4)):
        given = np.random.default_rng(n).integers(-1, 2, (n, width)).astype(kind)
        rows, place, counts = distinct_rows(given)
        every = list(map(tuple, given.tolist()))
        assert list(map(tuple, rows.tolist())) == sorted(set(every))
        assert rows.shape == (len(counts), width)
        assert rows.dtype == given.dtype
        assert [tuple(row) for row in rows[place].tolist()] == every
        assert counts.tolist() == [every.count(tuple(row)) for row in rows.tolist()]


def test_rows_are_sorted_as_numbers_and_zeros_are_one() -> None:
    rows, place, counts = distinct_rows(np.array([[0.0, 10.0], [-0.0, 9.0], [-1e300, np.inf], [-0.0, 10.0]]))
    assert rows.tolist() == [[-1e300, np.inf], [0.0, 9.0], [0.0, 10.0]]
    assert (place.tolist(), counts.tolist()) == ([2, 1, 0, 2], [1, 1, 2])
