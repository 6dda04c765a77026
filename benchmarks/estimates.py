"""How far estimates of work are off: seconds told over seconds of the processor, at sizes over two decades.

The rates of ``semipriv.core.estimates`` are from here.  Machines differ, and so do kernels that are compiled: a factor
between 1 / 3 and 3 is what is promised.
"""

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmark import Call, generator

import semipriv as sp
from semipriv.classes.base import HypothesisClass
from semipriv.core.work import limits, total
from semipriv.geometry.turning import best_halfspace
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column, Schema
from semipriv.queries.unit_mass import Number, ReportSchema

FACTOR = 3.0
LEAST = 1e-3
"""Seconds below which nobody waits, and calls of NumPy are all that is measured."""
Case = Callable[[int], tuple[Call, float]]
"""A size to what is done, and the seconds that are told."""


def cover(h: HypothesisClass) -> Case:
    def of(m: int) -> tuple[Call, float]:
        points = generator().normal(size=(m, h.dimension))
        with limits(memory=16) as works:
            h.cover(points).listed()
        return lambda: h.cover(points).listed(), total(works.values()).seconds

    return of


def tally(h: HypothesisClass, m: int) -> Case:
    def of(n: int) -> tuple[Call, float]:
        rng = generator()
        cover = h.cover(rng.normal(size=(m, h.dimension)))
        x, y = rng.normal(size=(n, h.dimension)), rng.integers(0, 2, n).astype(np.int8)
        cost = cover.tally_cost(n)
        assert cost is not None
        return lambda: cover.tally(x, y).draw(1, sp.Secure()), cost.seconds

    return of


def release(learner: Any, functions: Any, *, labelled: bool, of_public: bool = False) -> Case:
    """Return a release for n private rows; of_public: for n public rows."""

    def of(n: int) -> tuple[Call, float]:
        rng, d, (m, rows) = generator(), functions.dimension, (n, 500) if of_public else (500, n)
        classes = getattr(functions, "classes", 2)
        public, x = rng.normal(size=(m, d)), rng.normal(size=(rows, d))
        y, known = (np.argmax(scores[:, :classes], axis=1).astype(np.int8) for scores in (x, public))
        prepared = learner.prepare(public, functions, known if labelled else None)
        cost = learner.draw_cost(prepared, rows)
        return lambda: learner.release(prepared, x, y, sp.Secure()), cost.seconds

    return of


def model(learner: Any, functions: Any, *, labelled: bool = True) -> Case:
    def of(m: int) -> tuple[Call, float]:
        public, classes = generator().normal(size=(m, functions.dimension)), getattr(functions, "classes", 2)
        known = np.argmax(public[:, :classes], axis=1).astype(np.int8) if labelled else None
        with limits(memory=16) as works:
            learner.prepare(public, functions, known)
        return lambda: learner.prepare(public, functions, known), total(works.values()).seconds

    return of


def support(m: int) -> tuple[Call, float]:
    rng, schema, learner = generator(), Schema(dict.fromkeys("abcdefgh", 8)), sp.TableRelease(1.0, 1e-6)
    rows = {name: rng.integers(0, 8, m) for name in "abcdefgh"}
    with limits(memory=16) as works:
        learner.prepare(rows, schema)
    return lambda: learner.prepare(rows, schema), total(works.values()).seconds


def long_columns(values: int) -> tuple[Call, float]:
    rng, schema, learner = generator(), Schema(dict.fromkeys("abc", values)), sp.TableRelease(1.0, 1e-6)
    rows = {name: rng.integers(0, values, 500) for name in "abc"}
    with limits(memory=16) as works:
        learner.prepare(rows, schema)
    return lambda: learner.prepare(rows, schema), total(works.values()).seconds


def report(groups: int) -> tuple[Call, float]:
    rng, schema = generator(), ReportSchema((Column("group", range(groups)), Number("value", 0.0, 1.0)))
    statistics = [{"statistic": "count", "by": "group"}, {"statistic": "mean", "column": "value", "by": "group"}]
    learner = StatisticsRelease(1.0, 1e-6, statistics=statistics, ends="declared")
    prepared = learner.prepare(np.empty((0, 2)), schema)
    rows = np.column_stack([rng.integers(0, groups, 10_000), rng.random(10_000)])
    return lambda: learner.release(prepared, rows, sp.Secure()), learner.draw_cost(prepared, 10_000).seconds


def regions(m: int) -> Case:
    def of(n: int) -> tuple[Call, float]:
        rng, learner = generator(), sp.LearnHalf(1.0, privacy="any")
        public, x = (rng.integers(-900, 900, (rows, 2)).astype(float) for rows in (m, n))
        known, y = (rng.integers(0, 2, rows).astype(np.int8) for rows in (m, n))
        prepared = learner.prepare(public, sp.Halfspaces(2), known)
        cost = learner.draw_cost(prepared, n)
        assert cost is not None
        return lambda: learner.release(prepared, x, y, sp.Secure()), cost.seconds

    return of


def turned(d: int) -> Case:
    def of(n: int) -> tuple[Call, float]:
        points, costs = generator().normal(size=(n, d)), generator().normal(size=n)
        with limits() as works:
            best_halfspace(points, costs)
        return lambda: best_halfspace(points, costs), total(works.values()).seconds

    return of


def synthetic(columns: int) -> Case:
    names = [f"c{i}" for i in range(columns)]

    def of(size: int) -> tuple[Call, float]:
        rng, schema = generator(), Schema(dict.fromkeys(names, 10))
        rows = {name: rng.integers(0, 10, 2_000) for name in names}
        learner = sp.TableRelease(1.0, 1e-6)
        output = learner.release(learner.prepare(rows, schema), rows, sp.Simulation(1)).output
        sizes = itertools.count(size)  # the last table of one size is kept
        return lambda: output.synthetic(next(sizes), sp.Simulation(1)), output.rows_cost(size).seconds

    return of


def table(values: int) -> tuple[Call, float]:
    rng, schema = generator(), Schema(dict.fromkeys("abc", values))
    rows = {name: rng.integers(0, values, 500) for name in "abc"}
    learner = sp.TableRelease(1.0, 1e-6)
    prepared = learner.prepare(rows, schema)
    return lambda: learner.release(prepared, rows, sp.Secure()), learner.draw_cost(prepared, 500).seconds


CASES: dict[str, tuple[Case, tuple[int, ...]]] = {
    "halfspaces of a line, listed": (cover(sp.Halfspaces(1)), (3_000, 30_000, 300_000)),
    "halfplanes, listed": (cover(sp.Halfspaces(2)), (10, 100, 1_000)),
    "halfspaces in space, listed": (cover(sp.Halfspaces(3)), (15, 40, 100)),
    "halfspaces of four features, listed": (cover(sp.Halfspaces(4)), (12, 36)),
    "stumps of 50 features, listed": (cover(sp.DecisionStumps(50)), (200, 2_000, 20_000)),
    "stumps of 400 features, listed": (cover(sp.DecisionStumps(400)), (20, 200, 2_000)),
    "intersections, listed": (cover(sp.HalfspaceIntersections(2, 2)), (8, 24, 40)),
    "boxes in space, listed": (cover(sp.Rectangles(3)), (8, 28)),
    "boxes of four features, listed": (cover(sp.Rectangles(4)), (6, 14)),
    "thresholds, counted": (tally(sp.Thresholds(), 1_000), (10_000, 100_000, 1_000_000)),
    "intervals, counted": (tally(sp.Intervals(), 1_000), (10_000, 100_000, 1_000_000)),
    "halfplanes, counted": (tally(sp.Halfspaces(2), 100), (1_000, 10_000, 100_000)),
    "halfspaces in space, counted": (tally(sp.Halfspaces(3), 30), (1_000, 10_000, 100_000)),
    "halfspaces of five features, counted": (tally(sp.Halfspaces(5), 14), (1_000, 10_000)),
    "stumps, counted": (tally(sp.DecisionStumps(20), 200), (1_000, 10_000, 100_000)),
    "boxes in space, counted": (tally(sp.Rectangles(3), 14), (1_000, 10_000, 100_000)),
    "point functions, counted": (tally(sp.PointFunctions(2), 1_000), (1_000, 10_000, 100_000)),
    "intersections, counted": (tally(sp.HalfspaceIntersections(2, 2), 14), (1_000, 10_000, 100_000)),
    "rectangles, counted": (tally(sp.Rectangles(2), 300), (10_000, 100_000, 1_000_000)),
    "regions, 10 public points": (regions(10), (1_000, 10_000, 100_000)),
    "regions, 100 public points": (regions(100), (100, 1_000, 10_000)),
    "metric discriminant": (
        release(sp.PublicMetricDiscriminant(1.0), sp.Halfspaces(5), labelled=False),
        (2_000, 20_000, 200_000),
    ),
    "model discriminant": (
        release(sp.PublicModelDiscriminant(1.0), sp.Halfspaces(30), labelled=True),
        (1_000, 10_000, 100_000),
    ),
    "metric multiclass": (
        release(sp.PublicMetricMulticlass(1.0), sp.LinearRules(5, 3), labelled=False),
        (1_000, 10_000, 100_000),
    ),
    "model multiclass": (
        release(sp.PublicModelMulticlass(1.0), sp.LinearRules(20, 4), labelled=True),
        (1_000, 10_000, 100_000),
    ),
    "metric discriminant, public rows": (
        release(sp.PublicMetricDiscriminant(1.0), sp.Halfspaces(5), labelled=False, of_public=True),
        (1_000, 10_000, 100_000),
    ),
    "model discriminant, public rows": (
        release(sp.PublicModelDiscriminant(1.0), sp.Halfspaces(30), labelled=True, of_public=True),
        (1_000, 10_000, 100_000),
    ),
    "metric multiclass, public rows": (
        release(sp.PublicMetricMulticlass(1.0), sp.LinearRules(5, 3), labelled=False, of_public=True),
        (1_000, 10_000, 100_000),
    ),
    "model multiclass, public rows": (
        release(sp.PublicModelMulticlass(1.0), sp.LinearRules(20, 4), labelled=True, of_public=True),
        (1_000, 10_000, 100_000),
    ),
    "public model, 5 features": (model(sp.PublicModelDiscriminant(1.0), sp.Halfspaces(5)), (1_000, 10_000, 100_000)),
    "public model, 50 features": (model(sp.PublicModelDiscriminant(1.0), sp.Halfspaces(50)), (200, 2_000, 20_000)),
    "public model of labels": (model(sp.PublicModelMulticlass(1.0), sp.LinearRules(20, 4)), (200, 2_000, 20_000)),
    "axes, 5 features": (
        model(sp.PublicMetricDiscriminant(1.0), sp.Halfspaces(5), labelled=False),
        (10_000, 100_000, 1_000_000),
    ),
    "axes, 50 features": (
        model(sp.PublicMetricDiscriminant(1.0), sp.Halfspaces(50), labelled=False),
        (1_000, 10_000, 100_000),
    ),
    "ridge regressions, 5 features": (model(sp.PublicRidgeRegression(1.0), sp.Linear(5)), (1_000, 10_000, 100_000)),
    "ridge regressions, 50 features": (model(sp.PublicRidgeRegression(1.0), sp.Linear(50)), (200, 2_000, 20_000)),
    "support of a table": (support, (10_000, 100_000, 1_000_000)),
    "long columns of a table": (long_columns, (30, 300, 3_000)),
    "halfspaces turned about points of the plane": (turned(2), (20, 200, 2_000)),
    "halfspaces turned about points of space": (turned(3), (10, 30, 100, 200)),
    "synthetic rows of 4 columns": (synthetic(4), (1_000, 10_000, 100_000, 1_000_000)),
    "synthetic rows of 20 columns": (synthetic(20), (1_000, 10_000, 100_000, 1_000_000)),
    "noise of a table": (table, (4, 12, 40)),
    "report of groups": (report, (3_000, 30_000, 300_000)),
}


def seconds(call: Call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    for name, (case, sizes) in CASES.items():
        for size in sizes:
            call, description = case(size)
            call()  # compiled
            took = min(seconds(call), seconds(call))
            off = description / max(took, 1e-9)
            missed = took >= LEAST and not 1 / FACTOR <= off <= FACTOR
            print(
                f"{name:<38} {size:>9,} {took:>9.3g} s, told {description:>9.3g} s: {off:.2f}{'  MISSED' * missed}",
                flush=True,
            )


if __name__ == "__main__":
    main()
