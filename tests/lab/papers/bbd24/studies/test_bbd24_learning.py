"""RRSPM by counts against literal runs on points, distributions against enumeration, lines against all pairs."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict, kolmogorov_smirnov
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bbd24.studies import _halfplanes, _intervals
from semipriv_lab.papers.bbd24.studies._thresholds import Problem, deepest, excesses, mass
from semipriv_lab.papers.bbd24.studies.learning import need_limits
from semipriv_lab.papers.bbd24.studies.uniform import constant_one, fair_suprema, gaps_above, shares

RUNS = 3000
FAR = 1.95 * np.sqrt(2 / RUNS)
"""Two samples of one distribution are farther apart with a chance of about .001."""


@pytest.mark.parametrize(("falls", "rises"), [(3, 4), (4, 2), (3, 3), (0, 2), (2, 0)])
def test_the_deepest_fall_has_the_distribution_of_random_orders(falls: int, rises: int) -> None:
    steps = falls + rises
    orders = list(combinations(range(steps), falls))
    distribution = Counter(max(0, *np.cumsum([1 if i in down else -1 for i in range(steps)])) for down in orders)
    counts = np.bincount(deepest(np.full(20_000, falls), np.full(20_000, rises), default_rng(1)), minlength=falls + 1)
    expected = np.array([distribution[k] for k in range(falls + 1)]) / len(orders)
    assert np.abs(counts / 20_000 - expected).max() < 0.015


def literal_threshold(p: Problem, generator: np.random.Generator) -> float:
    """One run on points: the cut of least cost over private and public points, then the middle of its public gap."""
    public = np.sort(generator.random(p.m))
    x = 0.5 + p.sigma * (generator.random(p.n) - 0.5)
    y = (x >= 0.5) ^ (generator.random(p.n) < p.noise)
    points = np.concatenate([x, public])
    costs = np.concatenate([np.where(y, -1.0, 1.0), generator.laplace(scale=p.scale, size=p.m)])
    order = np.argsort(points)
    after = np.append(np.cumsum(costs[order][::-1])[::-1], 0.0)
    best = int(np.argmin(after))
    left = int(np.count_nonzero(public <= points[order][best - 1])) if best else 0
    ends = np.concatenate([[-np.inf], public, [np.inf]])
    return (1 - 2 * p.noise) * abs(float(mass((ends[left] + ends[left + 1]) / 2, p.sigma)) - 0.5)


@pytest.mark.parametrize("problem", [Problem(6, 120, 10.0, 0.5), Problem(9, 40, 4.0, 1.0, 0.0)])
def test_thresholds_by_counts_are_literal_runs(problem: Problem) -> None:
    literal = [literal_threshold(problem, generator) for generator in [default_rng(2)] for _ in range(RUNS)]
    assert kolmogorov_smirnov(excesses(problem, RUNS, default_rng(3)), literal) < FAR


def test_lines_are_independent_parts_of_a_product() -> None:
    """With very many examples and little noise each line errs by its public gap alone."""
    computed_excesses = excesses(Problem(40, 10**7, 1e-3, noise=0.0, blocks=4), 400, default_rng(4))
    alone = excesses(Problem(10, 10**7, 1e-3, noise=0.0), 1600, default_rng(5)).reshape(400, 4).mean(axis=1)
    assert abs(computed_excesses.mean() / alone.mean() - 1) < 0.15
    assert computed_excesses.std() < 0.7 * excesses(Problem(10, 10**7, 1e-3, noise=0.0), 400, default_rng(6)).std()


def test_a_line_without_a_public_point_has_a_constant_label() -> None:
    """Half of it is wrong then; its excess was not a number once."""
    computed_excesses = excesses(Problem(1, 50, 1.0, noise=0.1, blocks=2), 200, default_rng(6))
    assert np.isfinite(computed_excesses).all()
    assert (computed_excesses >= 0.8 * 0.5 / 2).all()


def literal_interval(m: int, n: int, scale: float, generator: np.random.Generator) -> float:
    public, x = np.sort(generator.random(m)), generator.random(n)
    y = ((x > 0.3) & (x < 0.7)) ^ (generator.random(n) < 0.1)
    points = np.concatenate([x, public])
    costs = np.concatenate([np.where(y, -1.0, 1.0), generator.laplace(scale=scale, size=m)])
    order = np.argsort(points)
    walk = np.concatenate([[0.0], np.cumsum(costs[order])])
    end = int(np.argmin(walk - np.maximum.accumulate(walk)))
    start = int(np.argmax(walk[: end + 1]))
    is_public = (order >= n).astype(int)
    first, inside = int(is_public[:start].sum()), int(is_public[start:end].sum())
    if not inside:
        return 0.8 * 0.4
    ends = np.concatenate([[0.0], (public[1:] + public[:-1]) / 2, [1.0]])
    low, high = ends[first], ends[first + inside]
    return 0.8 * (high - low + 0.4 - 2 * max(0.0, min(high, 0.7) - max(low, 0.3)))


@pytest.mark.parametrize(("m", "n", "scale"), [(6, 150, 8.0), (3, 60, 3.0)])
def test_intervals_by_flips_are_literal_runs(m: int, n: int, scale: float) -> None:
    generator = default_rng(7)
    literal = [literal_interval(m, n, scale, generator) for _ in range(RUNS)]
    counted = _intervals.excesses(m, n, scale, RUNS, default_rng(8))
    assert kolmogorov_smirnov(counted.round(9), np.round(literal, 9)) < FAR


def test_separating_lines_are_those_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    points = default_rng(9).random((30, 2))
    positives = points[:, 0] > 0.5

    def lines() -> list[tuple[float, ...]]:
        normals, offsets = _halfplanes.separating_lines(points[positives], points[~positives])
        length = np.linalg.norm(normals, axis=1)
        return sorted(map(tuple, np.round(np.column_stack([normals, offsets]) / length[:, None], 9).tolist()))

    few_lines = lines()
    monkeypatch.setattr(_halfplanes, "_facing", lambda given, side: given)
    assert len(few_lines) >= 2
    assert few_lines == lines()


def test_the_supremum_of_fair_labels_by_its_definition() -> None:
    computed_fair_suprema = fair_suprema(6, 50, default_rng(10))
    labels = (default_rng(10).integers(0, 2, (50, 6), np.int8)).tolist()
    errors = [[sum(y[:k]) + sum(1 - v for v in y[k:]) for k in range(7)] for y in labels]
    np.testing.assert_allclose(computed_fair_suprema, [max(abs(e / 6 - 0.5) for e in row) for row in errors])


def test_limits_of_a_need_are_the_sizes_that_are_surely_on_each_side() -> None:
    grid = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
    computed_need_limits = need_limits(np.array([900, 400, 251, 240, 10]), grid, 1000, 1e-4)
    assert (computed_need_limits.low, computed_need_limits.value, computed_need_limits.high) == (20.0, 40.0, 50.0)
    open_ends = need_limits(np.array([250, 250]), grid[:2], 1000, 1e-4)
    assert (open_ends.low, open_ends.high) == (0.0, np.inf)


# ---------------------------------------------------------------------------------------------------- gaps
@pytest.mark.parametrize(("m", "d"), [(1, 1), (5, 2), (30, 10)])
def test_the_largest_gaps_have_the_distribution_of_weighted_exponentials(m: int, d: int) -> None:
    """The sum of the d largest of m + 1 uniform gaps, against sorted points."""
    generator, draws = default_rng(11), 40_000
    points = np.sort(generator.random((draws, m)), axis=1)
    gaps = np.diff(np.pad(points, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
    sums = np.sort(gaps, axis=1)[:, -d:].sum(axis=1)
    assert sums.mean() == pytest.approx(shares(m, d).mean(), abs=0.005)
    for bound in np.quantile(sums, (0.02, 0.5, 0.98)):
        low, high = gaps_above(m, d, float(bound))
        assert low - 0.01 <= np.mean(sums > bound) <= high + 0.01
    assert gaps_above(m, d, float(sums.min()) / 3)[0] > 0.2 or m == 1


def test_unions_of_intervals_refute_the_constant_one() -> None:
    finding = constant_one(Run(Simulation(0), 1.0))
    assert finding.verdict is Verdict.REFUTED
    assert gaps_above(1000, 500, 0.70926)[0] > 1 - 1e-12, "sqrt((500 + ln 20) / 1000)"
