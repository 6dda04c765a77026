"""Claim BCM20-T10-domain: exact points and their ranks, the distribution of a tree's largest prefix, crossings."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.papers.bcm20.releases.prefix_noise import largest_prefix_noise, mean_of
from semipriv.queries.methods.tree import DyadicTree
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bcm20.studies import domain_size as claims


def test_the_distribution_of_two_levels_by_enumeration() -> None:
    """Three noisy nodes: the left half, and the left child of each half; prefixes are 0, l, h, h + r."""
    noise = DiscreteGaussian(0.7)
    values = np.arange(-6, 7)
    p = np.exp(noise.log_probability(values))
    expected = np.zeros(13)
    for (h, ph), (left, pl), (right, pr) in itertools.product(zip(values, p, strict=True), repeat=3):
        expected[max(0, left, h, h + right)] += ph * pl * pr
    actual = largest_prefix_noise(2, noise)
    assert actual[:13] == pytest.approx(expected[: len(actual)], abs=1e-9)
    assert largest_prefix_noise(0, noise).tolist() == [1.0]
    assert mean_of(largest_prefix_noise(1, noise)) == pytest.approx(float(p @ np.maximum(values, 0)))


def test_the_distribution_is_that_of_the_package_s_tree() -> None:
    noise, draws = claims.noise_of(6), 400
    zero = np.zeros(64, np.int64)
    largest = [DyadicTree().tree(64).prefixes(zero, noise, Simulation(seed)).max() for seed in range(draws)]
    distribution = largest_prefix_noise(6, noise)
    sd = math.sqrt(np.arange(len(distribution)) ** 2 @ distribution - mean_of(distribution) ** 2)
    assert abs(np.mean(largest) - mean_of(distribution)) < 4 * sd / math.sqrt(draws)
    assert distribution.sum() == pytest.approx(1, abs=1e-12)


def test_the_specified_errors_with_the_noise_of_the_closed_form() -> None:
    """rho = (sqrt(L + 1) - sqrt(L))^2, L = ln 10^6; the exact conversion of the package has 1.25 times less noise."""
    level = math.log(1e6)
    rho = (math.sqrt(level + 1) - math.sqrt(level)) ** 2
    for bits, error in ((10, 0.033), (32, 0.222), (64, 0.664)):
        distribution = largest_prefix_noise(bits, DiscreteGaussian(math.sqrt(bits / rho)))
        assert 2 * mean_of(distribution) / claims.N_PRIVATE == pytest.approx(error, abs=6e-4)
        assert math.sqrt(bits / rho) / claims.noise_of(bits).sigma == pytest.approx(1.253, abs=0.005)


def test_exact_points_keep_what_floats_lose() -> None:
    digits = np.random.default_rng(0).integers(1, 2**53, 500)
    expected = claims.ranks(digits)
    for bits in (0, 30, 64):
        assert claims.ranks(claims.exact_points(digits, bits)).tolist() == expected.tolist()
    assert len(np.unique(claims.THETA + np.ldexp(digits / 2**53, -64))) == 1
    for function in claims.MAPS.values():
        assert claims.ranks(function(digits / 2**53)).tolist() == expected.tolist(), "a map is strictly monotone"
    assert claims.ranks(np.array([5, 3, 5], object)).tolist() == [1, 0, 1]


def test_answers_that_differ_are_counted_bit_by_bit() -> None:
    collected = np.array([0.1, 0.2, 0.3])
    assert claims.differing(collected, collected.copy()) == 0
    assert claims.differing(collected, np.array([0.1, np.nextafter(0.2, 1), 0.3])) == 1
    assert claims.differing(collected, collected[:2]) == 3


def test_midpoints_are_not_invariant_under_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate has power: with midpoints instead of public points answers differ under a map."""
    real = claims.QueryRelease

    def midpoints(*values, representative: str) -> QueryRelease:
        assert representative == "lower"
        return real(*values)

    monkeypatch.setattr(claims, "QueryRelease", midpoints)
    digits = np.random.default_rng(1).integers(1, 2**53, claims.N_PUBLIC + 2000) / 2**53
    released_answers = [claims.answers(points, Simulation(1)) for points in (digits, digits**3)]
    assert claims.differing(*released_answers) > 0


def test_errors_over_all_thresholds() -> None:
    """Answers .1 before .4, .9 after it: just before .4 the truth is .4, at .4 it is .4, at the end 1."""
    assert claims.largest_error(np.array([0.1, 0.9]), np.array([0.4])) == pytest.approx(2 * 0.5)
    assert claims.largest_error(np.array([0.0, 0.5, 0.7]), np.array([0.5, 0.7])) == pytest.approx(2 * 0.5)


def test_the_grid_is_exact_while_bins_are_short_and_lost_after() -> None:
    assert claims.grid_error(4) == pytest.approx(2 * 16 / 2046, rel=1e-2)
    assert claims.grid_error(20) == 2


def test_crossings() -> None:
    flat = [0.01] * len(claims.SIZES)
    assert claims.crossing(2000.0, flat) == pytest.approx(2e5)
    assert claims.crossing(1.0, flat) == claims.SIZES[0]
    assert claims.crossing(1e9, flat) == math.inf


def test_errors_of_the_tree_are_those_of_means_of_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means of -1 and 1 are 2 a - 1 for a share a: beside A_PAP's, the noise of a count is 2 / n in an error."""
    n = claims.N_PRIVATE
    for bits in (3, 6):
        error = claims.tree_error(bits)
        tree, zero = DyadicTree().tree(2**bits), np.zeros(2**bits, np.int64)
        shares = np.array([tree.prefixes(zero, claims.noise_of(bits), Simulation(seed)) / n for seed in range(400)])
        drawn = ((2 * shares - 1) - (2 * 0 - 1)).max(axis=1)
        assert abs(drawn.mean() - error) < 4 * drawn.std() / math.sqrt(len(drawn))
        assert drawn.std() / math.sqrt(len(drawn)) < 0.05 * error
    monkeypatch.setattr(claims, "largest_noise", lambda levels: 50.0 * levels)
    monkeypatch.setattr(claims, "pap_error", lambda m, n, stream: 0.1)
    table = Table(Run(Simulation(0), 1.0), Simulation(0))
    claims.crossings(table, 2)
    assert table.values(claims.CROSSING) == [pytest.approx(2 * 50 * 64 / 0.1)] * len(claims.PUBLIC)
