"""Least absolute deviations on the ball: closed forms, a slow negative control, and the certificate."""

import numpy as np
import pytest
import scipy

from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation.absolute import certified, least_absolute


def objective(x: np.ndarray, y: np.ndarray, matrix: np.ndarray, w: np.ndarray) -> float:
    return float(np.abs(x @ w - y).sum() / 2 + w @ matrix @ w)


@pytest.mark.parametrize("eta", [0.25, 1.0, 4.0, 100.0])
def test_one_record_in_closed_form(eta: float) -> None:
    """|w - 1| / 2 + eta w^2 is least at min(1, 1 / (4 eta))."""
    x = np.array([[1.0], [0.0], [0.0]])
    computed_least_absolute = least_absolute(x, np.array([1.0, 0.0, 0.0]), Spectrum.of([[1.0]]), eta, 1e-12)
    assert computed_least_absolute == pytest.approx([min(1.0, 1 / (4 * eta))], abs=2 * np.sqrt(1e-12 / eta))


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("n", [0, 1, 7, 200])
@pytest.mark.parametrize("rank", ["full", "one"])
def test_no_other_function_has_a_smaller_objective(p: int, n: int, rank: str) -> None:
    """Beside a solver that knows constraints, random functions, and the same ones by the certificate."""
    generator = np.random.default_rng(10 * n + p)
    x, z = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (generator.normal(size=(k, p)) for k in (n, 9)))
    z = z if rank == "full" else z[:1]
    gap = 2.0**-33 * max(n, 1)
    for eta, y in ((0.5, generator.uniform(-1, 1, n)), (20.0, np.sign(generator.normal(size=n)))):
        spectrum = Spectrum.of(z.T @ z / len(z))
        matrix = eta * z.T @ z / len(z)
        w = least_absolute(x, y, spectrum, eta, gap)
        assert np.linalg.norm(w) <= 1
        own_objective = objective(x, y, matrix, w)
        drawn = generator.normal(size=(200, p)) * generator.uniform(0, 0.5, (200, 1))
        for v in drawn / np.maximum(1.0, np.linalg.norm(drawn, axis=1, keepdims=True)):
            assert own_objective <= objective(x, y, matrix, v) + gap
            assert own_objective <= objective(x, y, matrix, w + 1e-3 * v) + gap or np.linalg.norm(w + 1e-3 * v) > 1
        slow = scipy.optimize.minimize(
            lambda v, y=y, matrix=matrix: objective(x, y, matrix, v / max(1.0, np.linalg.norm(v))), w, method="Powell"
        )
        assert own_objective <= slow.fun + gap


@pytest.mark.parametrize("scale", [1.0, 1e-3], ids=["inside", "on the sphere"])
def test_the_certificate_is_not_below_the_gap(scale: float) -> None:
    """For any w and any slopes it is the gap to the least that these slopes prove; 0 at the minimiser with its own."""
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(30, 2)) / 3, generator.uniform(-1, 1, 30)
    matrix = scale * np.diag([3.0, 0.5])
    spectrum = Spectrum.of(matrix)
    best = objective(x, y, matrix, least_absolute(x, y, spectrum, 1.0, 1e-10))
    for _ in range(50):
        w, slopes = generator.uniform(-0.7, 0.7, 2), generator.uniform(-1, 1, 30)
        certified_answer, own_objective = certified(x, y, spectrum, w, slopes), objective(x, y, matrix, w)
        assert certified_answer >= own_objective - best - 1e-9
        v = minimisers(spectrum, -(x.T @ slopes) / 4)
        assert certified_answer == pytest.approx(
            own_objective - float(slopes @ (x @ v - y) / 2 + v @ matrix @ v), abs=1e-9
        )
    flat = np.zeros((1, 2))
    assert certified(flat, np.zeros(1), spectrum, np.zeros(2), np.zeros(1)) == 0
    with pytest.raises(ArithmeticError, match="keeps the gap above -1"):
        least_absolute(x, y, spectrum, 1.0, -1.0)
