"""The statistical audit: honest mechanisms pass at the stated rate, broken ones are caught, limits against scipy."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from semipriv.audit.statistical import (
    CHOOSING_SHARE,
    Event,
    StatisticalPrivacyLoss,
    privacy_loss_of_values,
    statistical_privacy_loss,
)
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.core.statistics import Verdict
from semipriv.privacy.guarantee import Guarantee

CHANCE = 1e-6
"""Error probability of a test on simulated audits; seeds are fixed."""


def laplace_mean(epsilon: float, factor: float = 1.0):
    """Mean of n numbers of [0, 1] plus Laplace noise of scale 1 / (n epsilon), times a factor."""

    def run(data: np.ndarray, randomness: Simulation) -> np.ndarray:
        scale = factor / (len(data) * epsilon)
        return np.array([data.mean() + randomness.generator.laplace(scale=scale)])

    return run


ZEROS = np.zeros(10)
ONE = np.eye(10)[0]


def first_number(output: np.ndarray) -> float:
    return output[0]


def audit_mean(run, seed: int, runs: int, level: float = 1e-3) -> StatisticalPrivacyLoss:
    return statistical_privacy_loss(run, ZEROS, ONE, first_number, runs, level=level, randomness=Simulation(seed))


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Noise for sensitivity 1 whose best half-line has exactly P = e^epsilon P' + delta (Balle and Wang 2018)."""

    def excess(sigma: float) -> float:
        shift = 1 / (2 * sigma)
        tail = stats.norm.cdf(shift - epsilon * sigma) - math.exp(epsilon) * stats.norm.cdf(-shift - epsilon * sigma)
        return tail - delta

    return optimize.brentq(excess, 0.05, 50)


def alarms(draw, claim: Guarantee, level: float, runs: int, audits: int) -> int:
    """Audits that call the claim violated; draw: (generator, shape, shift of the data) -> outputs."""
    generator = np.random.default_rng(20)
    outputs = [draw(generator, (audits, runs), shift) for shift in (0.0, 1.0)]
    losses = (privacy_loss_of_values(a, b, delta=claim.delta, level=level) for a, b in zip(*outputs, strict=True))
    return sum(loss.verdict(claim) is Verdict.VIOLATED for loss in losses)


def test_an_honest_laplace_mean_passes() -> None:
    loss = audit_mean(laplace_mean(1.0), seed=1, runs=3000)
    assert loss.verdict(Guarantee(1.0)) is Verdict.INCONCLUSIVE
    assert 0.6 < loss.epsilon_lower < 1
    assert (loss.runs, loss.judging_runs) == (3000, 2250)


def test_halved_noise_is_caught() -> None:
    loss = audit_mean(laplace_mean(1.0, factor=0.5), seed=2, runs=2000)
    assert loss.verdict(Guarantee(1.0)) is Verdict.VIOLATED
    assert 1.3 < loss.epsilon_lower < 2


@pytest.mark.parametrize("level", [0.01, 0.2])
@pytest.mark.parametrize("runs", [40, 400])
def test_false_alarms_of_an_exact_laplace_claim(level: float, runs: int) -> None:
    """Every half-line on the right side attains P = e P': nothing but the confidence limits keeps the rate down."""
    computed_alarms = alarms(lambda g, shape, shift: shift + g.laplace(size=shape), Guarantee(1.0), level, runs, 400)
    assert stats.binomtest(computed_alarms, 400, level, alternative="greater").pvalue > CHANCE


def test_false_alarms_of_an_exact_gaussian_claim() -> None:
    claim = Guarantee(0.5, 0.1)
    sigma = gaussian_sigma(claim.epsilon, claim.delta)
    computed_alarms = alarms(lambda g, shape, shift: g.normal(shift, sigma, shape), claim, 0.2, 400, 400)
    assert stats.binomtest(computed_alarms, 400, 0.2, alternative="greater").pvalue > CHANCE


def test_claims_a_little_below_the_truth_are_caught_with_many_runs() -> None:
    """So that the tests of false alarms are not passed by a bound that never rises."""
    computed_alarms = alarms(lambda g, shape, shift: shift + g.laplace(size=shape), Guarantee(0.85), 0.05, 60_000, 20)
    assert computed_alarms == 20
    sigma = gaussian_sigma(0.5, 0.1)
    computed_alarms = alarms(
        lambda g, shape, shift: g.normal(shift, sigma, shape), Guarantee(0.4, 0.1), 0.05, 60_000, 20
    )
    assert computed_alarms == 20


def test_gaussian_noise_of_half_the_size_is_caught_only_with_its_delta() -> None:
    claim = Guarantee(1.0, 1e-2)
    sigma = gaussian_sigma(claim.epsilon, claim.delta)
    generator = np.random.default_rng(3)
    for factor, verdict in ((1.0, Verdict.INCONCLUSIVE), (0.5, Verdict.VIOLATED)):
        a, b = generator.normal(0, factor * sigma, 8000), generator.normal(1, factor * sigma, 8000)
        assert privacy_loss_of_values(a, b, delta=claim.delta, level=1e-3).verdict(claim) is verdict
        assert privacy_loss_of_values(a, b, delta=0.9, level=1e-3).epsilon_lower == 0
    a, b = generator.normal(0, sigma, 200_000), generator.normal(1, sigma, 200_000)
    assert privacy_loss_of_values(a, b, level=1e-3).verdict(Guarantee(1.0)) is Verdict.VIOLATED


@pytest.mark.parametrize("leak_on_sample", [True, False])
def test_limits_against_scipy(leak_on_sample: bool) -> None:
    """An answer that only one of the data sets can give: the limits of 0 and of k successes, each at level / 2."""
    runs, level = 800, 0.01
    leak = (np.arange(runs) % 4 == 0).astype(float)
    pair = (leak, np.zeros(runs)) if leak_on_sample else (np.zeros(runs), leak)
    loss = privacy_loss_of_values(*pair, delta=0.05, level=level)
    assert loss.event == Event(1.0, upper=True, likelier_on_sample=leak_on_sample)
    judging = runs - int(CHOOSING_SHARE * runs)
    hits = int(leak[-judging:].sum())
    low = stats.binomtest(hits, judging, alternative="greater").proportion_ci(1 - level / 2, "exact").low
    high = stats.binomtest(0, judging, alternative="less").proportion_ci(1 - level / 2, "exact").high
    assert loss.probability_low == pytest.approx(low, rel=1e-9)
    assert loss.probability_high == pytest.approx(high, rel=1e-9)
    assert loss.epsilon_lower == pytest.approx(math.log((low - 0.05) / high), rel=1e-9)
    assert loss.epsilon_lower_at(0.0) == pytest.approx(math.log(low / high), rel=1e-9)
    assert loss.epsilon_lower_at(0.5) == 0


@pytest.mark.parametrize("level", [0.5, 0.05, 1e-4])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_runs_needed_as_documented(epsilon: float, level: float) -> None:
    """The surest event of all: certain on one side, never seen on the other."""
    needed = math.log(2 / level) / math.log1p(math.exp(-epsilon))
    lowers = {}
    for runs in range(2, round(2 * needed) + 4):
        loss = privacy_loss_of_values(np.ones(runs), np.zeros(runs), level=level)
        lowers.setdefault(loss.judging_runs, loss.epsilon_lower)
    enough = {judging for judging, lower in lowers.items() if lower > epsilon}
    assert enough == {judging for judging in lowers if judging > needed}
    assert enough
    assert enough != set(lowers)


def test_the_event_knows_the_choosing_runs_only() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.normal(0, 1, 400), generator.normal(1, 1, 400)
    loss = privacy_loss_of_values(a, b, level=0.05)
    for _ in range(20):
        other = [np.concatenate([x[:100], generator.normal(generator.normal(), 3, 300)]) for x in (a, b)]
        assert privacy_loss_of_values(*other, level=0.05).event == loss.event
        likelier, rarer = other if loss.event.likelier_on_sample else other[::-1]
        counts = [
            int(np.sum(x[100:] >= loss.event.threshold if loss.event.upper else x[100:] <= loss.event.threshold))
            for x in (likelier, rarer)
        ]
        expected = [
            stats.beta.ppf(0.025, counts[0], 301 - counts[0]) if counts[0] else 0.0,
            stats.beta.ppf(0.975, counts[1] + 1, 300 - counts[1]) if counts[1] < 300 else 1.0,
        ]
        actual = privacy_loss_of_values(*other, level=0.05)
        np.testing.assert_allclose([actual.probability_low, actual.probability_high], expected, rtol=1e-9)


def test_symmetries() -> None:
    """Swapped data sets, rescaled and reversed statistics find the same bound."""
    generator = np.random.default_rng(5)
    a, b = generator.normal(0, 1, 1000), generator.normal(1, 1, 1000)
    loss = privacy_loss_of_values(a, b, level=0.05)
    event = loss.event
    swapped = privacy_loss_of_values(b, a, level=0.05)
    assert swapped.event == Event(event.threshold, event.upper, not event.likelier_on_sample)
    stretched = privacy_loss_of_values(np.exp(a), np.exp(b), level=0.05)
    assert stretched.event == Event(float(np.exp(event.threshold)), event.upper, event.likelier_on_sample)
    assert swapped.epsilon_lower == stretched.epsilon_lower == loss.epsilon_lower > 0


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("on_sample", [True, False])
def test_each_half_line_and_direction_is_found(upper: bool, on_sample: bool) -> None:
    """A tail that only one data set has, on top of the distribution that both share."""
    generator = np.random.default_rng(6)
    plain, tailed = generator.normal(size=4000), generator.normal(size=4000)
    tailed[generator.random(4000) < 0.2] = 9.0 if upper else -9.0
    pair = (tailed, plain) if on_sample else (plain, tailed)
    loss = privacy_loss_of_values(*pair, level=0.01)
    assert (loss.event.upper, loss.event.likelier_on_sample) == (upper, on_sample)
    assert loss.epsilon_lower > 4
    assert loss.verdict(Guarantee(4.0)) is Verdict.VIOLATED


def test_every_run_has_coins_of_its_own() -> None:
    seen = []

    def run(data: str, randomness: Simulation) -> float:
        seen.append(randomness.generator.random())
        return seen[-1]

    first = statistical_privacy_loss(run, "a", "b", float, 200, level=0.05, randomness=Simulation(7))
    assert len(set(seen)) == 400
    again = statistical_privacy_loss(run, "a", "b", float, 200, level=0.05, randomness=Simulation(7))
    assert again == first
    assert statistical_privacy_loss(run, "a", "b", float, 200, level=0.05, randomness=Simulation(8)) != first


def test_algorithms_on_secure_entropy() -> None:
    """Randomised response that tells the truth three times in four, its coins from the operating system."""

    def run(bit: int, randomness: Randomness) -> int:
        assert isinstance(randomness, Secure)
        return bit if randomness.below(4) else 1 - bit

    loss = statistical_privacy_loss(run, 0, 1, float, 3000, level=1e-9, randomness=Secure())
    assert loss.verdict(Guarantee(math.log(3))) is Verdict.INCONCLUSIVE
    assert loss.verdict(Guarantee(0.3)) is Verdict.VIOLATED


def test_infinite_statistics_and_ties() -> None:
    a = np.where(np.arange(400) % 2, np.inf, 0.0)
    loss = privacy_loss_of_values(a, np.zeros(400), level=0.05)
    assert loss.event == Event(np.inf, upper=True, likelier_on_sample=True)
    assert loss.epsilon_lower > 3
    assert privacy_loss_of_values(np.zeros(400), np.zeros(400), level=0.05).epsilon_lower == 0
