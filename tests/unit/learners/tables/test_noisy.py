"""Trees of noisy marginals, distances beyond noise, and the rules of the prior."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.core.randomness import Simulation
from semipriv.learners.tables.noisy import Noisy, distance, noisy_tree, simplex, thinned
from semipriv.learners.tables.prior import prior
from semipriv.learners.tables.table_release import TableRelease
from semipriv.queries.chow_liu import Tree, chow_liu, informations
from semipriv.queries.marginals import ListedMarginals, Marginals, Workload
from semipriv.queries.schema import Schema

SCHEMA = Schema({"a": 3, "b": 2, "c": 4, "d": 3, "e": 1})
WORKLOADS = [
    Marginals(SCHEMA, 2),
    Marginals(SCHEMA, 3),
    Marginals(SCHEMA, 1),
    ListedMarginals(SCHEMA, [["a"], ["b", "c", "d"], ["c", "d"]]),
]


def drawn(n: int, seed: int) -> tuple[Tree, np.ndarray]:
    """A tree c - a - d, a - b, and rows of it."""
    generator = default_rng(seed)
    tables = [generator.dirichlet(np.full(k, 0.3), size) for size, k in ((4, 3), (3, 3), (3, 2), (4, 1))]
    tree = Tree(np.zeros((5, 5)), 2, generator.dirichlet(np.full(4, 3.0)), [(2, 0), (0, 3), (0, 1), (2, 4)], tables)
    return tree, tree.draw(n, generator)


def noisy(workload: Workload, rows: np.ndarray, sigma: float, generator: np.random.Generator) -> Noisy:
    """Shares of rows with normal noise of a standard deviation that differs by marginal, about sigma rows."""
    deviations = sigma * np.linspace(0.7, 1.3, len(workload.groups)) / len(rows)
    noise = np.repeat(deviations, np.diff(workload.starts)) * generator.normal(size=workload.cells)
    return Noisy(workload, workload.counts(rows) / len(rows) + noise, deviations, len(rows))


def exact(rows: np.ndarray, columns: tuple[int, ...]) -> np.ndarray:
    shares = np.zeros([SCHEMA.sizes[i] for i in columns])
    np.add.at(shares, tuple(rows[:, list(columns)].T), 1 / len(rows))
    return shares


# ---------------------------------------------------------------------------------------------------- trees
def test_shares_of_a_tree_are_the_sums_over_all_records() -> None:
    tree, _ = drawn(1, 5)
    records = np.array(list(np.ndindex(SCHEMA.sizes)))
    with np.errstate(divide="ignore"):
        masses = np.exp(tree.log_probability(records))
    for columns in [*itertools.permutations(range(5), 2), *((i,) for i in range(5))]:
        must = np.zeros([SCHEMA.sizes[i] for i in columns])
        np.add.at(must, tuple(records[:, list(columns)].T), masses)
        assert np.allclose(tree.shares(*columns), must, rtol=0, atol=1e-13)
        for wanted in ([columns], list(itertools.permutations(range(5), 2))):  # few of them, and all together
            if columns in wanted:
                assert np.allclose(tree.margins(wanted)[columns], must, rtol=0, atol=1e-13)


@pytest.mark.parametrize("workload", WORKLOADS[:2])
def test_with_little_noise_it_is_the_tree_of_the_rows(workload: Workload) -> None:
    _, rows = drawn(20_000, 1)
    own = noisy_tree(noisy(workload, rows, 1.0, default_rng(2)))
    must = chow_liu(rows, np.ones(len(rows), np.int64), SCHEMA, informations(rows, SCHEMA))
    edges = [{frozenset(edge) for edge in tree.edges if 4 not in edge} for tree in (own, must)]
    assert edges[0] == edges[1]
    for i, j in itertools.combinations(range(4), 2):
        assert np.abs(own.shares(i, j) - must.shares(i, j)).sum() < 0.02


@pytest.mark.parametrize("workload", WORKLOADS)
def test_with_all_noise_all_is_equal_and_every_record_is_possible(workload: Workload) -> None:
    _, rows = drawn(500, 1)
    for sigma in (1e5, 1e17):
        tree = noisy_tree(noisy(workload, rows, sigma, default_rng(5)))
        records = np.array(list(np.ndindex(SCHEMA.sizes)))
        masses = np.exp(tree.log_probability(records))
        assert masses.sum() == pytest.approx(1)
        assert masses.min() > 0


def test_simplex_is_the_nearest_point() -> None:
    generator = default_rng(1)
    for size in (1, 2, 5):
        for scale in (0.1, 1.0, 1e20):
            v = generator.normal(size=size) * scale
            p = simplex(v)
            assert p.sum() == pytest.approx(1, abs=1e-9)
            assert p.min() >= 0
            others = generator.dirichlet(np.ones(size), 50)
            if scale <= 1:
                assert np.all(((v - p) ** 2).sum() <= ((v - others) ** 2).sum(axis=1) + 1e-12)


# ---------------------------------------------------------------------------------------------------- distances
@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_distance_is_right_in_the_mean_and_so_is_its_deviation(workload: Workload) -> None:
    """Of the private shares themselves it is 0, with the deviation that it says (of independent margins)."""
    _, rows = drawn(400, 3)
    generator = default_rng(4)
    other = drawn(300, 9)[1]
    squared_distances, zero, stated_deviations = [], [], []
    for _ in range(400):
        noisy_table = noisy(workload, rows, 9.0, generator)
        squared_distances.append(
            distance(noisy_table, {columns: exact(other, columns) for columns in noisy_table.judged}).square
        )
        none = distance(noisy_table, {columns: exact(rows, columns) for columns in noisy_table.judged})
        zero.append(none.square)
        stated_deviations.append(none.deviation)
    part = {key: 1 / (m.variance * np.sqrt(m.shares.size)) for key, m in noisy_table.judged.items()}
    must = sum(p * ((exact(rows, k) - exact(other, k)) ** 2).sum() for k, p in part.items()) / sum(part.values())
    assert abs(np.mean(squared_distances) - must) < 4 * np.std(squared_distances) / 20
    assert abs(np.mean(zero)) < 4 * np.std(zero) / 20
    if max(map(len, workload.groups)) < 3:
        assert np.mean(stated_deviations) == pytest.approx(np.std(zero), rel=0.15)


def test_halves_of_the_noise_are_not_correlated() -> None:
    _, rows = drawn(400, 3)
    generator, workload = default_rng(4), WORKLOADS[0]
    halves = []
    for _ in range(4_000):
        noisy_table = noisy(workload, rows, 9.0, generator)
        two = thinned(noisy_table, generator)
        halves.append([half.values[0] - workload.counts(rows)[0] / len(rows) for half in two])
        sizes = [half.deviations[0] for half in two]
    covariance = np.cov(np.array(halves).T)
    assert abs(covariance[0, 1]) < 4 * sizes[0] * sizes[1] / np.sqrt(4_000)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(sizes, rel=0.05)


# ---------------------------------------------------------------------------------------------------- the prior
def test_the_prior_turns_from_public_rows_as_far_as_noise_tells_that_they_are_others() -> None:
    """Shares of the noisy tree: small with rows of the population where there is noise, and large with others.

    With little noise it is large with both: the population is a tree, and 300 rows are a small sample of it.
    """
    _, rows = drawn(20_000, 1)
    same, other = drawn(300, 1)[1][:300], default_rng(1).integers(SCHEMA.sizes, size=(300, 5))
    shares = {}
    for name, public in (("same", same), ("other", other)):
        for epsilon in (1e-6, 0.02, 10.0):
            learner = TableRelease(epsilon, 1e-6)
            support = learner.prepare(SCHEMA.table(public), SCHEMA)
            plan = learner.plan(support, len(rows))
            values = support.workload.counts(rows) / len(rows)
            deviations = plan.deviations / len(rows)
            noise = np.repeat(deviations, np.diff(support.workload.starts)) * default_rng(2).normal(size=len(values))
            prior_rows = prior(support, plan, Noisy(support.workload, values + noise, deviations, len(rows)))
            shares[name, epsilon] = prior_rows.share
            if name == "same":
                assert 250 < prior_rows.kappa <= 600
            if epsilon == 1e-6:
                assert prior_rows.share == pytest.approx(0.002)
                assert prior_rows.kappa == pytest.approx(300, rel=0.01)
    assert shares["same", 0.02] < 0.1
    assert 0.5 < shares["other", 0.02] < shares["other", 10.0]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_noise_alone_never_puts_public_rows_away(delta: float) -> None:
    """No two distributions are further apart than 2: noise of a thousand times that, of heavy tails, tells nothing."""
    coins = np.random.default_rng(5)
    schema = Schema(dict.fromkeys("abcdef", 3))
    public, private = (coins.integers(0, schema.sizes, (m, 6)) for m in (100, 1_000))
    learner = TableRelease(1e-6, delta, rounds=0)
    prepared = learner.prepare(schema.table(public), schema)
    for seed in range(20):
        release = learner.release(prepared, schema.table(private), Simulation(seed))
        assert release.cost["noisy"] < 0.01
        assert release.cost["kappa"] > 1


def test_the_deviation_of_a_distance_is_that_of_the_noise_that_was_drawn() -> None:
    """Squares of Laplace noise deviate by sqrt(5 / 2) times as much as those of normal noise of the same variance."""
    workload, coins = Marginals(SCHEMA, 2), default_rng(3)
    deviations, zero = np.full(len(workload.groups), 0.01), defaultdict(lambda: np.zeros(1))
    for spread, noise in ((2.0, coins.normal), (5.0, lambda size: coins.laplace(0, 2**-0.5, size))):
        distances = [
            distance(Noisy(workload, 0.01 * noise(size=workload.cells), deviations, 100, spread), zero)
            for _ in range(400)
        ]
        relative_spread = float(np.std([item.square for item in distances])) / distances[0].deviation
        assert 0.85 < relative_spread <= 1.1, spread


def test_public_rows_that_are_no_nearer_than_equal_shares_are_put_away() -> None:
    """Private rows have shares that fall from value to value, public ones the reversed shares, at a little epsilon."""
    coins = np.random.default_rng(5)
    schema, shares = Schema(dict.fromkeys("abcdef", 3)), (0.6, 0.3, 0.1)
    public, private = (coins.choice(3, (size, 6), p=p) for size, p in ((300, shares[::-1]), (2_000, shares)))
    learner = TableRelease(0.3, 1e-6, rounds=0)
    for rows, least, most in ((public, 0.98, 0.98), (private[:300], 0.0, 0.3)):
        prepared = learner.prepare(schema.table(rows), schema)
        actual_cost = learner.release(prepared, schema.table(private), Simulation(1)).cost["noisy"]
        assert least <= actual_cost <= most
