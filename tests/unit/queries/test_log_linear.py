"""The fit of weights to noisy cells: its dual, its bound, its minimum, and that it ends."""

import math

import numpy as np
import pytest
import scipy
from numpy.random import default_rng

from semipriv.queries.log_linear import Cells, Problem, fit, place_type


def problem(ridge: float, rows: int = 7) -> Problem:
    """Seven rows in two marginals of 3 and 3 cells, each cell with a ridge of its own."""
    generator = default_rng(8)
    first, second = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 2, 0, 1, 2, 0])
    places = np.column_stack([first, second]).astype(np.uint16)[:rows]
    values = np.array([0.1, 0.2, 0.5, 0.5, 0.6, -0.05])
    return Problem(
        Cells(places, np.array([0, 3, 6])), values, ridge * generator.uniform(0.5, 2, 6), generator.normal(size=rows)
    )


def dense(given: Problem) -> np.ndarray:
    a = np.zeros((given.cells.size, len(given.cells.places)))
    for i, places in enumerate(given.cells.places):
        a[given.cells.starts[:-1] + places, i] = 1
    return a


def test_products_are_those_of_the_matrix() -> None:
    given, generator = problem(0.3), default_rng(1)
    w, z = generator.random(7), generator.normal(size=6)
    assert given.cells.sums(w) == pytest.approx(dense(given) @ w)
    assert given.cells.along(z) == pytest.approx(dense(given).T @ z)


def test_marginals_of_more_cells_than_16_bits_hold() -> None:
    """Places of 32 bits: the same products."""
    given, generator = problem(0.3), default_rng(1)
    w, z = generator.random(7), generator.normal(size=6)
    assert place_type(2**16) is np.uint16
    wide = Cells(given.cells.places.astype(place_type(2**16 + 1)), given.cells.starts)
    assert wide.places.dtype == np.uint32
    assert np.array_equal(wide.sums(w), given.cells.sums(w))
    assert np.array_equal(wide.along(z), given.cells.along(z))


def test_the_gradient_is_that_of_the_dual_and_bounds_the_error() -> None:
    given, generator = problem(0.3), default_rng(9)
    best = fit(given, 1e-9)
    for _ in range(10):
        z = generator.normal(size=6)
        value, gradient, w, shares = given.at(z)
        steps = [(given.at(z + h)[0] - given.at(z - h)[0]) / 2e-5 for h in 1e-5 * np.eye(6)]
        assert gradient == pytest.approx(steps, abs=1e-8)
        assert shares == pytest.approx(dense(given) @ w)
        gap = given.primal(w) + value
        assert gap == pytest.approx((gradient**2 / given.ridge).sum() / 2), "the duality gap, known at every z"
        assert np.abs(w - best.weights).sum() <= given.error(gradient)
        assert given.error(gradient) ** 2 / 2 == pytest.approx(gap), "Pinsker: |w - w*|^2 / 2 <= gap"
    assert given.primal(best.weights) == pytest.approx(-given.at(best.dual)[0])


@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 0.3, 100.0])
def test_the_fit_is_the_minimum(ridge: float) -> None:
    given = problem(ridge)
    fitted = fit(given, 1e-7)
    assert fitted.error <= 1e-7
    assert fitted.weights.sum() == pytest.approx(1)

    def objective(y: np.ndarray) -> float:
        e = np.exp(y - y.max())
        return given.primal(e / e.sum())

    starts = [np.log(given.prior), np.zeros(7), np.log(fitted.weights + 1e-12)]
    tried = [scipy.optimize.minimize(objective, y, method="BFGS", options={"gtol": 1e-10}).x for y in starts]
    gaps = [objective(y) - given.primal(fitted.weights) for y in tried]
    assert min(gaps) >= -1e-8 * max(1, given.primal(fitted.weights)), "a search of another kind finds nothing less"
    if ridge > 1e-4:
        assert min(gaps) <= 1e-6, "and as little"
        y = tried[int(np.argmin(gaps))]
        w = np.exp(y - y.max())
        assert np.abs(fitted.weights - w / w.sum()).sum() <= math.sqrt(2 * max(min(gaps), 0.0)) + 1e-5, "Pinsker"
    if ridge == 100.0:
        assert fitted.weights == pytest.approx(given.prior, abs=0.02)


@pytest.mark.parametrize("noise", [1e-5, 1e-3, 0.05, 1e4])
def test_it_ends_and_says_how_far_it_came(noise: float) -> None:
    """Far from what any weights can be, with hardly any ridge, as with next to no noise; few products are spent."""
    generator = default_rng(2)
    sizes = (3, 4, 5, 2, 6)
    codes = np.column_stack([generator.integers(k, size=300) for k in sizes])
    pairs = [(i, j) for i in range(5) for j in range(i)]
    starts = np.cumsum([0, *(sizes[i] * sizes[j] for i, j in pairs)])
    places = np.column_stack([codes[:, i] * sizes[j] + codes[:, j] for i, j in pairs]).astype(np.uint16)
    assert len(np.unique(places + starts[:-1])) == starts[-1], "each cell holds a row"
    values = generator.dirichlet(np.ones(starts[-1])) * 10
    given = Problem(Cells(places, starts), values, np.full(starts[-1], 300 * noise**2), np.zeros(300))
    fitted = fit(given, 1e-3, most=400)
    assert fitted.products <= 400
    assert 0 <= fitted.error <= 2
    assert np.all(fitted.weights >= 0)
    if noise >= 0.05:
        assert fitted.error <= 1e-3
    before = np.abs(given.cells.sums(given.prior) - values).sum()
    assert np.abs(given.cells.sums(fitted.weights) - values).sum() <= before


def test_a_start_does_not_change_what_is_found() -> None:
    given = problem(0.01)
    first, other = fit(given, 1e-8), fit(given, 1e-8, default_rng(3).normal(size=6))
    assert np.abs(first.weights - other.weights).sum() <= 2e-8


@pytest.mark.parametrize("ridge", [1e-300, 1e-30, 1e-17, 1e-6])
def test_rounding_is_an_end(ridge: float) -> None:
    """Two rows that cannot be what is asked, and ridges at which no step of a float is small enough."""
    given = Problem(
        Cells(np.array([[0], [1]], np.uint16), np.array([0, 2])), np.array([0.2, 0.3]), np.full(2, ridge), np.zeros(2)
    )
    fitted = fit(given, 1e-3, most=10**6)
    assert fitted.products < 10**5
    assert fitted.weights.sum() == pytest.approx(1)
    if fitted.error <= 1e-3 or ridge == 1e-17:
        assert fitted.weights == pytest.approx([0.45, 0.55], abs=1e-3)


def test_one_row() -> None:
    given = problem(0.3, rows=1)
    fitted = fit(given, 1e-6)
    assert fitted.weights.tolist() == [1.0]


def test_a_fit_ends_where_rounding_is_all_that_is_left() -> None:
    """Marginals that contradict each other, and hardly a ridge: what is spent stays far below what may be."""
    places = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 2]], np.uint16)
    values = np.array([0.4, 0.6, 0.2, 0.8, 0.6, 0.2, 0.0])
    for ridge in (1e-13, 1e-24):
        fitted = fit(
            Problem(Cells(places, np.array([0, 2, 4, 7])), values, np.full(7, ridge), np.zeros(3)), 1e-3, None, 10**8
        )
        assert fitted.products < 10**5
        assert fitted.weights.sum() == pytest.approx(1)
