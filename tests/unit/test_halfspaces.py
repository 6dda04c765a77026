"""Halfspaces of the plane: grids, points collinear up to rounding, representatives that hold."""

import itertools
import math

import numpy as np
import pytest
from class_cases import rows
from class_cases.halfspaces import dichotomies as halfspace_dichotomies

from semipriv.classes.halfspaces import Halfspaces


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
