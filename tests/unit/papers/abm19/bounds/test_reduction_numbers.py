"""Probabilities of the reduction against enumeration and SciPy's distributions, at sizes small and large."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, poisson

from semipriv.papers.abm19.bounds import reduction as bounds

READINGS = pytest.mark.parametrize("reading", bounds.READINGS)


@pytest.mark.parametrize("size", [*range(1, 40), 200, 1000])
def test_the_limit_of_running_out_is_a_poisson_tail(size: int) -> None:
    """To eleven digits: above the binomial tails, and below the union bound, which falls with the size."""
    limit = bounds.exhaustion_limit(size)
    assert limit == pytest.approx(poisson.sf(size, size / 10), rel=1e-11, abs=0)
    assert limit <= bounds.exhaustion_bound(size) <= Fraction(1, 200)
    assert bounds.exhaustion_bound(size + 1) < Fraction(2, 5) * bounds.exhaustion_bound(size)
    for n_public, second in itertools.product((1, 2, 7, 100, 10**4), (0, 1)):
        assert bounds.exhaustion_probability(10 * n_public * size - second, n_public) <= limit * (1 + 1e-9)
    assert limit < bounds.EXHAUSTION < bounds.exhaustion_bound(1)


@READINGS
@pytest.mark.parametrize(
    ("n_private", "n_public"), [(1, 1), (10, 1), (11, 1), (39, 2), (40, 2), (41, 2), (300, 3), (2000, 100), (10**7, 1)]
)
def test_running_out_is_a_binomial_tail(n_private: int, n_public: int, reading: str) -> None:
    size = math.ceil(Fraction(n_private, 10 * n_public))
    rounds, most = (n_private, size) if reading == "needed more" else (n_private - 1, size - 1)
    tail = pytest.approx(binom.sf(most, rounds, 1 / (100 * n_public)), rel=1e-9, abs=1e-300)
    assert bounds.exhaustion_probability(n_private, n_public, reading) == tail
    if n_private < 10**4:
        assert float(bounds.exhaustion_fraction(n_private, n_public, reading)) == tail


def test_exhaustion_in_rational_arithmetic() -> None:
    """All coins of a run against the pseudocode: what the loop of algorithm 3 does, as printed, and what it needs."""
    for n_private, n_public in ((1, 1), (2, 1), (10, 1), (11, 1), (12, 2)):
        p, size = Fraction(1, 100 * n_public), bounds.own_size(n_private, n_public)
        early = late = Fraction(0)
        for coins in itertools.product((0, 1), repeat=n_private):
            chance = math.prod((p if heads else 1 - p for heads in coins), start=Fraction(1))
            left, i = size, 1
            while left > 0 and i <= n_private:
                left, i = left - coins[i - 1], i + 1
            early += chance * (i <= n_private)
            late += chance * (sum(coins) > size)
        for reading, exact in zip(bounds.READINGS, (late, early), strict=True):
            assert bounds.exhaustion_fraction(n_private, n_public, reading) == exact
            probability = bounds.exhaustion_probability(n_private, n_public, reading)
            assert probability == pytest.approx(float(exact), rel=1e-12, abs=1e-300)
    assert bounds.exhaustion_fraction(10, 1, "early exit") == 1 - Fraction(99, 100) ** 9 > Fraction(1, 100)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 51, 100])
def test_the_shift_of_labels_is_a_total_variation_distance(n: int) -> None:
    p = Fraction(1, 100 * n)
    distributions = (
        [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)] for q in ((1 + p) / 2, Fraction(1, 2))
    )
    distance = sum(abs(a - b) for a, b in zip(*distributions, strict=True)) / 2
    assert bounds.shift_of_labels(n) == pytest.approx(float(distance), rel=1e-9)
    assert bounds.unsubstituted_probability(n) == pytest.approx(float((1 - p) ** n), rel=1e-12)


def test_a_public_sample_seldom_has_an_example_of_d() -> None:
    for n in (1, 5, 50, 10**5):
        assert 0.99 - 1e-15 <= bounds.unsubstituted_probability(n) < math.exp(-0.01)
    assert Fraction(1, 100) == bounds.SUBSTITUTION


def test_constants_of_claim_46() -> None:
    """In decimals: what does not add up, and the two repairs that do."""
    assert pytest.approx(0.0656, abs=5e-5) == 1 / 18 + 0.01
    assert 1 / 18 + 0.01 > 1 / 17
    assert 1 / 17 + 0.01 > 1 / 16
    printed = [float(total) for total, _ in bounds.printed_steps().values()]
    assert printed == pytest.approx([1 / 18 + 0.01, 1 / 17 + 0.01, 1 / 18 + 0.02], rel=1e-12)
    for n_public, size in itertools.product((1, 3, 40), (1, 2, 3, 7)):
        p = 1 / (100 * n_public)
        exhausted, shift = binom.sf(size, 10 * n_public * size, p), 1 - (1 - p) ** n_public
        steps = bounds.exact_steps(n_public, size)
        assert list(steps) == [
            "1/18 + exhaustion <= 1/17",
            "1/17 + shift <= 1/16",
            "1/18 + exhaustion + shift <= 1/16",
        ]
        sums = [1 / 18 + exhausted, 1 / 17 + shift, 1 / 18 + exhausted + shift]
        assert [float(total) for total, _ in steps.values()] == pytest.approx(sums, rel=1e-9)
        assert [allowed for _, allowed in steps.values()] == [Fraction(1, 17), Fraction(1, 16), Fraction(1, 16)]
        assert [total <= allowed for total, allowed in steps.values()] == [size >= 2, False, False]
    assert 1 / 18 + 1 - math.exp(-0.01) > 1 / 16, "so that no n_public and no n~ helps the sum"
    assert bounds.failure_by_addition(bounds.PREMISE_REPAIRED) == Fraction(1, 21) + Fraction(147, 10_000)
    assert bounds.failure_by_addition(bounds.PREMISE_REPAIRED) <= Fraction(1, 16)
    assert bounds.failure_by_addition(Fraction(1, 20)) > Fraction(1, 16)
    assert bounds.failure_by_ratio(bounds.PREMISE_PRINTED) == Fraction(100, 18 * 99) + Fraction(47, 10_000)
    assert bounds.failure_by_ratio(bounds.PREMISE_PRINTED) <= Fraction(1, 16)
    assert bounds.failure_by_ratio(Fraction(1, 17)) > Fraction(1, 16)


def test_failure_by_ratio_bounds_every_event() -> None:
    """For all events of a small space: P_B[F] <= P_A[F] / (1 - p)^m, and it is attained where D0 and D are disjoint."""
    generator = np.random.default_rng(3)
    for m, p in ((1, 0.3), (2, 0.2), (3, 0.1)):
        d, d0 = generator.dirichlet(np.ones(3)), np.append(generator.dirichlet(np.ones(2)), 0.0)
        samples = list(itertools.product(range(3), repeat=m))
        of_a = np.array([math.prod(p * d[x] + (1 - p) * d0[x] for x in s) for s in samples])
        of_b = np.array([math.prod(d0[x] for x in s) for s in samples])
        for event in generator.random((2000, len(samples))) < 0.5:
            assert of_b[event].sum() <= of_a[event].sum() / (1 - p) ** m + 1e-15
    assert bounds.failure_by_ratio(Fraction(1, 18), 1 - Fraction(7, 10), Fraction(0)) == Fraction(10, 126)


def test_subsampled_epsilon() -> None:
    assert bounds.subsampled_epsilon(1.0, 3, 0.01) == pytest.approx(0.049775, abs=5e-7)
    assert bounds.subsampled_epsilon(1.0, 3, 0.5) == pytest.approx(0.917688, abs=5e-7)
    assert bounds.subsampled_epsilon(0.7, 10**6, 0.5) == pytest.approx(0.7)
    for epsilon in (1 - 1e-9, 1 + 1e-9, 5.0, 700.0):
        for n, p in ((1, 1e-9), (3, 0.01), (10**6, 0.5)):
            q = 1 - (1 - Decimal(p)) ** n
            exact = (1 + q * (Decimal(epsilon).exp() - 1)).ln()
            assert bounds.subsampled_epsilon(epsilon, n, p) == pytest.approx(float(exact), rel=1e-12)
    assert bounds.subsampled_epsilon(1e4, 1, 0.5) == pytest.approx(1e4 - math.log(2))


def test_theorem_41() -> None:
    """Its floor is where 100 n_public alpha reaches 1/16; the deltas of theorem 4.3 fall."""
    for alpha in (Fraction(1, 1000), Fraction(1, 12_345)):
        floor = bounds.public_floor(alpha)
        for n_public in range(1, 20):
            accurate = bounds.reduction_accuracy(n_public, alpha) <= Fraction(1, 16)
            assert accurate == (n_public <= floor)
    deltas = [bounds.allowed_delta(n) for n in range(2, 200)]
    assert all(a > b for a, b in itertools.pairwise(deltas))


def test_shift_of_labels_at_every_size() -> None:
    """It nears p sqrt(n / (2 pi)); where tails are no longer subtracted it goes on without a step."""
    for n in (10**4, 10**6, 10**7, 10**8, 10**9, 10**12, 2**53):
        near = bounds.private_share(n) * math.sqrt(n / (2 * math.pi))
        assert bounds.shift_of_labels(n) == pytest.approx(near, rel=2 / n + 1e-4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "_EXACT", 2)
        other = [bounds.shift_of_labels(n) for n in (3_000, 9_999)]
    assert other == pytest.approx([bounds.shift_of_labels(n) for n in (3_000, 9_999)], rel=2e-6)
