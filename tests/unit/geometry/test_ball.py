"""Least squares over the unit ball: the conditions of optimality, a slow negative control, singular matrices."""

import numpy as np
import pytest
import scipy

from semipriv.geometry.ball import Spectrum, minimisers


def slow(matrix: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One solve by bisection on the shift."""
    eye = np.eye(len(b))
    free = np.linalg.lstsq(matrix, b, rcond=None)[0]
    if np.allclose(matrix @ free, b, atol=1e-12) and np.linalg.norm(free) <= 1:
        return free

    def beyond(nu: float) -> float:
        return float(np.linalg.norm(np.linalg.solve(matrix + nu * eye, b)) - 1)

    nu = scipy.optimize.brentq(beyond, 1e-14, np.linalg.norm(b), xtol=1e-14)
    return np.linalg.solve(matrix + nu * eye, b)


@pytest.mark.parametrize("p", [1, 2, 7])
@pytest.mark.parametrize("scale", [1e-3, 0.3, 1.0, 50.0, 1e6])
def test_minimisers_are_those_of_a_slow_control(p: int, scale: float) -> None:
    generator = np.random.default_rng(p)
    x = generator.standard_normal((p + 3, p)) * np.logspace(0, -2, p)
    rows = scale * generator.standard_normal((40, p))
    minimised = minimisers(Spectrum.of(x.T @ x), rows)
    np.testing.assert_allclose(minimised, [slow(x.T @ x, b) for b in rows], atol=1e-9)


@pytest.mark.parametrize("rank", [0, 1, 3])
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "everywhere"])
def test_singular_matrices(rank: int, inside: bool) -> None:
    """The conditions A w + nu w = b, nu >= 0, nu = 0 inside; the shortest w if b is in the range of A."""
    generator = np.random.default_rng(rank)
    x = generator.standard_normal((rank, 5))
    a = x.T @ x
    rows = generator.standard_normal((30, 5)) * np.logspace(-2, 2, 30)[:, None]
    if inside:
        rows = rows @ a / 50
    w = minimisers(Spectrum.of(a), rows)
    assert np.all(np.linalg.norm(w, axis=1) <= 1 + 1e-15)
    slack = rows - w @ a
    nu = (slack * w).sum(axis=1)
    np.testing.assert_allclose(slack, nu[:, None] * w, atol=1e-10 * np.abs(rows).max())
    assert np.all(nu >= -1e-12)
    short = np.linalg.norm(w, axis=1) < 1 - 1e-9
    assert np.all(np.abs(nu[short]) < 1e-12)
    if inside:
        assert short.any() == (rank < 5)
        kernel = np.eye(5) - np.linalg.pinv(a) @ a
        np.testing.assert_allclose(w @ kernel, 0, atol=1e-12)


def test_one_linear_term_is_a_row_of_many() -> None:
    spectrum = Spectrum.of(np.diag([0.0, 2.0]))
    assert minimisers(spectrum, [0.0, 1.0]).tolist() == [0.0, 0.5]
    assert minimisers(spectrum, np.zeros((0, 2))).shape == (0, 2)
    assert minimisers(spectrum, [3.0, 0.0]).tolist() == [1.0, 0.0]


def test_rows_that_end_early_leave_the_others_alone() -> None:
    """Eigenvalues that are rounding, linear terms of the same size: Newton ends at different steps, or not at all."""
    generator = np.random.default_rng(4)
    values = np.array([0.0, 2e-16, 1.3])
    rows = generator.standard_normal((400, 3)) * [5e-10, 1e-10, 3.0]
    spectrum = Spectrum(values, np.eye(3))
    together = minimisers(spectrum, rows)
    np.testing.assert_array_equal(together, [minimisers(spectrum, b) for b in rows])
    slack = rows - values * together
    nu = (slack * together).sum(axis=1)
    np.testing.assert_allclose(slack, nu[:, None] * together, atol=1e-13)
