"""Algorithm 2 of BBD24 over linear functions: all perturbed minimisers together, beside a loop over them."""

import numpy as np
import scipy
from benchmark import Benchmark, Made, generator, size

from semipriv.geometry.ball import Spectrum
from semipriv.papers.bbd24.perturbation.average import mean_on_ball, root

ETA = 200.0


def minimiser(matrix: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the minimiser of w^T A w - 2 b^T w over the ball: an eigendecomposition, and Brent's method."""
    values, vectors = np.linalg.eigh(matrix)
    turned = vectors.T @ b

    def norm(shift: float) -> float:
        return float(np.sqrt(((turned / (values + shift)) ** 2).sum()))

    if norm(0.0) <= 1:
        return vectors @ (turned / values)
    shift = scipy.optimize.brentq(lambda nu: norm(nu) - 1, 0.0, np.linalg.norm(b), xtol=1e-12)
    return vectors @ (turned / (values + shift))


def average(factor: float) -> Made:
    rng, n, d, m, draws = generator(), size(1e4, factor), 20, 200, size(1_000, factor)
    x, z = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (rng.normal(size=(k, d)) for k in (n, m)))
    y = np.clip(x @ rng.normal(size=d) + 0.1 * rng.normal(size=n), -1, 1)
    deviation = root(z.T)

    def together() -> np.ndarray:
        return mean_on_ball(Spectrum.of(x.T @ x / 4), y @ x / 4, deviation, ETA, draws, np.random.default_rng(1))

    def loop() -> np.ndarray:
        matrix, b = x.T @ x / 4, y @ x / 4
        normals = np.random.default_rng(1).standard_normal((draws, d))
        return np.mean([minimiser(matrix, b - ETA / 2 * deviation @ normal) for normal in normals], axis=0)

    return Made(together, loop)


BENCHMARKS = (
    Benchmark(
        "algorithm 2 of BBD24, linear functions: J = 1,000 minimisers, d = 20, n = 1e4",
        "one Gram matrix, one eigendecomposition and Brent's method for each",
        average,
        target=10,
        repeats=7,
    ),
)
