"""The nearest function, and the nearest mixture, to a target: conditions of optimality, brute force."""

import numpy as np
import pytest

from semipriv.geometry.ball import Spectrum
from semipriv.papers.bbd24.perturbation.perturb import mixture, nearest, on_ball


def test_on_ball_is_the_shortest_nearest_function() -> None:
    generator = np.random.default_rng(0)
    z = generator.uniform(-0.5, 0.5, (3, 5))  # fewer public points than features
    target = z @ np.array([0.3, -0.2, 0.1, 0.0, 0.4])
    w = on_ball(Spectrum.of(z.T @ z / 3), z, target)
    np.testing.assert_allclose(z @ w, target, atol=1e-12)
    np.testing.assert_allclose(w, np.linalg.pinv(z) @ target, atol=1e-12)
    far = on_ball(Spectrum.of(z.T @ z / 3), z, 100 * target)
    assert np.linalg.norm(far) == pytest.approx(1)


def test_nearest_is_the_first_of_the_nearest() -> None:
    values = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert nearest(values, [0.1, 0.8]) == 1
    assert nearest(values, [0.5, 0.5]) == 0


@pytest.mark.parametrize("n", [1, 2, 5, 60])
@pytest.mark.parametrize("scale", [0.0, 0.3, 30.0])
def test_mixture_meets_the_conditions_of_optimality(n: int, scale: float) -> None:
    """No function is nearer in the direction of the rest, and those that weigh are as near as the nearest."""
    generator = np.random.default_rng(n)
    for _ in range(5):
        values = generator.choice([-1.0, 1.0], (n, 8))
        target = values[: (n + 1) // 2].mean(axis=0) + scale * generator.standard_normal(8)
        weights, calls = mixture(values, target)
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert np.all(weights >= 0)
        scores = values @ (weights @ values - target)
        assert np.all(scores[weights > 0] <= scores.min() + 1e-9 * (1 + scale))
        assert 2 <= calls <= 4 * n + 8


def test_mixtures_reach_what_no_function_does() -> None:
    """Two functions that differ everywhere, and a target between them."""
    weights, calls = mixture(np.array([[1.0] * 4, [-1.0] * 4]), np.full(4, 0.5))
    np.testing.assert_allclose(weights, [0.75, 0.25])
    assert calls == 3
