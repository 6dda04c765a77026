"""Regions of A_LearnHalf: families, exact signs, and every way of counting against enumeration in rational numbers."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.audit.properties.test_draws import check
from semipriv.classes.base import Hypothesis
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.samples import Sample
from semipriv.geometry.grid import Grid, bits
from semipriv.geometry.hulls import AffineHull, spanned
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions import lanes
from semipriv.papers.bmn20.regions.cover import RegionTally
from semipriv.papers.bmn20.regions.family import construct
from semipriv.papers.bmn20.regions.pencils import Pencils
from semipriv.papers.bmn20.regions.rays import Rays
from semipriv.papers.bmn20.regions.region_complements import RegionComplements
from semipriv.papers.bmn20.regions.triples import Triples
from semipriv.papers.bmn20.regions.tuples import Tuples


# ------------------------------------------------------------------------------------------------------- oracle
def rank(rows: list[list[int]]) -> int:
    """Rank of a matrix of integers by elimination in rational numbers."""
    matrix, pivots_so_far = [[Fraction(v) for v in row] for row in rows], 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((r for r in range(pivots_so_far, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[pivots_so_far], matrix[pivot] = matrix[pivot], matrix[pivots_so_far]
        for r in range(pivots_so_far + 1, len(matrix)):
            factor = matrix[r][column] / matrix[pivots_so_far][column]
            matrix[r] = [a - factor * b for a, b in zip(matrix[r], matrix[pivots_so_far], strict=True)]
        pivots_so_far += 1
    return pivots_so_far


def homogeneous(points) -> list[list[int]]:
    return [[*map(int, p), 1] for p in points]


def side(boundary: list, reference: list, x) -> int:
    """Side of x with respect to the hyperplane through ``boundary`` inside the hull: sign relative to the reference.

    boundary and reference: k affinely independent points of the hull, and one more that completes them to a basis.
    x = sum_i c_i basis_i with sum c_i = 1; the side is the sign of the reference's coefficient.
    """
    basis = [*boundary, reference]
    rows = [[Fraction(int(p[j])) for p in basis] + [Fraction(int(x[j]))] for j in range(len(x))]
    rows.append([Fraction(1)] * len(basis) + [Fraction(1)])
    solution = solve(rows, len(basis))
    return (solution[-1] > 0) - (solution[-1] < 0)


def solve(rows: list[list[Fraction]], unknowns: int) -> list[Fraction]:
    """Solution of a consistent system with independent columns."""
    rows = [list(row) for row in rows]
    for column in range(unknowns):
        pivot = next(r for r in range(column, len(rows)) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [v / rows[column][column] for v in rows[column]]
        for r in range(len(rows)):
            if r != column:
                rows[r] = [a - rows[r][column] * b for a, b in zip(rows[r], rows[column], strict=True)]
    assert all(not row[-1] for row in rows[unknowns:])
    return [rows[i][-1] for i in range(unknowns)]


def listed_family(points: np.ndarray, mode: str, inside_hull) -> tuple[list[frozenset], int]:
    """The indexed list of A_ConstrHalf as sets of the places they hold, and J; by the words of the paper.

    points: distinct public points in order; inside_hull: places of the hull to tell apart.
    """
    d = points.shape[1]
    u = points.tolist()
    k = rank(homogeneous(u)) - 1
    most = d if mode == "full" else max(k, 1)
    everything = frozenset(range(len(inside_hull)))
    halfspaces: list[frozenset] = []
    sizes = range(d + 1) if mode == "full" else [k]
    for size in sizes:
        for subset in itertools.combinations(u, size):
            if mode == "facet" and k > 0 and rank(homogeneous(subset)) < k:
                continue
            boundary: list = []
            for p in [*subset, *u]:
                if len(boundary) <= k and rank(homogeneous([*boundary, p])) > len(boundary):
                    boundary.append(p)
            spans = k == 0 or (bool(subset) and rank(homogeneous(subset)) == k + 1)
            if mode == "facet" and k == 0:
                return [everything], most
            if spans:
                halfspaces += [everything, everything]
                continue
            boundary, reference = boundary[:k], boundary[k]
            sides = [side(boundary, reference, x) for x in inside_hull]
            halfspaces.append(frozenset(i for i, s in enumerate(sides) if s >= 0))
            halfspaces.append(frozenset(i for i, s in enumerate(sides) if s <= 0))
    return halfspaces, most


def enumerated(public: np.ndarray, public_labels, private: np.ndarray, private_labels, mode: str) -> Counter:
    """Mistakes: number of hypotheses, one index set after the other."""
    x = np.concatenate([public, private]).astype(int)
    y = np.concatenate([public_labels, private_labels]).astype(int)
    zeros = int((y == 0).sum())
    result = Counter({zeros: 1})
    distinct = np.unique(public, axis=0).astype(int) if len(public) else public
    if not len(distinct):
        return result
    width = rank(homogeneous(distinct))
    inside = [i for i in range(len(x)) if rank(homogeneous([*distinct, x[i]])) == width]
    halfspaces, most = listed_family(distinct, mode, [x[i] for i in inside])
    for j in range(1, most + 1):
        for chosen in itertools.combinations(halfspaces, j):
            region = frozenset.intersection(*chosen)
            result[zeros + sum(1 if y[inside[i]] else -1 for i in region)] += 1
    return result


def cover_of(public, labels, mode="facet", **parameters):
    public = np.asarray(public, float)
    return LearnHalf(1.0, mode=mode, privacy="any", **parameters).prepare(
        public, Halfspaces(public.shape[1]), np.asarray(labels, int)
    )


def as_counter(tally: RegionTally) -> Counter:
    return Counter(dict(zip(*(a.tolist() for a in tally.histogram()), strict=True)))


# ------------------------------------------------------------------------------------------------------- data sets
def draw_points(generator: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray:
    if kind == "general":
        return generator.integers(-50, 51, (n, d))
    if kind == "grid":
        return generator.integers(-1, 2, (n, d))
    if kind == "point":
        return np.tile(generator.integers(-2, 3, d), (n, 1))
    rank_ = 1 if kind == "line" else 2
    directions = generator.integers(-2, 3, (rank_, d))
    return generator.integers(-3, 4, (n, rank_)) @ directions + generator.integers(-2, 3, d)


KINDS = ["general", "grid", "line", "plane", "point"]


@pytest.mark.parametrize("mode", ["facet", "full"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_histogram_is_that_of_the_enumeration(d: int, kind: str, mode: str) -> None:
    generator = np.random.default_rng([d, KINDS.index(kind), mode == "full"])
    for _ in range(4 if d == 3 and mode == "full" else 12):
        m = int(generator.integers(0, {1: 8, 2: 6, 3: 5}[d] if mode == "facet" else {1: 7, 2: 5, 3: 4}[d]))
        n = int(generator.integers(0, 7))
        public = draw_points(generator, kind, m, d)
        private = draw_points(generator, kind if generator.random() < 0.5 else "grid", n, d)
        if m and n:
            private[0] = public[0]
        labels, own = generator.integers(0, 2, m), generator.integers(0, 2, n)
        cover = cover_of(public.reshape(m, d), labels, mode)
        tally = cover.tally(private.reshape(n, d), own)
        expected = enumerated(public.reshape(m, d), labels, private.reshape(n, d), own, mode)
        assert as_counter(tally) == expected
        assert cover.size == sum(expected.values())


@pytest.mark.parametrize(
    ("d", "mode", "method"), [(1, "facet", Rays), (2, "facet", Pencils), (2, "full", Pencils), (3, "facet", Triples)]
)
def test_quick_ways_are_the_slow_one(d: int, mode: str, method: type) -> None:
    generator = np.random.default_rng(d)
    for trial in range(12):
        kind = ["general", "grid"][trial % 2]
        public = draw_points(generator, kind, 7 if d < 3 else 6, d)
        if len(np.unique(public, axis=0)) <= d or rank(homogeneous(public)) <= d:
            continue
        private = np.concatenate([draw_points(generator, kind, 70, d), draw_points(generator, "general", 30, d)])
        tally = cover_of(public, generator.integers(0, 2, len(public)), mode).tally(
            private, generator.integers(0, 2, len(private))
        )
        quick = tally.intersections
        assert isinstance(quick, method)
        slow = Tuples(quick.family, quick.sample)
        np.testing.assert_array_equal(quick.counts, slow.counts)
        inside, weights = quick.inside(), quick.sample.weights
        mistakes = int(generator.choice(np.flatnonzero(quick.counts)))
        ranks = range(min(60, int(quick.counts[mistakes])))
        for way in (quick, slow):
            for r in ranks:
                chosen = list(way.find(mistakes, r))
                assert quick.sample.base + weights[inside[chosen].all(axis=0)].sum() == mistakes
        if quick.counts[mistakes] <= 60:
            assert Counter(tuple(sorted(quick.find(mistakes, r))) for r in ranks) == Counter(
                slow.find(mistakes, r) for r in ranks
            )


@pytest.mark.parametrize(("m", "kind"), [(25, "general"), (40, "lattice"), (140, "fan")])
def test_many_lines_by_a_product_of_matrices(m: int, kind: str) -> None:
    """More lines about a point than a byte counts, and lines that are listed often: pairs of halfspaces at once."""
    generator = np.random.default_rng(m)
    reach = 3 if kind == "lattice" else 500
    public, private = (generator.integers(-reach, reach + 1, (size, 2)) for size in (m, 150))
    if kind == "fan":  # all on one line but the first
        public = np.column_stack([np.where(np.arange(m) > 0, 7, -501), np.arange(m) * 3 - m])
    cover = cover_of(public, generator.integers(0, 2, m))
    quick = cover.tally(np.concatenate([private, public[:20]]), generator.integers(0, 2, 170)).intersections
    assert isinstance(quick, Pencils)
    assert kind != "fan" or max(quick._data.sizes) > 128
    assert kind != "lattice" or max(quick.family.multiplicity) > 5
    inside, weights, times = quick.inside().astype(np.float32), quick.sample.weights, quick.multiplicities()
    expected = np.zeros(quick.sample.total + 1, np.int64)
    for start in range(0, len(inside), 500):
        block = slice(start, start + 500)
        mistakes = quick.sample.base + np.rint((inside[block] * weights) @ inside.T).astype(np.int64)
        number = times[block, None] * times * (np.arange(len(times)) > np.arange(len(times))[block, None])
        own = np.arange(start, min(start + 500, len(times)))
        number[own - start, own] = times[own] + times[own] * (times[own] - 1) // 2
        expected += np.bincount(mistakes.ravel(), number.ravel(), len(expected)).astype(np.int64)
    np.testing.assert_array_equal(quick.counts, expected)
    assert quick.counts.sum() + 1 == cover.size
    for mistakes in np.flatnonzero(expected)[[0, 1, -2, -1]].tolist():
        last = int(expected[mistakes]) - 1
        for rank_ in {0, last // 2, last}:
            chosen = list(quick.find(mistakes, rank_))
            assert quick.sample.base + weights[(inside[chosen] > 0).all(axis=0)].sum() == mistakes


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_planar_counts_hold_for_any_small_sample(data: st.DataObject) -> None:
    point = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
    public = data.draw(st.lists(point, min_size=1, max_size=5))
    private = data.draw(st.lists(point, max_size=5))
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(public), max_size=len(public)))
    own = data.draw(st.lists(st.integers(0, 1), min_size=len(private), max_size=len(private)))
    x, z = np.array(public).reshape(-1, 2), np.array(private).reshape(-1, 2)
    assert as_counter(cover_of(x, labels).tally(z, own)) == enumerated(x, labels, z, own, "facet")


@pytest.mark.usefixtures("all_threads")
@pytest.mark.parametrize("d", [2, 3])
def test_counts_do_not_depend_on_threads(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(d)
    public, private = generator.integers(-9, 10, (8, d)), generator.integers(-9, 10, (60, d))
    all_counts = []
    for small in (0, 2**60):
        monkeypatch.setattr(lanes, "_SMALL", small)
        intersections = cover_of(public, np.zeros(8)).tally(private, np.ones(60)).intersections
        assert isinstance(intersections, (Pencils, Triples))
        all_counts.append(intersections._counts)
    np.testing.assert_array_equal(*all_counts)


def test_members_are_uniform_among_those_with_their_mistakes() -> None:
    """Every hypothesis of a member has its mistakes; each index set is as likely as any other."""
    public = np.array([[0, 0], [4, 0], [0, 4], [4, 4], [2, 2]])
    private = np.array([[2, 0], [5, 5]])
    cover = cover_of(public, np.zeros(5))
    tally = cover.tally(private, np.ones(2))
    x, y = np.concatenate([public, private]).astype(float), np.array([0] * 5 + [1] * 2)
    for randomness in (Secure(), Simulation(1)):
        for mistakes, _ in zip(*tally.histogram(), strict=True):
            h = tally.member(int(mistakes), randomness)
            assert isinstance(h, Hypothesis)
            assert np.count_nonzero(h.predict(x) != y) == mistakes
    with pytest.raises(ValueError, match=r"mistakes = 0: no hypothesis"):
        tally.member(0, Secure())


def test_listing_has_the_histogram_and_the_parameters_of_members() -> None:
    for d, mode in [(1, "facet"), (2, "facet"), (2, "full"), (3, "facet"), (3, "full")]:
        generator = np.random.default_rng(d)
        public, private = generator.integers(-2, 3, (d + 1, d)), generator.integers(-2, 3, (5, d))
        cover = cover_of(public, np.zeros(d + 1), mode)
        listed = cover.listed()
        assert len(listed) == cover.size
        x = np.concatenate([public, private]).astype(float)
        y = np.array([0] * (d + 1) + [1] * 5)
        mistakes = np.count_nonzero(cover.functions.predict(listed.parameters, x) != y, axis=1)
        tally = cover.tally(private, np.ones(5))
        assert Counter(mistakes.tolist()) == as_counter(tally)
        rows = {row.tobytes() for row in listed.parameters}
        for value in tally.histogram()[0]:
            assert tally.member(int(value), Simulation(0)).parameters.tobytes() in rows


# ------------------------------------------------------------------------------------------------------- sizes
@pytest.mark.parametrize(
    ("d", "m", "mode", "count", "size"),
    [
        (1, 1000, "facet", 2000, 2001),
        (1, 1000, "full", 2002, 2003),
        (2, 60, "facet", 3540, 6_267_571),
        (2, 60, "full", 3662, 6_706_954),
        (2, 100, "facet", 9900, 49_009_951),
        (2, 100, "full", 10102, 51_030_254),
        (3, 10, "facet", 240, 2_304_201),
        (3, 10, "full", 352, 7_269_329),
        (3, 15, "facet", 910, None),
        (3, 15, "full", 1152, None),
    ],
)
def test_sizes_in_general_position(d: int, m: int, mode: str, count: int, size: int | None) -> None:
    generator = np.random.default_rng(m)
    points = np.column_stack([generator.choice(2 ** bits(d), m, replace=False) for _ in range(d)])
    family = construct(points, mode)
    assert family.count == count
    if size is not None:
        assert family.size == size


# ------------------------------------------------------------------------------------------------------- the gap
GAP_PUBLIC, GAP_PRIVATE = np.array([[0, 0], [1, 0], [2, 0]]), np.array([[3, 0], [4, 0], [5, 0]])


def test_boundaries_that_contain_the_hull_leave_no_good_hypothesis() -> None:
    """The paper's arbitrary halfspaces may all be cut along the line that holds the public points."""
    family = construct(GAP_PUBLIC, "full", arbitrary="containing")
    assert (len(family.hyperplanes), family.count) == (0, 14)
    cover = cover_of(GAP_PUBLIC, np.zeros(3), "full")
    literal = type(cover)(cover.functions, cover.points, cover.examples, family)
    best = {
        name: int(c.tally(GAP_PRIVATE, np.ones(3)).histogram()[0][0])
        for name, c in {"literal": literal, "full": cover, "facet": cover_of(GAP_PUBLIC, np.zeros(3))}.items()
    }
    assert best == {"literal": 3, "full": 0, "facet": 0}
    x, y = np.concatenate([GAP_PUBLIC, GAP_PRIVATE]), np.array([0] * 3 + [1] * 3)
    assert Halfspaces(2).minimise(x, y).value == 0


# ------------------------------------------------------------------------------------------------------- geometry
@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_affine_hull(d: int, kind: str) -> None:
    generator = np.random.default_rng([d, KINDS.index(kind)])
    for _ in range(10):
        points = draw_points(generator, kind, int(generator.integers(1, 6)), d) + 100
        hull = AffineHull.of(np.unique(points, axis=0))
        assert hull.dimension == rank(homogeneous(points)) - 1
        assert len({tuple(p) for p in hull.project(points)}) == len({tuple(p) for p in points.tolist()})
        others = np.concatenate(
            [points, generator.integers(97, 104, (20, d)), draw_points(generator, kind, 20, d) + 100]
        )
        expected = [rank(homogeneous([*points, x])) == hull.dimension + 1 for x in others]
        assert hull.contains(others).tolist() == expected
        planes = np.ones((1, hull.dimension + 1), np.int64)
        lifted = hull.lift(planes)
        np.testing.assert_array_equal(others @ lifted[0, :-1] + lifted[0, -1], hull.project(others).sum(axis=1) + 1)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_determinants_stay_exact_at_the_corners_of_the_grid(d: int) -> None:
    """Hyperplanes through corners have the largest entries: integers of Python decide."""
    top = 2 ** bits(d)
    corners = np.array(list(itertools.product([0, 1, top - 1, top], repeat=d)))
    generator = np.random.default_rng(d)
    subsets = np.array([generator.choice(len(corners), d, replace=False) for _ in range(300)])
    rows = spanned(corners, subsets)
    for row, subset in zip(rows.tolist(), subsets, strict=True):
        independent = rank(homogeneous(corners[subset])) == d
        assert any(row[:-1]) == independent
        exact = [sum(w * x for w, x in zip(row, p, strict=True)) for p in homogeneous(corners)]
        assert all(exact[i] == 0 for i in subset)
        assert math.gcd(*row) in (0, 1)
        floats = corners.astype(float) @ np.array(row[:-1], float) + row[-1]
        assert np.sign(floats).tolist() == [(v > 0) - (v < 0) for v in exact]


def check_borders(grid: Grid, numbers: np.ndarray) -> None:
    """The first float of a number and the last one of another are placed there, and their neighbours beside it."""
    d, first, last = grid.dimension, grid.first(0, numbers), grid.last(0, numbers)
    for number, least, greatest in zip(numbers, first, last, strict=True):
        for x, beside, other in [(least, -np.inf, number - 1), (greatest, np.inf, number + 1)]:
            if np.isfinite(x):
                assert grid.place(np.full((1, d), x))[0, 0] == number
                assert grid.place(np.full((1, d), np.nextafter(x, beside)))[0, 0] == other
    assert (first[0], last[-1]) == (-np.inf, np.inf)


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0**-1050), (1e16, 1e16 + 2**22), (-1e300, 1e300), (-1e-300, 3.0)])
def test_borders_of_extreme_grids(low: float, high: float) -> None:
    """With few floats a number, at the least floats, and with nearly all of them."""
    grid = Grid((low,), (high,))
    check_borders(grid, np.array([0, 1, 2, 3, grid.steps // 2, grid.steps - 1, grid.steps]))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_grid(d: int) -> None:
    grid = Grid((-1.0,) * d, (3.0,) * d)
    generator = np.random.default_rng(d)
    points = generator.uniform(-3, 5, (200, d))
    places = grid.place(points)
    assert places.min() >= 0
    assert places.max() <= grid.steps
    np.testing.assert_array_equal(grid.place(points[7:8])[0], places[7])
    inside = np.clip(points, -1, 3)
    assert np.abs(grid.points(places) - inside).max() <= 0.5001 * 4 / grid.steps
    np.testing.assert_array_equal(grid.place(grid.points(places)), places)
    numbers = np.array([0, 1, 2, grid.steps // 4, grid.steps // 2, grid.steps - 1, grid.steps])
    check_borders(grid, numbers)
    assert (grid.first(0, np.array([grid.steps + 1]))[0], grid.last(0, np.array([-1]))[0]) == (np.inf, -np.inf)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_places_are_those_of_the_nearest_values_and_ties_are_even(d: int) -> None:
    """By fractions: half-way between two values of the grid, and the floats on either side."""
    numbers = np.concatenate([np.arange(6), 2 ** (bits(d) - 1) + np.arange(-3, 3), 2 ** bits(d) - 1 - np.arange(6)])
    for low, step in ((0.0, 1.0), (-3.0, 2.0**-7)):
        grid = Grid((low,) * d, (low + step * 2 ** bits(d),) * d)
        halves = low + step * (numbers + 0.5)
        for x in (halves, np.nextafter(halves, -np.inf), np.nextafter(halves, np.inf)):
            expected = [round((Fraction(value) - Fraction(low)) / Fraction(step)) for value in x.tolist()]
            if low:  # the share of a neighbour of a tie is not exact
                expected = np.where(x == halves, expected, grid.place(np.tile(x[:, None], d))[:, 0]).tolist()
            assert grid.place(np.tile(x[:, None], d)).tolist() == [[place] * d for place in expected]
        even = numbers % 2 == 0
        assert (grid.last(0, numbers)[even] >= halves[even]).all(), "ties go to the even one"
        assert (grid.first(0, numbers + 1)[~even] <= halves[~even]).all()


def test_unit_grid_keeps_integers_apart() -> None:
    x = np.array([[-5.0, 3.0], [0.0, 0.0], [-(2.0**19), 2.0**19], [2.0**30, -(2.0**30)]])
    places = Grid.unit(2).place(x) - 2**19
    assert places.tolist() == [[-5, 3], [0, 0], [-(2**19), 2**19], [2**19, -(2**19)]]


def test_regions_on_the_line_are_boxes_of_floats() -> None:
    """The closed form of population errors is taken over the floats that are placed in the region."""
    grid = Grid((-2.0,), (2.0,))
    cover = LearnHalf(1.0, grid=grid, mode="full").prepare([[-0.5], [0.25], [1.0]], Halfspaces(1), [0, 0, 0])
    listed = cover.listed()
    boxes = RegionComplements(grid).ones(listed.parameters).of
    assert boxes is not None
    ends = np.concatenate([boxes.low.ravel(), boxes.high.ravel()])
    ends = ends[np.isfinite(ends)]
    x = np.sort(np.concatenate([np.linspace(-3, 3, 50), ends, np.nextafter(ends, 9), np.nextafter(ends, -9)]))
    inside = (boxes.low <= x) & (x <= boxes.high)
    np.testing.assert_array_equal(cover.functions.predict(listed.parameters, x[:, None]), ~inside)
    assert RegionComplements(Grid.unit(2)).ones(np.zeros((1, 12))) is None


# ------------------------------------------------------------------------------------------------------- learner
def test_subset_spans_the_family_and_all_examples_are_counted() -> None:
    generator = np.random.default_rng(3)
    public = generator.integers(-50, 51, (40, 2))
    learner = LearnHalf(1.0, subset=6)
    cover = learner.prepare(public, Halfspaces(2), np.zeros(40))
    assert len(cover.points) == 6
    assert cover.size == 1 + 30 + math.comb(30, 2)
    assert cover.tally(np.zeros((0, 2)), []).histogram()[0].max() == 40
    other = LearnHalf(1.0, subset=6, subset_seed=1).prepare(public, Halfspaces(2), np.zeros(40))
    assert not np.array_equal(other.points, cover.points)
    again = LearnHalf(1.0, subset=6).prepare(public, Halfspaces(2), np.zeros(40))
    np.testing.assert_array_equal(again.points, cover.points)


def test_no_public_point_gives_the_constant_one() -> None:
    learner = LearnHalf(1.0)
    for d in (1, 2, 3):
        cover = learner.prepare(np.zeros((0, d)), Halfspaces(d), [])
        assert cover.size == 1
        release = learner.release(cover, np.ones((3, d)), [1, 1, 1], Secure())
        assert release.output.predict(np.random.default_rng(0).normal(size=(9, d))).all()


def test_weights_of_repeated_examples() -> None:
    """A place may hold many examples of both labels; it counts as many."""
    public = np.array([[0, 0]] * 3 + [[1, 0], [0, 1], [1, 1]])
    private = np.array([[0, 0]] * 2 + [[1, 1]] * 4 + [[5, 5]])
    labels, own = np.array([0, 1, 0, 0, 1, 0]), np.array([1, 0, 1, 1, 1, 0, 1])
    assert as_counter(cover_of(public, labels).tally(private, own)) == enumerated(public, labels, private, own, "facet")


def test_tally_is_a_sample_of_both_populations() -> None:
    cover = cover_of([[0, 0], [1, 0], [0, 1]], [0, 0, 1])
    assert isinstance(cover.examples, Sample)
    tally = cover.tally([[2, 2]], [1])
    assert (tally.base, tally.total) == (2, 4)


@pytest.mark.parametrize("kind", [Secure, Simulation])
@pytest.mark.parametrize("d", [1, 2])
def test_regions_are_drawn_by_their_exact_distribution(monkeypatch: pytest.MonkeyPatch, d: int, kind: type) -> None:
    rng = np.random.default_rng(d)
    public, x = rng.integers(-2, 3, (3, d)).astype(float), rng.integers(-3, 4, (9, d)).astype(float)
    cover = LearnHalf(1.0, privacy="any").prepare(public, Halfspaces(d), np.array([0, 1, 0]))
    y = rng.integers(0, 2, 9)
    listed, mistakes = cover.listed_mistakes(x, y)
    check(monkeypatch, cover.tally(x, y), list(map(tuple, listed.parameters.tolist())), mistakes, kind)
