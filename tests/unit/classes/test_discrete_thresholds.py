"""Thresholds of integers: exact beyond 53 bits, the whole class counted and drawn from."""

import itertools
import math
import time
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from semipriv.audit.properties.class_cases.discrete_thresholds import COMPARE
from semipriv.classes import discrete_thresholds
from semipriv.classes.discrete_thresholds import DiscreteThresholds, group_thresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip

BITS = st.sampled_from([1, 2, 5, 52, 53, 54, 62, 63, 64, 106, 107, 640, 1024])


@pytest.mark.parametrize("orientation", list(COMPARE))
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_a_small_domain_is_a_finite_class(bits, orientation):
    h, size = DiscreteThresholds(bits, orientation), 2**bits
    table = [[int(COMPARE[orientation](x, j)) for x in range(size)] for j in range(size + 1)]
    finite = FiniteClass(table)
    assert h.vc_dimension == finite.vc_dimension
    assert h.dual_vc_dimension == finite.dual_vc_dimension
    assert h.littlestone_dimension == finite.littlestone_dimension
    assert [h.growth(m) for m in range(size + 3)] == [finite.growth(m) for m in range(size + 3)]
    assert h.predict(h.encode_thresholds(range(size + 1)), h.encode(range(size))).astype(int).tolist() == table


@st.composite
def integers_below(draw):
    bits = draw(BITS)
    return bits, draw(st.lists(st.integers(0, 2**bits - 1) | st.just(2**bits - 1), max_size=6))


@given(integers_below())
def test_integers_are_written_without_rounding_and_in_order(drawn):
    bits, values = drawn
    h = DiscreteThresholds(bits)
    points = h.encode(values)
    assert points.shape == (len(values), h.dimension)
    assert h.decode(points) == values
    assert h.validated(points).tobytes() == points.tobytes()
    assert sorted(points.tolist()) == h.encode(sorted(values)).tolist()
    assert h.decode(h.encode_thresholds([*values, 2**bits])) == [*values, 2**bits]


@given(integers_below(), st.sampled_from(list(COMPARE)))
def test_representatives_are_the_ends_and_the_middles_of_their_cells(drawn, orientation):
    bits, values = drawn
    h = DiscreteThresholds(bits, orientation)
    low, middle, high = (
        h.decode(h.cover(h.encode(values), r).listed().parameters) for r in ("lower", "midpoint", "upper")
    )
    u = sorted(set(values))
    assert low == [0, *(v + 1 for v in u)]
    assert high == [*u, 2**bits]
    if u:
        assert middle == [0, *((a + 1 + b) // 2 for a, b in itertools.pairwise(u)), 2**bits]


def test_neighbouring_integers_of_62_bits_are_told_apart():
    h = DiscreteThresholds(62)
    values = np.array([2**62 - 1, 2**62 - 2, 2**62 - 3, 2**61, 2**61 + 1], np.int64)
    assert len(np.unique(values.astype(np.float64))) == 2
    assert len(h.cover(h.encode(values))) == 6
    assert h.minimise(h.encode(values), [0, 1, 0, 1, 1]).value == 1
    minimum = h.minimise(h.encode(values), [0, 1, 1, 1, 1])
    assert minimum.value == 0
    assert h.decode(minimum.parameters) == [2**62 - 1]


@given(
    st.lists(st.tuples(st.integers(0, 15), st.integers(0, 1)), max_size=12),
    st.sampled_from(list(COMPARE)),
    st.sampled_from([4, 62, 640]),
)
def test_groups_are_all_thresholds(examples, orientation, bits):
    """Their sizes and mistakes by trying one threshold after another, the top one of more than 4 bits by its last."""
    values, labels = [x for x, _ in examples], [y for _, y in examples]
    groups = group_thresholds(values, labels, bits, orientation)
    assert sum(groups.sizes) == 2**bits + 1
    assert groups.first.tolist() == [0, *np.cumsum(groups.sizes)[:-1].tolist()]
    by_method = {}
    for first, size, mistakes in zip(groups.first, groups.sizes, groups.mistakes, strict=True):
        assert size >= 1
        by_method |= dict.fromkeys([j for j in [*range(17), 2**bits] if first <= j < first + size], mistakes)
    assert by_method == {
        j: sum(COMPARE[orientation](x, j) != (y == 1) for x, y in examples) for j in [*range(17), 2**bits]
    }


@pytest.mark.parametrize(("randomness", "trials"), [(Simulation(1), 20_000), (Secure(), 4_000)])
def test_draws_from_all_thresholds_have_their_probabilities(randomness, trials):
    values, labels, rate = [1, 1, 4, 6], [1, 0, 1, 0], Fraction(7, 10)
    weights = [math.exp(-0.7 * sum((x < j) != (y == 1) for x, y in zip(values, labels, strict=True))) for j in range(9)]
    groups = group_thresholds(values, labels, 3)
    met = Counter(groups.draw(rate, randomness) for _ in range(trials))
    expected = np.array(weights) / sum(weights) * trials
    assert chisquare([met[j] for j in range(9)], expected).pvalue > 1e-6


@pytest.mark.parametrize(("randomness", "trials"), [(Simulation(2), 3_000), (Secure(), 600)])
def test_multiplicities_of_640_bits_weigh_against_mistakes(randomness, trials):
    """887 zeros at 0: of 2^640 + 1 thresholds only j = 0 makes no mistake; at rate 1/2 it has probability 0.47."""
    n = 887
    share = 1 / (1 + math.exp(640 * math.log(2) - n / 2))
    groups = group_thresholds([0] * n, [0] * n, 640)
    drawn = [groups.draw(Fraction(1, 2), randomness) for _ in range(trials)]
    zeros = sum(j == 0 for j in drawn)
    assert abs(zeros - share * trials) < 5 * math.sqrt(share * (1 - share) * trials)
    tops = np.array([j / 2**640 for j in drawn if j])  # uniform
    assert abs(tops.mean() - 0.5) < 5 / math.sqrt(12 * len(tops))
    assert all(0 <= j <= 2**640 for j in drawn)


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 2**1024)), max_size=5),
    st.fractions(0, 3),
    st.integers(1, 2**1024),
)
def test_what_a_draw_knows_of_its_weights_is_true(pools, rate, count):
    """Floats and their errors, and the bounds asked for where they do not decide, against decimals of 400 digits."""
    pools = dict(pools) | {0: count}
    gaps, counts = np.array(sorted(pools)), np.array([pools[gap] for gap in sorted(pools)], object)
    asked = {}

    def choose(masses, errors, distribution, randomness):
        asked.update(masses=masses, errors=errors, distribution=distribution)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discrete_thresholds, "choose", choose)
        discrete_thresholds._choose(gaps, counts, rate, Secure())
    with localcontext(prec=400):
        exact = [
            c * (-Decimal(rate.numerator * int(g)) / rate.denominator).exp() for g, c in zip(gaps, counts, strict=True)
        ]
        largest, total = max(exact), sum(exact)
        for mass, error, weight in zip(asked["masses"], asked["errors"], exact, strict=True):
            assert abs(Decimal(float(mass)) - weight / largest) <= Decimal(float(error)) * (1 + Decimal(2) ** -30)
            assert error <= max(1e-10 * mass, 1e-300)
        for i in range(len(gaps) - 1):
            low, high = asked["distribution"](i, 20)
            share = Fraction(sum(exact[: i + 1]) / total)
            assert low - Fraction(1, 10**350) <= share <= high + Fraction(1, 10**350)
            assert high - low <= Fraction(1, 10**20)


def test_a_draw_from_many_runs_of_long_integers_is_quick():
    """Counts of 2^640 beyond 64 / rate mistakes more than the best: floats still decide."""
    rng = np.random.default_rng(5)
    groups = group_thresholds(rng.integers(0, 2**30, 20_000), rng.integers(0, 2, 20_000), 640)
    start = time.process_time()
    for _ in range(10):
        groups.draw(Fraction(1, 2), Secure())
    assert time.process_time() - start < 5


@pytest.mark.parametrize("orientation", list(COMPARE))
def test_the_tally_counts_all_thresholds(orientation):
    h, rng = DiscreteThresholds(4, orientation), np.random.default_rng(3)
    for n in (0, 1, 30):
        values, y = rng.integers(0, 16, n), rng.integers(0, 2, n)
        mistakes = np.array([np.count_nonzero(COMPARE[orientation](values, j) != (y == 1)) for j in range(17)])
        tally = h.tally(h.encode(values), y)
        met, counts = tally.histogram()
        assert counts.dtype == np.int64
        assert dict(zip(met.tolist(), counts.tolist(), strict=True)) == Counter(mistakes.tolist())
        for rate in (0.0, 0.3, 2.0):
            weights = np.exp(-rate * mistakes)
            assert tally.log_partition(rate) == pytest.approx(math.log(weights.sum()), abs=1e-12)
            assert tally.expected_mistakes(rate) == pytest.approx(mistakes @ weights / weights.sum(), abs=1e-12)
        stream = Simulation(4).spawn(n)
        for value in set(mistakes.tolist()):
            drawn = {h.decode(tally.member(value, stream).parameters)[0] for _ in range(300)}
            assert drawn == set(np.flatnonzero(mistakes == value).tolist())
        with pytest.raises(ValueError, match="mistakes = 31: no hypothesis makes that many"):
            tally.member(31, stream)


def test_the_tally_of_640_bits():
    h = DiscreteThresholds(640)
    tally = h.tally(h.encode([5, 2**639]), [1, 0])
    values, counts = tally.histogram()
    assert values.tolist() == [0, 1]
    assert counts.tolist() == [2**639 - 5, 2**639 + 6]
    assert tally.log_partition(0.0) == pytest.approx(640 * math.log(2), rel=1e-15)
    assert tally.log_partition(1.0) == pytest.approx(639 * math.log(2) + math.log(1 + math.exp(-1)), rel=1e-15)
    assert tally.expected_mistakes(0.0) == pytest.approx(0.5, rel=1e-15)
    hypothesis = ExponentialMechanism(1000.0).select(tally, Secure())
    assert 5 < h.decode(hypothesis.parameters)[0] <= 2**639
    assert hypothesis.predict(h.encode([5, 2**639])).tolist() == [True, False]


@pytest.mark.parametrize("bits", [53, 54, 61, 62, 63, 64, 65])
def test_counts_are_exact_wherever_a_type_ends(bits):
    """One run of 2^b + 1 thresholds, several long ones, and draws among them by any mechanism."""
    h = DiscreteThresholds(bits)
    for values in ([], [0], [2**bits - 1], [2 ** (bits - 1)], [1, 2**bits - 2]):
        y = np.arange(len(values)) % 2
        tally = h.tally(h.encode(values), y)
        met, counts = tally.histogram()
        edges = [0, *sorted(value + 1 for value in values), 2**bits + 1]
        expected = Counter()
        for low, high in itertools.pairwise(edges):
            expected[sum((value < low) != (label == 1) for value, label in zip(values, y, strict=True))] += high - low
        assert [(int(m), int(c)) for m, c in zip(met, counts, strict=True)] == sorted(expected.items())
        assert sum(counts.tolist()) == 2**bits + 1
        assert counts.dtype == (np.int64 if bits < 63 else object)
        for mechanism in (ExponentialMechanism(1.0), PermuteAndFlip(1.0)):
            chosen = mechanism.select(tally, Simulation(1))
            assert 0 <= h.decode(chosen.parameters)[0] <= 2**bits


def test_rays_of_one_float_and_none_of_several():
    h = DiscreteThresholds(53)
    rays = h.ones(h.encode_thresholds([0, 2**53]))
    assert rays is not None
    assert (rays.ends.tolist(), rays.upper.tolist(), rays.closed.tolist()) == ([0.0, 2.0**53], [False] * 2, [False] * 2)
    assert DiscreteThresholds(54).ones(np.zeros((1, 2))) is None
