"""Laws of every hypothesis class: covers are exact, ERM is exact, dimensions are what brute force says.

A class file without an entry in ``CASES`` fails; everything else here runs for each entry by itself.  The oracles know
the definition of the class only: they list dichotomies without the package's covers, predictions or geometry.
"""

import dataclasses
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv import registry
from semipriv.classes.base import REPRESENTATIVES, HypothesisClass, sauer
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds

COMPARE = {"ge": operator.ge, "gt": operator.gt, "le": operator.le, "lt": operator.lt}
INFINITY = float("inf")


# ---------------------------------------------------------------------------------------------------- definitions
def threshold_says(h: Thresholds, parameters: list[float], x: list[float]) -> bool:
    return COMPARE[h.orientation](x[0], parameters[0])


def stump_says(h: DecisionStumps, parameters: list[float], x: list[float]) -> bool:
    feature, cut, sign = parameters
    above = x[int(feature)] >= cut
    return above if sign > 0 else not above


def halfspace_says(h: Halfspaces, parameters: list[float], x: list[float]) -> bool:
    *w, b = map(Fraction, parameters)
    return sum((wj * Fraction(xj) for wj, xj in zip(w, x, strict=True)), b) >= 0


def finite_says(h: FiniteClass, parameters: list[float], x: list[float]) -> bool:
    return h.table[int(parameters[0])][int(x[0])] == 1


# ---------------------------------------------------------------------------------------------------- dichotomies
def threshold_dichotomies(h: Thresholds, x: list[list[float]]) -> set[tuple[bool, ...]]:
    cuts = [-INFINITY, INFINITY, *(p[0] for p in x)]
    return {tuple(COMPARE[h.orientation](p[0], t) for p in x) for t in cuts}


def stump_dichotomies(h: DecisionStumps, x: list[list[float]]) -> set[tuple[bool, ...]]:
    found = set()
    for j in range(h.dimension):
        for t in [-INFINITY, INFINITY, *(p[j] for p in x)]:
            above = tuple(p[j] >= t for p in x)
            found.add(above)
            if h.signs == "both":
                found.add(tuple(not v for v in above))
    return found


def turn(a: list[Fraction], b: list[Fraction], c: list[Fraction]) -> int:
    value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (value > 0) - (value < 0)


def on_segment(p: list[Fraction], a: list[Fraction], b: list[Fraction]) -> bool:
    inside = all(min(a[j], b[j]) <= p[j] <= max(a[j], b[j]) for j in (0, 1))
    return turn(a, b, p) == 0 and inside


def halfspace_dichotomies(h: Halfspaces, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Two finite sets are separable iff all their subsets of at most d + 2 points are (Kirchberger 1903), in rationals.

    Of d + 2 <= 4 points the convex hulls meet iff a point lies on a segment, a point in a triangle, or segments cross.
    """
    points = [[Fraction(v) for v in p] + [Fraction(0)] * (2 - h.dimension) for p in x]
    m = range(len(points))
    meeting: list[tuple[int, int]] = []
    for p, (a, b) in itertools.product(m, itertools.combinations(m, 2)):
        if p not in (a, b) and on_segment(points[p], points[a], points[b]):
            meeting.append((1 << p, 1 << a | 1 << b))
    for p, (a, b, c) in itertools.product(m, itertools.combinations(m, 3)):
        if p not in (a, b, c):
            sides = [turn(points[i], points[j], points[p]) for i, j in ((a, b), (b, c), (c, a))]
            if abs(sum(sides)) == 3:
                meeting.append((1 << p, 1 << a | 1 << b | 1 << c))
    for (a, b), (c, d) in itertools.combinations(itertools.combinations(m, 2), 2):
        if len({a, b, c, d}) == 4:
            q = [points[i] for i in (a, b, c, d)]
            if turn(q[0], q[1], q[2]) * turn(q[0], q[1], q[3]) < 0 > turn(q[2], q[3], q[0]) * turn(q[2], q[3], q[1]):
                meeting.append((1 << a | 1 << b, 1 << c | 1 << d))
    everything = (1 << len(points)) - 1

    def separable(one: int) -> bool:
        zero = everything ^ one
        return not any((p & one == p and q & zero == q) or (p & zero == p and q & one == q) for p, q in meeting)

    return {tuple(bool(one >> i & 1) for i in m) for one in range(everything + 1) if separable(one)}


def finite_dichotomies(h: FiniteClass, x: list[list[float]]) -> set[tuple[bool, ...]]:
    return {tuple(row[int(p[0])] == 1 for p in x) for row in h.table}


# ---------------------------------------------------------------------------------------------------- examples
@dataclass(frozen=True)
class Case:
    """Instances of one class file with their oracles: dichotomies of distinct points, and one prediction."""

    examples: tuple[HypothesisClass, ...]
    dichotomies: Callable[..., set[tuple[bool, ...]]]
    says: Callable[..., bool]
    parameters: Callable[[HypothesisClass, np.random.Generator, int], np.ndarray]


def threshold_table(n: int) -> list[list[int]]:
    """All n + 1 thresholds of the points 0, ..., n - 1."""
    return [[int(x >= t) for x in range(n)] for t in range(n + 1)]


def random_table(seed: int, rows: int, columns: int) -> list[list[int]]:
    return np.random.default_rng(seed).integers(0, 2, (rows, columns)).tolist()


CUBE = [list(row) for row in itertools.product((0, 1), repeat=3)]
SINGLETONS = [[int(i == j) for j in range(6)] for i in range(6)]

CASES: dict[str, Case] = {
    "thresholds": Case(
        tuple(Thresholds(orientation) for orientation in COMPARE),
        threshold_dichotomies,
        threshold_says,
        lambda h, rng, k: np.append(rng.integers(-3, 4, k - 2), [-np.inf, np.inf])[:, None].astype(float),
    ),
    "decision_stumps": Case(
        tuple(DecisionStumps(p, signs) for p in (1, 2, 3) for signs in ("both", "positive")),
        stump_dichotomies,
        stump_says,
        lambda h, rng, k: np.column_stack(
            [
                rng.integers(0, h.dimension, k),
                rng.integers(-3, 4, k),
                rng.choice([-1, 1] if h.signs == "both" else [1], k),
            ]
        ).astype(float),
    ),
    "halfspaces": Case(
        (Halfspaces(1), Halfspaces(2)),
        halfspace_dichotomies,
        halfspace_says,
        lambda h, rng, k: rng.integers(-3, 4, (k, h.dimension + 1)).astype(float),
    ),
    "finite_class": Case(
        (
            FiniteClass(CUBE),
            FiniteClass(threshold_table(7)),
            FiniteClass(SINGLETONS),
            FiniteClass(random_table(1, 12, 6)),
            FiniteClass(random_table(2, 40, 7)),
            FiniteClass([[0, 1], [0, 1], [1, 1]]),
            FiniteClass([[0, 1, 0]]),
        ),
        finite_dichotomies,
        finite_says,
        lambda h, rng, k: rng.integers(0, len(h.table), (k, 1)).astype(float),
    ),
}
EXAMPLES = [(case, h) for case in CASES.values() for h in case.examples]


def label(value: object) -> str | None:
    if isinstance(value, FiniteClass):
        return f"finite_class-{len(value.table)}x{len(value.table[0])}"
    if isinstance(value, HypothesisClass):
        return repr(value)
    return None


every_example = pytest.mark.parametrize(("case", "h"), EXAMPLES, ids=lambda v: label(v) or "")


def point_sets(h: HypothesisClass) -> list[np.ndarray]:
    """Continuous, tied, duplicated, collinear, single and no points of the class's domain; at most 7 distinct."""
    rng = np.random.default_rng(20)
    if isinstance(h, FiniteClass):
        domain = len(h.table[0])
        sets = [range(domain), [domain - 1, 0, 0], rng.integers(0, domain, 3), [0], []]
        return [np.array(s, float).reshape(-1, 1) for s in sets]
    d = h.dimension
    sets = [rng.normal(size=(7, d)), rng.normal(size=(5, d)) * 1e150, rng.normal(size=(5, d)) * 1e-150]
    sets += [1e6 + rng.random((6, d)), rng.integers(0, 3, (7, d)).astype(float), rng.integers(-1, 2, (9, d)) * 0.5]
    sets += [np.full((3, d), 0.1), np.zeros((1, d)), np.empty((0, d)), np.full((2, d), -0.0)]
    if d >= 2:
        line = np.array([0.0, 1, 1, 2, 3, 5, 8])[:, None]
        direction = np.arange(1.0, d + 1)
        sets += [line * direction, line * np.eye(d)[0], line * np.eye(d)[-1], line[:5] * direction + 0.5]
        sets += [np.concatenate([line[:5] * direction, rng.integers(0, 4, (2, d))])]
        sets += [np.concatenate([np.eye(d), -np.eye(d), np.zeros((1, d))])]
    return [s[np.unique(s, axis=0, return_index=True)[1][:7]] if len(s) > 7 else s for s in sets]


def domain_points(h: HypothesisClass, rng: np.random.Generator, n: int) -> np.ndarray:
    """Points with many ties; those of a finite class in its domain."""
    if isinstance(h, FiniteClass):
        return rng.integers(0, len(h.table[0]), (n, 1)).astype(float)
    return rng.integers(-2, 3, (n, h.dimension)).astype(float)


def rows(points: np.ndarray) -> list[list[float]]:
    """Distinct points in lexicographic order, by plain Python."""
    return [list(p) for p in sorted({tuple(map(float, p)) for p in points})]


def wrong(case: Case, h: HypothesisClass, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[int]:
    """Indices of the examples that the hypothesis gets wrong, by its predictions one by one."""
    return [i for i in range(len(x)) if bool(h.predict(parameters[None], x[i : i + 1])[0, 0]) != (y[i] == 1)]


# ---------------------------------------------------------------------------------------------------- laws
def test_every_class_file_has_examples():
    assert sorted(CASES) == registry.names("classes")
    for name, case in CASES.items():
        assert case.examples
        assert all(type(h) is registry.load("classes", name) for h in case.examples)


@every_example
def test_predictions_are_the_definition(case, h):
    rng = np.random.default_rng(1)
    parameters, x = case.parameters(h, rng, 30), domain_points(h, rng, 25)
    expected = [[case.says(h, list(theta), list(p)) for p in x] for theta in parameters]
    predictions = h.predict(parameters, x)
    assert predictions.dtype == np.bool_
    np.testing.assert_array_equal(predictions, expected)


@every_example
@pytest.mark.parametrize("representative", REPRESENTATIVES)
def test_cover_has_each_dichotomy_once_and_realises_it(case, h, representative):
    for points in point_sets(h):
        cover = h.cover(points, representative)
        expected = rows(points)
        assert cover.points.tolist() == expected
        realised = [tuple(row) for row in cover.dichotomies().tolist()]
        assert len(realised) == len(cover) == len(set(realised)), points
        assert set(realised) == case.dichotomies(h, expected), points


@every_example
def test_cover_does_not_depend_on_order_or_repetition(case, h):
    rng = np.random.default_rng(2)
    for points in point_sets(h):
        cover = h.cover(points)
        repeated = np.concatenate([points, points[rng.integers(0, len(points), 4)]]) if len(points) else points
        again = h.cover(rng.permutation(repeated))
        assert again.points.tobytes() == cover.points.tobytes()
        assert again.parameters.tobytes() == cover.parameters.tobytes()


@every_example
def test_cover_size_is_at_most_growth_is_at_most_sauer(case, h):
    for points in point_sets(h):
        assert len(h.cover(points)) <= h.growth(len(rows(points)))
    for m in range(8):
        assert 1 <= h.growth(m) <= h.growth(m + 1)
        if not isinstance(h, FiniteClass) or m <= len(h.table[0]):
            assert h.growth(m) <= sauer(m, h.vc_dimension)


@pytest.mark.parametrize("h", [*CASES["thresholds"].examples, Halfspaces(1), Halfspaces(2)], ids=label)
def test_growth_is_attained_in_general_position(h):
    for m in range(13):
        points = np.random.default_rng(m).normal(size=(m, h.dimension))
        assert len(h.cover(points)) == h.growth(m)


@every_example
def test_vc_dimension_is_where_growth_leaves_the_powers_of_two(case, h):
    d = h.vc_dimension
    assert h.growth(d) == 2**d
    assert h.growth(d + 1) < 2 ** (d + 1)


@every_example
def test_assouad_bounds_between_the_dimensions(case, h):
    assert h.dual_vc_dimension < 2 ** (h.vc_dimension + 1)
    assert h.vc_dimension < 2 ** (h.dual_vc_dimension + 1)
    assert h.vc_dimension <= h.littlestone_dimension


@every_example
def test_vc_dimension_by_shattering(case, h):
    """Some set of VC points is shattered, none of many sets of VC + 1 points is (finite classes: of all)."""
    rng = np.random.default_rng(3)
    d = h.vc_dimension

    def sets(size):
        if isinstance(h, FiniteClass):
            yield from ([[float(v)] for v in s] for s in itertools.combinations(range(len(h.table[0])), size))
            return
        for _ in range(60):
            yield rows(rng.normal(size=(size, h.dimension)))
            yield rows(rng.permuted(np.tile(np.arange(float(size)), (h.dimension, 1)), axis=1).T)

    assert any(len(case.dichotomies(h, x)) == 2**d for x in sets(d))
    assert not any(len(case.dichotomies(h, x)) == 2 ** (d + 1) for x in sets(d + 1))


@every_example
def test_dual_vc_dimension_by_shattering(case, h):
    """Of 16 hypotheses (finite classes: all), some dual VC many meet all patterns on a grid, never one more."""
    if isinstance(h, FiniteClass):
        hypotheses, points = np.arange(len(h.table))[:, None], np.arange(len(h.table[0]))[:, None]
    else:
        hypotheses = case.parameters(h, np.random.default_rng(4), 16)
        points = np.array(list(itertools.product(np.arange(-3.75, 4, 0.5), repeat=h.dimension)))
    patterns = np.unique(h.predict(hypotheses, points), axis=1)
    d = h.dual_vc_dimension

    def shattered(size):
        place = 2 ** np.arange(size)
        return any(
            len(set((place @ patterns[list(s)]).tolist())) == 2**size
            for s in itertools.combinations(range(len(patterns)), size)
        )

    assert shattered(d)
    assert not shattered(d + 1)


@every_example
@pytest.mark.parametrize("representative", REPRESENTATIVES)
def test_mistakes_are_counted_by_predictions(case, h, representative):
    """Examples equal to public points, beside them, and none at all."""
    rng = np.random.default_rng(5)
    for public in (domain_points(h, rng, 6), domain_points(h, rng, 0)):
        cover = h.cover(public, representative)
        for n in (0, 1, 40):
            x, y = domain_points(h, rng, n), rng.integers(0, 2, n)
            mistakes = cover.mistakes(x, y)
            assert mistakes.dtype == np.int64
            assert mistakes.tolist() == [len(wrong(case, h, theta, x, y)) for theta in cover.parameters]


@every_example
def test_mistakes_of_many_examples(case, h):
    """More examples and hypotheses than any block of the work holds: the sum over the distinct examples, each once."""
    rng = np.random.default_rng(9)
    x, y = domain_points(h, rng, 10_001), rng.integers(0, 2, 10_001)
    parameters = case.parameters(h, rng, 70)
    kinds, count = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    wrong_kinds = h.predict(parameters, kinds[:, :-1]) != (kinds[:, -1] == 1)
    assert h.mistakes(parameters, x, y.astype(np.int8)).tolist() == (wrong_kinds @ count).tolist()


@every_example
def test_mistakes_of_the_public_points_by_their_dichotomies(case, h):
    """Every dichotomy, taken as labels, is met by exactly one hypothesis, and by its complement nowhere."""
    for points in point_sets(h):
        cover = h.cover(points)
        patterns = cover.dichotomies()
        distance = np.array([cover.mistakes(cover.points, pattern.astype(int)) for pattern in patterns])
        np.testing.assert_array_equal(distance, np.sum(patterns[:, None] != patterns[None], axis=2))
        assert np.all((distance == 0) == np.eye(len(cover), dtype=bool))


@every_example
def test_minimise_is_brute_force_over_the_dichotomies(case, h):
    """Signed real weights, unit weights, no example; the value is what the returned parameters attain."""
    rng = np.random.default_rng(6)
    for trial in range(25):
        n = int(rng.integers(0, 11))
        x, y = domain_points(h, rng, n), rng.integers(0, 2, n)
        distinct = rows(x)
        place = [distinct.index(list(p)) for p in x]
        weights = [None, rng.normal(size=n), rng.exponential(size=n), -np.ones(n)][trial % 4]
        w = np.ones(n) if weights is None else weights
        best = min(
            math.fsum(w[i] for i in range(n) if pattern[place[i]] != (y[i] == 1))
            for pattern in case.dichotomies(h, distinct)
        )
        minimum = h.minimise(x, y, weights)
        assert minimum.value == pytest.approx(best, abs=1e-12)
        attained = math.fsum(w[i] for i in wrong(case, h, minimum.parameters, x, y))
        assert minimum.value == pytest.approx(attained, abs=1e-12)


@every_example
def test_minimise_is_never_beaten_on_continuous_points(case, h):
    """More points than brute force allows: no hypothesis of the cover, and none drawn at random, does better."""
    rng = np.random.default_rng(7)
    n = 30
    x = domain_points(h, rng, n) if isinstance(h, FiniteClass) else rng.normal(size=(n, h.dimension))
    y, w = rng.integers(0, 2, n), rng.laplace(size=n)
    minimum = h.minimise(x, y, w)
    rivals = np.concatenate([h.cover(x).parameters, case.parameters(h, rng, 50)])
    values = (h.predict(rivals, x) != (y == 1)) @ w
    assert minimum.value <= values.min() + 1e-12
    assert minimum.value == pytest.approx(w[wrong(case, h, minimum.parameters, x, y)].sum(), abs=1e-12)


@every_example
def test_one_hypothesis_predicts_as_its_row(case, h):
    points = point_sets(h)[0]
    cover = h.cover(points)
    for i in (0, len(cover) - 1):
        np.testing.assert_array_equal(cover[i].predict(points), h.predict(cover.parameters, points)[i])


@every_example
def test_a_configuration_builds_the_class_again(case, h):
    name = next(name for name, known in CASES.items() if known is case)
    parameters = {field.name: getattr(h, field.name) for field in dataclasses.fields(h)}
    assert registry.build("classes", {"name": name, **parameters}) == h


@every_example
def test_bad_input_is_named(case, h):
    good = point_sets(h)[0]
    bad = good.copy()
    bad[1, h.dimension - 1] = np.nan
    with pytest.raises(ValueError, match=f"public points: row 1, feature {h.dimension - 1} = nan: must be finite"):
        h.cover(bad)
    with pytest.raises(ValueError, match="representative = 'middle': must be one of midpoint, lower, upper"):
        h.cover(good, "middle")
    with pytest.raises(ValueError, match=rf"must have {h.dimension} feature\(s\), got {h.dimension + 1}"):
        h.cover(np.zeros((2, h.dimension + 1)))
    labels = np.zeros(len(good), int)
    labels[1] = 2
    for call in (h.cover(good).mistakes, h.minimise):
        with pytest.raises(ValueError, match=r"labels: row 1 = .*: must be 0 or 1"):
            call(good, labels)
        with pytest.raises(ValueError, match=f"labels: must be {len(good)} labels, one for each point, got 1"):
            call(good, [1])
        with pytest.raises(ValueError, match=f"points: row 1, feature {h.dimension - 1} = nan: must be finite"):
            call(bad, np.zeros(len(good)))
    for weights in ([1.0], np.full(len(good), np.nan)):
        with pytest.raises(ValueError, match=f"weights: must be {len(good)} finite numbers"):
            h.minimise(good, np.zeros(len(good)), weights)


# ---------------------------------------------------------------------------------------------------- thresholds
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.sampled_from([0.0, -0.0, 1.0, 1e308, -1e308, np.finfo(float).max, -np.finfo(float).max, 5e-324]).flatmap(
    lambda v: st.sampled_from([v, math.nextafter(v, 0.5), math.nextafter(v, -0.5)])
)


@given(st.lists(FLOATS | NEAR, max_size=6), st.sampled_from(list(COMPARE)))
def test_threshold_representatives_are_the_ends_of_their_cells(values, orientation):
    """'lower' and 'upper' are the extreme floats with their dichotomy; 'midpoint' lies between, in the middle."""
    h = Thresholds(orientation)
    points = np.array(values)
    x = rows(points.reshape(-1, 1))
    low, mid, high = (h.cover(points, r).parameters[:, 0] for r in ("lower", "midpoint", "upper"))

    def pattern(t):
        return [COMPARE[orientation](p[0], t) for p in x]

    assert len(low) == len(mid) == len(high) == len(x) + 1
    patterns = [pattern(t) for t in mid]
    assert len({tuple(p) for p in patterns}) == len(x) + 1
    for k, (a, t, b) in enumerate(zip(low, mid, high, strict=True)):
        assert a <= t <= b
        assert pattern(a) == pattern(b) == patterns[k]
        assert a == -INFINITY or pattern(math.nextafter(a, -INFINITY)) != patterns[k]
        assert b == INFINITY or pattern(math.nextafter(b, INFINITY)) != patterns[k]
        if k in (0, len(x)):
            assert t in (-INFINITY, INFINITY)
        else:
            middle = (Fraction(x[k - 1][0]) + Fraction(x[k][0])) / 2
            assert abs(Fraction(float(t)) - middle) <= Fraction(math.ulp(x[k - 1][0]) + math.ulp(x[k][0]))


@given(st.lists(FLOATS | NEAR, max_size=6), st.sampled_from(REPRESENTATIVES))
def test_halfspaces_of_the_line_are_thresholds_both_ways(values, representative):
    cover = Halfspaces(1).cover(np.array(values), representative)
    x = rows(np.array(values).reshape(-1, 1))
    both = threshold_dichotomies(Thresholds("ge"), x) | threshold_dichotomies(Thresholds("le"), x)
    realised = [tuple(row) for row in cover.dichotomies().tolist()]
    assert len(realised) == len(both)
    assert set(realised) == both


def test_classes_of_rays_of_the_line_have_one_minimum():
    """Stumps with both signs and halfspaces of the line are thresholds of both directions, wherever the minimum is."""
    rng = np.random.default_rng(10)
    n = 1600
    for x in (rng.normal(size=n), rng.integers(0, 50, n) / 7):
        w, where = rng.exponential(size=n), np.argsort(np.argsort(x, kind="stable"))
        for share, first in itertools.product((0.1, 0.9), (0, 1)):
            y = np.where(where < share * n, first, 1 - first)
            best = min(Thresholds(orientation).minimise(x, y, w).value for orientation in ("ge", "lt"))
            assert DecisionStumps(1).minimise(x, y, w).value == pytest.approx(best, abs=1e-9)
            assert Halfspaces(1).minimise(x, y, w).value == pytest.approx(best, abs=1e-9)


# ---------------------------------------------------------------------------------------------------- stumps
def chain_masks(m: int, signs: str) -> np.ndarray:
    """For each order of m points, the sets that a feature in that order can cut off: a mask over the 2^m subsets."""
    masks = []
    for order in itertools.permutations(range(m)):
        top = [sum(1 << i for i in order[k:]) for k in range(m + 1)]
        if signs == "both":
            top += [(1 << m) - 1 - s for s in top]
        mask = 0
        for subset in top:
            mask |= 1 << subset
        masks.append(mask)
    return np.array(masks, dtype=np.uint64)


@pytest.mark.parametrize("signs", ["both", "positive"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_stump_growth_is_the_maximum_over_all_rank_orders(p, signs):
    """Exhaustive for m <= 6 points: only the order of the points in each feature matters, and ties only lose sets.

    The first feature may be taken as the identity.  A cover of points in a best order has exactly that many rows.
    """
    h = DecisionStumps(p, signs)
    for m in range(1, 7):
        masks = chain_masks(m, signs)
        unions = masks[:1]
        for _ in range(p - 1):
            unions = np.unique(unions[:, None] | masks)
        assert int(np.bitwise_count(unions).max()) == h.growth(m)
    if p <= 2:
        orders = itertools.product([tuple(range(4))], *[itertools.permutations(range(4))] * (p - 1))
        assert max(len(h.cover(np.array(ranks, float).T)) for ranks in orders) == h.growth(4)


# ---------------------------------------------------------------------------------------------------- halfspaces
@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 14), (3, 58), (4, 174), (5, 402), (6, 838)])
def test_planar_dichotomies_of_grids(n, count):
    """Twice the cuts of an n x n grid by a straight line: 1, 7, 29, 87, 201, 419 (Alekseyev 2010; OEIS A114043)."""
    cover = Halfspaces(2).cover(np.array(list(itertools.product(range(n), repeat=2)), float))
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
        realised = [tuple(row) for row in h.cover(points).dichotomies().tolist()]
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
        values = (h.predict(h.cover(points).parameters, points) != (y == 1)) @ w
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
        attained = ((h.predict(h.cover(points).parameters, points) != (y == 1)) @ w).min()
        assert h.minimise(points, y, w).value == pytest.approx(attained, abs=1e-12)
        passed_over += attained > best + 1e-9
    assert passed_over > 20


def test_rounding_that_breaks_a_separator_is_repaired():
    """A cluster far from the origin, with collinear triples: every representative still has its dichotomy."""
    base = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [3, 1], [1, 3]], float)
    for offset, scale in ((1e8, 1.0), (1e5, 2.0**-20), (0.0, 2.0**-1000), (0.0, 2.0**1000)):
        points = offset + base * scale
        cover = Halfspaces(2).cover(points)
        assert {tuple(r) for r in cover.dichotomies().tolist()} == halfspace_dichotomies(Halfspaces(2), rows(points))


# ---------------------------------------------------------------------------------------------------- finite classes
def littlestone_at_least(table: list[list[int]], depth: int) -> bool:
    """Whether a complete mistake tree of that depth is shattered, by the definition."""
    if depth == 0:
        return bool(table)
    for j in range(len(table[0]) if table else 0):
        ones, zeros = [r for r in table if r[j]], [r for r in table if not r[j]]
        if littlestone_at_least(ones, depth - 1) and littlestone_at_least(zeros, depth - 1):
            return True
    return False


@pytest.mark.parametrize("h", CASES["finite_class"].examples, ids=label)
def test_littlestone_dimension_by_mistake_trees(h):
    depth = int(h.littlestone_dimension)
    table = [list(row) for row in h.table]
    assert littlestone_at_least(table, depth)
    assert not littlestone_at_least(table, depth + 1)
    assert depth <= math.log2(len(table))


@pytest.mark.parametrize("n", range(2, 17))
def test_littlestone_dimension_of_thresholds_is_binary_search(n):
    """N + 1 thresholds on a line of N points: halving them costs floor(log2(N + 1)) mistakes."""
    h = FiniteClass(threshold_table(n))
    assert h.littlestone_dimension == math.floor(math.log2(n + 1))
    assert h.vc_dimension == h.dual_vc_dimension == 1


def test_known_finite_classes():
    cube, singletons = FiniteClass(CUBE), FiniteClass(SINGLETONS)
    assert (cube.vc_dimension, cube.littlestone_dimension, cube.dual_vc_dimension) == (3, 3, 1)
    assert (singletons.vc_dimension, singletons.littlestone_dimension, singletons.dual_vc_dimension) == (1, 1, 1)
    intervals = FiniteClass([[int(a <= x < b) for x in range(6)] for a in range(6) for b in range(a, 7)])
    assert intervals.vc_dimension == 2
    assert intervals.growth(6) == 6 * 7 // 2 + 1
    parities = FiniteClass([[bin(a & x).count("1") % 2 for x in range(8)] for a in range(8)])
    assert (parities.vc_dimension, parities.dual_vc_dimension, parities.littlestone_dimension) == (3, 3, 3)
    single = FiniteClass([[0, 1, 0]])
    assert (single.vc_dimension, single.littlestone_dimension, single.growth(2)) == (0, 0, 1)


@pytest.mark.parametrize("h", CASES["finite_class"].examples, ids=label)
def test_finite_growth_by_subsets(h):
    domain = len(h.table[0])
    for m in range(domain + 1):
        subsets = itertools.combinations(range(domain), m)
        assert h.growth(m) == max(len({tuple(row[j] for j in s) for row in h.table}) for s in subsets)


def test_finite_class_merges_equal_rows_and_keeps_the_first():
    h = FiniteClass([[1, 1], [0, 1], [1, 1], [0, 1]])
    assert h.table == ((1, 1), (0, 1))
    points = [[1.0]]
    assert h.cover(points, "lower").parameters.tolist() == [[0.0]]
    assert h.cover(points, "upper").parameters.tolist() == [[1.0]]


# ---------------------------------------------------------------------------------------------------- constructors
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Thresholds("up"), r"unknown orientation of thresholds 'up'.*\(allowed: ge, gt, le, lt\)"),
        (lambda: DecisionStumps(0), "dimension = 0: must be >= 1"),
        (lambda: DecisionStumps(1.5), "dimension = 1.5: must be an integer"),
        (lambda: DecisionStumps(1, "negative"), r"unknown signs of decision stumps 'negative'.*both, positive"),
        (lambda: Halfspaces(3), "dimension = 3: halfspaces are implemented for dimension 1 and 2"),
        (lambda: Halfspaces("two"), "dimension = 'two': is text, must be a number"),
        (lambda: FiniteClass([]), "table: must be N >= 1 rows of M >= 1 entries 0 or 1"),
        (lambda: FiniteClass([[]]), "a class is never empty"),
        (lambda: FiniteClass([[0, 2]]), "entries 0 or 1"),
        (lambda: FiniteClass([[0, 1]]).cover([[0.0], [2.0]]), r"points: row 1 = 2.0: must be one of 0, ..., 1"),
        (lambda: FiniteClass([[0, 1]]).predict([[0]], [[0.5]]), r"points: row 0 = 0.5: must be one of 0, ..., 1"),
        (lambda: FiniteClass(random_table(0, 2, 40)).growth(20), r"C\(40, 20\) subsets of the domain is too large"),
    ],
)
def test_bad_classes_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("dimension", [2, 2.0, "2"])
def test_dimension_is_stored_as_an_integer(dimension):
    for h in (Halfspaces(dimension), DecisionStumps(dimension)):
        assert isinstance(h.dimension, int)
        assert len(h.cover(np.eye(2))) == h.growth(2) == 4


def test_sauer_counts_the_small_subsets():
    for m, d in itertools.product(range(7), range(8)):
        assert sauer(m, d) == sum(1 for s in itertools.product((0, 1), repeat=m) if sum(s) <= d)
