"""Halfspaces of clipped features: predictions by the formula, mistakes by predictions."""

import numpy as np
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.learners.outputs.base import described, restored

FUNCTIONS = ClippedHalfspaces((1.0, -2.0, 0.0), (0.5, 3.0, 1e-3))


def says(p: list[float], x: list[float]) -> bool:
    total = 0.0
    for weight, cell, centre, scale in zip(p, x, FUNCTIONS.centre, FUNCTIONS.scale, strict=False):
        total += weight * min(max((cell - centre) / scale, -4.0), 4.0)
    return total + p[-1] >= 0


def test_mistakes_are_those_of_the_predictions() -> None:
    """With ties, equal directions, single features, constants, and points on the boundary."""
    coins = np.random.default_rng(4)
    x = np.round(coins.normal(size=(300, 3)) * [1, 6, 1e-3], 1)
    y = (coins.random(300) < 0.4).astype(np.int8)
    some = coins.normal(size=(4, 3)).repeat(5, axis=0)
    theta = np.column_stack([some, coins.normal(size=20)])
    z = FUNCTIONS.standardised(x)
    stumps = np.array([[0, w, 0, -w * z[i, 1]] for i in range(10) for w in (1.0, -1.0)])
    theta = np.concatenate([theta, stumps, [[0, 0, 0, 1.0], [0, 0, 0, -1.0], [0, 0, 0, 0.0]]])
    predicted = np.array([[says(p, row) for row in x.tolist()] for p in theta.tolist()])
    assert np.array_equal(FUNCTIONS.predict(theta, x), predicted)
    assert np.array_equal(FUNCTIONS.mistakes(theta, x, y), (predicted != (y == 1)).sum(axis=1))
    assert np.array_equal(FUNCTIONS.mistakes_of_columns(theta, z.T, y), (predicted != (y == 1)).sum(axis=1))
    assert FUNCTIONS.mistakes(theta, x[:0], y[:0]).tolist() == [0] * len(theta)


def test_far_points_count_as_points_at_four_scales() -> None:
    far = FUNCTIONS.standardised([[1e308, -1e308, 0.001], [3.0, -2.0, -0.004]])
    assert far.tolist() == [[4.0, -4.0, 1.0], [4.0, 0.0, -4.0]]


def test_it_comes_back_from_its_description() -> None:
    hypothesis = Hypothesis(FUNCTIONS, np.array([1.0, -0.5, 0.0, 0.25]))
    again = restored(described(hypothesis), hypothesis.arrays())
    assert again.functions == FUNCTIONS
    assert again.predict([[1.2, 0.0, 0.0]]).tolist() == hypothesis.predict([[1.2, 0.0, 0.0]]).tolist()


@pytest.mark.parametrize(
    ("centre", "scale", "message"),
    [
        ((0.0,), (0.0,), r"scale\[0\] = 0.0: must be > 0"),
        ((0.0, 1.0), (1.0,), r"scale: has 1 feature\(s\), centre has 2"),
        ((), (), r"scale: has 0 feature\(s\), centre has 0"),
        ((float("nan"),), (1.0,), r"centre\[0\] = nan: must be"),
        (3.0, (1.0,), r"centre = 3.0: must be a list of numbers"),
    ],
)
def test_other_numbers_are_refused(centre: object, scale: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClippedHalfspaces(centre, scale)
