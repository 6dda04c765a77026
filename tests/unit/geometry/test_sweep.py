"""Signed-weight minimisation over halfplanes by sweeping: against all the dichotomies, listed one by one."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.geometry import slopes, sweep
from semipriv.geometry.halfplanes import splits
from semipriv.geometry.sweep import best_split, candidates, dichotomy, rounding_error


def listed(x: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Every dichotomy by its pair, from the exact enumeration."""
    n = len(x)
    vectors = {(-1, 0): np.zeros(n, bool), (0, -1): np.ones(n, bool)} if n else {(-1, -1): np.zeros(0, bool)}
    for first, second, inside in splits(x):
        for a, b, row in zip(first.tolist(), second.tolist(), inside, strict=True):
            vectors |= {(a, b): row, (b, a): ~row}
    return vectors


def nearly_collinear(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.normal(size=2) + rng.integers(-4, 5, (n, 1)) * rng.normal(size=2)
    return x + rng.integers(-2, 3, (n, 2)) * np.spacing(x)


def families(seed: int):
    rng = np.random.default_rng(seed)
    yield "random", rng.normal(size=(9, 2))
    yield "grid", rng.integers(0, 3, (14, 2)).astype(float)
    yield "decimals", rng.integers(-3, 4, (9, 2)) / 10
    yield "collinear", rng.integers(-9, 9, (7, 1)) * np.array([1.0, -2.0])
    yield "vertical", np.column_stack([np.zeros(6), rng.normal(size=6)])
    yield "horizontal", np.column_stack([rng.normal(size=6), np.zeros(6)])
    yield "decimal line", np.arange(9)[:, None] * np.array([0.1, 0.3]) + 0.7
    yield "steep and flat", rng.integers(0, 3, (9, 2)) * np.array([1.0, 2.0**-60])
    yield "nearly collinear", nearly_collinear(rng, 8)
    yield "far", 1e9 + rng.integers(0, 4, (8, 2)) / 8
    yield "huge", nearly_collinear(rng, 6) * 2.0**1000
    yield "overflowing", rng.choice([-1.7e308, -1.6e308, 0, 1.6e308, 1.7e308], (6, 2))
    yield "tiny", nearly_collinear(rng, 6) * 2.0**-1020
    yield "mixed", rng.normal(size=(6, 2)) * 10.0 ** rng.integers(-300, 300, (6, 2))


for_each_family = pytest.mark.parametrize("name", [name for name, _ in families(0)])


@cache
def cases(name: str) -> list[tuple[np.ndarray, dict[tuple[int, int], np.ndarray]]]:
    """Points of a family, six times, each with all their dichotomies."""
    drawn = [np.unique(dict(families(seed))[name] + 0.0, axis=0) for seed in range(6)]
    return [(x, listed(x)) for x in drawn]


@for_each_family
def test_integer_costs_give_every_dichotomy_once_in_order(name: str) -> None:
    for x, pairs in cases(name):
        rng = np.random.default_rng(len(x))
        for cost in (np.zeros(len(x)), rng.choice([-1.0, 1.0], len(x)), rng.integers(-5, 6, len(x)) + 0.0):
            expected = sorted((float(inside @ cost), a, b) for (a, b), inside in pairs.items())
            assert list(candidates(x, cost)) == expected


@for_each_family
def test_real_costs_are_right_up_to_rounding(name: str) -> None:
    for x, pairs in cases(name):
        cost = np.random.default_rng(len(x)).laplace(size=len(x)) * 10.0 ** np.arange(len(x))
        listed = list(candidates(x, cost))
        assert listed == sorted(listed)
        assert sorted((c.a, c.b) for c in listed) == sorted(pairs)
        bound = rounding_error(cost)
        for value, a, b in listed:
            assert abs(value - math.fsum(cost[pairs[a, b]])) <= bound
        least = min(math.fsum(cost[inside]) for inside in pairs.values())
        assert math.fsum(cost[pairs[listed[0].a, listed[0].b]]) <= least + 2 * bound


@for_each_family
def test_a_pair_names_its_dichotomy(name: str) -> None:
    for x, pairs in cases(name):
        for (a, b), inside in pairs.items():
            assert dichotomy(x, a, b).tolist() == inside.tolist()


@pytest.mark.parametrize("n", [60, 150])
@pytest.mark.parametrize("kind", ["random", "grid", "decimals", "decimal line"])
def test_many_points(n, kind):
    rng = np.random.default_rng(n)
    x = {
        "random": rng.normal(size=(n, 2)),
        "grid": rng.integers(0, 12, (n, 2)).astype(float),
        "decimals": rng.integers(0, 12, (n, 2)) / 10,
        "decimal line": np.arange(n // 4)[:, None] * np.array([0.1, 0.3]),
    }[kind]
    x = np.unique(x, axis=0)
    cost = rng.integers(-5, 6, len(x)).astype(float)
    expected = sorted((float(inside @ cost), a, b) for (a, b), inside in listed(x).items())
    assert best_split(x, cost) == expected[0]
    assert list(itertools.islice(candidates(x, cost), 200)) == expected[:200]


def test_no_point_one_point_two_points():
    assert list(candidates(np.zeros((0, 2)), np.zeros(0))) == [(0.0, -1, -1)]
    assert dichotomy(np.zeros((0, 2)), -1, -1).shape == (0,)
    assert list(candidates(np.zeros((1, 2)), np.array([-3.0]))) == [(-3.0, 0, -1), (0.0, -1, 0)]
    two = candidates(np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([-3.0, 2.0]))
    assert list(two) == [(-3.0, 0, 1), (-1.0, 0, -1), (0.0, -1, 0), (2.0, 1, 0)]


# ------------------------------------------------------------------------------------------------ exact decisions
def exact(a, b, c) -> int:
    ax, ay, bx, by, cx, cy = (Fraction(float(v)) for v in (*a, *b, *c))
    value = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (value > 0) - (value < 0)


def triples() -> np.ndarray:
    """Nearly collinear, with coordinate differences that are exact, rounded, or far apart in scale."""
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 1500, 2))
    b[:500] *= 1e6
    c = a + rng.integers(-4, 5, (1500, 1)) * rng.random((1500, 1)).round(rng.integers(0, 2)) * (b - a)
    c += rng.integers(-1, 2, (1500, 2)) * np.spacing(c)
    same = a[:100] + (b[:100] - a[:100]) * 0
    decimals = rng.integers(-20, 21, (1500, 3, 2)) / 10
    wide = decimals * 2.0 ** rng.integers(-300, 300, (1500, 1, 2))
    close = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a[:100], b[:100], same], axis=1)])
    return np.concatenate([close, decimals, wide, rng.normal(size=(200, 3, 2))])


def test_the_compiled_orientation_is_exact():
    scratch, unsure = np.empty(16), 0
    for a, b, c in triples():
        sign = exact(a, b, c)
        assert slopes._orientation(a, b, c, scratch) == sign
        plain = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        unsure += sign != np.sign(plain)
    assert unsure > 100


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=8, unique=True), st.sampled_from([1, 10, 3])
)
def test_lattices(points, denominator):
    x = np.unique(np.array(points, float).reshape(-1, 2) / denominator, axis=0)
    cost = np.arange(len(x)) * 3.0 % 7 - 3
    expected = sorted((float(inside @ cost), a, b) for (a, b), inside in listed(x).items())
    assert list(candidates(x, cost)) == expected


def swept(x: np.ndarray, cost: np.ndarray) -> dict[tuple[int, int], float]:
    """The sums, term by term: lines through a pivot by their slope in rationals, points of a line in their order."""
    total, costs = float(cost.sum()), {}
    for a in range(len(x) - 1):
        slopes = {}
        for c in range(len(x)):
            run, rise = (Fraction(q) - Fraction(p) for p, q in zip(x[a].tolist(), x[c].tolist(), strict=True))
            if c != a:
                slopes.setdefault((run == 0, rise / run if run else 0), []).append(c)
        inside = float(cost[a:].sum())
        for slope in sorted(slopes):
            for c in slopes[slope]:
                inside += cost[c] if c < a else -cost[c]
            if slopes[slope][-1] > a:
                b = min(c for c in slopes[slope] if c > a)
                costs |= {(a, b): inside, (b, a): total - inside}
    return costs


TWO_CLOSE_LINES = np.concatenate([2.0 ** np.arange(20)[:, None] * np.array([1.0, 1 + e]) for e in (0, 2.0**-52)])


@pytest.mark.parametrize("name", [*dict(families(0)), "long line", "close lines"])
def test_even_rounding_errors_do_not_hang_on_how_equal_slopes_are_sorted(name: str) -> None:
    special_cases = {
        "long line": np.arange(40)[:, None] * np.array([1.0, 2.0]),
        "close lines": np.unique(np.vstack([np.zeros((1, 2)), TWO_CLOSE_LINES]), axis=0),
    }
    for x in [special_cases[name]] if name in special_cases else [x for x, _ in cases(name)]:
        cost = np.random.default_rng(9).laplace(size=len(x))
        by_ends = {(a, b): value for value, a, b in candidates(x, cost) if min(a, b) >= 0}
        assert by_ends == swept(x, cost)


def test_slopes_that_underflow():
    """Slopes next to 1.5 times the least positive number, rounded to 1 or 2 of them, perhaps the wrong way."""
    rng, least, reversed_order = np.random.default_rng(11), 2.0**-1074, 0
    for _ in range(400):
        a = -rng.uniform(0.1, 0.5)
        rises = 3 * rng.choice(np.arange(1, 60), 2, replace=False)
        runs = rises / 1.5
        x = np.array([[a, 0.0], *zip(runs + a + rng.integers(-1, 2, 2) * np.spacing(runs), rises * least, strict=True)])
        slopes = x[1:, 1] / (x[1:, 0] - a)
        reversed_order += (slopes[1] - slopes[0]) * exact(*x) < 0
        x = np.unique(x, axis=0)
        cost = np.array([1.0, 2.0, 4.0])
        expected = sorted((float(inside @ cost), *pair) for pair, inside in listed(x).items())
        assert list(candidates(x, cost)) == expected
    assert reversed_order > 0


# ---------------------------------------------------------------------------------------------------- quick ways
@pytest.mark.parametrize("radius", [1, 2, 5, 1000])
def test_one_compiled_loop_yields_what_the_pivots_one_by_one_do(radius: int, monkeypatch) -> None:
    """All candidates in their order, many of equal value, on collinear and on general points, none and one included."""
    generator = np.random.default_rng(radius)
    for scale in (1.0, 0.1, 1 / 3) * 20:
        x = np.unique(generator.integers(-radius, radius + 1, (generator.integers(0, 14), 2)) * scale, axis=0)
        cost = generator.integers(-3, 4, len(x)).astype(float)
        quick = list(sweep.candidates(x, cost))
        with monkeypatch.context() as patch:
            patch.setattr(sweep, "_FEW", -1)
            assert list(sweep.candidates(x, cost)) == quick


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_pivots_that_are_passed_over_have_no_least_candidate(unit: float, monkeypatch) -> None:
    """The same first candidates with the bound as without it, also of rounded sums; many pivots are passed over."""
    passed = []
    bounds = sweep._lower_bounds

    def watched(*arguments):
        passed.append(bounds(*arguments))
        return passed[-1]

    monkeypatch.setattr(sweep, "_FEW", -1)
    generator = np.random.default_rng(1)
    for trial in range(60):
        x = np.unique(generator.integers(-9, 10, (80, 2)).astype(float), axis=0)
        cost = unit * np.where(x[:, 0] > 0, -1.0, 1.0) if trial % 2 else unit * generator.integers(-3, 4, len(x))
        monkeypatch.setattr(sweep, "_lower_bounds", lambda x, *_: np.full(len(x) - 1, -np.inf))
        slow = list(itertools.islice(sweep.candidates(x, cost), 16))
        monkeypatch.setattr(sweep, "_lower_bounds", watched)
        assert list(itertools.islice(sweep.candidates(x, cost), 16)) == slow
        if trial % 2:
            assert max(passed[-1]) > slow[-1].value
        limits = bounds(x, cost, float(cost.sum()), len(x) // 3)
        for a in range(len(x) - 1):
            _, inside = sweep._turn(x, cost, a, np.arange(len(x)), True)
            least = min(inside.min(), (cost.sum() - inside).min())
            assert limits[a] <= least + sweep.rounding_error(cost)
