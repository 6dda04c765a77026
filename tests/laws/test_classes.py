"""Laws of every hypothesis class: covers are exact, ERM is exact, dimensions are what brute force says.

A class file without a module of its name in ``class_cases`` fails; everything here runs for each example by itself.
"""

import inspect
import itertools
import math
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from class_cases import Case, rows
from class_cases.finite_class import random_table

from semipriv import registry
from semipriv.classes.base import REPRESENTATIVES, HypothesisClass, sauer
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.randomness import Simulation

CASES: dict[str, Case] = {name: import_module(f"class_cases.{name}").CASE for name in registry.names("classes")}
EXAMPLES = [pytest.param(case, h, id=case.label(h)) for case in CASES.values() for h in case.examples]
every_example = pytest.mark.parametrize(("case", "h"), EXAMPLES)


def wrong(case: Case, h: HypothesisClass, parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[int]:
    """Indices of the examples that the hypothesis gets wrong, by its predictions one by one."""
    return [i for i in range(len(x)) if bool(h.predict(parameters[None], x[i : i + 1])[0, 0]) != (y[i] == 1)]


def test_every_example_is_of_its_class_file():
    for name, case in CASES.items():
        assert case.examples
        assert all(type(h) is registry.load("classes", name) for h in case.examples)


@every_example
def test_predictions_are_the_definition(case, h):
    rng = np.random.default_rng(1)
    parameters, x = case.parameters(h, rng, 30), case.domain_points(h, rng, 25)
    expected = [[case.says(h, list(theta), list(p)) for p in x] for theta in parameters]
    predictions = h.predict(parameters, x)
    assert predictions.dtype == np.bool_
    np.testing.assert_array_equal(predictions, expected)


@every_example
@pytest.mark.parametrize("representative", REPRESENTATIVES)
def test_cover_has_each_dichotomy_once_and_realises_it(case, h, representative):
    for points in case.point_sets(h):
        cover = h.cover(points, representative).listed()
        expected = rows(points)
        assert cover.points.tolist() == expected
        realised = [tuple(row) for row in cover.dichotomies().tolist()]
        assert len(realised) == len(cover) == len(set(realised)), points
        assert set(realised) == case.dichotomies(h, expected), points


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


@pytest.mark.parametrize("h", [*CASES["thresholds"].examples, Halfspaces(1), Halfspaces(2), Halfspaces(3)], ids=repr)
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
@pytest.mark.parametrize("representative", REPRESENTATIVES)
def test_mistakes_are_counted_by_predictions(case, h, representative):
    """Examples equal to public points, beside them, and none at all."""
    rng = np.random.default_rng(5)
    for public in (case.domain_points(h, rng, 6), case.domain_points(h, rng, 0)):
        cover = h.cover(public, representative).listed()
        for n in (0, 1, 40):
            x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
            mistakes = cover.mistakes(x, y)
            assert mistakes.dtype == np.int64
            assert mistakes.tolist() == [len(wrong(case, h, theta, x, y)) for theta in cover.parameters]


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
    """Signed real weights, unit weights, no example; the value is what the returned parameters attain."""
    rng = np.random.default_rng(6)
    for trial in range(25):
        n = int(rng.integers(0, 11))
        x, y = case.domain_points(h, rng, n), rng.integers(0, 2, n)
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
    x = case.many_points(h, rng, n)
    y, w = rng.integers(0, 2, n), rng.laplace(size=n)
    minimum = h.minimise(x, y, w)
    rivals = np.concatenate([h.cover(x).listed().parameters, case.parameters(h, rng, 50)])
    values = (h.predict(rivals, x) != (y == 1)) @ w
    assert minimum.value <= values.min() + 1e-12
    assert minimum.value == pytest.approx(w[wrong(case, h, minimum.parameters, x, y)].sum(), abs=1e-12)


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
        met = np.concatenate([case.grid(h), case.domain_points(h, rng, 200), case.many_points(h, rng, 300)])
        assert {tuple(column) for column in h.predict(hypotheses, met).T.tolist()} <= vectors


@every_example
def test_one_hypothesis_predicts_as_its_row(case, h):
    points = case.point_sets(h)[0]
    cover = h.cover(points).listed()
    for i in (0, len(cover) - 1):
        np.testing.assert_array_equal(cover[i].predict(points), h.predict(cover.parameters, points)[i])


@every_example
def test_a_configuration_builds_the_class_again(case, h):
    name = next(name for name, known in CASES.items() if known is case)
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
