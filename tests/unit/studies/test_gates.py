"""Every study: error levels shared by gates, rows that fail alone, windows of the specification, streams begun once."""

import inspect
import json
import math
from collections import Counter
from dataclasses import replace

import cells
import levels as used
import pytest
import told
import traced
from by_hand import BY_HAND
from traced import Rule, Trace, levels, run

from semipriv import tables
from semipriv.ledger.findings import Measurement, at_most, conclude, equals, gates, verdict_on, within
from semipriv.ledger.table import MEASUREMENTS
from semipriv.statistics import GATE_LEVEL, Interval, Verdict
from semipriv.studies.catalogue import studies

OPINIONS = (Verdict.ILLUSTRATION, Verdict.CITED)
"""Verdicts that no gate changes."""
WINDOWS = {
    "ABM19-L3.3-rate": {(-1.0, math.inf), (-math.inf, 1.0)},
    "ABM19-NAIVE": {(-2.15, -1.85)},
    "ABM19-T4.1-pair": {(-1.05, -0.97)},
    "ABM19-T3.1-agnostic": {(-2.1, -1.9), (-1.1, -0.95)},
    "ABM19-T3.1-realizable": {(-1.03, -0.99)},
    "ABM19-T4.2-growth": {(0.9 * 4 * math.log(2) / epsilon, 1.1 * 4 * math.log(2) / epsilon) for epsilon in (0.1, 1)},
    "BMN20-SEP": {(0.98, 1.0), *((0.7 * 4 * math.log(2) / e, 1.3 * 4 * math.log(2) / e) for e in (0.5, 1))},
    "BMN20-RELAX-i": {(0.9, 1.1)},
    "BMN20-DIM": {(0.99, 1.01)},
    "BCM20-SAVING": {(-1.0, math.inf), (-2.15, -1.85), (0.05, 1.0), (0.1, 1.0)},
}
"""Windows as the specification gives them, or as they were set before the first result."""
SAME_LINE = {"abm19_learning": 3, "bmn20_geometry": 2, "bmn20_subsample": 7, "bcm20_domain_size": 23}
"""How often a stream may begin again on purpose, at the same line, in studies that compare settings on equal samples:
values of epsilon, two readings, sizes of the subset, domains and maps of equal points."""


@pytest.mark.parametrize("study", studies())
def test_laws_of_a_study(study: str) -> None:
    """All laws in one test, so that the study runs once."""
    trace = run(study)
    assert trace.found.keys() == set(studies()[study].claims)
    _gates_share_one_level(study, trace)
    _no_gate_is_left_out(trace)
    _each_gate_can_fail(trace)
    _windows_are_those_of_the_specification(trace)
    _cells_are_those_that_are_known(study, trace)
    _figures_are_drawn_from_such_rows(study, trace)
    _no_two_gates_are_one_cell(trace)
    _what_is_computed_without_samples_holds(trace)
    _verdicts_by_hand_are_those_of_their_limits(trace)
    _streams_begin_once(study, trace)
    _reasons_tell_the_numbers_of_their_rows(trace)


def _gates_share_one_level(study: str, trace: Trace) -> None:
    """The limits behind the gates of a claim fail together with a chance of GATE_LEVEL at most, and as known."""
    known = json.loads(used.FILE.read_text())
    for claim, (level, unknown) in levels(study, trace).items():
        assert not unknown, f"{claim}: no function with a level made {unknown[0].quantity}, {unknown[0].settings}"
        assert level <= GATE_LEVEL * (1 + 1e-9), f"{claim}: its limits have the level {level / GATE_LEVEL} GATE_LEVEL"
        assert used.told(level) == known[claim], f"{claim}: uses another part of its level, see tests/levels.py"
        gates_of = [row for row in trace.found[claim].measurements if traced.simulated(row)]
        for row in gates_of:
            own = [limits.level for limits in trace.limits if limits.made(row)]
            assert all(one * len(gates_of) <= GATE_LEVEL * (1 + 1e-9) for one in own), f"{claim}: {row.settings}"


def _no_gate_is_left_out(trace: Trace) -> None:
    """Every row that has a verdict is a row of a finding, and the verdict is that on all of its rows."""
    kept = {id(row) for found in trace.found.values() for row in (*found.measurements, found.deciding)}
    lost = [row for row in gates(trace.measurements) if id(row) not in kept]
    for claim, found in trace.found.items():
        judged = {id(row) for row in gates(found.measurements)}
        seen = [{id(row) for row in gates(rows)} for rows in trace.judged_together]
        if found.verdict not in OPINIONS:
            assert judged in seen, f"{claim}: its verdict is not that on all of its gates"
            allowed = {verdict_on(found.measurements), Verdict.INCONCLUSIVE}
            assert found.verdict in allowed, f"{claim}: {found.verdict} is not the verdict on its gates"
    assert not lost, f"no finding has {lost[0].quantity}, {lost[0].settings}"


def _each_gate_can_fail(trace: Trace) -> None:
    """A value beyond what the gate allows is violated, and one violated gate is enough for the claim."""
    for rule in trace.rules:
        if rule.row.verdict is not None:
            for value in _beyond(rule):
                assert _with(rule, value).verdict is Verdict.VIOLATED, f"{rule.row.quantity}, {rule.row.settings}"
    for claim, found in trace.found.items():
        judged = gates(found.measurements)
        good = [replace(row, verdict=Verdict.HOLDS) for row in judged]
        for i in range(len(good)):
            bad = [*good[:i], replace(good[i], verdict=Verdict.VIOLATED), *good[i + 1 :]]
            assert conclude("", bad, deciding=bad[0]).verdict is Verdict.VIOLATED, claim


def _beyond(rule: Rule) -> list[Interval]:
    """Return values just outside of what a rule allows."""
    given, step = rule.arguments, 1e-6
    if rule.name == "within":
        ends = [(given["low"], -step), (given["high"], step)]
    else:
        ends = [(given["bound" if rule.name == "at_most" else "exact"], step)]
    return [Interval.exact(end + by * max(1e-2, abs(end))) for end, by in ends if not math.isinf(end)]


def _with(rule: Rule, value: Interval) -> Measurement:
    function = {"at_most": at_most, "within": within, "equals": equals}[rule.name]
    given = rule.arguments | {"measured": value}
    names = inspect.signature(function).parameters
    return function(**{name: given[name] for name in names})


def _windows_are_those_of_the_specification(trace: Trace) -> None:
    owner = {id(row): claim for claim, found in trace.found.items() for row in found.measurements}
    used: dict[str, set[tuple[float, float]]] = {claim: set() for claim in trace.found if claim in WINDOWS}
    for rule in trace.rules:
        claim = owner.get(id(rule.row), "")
        if rule.name == "within" and rule.row.verdict is not None and claim in used:
            used[claim].add((rule.arguments["low"], rule.arguments["high"]))
    for claim, windows in used.items():
        known = WINDOWS[claim]
        assert all(any(one == pytest.approx(other) for other in known) for one in windows), f"{claim}: {windows}"
        assert all(any(one == pytest.approx(other) for other in windows) for one in known), f"{claim}: {windows}"


def _cells_are_those_that_are_known(study: str, trace: Trace) -> None:
    """No cell is lost or left unjudged, no bound or setting changes, no other learner draws, without a word of it."""
    known = json.loads(cells.FILE.read_text())
    drawn = known[study]["draws"]
    assert drawn in (cells.RANDOM, sorted(trace.draws)), f"{study}: draws {trace.draws ^ set(drawn)}"
    found = {claim: cells.cells(finding, trace.rules) for claim, finding in trace.found.items()}
    lost = cells.differences({claim: known[claim] for claim in found}, found)
    assert not lost, "\n".join(["cells are not those of tests/cells.py:", *lost])


def _figures_are_drawn_from_such_rows(study: str, trace: Trace) -> None:
    """The rows from which ``tests/unit/figures`` draws have the quantities and the settings of the study's own."""
    if studies()[study].figure is not None:
        known, found = (
            {(row["claim"], row["quantity"], *json.loads(row["settings"])) for row in rows}
            for rows in (tables.read_rows(cells.MEASURED, MEASUREMENTS), cells.measured(trace.found))
        )
        own = {kind for kind in known if kind[0] in trace.found}
        assert own == found, f"measured.parquet is out of step, run tests/cells.py: {sorted(own ^ found)[:3]}"


def _no_two_gates_are_one_cell(trace: Trace) -> None:
    """Two gates of one quantity and equal settings: one of them is not what it says, or is judged twice."""
    for claim, found in trace.found.items():
        seen = Counter((row.quantity, repr(sorted(row.settings.items()))) for row in gates(found.measurements))
        twice = [cell for cell, times in seen.items() if times > 1]
        assert not twice, f"{claim}: {twice[0]}"


def _what_is_computed_without_samples_holds(trace: Trace) -> None:
    """No accident of a sample is possible: a gate that fails is a false claim, or a gate that was changed."""
    for claim, found in trace.found.items():
        for row in gates(found.measurements):
            failed = row.trials == 0 and row.verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE)
            assert not failed, f"{claim}: {row.quantity}, {row.settings}: {row.measured}, {row.verdict}"


def _verdicts_by_hand_are_those_of_their_limits(trace: Trace) -> None:
    """A verdict that no rule of the ledger gives is one that ``by_hand`` states again."""
    ruled = {id(rule.row) for rule in trace.rules}
    for row in gates(trace.measurements):
        if id(row) not in ruled:
            assert row.quantity in BY_HAND, f"{row.quantity}: its verdict is made by hand, state it in by_hand.py"
            assert row.verdict is BY_HAND[row.quantity](row), f"{row.quantity}, {row.settings}: {row.measured}"


def _streams_begin_once(study: str, trace: Trace) -> None:
    """Two uses of one stream are two samples that are the same, or a draw that depends on the sample."""
    lines: dict[traced.Stream, set[str]] = {}
    for stream, line in trace.begun:
        lines.setdefault(stream, set()).add(line)
    for stream, found in lines.items():
        assert len(found) == 1 or study in SAME_LINE, f"{stream} is begun at {sorted(found)}"
    often = Counter({stream: sum(trace.begun[stream, line] for line in found) for stream, found in lines.items()})
    for stream, times in often.items():
        assert times <= SAME_LINE.get(study, 1), f"{stream} is begun {times} times"


def _reasons_tell_the_numbers_of_their_rows(trace: Trace) -> None:
    """What a reader takes from the text is what stands in the table: not another arm, size or end."""
    for claim, found in trace.found.items():
        assert not told.missing(claim, found), f"{claim}: its reason is\n{found.reason}"
