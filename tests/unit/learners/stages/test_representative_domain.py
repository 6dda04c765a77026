"""Representative domains: queries and cells of public points, and private points by cell."""

import itertools
import math

import numpy as np
import pytest

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.core import registry
from semipriv.core.work import GIB, limits
from semipriv.learners.stages import representative_domain
from semipriv.learners.stages.representative_domain import Domain, RepresentativeDomain
from semipriv.queries.cells import VectorCells
from semipriv.queries.workloads import GridBoxes, Listed, Runs

CLASSES = [h for name in registry.names("classes") for h in registry.load("classes", name).examples()]
RULES = ("midpoint", "lower", "upper")


def points_of(h: HypothesisClass, n: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if h.example_points is not None:
        return h.example_points[generator.integers(len(h.example_points), size=n)]
    return np.rint(4 * generator.random((n, h.dimension)))


def domain(h: HypothesisClass, public: np.ndarray, representative: str = "midpoint") -> Domain:
    return RepresentativeDomain(representative).prepare(public, h)


@pytest.mark.parametrize("h", CLASSES, ids=repr)
def test_answers_on_counts_are_those_on_points(h: HypothesisClass) -> None:
    """For every class: the sums of the workload over the counts are the numbers of points that queries label 1."""
    for representative, m in itertools.product(RULES, (0, 1, 4)):
        built_domain = domain(h, points_of(h, m), representative)
        x = np.concatenate([points_of(h, 30, 1), built_domain.representatives])
        counts = built_domain.counts(x)
        assert counts.sum() == len(x)
        place = built_domain.cells.of(x)
        assert np.array_equal(np.bincount(place, minlength=len(counts)), counts), "looked up one by one, and counted"
        assert np.array_equal(place[30:], np.arange(len(counts)))
        positives = np.count_nonzero(h.predict(built_domain.cover.parameters, x), axis=1)
        assert np.array_equal(built_domain.workload.sums(counts), positives)
        assert np.all(counts >= 1), "each representative is in its own cell"
        assert built_domain.public.sum() == m


@pytest.mark.parametrize("h", [h for h in CLASSES if h.dimension == 2], ids=repr)
def test_sums_of_boxes_are_those_of_a_list(h: HypothesisClass) -> None:
    """The implicit workload is taken for all boxes of the plane, and equals the listed one."""
    for representative, m in itertools.product(RULES, (0, 1, 2, 9)):
        built_domain = domain(h, points_of(h, m, m), representative)
        work = built_domain.workload
        listed = Listed(h.predict(built_domain.cover.parameters, built_domain.representatives))
        assert isinstance(work, GridBoxes) == isinstance(h, Rectangles)
        assert (work.size, work.cells) == (listed.size, listed.cells)
        assert np.array_equal(work.matrix(), listed.labels)
        generator = np.random.default_rng(m)
        counts, weights = generator.integers(0, 2**40, work.cells), generator.random(work.cells)
        assert np.array_equal(work.sums(counts), listed.sums(counts))
        assert work.sums(counts).dtype == np.int64
        np.testing.assert_allclose(work.sums(weights), listed.sums(weights), rtol=1e-12, atol=1e-12)


def test_the_kinds_of_workloads() -> None:
    assert isinstance(domain(Intervals(), np.zeros((1, 1))).workload, Runs)
    assert isinstance(domain(DiscreteRectangles(2, 2), np.zeros((1, 2))).workload, GridBoxes)
    assert not isinstance(domain(Rectangles(3), np.eye(3)).workload, GridBoxes)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_numbers_next_to_a_threshold(orientation: str) -> None:
    h = Thresholds(orientation)
    built_domain = domain(h, np.array([[1.0], [2.0], [5.0]]))
    t = built_domain.cover.parameters[np.isfinite(built_domain.cover.parameters)]
    x = np.concatenate([np.nextafter(t, -np.inf), t, np.nextafter(t, np.inf), [-1e308, 1e308]])[:, None]
    labels = h.predict(built_domain.cover.parameters, x)
    assert np.array_equal(
        h.predict(built_domain.cover.parameters, built_domain.representatives[built_domain.cells.of(x)]), labels
    )
    assert np.array_equal(
        built_domain.counts(x), np.bincount(built_domain.cells.of(x), minlength=len(built_domain.representatives))
    )


def test_vectors_by_hand() -> None:
    """Spec, section 7: duplicates collapse, cells (-inf, 1], (1, 2], (2, 3], (3, inf)."""
    built_domain = domain(Thresholds("le"), np.array([[3.0], [1], [2], [2]]), "lower")
    assert built_domain.cover.parameters[:, 0].tolist() == [-math.inf, 1, 2, 3]
    assert built_domain.counts([[0.5], [1], [1.5], [3], [9]]).tolist() == [2, 1, 1, 1]
    assert built_domain.public.tolist() == [1, 2, 1, 0]


@pytest.mark.parametrize("m", range(5))
def test_sizes(m: int) -> None:
    """The table of BCM20: m + 1 queries of thresholds on at most as many cells; the intervals' least domain."""
    public = np.arange(float(m))[:, None]
    assert domain(Thresholds("le"), public, "lower").workload.size == m + 1
    assert domain(Thresholds("le"), public, "lower").workload.cells == m + 1
    assert domain(Intervals(), public, "lower").workload.cells == m + 1
    assert domain(Intervals(), public).workload.cells == max(1, 2 * m - 1)


def test_halfplanes_in_general_position() -> None:
    """L = m (m - 1) / 2 + 1 lines, one of which misses all points; half of the points lie in cells that are not hit."""
    generator = np.random.default_rng(1)
    built_domain = domain(Halfspaces(2), generator.normal(size=(6, 2)))
    assert built_domain.workload.size == 2 * (1 + 15)
    assert built_domain.workload.cells >= 1 + 15 + math.comb(15, 2)
    assert isinstance(built_domain.cells, VectorCells)
    assert built_domain.cells.known(generator.normal(size=(20_000, 2))).all()


def test_the_domain_depends_on_public_points_alone() -> None:
    """All public multisets of up to three of five points, all neighbours: a record moves one count down and one up."""
    x = np.arange(5.0)[:, None]
    for h in (Thresholds(), Intervals()):
        for m in range(4):
            for public in itertools.combinations_with_replacement(range(5), m):
                built_domain = domain(h, x[list(public)])
                single = [built_domain.counts(x[[i]]) for i in range(5)]
                assert all(single_domain.sum() == 1 and single_domain.max() == 1 for single_domain in single)
                for pair in itertools.product(range(5), repeat=2):
                    assert np.array_equal(built_domain.counts(x[list(pair)]), single[pair[0]] + single[pair[1]])


def test_monotone_maps_change_no_count() -> None:
    generator = np.random.default_rng(2)
    public, x = generator.random((50, 1)), generator.random((400, 1))
    actual_counts = [
        domain(Thresholds("le"), f(public), "lower").counts(f(x)) for f in (np.copy, np.exp, lambda z: z**3)
    ]
    assert np.array_equal(actual_counts[0], actual_counts[1])
    assert np.array_equal(actual_counts[0], actual_counts[2])


def test_a_point_of_no_cell_is_no_error() -> None:
    """An error would tell that it is there: a public rule decides."""
    built_domain = domain(Rectangles(2), np.array([[0.0, 0], [1, 1]]))
    cells = built_domain.cells
    assert isinstance(cells, VectorCells)
    without_one_cell = VectorCells(cells.functions, cells.parameters, cells.words[1:], cells.cell[1:])
    x = built_domain.representatives
    assert np.array_equal(without_one_cell.of(x)[1:], cells.of(x)[1:])
    assert without_one_cell.known(x).sum() == len(x) - 1
    assert without_one_cell.of(x)[0] in cells.cell[1:]
    labels = Rectangles(2).predict(cells.parameters, x).T
    for i, gone in enumerate(cells.cell):
        kept = np.delete(cells.cell, i)
        without_one_cell = VectorCells(cells.functions, cells.parameters, np.delete(cells.words, i, axis=0), kept)
        nearest = kept[np.argmin((labels[kept] != labels[gone]).sum(axis=1))]
        assert without_one_cell.of(x[[gone]]) == [nearest], "the first whose labels differ in the fewest queries"


def test_a_domain_that_is_too_large_says_what_fits() -> None:
    public = np.random.default_rng(3).normal(size=(12, 2))
    with limits(memory=2**14 / GIB):
        most = representative_domain.largest_that_fits(Halfspaces(2))
        with pytest.raises(ValueError, match=rf"GiB \(limit .*; 12 points, for certain up to {most} distinct ones fit"):
            domain(Halfspaces(2), public)
        assert len(domain(Halfspaces(2), public[:most]).representatives)
    assert 0 < most < 12


def test_what_fits_for_certain_is_by_the_dual_dimension() -> None:
    """By trying sizes one by one: M = growth(m) queries label at most sum_{i <= p} C(M, i) cells, by two a byte."""

    def bytes_of(h: HypothesisClass, m: int) -> float:
        queries = h.growth(m)
        cells = sum(math.comb(queries, i) for i in range(h.dual_vc_dimension + 1))
        return 32 * queries if h.exact_ends else queries * cells / 2

    infinite = [h for h in CLASSES if h.dual_vc_dimension is not None and bytes_of(h, 10**6) > 2**40]
    assert len(infinite) > 10
    for h, limit in itertools.product(infinite, (2**12, 2**20, 2**26)):
        with limits(memory=limit / GIB):
            most = representative_domain.largest_that_fits(h)
        assert bytes_of(h, most) <= limit < bytes_of(h, most + 1), h
