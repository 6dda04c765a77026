"""What several papers' bounds use: spacings of random points, the binomial distribution, least sizes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, kstwo

from semipriv.core.binomial import binomial_distribution
from semipriv.core.least import least_number, least_size
from semipriv.distributions import spacings


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
    diameters = np.sort(spacings.bad_diameters(m, d, 4000, generator))
    points = np.sort(np.random.default_rng(2).random((4000, m)), axis=1)
    gaps = np.diff(points, axis=1, prepend=0.0, append=1.0)
    expected = np.sort(np.sort(gaps, axis=1)[:, ::-1][:, :d].sum(axis=1))
    ranks = np.linspace(100, 3899, 20).astype(int)
    np.testing.assert_allclose(diameters[ranks], expected[ranks], rtol=0.06)
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


def noe(m: int, x: Fraction) -> Fraction:
    """P[D <= x] as m! times the volume of the ordered u with i/m - x <= u_i <= (i - 1)/m + x (Noe's recursion)."""
    low, high = ([Fraction(i + s, m) + sign * x for i in range(1, m + 1)] for s, sign in ((0, -1), (-1, 1)))
    ends = sorted({Fraction(0), Fraction(1)} | {min(max(end, Fraction(0)), Fraction(1)) for end in (*low, *high)})
    weights = {0: Fraction(1)}  # of so many points in the pieces passed, unordered
    for left, right in itertools.pairwise(ends):
        new: dict[int, Fraction] = {}
        for i, weight in weights.items():
            for k in range(i, m + 1):
                if all(low[j] <= left and right <= high[j] for j in range(i, k)):
                    share = weight * (right - left) ** (k - i) / math.factorial(k - i)
                    new[k] = new.get(k, Fraction(0)) + share
        weights = new
    return weights.get(m, Fraction(0)) * math.factorial(m)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 9])
def test_kolmogorov_distribution_exactly(m: int) -> None:
    for x in (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(7, 10), Fraction(19, 20)):
        assert spacings.kolmogorov_distribution(m, float(x)) == pytest.approx(float(noe(m, x)), abs=1e-12)


def test_kolmogorov_distribution_against_another_implementation() -> None:
    """SciPy's is exact up to 140 points; beyond it has six digits."""
    for m, x, close in ((20, 0.1, 1e-12), (140, 0.1, 1e-12), (593, 0.05, 1e-7), (5000, 0.015, 1e-8)):
        assert spacings.kolmogorov_distribution(m, x) == pytest.approx(kstwo.cdf(x, m), abs=close)
    assert spacings._log_scale(50) == pytest.approx(math.lgamma(51) + 50 - 50 * math.log(50), abs=1e-12)


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (17, 0.5), (1000, 0.01), (200_000, 0.45)])
def test_binomial_distribution(n: int, p: float) -> None:
    k, log_mass = binomial_distribution(n, p)
    assert np.allclose(np.exp(log_mass), binom.pmf(k, n, p), rtol=1e-8, atol=1e-300)
    assert np.exp(log_mass).sum() == pytest.approx(1, abs=1e-9)


def test_least_size() -> None:
    assert [least_size(lambda n: 1 / n, beta, start) for beta, start in ((0.5, 1), (0.06, 1), (0.06, 40))] == [
        2,
        17,
        40,
    ]


def test_least_numbers() -> None:
    for least in (1e-9, 0.1, 1 / 3, math.nextafter(1, 0)):
        assert least_number(lambda x, least=least: x >= least) == least
    assert least_number(lambda x: x >= 1) is None
