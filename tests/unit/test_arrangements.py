"""Cells of arrangements and dichotomies above the plane, against counts that are known and brute force."""

import itertools
import math

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.arrangements import cell_points, number_of_cells, primitive, sign_vectors, simple_cells
from semipriv.geometry.bits import first_of_each, packed
from semipriv.geometry.predicates import independent_columns, integers


def distinct_rows(bits: np.ndarray) -> int:
    return len(np.unique(bits, axis=0))


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_threshold_functions_of_the_cube(n: int, count: int) -> None:
    """Boolean functions of n variables that are halfspaces: 4, 14, 104, 1882 (Muroga 1971; OEIS A000609)."""
    cover = Halfspaces(n).cover(np.array(list(itertools.product((0.0, 1.0), repeat=n)))).listed()
    assert len(cover) == distinct_rows(cover.dichotomies()) == count


@pytest.mark.parametrize(("d", "m"), [(3, 30), (4, 16), (5, 11)])
@pytest.mark.parametrize("scale", [1e-120, 1.0, 1e120])
def test_points_in_general_position(d: int, m: int, scale: float) -> None:
    """2 sum_{i <= d} C(m - 1, i), each once (Cover 1965)."""
    points = np.random.default_rng(d).normal(size=(m, d)) * scale
    cover = Halfspaces(d).cover(points).listed()
    assert len(cover) == distinct_rows(cover.dichotomies()) == 2 * sum(math.comb(m - 1, i) for i in range(d + 1))


def test_points_of_a_subspace_have_the_dichotomies_of_their_projection() -> None:
    rng = np.random.default_rng(0)
    flat = rng.integers(-8, 9, (12, 2)).astype(float)
    inside = flat @ rng.integers(-3, 4, (2, 4)) + rng.integers(-3, 4, 4)
    plane, space = (Halfspaces(h).cover(x).listed() for h, x in ((2, flat), (4, inside)))
    assert len(plane) == len(space)

    def found(cover, points):
        order = [cover.points.tolist().index(p) for p in points.tolist()]
        return {tuple(row) for row in cover.dichotomies()[:, order].tolist()}

    assert found(plane, flat) == found(space, inside)


@pytest.mark.parametrize(("k", "d"), [(0, 2), (1, 3), (6, 2), (8, 3), (7, 4), (3, 5)])
def test_cells_of_simple_arrangements(k: int, d: int) -> None:
    planes = np.random.default_rng(10 * k + d).normal(size=(k, d + 1))
    points = simple_cells(planes)
    assert len(points) == number_of_cells(k, d)
    assert distinct_rows(points @ planes[:, :d].T + planes[:, d] > 0) == number_of_cells(k, d)
    exact, simple = cell_points(primitive(integers(planes)[0])[0])
    assert simple
    assert len(exact) == number_of_cells(k, d)


@pytest.mark.parametrize(
    ("planes", "cells"),
    [
        ([[1, 0, 0], [1, 0, -1], [1, 0, -2]], 4),  # parallel
        ([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0]], 8),  # concurrent
        ([[1, 0, 0], [1, 0, -1], [0, 1, 0], [0, 1, -1]], 9),  # a grid
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0]], 14),  # a pencil in space
    ],
)
def test_cells_of_degenerate_arrangements(planes: list[list[int]], cells: int) -> None:
    whole = np.array(planes, object)
    points, simple = cell_points(whole)
    assert not simple
    sides = points @ whole[:, :-1].astype(float).T + whole[:, -1].astype(float)
    assert np.all(np.abs(sides) > 1e-9)
    assert len(points) == distinct_rows(sides > 0) == cells


def test_sign_vectors_by_enumeration() -> None:
    """Of vectors with small entries: those that a fine grid of directions meets, and no others."""
    rng = np.random.default_rng(1)
    grid = np.array(list(itertools.product(np.linspace(-1, 1, 45), repeat=3))) + 1e-4 * rng.normal(size=(45**3, 3))
    for _ in range(20):
        vectors = rng.integers(-2, 3, (6, 3))
        vectors = vectors[np.any(vectors != 0, axis=1)]
        if len(independent_columns(vectors.astype(object))) < 3:
            continue
        signs, rays = sign_vectors(vectors.astype(object))
        value = grid @ vectors.T
        met = {tuple(row) for row in (value > 0).tolist() if row[0]}
        assert {tuple(row) for row in signs.tolist()} == met
        columns = np.abs(vectors).max(axis=0)
        bits = 2.0 ** np.array([int(c).bit_length() for c in columns])
        assert np.array_equal(rays @ (vectors / bits).T > 0, signs)


def test_first_of_each_keeps_the_order() -> None:
    rows = np.random.default_rng(2).integers(0, 2, (300, 130)).astype(bool)
    rows[100:] = rows[:200]
    rows[:, 64:] &= rows[:, :66]
    seen, expected = set(), []
    for i, row in enumerate(map(tuple, rows.tolist())):
        if row not in seen:
            seen.add(row)
            expected.append(i)
    assert first_of_each(packed(rows)).tolist() == expected
