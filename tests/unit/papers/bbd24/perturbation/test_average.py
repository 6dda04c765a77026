"""Means of perturbed minimisers: closed forms, slow negative controls in the same distribution, and chunks."""

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation import average
from semipriv.papers.bbd24.perturbation.average import chosen, mean_on_ball, root

DRAWS = 20_000


@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (4, 4), (2, 0), (1, 5)])
def test_root_has_the_covariance_of_the_process(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(0).uniform(-1, 1, shape)
    computed_root = root(values)
    assert computed_root.shape == (shape[0], min(shape))
    np.testing.assert_allclose(computed_root @ computed_root.T, values @ values.T / max(shape[1], 1), atol=1e-14)


@pytest.mark.parametrize("eta", [0.5, 3.0])
def test_two_constants_are_chosen_by_one_normal(eta: float) -> None:
    """+1 wins if its loss is below the other's by 2 eta xi: chance Phi((l' - l) / (2 eta))."""
    values = np.array([[1.0] * 5, [-1.0] * 5])
    shares = chosen([2.0, 3.0], root(values), eta, DRAWS, np.random.default_rng(1))
    assert abs(shares[0] - norm.cdf(1 / (2 * eta))) < 4.5 * 0.5 / np.sqrt(DRAWS)
    assert shares.sum() == 1


@pytest.mark.parametrize("m", [2, 9])
def test_counts_are_those_of_one_normal_for_each_public_point(m: int) -> None:
    generator = np.random.default_rng(2)
    values, losses = generator.uniform(-1, 1, (5, m)), generator.uniform(0, 2, 5)
    slow = np.zeros(5)
    for xi in generator.standard_normal((DRAWS, m)):
        slow[np.argmin([loss + 2.0 * xi @ f / np.sqrt(m) for loss, f in zip(losses, values, strict=True)])] += 1
    computed_chosen = DRAWS * chosen(losses, root(values), 2.0, DRAWS, generator)
    both = np.array([slow, computed_chosen])[:, slow + computed_chosen > 40]
    expected = np.broadcast_to(both.mean(axis=0), both.shape)
    assert chisquare(both.ravel(), expected.ravel(), ddof=both.shape[1]).pvalue > 1e-6


def test_the_mean_on_the_ball_is_that_of_one_normal_for_each_public_point() -> None:
    generator = np.random.default_rng(3)
    x, z = generator.uniform(-1, 1, (30, 2)), generator.uniform(-1, 1, (6, 2))
    y, eta = generator.uniform(-1, 1, 30), 4.0
    spectrum, b = Spectrum.of(x.T @ x / 4), x.T @ y / 4
    slow = minimisers(spectrum, b - eta * generator.standard_normal((DRAWS, 6)) @ z / (2 * np.sqrt(6)))
    computed_mean_on_ball = mean_on_ball(spectrum, b, root(z.T), eta, DRAWS, generator)
    np.testing.assert_allclose(computed_mean_on_ball, slow.mean(axis=0), atol=4.5 * np.sqrt(2 / DRAWS))
    assert np.linalg.norm(slow.mean(axis=0)) > 0.1, "a wrong sign of b would be seen"


def test_the_minimisers_minimise_the_perturbed_sum_of_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the class of all points of a grid: no other w has a smaller sum."""
    generator = np.random.default_rng(4)
    x, z, y = generator.uniform(-0.7, 0.7, (9, 2)), generator.uniform(-0.7, 0.7, (4, 2)), generator.uniform(-1, 1, 9)
    drawn: list[np.ndarray] = []

    def kept(spectrum: Spectrum, linear: np.ndarray) -> np.ndarray:
        drawn.append(minimisers(spectrum, linear))
        return drawn[-1]

    monkeypatch.setattr(average, "minimisers", kept)
    normals = np.random.default_rng(5).standard_normal((20, 2))
    mean_on_ball(Spectrum.of(x.T @ x / 4), x.T @ y / 4, root(z.T), 3.0, 20, np.random.default_rng(5))
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 41)] * 2), axis=-1).reshape(-1, 2)
    grid = grid[np.linalg.norm(grid, axis=1) <= 1]
    for w, g in zip(drawn[0], normals, strict=True):
        every = np.vstack([w, grid])
        sums = ((every @ x.T - y) ** 2 / 4).sum(axis=1) + 3.0 * every @ (root(z.T) @ g)
        assert np.all(sums[0] <= sums + 1e-12)


def test_chunks_change_nothing_but_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(6).uniform(-1, 1, (4, 3))
    runs = []
    for size in (1 << 20, 20):
        monkeypatch.setattr(average, "_CHUNK", size)
        runs.append(chosen(np.zeros(4), root(values), 1.0, 1_000, np.random.default_rng(7)))
        runs.append(
            mean_on_ball(Spectrum.of(np.eye(3)), np.ones(3), root(values.T), 2.0, 1_000, np.random.default_rng(7))
        )
    assert np.array_equal(runs[0], runs[2])
    np.testing.assert_allclose(runs[1], runs[3], rtol=1e-12)
    assert average.chunks(7, 10) == [2, 2, 2, 1]
