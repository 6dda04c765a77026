"""Exact distributions behind the claims on stability and noise, against draws and against each other."""

import itertools
import math

import numpy as np
import pytest
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bbd24.bounds.stability import printed_expected_distance
from semipriv.papers.bbd24.perturbation.calibration import gaussian_scale, paper_gaussian_scale
from semipriv.privacy.gaussian import gaussian_delta
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bbd24.studies._ball_neighbours import NEIGHBOURS, _moved, _pairs
from semipriv_lab.papers.bbd24.studies._cells import share_different
from semipriv_lab.papers.bbd24.studies._chains import chain, chain_shares, mean_minimiser
from semipriv_lab.papers.bbd24.studies._sign_classes import drawn, width_below
from semipriv_lab.papers.bbd24.studies.anti_concentration import least_chance
from semipriv_lab.papers.bbd24.studies.noise import (
    best_threshold,
    every_epsilon,
    jump,
    one_point,
    output_delta,
    scaled_twice,
    shifted,
)
from semipriv_lab.papers.bbd24.studies.perturbed_privacy import (
    chernoff_ratio,
    hockey_stick,
    kearns_saul,
    largest_gap,
    least_share,
    released_delta,
    three_constants,
    told_apart,
    zero_or_one,
)
from semipriv_lab.papers.bbd24.studies.stability import signs_quantile, slopes_distance

DRAWS = 100_000


@pytest.mark.parametrize(
    ("distance", "epsilon"),
    [
        *itertools.product((2e-3, 0.3, 1.0, 4.0, 30.0), (0.01, 0.5, 1.0, 4.0)),
        (60.0, 1200.0),
        (150.0, 1e4),
        (145.0, 1e4),
    ],
)
def test_profile_is_that_of_long_numbers(distance: float, epsilon: float) -> None:
    exact = gaussian_delta(1.0, epsilon, distance)
    assert math.isclose(shifted(distance, epsilon), exact, rel_tol=1e-9, abs_tol=1e-300)


@pytest.mark.parametrize(("losses", "eta"), [((0, 0, 0, 0), 1.0), ((0, 1, 1, 0.5, 3), 0.7), ((1, 0, 0), 5.0)])
def test_shares_of_a_chain_are_those_of_draws(losses: tuple[float, ...], eta: float) -> None:
    computed_chain_shares = chain_shares(losses, eta)
    assert math.isclose(computed_chain_shares.sum(), 1, rel_tol=1e-10)
    m = len(losses) - 1
    w = np.random.default_rng(3).standard_normal((DRAWS, m)) @ chain(m).T / math.sqrt(m)
    share = np.bincount(np.argmin(np.array(losses) + eta * w, axis=1), minlength=m + 1) / DRAWS
    assert np.abs(share - computed_chain_shares).max() < 3 / math.sqrt(DRAWS)


def test_means_on_one_point_are_those_of_draws() -> None:
    generator, eta = np.random.default_rng(4), 0.8
    values, losses = generator.uniform(-1, 1, 12), generator.random(12)
    g = generator.standard_normal(DRAWS)[:, None]
    mean = values[np.argmin(losses + eta * g * values, axis=1)].mean()
    assert abs(mean - mean_minimiser(values, losses, eta)) < 5 / math.sqrt(DRAWS)
    two = mean_minimiser(np.array([-1.0, 1.0]), np.array([0.0, 1.4]), eta)
    assert math.isclose(two, -share_different(1.4, eta), rel_tol=1e-12)


@pytest.mark.parametrize(("m", "rho", "gamma", "epsilon"), [(1, 0.5, 0.5, 2.7), (2, 0.2, 0.4, 1.0), (9, 0.3, 2.0, 0.5)])
def test_the_threshold_is_the_best_one(m: int, rho: float, gamma: float, epsilon: float) -> None:
    deviation = gamma / math.sqrt(m)
    cuts = np.linspace(-1, 1, 4001)
    above, below = ((1 + np.vectorize(math.erf)((w - cuts) / deviation / math.sqrt(2))) / 2 for w in (rho - 1, -1))
    gains = above - math.exp(epsilon) * below
    assert math.isclose(max(0.0, gains[1:].max()), output_delta(m, rho, gamma, epsilon), rel_tol=1e-4, abs_tol=1e-9)
    if best_threshold(m, rho, gamma, epsilon) < 1:
        assert math.isclose(output_delta(m, rho, gamma, epsilon), shifted(rho / deviation, epsilon), rel_tol=1e-9)


@pytest.mark.parametrize(("eta", "count", "gamma", "epsilon"), [(2.0, 5, 1.0, 0.3), (5.0, 60, 0.2, 1.0)])
def test_released_values_of_two_signs(eta: float, count: int, gamma: float, epsilon: float) -> None:
    """Integral of the positive part of p - e^epsilon p' on a fine grid."""
    m = 4
    x, b = np.linspace(-4, 4, 40_001)[:, None], np.arange(count + 1)
    choose = np.array([math.comb(count, k) for k in b], float)
    densities = []
    for sign in (1, -1):
        share = (1 + math.erf(sign / (2 * eta) / math.sqrt(2))) / 2
        distribution = choose * share**b * (1 - share) ** (count - b)
        deviation = gamma / math.sqrt(m)
        normal = np.exp(-(((x - 2 * b / count + 1) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
        densities.append(normal @ distribution)
    exact = np.maximum(densities[0] - math.exp(epsilon) * densities[1], 0).sum() * (x[1] - x[0])[0]
    assert math.isclose(released_delta(eta, count, gamma, m, epsilon), exact, rel_tol=1e-5)


@pytest.mark.parametrize(("eta", "count"), [(1.0, 40), (5.0, 60)])
def test_distributions_of_means_with_a_function_that_is_0_are_those_of_draws(eta: float, count: int) -> None:
    g = np.random.default_rng(8).standard_normal((20_000, count))
    for (means, *distributions), constants, losses in (
        (zero_or_one(eta, count), (0, 1), ((1, 0), (0, 1))),
        (three_constants(eta, count), (-1, 0, 1), ((1, 0, 1), (0, 1, 0))),
    ):
        for distribution, sums in zip(distributions, losses, strict=True):
            costs = [loss + eta * c * g for c, loss in zip(constants, sums, strict=True)]
            values = np.array(constants)[np.argmin(costs, axis=0)].mean(axis=1)
            assert distribution.sum() == pytest.approx(1, abs=1e-12)
            assert distribution @ means == pytest.approx(values.mean(), abs=0.01)
            assert distribution @ means**2 == pytest.approx((values**2).mean(), abs=0.01)


def test_the_hockey_stick_of_mixtures_is_that_of_two_signs() -> None:
    distributions = [np.array([1 - share, share]) for share in (0.7, 0.3)]
    means, deviation = np.array([-1.0, 1.0]), 0.4
    cut = np.linspace(-3, 3, 600_001)
    sides = scipy.special.ndtr((means[:, None] - cut) / deviation)
    assert hockey_stick(means, distributions[0], distributions[1], deviation) == pytest.approx(
        np.max(distributions[0] @ sides - math.e * (distributions[1] @ sides)), abs=1e-5
    )
    plain = (
        np.array([0.0, 1.0]),
        np.array([0.0, 1.0]),
        np.array([1.0, 0.0]),
    )  # two normal distributions a distance of 1 apart
    gamma = gaussian_scale(1.0, 1e-5, 9, 1.0)
    assert 1 <= least_share(plain, gamma, 9) < 1.02


def test_the_step_by_kearns_and_saul_is_true_of_divergences() -> None:
    """KL(p || q) >= K(q) (p - q)^2, and then KL((c + s) / 2 || q) >= s^2 for s below 2 - c; by the definition of KL."""
    for q in np.linspace(1e-4, 2 / 3, 400).tolist():
        p = np.linspace(1e-6, 1 - 1e-6, 999)
        divergence = scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1 - p, 1 - q)
        assert np.all(divergence >= kearns_saul(q) * (p - q) ** 2 * (1 - 1e-9))
        c = math.cbrt(18 * q * q)
        s = np.linspace(0, 2 - c, 200)[1:]
        a = np.minimum((c + s) / 2, 1.0)
        assert np.all(scipy.special.rel_entr(a, q) + scipy.special.rel_entr(1 - a, 1 - q) >= s**2)
        assert (2 - c) / ((1 - q) * math.sqrt(kearns_saul(q))) <= largest_gap(max(q - 1e-3, 1e-6), q + 1e-3)


def test_a_loss_that_is_not_convex_lets_one_record_decide() -> None:
    w = np.linspace(-1, 1, 2001)
    for balance, eta, records in ((1.0, 100.0, 200), (-1.0, 100.0, 200), (1.0, 5.0, 6)):
        objective = records * (1 - w**2) + (1 - balance * w) / 2 + eta * w**2
        assert jump(balance, eta, records) == pytest.approx(w[np.argmin(objective)])


def test_lemma_3_is_refuted_where_epsilon_is_large_and_where_noise_is_scaled_twice() -> None:
    for finding in (every_epsilon, scaled_twice):
        assert finding(Run(Simulation(0), 1.0)).verdict is Verdict.REFUTED
    m, rho, epsilon, gamma = 8, 1.5, 80.0, 0.436
    cut, mean = best_threshold(m, rho, gamma, epsilon), scipy.stats.norm(scale=gamma / math.sqrt(m))
    assert cut == 1.0, "the output is clipped to [-1, 1]"
    spent = mean.sf(cut - (rho - 1)) - math.exp(epsilon) * mean.sf(cut + 1)
    assert output_delta(m, rho, gamma, epsilon) == pytest.approx(spent, rel=1e-9)
    assert spent > 1e-4


def test_what_two_signs_tell_at_least_is_less_than_their_exact_distribution_says() -> None:
    count, width = 2_000_000, math.sqrt(2 / math.pi)
    rho = printed_expected_distance(0.25, width) + math.sqrt(math.log(2e5) / count)
    for epsilon in (1.0, 60.0):
        gamma = paper_gaussian_scale(epsilon, 2.5e-6, 8, rho)
        assert told_apart(0.25, count, 8, epsilon) <= released_delta(0.25, count, gamma, 8, epsilon)
    assert told_apart(0.25, 10**9, 8, 1e4) > 0.9


def test_no_clipped_value_tells_more_than_the_grid_says() -> None:
    """By integrals of (p - e^epsilon q)^+ over random fits, scales and clipping points; some come near."""
    generator, log, collected = np.random.default_rng(9), 0.01, [0.0]
    for _ in range(400):
        d, k = generator.uniform(0.05, 2), 10 ** generator.uniform(-2, 2)
        top = d / 2 + generator.random() * (2 - d)
        epsilon = d * k * k + d * k * math.sqrt(log)
        x = np.linspace(top - 12 / k - d, top, 4001)
        first, other = (scipy.stats.norm(mean, 1 / k) for mean in (d / 2, -d / 2))
        inside = np.maximum(first.pdf(x) - np.exp(np.minimum(epsilon + other.logpdf(x), 700)), 0).sum() * (x[1] - x[0])
        atom = max(0.0, first.sf(top) - math.exp(min(700.0, epsilon + other.logsf(top))))
        collected.append(inside + atom)
    most = one_point(log) * math.exp(-log)
    assert 0.8 * most <= max(collected) <= most + 1e-3


def test_chernoff_is_enough_by_counting() -> None:
    """Two values, 0 and 2: tails of binomial distributions are below the bound behind the comparison of exponents."""
    for width, count in ((0.01, 50), (0.1, 20)):
        mu, c = math.sqrt(2 * width), math.cbrt(9 * width)
        for s in (0.1, 0.5, 1.0):
            tail = float(scipy.special.bdtrc(math.ceil((c + s) * count / 2) - 1, count, mu / 2))
            assert tail <= math.exp(-count * s**2 * chernoff_ratio(width)) <= math.exp(-count * s**2)


def test_quantile_is_that_of_the_binomial_distribution() -> None:
    count, eta = 40, 2.0
    share = share_different(1.0, eta)
    tail = [
        sum(math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(b + 1, count + 1))
        for b in range(count + 1)
    ]
    for delta in (0.5, 0.05, 1e-6):
        least = next(b for b, chance in enumerate(tail) if chance <= delta)
        assert signs_quantile(count, eta, delta) == 2 * least / count


def test_slopes_are_as_far_apart_as_two_regularised_minimisers_can_be() -> None:
    assert [slopes_distance(eta) for eta in (0.1, 0.25, 1.0, 50.0)] == pytest.approx([2, 2, 0.5, 0.01])


def test_random_signs() -> None:
    own = drawn(6, 5, 4000, Simulation(5).spawn("test"))
    assert np.allclose(own.w.T @ own.w / 4000, own.covariance, atol=0.12)
    assert np.allclose(np.diag(own.covariance), 1)
    first, other = own.losses()
    assert np.abs(first - other).max() == 1
    distances = own.distances(3.0)
    minimisers = [np.argmin(losses + 3.0 * own.w, axis=1) for losses in (first, other)]
    assert np.all((distances > 1e-9) <= (minimisers[0] != minimisers[1]))
    for row, gap in zip(own.w[:200], own.gaps(3.0, 0.5)[:200], strict=True):
        values = first + 3.0 * row
        best = int(np.argmin(values))
        far = [k for k in range(6) if own.covariance[best, k] <= 0.5 + 1e-9]
        assert math.isclose(gap, min((values[k] - values[best] for k in far), default=math.inf))
    assert 0 < width_below(own, 1e-3) < own.w.max(axis=1).mean()
    assert width_below(own, 1e-3) < width_below(own, 0.5)


def test_the_event_of_theorem_5_has_at_least_that_chance() -> None:
    share, eta = 1e-2, 0.1
    low, chance = least_chance(share)
    g = np.random.default_rng(6).standard_normal(DRAWS)
    best = np.clip(0.975 - eta * g / 2, low, 1.0)
    other = (1 - share) * best
    worse = (other - 0.975) ** 2 + eta * other * g - (best - 0.975) ** 2 - eta * best * g
    share_of_both = np.mean((other >= low) & (worse <= share**2))
    assert share_of_both > chance - 3 / math.sqrt(DRAWS)
    assert chance > 0.3


def test_neighbours_of_the_ball_differ_in_one_record() -> None:
    gram = np.diag([0.3, 0.1])
    pairs = list(_pairs(np.random.default_rng(7), 30, gram))
    assert len(pairs) == 2 * (2 + NEIGHBOURS)
    for square, moment, other_square, other_moment in pairs:
        assert np.linalg.matrix_rank(square - other_square, tol=1e-9) <= 2
        assert np.linalg.norm(moment - other_moment) <= 2 + 1e-12
    flip = pairs[0]
    assert np.allclose(flip[1], [0, 1]) or np.allclose(flip[1], [0, -1])
    eta = 100.0
    w = 1 / 4 / (1 / 4 + eta * 0.1)  # along the weakest direction: (w - 1)^2 / 4 + eta w^2 / 10
    assert math.isclose(_moved(flip, gram, eta), 2 * w * math.sqrt(0.1), rel_tol=1e-9)
