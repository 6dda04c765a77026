"""Weighted numbers of points in halfspaces: against the plain evaluation, row by row and coordinate by coordinate."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.counting import weighted_counts


def values(theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """((w_1 x_1 + w_2 x_2) + ...) + b, (k, n): every operation rounded by itself."""
    with np.errstate(all="ignore"):
        total = theta[:, :1] * x[:, 0]
        for j in range(1, x.shape[1]):
            total = total + theta[:, j : j + 1] * x[:, j]
        return total + theta[:, -1:]


def counts(theta: np.ndarray, x: np.ndarray, weights: np.ndarray) -> list[int]:
    return [int(weights[row].sum()) for row in values(theta, x) >= 0]


def normal(rng, n, d):
    return rng.normal(size=(n, d))


def grid(rng, n, d):
    return rng.integers(-3, 4, (n, d)).astype(float)


def decimals(rng, n, d):
    return rng.integers(-20, 21, (n, d)) / 10


def equal(rng, n, d):
    return np.tile(rng.normal(size=d), (n, 1))


def collinear(rng, n, d):
    return rng.normal(size=d) + rng.normal(size=(n, 1)) * rng.normal(size=d)


def far(rng, n, d):
    return 1e6 + rng.normal(size=(n, d)) * 1e-6


def scales(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-300, 300, (n, d))


FAMILIES = [normal, grid, decimals, equal, collinear, far, scales]


def rows(rng, x: np.ndarray, k: int) -> np.ndarray:
    """Halfspaces anywhere, through a point up to rounding, along the axes, and trivial ones; each with its negative."""
    d = x.shape[1]
    w = np.concatenate([rng.normal(size=(k, d)), rng.integers(-2, 3, (k, d))])
    with np.errstate(over="ignore", invalid="ignore"):
        through = -values(np.column_stack([w, np.zeros(len(w))]), x[rng.integers(0, len(x), len(w))]).diagonal()
    through = np.nan_to_num(through)
    theta = np.concatenate(
        [
            np.column_stack([w, through]),
            np.column_stack([w, rng.normal(size=len(w))]),
            np.column_stack([w * 1e-170, through * 1e-170]),
            np.eye(d + 1),
            np.zeros((1, d + 1)),
        ]
    )
    both = np.concatenate([theta, -theta])
    return both[rng.permutation(len(both))]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_counts_are_those_of_the_plain_evaluation(family, d):
    for n in (1, 7, 64, 65, 1500):
        rng = np.random.default_rng([n, d])
        x = family(rng, n, d)
        theta, weights = rows(rng, x, 60), rng.integers(-5, 6, n)
        answer = weighted_counts(theta, x, weights)
        assert answer.dtype == np.int64
        assert answer.tolist() == counts(theta, x, weights), f"{n} points"


@pytest.mark.parametrize("d", [2, 3])
def test_fused_or_reordered_arithmetic_would_be_noticed(d):
    """On rows through points up to rounding, exact products or another order of the sum give other answers."""
    rng = np.random.default_rng(0)
    x = normal(rng, 1500, d)
    theta = rows(rng, x, 60)
    with np.errstate(over="ignore"):
        longer = values(theta.astype(np.longdouble), x.astype(np.longdouble)) >= 0
        swapped = theta[:, -1:] + theta[:, :1] * x[:, 0] + sum(theta[:, j : j + 1] * x[:, j] for j in range(1, d)) >= 0
    plain = values(theta, x) >= 0
    assert np.any(longer.sum(axis=1) != plain.sum(axis=1))
    assert np.any(swapped.sum(axis=1) != plain.sum(axis=1))


@pytest.mark.parametrize("representative", ["midpoint", "lower", "upper"])
@pytest.mark.parametrize("d", [1, 2])
def test_counts_of_a_cover_are_those_of_its_predictions(d, representative):
    rng = np.random.default_rng(1)
    halfspaces = Halfspaces(d)
    theta = halfspaces.cover(decimals(rng, 12, d), representative).parameters
    x, weights = np.concatenate([decimals(rng, 900, d), normal(rng, 900, d)]), rng.choice([-1, 1], 1800)
    assert weighted_counts(theta, x, weights).tolist() == (halfspaces.predict(theta, x) @ weights).tolist()


def test_infinite_sums_have_their_sign_and_undefined_ones_count_for_no_side():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(600, 2)) * 1e200
    x[::7] = 0
    special = np.array([0.0, 1.0, -1.0, 1e150, -1e150, np.inf, -np.inf, np.nan])
    theta = np.stack(np.meshgrid(special, special, special), axis=-1).reshape(-1, 3)
    weights = rng.integers(-5, 6, 600)
    assert np.isnan(values(theta[np.isfinite(theta).all(axis=1)], x)).any()
    assert weighted_counts(theta, x, weights).tolist() == counts(theta, x, weights)


def test_no_example_and_no_row():
    assert weighted_counts(np.ones((3, 3)), np.zeros((0, 2)), np.zeros(0, np.int64)).tolist() == [0, 0, 0]
    assert weighted_counts(np.ones((0, 3)), np.zeros((4, 2)), np.ones(4, np.int64)).tolist() == []


def test_arguments_are_left_alone():
    rng = np.random.default_rng(3)
    x, weights, theta = normal(rng, 500, 2), rng.integers(-5, 6, 500), rng.normal(size=(90, 3))
    copies = x.copy(), weights.copy(), theta.copy()
    weighted_counts(theta, np.asfortranarray(x), weights.astype(np.int8))
    for now, before in zip((x, weights, theta), copies, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.usefixtures("all_threads")
def test_results_do_not_depend_on_threads():
    rng = np.random.default_rng(4)
    x, weights, theta = normal(rng, 3000, 2), rng.integers(-5, 6, 3000), rng.normal(size=(700, 3))
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = weighted_counts(theta, x, weights)
    finally:
        numba.set_num_threads(threads)
    assert alone.tolist() == weighted_counts(theta, x, weights).tolist() == counts(theta, x, weights)


@pytest.mark.parametrize("order", ["sorted", "reversed", "organ pipe", "two values"])
def test_any_order_of_the_points(order):
    ramp = np.arange(20_000.0)
    along = {"sorted": ramp, "reversed": -ramp, "organ pipe": np.minimum(ramp, 20_000 - ramp), "two values": ramp % 2}
    x = np.column_stack([along[order], along[order] / 2])
    theta, weights = np.random.default_rng(5).normal(size=(200, 3)) * [1, 1, 1e4], np.ones(20_000, np.int64)
    assert weighted_counts(theta, x, weights).tolist() == counts(theta, x, weights)


NUMBERS = st.integers(-3, 3).map(float) | st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            st.lists(st.tuples(*[NUMBERS] * d), min_size=1, max_size=12),
            st.lists(st.tuples(*[NUMBERS] * (d + 1)), min_size=1, max_size=6),
        )
    )
)
def test_any_floats(case):
    x, theta = np.tile(np.array(case[0]), (20, 1)), np.tile(np.array(case[1]), (6, 1))
    weights = np.arange(len(x))
    assert weighted_counts(theta, x, weights).tolist() == counts(theta, x, weights)
