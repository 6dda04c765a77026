"""Selection under Secure: permute-and-flip's race in high precision, distributions, bits spent, candidates unlisted."""

import itertools
import math
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import frequencies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.audit.properties.entropy import Seeded
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.sampling.choice import Uniform, choose_each
from semipriv.mechanisms.sampling.weights import exponential_chance
from semipriv.mechanisms.selection import permute_and_flip
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip, noisy_score

both = pytest.mark.parametrize("mechanism", [ExponentialMechanism, PermuteAndFlip])


@dataclass(frozen=True)
class Counting(Secure):
    """The operating system's entropy, its bytes counted."""

    spent: list[int] = field(default_factory=lambda: [0])

    def entropy(self, count: int) -> bytes:
        self.spent[0] += count
        return super().entropy(count)


@dataclass(frozen=True)
class Recording(Seeded):
    """Entropy that repeats and is kept."""

    given: list[bytes] = field(default_factory=list)

    def entropy(self, count: int) -> bytes:
        self.given.append(super().entropy(count))
        return self.given[-1]


def score(uniform: Decimal, count: int, penalty: Decimal) -> Decimal:
    """-ln(1 - U^(1 / count)) - penalty, with 300 digits."""
    with localcontext() as context:
        context.prec = 300
        return -(1 - (uniform.ln() / count).exp()).ln() - penalty


def exact_penalty(rate: Fraction, gap: int) -> Decimal:
    with localcontext() as context:
        context.prec = 300
        return Decimal(rate.numerator) * gap / Decimal(rate.denominator)


RACES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 10**6) | st.integers(1, 2**62)), min_size=1, max_size=6)
RATES = st.sampled_from([Fraction(1, 10**9), Fraction(1, 50), Fraction(1, 2), Fraction(30), Fraction(10**12)])


@given(st.fractions(Fraction(1, 10**12), Fraction(1) - Fraction(1, 10**12)), st.integers(1, 2**62), RATES)
def test_noisy_scores_are_bracketed(number, count, rate):
    for width in (53, 106, 212):
        numerator = math.floor(number * 2**width)
        low, high = noisy_score(Uniform(Secure(), numerator, width), count, rate * 7)
        with localcontext() as context:
            context.prec = 300
            uniform = Decimal(number.numerator) / Decimal(number.denominator)
        exact = score(uniform, count, exact_penalty(rate, 7))
        assert low <= exact <= high


ENDS = [0, 1, 2, 3, 2**52 - 1, 2**52, 2**53 - 3, 2**53 - 2, 2**53 - 1]
"""Numbers drawn at which -ln(1 - U^(1 / count)) is 0 or infinite on one side, or beside."""


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 2**40 + 1, 2**61 + 1, 2**200 + 1, 2**900 + 1])
@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(1, 3), Fraction(10**6, 7), Fraction(2**950)])
def test_float_brackets_hold_the_noisy_scores(count, rate):
    """Both ends of each number drawn, against 60 digits and more, without tolerance; the brackets are not idle either.

    They hold by a factor of about 8: brackets that are rounded inward, or 30 times as narrow, do not hold.
    """
    rng = np.random.default_rng(count % 997)
    drawn = np.array([*ENDS, *rng.integers(0, 2**53, 20), *(2 ** rng.uniform(0, 53, 20)).astype(int)], np.uint64)
    gaps = np.array([0, 1, 2, 3, 5, 10, 10**3, 10**9, 2**61 - 1])[rng.integers(0, 9, len(drawn))]
    gaps[: len(ENDS)] = [0, 0, 1, 1, 2, 0, 0, 1, 0]
    counts = np.full(len(drawn), count, object if count > 2**62 else np.int64)
    low, high = permute_and_flip._float_brackets(drawn, gaps, counts, rate)
    with localcontext() as context:
        context.prec = 100 + len(str(count))  # 1 - U^(1 / count) is about 1 / count
        for u, gap, least, greatest in zip(drawn.tolist(), gaps.tolist(), low.tolist(), high.tolist(), strict=True):
            penalty = Decimal(rate.numerator) * gap / Decimal(rate.denominator)
            noise = [
                -(1 - ((Decimal(v) / 2**53).ln() / count).exp()).ln() if 0 < v < 2**53 else Decimal("inf" if v else 0)
                for v in (u, u + 1)
            ]
            if penalty < 2**900:  # beyond, the score is far below the best, and its lower end may be too high
                assert Decimal(least) <= noise[0] - penalty
            assert noise[1] - penalty <= Decimal(greatest)
            if noise[1] < 10**6 and penalty < 10**6:
                assert Decimal(greatest) - Decimal(least) <= noise[1] - noise[0] + (1 + noise[1] + penalty) / 2**44


@given(RACES, RATES, st.integers(0, 2**32), st.booleans())
def test_the_first_of_the_race_wins(pools, rate, seed, blind):
    """The pool of the largest noisy score, worked out from all bits that were drawn; also if floats decide nothing."""
    gaps = np.concatenate([[0], np.cumsum([gap for gap, _ in pools])])
    counts = np.array([3, *(count for _, count in pools)])
    source = Recording(seed)
    with pytest.MonkeyPatch.context() as patch:
        if blind:
            everything = lambda drawn, gaps, counts, rate: (np.zeros(len(gaps)), np.full(len(gaps), np.inf))  # noqa: E731
            patch.setattr(permute_and_flip, "_float_brackets", everything)
        epsilon = float(2 * rate)
        winner = PermuteAndFlip(epsilon).exact_pool(gaps, counts, source)
    first = np.frombuffer(source.given[0], "<u8") >> 11
    assert len(first) == len(gaps)
    best = []
    for p in range(len(gaps)):
        bounds = [
            score(
                (Decimal(int(first[p])) + offset) / 2**53,
                int(counts[p]),
                exact_penalty(Fraction(epsilon) / 2, int(gaps[p])),
            )
            for offset in (Decimal("1e-9"), Decimal(1) - Decimal("1e-9"))
        ]
        best.append(bounds)
    certain = [p for p in range(len(gaps)) if all(best[p][0] > best[q][1] for q in range(len(gaps)) if q != p)]
    assert not certain or winner == certain[0]


@dataclass(frozen=True)
class Scripted(Secure):
    """Entropy in words of 64 bits, as given."""

    words: list[int]

    def entropy(self, count: int) -> bytes:
        assert count % 8 == 0
        return b"".join(self.words.pop(0).to_bytes(8, "little") for _ in range(count // 8))


@pytest.mark.parametrize("known", [53, 117])
@pytest.mark.parametrize("winner", [0, 1])
def test_a_tie_in_all_bits_so_far_is_decided_by_the_next(known, winner):
    """Pools of gaps 0 and 1 with numbers beside one another near 1/2, and a penalty of half of what a step is worth.

    The noise -ln(1 - U) grows by 2 steps of 2^-known in one of U, the penalty is 2^-known.  Where the first number ends
    in ones and the second in zeros they are equal, and the penalty decides; the other way round the noise does.
    """
    positives, zeros, rate = 2**64 - 1, 0, 2.0**-known
    half = 2**52
    last = [(positives, zeros), (zeros, positives)][winner]
    equal = [] if known == 53 else [half << 11, half << 11]
    beside = [half << 11, (half + 1) << 11] if known == 53 else [2**63, 2**63 + 1]
    source = Scripted([*equal, *beside, *(word for word in last for _ in range(1 if known == 53 else 2))])
    assert PermuteAndFlip(2 * rate).exact_pool(np.array([0, 1]), np.array([1, 1]), source) == winner


# ------------------------------------------------------------------------------------ candidates far from the best
FAR = st.lists(st.tuples(st.integers(1, 50), st.integers(1, 4) | st.integers(1, 2**80)), min_size=1, max_size=5)


@given(FAR, st.sampled_from([Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(1000)]), st.integers(0, 40))
def test_the_chance_that_one_rises_is_bracketed(pools, rate, digits):
    """1 - prod (1 - exp(-rate gap))^count, against 200 digits, within 10^-digits; also beyond what is negligible."""
    low, high = exponential_chance(pools, rate, digits)
    with localcontext() as context:
        context.prec = 200
        none = Decimal(1)
        for gap, count in pools:
            none *= (1 - (-Decimal(rate.numerator) * gap / Decimal(rate.denominator)).exp()) ** count
        assert Decimal(low.numerator) <= (1 - none) * low.denominator
        assert (1 - none) * high.denominator <= Decimal(high.numerator)
    assert high - low <= Fraction(1, 10**digits)


def test_who_rises_is_the_inverse_transform_of_its_distribution():
    """Numbers on both sides of each threshold 1 - s_r: the first r with U < 1 - s_r rises; those after it draw anew."""
    gaps, counts, rate = np.array([3, 4, 7]), np.array([2, 1, 3]), Fraction(1, 2)
    gap_of_each = [gap for gap, count in zip(gaps.tolist(), counts.tolist(), strict=True) for _ in range(count)]
    far, nobody = lambda: (gaps, counts), 2**64 - 1
    none = Fraction(1)
    for r, gap in enumerate(gap_of_each):
        none *= 1 - Fraction(math.exp(-gap / 2))
        threshold = int((1 - none) * 2**64)
        for number, rises in ((threshold - 2**15, r), (threshold + 2**15, r + 1)):
            words = [number, 2**63, nobody] if rises < len(gap_of_each) else [number, 2**63]
            expected = gap_of_each[rises : rises + 1]
            assert permute_and_flip.rising(6, far, rate, Scripted(words[:1] + words[2:]), 1) == expected
    everybody = Scripted([0] * 6)
    assert permute_and_flip.rising(6, far, rate, everybody, 1) == gap_of_each, "0 is below each threshold"
    assert not everybody.words


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(2)])
def test_the_distribution_is_that_of_near_candidates_and_of_those_that_rise(rate):
    """Summed over all sets of far candidates: P[S rises] times the distribution of near ones and of S, all at gap 0."""
    mechanism = PermuteAndFlip(float(2 * rate))
    near, far = [0, -1, -1], [-2, -3, -3, -5]
    distribution = np.zeros(len(near) + len(far))
    for risen in itertools.product([False, True], repeat=len(far)):
        chance = math.prod(q if r else 1 - q for r, q in zip(risen, np.exp(float(rate) * np.array(far)), strict=True))
        members = [*range(len(near)), *(len(near) + i for i, r in enumerate(risen) if r)]
        distribution[members] += chance * np.exp(mechanism.log_probabilities([*near, *[0] * sum(risen)]))
    np.testing.assert_allclose(distribution, np.exp(mechanism.log_probabilities(near + far)), rtol=1e-12)


def test_draws_have_their_distribution_where_most_candidates_are_far(monkeypatch):
    """The horizon at a gap of 1, so that far candidates rise and win in many draws."""
    monkeypatch.setattr(permute_and_flip, "horizon", lambda rate: 1)
    monkeypatch.setattr(permute_and_flip, "rising", partial(permute_and_flip.rising, nearest=0))
    scores = np.array([7, 9, 5, 8, 7, 5, 8, 9, 6, 0])
    mechanism, source = PermuteAndFlip(1.0), Seeded(3)
    drawn = np.bincount([mechanism.sample(scores, source) for _ in range(500)], minlength=len(scores))
    assert frequencies.p_value(drawn, drawn.sum() * np.exp(mechanism.log_probabilities(scores))) > 1e-4


@both
def test_bits_do_not_grow_with_the_gap(mechanism):
    spent = {}
    for gap in (1, 10**3, 10**9, 2**61):
        source = Counting()
        for _ in range(200):
            mechanism(1.0).sample([0, -gap, -gap, -2 * gap if gap < 2**60 else -gap], source)
        spent[gap] = source.spent[0]
    assert max(spent.values()) <= 3 * spent[1]


@both
@pytest.mark.parametrize("bits", [10, 62, 64, 640])
def test_candidates_that_are_not_listed(mechanism, bits):
    """2^bits + 1 thresholds; the one run without mistakes, {6, ..., 9}, has about e^10 times its share."""
    h = DiscreteThresholds(bits)
    tally = h.tally(h.encode([5] * 1000 + [9] * 1000), [1] * 1000 + [0] * 1000)
    for randomness in (Secure(), Simulation(1)):
        chosen = [h.decode(mechanism(2.0).select(tally, randomness).parameters[None])[0] for _ in range(20)]
        assert all(6 <= j <= 9 for j in chosen)


class Nothing:
    """Candidates that are only ever asked for their histogram and one member."""

    def histogram(self):
        return np.array([2, 5]), np.array([1, 3])

    def member(self, mistakes, randomness):
        return mistakes

    def draw(self, rate, randomness):
        return rate


def test_what_a_mechanism_asks_of_its_candidates():
    assert ExponentialMechanism(1.0, sensitivity=2.0).select(Nothing(), Secure()) == Fraction(1, 4)
    assert {PermuteAndFlip(1.0).select(Nothing(), Secure()) for _ in range(200)} == {2, 5}


def test_secure_rejects_without_bias():
    assert Secure().entropy(32) != Secure().entropy(32)
    assert Secure().bits(0) == 0

    @dataclass(frozen=True)
    class Bytes(Secure):
        script: list[int]

        def entropy(self, count):
            assert count == 1
            return bytes([self.script.pop(0)])

    met = [Bytes([first << 5, 0]).below(6) for first in range(8)]
    assert met == [0, 1, 2, 3, 4, 5, 0, 0], "the two of eight that are too large are drawn again"


# ------------------------------------------------------------------------------------ many draws at once
@given(
    st.lists(st.integers(0, 40) | st.integers(0, 2**62 - 1), min_size=1, max_size=7),
    st.sampled_from([Fraction(1, 10**9), Fraction(1, 9), Fraction(7, 2), Fraction(1000)]),
    st.integers(0, 2**64 - 1),
)
def test_each_of_many_draws_is_the_inverse_transform_of_its_distribution(gaps, rate, number):
    """Numbers at random, and those whose first 64 digits are those of a boundary between candidates.

    The boundaries are worked out with 120 digits; the digits after the first 64 decide, all ones or all zeros.
    """
    row = np.array(gaps, np.int64) - min(gaps)
    with localcontext() as context:
        context.prec = 120
        weights = [(-Decimal(rate.numerator) * gap / Decimal(rate.denominator)).exp() for gap in row.tolist()]
        ends = [sum(weights[: i + 1]) / sum(weights) for i in range(len(weights))]
        for first in [number, *(min(int(end * 2**64), 2**64 - 1) for end in ends[:-1])]:
            for rest in (0, 2**64 - 1):
                words = [first, *[rest] * 40]
                exact = Decimal(sum(word << (64 * (40 - i)) for i, word in enumerate(words))) / Decimal(2) ** (64 * 41)
                if any(abs(exact - end) < Decimal(10) ** -60 for end in ends[:-1]):
                    continue
                expected = next((i for i, end in enumerate(ends) if exact < end), len(ends) - 1)
                assert choose_each(row[None], rate, Scripted(words)).tolist() == [expected]


def test_many_draws_have_the_distributions_of_each():
    """Rows of unlike scores, some beyond 62 bits, under both kinds of randomness."""
    scores = np.array([[3, 1, 4, 1], [0, 0, -(2**63), 2**63 - 1], [7, 7, 7, 6]])
    mechanism = ExponentialMechanism(1.0, 2.0)
    for randomness in (Seeded(3), Simulation(3)):
        drawn = mechanism.sample_each(np.tile(scores, (4000, 1)), randomness).reshape(4000, 3)
        for row, draws_of_scores in zip(scores, drawn.T, strict=True):
            distribution = np.exp(mechanism.log_probabilities(row))
            assert np.abs(np.bincount(draws_of_scores, minlength=4) / 4000 - distribution).max() < 0.04
    actual_sample_each = PermuteAndFlip(1.0).sample_each(np.array([[0, 10**6], [10**6, 0]]), Secure())
    assert actual_sample_each.tolist() == [1, 0]
