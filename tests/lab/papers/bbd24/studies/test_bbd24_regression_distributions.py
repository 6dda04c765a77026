"""Algorithms 2 and 3 by counts against literal runs on drawn points, with noise on each public point."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from semipriv.core.statistics import kolmogorov_smirnov
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation.calibration import (
    gaussian_scale,
    laplace_scale,
    rho_perturbed,
    rho_regularised,
)
from semipriv.papers.bbd24.perturbation.perturb import mixture, on_ball
from semipriv.papers.bbd24.perturbation.sizes import Sizes
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv_lab.papers.bbd24.studies import _perturbed_distributions, perturbed
from semipriv_lab.papers.bbd24.studies._chains import chain, chain_shares
from semipriv_lab.papers.bbd24.studies._regression_distributions import (
    BallDistribution,
    Slopes,
    ball_distribution,
    ball_excesses,
    slopes_noise,
)

RUNS = 1000
FAR = 1.95 / math.sqrt(RUNS)
"""A sample is farther from its distribution with a chance of about .001; from another sample at sqrt(2) times that."""


# ---------------------------------------------------------------------------------------------------- algorithm 3
@cache
def literal_fit(plus: int, minus: int, eta: float) -> float:
    """The sum of losses over the records and eta ||f||_m^2, minimised on a grid."""
    w = np.linspace(-1, 1, 2001)
    records = np.repeat([1.0, -1.0], [plus, minus])
    return float(w[np.argmin(np.abs(w[:, None] - records).sum(axis=1) / 2 + eta * w**2)])


def literal_slope(n: int, eta: float, flip: float, noise: Callable[[Generator], np.ndarray], draws: Generator) -> float:
    """Values of the fit on public points with noise, and the function nearest to them."""
    minus = int(np.count_nonzero(draws.random(n) < flip))
    target = literal_fit(n - minus, minus, eta) + noise(draws)
    (fit,) = on_ball(Spectrum.of([[1.0]]), np.ones((len(target), 1)), target)
    return float((1 - fit) * (0.5 - flip))


@pytest.mark.parametrize(("kind", "m"), [("normal", 5), ("laplace", 1)])
@pytest.mark.parametrize(("n", "eta", "flip"), [(40, 12.0, 0.1), (15, 2.0, 0.4), (30, 9.0, 0.0)])
def test_slopes_are_literal_runs(kind: str, m: int, n: int, eta: float, flip: float) -> None:
    rho = rho_regularised(eta, 0.5, 1.0)
    if kind == "normal":
        gamma = gaussian_scale(1.0, 1e-5, m, rho)
        run = Slopes(n, eta, flip, slopes_noise(eta, gaussian_sigma(1.0, 1e-5)))
        noise = lambda draws: gamma * draws.standard_normal(m)  # noqa: E731
    else:
        run = Slopes(n, eta, flip, slopes_noise(eta, 1.0), "laplace")
        noise = lambda draws: draws.laplace(scale=laplace_scale(1.0, m, rho), size=m)  # noqa: E731
    draws = default_rng(1)
    computed_literal_slopes = np.array([literal_slope(n, eta, flip, noise, draws) for _ in range(RUNS)])
    places = np.linspace(0, run.largest, 60)[1:-1]
    distribution = np.array([run.chance_above(e) for e in places.tolist()])
    assert np.abs((computed_literal_slopes[:, None] > places).mean(axis=0) - distribution).max() < FAR
    assert run.chance_above(run.quantile(0.05)) == pytest.approx(0.05, abs=1e-6) or run.quantile(0.05) == run.largest
    assert run.chance_above(run.largest) == 0


def test_slopes_without_noise_count_their_fits() -> None:
    """n = 2, eta = 1: fits 1/2, 0 and -1/2, with chances .81, .18 and .01."""
    run = Slopes(2, 1.0, 0.1)
    chances = [run.chance_above(0.4 * e) for e in (0.4, 0.6, 1.1, 1.6)]
    assert chances == pytest.approx([1.0, 0.19, 0.01, 0.0])


@pytest.mark.parametrize(("p", "shift"), [(2, "none"), (3, "region"), (2, "tilt")])
def test_balls_by_counts_are_literal_runs(p: int, shift: str) -> None:
    n, m, eta, unit = 60, 15, 6.0, 0.4
    distribution, draws = ball_distribution(p, shift, 0.2, default_rng(2)), default_rng(3)
    x, k = distribution.support, len(distribution.support)
    literal = np.empty(RUNS)
    for i in range(RUNS):
        private, public = x[draws.choice(k, n, p=distribution.masses)], x[draws.integers(k, size=m)]
        y = np.where(draws.random(n) < (1 + private @ distribution.target) / 2, 1.0, -1.0)
        gram = public.T @ public / m
        fit = minimisers(Spectrum.of(private.T @ private / 4 + eta * gram), private.T @ y / 4)
        rho = rho_regularised(eta, 1.0, 1 / math.sqrt(np.linalg.eigvalsh(gram)[0]))
        target = public @ fit + math.sqrt(m) * rho * unit * draws.standard_normal(m)
        away = on_ball(Spectrum.of(gram), public, target) - distribution.target
        literal[i] = distribution.masses @ (x @ away) ** 2 / 4
    counted = ball_excesses(distribution, n, m, eta, unit, RUNS, default_rng(4))
    assert kolmogorov_smirnov(counted, literal) < math.sqrt(2) * FAR
    assert counted.max() <= distribution.largest


def test_shifts_have_the_largest_ratio_of_densities_that_they_say() -> None:
    distributions = {shift: ball_distribution(3, shift, 0.2, default_rng(5)) for shift in ("none", "region", "tilt")}
    for shift, ratio in (("none", 1.0), ("region", 5.0), ("tilt", 5.0)):
        assert distributions[shift].masses.sum() == pytest.approx(1)
        assert distributions[shift].masses.max() * 1000 == pytest.approx(ratio)
        assert np.linalg.norm(distributions[shift].support, axis=1).max() <= 1
    first = distributions["region"].support[:, 0]
    inside = distributions["region"].masses > 0
    assert inside.sum() == 200
    assert first[inside].min() >= first[~inside].max()
    slopes = np.diff(np.log(distributions["tilt"].masses)) / np.diff(distributions["tilt"].support[:, 0])
    assert slopes == pytest.approx(slopes[0])


def test_spread_and_largest_excess_of_a_ball_bound_those_of_its_functions() -> None:
    distribution = BallDistribution(np.array([[0.6, 0.0], [0.0, 0.5], [0.3, 0.3]]), np.array([0.7, 0.1, 0.2]))
    w = default_rng(6).standard_normal((2000, 2))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    ratios = 1 / np.sqrt(((w @ distribution.support.T) ** 2).mean(axis=1))  # the largest <w, x> is 1, at x = w
    assert distribution.spread * 0.999 < ratios.max() <= distribution.spread * (1 + 1e-12)
    excesses = [distribution.excess(weight) for weight in w]
    assert max(excesses) <= distribution.largest < 1.05 * max(excesses)


# ---------------------------------------------------------------------------------------------------- algorithm 2
@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> float:
    """Noise for a distance of 1 that leaves something to be seen of few minimisers."""
    unit = 0.03
    monkeypatch.setattr(_perturbed_distributions, "unit", lambda *_: unit)
    return unit


def literal_mean(
    functions: np.ndarray, losses: np.ndarray, sizes: Sizes, rho: float, unit: float, draws: Generator
) -> np.ndarray:
    """J argmins of losses + eta w, their mean with noise on each public point, and the nearest mixture's values."""
    m = functions.shape[1]
    w = draws.standard_normal((sizes.count, m)) @ functions.T / math.sqrt(m)
    mean = functions[np.argmin(losses + sizes.eta * w, axis=1)].mean(axis=0)
    gamma = math.sqrt(m) * rho * unit
    values: np.ndarray = mixture(functions, mean + gamma * draws.standard_normal(m))[0] @ functions
    return values


def test_signs_by_counts_are_literal_runs(quiet: float) -> None:
    sizes, draws, functions = Sizes(20, 5.0, 60), default_rng(7), np.array([[1.0] * 3, [-1.0] * 3])
    literal, rho = np.empty(RUNS), rho_perturbed(sizes.eta, sizes.count, 5e-6, math.sqrt(2 / math.pi))
    for i in range(RUNS):
        y = np.where(draws.random(sizes.n) < 0.1, -1.0, 1.0)
        losses = np.array([np.abs(value - y).sum() / 2 for value in (1, -1)])
        output = literal_mean(functions, losses, sizes, rho, quiet, draws)
        literal[i] = np.mean(0.9 * np.abs(output - 1) + 0.1 * np.abs(output + 1)) / 2 - 0.1
    counted = perturbed.signs_excesses(sizes, RUNS, default_rng(8))
    assert kolmogorov_smirnov(counted.round(6), literal.round(6)) < math.sqrt(2) * FAR
    for excess in (0.1, 0.2, 0.3):
        spread = 0.18 / sizes.count**2 / (rho * quiet) ** 3
        assert abs(np.mean(literal > excess) - _perturbed_distributions.signs_chance(sizes, excess)) < FAR + spread


def test_the_chance_on_signs_is_that_of_runs_at_its_need() -> None:
    explicit_sizes = perturbed.explicit(0.1)
    least = perturbed.need(0.1)
    chances = [
        _perturbed_distributions.signs_chance(Sizes(n, explicit_sizes.eta, explicit_sizes.count), 0.1)
        for n in (least, int(least / 1.05))
    ]
    assert chances[0] <= 0.05 < chances[1]
    errors = perturbed.signs_excesses(Sizes(least, explicit_sizes.eta, explicit_sizes.count), 40_000, default_rng(9))
    assert np.mean(errors > 0.1) == pytest.approx(chances[0], abs=0.004)


def test_chains_by_counts_are_literal_runs(quiet: float) -> None:
    runs, sizes, draws, functions = 400, Sizes(80, 8.0, 60), default_rng(10), chain(8)
    literal, rho = np.empty(runs), rho_perturbed(sizes.eta, sizes.count, 5e-6, math.sqrt(2 * math.log(9)) * (1 + 1e-15))
    for i in range(runs):
        points = draws.integers(8, size=sizes.n)
        y = functions[4][points] * np.where(draws.random(sizes.n) < 0.1, -1, 1)
        losses = np.abs(functions[:, points] - y).sum(axis=1) / 2
        output = literal_mean(functions, losses, sizes, rho, quiet, draws)
        literal[i] = np.mean(0.9 * np.abs(output - functions[4]) + 0.1 * np.abs(output + functions[4])) / 2 - 0.1
    counted = perturbed.chain_excesses(sizes, runs, default_rng(11))
    assert kolmogorov_smirnov(counted, literal) < 1.95 * math.sqrt(2 / runs)


@pytest.mark.parametrize("behind", [0.0, 4.0, 11.9, 12.1, 30.0])
def test_shares_of_the_chain_are_those_of_finer_integrals(behind: float) -> None:
    """Losses that rise on both sides of the middle, ``behind`` standard deviations of a step at the nearest."""
    eta = 3.0
    losses = behind * 2 * eta / math.sqrt(8) * np.abs(np.arange(9) - 4.0) + 7
    exact = chain_shares(list(losses), eta, 400)
    assert _perturbed_distributions._shares(losses, eta) == pytest.approx(exact / exact.sum(), abs=1e-9)
