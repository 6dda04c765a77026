"""Properties of every hypothesis class: covers are exact, ERM is exact, dimensions are what brute force says.

A class file without ``examples`` fails; everything here runs for each example by itself, by the oracles of the module
of its name in ``class_cases`` if there is one, else by those that its own predictions give.
"""

import functools
import inspect
import itertools
import math
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

from semipriv.audit.properties.class_cases import DRAWN, INFINITY, Case, rows
from semipriv.audit.properties.class_cases.finite_class import random_table
from semipriv.classes.base import MOST_EXAMPLES, REPRESENTATIVES, HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.deviation import sauer
from semipriv.core.randomness import Simulation
from semipriv.geometry.shapes import Complement

NAMES = registry.names("classes")


def case_of(name: str) -> Case:
    return (
        import_module(f"semipriv.audit.properties.class_cases.{name}").CASE
        if find_spec(f"semipriv.audit.properties.class_cases.{name}")
        else DRAWN
    )


def examples(name: str) -> list:
    return list(registry.load("classes", name).examples())


EXAMPLES = [pytest.param(case_of(n), h, id=case_of(n).label(h)) for n in NAMES for h in examples(n)]


def fits_drawn(h: HypothesisClass) -> bool:
    """Whether the covers that the oracles of a class file alone list are small."""
    return h.dimension * getattr(h, "k", 1) <= 2


every_example = pytest.mark.parametrize(("case", "h"), EXAMPLES)


def wrong(h: HypothesisClass, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether hypotheses (k, p) get examples wrong, (k, n), by their predictions, which another property holds."""
    return h.predict(parameters, x) != (y == 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_class_file_has_examples_of_its_class(name):
    assert examples(name), f"classes/{name}.py: examples() must return instances for the property tests"
    assert all(type(h) is registry.load("classes", name) for h in examples(name))


@every_example
def test_hypotheses_have_as_many_parameters_as_the_class_says(case, h):
    assert case.parameters(h, np.random.default_rng(1), 5).shape[1] == h.width
    assert h.cover(np.empty((0, h.dimension))).listed().parameters.shape == (1, h.width)


@every_example
def test_predictions_are_the_definition(case, h):
    rng = np.random.default_rng(1)
    parameters, x = case.parameters(h, rng, 30), case.domain_points(h, rng, 25)
    expected = [[case.says(h, list(theta), list(p)) for p in x] for theta in parameters]
    predictions = h.predict(parameters, x)
    assert predictions.dtype == np.bool_
    np.testing.assert_array_equal(predictions, expected)


@every_example
def test_cover_has_each_dichotomy_once_and_realises_it(case, h):
    """On the left the label vectors of the points that the cover has, on the right those of all hypotheses found."""
    for points, representative in itertools.product(case.point_sets(h), REPRESENTATIVES):
        cover = h.cover(points, representative).listed()
        expected = rows(points)
        assert cover.points.tolist() == expected
        realised = [tuple(row) for row in cover.dichotomies().tolist()]
        assert len(realised) == len(cover) == len(set(realised)), (points, representative)
        assert set(realised) == case.dichotomies(h, expected), (points, representative)


@every_example
def test_a_pattern_has_one_representative_that_its_points_decide(case, h):
    """Each dichotomy, on points in any order and repeated; that of the cover where the class lists one by search."""
    rng = np.random.default_rng(11)
    for points in case.point_sets(h):
        cover = h.cover(points).listed()
        mixed = rng.permutation(np.concatenate([cover.points, cover.points[:3]]))
        for parameters in cover.parameters[rng.permutation(len(cover))[:12]]:
            here, there = (h.predict(parameters[None], x)[0] for x in (cover.points, mixed))
            representative = h.representative(cover.points, here)
            assert representative.tobytes() == h.representative(mixed, there).tobytes()
            assert np.array_equal(h.predict(representative[None], mixed)[0], there)
            if len(cover) <= h.dimension + 1 or type(h).minimise_size is HypothesisClass.minimise_size:
                continue
            if h.dimension < 3:
                assert representative.tobytes() == parameters.tobytes()


@every_example
def test_no_representative_of_a_pattern_that_no_hypothesis_has(case, h):
    for points in case.point_sets(h):
        known = h.cover(points).listed()
        having = {tuple(row) for row in known.dichotomies().tolist()}
        missing = (p for p in itertools.product((False, True), repeat=len(known.points)) if p not in having)
        for pattern in itertools.islice(missing, 3):
            with pytest.raises(ValueError, match="pattern: no hypothesis of "):
                h.representative(known.points, pattern)


@pytest.mark.parametrize("nonempty", [False, True])
@every_example
def test_shifts_make_every_pattern_win_again(case, h, nonempty):
    """By brute force: teaching sets of each dichotomy are no larger than said; on the line the shift splits in two."""
    for points in case.point_sets(h):
        every = np.unique(h.cover(points).listed().dichotomies(), axis=0)
        if len(every) > 40:
            continue
        m = every.shape[1]
        assert h.nonempty_teaching_shift(points).absolute <= h.teaching_shift(points).absolute
        shift, labels = (
            (h.nonempty_teaching_shift(points), every[every.any(axis=1)])
            if nonempty
            else (h.teaching_shift(points), every)
        )
        assert shift.squared == 2 * shift.absolute
        assert shift.absolute <= 2 * m
        if isinstance(h, (Thresholds, DiscreteThresholds)):  # the shift splits in two, on both sides of the cut
            assert shift.absolute == 2 * min(m, 1)
            continue
        if nonempty and isinstance(h, Intervals):  # the shift splits in two for each end
            assert shift.absolute == 2 * min(m, 2)
            continue
        for pattern in labels:
            differs = (labels != pattern)[np.any(labels != pattern, axis=1)]
            sizes = range(shift.absolute // 2 + 1)
            sets = (list(s) for size in sizes for s in itertools.combinations(range(m), size))
            assert any(np.all(differs[:, s].any(axis=1)) for s in sets), (h, points, pattern)


@every_example
def test_cover_does_not_depend_on_order_or_repetition(case, h):
    rng = np.random.default_rng(2)
    for points in case.point_sets(h):
        cover = h.cover(points).listed()
        repeated = np.concatenate([points, points[rng.integers(0, len(points), 4)]]) if len(points) else points
        again = h.cover(rng.permutation(repeated)).listed()
        assert again.points.tobytes() == cover.points.tobytes()
        assert again.parameters.tobytes() == cover.parameters.tobytes()


@every_example
def test_cover_size_is_at_most_growth_is_at_most_sauer(case, h):
    for points in case.point_sets(h):
        assert len(h.cover(points)) <= h.growth(len(rows(points)))
    for m in range(8):
        assert 1 <= h.growth(m) <= h.growth(m + 1)
        if m <= case.domain_size(h):
            assert h.growth(m) <= sauer(m, h.vc_dimension)


@every_example
def test_the_size_of_a_sample_to_minimise_on(case, h):
    """By default the largest power of 2 with n growth(n) <= 2e7; never above the limit."""
    n = HypothesisClass.minimise_size.fget(h)
    assert max(n, h.minimise_size) <= MOST_EXAMPLES
    assert n == MOST_EXAMPLES or n & (n - 1) == 0
    assert n == 1 or n * h.growth(n) <= 2e7
    assert n == MOST_EXAMPLES or 2 * n * h.growth(2 * n) > 2e7


@pytest.mark.parametrize("h", [*examples("thresholds"), Halfspaces(1), Halfspaces(2), Halfspaces(3)], ids=repr)
def test_growth_is_attained_in_general_position(h):
    for m in range(13):
        points = np.random.default_rng(m).normal(size=(m, h.dimension))
        assert len(h.cover(points)) == h.growth(m)


@every_example
def test_vc_dimension_is_where_growth_leaves_the_powers_of_two(case, h):
    """growth(m) = 2^m up to m = vc_dimension, and less from there."""
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
    d = h.vc_dimension

    assert any(len(case.dichotomies(h, x)) == 2**d for x in case.candidates(h, d))
    assert not any(len(case.dichotomies(h, x)) == 2 ** (d + 1) for x in case.candidates(h, d + 1))


@every_example
def test_dual_vc_dimension_by_shattering(case, h):
    """Of 16 hypotheses (finite classes: all), some dual VC many meet all patterns on a grid, never one more."""
    if case.dual_hypotheses is None:
        hypotheses = case.parameters(h, np.random.default_rng(4), 16)
    else:
        hypotheses = case.dual_hypotheses(h)
    points = case.grid(h)
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
def test_the_whole_class_is_tallied_concept_by_concept(case, h):
    """On its whole domain a finite class has each concept once, and its tally counts the mistakes of each."""
    if h.whole_domain is None:
        return
    rng, every = np.random.default_rng(8), h.cover(h.whole_domain).listed()
    labels = h.predict(every.parameters, h.whole_domain)
    assert len(np.unique(h.whole_domain, axis=0)) == len(h.whole_domain)
    assert len(np.unique(labels, axis=0)) == len(labels)
    drawn = case.parameters(h, rng, 40)
    together = np.concatenate([labels, h.predict(drawn, h.whole_domain)])
    assert len(np.unique(together, axis=0)) == len(labels), "no concept is missing"
    for n in (0, 1, 9):
        x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
        values, counts = h.tally(x, y).histogram()
        expected = np.unique((h.predict(every.parameters, x) != (y == 1)).sum(axis=1), return_counts=True)
        assert (values.tolist(), list(map(int, counts))) == tuple(part.tolist() for part in expected)


def test_a_class_without_a_listed_domain_has_no_whole_tally():
    with pytest.raises(
        ValueError, match=r"Thresholds\(.*: has no exact tally of the whole class, its domain is not fin"
    ):
        Thresholds().tally([0.0], [1])


@every_example
def test_mistakes_are_counted_by_predictions(case, h):
    """Examples equal to public points, beside them, and none at all."""
    rng = np.random.default_rng(5)
    publics = (case.domain_points(h, rng, 6), case.domain_points(h, rng, 0))
    for public, representative in itertools.product(publics, REPRESENTATIVES):
        cover = h.cover(public, representative).listed()
        for n in (0, 1, 40):
            x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
            mistakes = cover.mistakes(x, y)
            assert mistakes.dtype == np.int64
            assert mistakes.tolist() == wrong(h, cover.parameters, x, y).sum(axis=1).tolist()


@every_example
def test_mistakes_of_many_examples(case, h):
    """More examples and hypotheses than any block of the work holds: the sum over the distinct examples, each once."""
    rng = np.random.default_rng(9)
    x, y = case.domain_points(h, rng, 10_001), rng.integers(0, 2, 10_001)
    parameters = case.parameters(h, rng, 70)
    kinds, count = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    wrong_kinds = h.predict(parameters, kinds[:, :-1]) != (kinds[:, -1] == 1)
    assert h.mistakes(parameters, x, y.astype(np.int8)).tolist() == (wrong_kinds @ count).tolist()


@every_example
def test_mistakes_of_the_public_points_by_their_dichotomies(case, h):
    """Every dichotomy, taken as labels, is met by exactly one hypothesis, and by its complement nowhere."""
    for points in case.point_sets(h):
        cover = h.cover(points).listed()
        patterns = cover.dichotomies()
        distance = np.array([cover.mistakes(cover.points, pattern.astype(int)) for pattern in patterns])
        np.testing.assert_array_equal(distance, np.sum(patterns[:, None] != patterns[None], axis=2))
        assert np.all((distance == 0) == np.eye(len(cover), dtype=bool))


@every_example
def test_minimise_is_brute_force_over_the_dichotomies(case, h):
    """Signed real weights, unit weights, no example; the value is what the parameters and the labels attain."""
    rng = np.random.default_rng(6)
    for trial in range(25):
        n = int(rng.integers(0, 11))
        x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
        distinct = rows(x)
        place = [distinct.index(list(p)) for p in x]
        weights = [None, rng.normal(size=n), rng.exponential(size=n), -np.ones(n)][trial % 4]
        w = np.ones(n) if weights is None else weights
        patterns = case.dichotomies(h, distinct)
        best = min(math.fsum(w[i] for i in range(n) if pattern[place[i]] != (y[i] == 1)) for pattern in patterns)
        labels = h.minimal_labels(x, y, weights)
        assert tuple(bool(labels[place.index(i)]) for i in range(len(distinct))) in {
            tuple(map(bool, p)) for p in patterns
        }
        assert math.fsum(w[labels != (y == 1)]) == pytest.approx(best, abs=1e-12)
        minimum = h.minimise(x, y, weights)
        assert minimum.value == pytest.approx(best, abs=1e-12)
        attained = math.fsum(w[wrong(h, minimum.parameters[None], x, y)[0]])
        assert minimum.value == pytest.approx(attained, abs=1e-12)


@every_example
def test_minimise_is_never_beaten_on_continuous_points(case, h):
    """More points than brute force allows: no hypothesis of the cover, and none drawn at random, does better."""
    rng = np.random.default_rng(7)
    n = 30
    x = case.many_points(h, rng, n)
    y, w = rng.integers(0, 2, n), rng.laplace(size=n)
    minimum = h.minimise(x, y, w)
    rivals = np.concatenate([h.cover(x).listed().parameters, case.parameters(h, rng, 50)])
    values = (h.predict(rivals, x) != (y == 1)) @ w
    assert minimum.value <= values.min() + 1e-12
    assert minimum.value == pytest.approx(w[wrong(h, minimum.parameters[None], x, y)[0]].sum(), abs=1e-12)


@every_example
def test_tally_is_what_the_list_says(case, h):
    """Histogram, log-partition function, expected mistakes and members of a cover, listed or not."""
    rng = np.random.default_rng(11)
    for public, n in (
        (case.point_sets(h)[0], 0),
        (case.domain_points(h, rng, 5), 30),
        (case.domain_points(h, rng, 0), 3),
    ):
        cover = h.cover(public)
        listed = cover.listed()
        assert cover.size == len(cover) == len(listed.parameters)
        x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
        mistakes = listed.mistakes(x, y)
        tally = cover.tally(x, y)
        values, counts = tally.histogram()
        expected = np.unique(mistakes, return_counts=True)
        assert values.tolist() == expected[0].tolist()
        assert counts.tolist() == expected[1].tolist()
        for rate in (0.0, 0.7, 3.0):
            weights = np.exp(-rate * (mistakes - mistakes.min()))
            log_partition = math.log(weights.sum()) - rate * mistakes.min()
            assert tally.log_partition(rate) == pytest.approx(log_partition, abs=1e-9)
            assert tally.expected_mistakes(rate) == pytest.approx(weights @ mistakes / weights.sum(), abs=1e-9)
        stream = Simulation(1).spawn(repr(h), n)
        for value in values.tolist():
            member = tally.member(value, stream)
            assert np.count_nonzero(member.predict(x) != (y == 1)) == value
            assert (listed.parameters == member.parameters).all(axis=1).any()
        drawn = tally.draw(Fraction(1, 2), stream)
        assert (listed.parameters == drawn.parameters).all(axis=1).any()


@every_example
def test_representative_domain_has_every_label_vector_once(case, h):
    """BCM20 definition 2: points of the domain fall into the classes of the representatives, one each."""
    rng = np.random.default_rng(12)
    for hypotheses in (
        case.parameters(h, rng, 3),
        case.parameters(h, rng, 7),
        h.cover(case.point_sets(h)[0]).listed().parameters[:12],
    ):
        domain = h.representative_domain(hypotheses)
        vectors = {tuple(column) for column in h.predict(hypotheses, domain).T.tolist()}
        assert len(vectors) == len(domain)
        finer = h.representative_domain(np.concatenate([hypotheses[:5], case.parameters(h, rng, 2)]))
        met = np.concatenate([case.grid(h), case.domain_points(h, rng, 200), case.many_points(h, rng, 300), finer])
        assert {tuple(column) for column in h.predict(hypotheses, met).T.tolist()} <= vectors


def tree_depth(dichotomies: set[tuple[bool, ...]]) -> int:
    """Littlestone dimension of functions on finitely many points, by its recursion: see ``FiniteClass``."""

    @functools.cache
    def depth(left: frozenset[tuple[bool, ...]]) -> int:
        best = 0
        if len(left) > 1:
            for column in range(len(next(iter(left)))):
                ones = frozenset(row for row in left if row[column])
                if min(len(ones), len(left) - len(ones)) >= 2**best:
                    best = max(best, 1 + min(depth(ones), depth(left - ones)))
        return best

    return depth(frozenset(dichotomies))


@every_example
def test_littlestone_dimension_by_mistake_trees(case, h):
    """Restricted to few points it is no larger; on a whole small domain it is equal; it is as large as is declared.

    A class of infinite dimension contains thresholds of 2^k - 1 points, which have trees of depth k: here k = 3, and 5
    where dichotomies are few.
    """
    declared = h.littlestone_dimension
    depths = [tree_depth(case.dichotomies(h, rows(points)[:7])) for points in case.point_sets(h)]
    assert max(depths) <= declared
    whole = h.example_points if case.domain_size(h) <= 8 else None
    if case.littlestone_is_bound(h):
        return
    if case.domain_size(h) == INFINITY and h.growth(31) <= 64:
        many = h.cover(case.many_points(h, np.random.default_rng(15), 31)).listed()
        assert tree_depth(set(map(tuple, many.dichotomies().tolist()))) == min(declared, 5)
    if whole is not None and len(whole) == case.domain_size(h):
        assert tree_depth(case.dichotomies(h, rows(whole))) == declared
    else:
        assert max(depths) >= min(declared, 3, math.log2(max(2, len(case.point_sets(h)[0]) + 1)) // 1)


@pytest.mark.parametrize("h", [h for n in NAMES for h in examples(n) if fits_drawn(h)], ids=str)
def test_oracles_of_a_class_file_alone_find_what_the_definition_says(h):
    """What a class without a module in ``class_cases`` is held against is no weaker than the definition here."""
    case = case_of(type(h).__module__.rpartition(".")[2])
    for points in DRAWN.point_sets(h):
        assert DRAWN.dichotomies(h, rows(points)) == case.dichotomies(h, rows(points)), points


# ---------------------------------------------------------------------------------------------------- negative controls
def broken(h: HypothesisClass, **members: object) -> HypothesisClass:
    """The same instance with other members."""
    control = type(type(h).__name__, (type(h),), members)
    return control(**{name: getattr(h, name) for name in inspect.signature(type(h)).parameters})


@every_example
def test_a_wrong_littlestone_dimension_is_seen(case, h):
    """One too small wherever it is small, one too large on a whole small domain, finite instead of infinite."""
    declared = h.littlestone_dimension
    wrongs = [2.0] if declared == math.inf else [declared - 1] if declared <= 3 else []
    if case.littlestone_is_bound(h):
        wrongs = [1.0]
    elif case.domain_size(h) <= 8:
        wrongs.append(declared + 1)
    if declared == 1 and case.domain_size(h) > 8:
        wrongs.append(math.inf)
    for value in wrongs:
        control = broken(h, littlestone_dimension=value)
        with pytest.raises(AssertionError):
            test_littlestone_dimension_by_mistake_trees(case, control)


@every_example
@pytest.mark.parametrize("place", [0, -1])
def test_a_representative_domain_that_is_too_coarse_is_seen(case, h, place):
    """Two cells are merged: the point of one stands for both."""

    def coarse(self, parameters):
        return np.delete(type(h).representative_domain(self, parameters), [place], axis=0)

    if h.growth(1) == 1:
        return  # one hypothesis: all points are alike
    with pytest.raises(AssertionError):
        test_representative_domain_has_every_label_vector_once(case, broken(h, representative_domain=coarse))


def without_the_last(self, points, representative):
    """A cover that lacks a dichotomy, of any two or more points."""
    parameters = type(self).__mro__[1]._representatives(self, points, representative)
    return parameters[:-1] if len(points) >= 2 and len(parameters) > 1 else parameters


@pytest.mark.parametrize("h", [Thresholds(), DecisionStumps(2), Halfspaces(2), examples("finite_class")[3]], ids=str)
def test_a_cover_that_lacks_a_dichotomy_is_seen_by_a_class_file_alone(h):
    control = broken(h, _representatives=without_the_last)
    with pytest.raises(AssertionError):
        test_cover_has_each_dichotomy_once_and_realises_it(DRAWN, control)


@every_example
def test_the_shape_is_where_a_hypothesis_is_one(case, h):
    rng = np.random.default_rng(13)
    parameters, x = case.parameters(h, rng, 20), case.domain_points(h, rng, 100)
    shape = h.ones(parameters)
    if shape is not None:
        assert len(shape) == len(parameters)
        np.testing.assert_array_equal(shape.contains(x), h.predict(parameters, x))
        np.testing.assert_array_equal(Complement(shape).contains(x), ~h.predict(parameters, x))


@every_example
def test_one_hypothesis_predicts_as_its_row(case, h):
    points = case.point_sets(h)[0]
    cover = h.cover(points).listed()
    for i in (0, len(cover) - 1):
        np.testing.assert_array_equal(cover[i].predict(points), h.predict(cover.parameters, points)[i])


@every_example
def test_a_configuration_builds_the_class_again(case, h):
    name = type(h).__module__.rpartition(".")[2]
    parameters = {name: getattr(h, name) for name in inspect.signature(type(h)).parameters}
    assert registry.build("classes", {"name": name, **parameters}) == h


@every_example
def test_bad_input_is_named(case, h):
    good = case.point_sets(h)[0]
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
    for call in (h.cover(good).tally, h.minimise):
        with pytest.raises(ValueError, match=r"labels: row 1 = .*: must be 0 or 1"):
            call(good, labels)
        with pytest.raises(ValueError, match=f"labels: must be {len(good)} labels, one for each point, got 1"):
            call(good, [1])
        with pytest.raises(ValueError, match=f"points: row 1, feature {h.dimension - 1} = nan: must be finite"):
            call(bad, np.zeros(len(good)))
    for weights in ([1.0], np.full(len(good), np.nan)):
        with pytest.raises(ValueError, match=f"weights: must be {len(good)} finite numbers"):
            h.minimise(good, np.zeros(len(good)), weights)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Thresholds("up"), r"unknown orientation of thresholds 'up'.*\(allowed: ge, gt, le, lt\)"),
        (lambda: DecisionStumps(0), "dimension = 0: must be >= 1"),
        (lambda: DecisionStumps(1.5), "dimension = 1.5: must be an integer"),
        (lambda: DecisionStumps(1, "negative"), r"unknown signs of decision stumps 'negative'.*both, positive"),
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
