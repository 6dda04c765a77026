"""Draws by rejection under a step function: all attempts enumerated, floats against brackets, frequencies, tails."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import frequencies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, laplace, norm

from semipriv.audit.properties.entropy import LEVEL, Scripted, Seeded, output_distribution
from semipriv.core.randomness import Secure
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.sampling import steps
from semipriv.mechanisms.sampling.steps import FURTHEST, StepRejection
from semipriv.mechanisms.sampling.weights import exponential_multiple

KINDS = [DiscreteLaplace, DiscreteGaussian]
BITS = 9
TAIL = 10**6


def rejection(noise: DiscreteNoise, near: int, halving: int, bits: int = 64) -> StepRejection:
    return StepRejection(noise.exponent, noise._exponents, near, halving, bits)


# ------------------------------------------------------------------------------------------------- all attempts
@dataclass(frozen=True)
class Attempt(Scripted):
    """Entropy of one attempt: u, the place in a block, and a sign."""

    block: int = 1

    def entropy(self, count: int) -> bytes:
        assert count == 16
        words = self.below(2**BITS) << (64 - BITS), self.below(self.block) << 1 | self.below(2)
        return b"".join(word.to_bytes(8, "little") for word in words)


class Coin:
    """A uniform number of which the first digits are known: that it is below another one is an answer of the script."""

    def __init__(self, randomness: Attempt, numerator: int = 0, width: int = 0) -> None:
        self.randomness, self.numerator, self.width = randomness, numerator, width

    def is_below(self, bracket) -> bool:
        low, high = bracket(30)
        heads = min(max((low + high) / 2 * 2**self.width - self.numerator, Fraction(0)), Fraction(1))
        return self.randomness.answer(lambda: [1 - heads, heads]) == 1


ATTEMPTS = [
    (DiscreteLaplace(Fraction(3, 2)), 24, 2, 512),
    (DiscreteLaplace(Fraction(3, 2)), 3, 2, 512),
    (DiscreteLaplace(Fraction(1, 3)), 1, 1, 512),
    (DiscreteLaplace(Fraction(13, 3)), 12, 5, 4),
    (DiscreteGaussian(Fraction(1, 2)), 6, 1, 512),
    (DiscreteGaussian(Fraction(5, 3)), 2, 2, 512),
    (DiscreteGaussian(Fraction(13, 3)), 30, 5, 5),
    (DiscreteGaussian(Fraction(13, 3)), 7, 5, 2),
]
"""Noises with N and L, and most blocks: narrow and wide ones, and such that the tail is drawn often."""


def accepted_values(sampler: StepRejection, monkeypatch) -> dict:
    """Return the probability of each value that an attempt accepts; TAIL: that it falls beyond the blocks."""
    monkeypatch.setattr(steps, "Uniform", Coin)
    monkeypatch.setattr(StepRejection, "_beyond", lambda *_: (TAIL, True))

    def attempt(script: Scripted) -> int | None:
        (value,), (accepted,) = sampler._attempt(1, Attempt(script.path, script.position, sampler._block))
        return int(value) if accepted else None

    listed, left = output_distribution(attempt, 1e-12)
    assert left <= 1e-12
    assert listed.pop(-TAIL) == listed[TAIL]
    return {k: float(mass) for k, mass in listed.items() if k is not None}


def errors(listed: dict, noise: DiscreteNoise, sampler: StepRejection) -> list[float]:
    """By how much probabilities of values within the blocks differ from S exp(-x) / 2^(b + 1)."""
    within = range(1 - sampler._end, sampler._end)
    weights = {k: math.exp(-noise.exponent(abs(k))) * sampler._owners.unit / 2 ** (BITS + 1) for k in within}
    return [listed.get(k, 0.0) - weights[k] for k in within]


@pytest.mark.parametrize(("noise", "near", "halving", "blocks"), ATTEMPTS)
def test_an_attempt_returns_each_integer_with_its_probability(noise, near, halving, blocks, monkeypatch):
    """By enumeration of all numbers u, places in blocks, signs and coins."""
    monkeypatch.setattr(steps, "_BLOCKS", blocks)
    sampler = rejection(noise, near, halving, BITS)
    listed = accepted_values(sampler, monkeypatch)
    tail = listed.pop(TAIL)
    assert tail == sampler._owners.tail / 2 ** (BITS + 1)
    assert set(listed) <= set(range(1 - sampler._end, sampler._end))
    assert sum(listed.values()) > 0.3
    np.testing.assert_allclose(errors(listed, noise, sampler), 0, atol=1e-12)


@pytest.mark.parametrize(("noise", "near", "halving", "blocks"), ATTEMPTS)
def test_each_integer_of_the_tail_has_its_probability(noise, near, halving, blocks, monkeypatch):
    """S exp(-x) / a of those attempts that fall beyond the blocks."""
    monkeypatch.setattr(steps, "_BLOCKS", blocks)
    sampler = rejection(noise, near, halving, BITS)
    monkeypatch.setattr(steps, "Uniform", Coin)
    listed, left = output_distribution(sampler._beyond, 1e-6)
    assert left <= 1e-6
    for y in range(sampler._end, sampler._end + 40):
        expected = math.exp(-noise.exponent(y)) * sampler._owners.unit / sampler._owners.tail
        assert float(listed.get((y, True), 0)) == pytest.approx(expected, abs=1e-6)
    assert min(y for y, _ in listed) == sampler._end


@pytest.mark.parametrize("fault", ["a block owns less", "floats decide beyond their error"])
def test_faults_are_seen(fault, monkeypatch):
    noise, near, halving, blocks = ATTEMPTS[-1]
    monkeypatch.setattr(steps, "_BLOCKS", blocks)
    sampler = rejection(noise, near, halving, BITS)
    if fault == "a block owns less":
        first = sampler._owners.first.astype(np.int64)
        first[1:] -= first[1] // 4
        broken = steps._Owners(first.astype(np.uint64), sampler._owners.unit, sampler._owners.tail)
        monkeypatch.setitem(sampler.__dict__, "_owners", broken)
    else:
        shares = StepRejection._shares
        monkeypatch.setattr(StepRejection, "_shares", lambda self, y: shares(self, y) + 4)
    listed = accepted_values(sampler, monkeypatch)
    assert max(map(abs, errors(listed, noise, sampler))) > 1e-4


# --------------------------------------------------------------------------------------------------- what is assumed
SCALES = st.floats(5e-324, 1e17) | st.fractions(min_value=Fraction(1, 10**9), max_value=2**55) | st.integers(1, 2**55)


@pytest.mark.parametrize("kind", KINDS)
@given(scale=SCALES, share=st.floats(0, 1))
def test_floats_are_within_their_error(kind, scale, share):
    noise = kind(scale)
    near, halving = noise._reach
    if near > FURTHEST:
        return
    sampler = rejection(noise, near, halving)
    y = int(share * near)
    factor = Fraction(sampler._owners.unit * sampler._block)
    low, high = exponential_multiple(factor, noise.exponent(y), 30)
    value = Fraction(float(sampler._shares(np.array([y]))[0]))
    error = Fraction(2) ** -40
    assert low * (1 - error) - 1 <= value <= high * (1 + error) + 1


@pytest.mark.parametrize("kind", KINDS)
@given(scale=SCALES)
def test_each_block_and_the_tail_own_what_the_proof_asks_for(kind, scale):
    """In integers of 64 bits.  Boundaries that passed through floats left the furthest integers without any number."""
    noise = kind(scale)
    near, halving = noise._reach
    if near > FURTHEST:
        return
    sampler = rejection(noise, near, halving)
    owners = sampler._owners
    first = [int(number) for number in owners.first]
    *blocks, tail = (end - start for start, end in itertools.pairwise(first))
    assert first[0] == 0
    assert first[-1] < 2**64
    assert len(blocks) == sampler._blocks
    for m, owned in enumerate(blocks):
        weight = Fraction(owners.unit * sampler._block)
        assert owned >= exponential_multiple(weight, noise.exponent(m * sampler._block), 24)[1], m
    assert tail == owners.tail
    assert tail >= exponential_multiple(Fraction(2 * halving * owners.unit), noise.exponent(sampler._end), 24)[1]


def test_too_few_bits_are_refused():
    with pytest.raises(ValueError, match="bits = 16: are too few for N = 1600000"):
        rejection(DiscreteLaplace(10**5), *DiscreteLaplace(10**5)._reach, 16).draw(5, Secure())


@pytest.mark.parametrize("kind", KINDS)
@given(scale=SCALES, beyond=st.integers(0, 10**6))
def test_the_tail_halves(kind, scale, beyond):
    noise = kind(scale)
    near, halving = noise._reach
    y = near + beyond
    assert noise.exponent(0) == 0
    assert noise.exponent(y + 1) >= noise.exponent(y) >= 15
    assert noise.exponent(y + halving) - noise.exponent(y) >= Fraction(7, 10)


@pytest.mark.parametrize("kind", KINDS)
@given(scale=SCALES)
def test_nearly_all_numbers_are_owned(kind, scale):
    """An attempt is rejected with a small probability: numbers without an owner, the steps above w, and -0."""
    noise = kind(scale)
    near, halving = noise._reach
    if near > FURTHEST:
        return
    sampler = rejection(noise, near, halving)
    owners = sampler._owners
    assert 0.99 * 2**64 < int(owners.first[-1]) < 2**64
    assert sampler._blocks <= 512
    one = math.exp(noise.log_probability(0))
    assert owners.unit / 2**64 / one * (1 + one) / 2 > 0.46


# ------------------------------------------------------------------------------------------------------ frequencies
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [Fraction(1, 3), 1, 3.7, 400.5])
@pytest.mark.parametrize(("near", "bits"), [(None, 64), (2, 16)])
def test_draws_follow_the_distribution(kind, scale, near, bits):
    """As a release draws them; and with so few digits, and so near a tail, that the slow ways decide often."""
    noise = kind(scale)
    reach, halving = noise._reach
    drawn = rejection(noise, reach if near is None else near * halving, halving, bits).draw(
        200_000 if near is None else 5_000, Secure()
    )
    k = np.arange(-20 * reach, 20 * reach + 1)
    expected = np.exp(noise.log_probability(k)) * drawn.size
    assert frequencies.p_value(np.bincount(drawn - k[0], minlength=k.size), expected) > LEVEL


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [10**6, 2**40 + 1, Fraction(2**54, 3)])
def test_wide_draws_follow_the_continuous_distribution(kind, scale):
    """Blocks of many magnitudes: their places have a say, down to the last digit."""
    drawn = kind(scale).sample(Secure(), 200_000)
    assert drawn.dtype == np.int64
    continuous = laplace if kind is DiscreteLaplace else norm
    assert kstest(drawn / float(scale), continuous.cdf).pvalue > LEVEL
    shares = np.full(16, drawn.size / 16)
    assert frequencies.p_value(np.bincount(drawn % 16, minlength=16), shares) > LEVEL


def test_what_exceeds_64_bits_is_a_python_integer():
    scale = 2**60
    noise = DiscreteLaplace(scale)
    drawn = rejection(noise, FURTHEST, scale).draw(4_000, Secure())
    assert drawn.dtype == object
    assert all(type(value) is int for value in drawn.tolist())
    assert max(map(abs, drawn.tolist())) >= 2**62
    assert kstest([float(Fraction(value) / scale) for value in drawn.tolist()], laplace.cdf).pvalue > LEVEL


def test_entropy_that_repeats_gives_the_same_draws():
    noise = DiscreteGaussian(12.5)
    first, again, other = (noise.sample(Seeded(seed), 300_000) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).mean() > 0.9


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17])
def test_sizes(size):
    drawn = DiscreteLaplace(2).sample(Secure(), size)
    assert drawn.shape == (size,)
    assert drawn.dtype == np.int64
