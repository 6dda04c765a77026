"""What takes too long is refused before it begins, by a formula; what takes long is told."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import semipriv as sp
from semipriv.classes.base import HypothesisClass
from semipriv.core.work import VARIABLE, WorkError, check_work
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


def answers(method: str) -> Callable[[], object]:
    learner = sp.QueryRelease(1.0, 1e-6, method)
    prepared = learner.prepare(np.random.default_rng(1).normal(size=(3_160, 1)), sp.Intervals())
    return lambda: learner.check_release(prepared, 5_000)


def counted(h: HypothesisClass, m: int, n: int) -> Callable[[], object]:
    learner, prepared = sp.SSPP(1.0), cover(h, m)()
    return lambda: learner.check_release(prepared, n)


SCALING = "learners that list no hypotheses: .*public_metric_discriminant"
TOO_LONG: dict[str, tuple[Callable[[], Callable[[], Any]], str]] = {
    "halfspaces in space": (partial(cover, sp.Halfspaces(3), 420), f"hypotheses to list, about .*{SCALING}"),
    "intersections": (
        partial(cover, sp.HalfspaceIntersections(2, 2), 200),
        "pairs of halfspaces to list, about 26 min",
    ),
    "stumps": (partial(cover, sp.DecisionStumps(2_000), 4_500), "18,004,000 hypotheses to list, about 12 min"),
    "halfplanes that are not listed": (
        partial(cover, sp.Halfspaces(2), 100_000),
        "the cover has up to 9,999,900,002 hypotheses to count, about 16 min",
    ),
    "halfplanes on many rows": (
        partial(counted, sp.Halfspaces(2), 3_000, 10**7),
        "of 3,000 public points to count on 10,000,000 private rows, about 50 min",
    ),
    "rectangles": (
        partial(counted, sp.Rectangles(2), 10_000, 100),
        "of 10,000 public points to count on 100 .* about 20 min",
    ),
    "noise on queries": (partial(answers, "gaussian"), "4,994,381 draws of noise, about 11 min"),
    "a table": (partial(table, 2_000, 1e-6), "24,000,000 cells of marginals that get noise, about 57 min"),
    "a pure table": (partial(table, 2_000, 0.0), "20,000,000 cells of marginals that get noise, about 22 min"),
}


@pytest.mark.parametrize("case", TOO_LONG)
def test_what_takes_too_long_is_refused_at_once(case: str) -> None:
    made, said = TOO_LONG[case]
    work = made()
    start = time.process_time()
    with pytest.raises(WorkError, match=said) as caught:
        work()
    assert time.process_time() - start < 5
    assert "(limit 10 min 00 s): take fewer" in str(caught.value)
    assert f"or allow it by the environment variable {VARIABLE}=" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_halfspaces_of_a_line_are_listed_whatever_their_number() -> None:
    assert len(cover(sp.Halfspaces(1), 50_000)()) == 100_000


def test_the_limit_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = cover(sp.Halfspaces(2), 40)
    monkeypatch.setenv(VARIABLE, "1e-5")
    with pytest.raises(WorkError, match=f"{VARIABLE}=1; learners"):
        listed()
    monkeypatch.setenv(VARIABLE, "1")
    listed()
    large = table(400, 1e-6)
    with pytest.raises(WorkError, match=f"960,000 cells .* about 2 min 17 s .*{VARIABLE}=3"):
        large()
    monkeypatch.setenv(VARIABLE, "3")
    large()
    for wrong in ("long", "0", "-1", "nan"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(ValueError, match=f"{VARIABLE} = '{wrong}': must be a number of minutes > 0"):
            listed()


def test_long_work_is_told_as_it_begins(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        check_work("a short list", 19.0, "take less")
        check_work("a long list", 90.0, "take less")
        check_work("a long draw, later", 90.0, "take less", begins=False)
    assert [record.getMessage() for record in caplog.records] == ["a long list, about 1 min 30 s"]


@pytest.mark.parametrize("m", [60, 100])
def test_an_estimate_is_right_up_to_a_factor(m: int) -> None:
    """Of ten: machines differ, and others are at work on this one."""
    h = sp.Halfspaces(3)
    points = np.random.default_rng(2).normal(size=(m, 3))
    h.cover(points[:6])  # compiles
    start = time.process_time()
    found = h.cover(points)
    assert 0.1 < (time.process_time() - start) / (len(found) * m / 1e7) < 10
