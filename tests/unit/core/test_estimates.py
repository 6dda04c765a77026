"""Estimates count operations: what they count is what is done, up to a factor of three, over two decades of sizes.

Operations are counted where they are made, and nothing is timed: ``benchmarks/estimates.py`` measures the rates.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import semipriv as sp
from semipriv.classes import _rectangle_listing, rectangles
from semipriv.classes.base import HypothesisClass
from semipriv.core import estimates
from semipriv.core.work import Cost, WorkError, limits
from semipriv.learners import _totals
from semipriv.learners.stages import public_model
from semipriv.learners.stages.labelled import halfspace
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.practice.sums import tallies
from semipriv.queries.schema import Schema

FACTOR = 3.0


def points(m: int, d: int) -> np.ndarray:
    return np.random.default_rng(m + d).normal(size=(m, d))


def within(estimated: float, done: float) -> bool:
    return done / FACTOR <= estimated <= done * FACTOR


# ---------------------------------------------------------------------------------------------------- what is counted
@pytest.mark.parametrize(
    ("h", "sizes"),
    [
        (sp.Halfspaces(1), (10, 100, 1_000)),
        (sp.Halfspaces(2), (4, 40, 400)),
        (sp.Halfspaces(3), (5, 16, 40)),
        (sp.DecisionStumps(3), (10, 100, 1_000)),
    ],
    ids=repr,
)
def test_as_many_hypotheses_are_listed_as_are_told(
    h: HypothesisClass, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    estimates_told: list[float] = []

    def seen(make: Callable[..., Cost]) -> Callable[..., Cost]:
        def kept(*given: Any, **named: Any) -> Cost:
            estimates_told.append(given[2] * given[3] if make is stumps else given[0])
            return make(*given, **named)

        return kept

    stumps = estimates.stumps_listed
    for name in ("halfspaces_listed", "stumps_listed"):
        monkeypatch.setattr(estimates, name, seen(getattr(estimates, name)))
    done = [len(h.cover(points(m, h.dimension)).listed()) for m in sizes]
    assert all(map(within, estimates_told, done)), (estimates_told, done)
    assert len(estimates_told) == len(sizes)


@pytest.mark.parametrize("d", [3, 4])
def test_as_many_slabs_are_looked_at_as_are_told(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slabs: list[int] = []
    plane = _rectangle_listing._of_plane
    monkeypatch.setattr(_rectangle_listing, "_of_plane", lambda *given: slabs.append(1) or plane(*given))
    for m in (2, 6, 12):
        slabs.clear()
        sp.Rectangles(d).cover(points(m, d))
        seconds = estimates.boxes_listed(1, d).seconds
        assert within(estimates.boxes_listed(m, d).seconds / seconds, len(slabs)), (m, len(slabs))
    assert rectangles.least_boxes is _rectangle_listing.least_boxes


@pytest.mark.parametrize("same_population", [False, True])
@pytest.mark.parametrize("n", [300, 3_000, 30_000])
def test_rows_are_summed_up_as_often_as_is_told(n: int, same_population: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each noisy sum once, of rows that are there; mistakes of candidates once more."""
    x = points(n, 4)
    labels, public = (x[:, 0] > 0).astype(np.int8), points(100, 4)
    learner = sp.PublicModelDiscriminant(1.0, same_population)
    prepared = learner.prepare(public, sp.Halfspaces(4), (public[:, 0] > 0).astype(np.int8))
    sums, estimated = list[int](), list[int]()
    total, gradients = _totals.Examples.total, estimates.gradients
    monkeypatch.setattr(_totals.Examples, "total", lambda self, summand: sums.append(1) or total(self, summand))
    monkeypatch.setattr(estimates, "gradients", lambda *given: estimated.append(1 + given[3]) or gradients(*given))
    learner.release(prepared, x, labels, sp.Simulation(1))
    assert within(max(estimated), len(sums)), (estimated, sums)


def test_sums_that_are_made_elsewhere_are_released_of_any_number_of_rows() -> None:
    """The same sums are refused where they are made here."""
    public = points(300, 4)
    learner = sp.PublicMetricDiscriminant(1.0)
    prepared = learner.prepare(public, sp.Halfspaces(4))
    n, seen = 10**10, list[int]()

    def measured_of(summand: _totals.Summand) -> tuple[int, np.ndarray]:
        seen.append(n)
        return n, summand(public, np.zeros(300, np.int8))

    for elsewhere in (None, measured_of):
        whole = tallies.statistic(learner, prepared, n, lambda: (), elsewhere)
        whole.count(n)
        if elsewhere is None:
            with pytest.raises(WorkError, match="10,000,000,000 private rows"):
                whole.release(sp.Simulation(1))
        else:
            assert whole.release(sp.Simulation(1)).output is not None
    assert seen


@pytest.mark.parametrize("m", [30, 300, 3_000])
def test_public_rows_are_fitted_as_often_as_is_told(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fit = list[int](), public_model.ridge_logistic
    monkeypatch.setattr(public_model, "ridge_logistic", lambda u, *given: seen.append(len(u)) or fit(u, *given))
    public = points(m, 2)
    sp.PublicModelDiscriminant(1.0).prepare(public, sp.Halfspaces(2), (public[:, 0] > 0).astype(np.int8))
    assert within(public_model.looked_at(m), sum(seen))


@pytest.mark.parametrize("shape", [(200, 20), (2_000, 60), (60, 300)])
def test_public_rows_are_decomposed_as_is_told(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiplications of a decomposition of m rows of d coordinates: m d min(m, d), for each way to penalise."""
    done, svd = list[float](), np.linalg.svd

    def counted(matrix: np.ndarray, **options: bool) -> Any:
        done.append(math.prod(matrix.shape) * min(matrix.shape))
        return svd(matrix, **options)

    x = points(*shape)
    monkeypatch.setattr(np.linalg, "svd", counted)
    sp.PublicRidgeRegression(1.0).prepare(x, sp.Linear(shape[1]), np.clip(x[:, 0], -1, 1))
    seconds_each, passes = 5e-9 / 2, estimates.ridge(0, shape[1]) + estimates.public_points(*shape, 1)
    assert within(estimates.ridge(*shape).seconds - passes.seconds, seconds_each * sum(done))


X = np.zeros((2_000, 40))
REFUSED: dict[str, Callable[[], Any]] = {
    "least squares of 2,000 rows": lambda: sp.LeastSquaresBall().release(
        sp.LeastSquaresBall().prepare(X[:2], sp.LinearBall(40)), X, X[:, 0], sp.Simulation(1)
    ),
    "a logistic regression of 2,000 rows": lambda: halfspace(X, np.arange(2_000) % 2, 1.0),
    "least squares of 2,000 public rows": lambda: sp.PublicLeastSquares().prepare(X, sp.LinearBall(40), X[:, 0]),
    "ridge regressions of 2,000 public rows": lambda: sp.PublicRidgeRegression(1.0).prepare(X, sp.Linear(40), X[:, 0]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_fit_above_the_limits_is_refused_before_it_begins(what: str) -> None:
    with limits(minutes=1e-5), pytest.raises(WorkError, match=f"{what} with 40 features"):
        REFUSED[what]()


@pytest.mark.parametrize("values", [2, 6, 20])
def test_cells_get_noise_as_often_as_is_told(values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, drawn = np.random.default_rng(values), list[int]()
    columns = {name: rng.integers(0, values, 60) for name in "abc"}
    learner, schema = TableRelease(1.0, 1e-6), Schema(dict.fromkeys("abc", values))
    prepared, add = learner.prepare(columns, schema), DiscreteGaussian.add
    monkeypatch.setattr(DiscreteGaussian, "add", lambda self, z, coins: drawn.append(np.size(z)) or add(self, z, coins))
    with limits() as works:
        learner.release(prepared, columns, sp.Simulation(1))
    (work,) = works.values()
    noise = estimates.noise(sum(drawn), normal=True, calls=len(drawn)).seconds
    fit = estimates.marginals_fitted(3, 3 * values**2, 60.0).seconds
    assert work.seconds - fit == pytest.approx(noise)


def test_regions_are_counted_as_visits_and_planes() -> None:
    """Intersections of at most two halfplanes: H distinct ones make H + C(H, 2)."""
    for m in (3, 10, 30):
        public = np.random.default_rng(m).integers(-900, 900, (m, 2))
        prepared = sp.LearnHalf(1.0).prepare(public, sp.Halfspaces(2), np.zeros(m, np.int8))
        distinct = 2 * math.comb(m, 2)
        assert within(prepared.family.visits, distinct + math.comb(distinct, 2))
        assert within(len(prepared.family.hyperplanes), math.comb(m, 2))


# ---------------------------------------------------------------------------------------------------- properties of all
GROWING: dict[str, Callable[[int], Cost]] = {
    "halfspaces of a line": lambda m: estimates.halfspaces_listed(2 * m, m, 1),
    "halfspaces of a plane": lambda m: estimates.halfspaces_listed(m**2, m, 2),
    "halfspaces in space": lambda m: estimates.halfspaces_listed(m**3 / 3, m, 3),
    "stumps": lambda m: estimates.stumps_listed(m, 5, 10, m + 1, merged=False),
    "many stumps": lambda m: estimates.stumps_listed(m, 5, 10, m + 1, merged=True),
    "intersections": lambda m: estimates.intersections_listed(m, 2),
    "boxes": lambda m: estimates.boxes_listed(m, 3),
    "predictions": lambda n: estimates.predicted(5, n, 3),
    "range counting": lambda n: estimates.range_counted(5, n, 3),
    "cuts": lambda n: estimates.cuts_counted(5, n),
    "ranks": lambda n: estimates.ranked(n, 2),
    "halfplanes": lambda n: estimates.halfplanes_counted(5, n),
    "rectangles": lambda n: estimates.rectangles_counted(5, n),
    "regions": lambda n: estimates.regions_counted(5, 3, 10.0, n),
    "noise": lambda n: estimates.noise(n, normal=False),
    "reports": estimates.reported,
    "long columns": lambda cells: estimates.supported(500, 3, cells),
    "marginals": lambda g: estimates.marginals_fitted(g, 16.0 * g, 5e3),
    "gradients": lambda n: estimates.gradients(n, 5, 3, 2),
    "labels": lambda n: estimates.labelled(3, n, 5),
    "rules": estimates.rules_counted,
    "Newton": lambda m: estimates.newton(m, 5, m),
    "descent": lambda m: estimates.descent(m, 5, 3, m),
    "cells": lambda n: estimates.encoded(n, text=True),
    "words": estimates.words_counted,
    "least squares": lambda n: estimates.least_squares(n, 5),
    "logistic regression": lambda n: estimates.logistic(n, 5),
    "ridge regressions": lambda m: estimates.ridge(m, 5),
}


@pytest.mark.parametrize("name", GROWING)
def test_more_work_is_told_as_more(name: str) -> None:
    """Also of sizes that nobody has: numbers stay finite, and none is negative."""
    costs = [GROWING[name](10**exponent) for exponent in range(2, 10)]
    for cost, next_one in itertools.pairwise(costs):
        assert 0 < cost.seconds < next_one.seconds < math.inf
        assert 0 <= cost.bytes <= next_one.bytes < math.inf
    assert costs[-1].seconds / costs[-2].seconds > 4
