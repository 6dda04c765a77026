"""Least squares on the ball: the minimiser, and the noise of its private sums."""

import math
from fractions import Fraction

import numpy as np
import pytest

from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.randomness import Simulation
from semipriv.learners import sufficient_statistics
from semipriv.learners.least_squares_ball import LeastSquaresBall
from semipriv.learners.public_least_squares import PublicLeastSquares
from semipriv.learners.sufficient_statistics import SENSITIVITY, SufficientStatistics
from semipriv.privacy.gaussian import gaussian_delta


def fit(learner, x, y, seed: int = 1) -> np.ndarray:
    h = LinearBall(x.shape[1])
    return learner.release(learner.prepare([], h), x, y, Simulation(seed)).output.parameters[0]


def statistics(x: np.ndarray, y: float) -> np.ndarray:
    """x y and the upper triangle of x x^T, whose entries off the diagonal count sqrt(2) times."""
    gram = np.outer(x, x) * np.where(np.eye(len(x)), 1.0, math.sqrt(2))
    return np.concatenate([x * y, gram[np.triu_indices(len(x))]])


@pytest.mark.parametrize("ridge", [0.0, 3.0])
@pytest.mark.parametrize("scale", [0.2, 1.0])
def test_no_function_of_the_ball_has_a_smaller_objective(ridge: float, scale: float) -> None:
    """Inside the ball the normal equations hold, on its rim the gradient points out of it."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(40, 3))
    x *= scale / np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ [0.9, -0.9, 0.5] + 0.1 * generator.normal(size=40), -1, 1)
    w = fit(LeastSquaresBall(ridge), x, y)
    gradient = x.T @ (x @ w - y) + ridge * w
    if np.linalg.norm(w) < 1 - 1e-9:
        np.testing.assert_allclose(gradient, 0, atol=1e-9)
    else:
        assert np.linalg.norm(w) == pytest.approx(1)
        assert w @ gradient < 0
        np.testing.assert_allclose(gradient, (w @ gradient) * w, atol=1e-8)


def test_sensitivity_is_attained_and_never_exceeded() -> None:
    """At 60 degrees between the points, with responses 1 and -1; random pairs and their neighbourhood stay below."""
    x, other = np.array([1.0, 0.0]), np.array([0.5, math.sqrt(3) / 2])
    worst = np.linalg.norm(statistics(x, 1.0) - statistics(other, -1.0))
    assert worst == pytest.approx(3 / math.sqrt(2), abs=1e-12)
    assert worst <= SENSITIVITY <= worst * (1 + 1e-8)
    assert Fraction(SENSITIVITY) ** 2 >= Fraction(9, 2)
    generator = np.random.default_rng(1)
    for d in (1, 2, 4):
        points = LinearBall(d).clipped(2 * generator.normal(size=(3_000, 2, d)).reshape(-1, d)).reshape(-1, 2, d)
        for (a, b), (y, z) in zip(points, generator.choice([-1.0, 1.0, 0.3], (3_000, 2)), strict=True):
            assert np.linalg.norm(statistics(a, y) - statistics(b, z)) <= SENSITIVITY


def test_noise_is_the_least_for_its_guarantee() -> None:
    learner = SufficientStatistics(0.7, 1e-6)
    assert (
        gaussian_delta(learner.sigma, 0.7, SENSITIVITY)
        <= 1e-6
        < gaussian_delta(0.999 * learner.sigma, 0.7, SENSITIVITY)
    )


def test_the_output_is_a_function_of_the_noisy_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums with noise of the stated distribution on each coordinate; without noise it is least squares."""
    generator = np.random.default_rng(3)
    x = LinearBall(3).clipped(generator.normal(size=(500, 3)))
    y = np.clip(x @ [0.3, -0.2, 0.1], -1, 1)
    drawn = []

    class Fixed:
        def __init__(self, sigma: float) -> None:
            self.sigma = sigma

        def sample(self, randomness: Simulation, size: int) -> np.ndarray:
            drawn.append((self.sigma, size))
            return np.zeros(size)

    learner = SufficientStatistics(1.0, 1e-5, 0.0)
    noisy = fit(learner, x, y)
    monkeypatch.setattr(sufficient_statistics, "Gaussian", Fixed)
    np.testing.assert_allclose(fit(learner, x, y), fit(LeastSquaresBall(), x, y), atol=1e-12)
    assert drawn == [(learner.sigma, 9)]
    assert np.linalg.norm(noisy - fit(learner, x, y)) > 1e-3
    triangle = np.arange(1.0, 7.0)
    matrix = sufficient_statistics._symmetric(triangle, 3)
    np.testing.assert_allclose(np.diag(matrix), triangle[[0, 3, 5]])
    np.testing.assert_allclose(matrix[np.triu_indices(3, 1)] * math.sqrt(2), triangle[[1, 2, 4]])
    np.testing.assert_array_equal(matrix, matrix.T)


def test_public_least_squares_look_at_public_examples_alone() -> None:
    """The minimiser of clipped public responses; private records change nothing."""
    generator = np.random.default_rng(5)
    x = LinearBall(3).clipped(generator.normal(size=(40, 3)))
    y = x @ [0.3, -0.2, 0.1] + np.where(np.arange(40) % 4, 0.1, 5.0)
    learner = PublicLeastSquares()
    prepared = learner.prepare(x, LinearBall(3), y)
    actual_parameters = [learner.release(prepared, x[:k], -y[:k], Simulation(k)).output.parameters[0] for k in (0, 5)]
    np.testing.assert_array_equal(*actual_parameters)
    np.testing.assert_allclose(actual_parameters[0], fit(LeastSquaresBall(), x, np.clip(y, -1, 1)), atol=1e-12)
