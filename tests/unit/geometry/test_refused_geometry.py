"""What geometry refuses: the call, and the words of the error."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from semipriv.geometry.counting import weighted_counts
from semipriv.geometry.sweep import best_split
from semipriv.geometry.turning import best_halfspace

CUBE = np.array(list(product((0.0, 1.0), repeat=3)))
COUNTS = np.ones(4, np.int64)
DEGENERATE = {
    "cube": CUBE,
    "face": CUBE[:4],
    "one point": np.zeros((4, 3)),
    "duplicate": np.vstack([CUBE[:3], [[0.3, 0.7, 0.9], [0.3, 0.7, 0.9]]]),
    "line": np.arange(5.0)[:, None] * np.array([0.1, 0.3, 0.7]),
    "nearly a plane": np.vstack([CUBE[[0, 1, 2]], [[1e-15, 1.0, 1.0], [0.2, 0.5, 3.0]]]),
    "two short edges": np.array([[0.0, 0, 0], [1e-6, 0, 0], [0, 0, 1], [1e-6, 1e-12, 1], [0.7, 0.9, 0.3]]),
    "duplicate on the line": np.array([[0.0], [1.0], [1.0]]),
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weighted_counts(np.ones((2, 3)), np.ones(4), COUNTS), r"points: must have shape \(n, d\)"),
        (lambda: weighted_counts(np.ones((2, 1)), np.ones((4, 0)), COUNTS), r"points: must have shape \(n, d\)"),
        (lambda: weighted_counts(np.ones((2, 2)), np.ones((4, 2)), COUNTS), r"parameters: must have shape \(k, 3\)"),
        (lambda: weighted_counts(np.ones((2, 3)), np.ones((4, 2)), COUNTS[:3]), "weights: must be 4 integers"),
        (lambda: weighted_counts(np.ones((2, 3)), np.ones((4, 2)), np.ones(4)), "weights: must be 4 integers"),
        (lambda: best_split(np.zeros((3, 3)), np.zeros(3)), "must have shapes"),
        (lambda: best_split(np.zeros((1, 2)), np.zeros(2)), "must have shapes"),
        (lambda: best_split(np.zeros((2, 2)), np.zeros(2)), "distinct and sorted"),
        (lambda: best_split(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros(2)), "distinct and sorted"),
        (lambda: best_split(np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2)), "distinct and sorted"),
        (lambda: best_halfspace(np.zeros((3, 2)), np.zeros(2)), "must have shapes"),
        (lambda: best_halfspace(np.zeros((3, 0)), np.zeros(3)), "must have shapes"),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", DEGENERATE)
def test_points_not_in_general_position_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not in general position"):
        best_halfspace(DEGENERATE[name], np.ones(len(DEGENERATE[name])))
