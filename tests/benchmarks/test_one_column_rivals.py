"""Methods of other people on one column, against what their papers promise, and the privacy of their choices."""

import itertools

import numpy as np
import one_column_rivals as rivals
import pytest

from semipriv.core.randomness import Simulation


def test_with_much_epsilon_quantiles_are_those_of_the_rows() -> None:
    coins = np.random.default_rng(3)
    points = np.sort(coins.gamma(2, 60, 4_000).clip(0, 1023))
    for public in (np.zeros(0), np.sort(coins.random(200) * 1024)):  # none, and far-off ones: the uniform share is left
        quantiles = rivals.quantiles(points, rivals.priors(public, 1024), 50.0, coins)
        ranks = np.searchsorted(points, quantiles) / len(points)
        assert ranks == pytest.approx(rivals.SIXTEENTHS, abs=0.01)


def test_without_signal_quantiles_are_those_of_the_prior() -> None:
    """With no private row each median is drawn from its prior; the first one, which is drawn here, from all of it."""
    public = np.sort(np.random.default_rng(4).normal(500, 50, 400))
    prior = rivals.priors(public, 1024)[7]
    drawn = [rivals.quantiles(np.zeros(0), [prior], 0.1, np.random.default_rng(seed))[0] for seed in range(2_000)]
    below = prior.below(np.array([400.0, 490.0, 500.0, 510.0, 600.0]))
    shares = [np.mean(np.array(drawn) < x) for x in (400, 490, 500, 510, 600)]
    assert shares == pytest.approx(below, abs=0.04)
    assert prior.below(np.array([0.0, 1024.0])) == pytest.approx([0, 1])


def test_a_level_of_halving_costs_its_share() -> None:
    """The density of the first median over 6 points, by quadrature, for all neighbours: e^(epsilon / LEVELS)."""
    epsilon, cells = 2.0, 4
    prior = rivals.priors(np.array([0.5, 1.5, 1.6, 3.2]), cells)[7]

    def distribution(points: tuple[float, ...]) -> np.ndarray:
        grid = np.linspace(0, cells, 401)
        middle = (grid[1:] + grid[:-1]) / 2
        rank = np.searchsorted(np.sort(points), middle) - len(points) / 2
        density = np.diff(prior.below(grid)) * np.exp(-epsilon / (2 * rivals.LEVELS) * np.abs(rank))
        return density / density.sum()

    places = (0.3, 1.7, 3.9)
    worst = 0.0
    for points in itertools.combinations_with_replacement(places, 6):
        for other in places:
            ratio = np.log(distribution(points) / distribution((*points[1:], other)))
            worst = max(worst, np.abs(ratio).max())
    assert 0.2 * epsilon / rivals.LEVELS < worst <= epsilon / rivals.LEVELS


def test_without_noise_buckets_are_where_counts_change() -> None:
    counts = np.repeat([40, 0, 90, 10], [8, 4, 4, 16])
    assert rivals.buckets(counts, 1e9, 1.0, np.random.default_rng(1)) == [0, 8, 12, 16, 32]
    by_bucket = rivals.by_buckets(counts, 1e6, [1], Simulation(2))
    assert by_bucket == pytest.approx(np.concatenate([[0], np.cumsum(counts / counts.sum())]), abs=1e-4)


def test_a_replaced_row_moves_the_cost_of_a_partition_by_at_most_four() -> None:
    """What the noise of ``buckets`` rests on: two buckets, and two for each."""
    coins = np.random.default_rng(5)

    def cost(counts: np.ndarray) -> float:
        return float(np.abs(counts - counts.mean()).sum())

    for _ in range(500):
        counts = coins.integers(0, 9, 12)
        source, target = coins.choice(np.flatnonzero(counts)), coins.integers(12)
        moved = counts.copy()
        moved[source] -= 1
        moved[target] += 1
        cut = int(coins.integers(1, 12))
        change = abs(sum(cost(part) for part in np.split(counts, [cut])) - sum(cost(p) for p in np.split(moved, [cut])))
        assert change <= 4 + 1e-9
