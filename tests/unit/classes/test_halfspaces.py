"""Halfspaces: grids, points collinear or coplanar up to rounding, every scale, representative domains."""

import itertools
import math

import numpy as np
import pytest

from semipriv.audit.properties.class_cases import rows
from semipriv.audit.properties.class_cases.halfspaces import dichotomies as halfspace_dichotomies
from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.bits import first_of_each, packed


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 14), (3, 58), (4, 174), (5, 402), (6, 838)])
def test_planar_dichotomies_of_grids(n, count):
    """Twice the cuts of an n x n grid by a straight line: 1, 7, 29, 87, 201, 419 (Alekseyev 2010; OEIS A114043)."""
    cover = Halfspaces(2).cover(np.array(list(itertools.product(range(n), repeat=2)), float)).listed()
    patterns = cover.dichotomies()
    assert len(cover) == len(np.unique(patterns, axis=0)) == count


@pytest.mark.parametrize("offset", [0.0, 0.7, -1e4])
@pytest.mark.parametrize("factor", [0.1, 0.3, 1 / 7])
def test_points_collinear_up_to_rounding(offset, factor):
    """Decimal grids are: every dichotomy of the true grid is found, for its margin is wide, and none twice.

    Beyond these there may be only what the rounded points have, decided in rationals.
    """
    h = Halfspaces(2)
    for seed in range(8):
        grid = np.array(rows(np.random.default_rng(seed).integers(0, 4, (7, 2)).astype(float)))
        points = offset + grid * factor
        assert rows(points) == points.tolist()
        realised = [tuple(row) for row in h.cover(points).listed().dichotomies().tolist()]
        assert len(set(realised)) == len(realised)
        assert halfspace_dichotomies(h, grid.tolist()) <= set(realised) <= halfspace_dichotomies(h, points.tolist())


@pytest.mark.parametrize("factor", [1.0, 0.1, 1 / 7])
def test_minimise_on_points_collinear_up_to_rounding(factor):
    """The best of the cover, no worse than the best dichotomy of the true grid, and attained by what is returned."""
    h, rng = Halfspaces(2), np.random.default_rng(8)
    for _ in range(60):
        grid = rng.integers(0, 4, (9, 2)).astype(float)
        points, y, w = grid * factor, rng.integers(0, 2, 9), rng.normal(size=9)
        distinct = rows(grid)[:7]
        kept = [i for i in range(9) if list(grid[i]) in distinct]
        points, y, w, place = points[kept], y[kept], w[kept], [distinct.index(list(grid[i])) for i in kept]
        minimum = h.minimise(points, y, w)
        best = min(
            math.fsum(wi for wi, yi, k in zip(w, y, place, strict=True) if pattern[k] != (yi == 1))
            for pattern in halfspace_dichotomies(h, distinct)
        )
        assert minimum.value <= best + 1e-12
        values = (h.predict(h.cover(points).listed().parameters, points) != (y == 1)) @ w
        assert minimum.value == pytest.approx(values.min(), abs=1e-12)
        attained = w[h.predict(minimum.parameters, points)[0] != (y == 1)].sum()
        assert minimum.value == pytest.approx(attained, abs=1e-12)


def test_minimise_passes_over_what_no_halfspace_in_double_precision_attains():
    """Points of one line up to rounding have dichotomies that only a finer halfspace realises: the next best counts."""
    h, passed_over = Halfspaces(2), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        t = rng.permutation(8)[:6]
        points, y, w = np.column_stack([t / 7, 3 * t / 7 + 0.1]), rng.integers(0, 2, 6), rng.exponential(size=6)
        distinct = rows(points)
        place = [distinct.index(list(p)) for p in points]
        cost = [
            [wi * (pattern[k] != (yi == 1)) for wi, yi, k in zip(w, y, place, strict=True)]
            for pattern in halfspace_dichotomies(h, distinct)
        ]
        best = min(map(math.fsum, cost))
        attained = ((h.predict(h.cover(points).listed().parameters, points) != (y == 1)) @ w).min()
        assert h.minimise(points, y, w).value == pytest.approx(attained, abs=1e-12)
        passed_over += attained > best + 1e-9
    assert passed_over > 20


def test_rounding_that_breaks_a_separator_is_repaired():
    """A cluster far from the origin, with collinear triples: every representative still has its dichotomy."""
    base = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [3, 1], [1, 3]], float)
    for offset, scale in ((1e8, 1.0), (1e5, 2.0**-20), (0.0, 2.0**-1000), (0.0, 2.0**1000)):
        points = offset + base * scale
        cover = Halfspaces(2).cover(points).listed()
        assert {tuple(r) for r in cover.dichotomies().tolist()} == halfspace_dichotomies(Halfspaces(2), rows(points))


# ---------------------------------------------------------------------------------------------------- any dimension
def exact_sets(d: int, rng: np.random.Generator, m: int):
    """Point sets whose dichotomies all have a margin far above rounding."""
    grid = rng.integers(0, 3, (m, d))
    yield rng.normal(size=(m, d))
    yield grid
    yield np.column_stack([grid[:, :-1], grid[:, :-1] @ np.arange(1, d) + 2])  # of one hyperplane
    yield np.concatenate([np.outer(rng.permutation(7)[:4], rng.integers(-2, 3, d)), grid[4:]])  # four of one line
    yield np.arange(m)[:, None] ** np.arange(1, d + 1)  # the moment curve: cyclic polytopes
    yield 1e6 + grid
    yield -3e8 + grid
    yield 1e6 + grid * 2.0**-10
    yield grid * 2.0 ** np.array([60, -60, 0, 30])[:d]
    yield rng.normal(size=(m, d)) * 10.0 ** np.array([14, 0, -14, 7])[:d]
    yield rng.integers(0, 5, (m, d)) * 5e-324
    yield rng.normal(size=(m, d)) * 1e-305
    yield rng.choice([-1.5e308, 0.0, 1.5e308], (m, d))


@pytest.mark.parametrize(("d", "m", "seeds"), [(1, 8, 4), (2, 8, 6), (3, 7, 6), (4, 7, 3)])
def test_covers_are_exact_wherever_rounding_leaves_a_margin(d, m, seeds):
    """Any position, any offset and scale of each coordinate: every dichotomy, once (Kirchberger, in rationals)."""
    h = Halfspaces(d)
    for seed in range(seeds):
        for number, points in enumerate(exact_sets(d, np.random.default_rng(seed), m)):
            x = np.asarray(points, float)
            listed = [tuple(row) for row in h.cover(x).listed().dichotomies().tolist()]
            assert len(listed) == len(set(listed)), number
            assert set(listed) == halfspace_dichotomies(h, rows(x)), number


@pytest.mark.parametrize("factor", [0.1, 0.3, 1 / 7])
def test_points_coplanar_up_to_rounding(factor):
    """As in the plane; of a grid turned out of the coordinate planes the dichotomies inside its plane are found."""
    h, left_out = Halfspaces(3), 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        flat = rng.integers(0, 3, (7, 2)).astype(float)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        solid, tilted = (
            np.array(rows(x)) for x in (rng.integers(0, 3, (7, 3)), np.column_stack([flat, flat @ [1, 2]]))
        )
        for grid, points in ((solid, 0.7 + solid * factor), (tilted, tilted @ turn * factor)):
            order = np.lexsort(points.T[::-1])
            realised = [tuple(row) for row in h.cover(points).listed().dichotomies().tolist()]
            assert len(set(realised)) == len(realised)
            exact = halfspace_dichotomies(h, points[order].tolist())
            assert halfspace_dichotomies(h, grid[order].tolist()) <= set(realised) <= exact
            left_out += len(exact) - len(realised)
    assert left_out > 0


def test_wildly_mixed_scales_give_no_warning_and_nothing_false():
    for d, seed in itertools.product((2, 3), range(8)):
        rng, h = np.random.default_rng(seed), Halfspaces(d)
        points = rng.normal(size=(7, d)) * 10.0 ** rng.integers(-300, 300, (7, d))
        listed = [tuple(row) for row in h.cover(points).listed().dichotomies().tolist()]
        assert len(listed) == len(set(listed))
        assert set(listed) <= halfspace_dichotomies(h, rows(points))


@pytest.mark.parametrize(("d", "m", "count"), [(3, 100, 323_600), (4, 40, 184_342)])
def test_large_covers_in_general_position(d, m, count):
    """2 sum_{i <= d} C(m - 1, i) (Cover 1965), each realised, once."""
    cover = Halfspaces(d).cover(np.random.default_rng(0).normal(size=(m, d))).listed()
    words = packed(cover.dichotomies())
    assert len(cover) == len(first_of_each(words)) == count == 2 * sum(math.comb(m - 1, i) for i in range(d + 1))


def test_points_of_one_line_in_the_plane_are_split_across_it():
    """Not by a coordinate: the line through the middle of two points turns a quarter of a right angle."""
    cover = Halfspaces(2).cover(np.array([[0.0, 0.0], [4.0, 0.0]])).listed()
    normals, offsets = cover.parameters[2:, :2], cover.parameters[2:, 2]
    np.testing.assert_allclose(np.abs(normals), math.sqrt(0.5))
    np.testing.assert_allclose(normals @ [2.0, 0.0] + offsets, 0, atol=1e-15)


@pytest.mark.parametrize("scale", [1.0, 1e-12])
def test_minimisers_of_the_plane_are_rows_of_the_cover(scale):
    h, rng = Halfspaces(2), np.random.default_rng(3)
    for points in (np.outer(np.arange(7.0), [1, 2]), rng.normal(size=(12, 2)), rng.integers(0, 3, (9, 2))):
        x = np.unique(points, axis=0) * [1.0, scale]
        parameters = h.cover(x).listed().parameters
        for _ in range(5):
            y, w = rng.integers(0, 2, len(x)), rng.normal(size=len(x))
            minimum = h.minimise(x, y, w)
            assert np.any(np.all(parameters == minimum.parameters, axis=1))
            assert minimum.value == pytest.approx(((h.predict(parameters, x) != (y == 1)) @ w).min(), abs=1e-12)


# ---------------------------------------------------------------------------------------------------- dual class
def hypotheses(d: int, rng: np.random.Generator, k: int):
    """(k, d + 1): small integers; both directions; parallel, equal, proportional and zero w; one point in common."""
    drawn = rng.integers(-2, 3, (k, d + 1)).astype(float)
    yield drawn
    yield np.concatenate([drawn, -drawn[: k // 2]])
    yield np.concatenate([drawn[:2], np.column_stack([np.repeat(drawn[:1, :d], 3, axis=0), [0.0, 1.0, 3.0]])])
    yield np.concatenate([drawn[:2], 2 * drawn[:2], np.eye(d + 1)[-1:], -np.eye(d + 1)[-1:], np.zeros((1, d + 1))])
    yield np.column_stack([drawn[:, :d], drawn[:, :d] @ np.arange(1, d + 1)])
    yield np.column_stack([np.zeros((2, d)), [1.0, -1.0]])
    yield drawn[:1]
    scattered = rng.normal(size=(k, d + 1))
    yield scattered
    yield np.concatenate([scattered, -scattered[:2]])


@pytest.mark.parametrize(("d", "k", "seeds"), [(1, 6, 12), (2, 7, 12), (3, 6, 8), (4, 5, 3)])
def test_no_point_has_a_label_vector_that_the_representative_domain_lacks(d, k, seeds):
    """Points of a grid, scattered near and far, and half-integers, on which many hyperplanes meet."""
    h = Halfspaces(d)
    grid = np.array(list(itertools.product(np.arange(-6, 6.5, (0.125, 0.25, 0.5, 1.5)[d - 1]), repeat=d)))
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        for number, theta in enumerate(hypotheses(d, rng, k)):
            domain = h.representative_domain(theta)
            labels = {row.tobytes() for row in h.predict(theta, domain).T}
            assert len(labels) == len(domain), number
            halves = np.round(rng.normal(size=(500, d)) * 8) / 2
            met = np.concatenate([grid, rng.normal(size=(2000, d)), rng.standard_cauchy((2000, d)) * 30, halves])
            assert {row.tobytes() for row in h.predict(theta, met).T} <= labels, number


@pytest.mark.parametrize(("d", "k"), [(1, 9), (2, 12), (3, 9), (4, 7), (3, 2)])
def test_representative_domain_of_a_simple_arrangement_is_its_cells(d, k):
    """sum_{i <= d} C(k, i) of them; a zero w and an exact multiple of a hypothesis add nothing."""
    theta = np.random.default_rng(k).normal(size=(k, d + 1))
    cells = sum(math.comb(k, i) for i in range(d + 1))
    assert len(Halfspaces(d).representative_domain(theta)) == cells
    repeated = np.concatenate([theta, 4 * theta[:1], np.eye(d + 1)[-1:]])
    assert len(Halfspaces(d).representative_domain(repeated)) == cells


@pytest.mark.parametrize(
    "points",
    [
        [[1, 1], [1 + 2.0**-52, 1], [1, 1 + 2.0**-52]],
        [[0, 0], [1, 1], [2, 2 + 2.0**-51]],
        [[0.0, 0.0], [1e-300, 0.0], [0.0, 1.0]],
    ],
)
def test_three_points_that_differ_by_their_last_bits_are_told_apart(points):
    """All eight dichotomies of three points not on a line, some of which only a row with a point on its line has."""
    h, x = Halfspaces(2), np.array(points)
    predicted = h.predict(h.cover(x).listed().parameters, x)
    assert len(np.unique(predicted, axis=0)) == len(predicted) == 8
    for labels in itertools.product((0, 1), repeat=3):
        assert h.minimise(x, np.array(labels), np.ones(3)).value == 0


def test_a_dichotomy_of_a_line_parallel_to_an_axis_is_in_the_cover():
    """Whatever the axes tell apart, by points that are near to each other in the other coordinate, too."""
    h, rng = Halfspaces(2), np.random.default_rng(5)
    for _ in range(30):
        x = 1 + 2.0**-52 * np.array(rows(rng.integers(0, 3, (6, 2)).astype(float)))
        dichotomies = {row.tobytes() for row in h.predict(h.cover(x).listed().parameters, x)}
        axes = np.concatenate([np.eye(2), -np.eye(2)])
        lines = [[*w, -float(w @ p)] for w in axes for p in x]
        assert {row.tobytes() for row in h.predict(np.array(lines), x)} <= dichotomies
