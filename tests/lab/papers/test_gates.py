"""Every study, run once with few trials: error levels that gates share, gates that can fail, cells, streams, figure.

``tests/golden.csv`` says of each claim what is looked at; ``tests/golden.py`` writes it.
"""

import inspect
import math
from collections import Counter

import golden as preregistered
import pytest
import traced
from drawn import check_figure, other_numbers
from places import ROOT
from traced import Rule, Trace, levels, run

from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict
from semipriv_lab.ledger import golden
from semipriv_lab.ledger.findings import Measurement, at_most, equals, gates, verdict_on, within
from semipriv_lab.ledger.studies import studies
from semipriv_lab.reference.numbers import declared

NUMBERS = declared(ROOT / "docs")
"""Numbers in pages, by their names."""
OPINIONS = (Verdict.ILLUSTRATION, Verdict.CITED)
"""Verdicts that no gate changes."""
KNOWN = golden.read(preregistered.FILE)
SAME_LINE = {
    "abm19_learning": 3,
    "bmn20_geometry": 2,
    "bmn20_subsample": 7,
    "bcm20_domain_size": 23,
    "own_statistics": 21,
}
"""How often a stream may begin again on purpose, at the same line, in studies that compare settings on equal samples:
values of epsilon, two readings, sizes of the subset, domains and maps of equal points, kinds of public rows."""

FIXED = {(0, ("rows of the tree",)), (0, ("rows",)), (0, ("halves of the noise",)), (0, ("key of offsets",))}
"""Coins that hide nothing, and are the same in each release: of ``table_release``, those of its public rows, of its
model, and by which it splits noise that is already drawn; the key of persons' offsets, where transcripts of neighbours
are compared."""


@pytest.mark.parametrize("study", studies())
def test_properties_of_a_study(study: str) -> None:
    """All properties in one test, so that the study runs once."""
    trace = run(study)
    assert trace.findings.keys() == set(studies()[study].claims)
    _no_gate_is_left_out(trace)
    _each_gate_can_fail(trace)
    _cells_are_those_that_were_registered(trace)
    _no_two_gates_are_one_cell(trace)
    _what_is_computed_without_samples_holds(trace)
    _streams_begin_once(study, trace)
    _gates_share_one_level(study, trace)
    _its_figure_shows_and_says_what_its_case_does(study, trace)
    _numbers_in_pages_have_rows(trace)


def _gates_share_one_level(study: str, trace: Trace) -> None:
    """The limits behind the gates of a claim fail together with a chance of GATE_LEVEL at most."""
    for claim, (level, unknown) in levels(study, trace).items():
        assert not unknown, f"{claim}: no function with a level made {unknown[0].quantity}, {unknown[0].settings}"
        assert level <= GATE_LEVEL * (1 + 1e-9), f"{claim}: its limits have the level {level / GATE_LEVEL} GATE_LEVEL"
        gates_of = [row for row in trace.findings[claim].measurements if traced.simulated(row)]
        for row in gates_of:
            own = [limits.level for limits in trace.limits if limits.is_of(row)]
            assert all(level_of_gate * len(gates_of) <= GATE_LEVEL * (1 + 1e-9) for level_of_gate in own), (
                f"{claim}: {row.settings}"
            )


def _no_gate_is_left_out(trace: Trace) -> None:
    """Every row that has a verdict is a row of a finding, whose verdict is that on all of its rows, or is left open."""
    kept = {
        id(row)
        for actual_value in trace.findings.values()
        for row in (*actual_value.measurements, actual_value.deciding)
    }
    lost = [row for row in gates(trace.measurements) if id(row) not in kept]
    assert not lost, f"no finding has {lost[0].quantity}, {lost[0].settings}"
    for claim, value in trace.findings.items():
        allowed = (verdict_on(value.measurements), Verdict.INCONCLUSIVE, *OPINIONS)
        assert value.verdict in allowed, f"{claim}: {value.verdict} is not the verdict on its gates"


def _each_gate_can_fail(trace: Trace) -> None:
    """A value beyond what the gate allows is violated."""
    for rule in trace.rules:
        if rule.row.verdict is not None:
            for value in _beyond(rule):
                assert _with(rule, value).verdict is Verdict.VIOLATED, f"{rule.row.quantity}, {rule.row.settings}"


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


def _cells_are_those_that_were_registered(trace: Trace) -> None:
    """No cell is lost or no longer judged, no size and no window is another one, without a word of it."""
    small_rows = preregistered.small(trace)
    moved = [claim for claim in small_rows if claim not in KNOWN or KNOWN[claim].small != small_rows[claim]]
    assert not moved, f"{', '.join(moved)}: other cells than in tests/golden.csv; see tests/golden.py"


def _no_two_gates_are_one_cell(trace: Trace) -> None:
    """Two gates of one quantity and equal settings: one of them is not what it says, or is judged twice."""
    for claim, finding in trace.findings.items():
        seen = Counter((row.quantity, repr(sorted(row.settings.items()))) for row in gates(finding.measurements))
        twice = [cell for cell, times in seen.items() if times > 1]
        assert not twice, f"{claim}: {twice[0]}"


def _what_is_computed_without_samples_holds(trace: Trace) -> None:
    """No accident of a sample is possible: a gate that fails is a false claim, or a gate that was changed."""
    for claim, finding in trace.findings.items():
        for row in gates(finding.measurements):
            failed = row.trials == 0 and row.verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE)
            assert not failed, f"{claim}: {row.quantity}, {row.settings}: {row.measured}, {row.verdict}"


def _streams_begin_once(study: str, trace: Trace) -> None:
    """Two uses of one stream are two samples that are the same, or a draw that depends on the sample."""
    lines: dict[traced.Stream, set[str]] = {}
    for stream, line in trace.begun:
        lines.setdefault(stream, set()).add(line)
    for stream, actual_line in lines.items():
        assert len(actual_line) == 1 or study in SAME_LINE or stream in FIXED, (
            f"{stream} is begun at {sorted(actual_line)}"
        )
    often = Counter(
        {stream: sum(trace.begun[stream, line] for line in chosen_line) for stream, chosen_line in lines.items()}
    )
    for stream, times in often.items():
        if stream not in FIXED:
            assert times <= SAME_LINE.get(study, 1), f"{stream} is begun {times} times"


def _its_figure_shows_and_says_what_its_case_does(study: str, trace: Trace) -> None:
    """Drawn from the rows of the study, with other numbers in them."""
    computed_studies = studies()[study]
    if computed_studies.figure is not None:
        measurements = preregistered.table(trace)
        tables = {"measurements": other_numbers(measurements.dropna(axis="columns", how="all").infer_objects())}
        check_figure(f"papers/{computed_studies.paper.lower()}/figures", computed_studies.figure, tables, {})


def _numbers_in_pages_have_rows(trace: Trace) -> None:
    """Each name of docs/numbers.yaml for a claim has a row with its quantity and its settings.

    Words are compared, sizes are not: those that follow from trials, or that a search finds, differ in a small run.
    """
    for name, number in NUMBERS.items():
        if number.claim in trace.findings:
            rows = [
                row for row in trace.findings[number.claim].measurements if row.quantity.startswith(number.quantity)
            ]
            assert rows, f"docs/numbers.yaml: {name}: {number.claim} measures no {number.quantity!r}"
            keys = {*number.where, *([number.by] if number.by else [])}
            words = {key: value for key, value in number.where.items() if isinstance(value, str)}
            same = [row for row in rows if keys <= row.settings.keys() and words.items() <= row.settings.items()]
            assert same, f"docs/numbers.yaml: {name}: {number.claim} has no row with {words} and {sorted(keys)}"
