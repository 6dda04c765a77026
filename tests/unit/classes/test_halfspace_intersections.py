"""Intersections of halfspaces: properties where the dual VC dimension is unknown, points in convex position, bounds."""

import math

import numpy as np
import pytest

from semipriv.audit.properties import test_classes as properties
from semipriv.audit.properties.class_cases.halfspace_intersections import CASE, PLANE_AND_SPACE, dual_hypotheses
from semipriv.classes import halfspace_intersections
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.core.work import GIB, limits

PLANE = [h for h in PLANE_AND_SPACE if h.dimension == 2]


@pytest.mark.parametrize("h", PLANE_AND_SPACE, ids=repr)
@pytest.mark.parametrize(
    "tested",
    [
        properties.test_predictions_are_the_definition,
        properties.test_cover_does_not_depend_on_order_or_repetition,
        properties.test_mistakes_of_many_examples,
        properties.test_mistakes_of_the_public_points_by_their_dichotomies,
        properties.test_minimise_is_brute_force_over_the_dichotomies,
        properties.test_minimise_is_never_beaten_on_continuous_points,
        properties.test_cover_has_each_dichotomy_once_and_realises_it,
        properties.test_mistakes_are_counted_by_predictions,
        properties.test_tally_is_what_the_list_says,
        properties.test_representative_domain_has_every_label_vector_once,
        properties.test_one_hypothesis_predicts_as_its_row,
        properties.test_a_configuration_builds_the_class_again,
        properties.test_bad_input_is_named,
    ],
)
def test_properties_of_every_class(tested, h):
    tested(CASE, h)


@pytest.mark.parametrize("h", PLANE, ids=repr)
@pytest.mark.parametrize(
    "tested",
    [
        properties.test_cover_size_is_at_most_growth_is_at_most_sauer,
        properties.test_vc_dimension_is_where_growth_leaves_the_powers_of_two,
        properties.test_vc_dimension_by_shattering,
    ],
)
def test_properties_of_the_vc_dimension(tested, h):
    tested(CASE, h)


@pytest.mark.parametrize("k", [2, 3])
def test_on_the_line_they_are_intervals(k):
    h, x = HalfspaceIntersections(1, k), np.random.default_rng(0).normal(size=9)
    ours, theirs = (c.cover(x).listed().dichotomies().tolist() for c in (h, Intervals()))
    assert sorted(ours) == sorted(theirs)
    assert len(ours) == h.growth(9)
    assert (h.vc_dimension, h.dual_vc_dimension) == (Intervals().vc_dimension, Intervals().dual_vc_dimension)


@pytest.mark.parametrize(("d", "k", "largest"), [(2, 1, 9), (2, 2, 10), (2, 3, 9), (3, 2, 8)])
def test_points_of_the_moment_curve(d, k, largest):
    """Labels with at most c = k d (d odd: k (d - 1) + 1) changes along the curve are met: 2 sum_{i <= c} C(m - 1, i).

    In the plane, where the points are in convex position, no others are.
    """
    changes = k * d if d % 2 == 0 else k * (d - 1) + 1
    h = HalfspaceIntersections(d, k)
    for m in range(1, largest + 1):
        points = np.linspace(-1, 1, m)[:, None] ** np.arange(1, d + 1)
        dichotomies = h.cover(points).listed().dichotomies()
        order = np.argsort(np.unique(points, axis=0)[:, 0])
        switches = np.count_nonzero(np.diff(dichotomies[:, order], axis=1), axis=1)
        assert np.count_nonzero(switches <= changes) == 2 * sum(math.comb(m - 1, i) for i in range(changes + 1))
        assert len(dichotomies) <= h.growth(m)
        if d == 2:
            assert switches.max(initial=0) <= changes
    assert changes + 1 == h.vc_dimension_bounds[0]


def test_known_dimensions_and_bounds():
    for d in range(1, 6):
        single = HalfspaceIntersections(d, 1)
        assert single.vc_dimension == Halfspaces(d).vc_dimension
        assert single.dual_vc_dimension == Halfspaces(d).dual_vc_dimension
        assert single.vc_dimension_bounds[0] == d + 1
        for k in range(2, 5):
            least, greatest = HalfspaceIntersections(d, k).vc_dimension_bounds
            assert least <= greatest <= 2 * (d + 1) * k * math.log2(3 * k)  # Blumer et al. 1989, lemma 3.2.3
    assert [HalfspaceIntersections(2, k).vc_dimension for k in range(1, 6)] == [3, 5, 7, 9, 11]


@pytest.mark.parametrize("k", [2, 3])
def test_slabs_of_the_coordinates_are_shattered_by_points(k):
    h = HalfspaceIntersections(2, k)
    patterns = h.predict(dual_hypotheses(h)[:4], CASE.grid(h))
    assert len(np.unique(patterns, axis=1).T) == 2 ** h.dual_vc_dimension_bounds[0] == 16


def test_a_halfspace_more_is_never_worse():
    """More halfspaces contain fewer: minima decrease in k, down to 0 where the ones are the points of a convex set."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        x, w = rng.normal(size=(9, 2)), rng.exponential(size=9)
        y = (np.abs(x).max(axis=1) < 0.9).astype(int)
        values = [HalfspaceIntersections(2, k).minimise(x, y, w).value for k in (1, 2, 3, 4)]
        assert values[0] == pytest.approx(Halfspaces(2).minimise(x, y, w).value, abs=1e-12)
        assert values == sorted(values, reverse=True)
        assert values[-1] == 0.0


def test_cover_does_not_depend_on_the_blocks_of_the_work(monkeypatch):
    points = np.random.default_rng(4).normal(size=(9, 2))
    covers = []
    for block in (halfspace_intersections._BLOCK, 3_000, 10):
        monkeypatch.setattr(halfspace_intersections, "_BLOCK", block)
        cover = HalfspaceIntersections(2, 3).cover(points).listed()
        covers.append({row.tobytes() for row in cover.dichotomies()})
        assert len(covers[-1]) == len(cover)
    assert covers[0] == covers[1] == covers[2]


def test_too_large_a_cover_is_refused():
    with limits(memory=100_000 / GIB), pytest.raises(ValueError, match="take fewer public points or fewer halfspaces"):
        HalfspaceIntersections(2, 2).cover(np.random.default_rng(5).normal(size=(20, 2)))
