"""What several papers' bounds use: spacings of random points, the binomial law, least sizes."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.bounds import spacings
from semipriv.bounds.binomial import binomial_law
from semipriv.bounds.least import least_size


@pytest.mark.parametrize(
    ("m", "alpha", "probability"),
    [
        (28, Fraction(1, 5), 0.055845),
        (29, Fraction(1, 5), 0.046262),
        (69, Fraction(1, 10), 0.048238),
        (450, Fraction(1, 50), 0.04975),
    ],
)
def test_exact_bad_probability(m: int, alpha: Fraction, probability: float) -> None:
    assert spacings.bad_probability_thresholds(m, alpha) == pytest.approx(probability, abs=5e-7)
    assert spacings.bad_probability_thresholds_float(m, float(alpha)) == pytest.approx(probability, abs=5e-7)


def test_exact_needed_points() -> None:
    alphas = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
    assert [spacings.cover_points_thresholds(a, 0.05) for a in alphas] == [
        29,
        69,
        157,
        450,
        982,
        2122,
        5814,
        12389,
    ]


@pytest.mark.parametrize(("m", "d"), [(5, 1), (12, 2), (12, 4), (40, 8)])
def test_bad_diameters_against_brute_force(m: int, d: int) -> None:
    """The d largest of m + 1 spacings, by sorting; all of them where there are no more."""
    generator = np.random.default_rng(1)
    found = np.sort(spacings.bad_diameters(m, d, 4000, generator))
    points = np.sort(np.random.default_rng(2).random((4000, m)), axis=1)
    gaps = np.diff(points, axis=1, prepend=0.0, append=1.0)
    expected = np.sort(np.sort(gaps, axis=1)[:, ::-1][:, :d].sum(axis=1))
    ranks = np.linspace(100, 3899, 20).astype(int)
    np.testing.assert_allclose(found[ranks], expected[ranks], rtol=0.06)
    assert (spacings.bad_diameters(2, 8, 10, generator) == 1).all()


def test_bad_diameter_of_unions_of_intervals_by_exhaustion() -> None:
    """On atoms: largest Hamming distance of two patterns with at most k runs that agree on the public atoms."""
    generator = np.random.default_rng(0)
    atoms = 11
    patterns = (np.arange(2**atoms)[:, None] >> np.arange(atoms)) & 1
    runs = patterns[:, 0] + (np.diff(patterns, axis=1) == 1).sum(axis=1)
    for k in (1, 2):
        allowed = patterns[runs <= k]
        for _ in range(6):
            public = np.sort(generator.choice(atoms, size=2 * k + 2, replace=False))
            _, group = np.unique(allowed[:, public], axis=0, return_inverse=True)
            worst = max(
                int((allowed[group == g][:, None] != allowed[group == g][None]).sum(axis=2).max())
                for g in range(group.max() + 1)
            )
            between = np.diff(np.concatenate([[-1], public, [atoms]])) - 1
            assert worst == np.sort(between)[::-1][: 2 * k].sum()


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (17, 0.5), (1000, 0.01), (200_000, 0.45)])
def test_binomial_law(n: int, p: float) -> None:
    k, log_mass = binomial_law(n, p)
    assert np.allclose(np.exp(log_mass), binom.pmf(k, n, p), rtol=1e-8, atol=1e-300)
    assert np.exp(log_mass).sum() == pytest.approx(1, abs=1e-9)


def test_least_size() -> None:
    assert [least_size(lambda n: 1 / n, beta, start) for beta, start in ((0.5, 1), (0.06, 1), (0.06, 40))] == [
        2,
        17,
        40,
    ]
