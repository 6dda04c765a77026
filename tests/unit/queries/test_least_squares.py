"""Least squares in a tree of noisy counts against dense matrices, its variances against draws, and public shares."""

import itertools

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.consistency import best_tree, shallow
from semipriv.queries.hierarchy import Tree, isotonic, isotonic_rows
from semipriv.queries.least_squares import estimate, node_counts, run_variances
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.methods.public_prior_tree import PublicPriorTree
from semipriv.queries.public_shares import UNIFORM, kernel_shares, public_shares
from semipriv.queries.workloads import Runs

TREES = [(1, Tree(2, 1)), (2, Tree(2, 1)), (5, Tree(5, 1)), (7, Tree(3, 2)), (13, Tree(2, 4)), (28, Tree(4, 3))]
VARIANCE = 3.0


def all_runs(cells: int) -> Runs:
    start, stop = np.triu_indices(cells + 1)
    return Runs(cells, start, stop)


def rows_of_nodes(cells: int, tree: Tree) -> np.ndarray:
    levels = [[{i} for i in range(cells)]]
    for _ in range(tree.levels - 1):
        below = levels[-1]
        levels.append([set().union(*below[i : i + tree.branching]) for i in range(0, len(below), tree.branching)])
    return np.array([[i in node for i in range(cells)] for level in levels for node in level], float)


@pytest.mark.parametrize(("cells", "tree"), TREES)
@pytest.mark.parametrize("known", [True, False], ids=["prior", "no prior"])
def test_two_passes_are_the_dense_solution(cells: int, tree: Tree, known: bool) -> None:
    """The normal distribution given all noisy nodes and the sum of all: mean, variances of all runs, density."""
    rng = np.random.default_rng(cells)
    counts, mean = rng.integers(0, 9, cells), 4 * rng.random(cells)
    spread = 0.5 + 5 * rng.random(cells) if known else np.full(cells, np.inf)
    measured = [level + rng.normal(0, 2, len(level)) for level in node_counts(tree, counts)]
    nodes, total, all_ones = rows_of_nodes(cells, tree), float(counts.sum()), np.ones(cells)
    assert np.concatenate(node_counts(tree, counts)).tolist() == (nodes @ counts).tolist()
    covariance = np.linalg.inv(np.diag(1 / spread) + nodes.T @ nodes / VARIANCE)
    free = covariance @ (np.where(known, mean / spread, 0.0) + nodes.T @ np.concatenate(measured) / VARIANCE)
    tied = covariance @ all_ones / (all_ones @ covariance @ all_ones)
    computed_estimate = estimate(tree, measured, VARIANCE, total, mean, spread)
    assert computed_estimate.counts == pytest.approx(free + tied * (total - free.sum()), abs=1e-10)
    left = covariance - np.outer(tied, covariance @ all_ones)
    work = all_runs(cells)
    rows = work.matrix().astype(float)
    variances = run_variances(tree, VARIANCE, spread, work.start, work.stop)
    assert variances == pytest.approx(np.einsum("ij,jk,ik->i", rows, left, rows), abs=1e-10)
    if known:
        seen = np.vstack([nodes, all_ones])
        noise = np.diag(np.append(np.full(len(nodes), VARIANCE), 0.0))
        distribution = seen @ np.diag(spread) @ seen.T + noise
        off = np.append(np.concatenate(measured), total) - seen @ mean
        dense = -(off @ np.linalg.solve(distribution, off) + np.linalg.slogdet(distribution)[1]) / 2
        assert computed_estimate.evidence == pytest.approx(dense, abs=1e-9)


@pytest.mark.parametrize(("cells", "tree"), TREES)
def test_many_trees_at_once_are_each_tree(cells: int, tree: Tree) -> None:
    """Priors by belief, measurements by group, totals by group."""
    rng = np.random.default_rng(cells)
    counts, totals = rng.integers(0, 9, (4, cells)), rng.integers(1, 99, 4).astype(float)
    mean, spread = 4 * rng.random((3, 4, cells)), 0.5 + rng.random((3, 4, cells))
    measured = [level + rng.normal(0, 2, level.shape) for level in node_counts(tree, counts)]
    computed_estimate = estimate(tree, measured, VARIANCE, totals, mean, spread)
    for j, g in itertools.product(range(3), range(4)):
        actual_computed_estimate = estimate(
            tree, [level[g] for level in measured], VARIANCE, totals[g], mean[j, g], spread[j, g]
        )
        assert computed_estimate.counts[j, g] == pytest.approx(actual_computed_estimate.counts, abs=1e-12)
        assert computed_estimate.evidence[j, g] == pytest.approx(actual_computed_estimate.evidence, abs=1e-12)


def test_rows_are_made_nondecreasing_one_by_one() -> None:
    rng = np.random.default_rng(2)
    rows, totals = np.cumsum(rng.normal(0.3, 3, (60, 23)), axis=1), rng.integers(1, 30, 60)
    for row, total, isotonic_row in zip(rows, totals.tolist(), isotonic_rows(rows, totals), strict=True):
        assert isotonic_row == pytest.approx(isotonic(row, total), abs=1e-12)
    assert isotonic_rows(np.zeros((2, 0)), np.ones(2)).shape == (2, 0)


def test_deviations_are_those_of_the_noise() -> None:
    """Without a prior the squared errors of least squares have the stated means, whatever the counts are."""
    rng, tree, noise = np.random.default_rng(3), Tree(3, 3), DiscreteLaplace(6)
    counts, work, draws = rng.integers(0, 50, 20), all_runs(20), 1_500
    exact, stream, unknown = work.sums(counts), Simulation(1), np.full(20, np.inf)
    squares = np.zeros(work.size)
    for _ in range(draws):
        measured = [noise.add(level, stream).astype(float) for level in node_counts(tree, counts)]
        actual_counts = estimate(tree, measured, noise.variance, counts.sum(), np.zeros(20), unknown).counts
        squares += (work.sums(actual_counts) - exact) ** 2 / draws
    stated = run_variances(tree, noise.variance, unknown, work.start, work.stop)
    some = stated > 0
    assert squares[~some] == pytest.approx(0, abs=1e-15)
    assert np.abs(squares[some] / stated[some] - 1).max() < 6 * np.sqrt(5 / draws)


def test_the_rule_of_levels_is_the_least_mean_variance() -> None:
    """By dense matrices over all numbers of levels; a tree holds all cells with as few children as it can."""
    for cells, levels in itertools.product((2, 3, 31, 64, 1000, 1025), range(1, 12)):
        tree = shallow(cells, levels)
        assert tree.branching**tree.levels >= cells
        assert tree.branching == 2 or (tree.branching - 1) ** tree.levels < cells
    for cells in (5, 40):
        ends = np.tril(np.ones((cells, cells)))[:-1]

        def mean_variance(tree: Tree, cells: int = cells, ends: np.ndarray = ends) -> float:
            nodes, all_ones = rows_of_nodes(cells, tree), np.ones(cells)
            covariance = np.linalg.inv(nodes.T @ nodes) * tree.levels**2
            left = covariance - np.outer(covariance @ all_ones, covariance @ all_ones) / (
                all_ones @ covariance @ all_ones
            )
            return float(np.einsum("ij,jk,ik->i", ends, left, ends).mean())

        trees = [shallow(cells, levels) for levels in range(1, (cells - 1).bit_length() + 1)]
        assert best_tree(cells) == min(trees, key=mean_variance)


# ---------------------------------------------------------------------------------------------------- public shares
@pytest.mark.parametrize("cells", [1, 2, 5, 64])
@pytest.mark.parametrize("points", [0, 1, 2, 40])
def test_public_shares_are_shares(cells: int, points: int) -> None:
    public = np.bincount(np.random.default_rng(points).integers(0, cells, points), minlength=cells)
    for shares in (kernel_shares(public), public_shares(public, best_tree(cells))):
        assert shares.sum() == pytest.approx(1)
        assert np.all(shares > 0)
    if points < 2:
        assert kernel_shares(public).tolist() == [1 / cells] * cells


def test_the_kernel_is_chosen_by_leaving_one_point_out() -> None:
    """Every width and uniform part, by loops over points: the shares are those of the best pair."""
    cells, points = 16, [0, 0, 1, 3, 4, 4, 9, 15]
    public = np.bincount(points, minlength=cells)

    def weight(i: int, j: int, half: int) -> int:
        mirrored = (j, -1 - j, 2 * cells - 1 - j)
        return sum(max(0, half - abs(i - mirrored_weight)) for mirrored_weight in mirrored)

    def share(i: int, given: list[int], half: int, u: float) -> float:
        return (1 - u) * sum(weight(i, j, half) for j in given) / (half**2 * len(given)) + u / cells

    def fit(half: int, u: float) -> float:
        others = [points[:k] + points[k + 1 :] for k in range(len(points))]
        return sum(np.log(share(i, rest, half, u)) for i, rest in zip(points, others, strict=True))

    best = max(itertools.product((1, 2, 4), UNIFORM), key=lambda pair: fit(*pair))
    assert kernel_shares(public) == pytest.approx([share(i, points, *best) for i in range(cells)])


def test_coarse_shares_are_those_of_many_points() -> None:
    """Heaps that a kernel would flatten stay, and smooth cells are smooth."""
    distribution = np.where(np.arange(100) % 10 == 0, 10.0, 1.0)
    public = np.random.default_rng(1).multinomial(5_000, distribution / distribution.sum())
    assert np.abs(np.cumsum(public_shares(public, best_tree(100)) - distribution / distribution.sum())).max() < 0.03
    even = np.random.default_rng(2).multinomial(5_000, np.full(100, 0.01))
    assert np.abs(public_shares(even, best_tree(100)) - 0.01).sum() < 0.3 * np.abs(even / 5_000 - 0.01).sum()


# ---------------------------------------------------------------------------------------------------- the methods
DISTRIBUTION = np.exp(-0.5 * ((np.arange(256) - 90) / 30) ** 2)
OTHER = DISTRIBUTION[::-1]
BUDGET, N = Guarantee(0.1), 10_000


def error(method: PublicPriorTree | ConsistentTree, distribution: np.ndarray, public: np.ndarray, seed: int) -> float:
    counts = np.random.default_rng([5, seed]).multinomial(N, distribution / distribution.sum())
    work = Runs(256, np.zeros(255, np.int64), np.arange(1, 256))
    actual_answers = method.beside(public).fit(work, counts, BUDGET, Simulation(seed)).answers
    return float(np.abs(actual_answers - work.sums(counts) / N).mean())


def test_public_points_help_and_other_populations_hardly_hurt() -> None:
    """Over 15 draws: less than .7 of the error if populations match, and at most a third more if they do not."""
    public = np.random.default_rng(4).multinomial(200, DISTRIBUTION / DISTRIBUTION.sum())
    plain, matched, other = (
        np.mean([error(method, distribution, public, seed) for seed in range(15)])
        for method, distribution in (
            (ConsistentTree(), DISTRIBUTION),
            (PublicPriorTree(), DISTRIBUTION),
            (PublicPriorTree(), OTHER),
        )
    )
    assert matched < 0.7 * plain
    assert other < 1.33 * plain


def test_the_worth_of_public_points_is_told() -> None:
    public = np.random.default_rng(4).multinomial(200, DISTRIBUTION / DISTRIBUTION.sum())
    work = all_runs(256)
    all_costs = []
    for distribution in (DISTRIBUTION, OTHER):
        counts = np.random.default_rng(6).multinomial(10**5, distribution / distribution.sum())
        all_costs.append(PublicPriorTree().beside(public).fit(work, counts, Guarantee(1.0), Simulation(1)).cost)
    assert all_costs[0]["public_worth"] > 40
    assert all_costs[1]["public_worth"] < 1


@pytest.mark.parametrize("method", [ConsistentTree(), PublicPriorTree()])
def test_stated_deviations_cover(method: ConsistentTree | PublicPriorTree) -> None:
    """Two deviations hold 85 to 100 % of the shares of ranges, where public points are of the population."""
    public = np.random.default_rng(4).multinomial(200, DISTRIBUTION / DISTRIBUTION.sum())
    counts = np.random.default_rng(7).multinomial(N, DISTRIBUTION / DISTRIBUTION.sum())
    stops = np.arange(64, 257, 64)
    work = Runs(256, stops - 64, stops)
    inside = []
    for seed in range(40):
        fitted = method.beside(public).fit(work, counts, BUDGET, Simulation(seed))
        inside.append(np.abs(fitted.answers - work.sums(counts) / N) <= 2 * fitted.deviations)
    assert 0.85 < np.mean(inside) <= 1


@pytest.mark.parametrize("method", [ConsistentTree(), PublicPriorTree(), ConsistentTree(levels=1)])
@pytest.mark.parametrize("cells", [1, 2, 3, 30])
def test_few_cells_and_extreme_budgets(method: ConsistentTree, cells: int) -> None:
    """Answers and weights stay shares, and deviations finite, from hardly any budget to all of it."""
    work, counts = all_runs(cells), np.full(cells, 7)
    for epsilon in (1e-12, 1.0, 1e6):
        for public in (np.zeros(cells, np.int64), np.arange(cells) * 10**6):
            fitted = method.beside(public).fit(work, counts, Guarantee(epsilon), Simulation(1))
            assert fitted.weights is not None
            assert fitted.weights.sum() == pytest.approx(1)
            assert np.all(fitted.weights >= 0)
            assert np.all(np.isfinite(fitted.deviations))
            if epsilon == 1e6:
                assert fitted.answers == pytest.approx(work.sums(counts) / counts.sum())
