"""Quantiles by group: exact privacy by enumeration with controls, limits of the budget, controls by hand."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any, cast

import attrs
import numpy as np
import pytest
import scipy.special

from semipriv.core.randomness import Secure, Simulation
from semipriv.core.types import Floats, Integers
from semipriv.learners.statistics.asked import level
from semipriv.learners.statistics.quantiles import (
    Beliefs,
    Candidates,
    Draws,
    Trees,
    beliefs,
    found_in_trees,
    found_of_draws,
    held,
    limits_of_trees,
    planned,
    prior,
    responsibilities,
    sizes_in_trees,
    unshrunk,
)
from semipriv.learners.statistics.shapes import UNITS, bins, cuts
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import estimate

LEVELS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
CUT = np.array([1, 2**15], np.int64)
CANDIDATES = Candidates.of(CUT, np.array([5]))
"""Both ends, two cuts and three bins: the single value 0, one with a public row, and one with its middle."""


BEFORE = np.array([[0.3, 0.05, 0.2, 0.1, 0.15, 0.15, 0.05], [1e-4, 0.1, 1e-4, 0.75, 1e-4, 0.0997, 0.05]])
"""Priors of the candidates in two groups."""


class Watched:
    """A mechanism that draws nothing, and keeps the distribution of what it would draw."""

    def __init__(self, mechanism: ExponentialMechanism) -> None:
        self.mechanism, self.rate, self.seen = mechanism, mechanism.rate, np.zeros(0)

    def sample_each(self, scores: Integers, randomness: object) -> Integers:
        [row] = scores
        self.seen = self.mechanism.log_probabilities(row)
        return np.zeros(1, np.int64)


class WatchedDraws(Draws):
    """Draws whose scores are as in a release, and whose distribution is kept."""

    def mechanism(self, units: int = 1) -> Watched:  # type: ignore[override]
        object.__setattr__(self, "watched", Watched(super().mechanism(units)))
        return cast(Any, self).watched


@cache
def distribution(draws: Draws, group: int, counts: tuple[int, ...], units: int = 1) -> Floats:
    """Return the exact log-probabilities of the draw of a group, (C,)."""
    watched = WatchedDraws(draws.at, draws.epsilon, draws.broad)
    watched.release(CANDIDATES, np.array([counts]), BEFORE[[group]], Secure(), units)
    return cast(Any, watched).watched.seen


def distributions(draws: Draws, counts: Integers, units: int = 1) -> Floats:
    """Return those of two groups, (2, C)."""
    return np.array([distribution(draws, group, tuple(row), units) for group, row in enumerate(counts.tolist())])


CELLS = list(itertools.product(range(2), range(3)))
"""Groups and bins."""


def neighbours(before: Integers) -> Iterator[tuple[Integers, bool]]:
    """Yield a table with one row replaced, in all ways, and whether the row stays in its group."""
    for old, new in itertools.product(CELLS, CELLS):
        if before[old]:
            after = before.copy()
            after[old] -= 1
            after[new] += 1
            yield after, old[0] == new[0]


def tables(rows: int) -> Iterator[Integers]:
    """Yield all tables of so many rows in two groups of three bins, (2, 3), and 150 larger ones."""
    for table in itertools.combinations_with_replacement(range(6), rows):
        yield np.bincount(table, minlength=6).reshape(2, 3)
    random = np.random.default_rng(8)
    for _ in range(150):
        yield random.multinomial(random.integers(5, 40), random.dirichlet(np.full(6, 0.3))).reshape(2, 3)


def renyi(gap: Floats, log_distribution: Floats, order: float) -> float:
    """Return the divergence of this order of a distribution from its neighbour, one group."""
    return float(np.log(np.sum(np.exp(log_distribution + (order - 1) * gap))) / (order - 1))


def loss(draws: Draws) -> tuple[float, float]:
    """Return the largest log-ratio of all groups together, and the largest divergence over its order."""
    worst = rho = 0.0
    for x in tables(4):
        first = distributions(draws, x)
        for y, _ in neighbours(x):
            gap = first - distributions(draws, y)
            worst = max(worst, float(gap.max(axis=1).sum()))
            for order in (1.01, 4.0):
                rho = max(rho, sum(renyi(g, f, order) for g, f in zip(gap, first, strict=True)) / order)
    return worst, rho


@pytest.mark.parametrize("at", LEVELS, ids=str)
def test_draws_of_all_groups_lose_what_their_event_says(at: Fraction) -> None:
    """Every table of four rows in two groups and three bins, and larger ones, with all neighbours."""
    draws = Draws.of(at, Fraction(1), False)
    worst, _ = loss(draws)
    assert draws.event.pure == 1
    assert 0.5 < worst <= 1 + 1e-9

    concentrated = Draws.of(at, Fraction(1, 50), True)
    _, rho = loss(concentrated)
    assert 0.018 < concentrated.event.rho <= Fraction(1, 50)
    assert 0.006 < rho <= 0.02 + 1e-9


@pytest.mark.parametrize("at", LEVELS, ids=str)
def test_a_replaced_row_moves_scores_within_the_range_of_a_draw(at: Fraction) -> None:
    """Range of the scores, for every table: 2 m where a row changes its group, 2 (or 1 at the ends) where it stays."""
    interior = 0 < at < 1
    moved = {True: 2.0 if interior else 1.0, False: 2 * float(max(at, 1 - at)) if interior else 1.0}
    largest = {True: 0.0, False: 0.0}
    for x in tables(4):
        for y, stays in neighbours(x):
            change = (CANDIDATES.penalties(y, at) - CANDIDATES.penalties(x, at)) / at.denominator
            largest[stays] = max(largest[stays], float(np.ptp(change, axis=1).max()))
    assert largest[True] <= moved[True]
    assert largest[False] <= moved[False]
    assert largest[True] > 0.9 * moved[True]
    assert largest[False] > 0.9 * moved[False]


def test_the_audit_finds_groups_that_are_priced_in_parallel() -> None:
    """Negative control: the draw of one group gets the whole budget, as if groups shared no row."""
    honest = Draws.of(Fraction(1, 2), Fraction(1), False)
    parallel = attrs.evolve(honest, epsilon=2 * honest.epsilon)
    assert loss(honest)[0] <= 1 + 1e-9 < 1.2 < loss(parallel)[0]


def test_the_audit_finds_levels_that_are_priced_as_the_median() -> None:
    """Negative control: for q = 1/4 a row that changes its group moves scores by 3/4 each, not by 1/2."""
    honest = Draws.of(Fraction(1, 4), Fraction(1), False)
    narrow = attrs.evolve(honest, broad=Fraction(1))
    assert loss(honest)[0] <= 1 + 1e-9 < loss(narrow)[0]


@pytest.mark.parametrize("at", [Fraction(0), Fraction(1, 4), Fraction(1, 2)], ids=str)
def test_a_person_loses_no_more_than_a_row(at: Fraction) -> None:
    """All ways in which two persons' units lie in two groups and three bins, beside others who stay."""
    units, cells = 3, 6
    draws = Draws.of(at, Fraction(1), False)
    ways = [
        np.bincount(combination, minlength=cells)
        for combination in itertools.combinations_with_replacement(range(cells), units)
    ]
    for others in (np.zeros(6, np.int64), np.array([4, 0, 2, 1, 0, 2]), np.array([0, 3, 0, 0, 6, 0])):
        computed_distributions = [distributions(draws, (others + way).reshape(2, 3), units) for way in ways]
        for x, y in itertools.product(computed_distributions, repeat=2):
            assert (x - y).max(axis=1).sum() <= 1 + 1e-9


def test_a_person_of_many_groups_costs_no_more_rho_than_a_row() -> None:
    """The sum over groups of squared ranges, for random units of persons, is within that of the event."""
    random = np.random.default_rng(3)
    for at in LEVELS:
        draws = Draws.of(at, Fraction(1, 10), True)
        for _ in range(300):
            groups, units = int(random.integers(1, 5)), 12
            old, new = (random.multinomial(units, random.dirichlet(np.full(groups * 3, 0.3))) for _ in range(2))
            others = random.integers(0, 30, (groups, 3))
            x, y = (others + table_row.reshape(groups, 3) for table_row in (old, new))
            change = draws.rate / units * (CANDIDATES.penalties(y, at) - CANDIDATES.penalties(x, at)) / at.denominator
            assert (np.ptp(change, axis=1) ** 2).sum() / 8 <= 1 / 10 + 1e-12


def test_trees_cost_two_nodes_of_a_level() -> None:
    assert Trees.of(64, Fraction(1, 3), False).event.pure == Fraction(1, 3)
    gaussian = Trees.of(64, Fraction(1, 30), True)
    assert isinstance(gaussian.noise, DiscreteGaussian)
    assert Fraction(99, 100) / 30 < gaussian.event.rho <= Fraction(1, 30)


# ------------------------------------------------------------------------------------------------- what is drawn
def test_penalties_are_distances_in_rank() -> None:
    """By hand: how many rows lie between a candidate and the quantile, for random counts."""
    random = np.random.default_rng(0)
    cut = np.array([1, 10, 20, 30], np.int64)
    candidates = Candidates.of(cut, np.array([12, 14, 25]))
    for at in LEVELS:
        for _ in range(20):
            counts = random.integers(0, 5, (1, 5))
            n = counts.sum()
            for low, high, penalty in zip(
                candidates.low, candidates.high, candidates.penalties(counts, at)[0], strict=True
            ):
                below, through = counts[0, :low].sum(), counts[0, :high].sum()
                by_hand = max(Fraction(0), below - at * n, at * n - through)
                assert Fraction(int(penalty), at.denominator) == by_hand


def test_the_draw_has_its_distribution_under_both_kinds_of_randomness() -> None:
    counts = np.array([[3, 1, 4]])
    before = BEFORE[:1]
    draws = Draws.of(Fraction(1, 2), Fraction(2), False)
    exact = np.exp(distribution(draws, 0, (3, 1, 4)))
    by_hand = before[0] * np.exp(-draws.rate * CANDIDATES.penalties(counts, draws.at)[0] / 2)
    assert np.allclose(exact, by_hand / by_hand.sum(), atol=2e-3)
    for randomness in (Secure(), Simulation(5)):
        drawn = draws.release(CANDIDATES, np.repeat(counts, 3000, 0), np.repeat(before, 3000, 0), randomness)
        assert np.abs(np.bincount(drawn, minlength=7) / 3000 - exact).max() < 0.05


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.99])
def test_a_draw_is_as_near_in_rank_as_its_limit_says(coverage: float) -> None:
    """The exact chance of being further, for all tables of four rows and larger ones."""
    attained = 0.0
    for at in (Fraction(1, 2), Fraction(9, 10)):
        draws = Draws.of(at, Fraction(8), False)
        limits = draws.rank_limit(BEFORE, coverage)
        for x in tables(4):
            penalty = CANDIDATES.penalties(x, at) / at.denominator
            beyond = penalty > penalty.min(axis=1, keepdims=True) + limits[:, None]
            chance = np.where(beyond, np.exp(distributions(draws, x)), 0.0).sum(axis=1)
            attained = max(attained, float(chance.max()))
    assert 0 < attained <= 1 - coverage


@pytest.mark.parametrize("epsilon", [0.02, 0.3, 5])
def test_limits_of_a_tree_hold_with_their_chance(epsilon: float) -> None:
    """Constant, heaped and spread numbers in groups of 3 to 800 rows; coverage is that of the rows themselves."""
    random = np.random.default_rng(9)
    groups = [np.full(40, 0), np.full(3, UNITS), random.choice([5, 9000, 9001], 800), random.integers(0, UNITS, 300)]
    cut = cuts(None)
    counts = np.array([np.bincount(bins(cut, group), minlength=len(cut) + 1) for group in groups])
    trees, sizes = Trees.of(len(cut) + 1, Fraction(epsilon), False), counts.sum(axis=1).astype(float)
    held = []
    for seed in range(60):
        noisy = trees.release(counts, Simulation(seed))
        for at in (Fraction(1, 4), Fraction(1, 2)):
            [(low, high)] = limits_of_trees(trees, noisy, sizes, [at], cut, 0.9)
            true = np.array([np.quantile(group, float(at), method="inverted_cdf") for group in groups])
            held.append((low <= true) & (true <= high))
    assert np.mean(held, axis=0).min() > 0.85


def test_sizes_follow_the_trees_as_far_as_their_noise_allows() -> None:
    counts = np.array([[5, 10, 20, 5], [0, 0, 0, 3]])
    expected, unsure = np.array([80.0, 80.0]), np.array([40.0, 0.0])
    for epsilon, first in ((1e6, 40.0), (1e-6, 80.0)):
        trees = Trees.of(4, Fraction(epsilon), False)
        estimated_sizes, _ = sizes_in_trees(trees, trees.release(counts, Simulation(0)), expected, unsure)
        assert np.abs(estimated_sizes - [first, 80]).max() < 0.1
    trees = Trees.of(4, Fraction(1), False)
    drawn = np.array(
        [
            sizes_in_trees(trees, trees.release(counts, Simulation(i)), np.zeros(2), np.full(2, 1e9))[0][0]
            for i in range(500)
        ]
    )
    nodes = [level.shape[1] for level in trees.release(counts, Simulation(0))]
    deviation = (trees.noise.variance / sum(1 / node for node in nodes)) ** 0.5
    assert abs(drawn.mean() - 40) < 0.2 * deviation
    assert abs(drawn.std() / deviation - 1) < 0.15


def test_a_large_budget_gives_a_candidate_next_to_the_quantile() -> None:
    """Signal to infinity: no candidate is nearer in rank, for draws and trees, with public rows and without."""
    random = np.random.default_rng(1)
    units = np.sort(random.integers(0, 3000, (4, 900)), axis=1)
    for public in (None, random.integers(0, UNITS, 50)):
        cut = cuts(public)
        candidates, k = Candidates.of(cut, public), len(cut) + 1
        counts = np.array([np.bincount(bins(cut, unit), minlength=k) for unit in units])
        sizes = counts.sum(axis=1).astype(float)
        own = None if public is None else np.array([np.bincount(bins(cut, public), minlength=k)] * 4)
        given = beliefs(cut, 4, own)
        for at in LEVELS:
            least = candidates.penalties(counts, at).min(axis=1) / at.denominator
            draws = Draws.of(at, Fraction(2000), False)
            before = prior(draws, candidates, given, sizes)
            drawn = draws.release(candidates, counts, before, Simulation(2))
            trees = Trees.of(k, Fraction(20000), False)
            noisy = trees.release(counts, Simulation(3))
            best = found_of_draws(draws, candidates, drawn, before, given, sizes).best
            for quantiles_tried in (drawn, unshrunk(trees, candidates, noisy, sizes, [at])[0]):
                assert (candidates.penalties(counts, at)[range(4), quantiles_tried] / at.denominator <= least + 1).all()
            (tree,) = found_in_trees(trees, candidates, noisy, given, sizes, [at])
            for quantiles_tried in (best, tree.best):
                assert (
                    candidates.penalties(counts, at)[range(4), quantiles_tried] / at.denominator <= least + 40
                ).all()


def test_without_signal_the_result_is_that_of_public_rows() -> None:
    """Signal to 0: rows of another distribution move nothing, for draws and for trees."""
    random = np.random.default_rng(2)
    public = random.normal(30_000, 5_000, (3, 400)).astype(np.int64)
    cut = cuts(public.ravel())
    candidates, k = Candidates.of(cut, public.ravel()), len(cut) + 1
    own = np.array([np.bincount(bins(cut, public_part), minlength=k) for public_part in public])
    counts = np.zeros((3, k), np.int64)
    counts[:, -1] = 50
    sizes, at = np.full(3, 50.0), Fraction(1, 2)
    given = beliefs(cut, 3, own)
    draws = Draws.of(at, Fraction(1, 10**6), False)
    before = prior(draws, candidates, given, sizes)
    drawn = draws.release(candidates, counts, before, Simulation(1))
    trees = Trees.of(k, Fraction(1, 10**6), False)
    noisy = trees.release(counts, Simulation(1))
    (tree,) = found_in_trees(trees, candidates, noisy, given, sizes, [at])
    for quantiles_tried in (found_of_draws(draws, candidates, drawn, before, given, sizes), tree):
        value = candidates.value[quantiles_tried.best]
        rank = (public <= value[:, None]).mean(axis=1)
        assert np.abs(rank - 0.5).max() < 0.06, rank


def test_a_biased_public_part_gives_way_to_many_rows() -> None:
    """Public values are half as large as the private ones: private ranks count, once groups are large."""
    random = np.random.default_rng(4)
    private, public = random.gamma(2, 4000, (6, 2000)), random.gamma(2, 2000, (6, 40))
    units, shown = (np.minimum(part, UNITS).astype(np.int64) for part in (private, public))
    cut = cuts(shown.ravel())
    candidates, k = Candidates.of(cut, shown.ravel()), len(cut) + 1
    counts, own = (np.array([np.bincount(bins(cut, row), minlength=k) for row in sample]) for sample in (units, shown))
    given, sizes, at = beliefs(cut, 6, own), np.full(6, 2000.0), Fraction(1, 2)
    draws = Draws.of(at, Fraction(1, 2), False)
    before = prior(draws, candidates, given, sizes)
    drawn = draws.release(candidates, counts, before, Simulation(1))
    quantiles_of_draws = found_of_draws(draws, candidates, drawn, before, given, sizes)
    ranks = (units <= candidates.value[quantiles_of_draws.best][:, None]).mean(axis=1)
    alone = (units <= np.median(shown, axis=1)[:, None]).mean(axis=1)
    assert np.abs(ranks - 0.5).mean() < 0.05
    assert np.abs(alone - 0.5).mean() > 0.2


@pytest.mark.parametrize("concentrated", [False, True])
def test_quantiles_of_nobody_and_of_one_are_released(concentrated: bool) -> None:
    cut = cuts(None)
    candidates, k = Candidates.of(cut), len(cut) + 1
    counts = np.zeros((2, k), np.int64)
    counts[1, 3] = 1
    sizes = np.array([0.0, 1.0])
    given = beliefs(cut, 2, None)
    for at in LEVELS:
        for many in (1, 9):
            how = planned(k, [at] * many, Fraction(1, 10), concentrated, public=False)
            if isinstance(how, Trees):
                quantiles_in_trees = found_in_trees(
                    how, candidates, how.release(counts, Simulation(1)), given, sizes, [at]
                )[0]
            else:
                before = prior(how[0], candidates, given, sizes)
                drawn = how[0].release(candidates, counts, before, Simulation(1))
                quantiles_in_trees = found_of_draws(how[0], candidates, drawn, before, given, sizes)
            assert np.isfinite(quantiles_in_trees.chances).all()
            assert (
                (candidates.value[quantiles_in_trees.best] >= 0) & (candidates.value[quantiles_in_trees.best] <= UNITS)
            ).all()


def test_tiny_budgets_neither_overflow_nor_lose_their_prior() -> None:
    cut = cuts(np.array([5, 9, 70]))
    candidates, k = Candidates.of(cut, np.array([5, 9, 70])), len(cut) + 1
    draws = Draws.of(Fraction(1, 3), Fraction(1, 10**9), False)
    before = np.full((1, len(candidates.value)), 1e-12)
    before[0, 5] = 1.0
    for randomness in (Secure(), Simulation(0)):
        assert draws.release(candidates, np.full((1, k), 2**30), before, randomness, units=2**16)[0] == 5


def test_levels_are_small_fractions() -> None:
    assert [level(value) for value in (0, 0.1, 0.25, 1, 0.999)] == [
        Fraction(0),
        Fraction(1, 10),
        Fraction(1, 4),
        Fraction(1),
        Fraction(999, 1000),
    ]
    assert abs(level(1 / 3) - Fraction(1, 3)) < 1e-8


# ------------------------------------------------------------------------------------------------- beliefs
def test_the_chance_of_a_bin_is_that_of_random_shares() -> None:
    """A Dirichlet distribution, drawn: how often its q-quantile is in each bin."""
    random = np.random.default_rng(6)
    shares, at = np.array([0.5, 0.1, 0.3, 0.1]), Fraction(1, 3)
    given = Beliefs(shares[None, None], np.array([[12.0]]), np.ones(1), True, np.zeros(1, np.intp))
    drawn = np.cumsum(random.dirichlet(12.0 * shares, 20_000), axis=1)
    simulated = np.bincount((drawn < float(at)).sum(axis=1), minlength=4) / 20_000
    assert np.abs(given.at(at, np.array([1e12]))[0, 0] - simulated).max() < 0.015


def test_what_is_skipped_of_a_chance_is_nothing() -> None:
    """The chance that a bin holds a quantile, by the incomplete beta function everywhere."""
    random = np.random.default_rng(5)
    shares = random.dirichlet(np.full(20, 0.4), (3, 50))
    kappa, q = np.exp(random.uniform(-3, 12, (3, 50))), random.uniform(0.01, 0.99, 50)
    below = np.clip(np.cumsum(shares, axis=-1), 0, 1)
    reached = scipy.special.betainc(
        np.maximum(kappa[..., None] * (1 - below), 1e-9), np.maximum(kappa[..., None] * below, 1e-9), 1 - q[:, None]
    )
    reached[..., -1] = 1
    by_hand = np.diff(reached, axis=-1, prepend=0.0)
    assert np.abs(held(shares, kappa, q) - by_hand).max() < 3e-15


def test_expected_distances_are_sums_of_distances() -> None:
    random = np.random.default_rng(6)
    candidates = Candidates.of(cuts(None, 20), None)
    shares, chances = random.dirichlet(np.full(len(candidates.low) // 2, 0.2), (2, 40))
    q = random.uniform(0.01, 0.99, 40)
    away = candidates.distances(shares, q)
    assert np.allclose(candidates.losses(shares, q, chances), np.einsum("gck,gk->gc", away, chances), atol=1e-12)
    some = random.integers(0, len(candidates.low), (40, 3))
    assert np.array_equal(candidates.distances(shares, q, some), np.take_along_axis(away, some[..., None], axis=1))


def groups_of(public: bool) -> tuple[Integers, Integers | None, Candidates, Beliefs, Floats]:
    """Return counts, public counts, candidates, beliefs and sizes of seven groups of a few bins."""
    random = np.random.default_rng(7)
    cut = np.array([1, 2000, 9000, 20_000, 40_000, UNITS], np.int64)
    counts = random.multinomial([0, 1, 5, 40, 40, 300, 2000], random.dirichlet(np.full(7, 0.7), 7))
    own = random.multinomial([0, 0, 1, 3, 0, 20, 5], np.full(7, 1 / 7)) if public else None
    overall = counts.sum(axis=0) / counts.sum()
    given = beliefs(cut, 7, own, overall, 300.0)
    return counts, own, Candidates.of(cut), given, np.maximum(counts.sum(axis=1), 0.5).astype(float)


@pytest.mark.parametrize("public", [False, True])
def test_draws_of_all_groups_are_read_as_those_of_each(public: bool) -> None:
    """Bayes' rule by hand, group by group and bin by bin: sizes as they are, not to 2 %."""
    counts, _, candidates, given, sizes = groups_of(public)
    draws = Draws.of(Fraction(1, 4), Fraction(1, 2), False)
    before = prior(draws, candidates, given, sizes)
    drawn = draws.release(candidates, counts, before, Simulation(0))
    quantiles_of_draws = found_of_draws(draws, candidates, drawn, before, given, sizes)
    at, away = given.at(draws.at, sizes), candidates.distances(given.mean, np.full(7, 0.25))
    weight = before[:, :, None] * np.exp(-draws.rate * np.maximum(sizes, 1)[:, None, None] * away)
    like = np.array([group_weight[c] / group_weight.sum(axis=0) for group_weight, c in zip(weight, drawn, strict=True)])
    parts, weights = responsibilities((at * like).sum(axis=2), given.chances)
    joint = sum((part / (own * like).sum(axis=1))[:, None] * own * like for part, own in zip(parts, at, strict=True))
    assert np.abs(quantiles_of_draws.chances - joint / joint.sum(axis=1, keepdims=True)).max() < 0.02
    assert np.abs(quantiles_of_draws.weights - weights).max() < 0.02


@pytest.mark.parametrize("public", [False, True])
def test_trees_of_all_groups_are_read_as_those_of_each(public: bool) -> None:
    """Least squares and Bayes' rule of one group and one belief after the other; limits, too."""
    counts, _, candidates, given, sizes = groups_of(public)
    trees, at = Trees.of(7, Fraction(2), False), [Fraction(1, 4), Fraction(9, 10)]
    noisy = trees.release(counts, Simulation(0))
    together = found_in_trees(trees, candidates, noisy, given, sizes, at)
    shares = np.empty((len(given.chances), 7, 7))
    logs = np.empty(shares.shape[:2])
    for g, size in enumerate(np.maximum(sizes, 2.0)):
        for j, share in enumerate(given.shares[:, given.sort[g]]):
            spread = size**2 * share / given.worth[j, given.sort[g]]
            levels_of_group = [level[g] for level in noisy]
            computed_estimate = estimate(trees.tree, levels_of_group, trees.noise.variance, size, size * share, spread)
            estimated = np.maximum(computed_estimate.counts, 1e-6 * size)
            shares[j, g] = estimated / estimated.sum()
            logs[j, g] = computed_estimate.evidence + 0.5 * np.log(spread.sum())
    parts, _ = responsibilities(np.exp(logs - logs.max(axis=0)), given.chances)
    known = (np.maximum(sizes, 1) / trees.deviation(7)) ** 2
    worth = given.worth[:, given.sort]
    for q, quantile in zip(at, together, strict=True):
        kappa = 1 / (1 / (worth + float(q * (1 - q)) * known) + 1 / np.maximum(sizes, 1))
        inside = np.clip(float(q), 0.5 / np.maximum(sizes, 1), 1 - 0.5 / np.maximum(sizes, 1))
        chances = np.einsum("jg,jgk->gk", parts, held(shares, kappa, inside))
        assert np.abs(quantile.chances - chances / chances.sum(axis=1, keepdims=True)).max() < 0.01
    alone = unshrunk(trees, candidates, noisy, sizes, at)
    limits = limits_of_trees(trees, noisy, sizes, at, np.array([1, 2000, 9000, 20_000, 40_000, UNITS]), 0.9)
    for g in range(7):
        levels_of_group = [level[[g]] for level in noisy]
        assert unshrunk(trees, candidates, levels_of_group, sizes[[g]], at)[:, 0].tolist() == alone[:, g].tolist()
        of_one = limits_of_trees(
            trees, levels_of_group, sizes[[g]], at, np.array([1, 2000, 9000, 20_000, 40_000, UNITS]), 0.9
        )
        assert [(low[0], high[0]) for low, high in of_one] == [(low[g], high[g]) for low, high in limits]


# ------------------------------------------------------------------------------------------------- ranks
def spread_rows(kind: str, n: int) -> Integers:
    """Return units of n rows: evenly spread, half of them at one place, or all."""
    even = (np.arange(n) + 0.5) / n * UNITS
    share = {"continuous": 0.0, "heaped": 0.5, "constant": 1.0}[kind]
    return np.where((np.arange(n) * 0.618) % 1 < share, 26_214, even).astype(np.int64)


@pytest.mark.parametrize("kind", ["continuous", "heaped", "constant"])
@pytest.mark.parametrize("n", [3, 40, 1000, 20_000])
@pytest.mark.parametrize("at", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 50)], ids=str)
def test_ranks_of_draws_are_off_by_what_is_told(kind: str, n: int, at: Fraction) -> None:
    """By the exact distribution of the draw: within a factor of 2.5 for spread rows, and of 3.5 for any."""
    cut = cuts(None)
    candidates, given, sizes = Candidates.of(cut), beliefs(cut, 1, None), np.array([float(n)])
    counts = np.bincount(bins(cut, spread_rows(kind, n)), minlength=len(cut) + 1)[None]
    away = candidates.penalties(counts, at)[0] / at.denominator
    for epsilon in (Fraction(1, 100), Fraction(1, 5), Fraction(4)):
        draws = Draws.of(at, epsilon, False)
        before = prior(draws, candidates, given, sizes)[0]
        weight = before * np.exp(-draws.rate * away)
        off, actual_rank_error = math.sqrt(weight @ away**2 / weight.sum()), float(draws.rank_error(sizes)[0])
        assert off <= 3.5 * actual_rank_error, (epsilon, off, actual_rank_error)
        if kind == "continuous" and actual_rank_error > n / 16:  # else within a bin
            assert off >= actual_rank_error / 2.5, (epsilon, off, actual_rank_error)


@pytest.mark.parametrize("kind", ["continuous", "heaped", "constant"])
@pytest.mark.parametrize("n", [3, 1000])
def test_ranks_in_trees_are_off_by_what_is_told(kind: str, n: int) -> None:
    """Of 300 groups of the same rows, with a noisy tree each."""
    cut, at = cuts(None), [Fraction(1, 2), Fraction(9, 10)]
    candidates, sizes = Candidates.of(cut), np.full(300, float(n))
    counts = np.repeat(np.bincount(bins(cut, spread_rows(kind, n)), minlength=len(cut) + 1)[None], 300, axis=0)
    for epsilon in (Fraction(1, 20), Fraction(4)):
        trees = Trees.of(len(cut) + 1, epsilon, False)
        alone = unshrunk(trees, candidates, trees.release(counts, Simulation(1)), sizes, at)
        for q, chosen in zip(at, alone, strict=True):
            away = candidates.penalties(counts[:1], q)[0] / q.denominator
            off, actual_rank_error = (
                math.sqrt(np.mean(away[chosen] ** 2)),
                float(trees.rank_error(len(cut) + 1, q, sizes)[0]),
            )
            assert off <= 3.5 * actual_rank_error, (epsilon, q, off, actual_rank_error)
            if kind == "continuous" and actual_rank_error > n / 16:
                assert off >= actual_rank_error / 3.5, (epsilon, q, off, actual_rank_error)


def test_beliefs_that_explain_all_groups_gain_weight() -> None:
    evidence = np.array([[0.2] * 30, [0.4] * 30, [0.1] * 30])
    _, weights = responsibilities(evidence, np.array([0.6, 0.2, 0.2]))
    assert weights[1] > 0.9
    assert np.isclose(weights.sum(), 1)


def test_trees_are_for_many_levels() -> None:
    def kind(many: int, public: bool) -> bool:
        return isinstance(
            planned(64, [Fraction(i + 1, many + 1) for i in range(many)], Fraction(1), False, public), Trees
        )

    assert [kind(many, True) for many in (1, 2, 3, 9)] == [False, False, True, True]
    assert [kind(many, False) for many in (1, 3, 9)] == [False, False, True]


def test_a_tree_without_noise_points_to_the_quantile() -> None:
    tree = Tree(2, 2)
    counts = np.array([[5, 1, 3, 1]])
    cut = np.array([10, 20, 30], np.int64)
    candidates = Candidates.of(cut)
    trees = Trees(tree, Trees.of(4, Fraction(1000), False).noise)
    noisy = trees.release(counts, Simulation(0))
    raw_quantiles = unshrunk(
        trees, candidates, noisy, np.array([10.0]), [Fraction(1, 2), Fraction(6, 10), Fraction(9, 10)]
    )
    assert candidates.value[raw_quantiles[:, 0]].tolist() == [10.0, 20.0, 30.0]


def test_among_candidates_that_are_as_good_a_tree_points_to_the_middle_one() -> None:
    """No row is between 10 and 40 units: its middle is as far from either side as can be."""
    counts = np.array([[5, 0, 0, 0, 5]])
    candidates = Candidates.of(np.array([10, 20, 30, 40], np.int64))
    trees = Trees.of(5, Fraction(1000), False)
    raw_quantiles = unshrunk(
        trees, candidates, trees.release(counts, Simulation(0)), np.array([10.0]), [Fraction(1, 2)]
    )
    assert candidates.value[raw_quantiles].tolist() == [[24.0]]


def test_many_rows_at_one_place_have_their_quantiles_there() -> None:
    """A constant that is no cut: every candidate but its own bin is a whole group away."""
    cut = cuts(None)
    place = 26214
    counts = np.bincount(bins(cut, np.full(500, place)), minlength=len(cut) + 1)[None]
    candidates, given = Candidates.of(cut), beliefs(cut, 1, None)
    for at in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        draws = Draws.of(at, Fraction(1), False)
        before = prior(draws, candidates, given, np.array([500.0]))
        for seed in range(20):
            (drawn,) = draws.release(candidates, counts, before, Simulation(seed))
            assert abs(candidates.value[drawn] - place) <= UNITS / 32


# ------------------------------------------------------------------------------------------------- limits of a signal
def rank_errors(epsilon: float, public: Integers | None, seed: int, n: int = 200) -> tuple[float, float]:
    """Return the mean error in rank of medians of six skewed groups, ours and that of public rows alone.

    Without public rows the latter is a plain exponential mechanism on 65 evenly spaced values, from the same budget.
    """
    random = np.random.default_rng(seed)
    units = np.minimum(random.gamma(2, 2000, (6, n)) * np.linspace(0.5, 2, 6)[:, None], UNITS).astype(np.int64)
    shown = None if public is None else public.ravel()
    cut = cuts(shown)
    candidates, k = Candidates.of(cut, shown), len(cut) + 1
    counts = np.array([np.bincount(bins(cut, unit), minlength=k) for unit in units])
    own = (
        None
        if public is None
        else np.array([np.bincount(bins(cut, public_part), minlength=k) for public_part in public])
    )
    given, sizes = beliefs(cut, 6, own), np.full(6, float(n))
    draws = Draws.of(Fraction(1, 2), Fraction(epsilon), False)
    before = prior(draws, candidates, given, sizes)
    drawn = draws.release(candidates, counts, before, Simulation(seed))
    actual_value = candidates.value[found_of_draws(draws, candidates, drawn, before, given, sizes).best]
    if public is None:
        grid = np.arange(65) * 1024
        away = np.abs((units[:, None, :] < grid[:, None]).sum(axis=2) - n / 2)
        other = grid[np.argmax(random.gumbel(size=(6, 65)) - draws.rate * away, axis=1)]
    else:
        other = np.median(public, axis=1)
    ours, others = (
        float(np.abs((units <= quantiles_tried[:, None]).mean(axis=1) - 0.5).mean())
        for quantiles_tried in (actual_value, other)
    )
    return ours, others


@pytest.mark.parametrize("epsilon", [1e-4, 0.02, 0.1, 0.5, 5])
@pytest.mark.parametrize("kind", ["none", "good", "low", "high"])
def test_public_rows_never_hurt_by_more_than_their_noise(kind: str, epsilon: float) -> None:
    """At every signal: no worse than public rows alone, biased or not; without them no worse than a plain mechanism.

    "Low" are half as large as private rows, "high" three times; 40 public rows have an error in rank of .06 themselves.
    """
    ours, others = [], []
    for seed in range(40 if kind == "none" else 15):
        random = np.random.default_rng([seed, 1])
        public = random.gamma(2, 2000, (6, 40)) * np.linspace(0.5, 2, 6)[:, None]
        size = {"good": 1.0, "low": 0.5, "high": 3.0}.get(kind)
        shown = None if size is None else np.minimum(public * size, UNITS).astype(np.int64)
        own, other = rank_errors(epsilon, shown, seed)
        ours.append(own)
        others.append(other)
    noise = 0.03 if kind == "none" else 0.01
    assert np.mean(ours) <= np.mean(others) + noise, (np.mean(ours), np.mean(others))
    if epsilon == 5:
        assert np.mean(ours) < (0.06 if kind == "none" else 0.03), "candidates are as far apart"
