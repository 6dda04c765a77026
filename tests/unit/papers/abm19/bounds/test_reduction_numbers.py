"""Probabilities of the reduction against enumeration and SciPy's laws, at sizes small and large."""

import math
from fractions import Fraction

import pytest
from scipy.stats import binom, poisson

from semipriv.papers.abm19.bounds import reduction


@pytest.mark.parametrize("size", [1, 2, 3, 7, 30, 200, 1000])
def test_the_limit_of_running_out_is_a_poisson_tail(size: int) -> None:
    """To twelve digits: no term of the tail is left out, whatever the size."""
    assert reduction.exhaustion_limit(size) == pytest.approx(poisson.sf(size, size / 10), rel=1e-11, abs=0)
    assert reduction.exhaustion_limit(size) <= reduction.exhaustion_bound(size)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 51, 100])
def test_the_shift_of_labels_is_a_total_variation_distance(n: int) -> None:
    p = Fraction(1, 100 * n)
    laws = ([math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)] for q in ((1 + p) / 2, Fraction(1, 2)))
    distance = sum(abs(a - b) for a, b in zip(*laws, strict=True)) / 2
    assert reduction.shift_of_labels(n) == pytest.approx(float(distance), rel=1e-9)
    assert reduction.unsubstituted_probability(n) == pytest.approx(float((1 - p) ** n), rel=1e-12)


@pytest.mark.parametrize("reading", reduction.READINGS)
@pytest.mark.parametrize(("n_private", "n_public"), [(10, 1), (39, 2), (40, 2), (41, 2), (300, 3)])
def test_running_out_is_a_binomial_tail(n_private: int, n_public: int, reading: str) -> None:
    size = reduction.own_size(n_private, n_public)
    rounds, most = (n_private, size) if reading == "needed more" else (n_private - 1, size - 1)
    tail = binom.sf(most, rounds, 1 / (100 * n_public))
    exact = reduction.exhaustion_fraction(n_private, n_public, reading)
    assert float(exact) == pytest.approx(tail, rel=1e-9)
    assert reduction.exhaustion_probability(n_private, n_public, reading) == pytest.approx(tail, rel=1e-9)
