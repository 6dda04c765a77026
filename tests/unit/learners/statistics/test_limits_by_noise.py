"""Limits hold with their chance: exactly for any noise, and for all that is read off tables of unit mass."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners.statistics.intervals import (
    CellNoise,
    Limits,
    Term,
    around,
    cell_noise,
    limit,
    mean_limits,
    quantile_limits,
    variance_limits,
)
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.residuals import Key, Residuals
from semipriv.queries.unit_mass import UNITS, Levels

Noise = DiscreteLaplace | DiscreteGaussian
NOISE: list[Noise] = [
    *(DiscreteLaplace(scale) for scale in (0.05, 0.3, 1, 7, 60)),
    *(DiscreteGaussian(sigma) for sigma in (0.1, 0.35, 0.45, 1, 4, 60)),
]
LEVELS = (0.5, 0.8, 0.95, 0.99, 0.9999)


def probabilities(noise: Noise, step: int, most: int) -> Floats:
    """Return P[step Z = k] for |k| <= most, a multiple of step."""
    totals = np.zeros(2 * most + 1)
    totals[::step] = np.exp(noise.log_probability(np.arange(-(most // step), most // step + 1)))
    return totals


def chance(chances: Floats, x: float) -> float:
    return float(chances[np.abs(np.arange(len(chances)) - len(chances) // 2) <= x].sum())


@pytest.mark.parametrize("noise", NOISE, ids=str)
def test_a_limit_of_one_noise_has_its_chance(noise: Noise) -> None:
    """Atoms included; a limit that is lower by some percent has not, with nine tenths of the error."""
    computed_probabilities = probabilities(noise, 1, 3000)
    for level in LEVELS:
        x = limit([Term(noise, np.array([-0.5, 0.0]), np.array([1.0, 3.0]))], level)
        assert chance(computed_probabilities, 2 * x) >= level
        lower = 2 * x - 1e-9 - 0.04 * noise.variance**0.5
        assert lower < 0 or chance(computed_probabilities, lower - 1) < 1 - 0.9 * (1 - level)


@pytest.mark.parametrize(("first", "other"), [*itertools.combinations(NOISE, 2)], ids=str)
def test_a_limit_of_a_sum_has_its_chance(first: Noise, other: Noise) -> None:
    """Against the convolution: 3 Z - 2 Z'."""
    sum_chances = np.convolve(probabilities(first, 3, 3000), probabilities(other, 2, 3000))
    for level in LEVELS:
        x = limit([Term(first, np.array([3.0]), np.ones(1)), Term(other, np.array([-2.0]), np.ones(1))], level)
        assert chance(sum_chances, x) >= level


def test_no_noise_has_limit_0() -> None:
    assert limit([], 0.95) == limit([Term(DiscreteLaplace(1), np.zeros(2), np.ones(2))], 0.95) == 0.0


NUMBER = Levels(squares=True, missing=True)
SIZES = {"A": 3, "B": 4, "C": 1, "u": 4, "v": NUMBER.size}
NOISES: dict[Key, DiscreteNoise] = {
    ("A",): DiscreteLaplace(3),
    ("A", "B", "C"): DiscreteGaussian(2),
    ("A", "v"): DiscreteLaplace(30),
    ("B", "v"): DiscreteLaplace(50),
    ("A", "C", "u"): DiscreteGaussian(9),
}
MASSES: dict[Key, int] = {("A",): 1, ("A", "B", "C"): 1, ("A", "v"): 16, ("B", "v"): 16, ("A", "C", "u"): 5}


@pytest.mark.parametrize(
    ("table", "levels"),
    [
        (("A", "v"), True),
        (("v",), True),
        (("B", "v"), True),
        (("A", "B"), False),
        (("A", "C"), False),
        (("C", "u"), True),
    ],
)
def test_coefficients_are_those_of_the_estimate(table: Key, levels: bool) -> None:
    """One unit in one cell at a time, through the least squares: all coefficients, and how many cells have them."""
    fit = Residuals(SIZES, {key: noise.variance / MASSES[key] ** 2 for key, noise in NOISES.items()}, 100.0)
    cell = cell_noise(SIZES, NOISES, MASSES, table, levels)
    for measured, numbers, coefficients in zip(NOISES, cell.numbers, cell.coefficients, strict=True):
        collected = []
        for i in range(int(np.prod(fit.shape(measured)))):
            noise = {key: np.zeros(fit.shape(key)) for key in NOISES}
            noise[measured].ravel()[i] = 1 / MASSES[measured]
            moved = fit.table(fit.parts(noise), table, 0.0)
            collected.append(moved[(0,) * (moved.ndim - 1)] if levels else moved.ravel()[:1])
        repeated, brute = np.repeat(coefficients, numbers.astype(int), axis=0), np.array(collected)
        assert repeated.shape == brute.shape
        first, second = (np.lexsort(np.round(rows, 9).T) for rows in (repeated, brute))
        np.testing.assert_allclose(repeated[first], brute[second], atol=1e-12)


@pytest.mark.parametrize("above", [NUMBER.first, NUMBER.second], ids=["mean", "mean square"])
@pytest.mark.parametrize("table", [("A", "v"), ("B", "v"), ("v",)], ids=str)
def test_limits_in_between_places_are_no_lower(table: Key, above: Floats) -> None:
    """So the true mean is in its interval with the chance of the level, however few rows there are."""
    cell = cell_noise(SIZES, NOISES, MASSES, table, True)
    places = np.linspace(0, 1, 65)
    limits = [cell.limit(above - t * NUMBER.present, 0.9) for t in places]
    for t in np.random.default_rng(1).random(40):
        assert np.interp(t, places, limits) >= cell.limit(above - t * NUMBER.present, 0.9) * (1 - 1e-6)


class Told(CellNoise):
    """Noise of which all limits are the level."""

    def limit(self, vector: Floats, level: float) -> float:
        return level


def test_means_are_those_whose_test_does_not_reject() -> None:
    """The hull of such t of a fine grid, for groups that seem negative, empty and large; all t if there is none."""
    rng, levels = np.random.default_rng(2), Levels(squares=False, missing=True)
    table = rng.normal(size=(300, 3)) * 10 ** rng.uniform(-1, 1.5, (300, 1)) + [0.5, 0.5, 0]
    fine = np.linspace(0, 1, 64 * 64 + 1)
    low, high = mean_limits(Told((), (), ()), table, levels.first, levels.present, 0.8)
    kept = np.abs(table[:, 1:2] * (1 - fine) - table[:, :1] * fine) <= 0.8
    assert 100 < kept.any(axis=1).sum() < 290
    for i, some in enumerate(kept):
        if some.any():
            assert low[i] - 1e-9 <= fine[some][0] <= low[i] + 1 / 4096
            assert high[i] - 1 / 4096 <= fine[some][-1] <= high[i] + 1e-9
        else:
            assert (low[i], high[i]) == (0, 1) or 0 <= high[i] - low[i] < 1 / 4096


def private(kind: str) -> tuple[Integers, Integers, Bools]:
    """Return groups, units, and which numbers are missing, of 600 rows."""
    rng = np.random.default_rng(3)
    group = np.minimum(rng.zipf(1.6, 600) - 1, 5) if kind == "small" else rng.integers(0, 5, 600)
    place = {
        "heaped": rng.choice([0, 0.25, 0.5, 1], 600, p=[0.6, 0.2, 0.1, 0.1]),
        "constant": np.full(600, 0.3),
        "small": rng.beta(1, 4, 600),
    }[kind]
    return group, np.floor(place * UNITS + 0.5).astype(np.int64), rng.random(600) < 0.1


def masses_of(group: Integers, unit: Integers, missing: Bools) -> dict[Key, Integers]:
    """Return numbers of rows by group, and masses on three levels and that of missing numbers."""
    mass = np.stack([(UNITS - unit) ** 2, 2 * unit * (UNITS - unit), unit**2, np.zeros_like(unit)], axis=-1)
    mass[missing] = [0, 0, 0, UNITS**2]
    masses_by_key: dict[Key, Integers] = {("A",): np.zeros(6, np.int64), ("A", "v"): np.zeros((6, 4), np.int64)}
    np.add.at(masses_by_key["A",], group, 1)
    np.add.at(masses_by_key["A", "v"], group, mass)
    return masses_by_key


@pytest.mark.parametrize("epsilon", [0.3, 6])
@pytest.mark.parametrize("kind", ["heaped", "constant", "small"])
@pytest.mark.parametrize("distribution", [DiscreteLaplace, DiscreteGaussian])
def test_limits_cover(kind: str, distribution: type[Noise], epsilon: float) -> None:
    """Counts, sums, means and variances of each group, under noise that is drawn: 1,200 releases.

    Group 5 has no row, but for 'small', where groups have 277 rows to 20.
    """
    times, level, sizes = 1200, 0.9, {"A": 6, "v": 4}
    exact, masses = masses_of(*private(kind)), dict[Key, int]({("A",): 1, ("A", "v"): UNITS**2})
    noises: dict[Key, DiscreteNoise] = {key: distribution(4 / epsilon).per(mass) for key, mass in masses.items()}
    fit = Residuals(sizes, {key: noises[key].variance / masses[key] ** 2 for key in masses}, 600.0)
    drawn = {key: noises[key].sample(Simulation(5).spawn(*key), times * exact[key].size) for key in masses}
    noisy = {key: (exact[key] + draw.reshape(times, *exact[key].shape)) / masses[key] for key, draw in drawn.items()}
    actual_parts = [fit.parts({key: actual_level[i] for key, actual_level in noisy.items()}) for i in range(times)]
    counts, levels = (np.array([fit.table(item, key) for item in actual_parts]) for key in masses)
    count, cell = (cell_noise(sizes, noises, masses, key, len(key) == 2) for key in masses)

    def means(above: Floats, level: float) -> Limits:
        return mean_limits(cell, levels, above, NUMBER.present, level)

    half = (1 + level) / 2
    limits: Mapping[str, Limits] = {
        "count": around(counts, count.limit(np.ones(1), level), 0, 600),
        "sum": around(levels @ NUMBER.first, cell.limit(NUMBER.first, level)),
        "mean": means(NUMBER.first, level),
        "variance": variance_limits(means(NUMBER.first, half), means(NUMBER.second, half)),
    }
    mass = exact["A", "v"] / UNITS**2
    rows, first, second = mass @ NUMBER.present, mass @ NUMBER.first, mass @ NUMBER.second
    mean, square = first / np.maximum(rows, 1), second / np.maximum(rows, 1)
    truth = {"count": exact["A",], "sum": first, "mean": mean, "variance": square - mean**2}
    for statistic, (low, high) in limits.items():
        hits = np.sum((low <= truth[statistic] + 1e-9) & (truth[statistic] <= high + 1e-9), axis=0)
        least, most = clopper_pearson(hits, np.full(6, times))
        assert np.all((most >= level) | (rows == 0)), (statistic, hits / times)
        assert statistic != "sum" or np.all(least <= level + 0.02), (statistic, hits / times)


def test_variances_are_between_their_limits() -> None:
    """Those of all means and mean squares within theirs that a number in [0, 1] can have; and some reach them."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        m, s = np.sort(rng.random(2)), np.sort(rng.random(2))
        low, high = variance_limits((m[:1], m[1:]), (s[:1], s[1:]))
        mean, square = np.meshgrid(np.linspace(m[0], m[1], 60), np.linspace(s[0], s[1], 60))
        inside = (square - mean**2)[(mean**2 <= square) & (square <= mean)]
        if len(inside):
            assert low[0] - 1e-12 <= inside.min() <= low[0] + 0.1
            assert high[0] - 0.1 <= inside.max() <= high[0] + 1e-12


@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 1.0])
def test_quantiles_cover(q: float) -> None:
    """From noisy numbers up to cuts: heaped numbers, one number alone, and two rows at the upper end."""
    rng, cuts, noise = np.random.default_rng(7), np.arange(0, 21.0), DiscreteLaplace(6)
    width = limit([Term(noise, np.ones(1), np.ones(1))], 0.9)
    for x in (rng.choice([3, 4, 10, 19], 90), np.full(50, 7), np.array([20, 20])):
        up_to = np.array([np.sum(x <= cut) for cut in cuts])
        drawn = noise.sample(Simulation(8), 2000 * len(cuts)).reshape(2000, -1)
        low, high = quantile_limits(up_to - q * len(x) + drawn, np.full(len(cuts), width), cuts)
        true = np.min(cuts[1:][up_to[1:] >= q * len(x)])
        hits = np.sum((low <= true) & (true <= high))
        assert clopper_pearson(hits, 2000)[1] >= 0.9, hits
        assert np.all(low < high)
