"""Cells and faces of arrangements, and dichotomies above the plane: known counts, Whitney's count, rationals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from semipriv.audit.properties.class_cases import rows
from semipriv.audit.properties.class_cases.halfspaces import dichotomies
from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry import faces
from semipriv.geometry.arrangements import (
    cell_points,
    complete,
    number_of_cells,
    primitive,
    sign_vectors,
    simple_cells,
)
from semipriv.geometry.bits import first_of_each, packed
from semipriv.geometry.faces import face_points, on_faces
from semipriv.geometry.predicates import affine_values, independent_columns, integers, scaled


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

    def vectors_of(cover, points):
        order = [cover.points.tolist().index(p) for p in points.tolist()]
        return {tuple(row) for row in cover.dichotomies()[:, order].tolist()}

    assert vectors_of(plane, flat) == vectors_of(space, inside)


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
        sides = np.packbits(grid @ vectors.T > 0, axis=1)  # a byte for each direction
        rows = np.unpackbits(np.unique(sides)[:, None], axis=1, count=len(vectors)).tolist()
        met = {tuple(row) for row in rows if row[0]}
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


# ---------------------------------------------------------------------------------------------------- in rationals
def rank(matrix: list[list[int]]) -> int:
    """By elimination in rationals."""
    left, rank = [[Fraction(v) for v in row] for row in matrix], 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is not None:
            left = [
                [v - row[column] / pivot[column] * u for v, u in zip(row, pivot, strict=True)]
                for row in left
                if row is not pivot
            ]
            rank += 1
    return rank


def whitney(planes: list[list[int]]) -> int:
    """Number of cells: sum of (-1)^(|S| - rank S) over the sets S of hyperplanes that have a point in common (1932)."""
    total = 0
    for size in range(len(planes) + 1):
        for chosen in itertools.combinations(planes, size):
            normals = rank([list(row[:-1]) for row in chosen])
            if normals == rank([list(row) for row in chosen]):
                total += (-1) ** (size - normals)
    return total


def signs(planes, points) -> set[tuple[int, ...]]:
    """Sign vectors of points (r, d) about hyperplanes, exactly."""
    signs = set()
    for x in np.asarray(points).tolist():
        exact = [Fraction(v) for v in x] + [Fraction(1)]
        values = [sum(a * v for a, v in zip(row, exact, strict=True)) for row in planes]
        signs.add(tuple((v > 0) - (v < 0) for v in values))
    return signs


def arrangements(d: int):
    """Integer hyperplanes (k, d + 1): random, through one point, parallel, of coordinates, few."""
    rng = np.random.default_rng(d)
    for _ in range(4):
        yield rng.integers(-3, 4, (6, d + 1))
        normals = rng.integers(-2, 3, (6, d))
        yield np.column_stack([normals, normals @ np.arange(1, d + 1)])
        yield np.column_stack([np.repeat(normals[:2], 3, axis=0), np.tile([0, 1, 3], 2)])
        yield np.column_stack([np.eye(d, dtype=int)[rng.integers(0, d, 6)], rng.integers(-2, 3, 6)])
        yield rng.integers(-9, 10, (d - 1, d + 1))


def integer_planes(table: np.ndarray) -> np.ndarray:
    return primitive(np.array(table.tolist(), object).reshape(table.shape))[0]


# ---------------------------------------------------------------------------------------------------- simple
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize(("d", "k"), [(1, 5), (2, 2), (2, 9), (3, 1), (3, 9), (4, 8), (5, 7)])
def test_simple_arrangements_have_one_point_a_cell(d, k, turn):
    """As many different sign vectors as there can be, and those of many points at random are among them."""
    rng = np.random.default_rng(10 * d + k)
    planes = rng.normal(size=(k, d + 1))
    points = simple_cells(planes, turn)
    assert len(points) == number_of_cells(k, d) == whitney([list(map(Fraction, row)) for row in planes.tolist()])
    vectors = {tuple(row) for row in (points @ planes[:, :d].T + planes[:, d] > 0).tolist()}
    assert len(vectors) == len(points)
    x = rng.standard_cauchy((20_000, d))
    assert {tuple(row) for row in np.unique(x @ planes[:, :d].T + planes[:, d] > 0, axis=0).tolist()} <= vectors


def test_an_arrangement_is_complete_or_none():
    """A direction whose points miss a few cells is followed by another, which may miss others; one that misses many,
    or brings nothing new, is the last.
    """
    planes = np.random.default_rng(0).normal(size=(12, 3))
    want = number_of_cells(12, 2)

    def bits(points):
        return points @ planes[:, :2].T + planes[:, 2] > 0

    for hidden, turns, is_whole in (
        ([set()], 1, True),
        ([{0}, set()], 2, True),
        ([{0, 1}, {1, 2}, {1}], 3, False),
        ([{0, 1}, {2, 3}], 2, True),
        ([{0}, {0}], 2, False),
        ([set(range(9))], 1, False),
    ):
        asked = []

        def read(points, hidden=hidden, asked=asked):
            order = np.lexsort(bits(points).T)
            kept = np.delete(order, list(hidden[len(asked)]))
            asked.append(len(points))
            for half in np.array_split(kept, 2):
                yield points[half], packed(bits(points[half]))

        points = complete(planes, want, read)
        assert asked == [want] * turns
        assert (points is not None) == is_whole
        if is_whole:
            assert len(points) == len(np.unique(bits(points), axis=0)) == want


def test_simple_is_said_only_of_arrangements_that_are():
    """Lines that nearly meet in one point: floating-point signs alone would find cells that are not there."""
    certified = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        normals, off = rng.normal(size=(5, 2)), rng.integers(-3, 4, 5) * 2.0 ** -rng.integers(46, 54)
        lines = primitive(integers(np.column_stack([normals, off - normals @ rng.normal(size=2)]))[0])[0]
        points, simple = cell_points(lines)
        if simple:
            certified += 1
            assert len(signs(lines.tolist(), points)) == len(points) == number_of_cells(5, 2)
    assert certified > 10


# ---------------------------------------------------------------------------------------------------- exact
def configurations(d: int):
    """Points (m, d) that span R^d: scattered, of grids, collinear, coplanar, and with an offset that rounding feels."""
    rng = np.random.default_rng(d)
    m = {1: 6, 2: 8, 3: 7, 4: 7}[d]
    for seed in range(3):
        yield rng.integers(-50, 51, (m, d))
        yield rng.integers(0, 2 + seed, (m, d))
        yield np.concatenate([np.outer(np.arange(4), rng.integers(-2, 3, d)), rng.integers(0, 3, (m - 4, d))])
        yield np.concatenate([rng.integers(0, 3, (m - 1, d)) * [1] * d * (np.arange(d) < d - 1), np.full((1, d), 2)])
        yield rng.integers(0, 3, (m, d)) * 2**40 + rng.integers(-1, 2, (m, d))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_sign_vectors_are_the_dichotomies(d):
    """Of vectors c M (x, 1): any invertible integers M change nothing, a negative c turns the sign of its vector."""
    rng, tried = np.random.default_rng(7), 0
    for configuration in configurations(d):
        x = np.array(rows(configuration), object)
        vectors = np.column_stack([x, np.ones(len(x), object)])
        if rank(vectors.tolist()) < d + 1:
            continue
        tried += 1
        m = rng.integers(-3, 4, (d + 1, d + 1))
        while rank(m.tolist()) < d + 1:
            m = rng.integers(-3, 4, (d + 1, d + 1))
        c = rng.choice([-2, 1, 3], len(x)).astype(object)
        whole = c[:, None] * (vectors @ m.astype(object))
        signs, rays = sign_vectors(whole)
        positive = [
            tuple(bool(b) != (f < 0) for b, f in zip(row, c, strict=True))
            for row in dichotomies(Halfspaces(d), x.tolist())
        ]
        expected = {row for row in positive if row[0]}
        listed = [tuple(row) for row in signs.tolist()]
        assert len(listed) == len(set(listed))
        assert set(listed) == expected
        if np.abs(x).max() < 1000:
            np.testing.assert_array_equal(scaled(whole)[0] @ rays.T > 0, signs.T)
    assert tried >= 6


# ---------------------------------------------------------------------------------------------------- cells and faces
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_cells_of_degenerate_arrangements_are_as_many_as_whitney_counts(d):
    for table in arrangements(d):
        planes = integer_planes(table)
        points, simple = cell_points(planes)
        cells = signs(planes.tolist(), points)
        assert not any(0 in cell for cell in cells)
        count = whitney(planes.tolist())
        assert len(cells) == len(points) == count
        assert simple == (count == number_of_cells(len(planes), d))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_faces_are_met(d):
    """All sign vectors of a grid, zeros included, are those of a cell, or of a face as floating point evaluates it."""
    grid = np.array(list(itertools.product(np.arange(-3, 3.5, 0.5 if d < 3 else 1.0), repeat=d)))
    for table in arrangements(d):
        planes = integer_planes(table)
        if len(planes) == 0:
            continue
        floats = planes.astype(float)
        faces = np.concatenate(list(face_points(planes, np.ones(len(planes), bool))))
        points = np.concatenate([cell_points(planes)[0], on_faces(floats, faces)])
        sampled = {tuple(row) for row in np.sign(affine_values(floats, points.T)).T.tolist()}
        met = signs(planes.tolist(), grid)
        assert any(0 in vector for vector in met)
        assert met <= sampled


def test_only_faces_of_the_generators_are_asked_for():
    planes = integer_planes(np.array([[1, 0, 0], [0, 1, 0], [1, 1, -4]]))
    points = np.concatenate(list(face_points(planes, np.array([True, False, False]))))
    assert len(points) == len(signs(planes.tolist(), points)) == 3
    assert not points[:, 0].any()
    assert not list(face_points(planes, np.zeros(3, bool)))


def test_primitive_joins_the_multiples_of_a_hyperplane():
    whole = np.array([[0, 2, 4], [0, -3, -6], [0, 0, 5], [1, 0, 0], [0, 1, 3], [-(2**80), 0, 0]], object)
    planes, place = primitive(whole)
    assert planes.tolist() == [[0, 1, 2], [1, 0, 0], [0, 1, 3]]
    assert place.tolist() == [0, 0, -1, 1, 2, 1]


@pytest.mark.parametrize(("d", "least"), [(2, 150), (3, 125)])
def test_points_are_moved_onto_their_face(d, least):
    """Of hyperplanes and points with all their digits, most have a neighbour that evaluates to zero."""
    rng, on_the_plane = np.random.default_rng(d), 0
    for _ in range(200):
        plane, x = rng.normal(size=(1, d + 1)), rng.normal(size=(1, d))
        x[0, -1] = -(x[0, :-1] @ plane[0, : d - 1] + plane[0, -1]) / plane[0, d - 1]
        moved = on_faces(plane, x)
        assert np.abs(moved - x).max() <= 2.0**-43 * np.abs(x).max()
        on_the_plane += 0 in affine_values(plane, moved.T)
    assert on_the_plane >= least


@pytest.mark.parametrize("off", [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)])
def test_a_point_beside_its_face_is_moved_there(off):
    """By one place in any direction, if no point with fewer digits is on the face."""
    face = np.array([[1 / 3, -2 / 3]])
    planes = np.array([[1.0, 0.0, -face[0, 0]], [0.0, 1.0, -face[0, 1]]])
    moved = on_faces(planes, face + np.array(off) * np.spacing(face))
    assert face[0].tolist() in moved.tolist()


@pytest.mark.parametrize("coordinate", [np.inf, -np.inf, np.nan])
def test_points_with_a_coordinate_that_is_not_finite_are_left_out(coordinate):
    planes, face = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.25]]), [0.5, 0.25]
    moved = on_faces(planes, np.array([[0.5, coordinate], face, [coordinate, coordinate]]))
    assert moved.tolist() == on_faces(planes, np.array([face])).tolist()


def test_a_point_with_fewer_digits_is_without_the_last_eight():
    x = np.array([[1 / 3, 2 / 3], [-1e5 / 3, 0.1]])
    step = 2.0**8 * np.spacing(np.array([[2 / 3], [1e5 / 3]]))
    rounded = faces._rounded(x)
    assert np.array_equal(rounded, step * np.round(x / step))
    assert not np.array_equal(rounded, 2 * step * np.round(x / step / 2))


def test_a_point_whose_face_nobody_can_tell_is_kept():
    """0.1 x + 0.2 y + 0.3 is not 0 at (1, -2), but as near as rounding: the labels there are what they are."""
    planes = np.array([[0.2, 0.2, 0.2], [-0.2, 0.0, 0.2], [0.1, 0.2, 0.3]])
    assert (affine_values(planes, np.array([[1.0], [-2.0]]))[:, 0] == 0).tolist() == [True, True, False]
    assert [1.0, -2.0] in on_faces(planes, np.array([[1.0, -2.0]])).tolist()
    assert [5.0, 3.0] in on_faces(planes, np.array([[5.0, 3.0]])).tolist()
