"""Which public points and labels each stage uses, and which it must not."""

import numpy as np
import pytest

from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.log_grid import LogGrid
from semipriv.learners.stages.base import AnyStage
from semipriv.learners.stages.cover import CoverStage
from semipriv.learners.stages.examples import Examples
from semipriv.learners.stages.fixed_grid import FixedGridStage, LogGridStage, grid_points
from semipriv.learners.stages.grid_domain import GridDomain
from semipriv.learners.stages.labelled import LabelledMinimum
from semipriv.learners.stages.nothing import Nothing
from semipriv.learners.stages.representative_domain import RepresentativeDomain

X, Y = np.array([[0.25], [4.0], [2.5], [4.0], [1.0]]), np.array([0, 1, 1, 1, 0])


@pytest.mark.parametrize("stage", [FixedGridStage(0.0, 3.0, 4), GridDomain(0.0, 3.0, 4), Nothing()])
def test_stages_without_public_data_use_none(stage: AnyStage) -> None:
    first, other = (stage.prepare(points, Intervals()).arrays() for points in (X, X[:0]))
    assert first.keys() == other.keys()
    assert all(np.array_equal(first[key], other[key]) for key in first)
    if "points" in first:
        assert sorted(first["points"].ravel().tolist()) == [0.0, 1.0, 2.0, 3.0]
    if "public" in first:
        assert not first["public"].any(), "no public point is counted, and no point of the grid"


def test_a_grid_has_the_same_ends_in_each_feature() -> None:
    computed_grid_points = grid_points(-1.0, 2.0, 4, 2)
    assert computed_grid_points.shape == (16, 2)
    assert {tuple(row) for row in computed_grid_points.tolist()} == {(a, b) for a in range(-1, 3) for b in range(-1, 3)}


def test_a_logarithmic_grid_has_equal_steps_where_it_is_asked_to() -> None:
    actual_points = LogGridStage(0.01, 1.0, 3, 1).points(2)
    np.testing.assert_allclose(np.unique(actual_points[:, 0]), [0.01, 0.1, 1.0])
    np.testing.assert_allclose(np.unique(actual_points[:, 1]), [0.01, 0.505, 1.0])
    assert len({tuple(row) for row in actual_points.tolist()}) == 9
    with pytest.raises(ValueError, match="linear = 2: must be <= 1, the number of features"):
        LogGridStage(0.01, 1.0, 3, 2).prepare(X, Intervals())
    with pytest.raises(ValueError, match="linear = -1: must be >= 0"):
        LogGrid(1.0, 0.01, 1.0, 3, -1)


@pytest.mark.parametrize("representative", ["midpoint", "lower", "upper"])
def test_covers_and_domains_are_those_of_the_public_points_and_the_rule(representative: str) -> None:
    expected = Intervals().cover(X, representative).listed().parameters
    cover = CoverStage(representative).prepare(X, Intervals())
    domain = RepresentativeDomain(representative).prepare(X, Intervals())
    for listed_cover in (cover.listed(), domain.cover):
        assert np.array_equal(listed_cover.parameters, expected)
    inside = Intervals().predict(expected, domain.representatives)
    shares = Intervals().predict(expected, X).sum(axis=1)
    assert np.array_equal(inside @ domain.public, shares), "each public point counts in its cell, twice if it is twice"


@pytest.mark.parametrize("inner", [CoverStage(), RepresentativeDomain(), Nothing()])
def test_the_inner_stage_of_examples_gets_no_public_point(inner: AnyStage) -> None:
    """Public examples are protected as private ones are there: what is built on them would tell them."""
    prepared_stage = Examples(inner).prepare(X, Thresholds(), Y)
    alone = inner.prepare(X[:0], Thresholds()).arrays()
    assert all(np.array_equal(prepared_stage.inner.arrays()[key], alone[key]) for key in alone)
    both = prepared_stage.together([[7.0]], [0])
    assert both.points.ravel().tolist() == [*X.ravel(), 7.0]
    assert both.labels.tolist() == [*Y, 0]
    again = Examples(inner).restore(prepared_stage.arrays(), Thresholds())
    assert again.arrays().keys() == prepared_stage.arrays().keys()
    assert all(np.array_equal(again.arrays()[key], array) for key, array in prepared_stage.arrays().items())


def test_the_minimum_is_that_of_the_labelled_points() -> None:
    prepared_stage = LabelledMinimum().prepare(X, Thresholds(), Y)
    assert np.array_equal(Thresholds().predict(prepared_stage.parameters, X)[0], Y)
    worse = LabelledMinimum().prepare(X, Thresholds(), 1 - Y)
    assert (Thresholds().predict(worse.parameters, X)[0] != 1 - Y).sum() == 2


def test_labels_are_given_where_they_are_needed_and_nowhere_else() -> None:
    for stage in (LabelledMinimum(), Examples(Nothing())):
        with pytest.raises(ValueError, match="public_labels: this learner needs labelled public points"):
            stage.prepare(X, Thresholds())
    for other in (
        CoverStage(),
        RepresentativeDomain(),
        FixedGridStage(0.0, 1.0, 2),
        GridDomain(0.0, 1.0, 2),
        Nothing(),
    ):
        with pytest.raises(ValueError, match="public_labels: this learner uses unlabelled public points only"):
            other.prepare(X, Thresholds(), Y)
