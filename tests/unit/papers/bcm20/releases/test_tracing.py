"""The tracing attack: formulas against all small samples, tiny cases by hand, honest thresholds, releases, errors."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.papers.bcm20.releases import stump_releases as releases
from semipriv.papers.bcm20.releases import tracing
from semipriv.papers.bcm20.releases.tracing import Population
from semipriv.privacy.gaussian import gaussian_delta
from semipriv.privacy.guarantee import Guarantee

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
"""Means mu and weights that integrate polynomials up to degree 11 over [-1, 1]; weights add up to 2."""


def expected(of) -> float:
    """Mean of a polynomial of mu, uniform in [-1, 1]."""
    return float(np.sum(WEIGHTS * [of(mu) for mu in NODES]) / 2)


def distribution(mu: float, n: int):
    """All samples of n records with one coordinate, with their probabilities."""
    for signs in itertools.product((-1, 1), repeat=n):
        yield np.array(signs), math.prod((1 + s * mu) / 2 for s in signs)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_mean_and_variance_by_enumeration(n: int) -> None:
    """One coordinate: all samples of n, and the fresh record's two values, for means that integrate exactly.

    Noise of variance v has the two values +- sqrt(v).
    """
    v = 0.3

    def inside(mu: float) -> float:
        return sum(p * (x.mean() - mu) * (x[0] - mu) for x, p in distribution(mu, n))

    def outside(mu: float) -> float:
        fresh = [(y, (1 + y * mu) / 2) for y in (-1, 1)]
        noise = (-math.sqrt(v), math.sqrt(v))
        return sum(
            p * chance / 2 * ((x.mean() + e - mu) * (y - mu)) ** 2
            for x, p in distribution(mu, n)
            for y, chance in fresh
            for e in noise
        )

    assert tracing.mean_inside(7, n) == pytest.approx(7 * expected(inside))
    assert tracing.variance_outside(7, n, v) == pytest.approx(7 * expected(outside))


def test_paired_scores_need_more() -> None:
    """Without a centre a fresh record's variance is 4/15 a coordinate for exact answers q = mu."""
    variance = expected(lambda mu: 2 * mu**2 * (1 - mu**2))
    assert variance == pytest.approx(4 / 15)
    randomness = Simulation(1).generator
    variances = []
    for _ in range(20):
        population = Population.draw(500, randomness)
        fresh, references = population.records(200, randomness), population.records(200, randomness)
        variances.append(tracing.paired_scores(population.means, fresh, references).var())
    assert np.mean(variances) == pytest.approx(500 * 4 / 15, rel=0.05)


def test_predicted_rates_of_the_specification() -> None:
    exact = tracing.mean_inside(1000, 200) / math.sqrt(tracing.variance_outside(1000, 200, 0))
    assert exact == pytest.approx(2.04, abs=0.01)
    noise = releases.UniformNoise(0.1).variance
    assert noise == pytest.approx(0.1**2 / 3)
    z = tracing.mean_inside(1000, 316) / math.sqrt(tracing.variance_outside(1000, 316, noise))
    assert z == pytest.approx(1.067, abs=1e-3)
    assert tracing.predicted_rate(1000, 316, noise, 0.01) == pytest.approx(
        (1 + math.erf((z - 2.3263) / math.sqrt(2))) / 2, abs=1e-4
    )


def test_scores_by_hand() -> None:
    """<q - c, y - c> with q - c = (.5, -1): for y = (1, 1), (1, -1), (-1, 1)."""
    records = np.array([[True, True], [True, False], [False, True]])
    q, c = np.array([0.5, -0.5]), np.array([0.0, 0.5])
    wanted = [0.5 * 1 - 1 * 0.5, 0.5 * 1 - 1 * -1.5, 0.5 * -1 - 1 * 0.5]
    assert tracing.scores(q, c, records) == pytest.approx(wanted)
    both = tracing.scores(np.stack([q, 0 * q], axis=1), np.stack([c, 0 * c], axis=1), records)
    assert both == pytest.approx(np.array([wanted, [0, 0, 0]]).T)
    assert tracing.scores(q, c, records[:0]).shape == (0,)


def test_blocks_do_not_matter(monkeypatch) -> None:
    generator = Simulation(2).generator
    population = Population.draw(11, generator)
    records = population.records(57, generator)
    q = generator.normal(size=(11, 3))
    c = population.means
    whole = tracing.scores(q, np.tile(c[:, None], 3), records)
    y = 2.0 * records - 1
    assert whole == pytest.approx(((y - c) @ (q - c[:, None])), abs=1e-4)
    monkeypatch.setattr(tracing, "_BLOCK", 40)
    assert tracing.scores(q, np.tile(c[:, None], 3), records) == pytest.approx(whole, abs=1e-5)


def test_populations_have_the_means_they_say() -> None:
    """Shares out of 2^16: records are 1 with exactly that probability; 4 standard deviations of each mean."""
    generator = Simulation(3).generator
    population = Population.draw(2000, generator)
    mu = population.means
    assert np.array_equal(mu, 2 * (population.share / 2**16) - 1)
    assert -1 < mu.min() < -0.98
    assert 0.98 < mu.max() < 1
    off = (tracing.record_means(population.records(4000, generator)) - mu) / np.sqrt((1 - mu**2) / 4000)
    assert abs(np.mean(off)) < 4 / math.sqrt(2000)
    assert np.mean(off**2) == pytest.approx(1, abs=4 * math.sqrt(2 / 2000))
    certain = Population(np.array([1, 2**16 - 1], np.uint16))
    assert tracing.record_means(certain.records(500, generator)) == pytest.approx([-1, 1], abs=0.05)


@pytest.mark.parametrize("n", [99, 100, 250])
def test_threshold_flags_no_more_than_the_rate(n: int) -> None:
    """Of n + 1 exchangeable scores, exactly k ranks are above the threshold that the others set."""
    scores = np.arange(n + 1.0)
    flagged = [score > tracing.threshold(np.delete(scores, i), 0.01) for i, score in enumerate(scores)]
    assert sum(flagged) == math.floor(0.01 * (n + 1)) >= 1
    assert np.mean(flagged) <= 0.01
    both = tracing.threshold(np.stack([scores, -scores], axis=1), 0.01)
    assert both.tolist() == [tracing.threshold(scores, 0.01), tracing.threshold(-scores, 0.01)]


def test_the_attack_on_tiny_cases() -> None:
    """Exact answers to one record of 200 coordinates give it away; public means give away public records alone."""
    randomness = Simulation(4)
    generator = randomness.generator
    population = Population.draw(200, generator)
    private, public = population.records(1, generator), population.records(2, generator)
    calibration, fresh = population.records(999, generator), population.records(500, generator)
    for answers, wanted in (
        (releases.ExactMeans().answers(private, public, randomness), (1.0, 0.0)),
        (releases.PublicMeans().answers(private, public, randomness), (0.0, 1.0)),
    ):
        for reference in (population, population.records(400, generator)):
            traced = tracing.trace(answers, reference, calibration, 0.01, private=private, public=public, fresh=fresh)
            assert (traced.private, traced.public) == wanted
            assert traced.fresh is not None
            assert traced.fresh < 0.05
    assert tracing.trace(answers, population, calibration, 0.01, private=private).public is None


def test_membership_advantage_is_the_largest_difference_of_rates() -> None:
    generator = Simulation(7).generator
    inside, outside = generator.integers(0, 9, 30), generator.integers(-3, 6, 40)
    rates = [np.mean(inside > cut) - np.mean(outside > cut) for cut in range(-4, 10)]
    assert tracing.membership_advantage(inside, outside) == pytest.approx(max(rates))
    assert tracing.membership_advantage([1, 2], [1, 2]) == 0
    assert tracing.membership_advantage([1], [2]) == 0


# ---------------------------------------------------------------------------------------------------- releases
def test_guarantees() -> None:
    """Of the noise as it is: the largest change of the means of neighbours over the noise, exactly."""
    gaussian = releases.GaussianMeans(1.0, 1e-3)
    assert gaussian.guarantee == Guarantee(1.0, 1e-3)
    for p, n in ((1, 11), (16, 50), (2500, 300)):
        assert gaussian_delta(gaussian.noise(p, n).sigma, 1.0, 2 * math.sqrt(p) / n) <= 1e-3
        assert gaussian.noise(p, n).rho(2 * math.sqrt(p) / n) == pytest.approx(gaussian.rho, rel=1e-12)
        assert releases.LaplaceMeans(0.7).noise(p, n).epsilon(2 * p / n) == pytest.approx(0.7)
        assert releases.LaplaceMeans(0.7).noise(p, n).scale >= 2 * p / (n * 0.7)
    assert releases.LaplaceMeans(0.7).guarantee == Guarantee(0.7)
    assert releases.PublicMeans().guarantee == Guarantee(0.0)
    assert releases.MixedMeans(1.0, 1e-6).guarantee == Guarantee(1.0, 1e-6)
    for leaky in (releases.ExactMeans(), releases.UniformNoise(0.1), releases.RoundedMeans(0.1)):
        assert leaky.guarantee is None
    assert releases.GaussianMeans(1.0, 1e-6).rho == pytest.approx(0.017469, abs=1e-6)


def test_releases_are_their_formulas() -> None:
    generator = Simulation(8).generator
    private, public = generator.random((40, 3000)) < 0.6, generator.random((10, 3000)) < 0.2
    exact = 2 * private.mean(axis=0) - 1
    alone = 2 * public.mean(axis=0) - 1
    randomness = Simulation(9)

    def answers(release: releases.StumpRelease) -> np.ndarray:
        return release.answers(private, public, randomness)

    assert answers(releases.ExactMeans()) == pytest.approx(exact)
    assert answers(releases.PublicMeans()) == pytest.approx(alone)
    noisy = answers(releases.UniformNoise(0.1)) - exact
    assert 0.099 < np.abs(noisy).max() <= 0.1
    assert noisy.var() == pytest.approx(releases.UniformNoise(0.1).variance, rel=0.1)
    rounded = answers(releases.RoundedMeans(0.1))
    assert np.abs(rounded - exact).max() <= 0.1 + 1e-12
    assert rounded / 0.2 == pytest.approx(np.rint(rounded / 0.2))
    for release in (releases.GaussianMeans(1.0, 1e-6), releases.LaplaceMeans(1.0)):
        noisy = answers(release) - exact
        assert noisy.var() == pytest.approx(release.noise(3000, 40).variance, rel=0.25)
    mixed = releases.MixedMeans(1.0, 1e-6)
    sigma = mixed.private_part.noise(3000, 40).sigma
    v = 1 / 40 + sigma**2
    w = mixed.public_weight(3000, 40, 10)
    assert w == pytest.approx(v / (v + 1 / 10))
    off = answers(mixed) - (1 - w) * exact - w * alone
    assert off.std() == pytest.approx((1 - w) * sigma, rel=0.1)
    without = mixed.answers(private, public[:0], Simulation(1))
    assert np.array_equal(without, mixed.private_part.answers(private, public[:0], Simulation(1)))


def test_error_of_the_mixture_by_enumeration() -> None:
    """One coordinate, n = m = 2, all samples, means that integrate exactly, noise by its variance."""
    mixed = releases.MixedMeans(1.0, 0.01)
    w, noise = mixed.public_weight(1, 2, 2), mixed.private_part.noise(1, 2).variance

    def squared(mu: float) -> float:
        return sum(
            p * chance * ((1 - w) * x.mean() + w * y.mean() - mu) ** 2
            for x, p in distribution(mu, 2)
            for y, chance in distribution(mu, 2)
        )

    assert mixed.mean_squared_error(1, 2, 2) == pytest.approx(expected(squared) + (1 - w) ** 2 * noise)


def test_a_record_at_the_threshold_is_not_flagged() -> None:
    """All records are alike: their scores tie, and so many false alarms would be more than the rate."""
    records = np.ones((50, 3), np.int8)
    traced = tracing.trace(
        np.full(3, 0.5), Population(np.full(3, 2**15, np.uint16)), records, 0.1, private=records, fresh=records
    )
    assert traced.private == 0
    assert traced.fresh == 0
