"""K_Z: rounded up, attained, infinite where nothing is proven."""

from fractions import Fraction

import numpy as np
import pytest

from semipriv.papers.bbd24.perturbation.spread import least_eigenvalue, spread


def positive_definite(points: np.ndarray, shift: float) -> bool:
    """Whether Z^T Z / m - shift I is, in fractions."""
    z = [[Fraction(v) for v in row] for row in points.tolist()]
    p, m = points.shape[1], len(z)
    a = [[sum(r[i] * r[j] for r in z) / m - (Fraction(shift) if i == j else 0) for j in range(p)] for i in range(p)]
    for k in range(p):
        if a[k][k] <= 0:
            return False
        for i in range(k + 1, p):
            factor = a[i][k] / a[k][k]
            a[i] = [u - factor * v for u, v in zip(a[i], a[k], strict=True)]
    return True


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("thin", [1.0, 1e-3, 1e-6])
def test_the_bound_is_proven_and_near(p: int, thin: float) -> None:
    z = np.random.default_rng(p).uniform(-0.4, 0.4, (12, p))
    z[:, -1] *= thin
    low = least_eigenvalue(z)
    assert positive_definite(z, low)
    assert not positive_definite(z, low + 1e-12)
    assert low > 0 or thin == 1e-6
    w = np.linalg.eigh(z.T @ z)[1][:, 0]
    if low > 0:
        assert spread(z) >= 1 / np.sqrt(np.mean((z @ w) ** 2)) * (1 - 1e-12)


def test_what_does_not_span_has_no_spread() -> None:
    assert spread(np.zeros((3, 2))) == np.inf
    assert spread(np.array([[1.0, 0.0]])) == np.inf
    assert spread(np.array([[0.6, 0.8], [0.3, 0.4]])) == np.inf
    assert spread(np.ones((5, 1))) == pytest.approx(1, abs=1e-12)
    assert spread(np.ones((5, 1))) >= 1
