"""Noise: distributions against sums of their definitions, samplers against both, privacy by exact computation."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import count

import frequencies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import chisquare, kstest, laplace, norm

from semipriv.audit.properties.entropy import LEVEL, Scripted, output_distribution
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.rounding import rounded_up
from semipriv.mechanisms.noise import discrete_gaussian, discrete_laplace
from semipriv.mechanisms.noise.base import integers
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.mechanisms.noise.laplace import Laplace

SEEDED_LEVEL = 1e-4
DISCRETE = [DiscreteLaplace, DiscreteGaussian]
CONTINUOUS = [Laplace, Gaussian]
SCALES = [Fraction(1, 20), Fraction(1, 3), 0.4, 0.5, 1, Fraction(10, 7), 3.7, 25, 400.5]

every_discrete = pytest.mark.parametrize("kind", DISCRETE)
every_continuous = pytest.mark.parametrize("kind", CONTINUOUS)
every_scale = pytest.mark.parametrize("scale", SCALES)


def log_weight(kind: type, scale: float, k: np.ndarray) -> np.ndarray:
    """The definition, without its normaliser."""
    return -np.abs(k) / scale if kind is DiscreteLaplace else -((k / scale) ** 2) / 2


@cache
def distribution(kind: type, scale: float | Fraction) -> tuple[np.ndarray, np.ndarray]:
    """Integers k and ln P[k] by the definition, all weights above e^-200 of the largest."""
    width = math.ceil(float(scale) * (200 if kind is DiscreteLaplace else 20)) + 1
    k = np.arange(-width, width + 1)
    weight = log_weight(kind, float(scale), k)
    return k, weight - math.log(math.fsum(np.exp(weight)))


def p_value(drawn: np.ndarray, k: np.ndarray, probability: np.ndarray) -> float:
    return frequencies.p_value(np.bincount(drawn - k[0], minlength=k.size), probability * drawn.size)


# -------------------------------------------------------------------------------------------------------- distributions
@every_discrete
@every_scale
def test_log_probability_is_the_definition(kind, scale):
    k, expected = distribution(kind, scale)
    log_masses = kind(scale).log_probability(k)
    np.testing.assert_allclose(log_masses, expected, rtol=1e-13, atol=2e-15)
    assert math.fsum(np.exp(log_masses)) == pytest.approx(1, abs=1e-14)


@every_discrete
@every_scale
def test_mean_and_variance_are_those_of_the_distribution(kind, scale):
    k, log_probability = distribution(kind, scale)
    probability = np.exp(log_probability)
    assert math.fsum(k * probability) == pytest.approx(0, abs=1e-12 * float(scale))
    assert kind(scale).variance == pytest.approx(math.fsum(k**2 * probability), rel=1e-12, abs=0)


def test_the_two_theta_series_agree_where_one_takes_over():
    """Sigma^2 = 1 / (2 pi): the normaliser there, and its slope, the variance, have no jump."""
    sigma = 1 / math.sqrt(2 * math.pi)
    below, above = DiscreteGaussian(sigma * (1 - 1e-15)), DiscreteGaussian(sigma * (1 + 1e-15))
    assert below._theta[0] != above._theta[0]
    assert below.log_normaliser == pytest.approx(above.log_normaliser, rel=3e-14)
    assert below.variance == pytest.approx(above.variance, rel=3e-14)
    assert math.exp(below.log_normaliser) == pytest.approx(math.pi**0.25 / math.gamma(0.75), rel=1e-14)


def test_the_normaliser_keeps_its_digits_near_zero():
    """Sigma = 0.1: ln Z = 2 e^-50, not 0."""
    assert DiscreteGaussian(0.1).log_normaliser == pytest.approx(2 * math.exp(-50), rel=1e-12, abs=0)


@pytest.mark.parametrize("sigma", [0.2, 0.7, 1.0, 30.0, 1e200])
def test_the_variance_of_the_discrete_gaussian_is_at_most_that_of_the_continuous(sigma):
    assert 0 < DiscreteGaussian(sigma).variance <= sigma * sigma


@every_scale
def test_log_cumulative_is_the_sum_of_the_distribution(scale):
    k, log_probability = distribution(DiscreteLaplace, scale)
    inner = slice(k.size // 4, -(k.size // 4))  # further out the sums miss what lies beyond
    lower = np.logaddexp.accumulate(log_probability)[inner]
    upper = np.logaddexp.accumulate(log_probability[::-1])[::-1]  # ln P[K >= k]
    above = np.append(upper[1:], -np.inf)[inner]
    actual_log_cumulative = DiscreteLaplace(scale).log_cumulative(k[inner])
    positive = k[inner] > 0
    np.testing.assert_allclose(actual_log_cumulative[~positive], lower[~positive], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(actual_log_cumulative[positive], np.log1p(-np.exp(above[positive])), rtol=1e-11)
    assert np.all(np.diff(actual_log_cumulative) >= 0)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e-3, 1e20, 1e200, 1.7e308, Fraction(10**300, 7)])
@every_discrete
def test_distributions_of_extreme_scales(kind, scale):
    noise = kind(scale)
    at = noise.log_probability([0, 1, -1, 10**300])
    assert not np.isnan(at).any()
    assert at[1] == at[2] <= at[0] <= 0
    if scale < 1:
        assert at[0] == 0
        assert noise.variance < 1e-100
    else:
        step = 2 if kind is DiscreteLaplace else math.sqrt(2 * math.pi)
        assert at[0] == pytest.approx(-math.log(step) - math.log(scale), rel=1e-14)
        assert noise.variance >= 0.99 * float(scale) * float(scale)
    if kind is DiscreteLaplace:
        cumulative = noise.log_cumulative([-(10**300), -1, 0, 10**300])
        assert np.all(cumulative[:-1] <= cumulative[1:])
        assert cumulative[2] == pytest.approx(0 if scale < 1 else -math.log(2), abs=1e-15)


@every_discrete
def test_log_probability_has_the_shape_of_the_values(kind):
    values = [[0, 1, 2], [-2, -1, 0]]
    log_masses = kind(1.5).log_probability(values)
    assert log_masses.shape == (2, 3)
    assert np.ndim(kind(1.5).log_probability(2)) == 0
    assert kind(1.5).log_probability(2) == log_masses[0, 2] == kind(1.5).log_probability(np.array([2], object))[0]


# ---------------------------------------------------------------------------------------------- exact samplers
class Rejected(Exception):  # noqa: N818
    """A sampler begins anew."""


@dataclass(frozen=True)
class Attempt(Secure):
    """Entropy of one attempt: both samplers begin each with their only uniform integer."""

    script: Scripted
    begun: count = field(default_factory=count)

    def below(self, bound: int) -> int:
        if next(self.begun):
            raise Rejected
        return self.script.below(bound)

    def bits(self, count: int) -> int:
        return self.script.bits(count)


def coin(exponent: Fraction, randomness: Attempt) -> bool:
    """An exact coin of exp(-exponent), instead of the one that test_bernoulli.py examines."""
    heads = math.exp(-exponent)
    return randomness.script.answer(lambda: [1 - heads, heads]) == 1


@every_discrete
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2, 3), 1, Fraction(3, 2), Fraction(5, 2), Fraction(13, 3)])
def test_the_exact_sampler_has_exactly_the_distribution(kind, scale, monkeypatch):
    """Attempts are independent, so the distribution is that of the first, given that it is accepted."""
    for module in (discrete_laplace, discrete_gaussian):
        monkeypatch.setattr(module, "bernoulli_exponential", coin)

    def attempt(script: Scripted) -> int | None:
        try:
            return kind(scale).exact(Attempt(script))
        except Rejected:
            return None

    listed, left = output_distribution(attempt, 1e-9)
    assert left <= 1e-9
    accepted = sum(mass for value, mass in listed.items() if value is not None)
    assert accepted > 0.3
    k, log_probability = distribution(kind, scale)
    exact = dict(zip(k.tolist(), np.exp(log_probability).tolist(), strict=True))
    assert set(listed) <= {*exact, None}
    for value, probability in exact.items():
        assert listed.get(value, 0) / accepted == pytest.approx(probability, abs=1e-8)


@every_discrete
@pytest.mark.parametrize("scale", [Fraction(1, 3), 0.4, 1, Fraction(10, 7), 3.7, 400.5])
@pytest.mark.parametrize("size", [None, 15, 8_000])
def test_exact_draws_follow_the_distribution(kind, scale, size):
    """One by one, a few at a time, and many at once, which are drawn in another way."""
    drawn = np.hstack([kind(scale).sample(Secure(), size) for _ in range(3_000 // (size or 1) + 1)])
    assert drawn.dtype == np.int64
    k, log_probability = distribution(kind, scale)
    assert p_value(drawn, k, np.exp(log_probability)) > LEVEL


@every_discrete
@pytest.mark.parametrize("scale", [10**12, 10**30, Fraction(10**40 + 1, 3)])
def test_exact_draws_of_large_scale_follow_the_continuous_distribution(kind, scale):
    drawn = kind(scale).sample(Secure(), size=3000)
    assert drawn.dtype == (np.int64 if scale < 10**15 else object)
    assert all(type(value) is int for value in drawn.tolist())
    continuous = laplace if kind is DiscreteLaplace else norm
    assert kstest([float(Fraction(value) / scale) for value in drawn.tolist()], continuous.cdf).pvalue > LEVEL
    low_digits = np.bincount([value % 10 for value in drawn.tolist()], minlength=10)
    assert chisquare(low_digits).pvalue > LEVEL


# ------------------------------------------------------------------------------------------------- simulations
@every_discrete
@every_scale
def test_simulated_draws_follow_the_distribution(kind, scale):
    drawn = kind(scale).sample(Simulation(3, (kind.__name__, str(scale))), size=200_000)
    assert drawn.dtype == np.int64
    k, log_probability = distribution(kind, scale)
    assert p_value(drawn, k, np.exp(log_probability)) > SEEDED_LEVEL


@every_discrete
def test_the_gate_can_fail(kind):
    """Three per cent off in scale, or the draws shifted by one: both are seen."""
    drawn = kind(3.7).sample(Simulation(4), size=200_000)
    k, log_probability = distribution(kind, 3.7 * 1.03)
    assert p_value(drawn, k, np.exp(log_probability)) < SEEDED_LEVEL
    k, log_probability = distribution(kind, 3.7)
    assert p_value(drawn + 1, k, np.exp(log_probability)) < SEEDED_LEVEL


@every_discrete
def test_simulated_draws_of_the_largest_scale(kind):
    drawn = kind(2.0**56).sample(Simulation(5), size=100_000)
    assert kstest(drawn / 2.0**56, laplace.cdf if kind is DiscreteLaplace else norm.cdf).pvalue > SEEDED_LEVEL


@every_continuous
@pytest.mark.parametrize("scale", [1e-3, 1.0, 7e5])
def test_simulated_draws_of_continuous_noise(kind, scale):
    drawn = kind(scale).sample(Simulation(6), size=200_000)
    assert kstest(drawn / scale, laplace.cdf if kind is Laplace else norm.cdf).pvalue > SEEDED_LEVEL
    assert kstest(drawn / scale * 1.03, laplace.cdf if kind is Laplace else norm.cdf).pvalue < SEEDED_LEVEL


@pytest.mark.parametrize("kind", [*DISCRETE, *CONTINUOUS])
@pytest.mark.parametrize("randomness", [Simulation(7), Secure()])
def test_shapes(kind, randomness):
    if kind in CONTINUOUS and isinstance(randomness, Secure):
        return
    number = int if kind in DISCRETE else float
    assert type(kind(2).sample(randomness)) is number
    for size in (0, 1, 5):
        drawn = kind(2).sample(randomness, size=size)
        assert drawn.shape == (size,)
        assert drawn.dtype == (np.int64 if number is int else np.float64)


# ----------------------------------------------------------------------------------------------------- privacy
@every_scale
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_the_epsilon_of_discrete_laplace_is_the_largest_log_ratio(scale, sensitivity):
    noise = DiscreteLaplace(scale)
    k = np.arange(-60, 61)
    loss = np.abs(noise.log_probability(k) - noise.log_probability(k + sensitivity))
    assert loss.max() == pytest.approx(noise.epsilon(sensitivity), rel=1e-12)
    half = DiscreteLaplace(Fraction(scale) / 2)
    broken = np.abs(half.log_probability(k) - half.log_probability(k + sensitivity))
    assert broken.max() > 1.99 * noise.epsilon(sensitivity)


def test_the_epsilon_of_a_vector_is_that_of_its_l1_distance():
    """Distance (2, -3, 0): the largest loss over a grid of outputs is that of sensitivity 5."""
    noise, shift = DiscreteLaplace(Fraction(7, 3)), (2, -3, 0)
    k = np.arange(-6, 7)
    loss = [noise.log_probability(k) - noise.log_probability(k - s) for s in shift]
    total = loss[0][:, None, None] + loss[1][None, :, None] + loss[2][None, None, :]
    assert np.abs(total).max() == pytest.approx(noise.epsilon(5), rel=1e-12)


def divergence(sigma: float | Fraction, shift: int, alpha: float) -> tuple[float, float]:
    """Renyi divergence of order alpha of the discrete Gaussian from itself shifted, by its definition; and its error.

    The logarithm of the largest term is a difference of large numbers, each with a few units of rounding, and so are
    the normalisers, of logarithms below 10.
    """
    k = np.arange(-math.ceil(40 * float(sigma)) - 60 * shift, math.ceil(40 * float(sigma)) + 60 * shift + 1)
    here, there = (log_weight(DiscreteGaussian, float(sigma), k - s) for s in (0, shift))
    here, there = here - logsumexp(here), there - logsumexp(there)
    terms = alpha * here + (1 - alpha) * there
    top = int(np.argmax(terms))
    size = alpha * abs(here[top]) + (alpha - 1) * abs(there[top]) + 10
    return float(logsumexp(terms)) / (alpha - 1), 8 * 2.0**-53 * float(size) / (alpha - 1)


@pytest.mark.parametrize("sigma", [Fraction(1, 3), 0.5, 1, Fraction(10, 7), 3.7, 25])
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_the_rho_of_the_discrete_gaussian_bounds_every_divergence(sigma, shift):
    """Alpha * rho is attained wherever (alpha - 1) * shift is an integer."""
    rho = DiscreteGaussian(sigma).rho(shift)
    for alpha in (1.05, 1.3, 1.5, 2, 2.7, 5, 12, 20.25):
        computed_divergence, error = divergence(sigma, shift, alpha)
        assert error < 1e-9 * alpha * rho
        assert computed_divergence <= alpha * rho + error
        if ((alpha - 1) * shift) % 1 == 0:
            assert computed_divergence >= alpha * rho - error
        if sigma > 1:
            assert computed_divergence > 0.999 * alpha * rho
            assert divergence(Fraction(sigma) * 99 / 100, shift, alpha)[0] > 1.01 * alpha * rho


def test_the_rho_of_a_vector_is_that_of_its_l2_distance():
    assert sum(divergence(2.5, s, 3.0)[0] for s in (3, 4)) == pytest.approx(3 * DiscreteGaussian(2.5).rho(5), rel=1e-10)


def test_the_epsilon_of_laplace_is_the_largest_log_ratio_of_densities():
    x = np.linspace(-50, 50, 10_001)
    noise = Laplace(2.3)
    loss = np.abs(noise.log_density(x) - noise.log_density(x - 1.7))
    assert loss.max() == pytest.approx(noise.epsilon(1.7), rel=1e-12)


@pytest.mark.parametrize("alpha", [1.1, 2.0, 7.0])
def test_the_rho_of_the_gaussian_is_its_divergence(alpha):
    noise, shift = Gaussian(2.3), 1.7

    def integrand(x: float) -> float:
        return math.exp(alpha * float(noise.log_density(x)) + (1 - alpha) * float(noise.log_density(x - shift)))

    centre = (1 - alpha) * shift
    integral, _ = quad(integrand, centre - 30, centre + 30, points=[centre], epsabs=0, epsrel=1e-11)
    assert math.log(integral) / (alpha - 1) == pytest.approx(alpha * noise.rho(shift), rel=1e-9)


@every_continuous
@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_densities_integrate_to_one_and_have_their_variance(kind, scale):
    noise, x_max = kind(scale), 60 * scale

    def moment(power: int) -> float:
        return 2 * quad(lambda x: x**power * math.exp(noise.log_density(x)), 0, x_max, points=[scale], epsrel=1e-11)[0]

    assert moment(0) == pytest.approx(1, rel=1e-9)
    assert moment(2) == pytest.approx(noise.variance, rel=1e-9)
    np.testing.assert_array_equal(noise.log_density([-scale, 0.5]), noise.log_density([scale, -0.5]))


POSITIVE = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9) | st.floats(1e-9, 1e9) | st.integers(1, 10**9)


@given(POSITIVE, POSITIVE)
def test_privacy_parameters_are_rounded_up_by_less_than_one_step(scale, sensitivity):
    ratio = Fraction(sensitivity) / Fraction(scale)
    for first, exact in [
        (DiscreteLaplace(scale).epsilon(sensitivity), ratio),
        (DiscreteGaussian(scale).rho(sensitivity), ratio**2 / 2),
        (Laplace(scale).epsilon(sensitivity), Fraction(sensitivity) / Fraction(float(scale))),
        (Gaussian(scale).rho(sensitivity), (Fraction(sensitivity) / Fraction(float(scale))) ** 2 / 2),
    ]:
        assert Fraction(math.nextafter(first, 0)) < exact <= Fraction(first)


def test_rounding_up_at_the_ends_of_the_range():
    assert rounded_up(Fraction(10) ** 400) == math.inf
    assert rounded_up(Fraction(1, 10**400)) == 5e-324
    assert rounded_up(Fraction(0)) == 0
    assert rounded_up(Fraction(0.1)) == 0.1


@pytest.mark.parametrize("scale", [3, 10**6, 4 * 10**9])
@every_discrete
def test_integers_of_numpy_do_not_overflow(kind, scale):
    """4e9 squared exceeds 64 bits: kept as NumPy's integer, rho was negative."""
    noise = kind(np.int64(scale))
    assert noise == kind(scale)
    assert hash(noise) == hash(kind(scale))
    assert isinstance(noise.sample(Secure()), int)
    cost = noise.epsilon if kind is DiscreteLaplace else noise.rho
    exact = kind(scale).epsilon if kind is DiscreteLaplace else kind(scale).rho
    assert cost(np.int64(scale)) == exact(scale) == (1 if kind is DiscreteLaplace else 0.5)
    assert cost(np.int32(1)) == exact(1) > 0


def test_integers_keep_their_shape_and_value():
    assert integers("values", [[1, -2]]).tolist() == [[1.0, -2.0]]
    assert integers("values", [3.0]).tolist() == [3.0]
    assert integers("values", np.array([10**20, -1], object)).tolist() == [1e20, -1.0]
