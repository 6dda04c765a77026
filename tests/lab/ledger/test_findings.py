"""Measurements and their verdicts, the joint verdict, the deciding measurement."""

import pytest

from semipriv.core.statistics import Interval, Verdict
from semipriv_lab.ledger.findings import (
    Measurement,
    at_most,
    conclude,
    equals,
    farthest_from_bound,
    gates,
    highest_over_bound,
    largest,
    largest_limit,
    nearest_of_worst,
    nearest_to_bound,
    recorded,
    verdict_on,
    within,
)

HOLDS, VIOLATED, REFUTED, OPEN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.REFUTED, Verdict.INCONCLUSIVE


def row(
    value: float, low: float, high: float, bound: float | None = None, verdict: Verdict | None = HOLDS
) -> Measurement:
    return Measurement("x", {}, Interval(value, low, high), bound, 10, verdict)


@pytest.mark.parametrize(
    ("measured", "options", "verdict"),
    [
        (1.0, {}, HOLDS),
        (1.0 + 1e-9, {}, VIOLATED),
        (1.0 + 1e-9, {"rounding": 1e-8}, HOLDS),
        (Interval(0.9, 0.8, 1.1), {}, OPEN),
        (Interval(0.9, 0.8, 1.0), {"trials": 9, "fewest": 10}, OPEN),
        (Interval(0.9, 0.8, 1.0), {"trials": 10, "fewest": 10}, HOLDS),
        (Interval(1.9, 1.8, 2.0), {"trials": 9, "fewest": 10}, VIOLATED),
        (2.0, {"judged": False}, None),
    ],
)
def test_at_most(measured: float | Interval, options: dict, verdict: Verdict | None) -> None:
    judged = at_most("x", {"n": 1}, measured, 1.0, **options)
    exact = measured if isinstance(measured, Interval) else Interval.exact(measured)
    assert judged == Measurement("x", {"n": 1}, exact, 1.0, options.get("trials", 0), verdict)


@pytest.mark.parametrize(
    ("measured", "options", "verdict"),
    [
        (0.0, {}, HOLDS),
        (1.1, {}, VIOLATED),
        (Interval(0.5, 0.4, 1.1), {}, OPEN),
        (Interval(0.5, 0.4, 0.6), {"trials": 2, "fewest": 3}, OPEN),
        (0.5, {"judged": False}, None),
    ],
)
def test_within(measured: float | Interval, options: dict, verdict: Verdict | None) -> None:
    judged = within("x", {}, measured, 0.0, 1.0, 7.0, **options)
    assert (judged.verdict, judged.bound, judged.trials) == (verdict, 7.0, options.get("trials", 0))


def test_equals() -> None:
    assert equals("x", {}, Interval(1.0, 0.9, 1.1), 1.0, 5).verdict is HOLDS
    assert equals("x", {}, Interval(1.0, 0.9, 1.1), 1.0, 5, 0.1).verdict is OPEN
    assert equals("x", {}, Interval(1.0, 0.9, 1.1), 2.0, 5).verdict is VIOLATED


def test_recorded() -> None:
    assert recorded("x", {}, 3) == Measurement("x", {}, Interval.exact(3))
    assert recorded("x", {}, Interval(2, 1, 3), 5.0, 7) == Measurement("x", {}, Interval(2, 1, 3), 5.0, 7)


@pytest.mark.parametrize(
    ("verdicts", "joint"),
    [
        ([HOLDS, HOLDS, None], HOLDS),
        ([HOLDS, OPEN], OPEN),
        ([HOLDS, OPEN, VIOLATED], VIOLATED),
        ([HOLDS, REFUTED, OPEN], REFUTED),
        ([REFUTED, VIOLATED], VIOLATED),
        ([None], OPEN),
        ([], OPEN),
    ],
)
def test_joint_verdict(verdicts: list[Verdict | None], joint: Verdict) -> None:
    assert verdict_on([row(1, 1, 1, verdict=verdict) for verdict in verdicts]) is joint


@pytest.mark.parametrize("gate", range(5))
def test_one_gate_that_fails_fails_the_claim(gate: int) -> None:
    rows = [row(0.1 * i, 0, 1, verdict=VIOLATED if i == gate else HOLDS) for i in range(5)]
    assert conclude("how", [*rows, row(9, 9, 9, verdict=None)], deciding=largest).verdict is VIOLATED


A, B, C = row(0.5, 0.1, 0.9, 1.0), row(0.6, 0.3, 0.8, 0.5), row(0.2, 0.0, 1.1, 4.0)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (largest, B),
        (largest_limit, C),
        (nearest_to_bound, B),
        (highest_over_bound, B),
        (farthest_from_bound, C),
        (nearest_of_worst, B),
    ],
)
def test_rules(rule, expected: Measurement) -> None:
    assert rule([A, B, C]) is expected
    control = row(expected.measured.value, expected.measured.low, expected.measured.high, expected.bound)
    assert rule([A, B, C, control]) is expected, "the first of equal ones"


def test_equal_lower_limits_are_told_apart_by_upper_ones() -> None:
    narrow, other = row(0.1, 0.0, 0.2, 0.5), row(0.1, 0.0, 0.3, 0.5)
    assert highest_over_bound([narrow, other]) is other


def test_the_worst_verdict_decides() -> None:
    open_ = row(0.1, 0.0, 0.2, 1.0, OPEN)
    assert nearest_of_worst([A, open_, B]) is open_
    bare = row(0.1, 0.0, 0.2, None, VIOLATED)
    assert nearest_of_worst([A, bare, B]) is A, "no violated one has a bound"


def test_conclude() -> None:
    record = row(9, 9, 9, 1.0, None)
    finding = conclude("how", iter([record, A, B]), deciding=largest, reason=lambda verdict: f"it {verdict.value}")
    assert (finding.verdict, finding.deciding, finding.reason) == (HOLDS, B, "it holds")
    assert finding.measurements == (record, A, B)
    assert finding.constants == "the paper's"
    assert gates(finding.measurements) == [A, B]
    given = conclude("how", [A], deciding=record, verdict=Verdict.ILLUSTRATION, constants="ours", reason="so")
    assert (given.verdict, given.deciding, given.constants, given.reason) == (
        Verdict.ILLUSTRATION,
        record,
        "ours",
        "so",
    )


def test_nearest_to_its_bound_is_by_limits_not_by_values() -> None:
    wide, narrow = row(0.2, 0.1, 0.9, 1.0), row(0.5, 0.4, 0.6, 1.0)
    assert nearest_to_bound([wide, narrow]) is wide
    assert largest([wide, narrow]) is narrow
