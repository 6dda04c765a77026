"""What the studies of norms and of fits run on, against definitions, grids and distributions of the same minimisers."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bbd24.bounds.norms import shortfall
from semipriv.papers.bbd24.perturbation.average import root
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.papers.bbd24.studies import fits, norms
from semipriv_lab.papers.bbd24.studies._cells import share_positive, slope
from semipriv_lab.papers.bbd24.studies._chains import chain, chain_shares, chain_width


# ---------------------------------------------------------------------------------------------------- norms
def test_ratios_of_norms_are_the_largest_over_directions() -> None:
    actual_linear_ratios = norms.linear_ratios(2, 9, 3, default_rng(1))
    points = norms.uniform_ball((3, 9, 2), default_rng(1))
    angles = np.linspace(0, np.pi, 4001)
    values = points @ np.stack([np.cos(angles), np.sin(angles)])
    assert actual_linear_ratios == pytest.approx((0.5 / np.sqrt((values**2).mean(axis=1))).max(axis=1), rel=1e-4)


@pytest.mark.parametrize("p", [1, 3])
def test_points_are_uniform_in_the_ball(p: int) -> None:
    points = norms.uniform_ball((20_000, p), default_rng(2))
    assert np.abs(points.T @ points / 20_000 * (p + 2) - np.eye(p)).max() < 0.05
    assert (np.linalg.norm(points, axis=1) < 0.5).mean() == pytest.approx(0.5**p, abs=0.02)


def test_independent_functions_fail_together_as_a_product() -> None:
    assert norms.some_fails(0.01, 30) == pytest.approx(1 - 0.99**30)
    assert norms.some_fails(1e-20, 1000) == pytest.approx(1e-17)
    assert norms.some_fails(1.0, 3) == 1.0


def test_the_least_remainder_is_where_the_chance_is_beta() -> None:
    r = norms.least_remainder(200, 10)
    actual_some_fails = norms.some_fails(shortfall(200, r * 1.001, factor=2.0), 10)
    other = norms.some_fails(shortfall(200, r * 0.999, factor=2.0), 10)
    assert actual_some_fails < norms.BETA < other


def test_outputs_inside_the_ball_move_by_the_projected_noise() -> None:
    moved, noise = norms.ball_moves(2, 50, 0.5, 0.01, 400, default_rng(3))
    assert (moved**2).mean() == pytest.approx(2 / 50, rel=0.15)
    assert np.all(moved <= noise)


def test_outputs_on_the_cube_are_the_clipped_noise() -> None:
    noise = default_rng(4).standard_normal((20_000, 50))
    moved = np.sqrt((np.clip(norms.SMALL * noise, -1, 1) ** 2).mean(axis=1)) / norms.SMALL
    assert norms.within_cube(50, 1.1) == pytest.approx((moved > 1.1).mean(), abs=0.01)


def test_the_sign_nearest_to_noise_is_at_distance_one() -> None:
    actual_sign_moves = norms.sign_moves(9, 300, default_rng(5))
    lengths = np.sqrt((default_rng(5).standard_normal((300, 9)) ** 2).mean(axis=1))
    assert actual_sign_moves == pytest.approx(1 / (2 * norms.SMALL * lengths))


# ---------------------------------------------------------------------------------------------------- fits
@pytest.mark.parametrize("m", [1, 2, 7])
def test_the_width_of_a_chain_is_that_of_drawn_processes(m: int) -> None:
    drawn = default_rng(6).standard_normal((100_000, m)) @ chain(m).T / math.sqrt(m)
    assert chain_width(m) == pytest.approx(drawn.max(axis=1).mean(), abs=0.01)


def test_gaps_on_slopes_are_losses_at_the_fit() -> None:
    n, eta = 5, 1.7
    for positives, gap in enumerate(fits.slope_gaps(n, eta)):
        losses = [
            sum(abs(w - y) / 2 for y in [1] * positives + [-1] * (n - positives))
            for w in (slope(2 * positives - n, eta), 1, -1)
        ]
        assert gap == pytest.approx((losses[0] - min(losses)) / eta)


@pytest.mark.parametrize("name", fits.CLASSES)
def test_sums_of_losses_have_the_distribution_of_literal_samples(name: str) -> None:
    values, generator, runs, n, flip = fits.CLASSES[name], default_rng(7), 3000, 12, 0.3
    target = values[fits.TARGETS[name]]
    actual_sums = np.array([fits.sums(name, n, flip, generator) for _ in range(runs)])
    literal = np.empty_like(actual_sums)
    for i in range(runs):
        at = generator.integers(0, len(target), n)
        y = target[at] * np.where(generator.random(n) < flip, -1, 1)
        literal[i] = (np.abs(values[:, at] - y) / 2).sum(axis=1)
    assert np.abs(actual_sums.mean(axis=0) - literal.mean(axis=0)).max() < 0.2
    assert np.abs(np.cov(actual_sums.T) - np.cov(literal.T)).max() < 0.5


def test_gaps_of_perturbed_minimisers_are_those_of_each_process() -> None:
    values, losses, eta = chain(4), np.array([3.0, 1.0, 2.0, 0.0, 5.0]), 2.0
    actual_perturbed_gaps = fits.perturbed_gaps(losses, values, eta, default_rng(8))
    drawn = default_rng(8).standard_normal((fits.PROCESSES, root(values).shape[1])) @ root(values).T
    for w, gap in zip(drawn, actual_perturbed_gaps, strict=True):
        best = min(range(5), key=lambda k: losses[k] + eta * w[k])
        assert gap == pytest.approx(losses[best] / (eta * (max(w) - min(w))))


def test_gaps_on_a_ball_are_those_of_minimisers_on_a_grid() -> None:
    n, eta = 12, 3.0
    regularised, perturbed = fits.ball_gaps(1, n, eta, default_rng(9))
    generator = default_rng(9)
    x, public = norms.uniform_ball((n, 1), generator), norms.uniform_ball((10, 1), generator)
    y = np.where(generator.random(n) < (1 + x[:, 0]) / 2, 1.0, -1.0)
    w = np.linspace(-1, 1, 40_001)
    losses, square = ((x * w - y[:, None]) ** 2).sum(axis=0) / 4, float((public**2).mean())
    best = np.argmin(losses + eta * square * w**2)
    assert regularised == pytest.approx((losses[best] - losses.min()) / (eta * square), abs=1e-4)
    drawn = generator.standard_normal((fits.PROCESSES, 1)) @ root(public.T).T
    ratios = [
        (losses[np.argmin(losses + eta * draw * w)] - losses.min()) / (2 * eta * abs(draw)) for draw in drawn[:, 0]
    ]
    assert perturbed == pytest.approx(max(ratios), abs=1e-4)


def test_means_of_minimisers_have_the_excess_of_their_exact_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "COUNT", 200_000)
    lead = fits.sums("signs", 100, 0.3, default_rng(10))
    actual_perturbed_excesses = fits.perturbed_excesses("signs", 100, 50.0, 0.3, 1, default_rng(10))[0]
    mean = 2 * share_positive(lead[1] - lead[0], 50.0) - 1
    assert actual_perturbed_excesses == pytest.approx((1 - mean) * 0.2, abs=2e-3)
    losses = fits.sums("chain of 9", 100, 0.3, default_rng(11))
    actual_perturbed_excesses = fits.perturbed_excesses("chain of 9", 100, 50.0, 0.3, 1, default_rng(11))[0]
    means = chain_shares(list(losses), 50.0) @ chain(8)
    assert actual_perturbed_excesses == pytest.approx(float((1 - means * chain(8)[4]).mean()) * 0.2, abs=2e-3)


# ---------------------------------------------------------------------------------------------------- verdicts
def verdict(claim: Claim) -> Verdict:
    """Return the verdict on a claim that draws nothing."""
    return claim(Run(Simulation(0), 1.0)).verdict


def test_exact_claims_have_their_verdicts() -> None:
    claims = norms.differences, norms.moved_as_printed, norms.shattering, fits.surely
    assert [verdict(claim) for claim in claims] == [Verdict.HOLDS, *[Verdict.REFUTED] * 3]


@pytest.mark.parametrize(("m", "k"), [(3, 7), (6, 3), (6, 2)])
def test_the_complexity_of_all_signs_is_that_of_the_worst_points(m: int, k: int) -> None:
    """Over all multisets of m of the k points, by draws: sum of |sum of the variables of a point|."""
    xi, averages = np.random.default_rng(8).standard_normal((100_000, m)), []
    for points in combinations_with_replacement(range(k), m):
        parts = [np.abs(xi[:, np.array(points) == x].sum(axis=1)) for x in set(points)]
        averages.append(float(np.sum(parts, axis=0).mean()) / math.sqrt(m))
    assert max(averages) == pytest.approx(norms.signs_complexity(m, k), rel=0.01)


@pytest.mark.parametrize(("factor", "expected"), [(0.5, Verdict.VIOLATED), (2.5, Verdict.INCONCLUSIVE)])
def test_a_wrong_remainder_is_noticed(monkeypatch: pytest.MonkeyPatch, factor: float, expected: Verdict) -> None:
    """Too small a one is violated, with too large a one the control has no power."""
    honest = norms.norm_remainder
    monkeypatch.setattr(norms, "norm_remainder", lambda *sizes, **options: factor * honest(*sizes, **options))
    assert verdict(norms.differences) is expected


def test_bounds_that_always_hold_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norms, "printed_noise_length", lambda beta: norms.noise_length(1, beta))
    monkeypatch.setattr(fits, "printed_deviation", lambda n, width, beta: 0.1)
    assert verdict(norms.moved_as_printed) is Verdict.HOLDS
    assert verdict(fits.surely) is Verdict.HOLDS
