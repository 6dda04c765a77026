"""The public metric: against scikit-learn, and on points that have none."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.stages.public_metric import Metric, PublicMetric, shrunk_covariance


def prepared(points: np.ndarray) -> Metric:
    return PublicMetric().prepare(points, Halfspaces(points.shape[1]))


@pytest.mark.parametrize(("m", "d"), [(200, 5), (30, 30), (10, 40), (2, 3), (5, 1)])
def test_the_covariance_is_that_of_ledoit_and_wolf(m: int, d: int) -> None:
    coins = np.random.default_rng(m)
    rows = coins.normal(size=(m, d)) @ coins.normal(size=(d, d))
    assert np.allclose(shrunk_covariance(rows), ledoit_wolf(rows)[0], rtol=1e-9)


def test_coordinates_have_the_covariance_of_the_identity() -> None:
    """Of the shrunk covariance, exactly; of many points, nearly."""
    coins = np.random.default_rng(0)
    x = coins.normal(size=(20_000, 4)) @ coins.normal(size=(4, 4)) * [1e-6, 1.0, 1e9, 3.0] + [0, 5, -1e9, 0]
    prepared_stage = prepared(x)
    covariance = shrunk_covariance(prepared_stage.rows)
    assert np.allclose(prepared_stage.directions.T @ covariance @ prepared_stage.directions, np.eye(4), atol=1e-9)
    assert np.allclose(np.cov(prepared_stage.coordinates(prepared_stage.rows, 4)), np.eye(4), atol=0.05)
    assert np.all(np.diff(prepared_stage.variances) <= 0)
    assert np.allclose(
        prepared_stage.coordinates(prepared_stage.rows, 2), prepared_stage.coordinates(prepared_stage.rows, 4)[:2]
    )


def test_units_do_not_matter() -> None:
    """Shifts and scales of features, by powers of 2 so that nothing is rounded, change no coordinate."""
    x = np.random.default_rng(1).integers(-50, 50, (40, 3)).astype(float)
    prepared_stage, other = prepared(x), prepared(x * [2.0**300, 2.0**-300, -1.0])
    assert np.allclose(prepared_stage.rows * [1, 1, -1], other.rows)
    assert np.allclose(prepared_stage.variances, other.variances)


def test_constant_columns_have_no_part_in_axes() -> None:
    coins = np.random.default_rng(2)
    x = np.column_stack([coins.normal(size=30), np.full(30, 0.1), coins.normal(size=30)])
    prepared_stage = prepared(x)
    assert prepared_stage.axes.shape == (3, 2)
    assert not prepared_stage.axes[1].any()
    assert prepared_stage.functions.scale[1] == 1


@pytest.mark.parametrize(
    "points",
    [
        np.empty((0, 3)),
        np.array([[1.0, 2.0, 3.0]]),
        np.full((9, 3), 7.0),
        np.full((9, 3), 1e300),
        np.full((9, 3), 5e-324),
    ],
    ids=["none", "one", "copies", "huge copies", "tiny copies"],
)
def test_points_that_do_not_vary_have_no_axis(points: np.ndarray) -> None:
    prepared_stage = prepared(points)
    assert prepared_stage.variances.shape == (0,)
    assert prepared_stage.axes.shape == (3, 0)
    assert all(np.isfinite(array).all() for array in prepared_stage.arrays().values())


@pytest.mark.parametrize(
    "points",
    [
        np.array([[1e300, 0.0], [-1e300, 1.0], [1e300, 2.0]]),
        np.array([[1.7e308, 0.0], [-1.7e308, 1.0]]),
        np.array([[5e-324, 0.0], [0.0, 1.0], [1e-323, 5.0]]),
        np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]),
        np.arange(60.0).reshape(3, 20) ** 2,
    ],
    ids=["huge", "largest", "tiny", "collinear", "fewer rows than columns"],
)
def test_hard_points_give_finite_axes(points: np.ndarray) -> None:
    prepared_stage = prepared(points)
    assert len(prepared_stage.variances) >= 1
    assert all(np.isfinite(array).all() for array in prepared_stage.arrays().values())
    assert np.abs(prepared_stage.rows).max() <= 4


def test_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="the public metric is for halfspaces, the class is Thresholds"):
        PublicMetric().prepare([[0.0]], Thresholds())
