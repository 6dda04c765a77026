"""What takes too long, or too much memory, is refused before it begins, by a formula; what takes long is told."""

import logging
import math
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import semipriv as sp
from semipriv.classes.base import HypothesisClass
from semipriv.core.work import GIB, Cost, Limits, WorkError, check_work, in_force, limits, tell_all, total
from semipriv.geometry.turning import best_halfspace
from semipriv.learners.tables.table_release import TableRelease
from semipriv.queries.schema import Schema

CODES = np.random.default_rng(0).integers(0, 2_000, (200, 4))


def cover(h: HypothesisClass, m: int) -> Callable[[], Any]:
    points = np.random.default_rng(1).normal(size=(m, h.dimension))
    return lambda: sp.SSPP(1.0).prepare(points, h)


def table(values: int, delta: float) -> Callable[[], object]:
    columns = dict(zip("abcd", CODES.T % values, strict=True))
    learner = TableRelease(1.0, delta)
    prepared = learner.prepare(columns, Schema(dict.fromkeys("abcd", values)))
    return lambda: learner.check_release(prepared, 5_000)


def counted(h: HypothesisClass, m: int, n: int) -> Callable[[], object]:
    learner, prepared = sp.SSPP(1.0), cover(h, m)()
    return lambda: learner.check_release(prepared, n)


def regions(m: int, n: int) -> Callable[[], object]:
    rng, learner = np.random.default_rng(1), sp.LearnHalf(1.0)
    prepared = learner.prepare(rng.integers(-900, 900, (m, 2)), sp.Halfspaces(2), np.zeros(m, np.int8))
    return lambda: learner.check_release(prepared, n)


def rule(d: int, n: int) -> Callable[[], object]:
    learner = sp.PublicMetricDiscriminant(1.0)
    prepared = learner.prepare(np.random.default_rng(1).normal(size=(2 * d, d)), sp.Halfspaces(d))
    return lambda: learner.check_release(prepared, n)


def fitted(m: int, d: int) -> Callable[[], object]:
    public, labels = np.zeros((m, d)), np.zeros(m, np.int8)
    return lambda: sp.PublicModelDiscriminant(1.0).prepare(public, sp.Halfspaces(d), labels)


def rows(size: int) -> Callable[[], object]:
    schema = Schema({"a": 3, "b": 2})
    output = TableRelease(1.0, 1e-6).prepare(None, schema)
    columns = {"a": np.arange(60) % 3, "b": np.arange(60) % 2}
    release = TableRelease(1.0, 1e-6).release(output, columns, sp.Simulation(1))
    return lambda: release.output.synthetic(size, sp.Simulation(1))


def gridded(h: HypothesisClass) -> Callable[[], object]:
    return lambda: sp.GridQueryRelease(1.0).prepare(np.zeros((1, h.dimension)), h)


def queried(h: HypothesisClass, m: int) -> Callable[[], object]:
    points = np.random.default_rng(1).normal(size=(m, h.dimension))
    return lambda: sp.PublicQueryMeans().prepare(points, h)


def tried(h: HypothesisClass, m: int, n: int) -> Callable[[], object]:
    learner, points = sp.RRSPM(1.0, weights="discrete_laplace"), np.random.default_rng(1).normal(size=(m, h.dimension))
    prepared = learner.prepare(points, h)
    return lambda: learner.check_release(prepared, n)


def turned(n: int, d: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    return lambda: best_halfspace(rng.normal(size=(n, d)), rng.normal(size=n))


def listed(name: str, m: int, d: int) -> Callable[[], object]:
    h, points = getattr(sp, name)(d), np.random.default_rng(1).normal(size=(m, d))
    return lambda: sp.SSPP(1.0).prepare(points, h)


SCALING = "learners that list no hypotheses: .*public_metric_discriminant"
TOO_MUCH: dict[str, tuple[Callable[[], Callable[[], Any]], str]] = {
    "halfspaces in space": (partial(cover, sp.Halfspaces(3), 420), f"hypotheses to list, .* GiB .*{SCALING}"),
    "intersections": (partial(cover, sp.HalfspaceIntersections(2, 2), 200), "pairs of halfspaces to list, about"),
    "stumps": (partial(cover, sp.DecisionStumps(2_000), 3_500), "14,004,000 hypotheses to list, 69.* GiB"),
    "halfplanes that are not listed": (
        partial(cover, sp.Halfspaces(2), 150_000),
        "the cover has up to 22,499,850,002 hypotheses to count, about 15 min",
    ),
    "halfplanes on many rows": (
        partial(counted, sp.Halfspaces(2), 3_000, 10**7),
        "of 3,000 public points to count on 10,000,000 private rows, ",
    ),
    "rectangles": (partial(counted, sp.Rectangles(2), 10_000, 100), "of 10,000 public points to count on 100 .* about"),
    "a list on many rows": (
        partial(counted, sp.Halfspaces(3), 30, 10**8),
        "of 30 public points to count on 100,000,000 private rows, ",
    ),
    "regions": (partial(regions, 60, 10**9), "of 60 public points to count on 1,000,000,000 private rows"),
    "gradients": (partial(rule, 40, 10**9), "sums over 1,000,000,000 private rows of 40 features, "),
    "a public model": (partial(fitted, 400, 8_000), "a model of 400 public rows with 8,000 features to fit, "),
    "a table": (partial(table, 2_000, 1e-6), "24,000,000 cells of marginals that get noise, 2.86 GiB"),
    "intersections to try": (
        partial(tried, sp.HalfspaceIntersections(2, 2), 6, 1_000),
        r"up to 1.022e\+12, to try on",
    ),
    "a grid": (partial(gridded, sp.Rectangles(3)), r"the grid has 1.074e\+09 points to list, 24 GiB"),
    "labels of halfplanes": (
        partial(cover, sp.HalfspaceIntersections(2, 2), 1_500),
        "labels of 1,500 points by 2,248,502 halfspaces to list, 3.15 GiB",
    ),
    "turns of halfspaces": (partial(turned, 400, 5), "turns of a halfspace about 4 of 400 points at a time, 78.* GiB"),
    "synthetic rows": (partial(rows, 10**8), r"1e\+08 synthetic rows to make, "),
    "a pure table": (partial(table, 2_000, 0.0), "20,000,000 cells of marginals that get noise, 2.38 GiB"),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_what_takes_too_much_is_refused_at_once(case: str) -> None:
    make, message = TOO_MUCH[case]
    work = make()
    start = time.process_time()
    with pytest.raises(WorkError, match=message) as caught:
        work()
    assert time.process_time() - start < 5
    text = str(caught.value)
    assert re.search(r"\((limit 10 min 00 s|limit 2 GiB)\): (take|make) (a grid with )?fewer |: list the marg", text)
    name = "memory" if caught.value.memory else "minutes"
    assert f"or allow it by limits: {{{name}: " in text
    assert f"(in Python: with semipriv.limits({name}=" in text
    assert "\n" not in text


BEYOND = {
    "a span that is not found": (partial(listed, "Halfspaces", 2_000, 300), r"e\+\d+ hypotheses to list, "),
    "as many features as points": (partial(listed, "Halfspaces", 1_500, 1_200), r"e\+\d+ hypotheses to list, "),
    "sets of many halfspaces": (partial(queried, sp.HalfspaceIntersections(30, 300), 40), r"up to 1.04e\+12 hyp"),
    "a grid of many features": (
        partial(gridded, sp.Halfspaces(70)),
        r"the grid has 5.26e\+210 points to list",
    ),
    "a number beyond all floats": (
        partial(listed, "Rectangles", 600, 500),
        "to look for, more than a year",
    ),
    "rows that no machine holds": (partial(rows, 10**16), r"1e\+16 synthetic rows to make"),
}


@pytest.mark.parametrize("case", BEYOND)
def test_what_no_machine_does_is_refused_without_advice_to_allow_it(case: str) -> None:
    make, message = BEYOND[case]
    work = make()
    start = time.process_time()
    with pytest.raises(WorkError, match=message) as caught:
        work()
    assert time.process_time() - start < 5
    assert "allow it" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_halfspaces_of_a_line_are_listed_whatever_their_number() -> None:
    assert len(cover(sp.Halfspaces(1), 50_000)()) == 100_000


def test_the_limit_is_an_argument() -> None:
    listed, large = cover(sp.Halfspaces(2), 40), table(400, 1e-6)
    with limits(minutes=1e-5), pytest.raises(WorkError, match=r"limits: \{minutes: 1\} .*; learners"):
        listed()
    with limits(minutes=0.02):
        listed()
        with pytest.raises(WorkError, match=r"960,000 cells .* about 2.7 s .* \{minutes: 1\}"):
            large()
        with limits(minutes=math.inf):
            large()
        assert in_force() == Limits(minutes=0.02)
    assert in_force() == Limits()
    large()


@pytest.mark.parametrize("wrong", ["long", 0, -1, math.nan, True, None])
@pytest.mark.parametrize("name", ["minutes", "memory"])
def test_a_limit_is_a_number(name: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=rf"limits.{name} = {wrong!r}: must be a number of"), limits(**{name: wrong}):
        pass


def test_long_work_is_told_as_it_begins(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        check_work("a short list", Cost(19.0), "take less")
        check_work("a long list", Cost(90.0), "take less")
        check_work("a large list", Cost(1.0, GIB), "take less")
        check_work("a long draw, later", Cost(90.0), "take less", begins=False)
        tell_all()
    logged = [record.getMessage() for record in caplog.records]
    assert logged == ["a long list, about 1 min 30 s", "a large list, about 1.0 s and 1 GiB"]


def test_all_that_is_asked_for_is_found_and_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), limits(memory=4) as works:
        check_work("a list", Cost(15.0, 3 * GIB), "take less", begins=False)
        check_work("a draw", Cost(10.0), "take less", begins=False)
        check_work("a draw", Cost(10.0), "take less", begins=False)
        with pytest.raises(WorkError):
            check_work("a larger list", Cost(0.0, 5 * GIB), "take less", begins=False)
        del works["a larger list"]
        tell_all()
    assert total(works.values()) == Cost(25.0, 3 * GIB)
    assert "about 25 s and 3 GiB" in caplog.records[-1].getMessage()
