"""Tools for tests that look inside any study: what it measured, at which error levels, and from which random streams.

A study is found by the catalogue and run once, with few trials.  Nothing here knows a study by name.
"""

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from semipriv.audit.properties.streams import Stream, streams
from semipriv.core import overlay, statistics
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval
from semipriv_lab.ledger import findings as ledger
from semipriv_lab.ledger.claim import Table, findings
from semipriv_lab.ledger.findings import Finding, Measurement
from semipriv_lab.ledger.studies import studies

EFFORT = 0.001
"""Share of the trials of the default run: properties of levels, windows and verdicts need as few as there may be."""
SEED = 20
OPEN = 0.4
"""An error level at which limits are narrow, so that all that is made of them changes."""
_LIMITS = (Interval, Measurement, float, dict[float, Interval], tuple[np.ndarray, np.ndarray])
"""Results, as annotated, of functions that make confidence limits; others only hand a level on, or speak of it."""

JUDGES = ("at_most", "within", "equals")
"""Rules whose calls are written down."""
Key = tuple[str, float]
"""Name and error level of a function that makes confidence limits."""


@dataclass(frozen=True, eq=False)
class Limits:
    """One call of a function that makes confidence limits at an error level.

    weight: number of limits that it makes at this level each; one for each size of a ``grid``.
    """

    key: Key
    weight: int
    result: Any

    @property
    def level(self) -> float:
        """The error level of all its limits together."""
        return self.key[1] * self.weight

    def is_of(self, row: Measurement) -> bool:
        """Return whether a measurement's value and limits are this result."""
        return self.result is row or self.result is row.measured


@dataclass(frozen=True, eq=False)
class Rule:
    """One call of ``at_most``, ``within`` or ``equals``."""

    name: str
    arguments: dict[str, Any]
    row: Measurement


@dataclass
class Trace:
    """What a run of a study did.

    limits, rules, measurements: in the order in which they were made.  begun: how often a stream was begun and drawn
    from, by seed, path and line of code.
    """

    findings: dict[str, Finding] = field(default_factory=dict)
    limits: list[Limits] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    begun: Counter[tuple[Stream, str]] = field(default_factory=Counter)


def _is_of_studies(module: str) -> bool:
    """Return whether a module is a study's or a helper of studies, or that of statistics."""
    return module == statistics.__name__ or overlay.room_of(module) == "studies"


def modules() -> list[ModuleType]:
    """Return the modules of all studies and of what they share."""
    return [module for name, module in sorted(sys.modules.items()) if overlay.room_of(name) == "studies"]


def _traced(function: Callable[..., Any], trace: Trace, depth: list[int], levels: dict[Key, float]) -> Any:
    """Return a function that also writes down its outermost calls; levels: other error levels for some of them."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        given = bound.arguments
        key = (function.__name__, float(given["level"]))
        if not depth[0]:
            given["level"] = levels.get(key, given["level"])
        depth[0] += 1
        try:
            result = function(*bound.args, **bound.kwargs)
        finally:
            depth[0] -= 1
        if not depth[0]:
            trace.limits.append(Limits(key, len(given.get("grid", [0])), result))
        return result

    return call


def _noted(function: Callable[..., Any], trace: Trace, first: int = 0) -> Any:
    """Return a rule that also writes down its calls; first: where its arguments begin, 1 for a method of tables."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments[first:], **named)
        bound.apply_defaults()
        row = function(*arguments, **named)
        trace.rules.append(Rule(function.__name__, dict(bound.arguments), row))
        return row

    return call


def _makes_limits(function: Any) -> bool:
    if not inspect.isfunction(function) or not _is_of_studies(function.__module__):
        return False
    signature = inspect.signature(function)
    return "level" in signature.parameters and signature.return_annotation in _LIMITS


@contextmanager
def _spied(trace: Trace, levels: dict[Key, float]) -> Iterator[None]:
    depth = [0]
    begin = Measurement.__init__

    def measurement(self: Measurement, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        trace.measurements.append(self)

    with streams() as trace.begun, pytest.MonkeyPatch.context() as patch:
        makers = {
            value: _traced(value, trace, depth, levels)
            for module in [statistics, *modules()]
            for value in vars(module).values()
            if _makes_limits(value)
        }
        judges = {getattr(ledger, name): _noted(getattr(ledger, name), trace) for name in JUDGES}
        for name in JUDGES:
            patch.setattr(Table, name, _noted(getattr(Table, name), trace, 1))
        replaced = makers | judges
        for module in [statistics, ledger, *modules()]:
            for name, value in list(vars(module).items()):
                if inspect.isfunction(value) and value in replaced:
                    patch.setattr(module, name, replaced[value])
        patch.setattr(Measurement, "__init__", measurement)
        yield


def run(study: str, levels: dict[Key, float] | None = None) -> Trace:
    """Run a study with few trials; levels: other error levels for the limits of some functions."""
    module, trace = import_module(studies()[study].module), Trace()
    with _spied(trace, levels or {}):
        trace.findings = findings(module, Simulation(SEED).spawn(study), EFFORT)
    return trace


# ---------------------------------------------------------------------------------------------------- error levels
def simulated(row: Measurement) -> bool:
    """Return whether a measurement is judged and has sampling error."""
    ends = {row.measured.low, row.measured.value, row.measured.high}
    return row.verdict is not None and row.trials > 0 and len(ends) > 1


def levels(study: str, trace: Trace) -> dict[str, tuple[float, list[Measurement]]]:
    """Return by claim the error levels, added up, of all limits behind its gates, and the gates without a known level.

    Most gates are made of one limit.  What the others are made of is found by runs with an open level: they change.
    """
    gates = dict(_simulated(trace))
    behind: dict[str, list[Limits]] = {claim: [] for claim in gates}
    left: dict[str, set[int]] = {claim: set() for claim in gates}
    direct: list[Limits] = []
    for claim, rows in gates.items():
        for row in rows:
            own = [limits for limits in trace.limits if limits.is_of(row)]
            behind[claim] += own
            direct += own
            left[claim] |= set() if own else {id(row)}
    # Of few equal draws limits have no width, and the row that they make is not a simulated one: they are of it alone.
    judged = [row for finding in trace.findings.values() for row in finding.measurements]
    direct += [limits for limits in trace.limits if limits not in direct and any(map(limits.is_of, judged))]

    @cache
    def changed(key: Key) -> dict[str, set[int]]:
        return _changed(trace, run(study, {key: OPEN}))

    shown = [row for row in trace.measurements if row.verdict is None]
    record = [limits for limits in trace.limits if any(limits.is_of(row) for row in shown) and limits not in direct]
    others = [limits for limits in trace.limits if limits not in direct and limits not in record]
    for group in (others, direct, record):
        for key in {limits.key: None for limits in group if limits.key[1] <= GATE_LEVEL}:
            if group is not others and not any(left.values()):
                break
            for claim, rows in changed(key).items():
                if rows & left[claim] or (group is others and rows):
                    behind[claim] += [limits for limits in group if limits.key == key and limits not in behind[claim]]
                left[claim] -= rows
    return {
        claim: (sum(limits.level for limits in behind[claim]), [row for row in rows if id(row) in left[claim]])
        for claim, rows in gates.items()
    }


def _simulated(trace: Trace) -> Iterator[tuple[str, list[Measurement]]]:
    """Yield each claim with its simulated gates."""
    for claim, finding in trace.findings.items():
        yield claim, [row for row in finding.measurements if simulated(row)]


def _changed(trace: Trace, other: Trace) -> dict[str, set[int]]:
    """Return by claim the ids of gates whose limits differ in another run."""
    result = {}
    for claim, finding in trace.findings.items():
        pairs = zip(finding.measurements, other.findings[claim].measurements, strict=True)
        result[claim] = {id(row) for row, its in pairs if simulated(row) and not _same(row.measured, its.measured)}
    return result


def _same(first: Interval, other: Interval) -> bool:
    return bool(np.array_equal(*([i.value, i.low, i.high] for i in (first, other)), equal_nan=True))
