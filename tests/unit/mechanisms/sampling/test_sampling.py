"""Exact draws: brackets against integer arithmetic of their own, choices against every boundary of the distribution."""

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from semipriv.audit.properties.entropy import Seeded
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.sampling import choice
from semipriv.mechanisms.sampling.choice import (
    HORIZON,
    Uniform,
    below,
    below_each,
    choose,
    choose_near,
    choose_pool,
    exponential_masses,
    horizon,
)
from semipriv.mechanisms.sampling.weights import (
    exponential,
    exponential_multiple,
    exponential_sum,
    exponential_sum_absolute,
)


@dataclass(frozen=True)
class Driven(Secure):
    """Entropy that spells the binary digits of a given number of [0, 1)."""

    number: Fraction
    spent: list[int] = field(default_factory=lambda: [0])

    def entropy(self, count: int) -> bytes:
        start, self.spent[0] = self.spent[0], self.spent[0] + 8 * count
        digits = math.floor(self.number * 2 ** self.spent[0]) - (math.floor(self.number * 2**start) << 8 * count)
        return digits.to_bytes(count, "little")


@cache
def exp(x: Fraction, digits: int) -> Fraction:
    """e^-x, x >= 0, within 10^-digits of itself: Taylor's series at x / 2^k in integers, squared k times."""
    halvings = math.ceil(x).bit_length() + 20
    unit = 10 ** (digits + halvings + math.ceil(x) // 2 + 10)  # e^-x > 10^(-x / 2)
    y = math.floor(x * unit) >> halvings
    total, term, n = 0, unit, 0
    while term:
        total += term if n % 2 == 0 else -term
        n += 1
        term = term * y // (n * unit)
    for _ in range(halvings):
        total = total * total // unit
    return Fraction(total, unit)


def test_the_oracle():
    assert float(exp(Fraction(1), 20)) == pytest.approx(math.exp(-1), rel=1e-15)
    assert float(exp(Fraction(701, 10), 20)) == pytest.approx(math.exp(-70.1), rel=1e-14)
    # e = sum 1/k!, to 10^-60
    e = sum(Fraction(1, math.factorial(k)) for k in range(60))
    assert abs(exp(Fraction(3), 50) * e**3 - 1) < Fraction(1, 10**49)


# ---------------------------------------------------------------------------------------------------- weights
RATES = st.fractions(min_value=Fraction(1, 10**6), max_value=20, max_denominator=10**6) | st.floats(1e-6, 20).map(
    Fraction
)
POOLS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 2**80)), min_size=1, max_size=6)


@given(RATES, st.integers(0, 90))
def test_exponential_is_bracketed(rate, digits):
    low, high = map(Fraction, exponential(rate, digits))
    exact, slack = exp(rate, digits + 30), Fraction(1, 10 ** (digits + 25))
    assert low <= exact * (1 + slack)
    assert high >= exact * (1 - slack)
    assert 0 < low < high
    assert high - low <= low / 10**digits


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30), RATES, st.integers(1, 40), st.integers(0, 60))
def test_multiples_are_bracketed(factor, rate, times, digits):
    exponent = rate * times
    low, high = exponential_multiple(factor, exponent, digits)
    exact = factor * exp(exponent, digits + 60)
    slack = exact / 10 ** (digits + 50)
    assert low <= exact + slack
    assert high >= exact - slack
    assert high - low <= max(Fraction(1), low) / 10**digits


def test_a_multiple_that_is_far_below_its_digits_costs_nothing():
    assert exponential_multiple(Fraction(7), Fraction(10**600), 25) == (0, Fraction(1, 10**25))


@given(POOLS, RATES, st.integers(0, 70))
def test_sums_are_bracketed(pools, rate, digits):
    gaps, counts = zip(*pools, strict=True)
    least = min((g for g, c in pools if c), default=0)
    exact = sum(c * exp(rate * g, digits + 60) for g, c in pools)
    slack = exact / 10 ** (digits + 50)
    low, high = exponential_sum(gaps, counts, rate, digits)
    assert low <= exact + slack
    assert high >= exact - slack
    assert high - low <= low / 10**digits
    low, high = exponential_sum_absolute(gaps, counts, rate, digits)
    assert low <= exact + slack
    assert high >= exact - slack
    assert high - low <= Fraction(1, 10**digits)
    assert least >= 0


@pytest.mark.parametrize("digits", [5, 40])
def test_far_terms_cost_nothing_and_still_count(digits):
    low, high = exponential_sum([10**18, 0, 10**17], [2**300, 1, 7], Fraction(1, 3), digits)
    assert low <= 1 < high
    low, high = exponential_sum([30_000], [3], Fraction(1, 3), digits)
    assert low < 3 * exp(Fraction(10_000), digits + 5) < high
    assert high - low <= low / 10**digits


def test_arrays_and_lists_are_the_same():
    as_lists = exponential_sum([0, 5], [2, 3], Fraction(1, 7), 25)
    assert as_lists == exponential_sum(np.array([0, 5]), np.array([2, 3], np.uint8), Fraction(1, 7), 25)
    assert exponential_sum([4, 5], [0, 0], Fraction(1), 9) == (0, 0)
    assert exponential_sum([4, 5], [2, 2**70], Fraction(0), 9) == (2 + 2**70, 2 + 2**70)


# ---------------------------------------------------------------------------------------------------- below
@pytest.mark.parametrize("kind", [Seeded, Simulation])
@pytest.mark.parametrize("bound", [2, 6, 8, 3 * 2**62, 3 * 2**80])
def test_below_is_uniform(kind, bound):
    randomness, cells = kind(1), bound if bound < 10 else 6
    drawn = [below(bound, randomness) for _ in range(6000)]
    assert all(0 <= value < bound for value in drawn)
    assert chisquare(np.bincount([value * cells // bound for value in drawn], minlength=cells)).pvalue > 1e-4


@pytest.mark.parametrize("kind", [Seeded, Simulation])
@pytest.mark.parametrize("bound", [1, 2, 6, 3 * 2**61, 2**63])
def test_many_below_are_uniform(kind, bound):
    """3 2^61 is where a remainder of 64 bits alone takes small numbers half as often again as large ones."""
    cells = bound if bound < 10 else 6
    drawn = below_each(bound, 6_000, kind(1)).tolist()
    assert all(0 <= value < bound for value in drawn)
    counts = np.bincount([value * cells // bound for value in drawn], minlength=cells)
    assert len(counts) == 1 or chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("bound", [0, -1, 2**63 + 1])
def test_many_below_no_bound_are_refused(bound):
    with pytest.raises(ValueError, match=f"bound = {bound}: must be between 1 and 2\\^63"):
        below_each(bound, 3, Secure())


@pytest.mark.parametrize("kind", [Seeded, Simulation])
def test_below_takes_every_integer(kind):
    assert below(1, kind(0)) == 0
    assert below(np.int64(1), kind(0)) == 0
    assert below(np.uint8(200), kind(0)) < 200
    assert below_each(np.int64(1), 2, kind(0)).tolist() == [0, 0]


# ---------------------------------------------------------------------------------------------------- choose
@given(st.fractions(0, Fraction(999, 1000), max_denominator=10**6), st.integers(1, 300))
def test_a_uniform_number_is_known_digit_by_digit(number, width):
    uniform = Uniform(Driven(number))
    uniform.extend(width)
    assert width <= uniform.width < width + 64
    assert uniform.numerator == math.floor(number * 2**uniform.width)
    uniform.extend(2 * width)
    assert uniform.numerator == math.floor(number * 2**uniform.width)


@dataclass
class Exact:
    """Bounds of the cumulative distribution of integer weights, as wide as allowed; the questions are counted."""

    weights: list[int]
    asked: int = 0

    def boundary(self, i: int) -> Fraction:
        return Fraction(sum(self.weights[: i + 1]), sum(self.weights))

    def __call__(self, i: int, digits: int) -> tuple[Fraction, Fraction]:
        assert 0 <= i < len(self.weights) - 1
        self.asked += 1
        third = Fraction(1, 3 * 10**digits)
        return self.boundary(i) - third, self.boundary(i) + 2 * third


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any),
    st.sampled_from([20, 45, 64, 70, 300]),
    st.sampled_from([0.0, 1e-9, 0.3, 1.0]),
    st.integers(0, 2**32),
)
def test_every_boundary_is_where_the_distribution_has_it(weights, depth, error, seed):
    """Just below a boundary and just above it, with masses as wrong as their errors allow."""
    rng = np.random.default_rng(seed)
    errors = error * np.array(weights, float)
    masses = np.maximum(0, weights + 0.999 * errors * rng.choice([-1, 1], len(weights)))
    exact = Exact(weights)
    step = Fraction(1, 2**depth)
    for i in range(len(weights)):
        for number in (exact.boundary(i) - step, exact.boundary(i) + step):
            if 0 <= number < 1 and all(abs(number - exact.boundary(j)) >= step for j in range(len(weights))):
                right = next(j for j in range(len(weights)) if number < exact.boundary(j))
                assert choose(masses, errors, exact, Driven(number)) == right
    if depth > 64 and len([w for w in weights if w]) > 1:
        assert exact.asked > 0


@pytest.mark.parametrize("small_first", [True, False])
def test_sums_of_floats_that_lose_every_small_mass_do_not_decide(small_first):
    """2^16 masses of 2^-53 beside one of 1: in floats the sums stay 1.  All are known exactly: errors are 0."""
    many = 2**16
    masses = np.full(many + 1, 2.0**-53)
    masses[many if small_first else 0] = 1.0
    total = 2**53 + many

    def distribution(i: int, digits: int) -> tuple[Fraction, Fraction]:
        boundary = Fraction(i + 1 if small_first else 2**53 + i, total)
        return boundary, boundary

    for i in (0, 1, 2, 1000, many // 2, many - 2, many - 1):
        boundary = distribution(i, 0)[0]
        for number, drawn in ((boundary - Fraction(1, 2**70), i), (boundary + Fraction(1, 2**70), i + 1)):
            assert choose(masses, np.zeros(many + 1), distribution, Driven(number)) == drawn


def test_floats_decide_where_they_can():
    exact = Exact([1, 2, 3])
    masses = np.array([1.0, 2.0, 3.0])
    drawn = [choose(masses, 1e-12 * masses, exact, Driven(Fraction(u, 1000))) for u in range(1, 1000, 3)]
    assert drawn == [0 if u < 166.7 else 1 if u < 500 else 2 for u in range(1, 1000, 3)]
    assert exact.asked == 0


@pytest.mark.parametrize("error", [0.0, 1.0])
def test_chosen_by_the_distribution(error):
    """One float-decided and one exactly decided sampler; both see the same entropy and must agree."""
    weights = [3, 0, 1, 400, 96]
    masses, exact, secure = np.array(weights, float), Exact(weights), Seeded(4)
    drawn = [choose(masses, error * masses, exact, secure) for _ in range(4000)]
    counts = np.bincount(drawn, minlength=5)
    assert counts[1] == 0
    assert chisquare(counts[[0, 2, 3, 4]], np.array([3, 1, 400, 96]) * 8).pvalue > 1e-4
    assert (exact.asked > 0) == (error > 0)
    secure, sure = Seeded(4), Exact(weights)
    assert drawn[:50] == [choose(masses, masses * 0, sure, secure) for _ in range(50)]


# ---------------------------------------------------------------------------------------------------- pools
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**9)), min_size=1, max_size=12),
    st.sampled_from([Fraction(1, 2), Fraction(1, 1000), Fraction(7, 10**5), Fraction(0.1), Fraction(0)]),
)
def test_float_masses_are_within_their_errors(pools, rate):
    gaps, counts = (np.array(v) for v in zip(*pools, strict=True))
    masses, errors = exponential_masses(gaps, counts, rate)
    for gap, count, mass, error in zip(gaps.tolist(), counts.tolist(), masses.tolist(), errors.tolist(), strict=True):
        low, high = exponential_sum_absolute([gap], [count], rate, 400)
        assert abs(Fraction(mass) - low) <= Fraction(error)
        assert abs(Fraction(mass) - high) <= Fraction(error)
        assert error <= 1e-11 * mass + 1e-290


@given(
    st.integers(0, 2**62),
    st.integers(0, 2**1000) | st.integers(0, 2**70),
    st.floats(5e-324, 1e308).map(Fraction) | st.fractions(0, 2**1100) | st.floats(1e-19, 1e-17).map(Fraction),
)
def test_float_masses_of_any_size_are_within_their_errors(gap, count, rate):
    """Gaps up to 2^62, counts up to 2^1000, rates from denormal floats to beyond the largest one."""
    masses, errors = exponential_masses(np.array([0, gap]), np.array([1, count], object), rate)
    assert (masses[0], errors[0] < 1e-13) == (1, True)
    exponent, error = rate * gap, Fraction(float(errors[1]))
    exact = count * exp(exponent, 60) if exponent < 900 else Fraction(count, 2**1298)  # e^-900 < 2^-1298
    assert abs(Fraction(float(masses[1])) - exact) <= error * (1 if exponent < 900 else 2)
    assert error <= Fraction(float(masses[1])) / 10**11 + Fraction(count, 2**999)


@pytest.mark.parametrize("exponent", [700, 708, 709, 740, 745, 746, 799, 800, 801, 10_000])
def test_masses_that_underflow_are_bracketed(exponent):
    masses, errors = exponential_masses(np.array([exponent]), np.array([2**40]), Fraction(1))
    exact = 2**40 * exp(Fraction(exponent), 25)
    assert abs(Fraction(float(masses[0])) - exact) <= Fraction(float(errors[0]))
    assert errors[0] > 0


@pytest.mark.parametrize("rate", [Fraction(1e-320), Fraction(1, 2**1100), Fraction(2) ** 1100, Fraction(1e308) ** 2])
def test_extreme_rates(rate):
    masses, errors = exponential_masses(np.array([0, 1, 2**62]), np.array([1, 2, 3]), rate)
    expected = np.array([1.0, 2.0, 3.0]) if rate < 1 else np.array([1.0, 0.0, 0.0])
    assert np.all(np.abs(masses - expected) <= errors)
    assert choose_pool([0, 1], [1, 1], rate, Driven(Fraction(1, 3))) == 0
    assert choose_pool([0, 1], [1, 1], rate, Driven(Fraction(2, 3))) == (1 if rate < 1 else 0)


def boundaries(gaps: list[int], counts: list[int], rate: Fraction, digits: int) -> list[Fraction]:
    """Cumulative distribution from the oracle."""
    weights = [c * exp(rate * (g - min(gaps)), digits) for g, c in zip(gaps, counts, strict=True)]
    return [Fraction(s, 1) / sum(weights) for s in itertools.accumulate(weights)]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 2**70)), min_size=2, max_size=6),
    RATES,
    st.sampled_from([10, 30, 60]),
)
def test_pools_are_chosen_by_inverse_transform(pools, rate, digits):
    """Just below and above each boundary, before and after the digits of floats end; none lies beyond the horizon."""
    gaps, counts = map(list, zip(*pools, strict=True))
    if rate * (max(gaps) - min(gaps)) > HORIZON:
        return
    cumulative, step = boundaries(gaps, counts, rate, digits + 40), Fraction(1, 10**digits)
    for at, sign in itertools.product(cumulative, (-1, 1)):
        number = at + sign * step
        if 0 <= number < 1 - step / 2 and all(abs(number - other) > step / 2 for other in cumulative):
            right = next(i for i, boundary in enumerate(cumulative) if number < boundary)
            assert choose_pool(gaps, counts, rate, Driven(number)) == right


SMALL = ([5, 2, 9, 3, 2 + 400], [4, 1, 60, 0, 2**90], Fraction(1, 2))


@pytest.mark.parametrize("kind", [Seeded, Simulation])
def test_pools_follow_their_distribution(kind):
    gaps, counts, rate = SMALL
    randomness = kind(5)
    drawn = np.bincount([choose_pool(gaps, counts, rate, randomness) for _ in range(6000)], minlength=5)
    weights = np.array([c * math.exp(-(g - 2) / 2) for g, c in zip(gaps, counts, strict=True)])
    assert drawn[3] == drawn[4] == 0
    assert chisquare(drawn[:3], weights[:3] / weights[:3].sum() * 6000).pvalue > 1e-4


@pytest.mark.parametrize("kind", [Seeded, Simulation])
@pytest.mark.parametrize("step", [1, 40, 10**6])
def test_pools_without_candidates_change_nothing(kind, step):
    """Wherever they lie, nearest, between or far: the same coins choose the same of the others."""
    for empty in ([0], [0, 3], [1, 3], [3]):
        counts = np.array([0 if p in empty else 5 for p in range(4)], object)
        left = np.flatnonzero(counts)
        for seed in range(20):
            chosen = choose_pool(step * np.arange(4), counts, Fraction(1, 40), kind(seed))
            assert chosen == left[choose_pool(step * left, counts[left], Fraction(1, 40), kind(seed))]


@pytest.mark.parametrize("kind", [Seeded, Simulation])
def test_numerous_far_candidates_outweigh_the_best(kind):
    """2^200 candidates at e^-100: a lump of pools is not forgotten."""
    randomness = kind(6)
    drawn = [choose_pool([0, 100, 101], [1, 2**200, 2**200], Fraction(1), randomness) for _ in range(1500)]
    assert drawn.count(0) == 0
    assert (
        chisquare([drawn.count(1), drawn.count(2)], np.array([1, math.exp(-1)]) * 1500 / (1 + math.exp(-1))).pvalue
        > 1e-4
    )


def test_the_slow_path_agrees_with_the_fast(monkeypatch):
    """Masses known to nobody: every draw is decided by brackets of rationals, and comes out the same."""
    gaps, counts, rate = SMALL
    fast = [choose_pool(gaps, counts, rate, Seeded(s)) for s in range(400)]

    def blind(gaps, counts, rate):
        masses, _ = exponential_masses(gaps, counts, rate)
        return masses * 0, 2 * masses + 1

    monkeypatch.setattr(choice, "exponential_masses", blind)
    assert [choose_pool(gaps, counts, rate, Seeded(s)) for s in range(400)] == fast
    assert len(set(fast)) == 3


@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1), Fraction(10**9)])
def test_gaps_up_to_2_to_the_62(rate):
    gaps = [2**62, 2**62 - 1, 0, -(2**61)]
    for number in (Fraction(0), Fraction(1, 2), 1 - Fraction(1, 2**1000)):
        assert choose_pool(gaps, [2**1000 - 7, 1, 5, 1], rate, Driven(number)) == 3


@pytest.mark.parametrize(
    ("gap", "digits", "counts"), [(4000, 1737, [1, 1]), (1000, 434, np.array([1, 1]))], ids=["list", "array"]
)
def test_an_outcome_of_probability_e_to_the_minus_4000_is_in_the_distribution(gap, digits, counts):
    """It is chosen by the uniform numbers above its boundary 1 / (1 + e^-gap), and by none below."""
    boundary, step = 1 / (1 + exp(Fraction(gap), 500)), Fraction(1, 10 ** (digits + 250))
    assert 0 < 1 - boundary < Fraction(1, 10**digits)
    assert choose_pool([0, gap], counts, Fraction(1), Driven(boundary - step)) == 0
    assert choose_pool([0, gap], counts, Fraction(1), Driven(boundary + step)) == 1


@pytest.mark.parametrize("bits", [30, 60, 75, 88, 92, 100, 400, 999])
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 10**6), Fraction(6401, 100), Fraction(0.1)])
def test_pools_just_beyond_the_horizon_have_their_full_weight(bits, rate):
    """2^bits candidates at little more than e^-64 each, and numbers on either side of where they begin."""
    gap = horizon(rate) + 1
    weight = 2**bits * exp(rate * gap, 400)
    boundary = 1 / (1 + weight)  # the best one alone
    step = min(boundary, 1 - boundary) / 10**3
    for number, pool in [(boundary - step, 0), (boundary + step, 1), (boundary - step / 10**47, 0)]:
        assert choose_pool([0, gap], [1, 2**bits], rate, Driven(number)) == pool
        near = np.array([0]), np.array([1])
        computed_choose_near = choose_near(*near, rate, 1.001 * 2.0**bits, lambda: ([gap], [2**bits]), Driven(number))
        assert computed_choose_near == (0 if pool == 0 else None)


def test_pools_beyond_are_looked_at_only_when_needed():
    def never() -> tuple[list[int], list[int]]:
        raise AssertionError

    near = np.array([0, 1]), np.array([1, 3])
    assert choose_near(*near, Fraction(1), 10.0, never, Driven(Fraction(1, 10))) == 0
    assert choose_near(*near, Fraction(1), 10.0, never, Driven(Fraction(9, 10))) == 1
    last = Driven(1 - Fraction(1, 2**200))
    assert choose_near(*near, Fraction(1), 10.0, lambda: ([70], [10]), last) is None
