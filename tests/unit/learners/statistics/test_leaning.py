"""Means by group in whole releases: what public rows of every kind do to them, and what wrong ones must not do."""

from functools import cache

import numpy as np
import pytest

from semipriv.core.persons import Persons, contents, shares, units_of
from semipriv.core.randomness import Simulation
from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.shrinkage import shrunk_means
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

GROUPS, N, RELEASES = 8, 2000, 10
SCHEMA = ReportSchema([Column("ward", range(GROUPS)), Number("days", 0, 1)])
ASKED = [Asked("count", None, ("ward",)), Asked("mean", "days", ("ward",))]
KINDS = ("good", "reversed", "all high", "half missing", "three")
DISTRIBUTIONS = ("heavy tail", "uniform", "half 0")
FACTOR = 1.25
"""By how much public rows may raise the error of means, of that of noise alone."""
HALF_AGAIN = 1.5
"""By how much private rows may raise the error of means, of that of good public rows alone."""


def numbers(distribution: str, coins: np.random.Generator, place: np.ndarray) -> np.ndarray:
    """Return numbers of rows whose wards have places from 0 to 1."""
    n = len(place)
    if distribution == "heavy tail":
        return np.minimum(np.exp(coins.normal(size=n) + place) / 100, 1.0)
    if distribution == "half 0":
        return np.where(coins.random(n) < 0.5, 0.0, np.round(10 * coins.random(n) * (0.5 + place / 2)) / 20)
    return coins.random(n) * (0.5 + place / 2)


def rows(distribution: str, n: int, seed: int) -> np.ndarray:
    coins = np.random.default_rng([seed, n])
    ward = np.minimum(coins.geometric(0.3, n) - 1, GROUPS - 1)
    return np.column_stack([ward, numbers(distribution, coins, ward / (GROUPS - 1))])


def public_rows(kind: str, distribution: str) -> np.ndarray:
    """Return public rows of a kind: good ones, many or three; turned upside down; all high; the lower half alone."""
    computed_rows = rows(distribution, 3 if kind == "three" else 200, 1)
    if kind == "reversed":
        computed_rows[:, 1] = 1 - computed_rows[:, 1]
    elif kind == "all high":
        computed_rows[:, 1] = 1.0
    elif kind == "half missing":
        computed_rows = computed_rows[np.argsort(computed_rows[:, 1], kind="stable")][:100]
    return computed_rows if kind != "none" else computed_rows[:0]


@cache
def errors(kind: str, distribution: str, signal: float) -> np.ndarray:
    """Return the mean absolute error over wards of means by noise alone and of leaning ones, (2, releases)."""
    private = rows(distribution, N, 0)
    ward = private[:, 0].astype(int)
    exact = np.bincount(ward, private[:, 1], GROUPS) / np.bincount(ward, minlength=GROUPS)
    learner = StatisticsRelease(signal / N, 0.0, statistics=ASKED)
    prepared = learner.prepare(public_rows(kind, distribution), SCHEMA)
    sums = [question.of(private) for question in learner.questions(prepared, N)]
    mean_errors = []
    for seed in range(RELEASES):
        report = learner.release_counts(prepared, sums, N, Simulation(seed)).output
        at_this_place = report.place == 1
        kinds, values = report.kinds[at_this_place], report.values[at_this_place]
        mean_errors.append([mean_told(np.abs(values[own] - exact)) for own in (kinds == 0, kinds > 0)])
    return np.array(mean_errors).T


def mean_told(off: np.ndarray) -> float:
    """Return the mean of the numbers that are told; NaN if none is."""
    return float(off[~np.isnan(off)].mean()) if not np.isnan(off).all() else float("nan")


def quotient(kind: str, distribution: str, signal: float, place: int) -> tuple[float, float]:
    """Return the error over that of noise alone without public rows, and twice the standard error of this quotient.

    place: 0 for noise alone, 1 for leaning values.
    """
    own, without = errors(kind, distribution, signal)[place], errors("none", distribution, signal)[0]
    ratio_of_means = float(own.mean() / without.mean())
    relative = [
        np.var(errors_of_arm, ddof=1) / len(errors_of_arm) / errors_of_arm.mean() ** 2
        for errors_of_arm in (own, without)
    ]
    return ratio_of_means, 2 * ratio_of_means * float(np.sum(relative)) ** 0.5


@pytest.mark.parametrize("signal", [60.0, 200.0, 700.0, 3000.0])
@pytest.mark.parametrize("kind", KINDS)
def test_public_rows_do_not_raise_the_error_of_means(kind: str, signal: float) -> None:
    """By noise alone, with n epsilon from 60 to 3000: wrong public numbers gave ends that missed all private ones."""
    for distribution in DISTRIBUTIONS:
        ratio, off = quotient(kind, distribution, signal, 0)
        assert ratio <= FACTOR + off, distribution


@pytest.mark.parametrize("signal", [200.0, 700.0, 3000.0])
def test_good_public_rows_make_means_more_exact(signal: float) -> None:
    for distribution, share in (("heavy tail", 0.4), ("half 0", 0.7)):
        assert quotient("good", distribution, signal, 0)[0] <= share, distribution


@pytest.mark.parametrize("signal", [60.0, 200.0, 700.0, 3000.0])
@pytest.mark.parametrize("kind", KINDS)
def test_leaning_means_are_not_worse_than_noise_without_public_rows(kind: str, signal: float) -> None:
    for distribution in DISTRIBUTIONS:
        ratio, off = quotient(kind, distribution, signal, 1)
        assert ratio <= FACTOR + off, distribution


@pytest.mark.parametrize("signal", [0.1, 3.0, 20.0, 60.0, 200.0, 500.0, 1500.0])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_leaning_means_are_not_much_worse_than_good_public_rows_alone(distribution: str, signal: float) -> None:
    """With few bins noise moved a share of the rows to the far end, and they erred twice as much as public rows alone;
    with hardly any signal they leaned on a mean of all rows that was noise, and erred 50 times as much.
    """
    ratio, off = ratio_to_public(distribution, signal)
    assert ratio <= HALF_AGAIN + off


def ratio_to_public(distribution: str, signal: float) -> tuple[float, float]:
    private, public = rows(distribution, N, 0), public_rows("good", distribution)
    exact, alone = (
        np.bincount(part[:, 0].astype(int), part[:, 1], GROUPS)
        / np.maximum(np.bincount(part[:, 0].astype(int), minlength=GROUPS), 1)
        for part in (private, public)
    )
    own, base = errors("good", distribution, signal)[1], float(np.abs(alone - exact).mean())
    return float(own.mean() / base), 2 * float(own.std(ddof=1) / len(own) ** 0.5 / base)


@pytest.mark.parametrize("rows_of", [1, 3, 25])
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("deviation", [0.003, 0.03, 0.1])
def test_equal_public_numbers_do_no_harm_to_means(rows_of: int, place: float, deviation: float) -> None:
    """They do not show that numbers do not vary: all priors were narrow then, around one wrong mean or another."""
    coins = Simulation(7).generator
    off = []
    for _ in range(60):
        truth = coins.uniform(0.2, 0.6, GROUPS)
        values = truth + deviation * coins.laplace(size=GROUPS) / 2**0.5
        public = (np.full(GROUPS, float(rows_of)), np.full(GROUPS, rows_of * place), 0.0)
        sizes = np.full(GROUPS, 250.0)
        shrunk_values = shrunk_means(values, np.full(GROUPS, deviation), float(values.mean()), sizes, public).values
        off.append((np.abs(shrunk_values - truth).mean(), np.abs(values - truth).mean()))
    leaning, noise = np.mean(off, axis=0)
    assert leaning <= FACTOR * noise


@pytest.mark.parametrize("epsilon", [1.0, 100.0, 1e4])
def test_means_of_numbers_that_are_all_missing_are_those_of_public_rows(epsilon: float) -> None:
    """No rows were taken for a certain mean of 0."""
    coins = np.random.default_rng(2)
    schema = ReportSchema([Column("ward", range(3)), Number("days", 0, 60, True)])
    public, private = (np.column_stack([coins.integers(0, 3, n), np.full(n, 0.5), np.zeros(n)]) for n in (200, 3000))
    private[:, 1:] = 0.0, 1.0
    learner = StatisticsRelease(epsilon, statistics=[Asked("mean", "days", ("ward",))])
    report = learner.release(learner.prepare(public, schema), private, Simulation(1)).output
    assert np.allclose(report.values[report.kinds > 0], 30, atol=1.5)


def test_leaning_counts_of_persons_need_not_be_whole() -> None:
    """A person with rows in two wards is half a person in each: hardly any noise, and counts are not rounded."""
    coins = np.random.default_rng(3)
    names = [f"{i // 2}" for i in range(80)]
    given = np.column_stack([coins.integers(0, GROUPS, 80), coins.random(80)])
    units = units_of(40)
    learner = StatisticsRelease(1e5, 0.0, statistics=ASKED[:1])
    prepared = learner.prepare(rows("uniform", 50, 1), SCHEMA)
    unit_shares = shares(Persons.of(names), contents(given), units, "key")
    sums = [question.of(given, unit_shares) for question in learner.questions(prepared, 40)]
    report = learner.release_counts(prepared, sums, 40, Simulation(0), units).output
    exact = np.bincount(given[:, 0].astype(int), minlength=GROUPS) / 2
    assert np.any(exact != np.rint(exact))
    assert np.allclose(report.values[report.kinds > 0], exact, atol=0.01)
