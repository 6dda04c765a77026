"""Exact predicates against rational arithmetic, and the splits of points by lines that rest on them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.geometry.halfplanes import separators, splits
from semipriv.geometry.predicates import (
    _minors,
    affine_values,
    hyperplanes,
    independent_columns,
    integers,
    orientation,
    orientations_of_pairs,
    rank_at_least,
    rounding_bound,
    scaled,
)


def exact(a, b, c) -> int:
    ax, ay, bx, by, cx, cy = (Fraction(float(v)) for v in (*a, *b, *c))
    value = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (value > 0) - (value < 0)


def random_triples(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 3, 2))


def nearly_collinear_triples(n: int) -> np.ndarray:
    """Points of one line, each coordinate off by a few units in the last place."""
    rng = np.random.default_rng(1)
    start, direction = rng.normal(size=(n, 1, 2)) * 10.0 ** rng.integers(-3, 4, (n, 1, 1)), rng.normal(size=(n, 1, 2))
    points = start + rng.integers(-5, 6, (n, 3, 1)) * direction
    return points + rng.integers(-2, 3, (n, 3, 2)) * np.spacing(points)


def rounded_triples(n: int) -> np.ndarray:
    """A third point rounded from anywhere on the line: coordinate differences are inexact."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) * 10
    c = a + rng.normal(size=(n, 1)) * (b - a)
    return np.stack([a, b, c + rng.integers(-1, 2, (n, 2)) * np.spacing(c)], axis=1)


def integer_triples(n: int) -> np.ndarray:
    rng = np.random.default_rng(2)
    return np.concatenate([rng.integers(-3, 4, (n, 3, 2)), rng.integers(-(2**53), 2**53, (n, 3, 2))]).astype(float)


def decimal_triples(n: int) -> np.ndarray:
    """Collinear in decimal notation, not in binary."""
    return np.random.default_rng(3).integers(-20, 21, (n, 3, 2)) / 10


def scaled_triples(n: int) -> np.ndarray:
    """Huge, tiny and mixed scales, where products overflow or vanish in floating point."""
    near = nearly_collinear_triples(n)
    scales = (1e-300, 1e-160, 2.0**-500, 2.0**-460, 1e-140, 1e150, 1e160, 1e300)
    parts = [near * s for s in scales]
    mixed = np.random.default_rng(4).normal(size=(n, 3, 2)) * 10.0 ** np.random.default_rng(5).integers(
        -300, 300, (n, 3, 2)
    )
    return np.concatenate([*parts, mixed])


FAMILIES = [random_triples, nearly_collinear_triples, rounded_triples, integer_triples, decimal_triples, scaled_triples]


@pytest.mark.parametrize("family", FAMILIES)
def test_orientation_is_exact(family):
    triples = family(400)
    expected = [exact(*t) for t in triples]
    signs = orientation(triples[:, 0], triples[:, 1], triples[:, 2])
    assert signs.dtype == np.int8
    assert signs.tolist() == expected
    assert {-1, 1} <= set(expected)


def test_the_families_hold_what_floating_point_gets_wrong():
    """The plain formula fails on these triples, so that the tests above cannot pass by it."""
    for family in (nearly_collinear_triples, decimal_triples, scaled_triples):
        t = family(400)
        u, v = t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]
        with np.errstate(all="ignore"):
            naive = np.sign(np.nan_to_num(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]))
        assert np.any(naive != [exact(*row) for row in t])


@pytest.mark.parametrize("family", FAMILIES)
def test_orientation_is_alternating(family):
    a, b, c = np.moveaxis(family(200), 1, 0)
    sign = orientation(a, b, c)
    for other in (orientation(b, c, a), orientation(c, a, b)):
        np.testing.assert_array_equal(other, sign)
    for other in (orientation(b, a, c), orientation(a, c, b), orientation(c, b, a)):
        np.testing.assert_array_equal(other, -sign)
    assert not orientation(a, a, c).any()
    assert not orientation(a, c, c).any()


@pytest.mark.parametrize("family", FAMILIES)
def test_orientations_of_pairs_agree(family):
    triples = family(8)
    b, c = triples[:12].reshape(-1, 2), triples.reshape(-1, 2)
    a = np.roll(c, 1, axis=0)[: len(b)]
    signs = orientations_of_pairs(a, b, c)
    assert signs.dtype == np.int8
    np.testing.assert_array_equal(signs, orientation(a[:, None], b[:, None], c[None]))
    np.testing.assert_array_equal(signs, [[exact(o, p, q) for q in c] for o, p in zip(a, b, strict=True)])


@pytest.mark.parametrize("family", FAMILIES)
def test_orientations_of_pairs_decide_close_cases(family):
    """One triple at a time: its points are nearly on one line."""
    for a, b, c in family(1000)[:1000]:
        assert orientations_of_pairs(a[None], b[None], c[None]).tolist() == [[exact(a, b, c)]]


def test_the_least_area_at_every_scale():
    """(1 + e)(1 - e) - 1 = -e^2 hangs on the last bit of an exact product, which small scales lose to underflow."""
    e, origin = 2.0**-52, np.zeros(2)
    for s in 2.0 ** np.arange(-1020.0, 1020, 5):
        b, c = np.array([s * (1 + e), s]), np.array([s, s * (1 - e)])
        assert (
            int(orientation(origin, b, c))
            == orientations_of_pairs(origin[None], b[None], c[None])[0, 0]
            == exact(origin, b, c)
            == -1
        )
        assert int(orientation(origin, c, b)) == 1


COORDINATES = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3).map(float)
POINTS = st.tuples(COORDINATES, COORDINATES)


@given(POINTS, POINTS, POINTS)
def test_orientation_of_any_floats(a, b, c):
    sign = orientation(np.array(a), np.array(b), np.array(c))
    assert sign.shape == ()
    assert int(sign) == exact(a, b, c)


@given(POINTS, POINTS, st.fractions(-4, 4, max_denominator=16), st.integers(-2, 2))
def test_orientation_of_a_rounded_point_of_the_line(a, b, side, off):
    limit = Fraction(np.finfo(float).max) / 2
    line = [Fraction(p) + side * (Fraction(q) - Fraction(p)) for p, q in zip(a, b, strict=True)]
    c = [float(max(-limit, min(limit, v))) for v in line]
    c[0] += off * float(np.spacing(abs(c[0])))
    assert int(orientation(np.array(a), np.array(b), np.array(c))) == exact(a, b, c)


def test_orientation_broadcasts():
    triples = random_triples(12).reshape(3, 4, 3, 2)
    signs = orientation(triples[..., 0, :], triples[..., 1, :], triples[..., 2, :])
    assert signs.tolist() == [[exact(*t) for t in row] for row in triples]


# ---------------------------------------------------------------------------------------------------- splits
def point_sets():
    rng = np.random.default_rng(6)
    yield rng.normal(size=(9, 2))
    yield rng.integers(0, 3, (12, 2)).astype(float)
    yield np.column_stack([np.arange(6.0), 2 * np.arange(6.0)])
    yield np.column_stack([np.zeros(5), np.arange(5.0)])
    yield decimal_triples(3).reshape(-1, 2)
    yield np.array([[0.0, 0.0], [1.0, 0.0]])
    yield np.zeros((1, 2))


@pytest.mark.parametrize("points", list(point_sets()), ids=range(7))
def test_splits_are_the_sides_of_the_lines_through_neighbours(points):
    """By definition, in rationals: strictly left of a -> b, or on it and not after a; only neighbours on their line."""
    x = np.unique(points, axis=0)
    order = range(len(x))
    signs = {}
    for a, b, inside in splits(x):
        signs |= {(int(p), int(q)): row.tolist() for p, q, row in zip(a, b, inside, strict=True)}
    sides = {(a, b): [exact(x[a], x[b], p) for p in x] for a, b in itertools.combinations(order, 2)}
    neighbours = {(a, b): s for (a, b), s in sides.items() if not any(s[c] == 0 for c in range(a + 1, b))}
    assert signs == {(a, b): [s[c] > 0 or (s[c] == 0 and c <= a) for c in order] for (a, b), s in neighbours.items()}


@pytest.mark.parametrize("m", [2, 3, 7, 20])
def test_in_general_position_every_pair_splits(m):
    x = np.unique(np.random.default_rng(m).normal(size=(m, 2)), axis=0)
    rows = np.concatenate([inside for _, _, inside in splits(x)])
    both = np.concatenate([rows, ~rows])
    assert len(np.unique(both, axis=0)) == len(both) == m * (m - 1)


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e4, 1e6, -1e9])
@pytest.mark.parametrize("scale", [1.0, 2.0**-10])
def test_separators_keep_clear_of_every_point(offset, scale):
    """Wherever the points lie, the line between neighbours passes no point at less than the rotation allows.

    Without a margin far above rounding, an offset alone would send every line to the slow repair.
    """
    grid = np.array(list(itertools.product(range(4), repeat=2)), float)
    scattered = np.round(np.random.default_rng(7).random((12, 2)) * 64) / 16
    for points in (grid, scattered):
        x = np.unique(points * scale + offset, axis=0)
        for a, b, inside in splits(x):
            theta = separators(x, a, b, inside)
            assert np.allclose(np.hypot(theta[:, 0], theta[:, 1]), 1)
            value = theta[:, :2] @ (x - offset).T + (theta[:, 2:] + theta[:, :2].sum(1, keepdims=True) * offset)
            np.testing.assert_array_equal(value > 0, inside)
            assert np.abs(value).min() > 1e-4 * scale


# ---------------------------------------------------------------------------------------------------- any dimension
def determinant(matrix: list[list[int]] | list[list[Fraction]]) -> int | Fraction:
    if not matrix:
        return 1
    first, *rest = matrix
    return sum((-1) ** j * v * determinant([row[:j] + row[j + 1 :] for row in rest]) for j, v in enumerate(first) if v)


def vector_sets(width: int):
    """(n, width) floats: scattered, small integers, of one hyperplane up to rounding, of very different scales."""
    rng = np.random.default_rng(width)
    n = width + 3
    yield rng.normal(size=(n, width))
    yield rng.integers(-2, 3, (n, width)).astype(float)
    yield rng.integers(-(2**50), 2**50, (n, width)).astype(float)
    flat = rng.normal(size=(n, width - 1))
    yield np.column_stack([flat, flat @ rng.normal(size=width - 1)])
    yield np.column_stack([flat, flat.sum(axis=1)]) * 10.0 ** rng.integers(-200, 200, width)
    tenths = rng.integers(0, 4, (n, width)) / 10
    tenths[:, -1] = 1.0
    yield tenths


@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_sides_of_hyperplanes_are_the_signs_of_determinants(width):
    """sign det(v_1, ..., v_(D-1), v), up to one sign for all v; the floating-point normal agrees where it can tell."""
    flat, near = 0, 0
    axes = np.eye(width, dtype=int).tolist()
    for vectors in vector_sets(width):
        whole, _ = integers(vectors)
        floats, _ = scaled(whole)
        subsets = np.array(list(itertools.combinations(range(len(vectors)), width - 1)))
        normals, sides = hyperplanes(whole, floats, subsets)
        exact = whole.tolist()
        for subset, normal, side in zip(subsets, normals, sides, strict=True):
            rows = [exact[i] for i in subset]
            cofactors = [determinant([*rows, axis]) for axis in axes]  # the determinant is linear in its last row
            values = [sum(c * v for c, v in zip(cofactors, row, strict=True)) for row in exact]
            signs = [(v > 0) - (v < 0) for v in values]
            assert side.tolist() in (signs, [-s for s in signs])
            spans = any(cofactors)
            assert normal.any() == spans
            if spans:
                assert np.linalg.norm(normal) == pytest.approx(1)
                value = floats @ normal
                clear = np.abs(value) > 1e-9
                np.testing.assert_array_equal(np.sign(value[clear]), side[clear])
                near += np.count_nonzero((side != 0) & ~clear)
            flat += side.tolist().count(0) - (width - 1)
    assert flat > 0
    assert near > 0


def test_integers_and_floats_are_the_values():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 4)) * 10.0 ** rng.integers(-300, 300, (6, 4))
    values[0] = [0.0, -0.0, 5e-324, 1.7e308]
    whole, exponents = integers(values)
    floats, bits = scaled(whole)
    assert np.abs(floats).max(axis=0).tolist() == pytest.approx([0.75] * 4, abs=0.25)
    for row, value in zip(whole.tolist(), values.tolist(), strict=True):
        assert [p * Fraction(2) ** int(e) for p, e in zip(row, exponents, strict=True)] == [Fraction(v) for v in value]
    for j in range(4):
        for p, f in zip(whole[:, j], floats[:, j], strict=True):
            assert abs(Fraction(f) * 2 ** int(bits[j]) - p) <= abs(p) * Fraction(1, 2**53) + Fraction(
                2 ** int(bits[j]), 2**1074
            )


def test_independent_columns_are_those_of_a_projection_one_to_one():
    rng = np.random.default_rng(1)
    for trial in range(40):
        width, rank = 4, trial % 4 + 1
        basis = rng.integers(-2, 3, (rank, width))
        whole = rng.integers(-3, 4, (7, rank)) @ basis
        columns = independent_columns(whole.astype(object))
        true = np.linalg.matrix_rank(whole)
        assert len(columns) == true == np.linalg.matrix_rank(whole[:, columns])
        assert columns == sorted(columns)
        assert (width - 1 in columns) == bool(whole[:, -1].any())


def test_values_are_within_their_rounding_bound():
    """Also where terms cancel and where they underflow; the bound is not idle: errors come near it."""
    rng = np.random.default_rng(2)
    for scale in (1.0, 1e150, 1e-160):
        x = rng.normal(size=(3, 300)) * scale
        theta = rng.normal(size=(20, 4))
        theta[:, 3] = -np.sum(theta[:, :3] * x[:, :20].T, axis=1)
        theta *= scale if scale < 1 else 1.0
        largest = 0.0
        value, bound = affine_values(theta, x), rounding_bound(theta, x)
        for i, j in itertools.product(range(20), range(0, 300, 7)):
            exact = sum(
                (Fraction(a) * Fraction(b) for a, b in zip(theta[i], [*x[:, j], 1.0], strict=True)), Fraction(0)
            )
            error = abs(Fraction(value[i, j]) - exact)
            assert error <= Fraction(bound[i, j]) / 2
            largest = max(largest, float(error / Fraction(bound[i, j])))
        assert largest > 0.03


@pytest.mark.parametrize("width", [3, 4, 5])
def test_determinants_just_inside_their_error_bound_are_worked_out_exactly(width):
    """P - Q, two products of D numbers: all numbers rounded the wrong way, the products too as far as chance allows.

    Floats then see a determinant of the wrong sign and of more than a thirty-second of the bound: the worst of many.
    """
    rng, worst = np.random.default_rng(width), []
    unit = 2**60
    for _ in range(3000):
        grid = rng.integers(0, 2**49, (2, width)) * 2**8 + unit  # multiples of a unit in the last place of 53 bits
        up, down = (row.tolist() for row in grid + np.array([[-127], [127]]))  # to be rounded up, and down
        down[-1] = -(-math.prod(up) // math.prod(down[:-1]))  # Q >= P, barely
        high, low = (math.prod(np.float64(v) / unit for v in row) for row in (up, down))
        worst.append((high / low - 1, up, down))
    powerful = 0
    for _, up, down in sorted(worst)[-25:]:
        rows = np.zeros((width + 1, width), object)
        for i in range(width):
            rows[i, i], rows[i, (i + 1) % width] = up[i], down[i]
        rows[width - 1, 0] *= (-1) ** width  # det = P - Q, whatever the width
        rows[width] = rows[width - 1] * np.array([1, *[2] * (width - 1)])  # a clear one: 2 P - Q
        floats, _ = scaled(rows)
        subset = np.arange(width - 1)
        _, sides = hyperplanes(rows, floats, subset[None])
        near, clear = (determinant([[Fraction(v) for v in rows[i]] for i in (*subset, j)]) for j in (width - 1, width))
        assert near <= 0 < clear
        assert sides[0, width] != 0
        assert sides[0, width - 1] == (near < 0) * -sides[0, width]
        value = _minors(floats[subset][None], -1)[0] @ floats[width - 1] * sides[0, width]
        size = _minors(np.abs(floats[subset][None]), 1)[0] @ np.abs(floats[width - 1])
        powerful += near < 0 and value > size * 4 * width * (width + 2) * 2.0**-53 / 32
    assert powerful > 3


@pytest.mark.parametrize("seed", range(40))
def test_a_rank_modulo_a_prime_is_not_above_the_rank(seed: int) -> None:
    """Of integers that are drawn it is the rank, whatever rows and columns depend on others."""
    rng = np.random.default_rng(seed)
    n, d, r = rng.integers(1, 9, 3)
    whole = (rng.integers(-4, 5, (n, r)) @ rng.integers(-4, 5, (r, d))).astype(object) * 10**30
    whole[:, rng.integers(d)] *= int(rng.integers(0, 3))
    assert rank_at_least(whole) == len(independent_columns(whole))
    assert rank_at_least(whole * (2**31 - 1)) == 0, "all entries are multiples of the prime"
