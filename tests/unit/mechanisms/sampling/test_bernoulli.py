"""Exact coins: distributions by enumeration of all that the entropy can say, and frequencies under real entropy."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from semipriv.audit.properties.entropy import LEVEL, Scripted, output_distribution
from semipriv.core.randomness import Secure
from semipriv.mechanisms.sampling.bernoulli import bernoulli, bernoulli_exponential


@dataclass(frozen=True)
class Counting(Secure):
    """Real entropy that counts how often it is asked."""

    asked: list[int] = field(default_factory=list)

    def below(self, bound: int) -> int:
        self.asked.append(bound)
        return super().below(bound)


def test_the_enumeration_knows_a_die():
    distribution, left = output_distribution(lambda r: 1 + r.below(2) + r.below(3), 0)
    assert left == 0
    assert distribution == {1: Fraction(1, 6), 2: Fraction(1, 3), 3: Fraction(1, 3), 4: Fraction(1, 6)}


@pytest.mark.parametrize("p", [Fraction(a, b) for b in (1, 2, 3, 7, 12) for a in range(b + 1)])
def test_a_coin_has_exactly_its_probability(p):
    distribution, left = output_distribution(lambda r: bernoulli(p, r), 0)
    assert left == 0
    assert (distribution[True], distribution[False]) == (p, 1 - p)


@pytest.mark.parametrize(
    "exponent", [Fraction(a, b) for a, b in [(0, 1), (1, 7), (1, 2), (2, 3), (1, 1), (4, 3), (5, 2), (3, 1)]]
)
def test_a_coin_of_an_exponential_has_exactly_its_probability(exponent):
    distribution, left = output_distribution(lambda r: bernoulli_exponential(exponent, r), 1e-4)
    assert left <= 1e-4
    assert (
        distribution[True] - Fraction(1, 10**15)
        <= Fraction(math.exp(-exponent))
        <= distribution[True] + left + Fraction(1, 10**15)
    )
    assert sum(distribution.values()) + left == 1


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(10**40 + 1, 3 * 10**40), Fraction(1), Fraction(9, 4)])
def test_frequencies_under_real_entropy(exponent):
    n, randomness = 30_000, Secure()
    heads = sum(bernoulli_exponential(exponent, randomness) for _ in range(n))
    assert binomtest(heads, n, math.exp(-exponent)).pvalue > LEVEL
    heads = sum(bernoulli(exponent / 3, randomness) for _ in range(n))
    assert binomtest(heads, n, float(exponent / 3)).pvalue > LEVEL


def test_fine_probabilities_are_not_rounded():
    """One in 10^400, which no float is, is decided by one integer below 10^400."""
    tiny = Fraction(1, 10**400)
    assert bernoulli(tiny, Scripted((0,)))
    assert not bernoulli(tiny, Scripted((1,)))
    assert not bernoulli(1 - tiny, Scripted((10**400 - 1,)))


@pytest.mark.parametrize("exponent", [Fraction(50), Fraction(10**100), Fraction(10**400, 3)])
def test_the_time_does_not_grow_with_the_exponent(exponent):
    """A coin of exp(-1) asks e integers on average, and 1 / (1 - 1/e) coins are thrown: 4.3 a draw."""
    randomness, n = Counting(), 3000
    assert not any(bernoulli_exponential(exponent, randomness) for _ in range(n))
    assert len(randomness.asked) / n == pytest.approx(math.e / (1 - 1 / math.e), abs=0.4)  # 9 standard errors


@pytest.mark.parametrize("value", [np.int64(0), np.int64(1), True, Fraction(np.int64(1), np.int64(3))])
def test_integers_of_numpy_are_numbers(value):
    assert bernoulli(value, Secure()) in (True, False)
    assert bernoulli_exponential(value, Secure()) in (True, False)
