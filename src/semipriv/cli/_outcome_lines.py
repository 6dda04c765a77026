"""The lines of a release that was drawn: its guarantee, its quality on held-out rows, and its files."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from semipriv.cli._request_notes import learner_notes, outside, public_notes
from semipriv.practice.engine.whole import Outcome
from semipriv.practice.published.verify import read_certificate
from semipriv.practice.published.words import judging, predicted


def _judged(quality: Any, *, persons: bool) -> Iterator[str]:
    """Yield the errors on held-out rows, with limits of the errors on new rows of the same kind.

    persons: whether persons were held out, each with a row.
    """
    if quality is None:
        return
    on, new = f"{quality['held_out_rows']:,} {judging(persons=persons)}", "persons" if persons else "rows"
    if "mean_squared_error" in quality:
        yield from _squared(quality, on, new)
        return
    low, high = 1 - quality["high"], 1 - quality["low"]
    yield f"error: {1 - quality['accuracy']:.3f} on {on}, with noise; from {low:.3f} to {high:.3f} on new {new} (95 %)"
    yield from _by_groups(quality, "error", ".3f", new)


def _by_groups(quality: Any, name: str, form: str, of: str) -> Iterator[str]:
    """Yield the error of this name in each group, if there are some; of: rows or persons."""
    groups = quality.get("groups")
    for group in () if groups is None else groups["errors"]:
        error = "not known" if group[name] is None else format(group[name], form)
        yield (
            f"  {groups['column']} = {group['group']}: {error}, from {group['low']:{form}} to {group['high']:{form}}; "
            f"{group['held_out_rows_at_least']:,} to {group['held_out_rows_at_most']:,} {of}"
        )
    if groups is not None:
        yield "  limits of all groups hold at once (95 %)"


def _squared(quality: Any, on: str, new: str) -> Iterator[str]:
    """Yield the squared error with its limits, and their roots, in units of the response."""
    error, low, high = (quality[key] for key in ("mean_squared_error", "low", "high"))
    yield f"squared error: {error:.4g} on {on}, with noise; from {low:.4g} to {high:.4g} on new {new} (95 %)"
    roots = (f"{math.sqrt(number):.4g}" for number in (error, low, high))
    yield "  its root: {}, from {} to {}; errors above {:g} count as that".format(*roots, quality["largest_error"])
    yield from _by_groups(quality, "mean_squared_error", ".4g", new)


_FROM = {
    "public": "the public rows",
    "tree": "their tree (equal shares without any)",
    "noisy_tree": "a tree of the noisy marginals",
    "model": "the fitted model",
}
"""Where the rows of a synthetic table come from, in words."""


def done(outcome: Outcome, files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of a release."""
    request, guarantee = outcome.staged.request, outcome.released.guarantee
    how = "was drawn before: published again, nothing spent" if outcome.replayed else "drawn"
    yield f"{request.name}: {how} (entry {outcome.entry} of {request.ledger})"
    delta = f", delta {guarantee.delta:g}" if guarantee.delta else ""
    who = "" if request.person is None else f", persons by {', '.join(request.person.columns)}"
    yield f"guarantee: epsilon {guarantee.epsilon:g}{delta}, neighbours {guarantee.neighbours.value}{who}"
    if not outcome.replayed:
        with suppress(Exception):  # it is drawn: public rows that are gone by now end nothing
            yield from list(public_notes(outcome.staged))
        yield from learner_notes(outcome.staged)
    yield from outside(request)
    if outcome.released.declared != request.provenance:
        yield "WARNING: the certificate keeps source, licence and date of the public data as they were told at the draw"
    predicate = read_certificate(request.folder)["predicate"]
    yield from predicted(predicate["public_predictions"])
    yield from _judged(predicate["quality"], persons="persons" in predicate)
    rows = predicate["synthetic_table"]
    if rows is not None:
        yield f"synthetic table: {rows['rows']:,} rows, {rows['distinct_rows']:,} of them distinct; {rows['rows_are']}"
    if rows is not None and "rows_from" in rows:
        yield "  of them " + ", ".join(f"{rows['rows_from'][origin]:,} of {words}" for origin, words in _FROM.items())
    report = predicate.get("report")
    if report is not None:
        chance = report["limits_hold_with_probability"]
        numbers = f"{report['numbers']:,} numbers"
        yield f"report: {numbers}; limits, where the noise proves any, hold with probability {chance:g} each"
        for name, (low, high) in report["clipped_to"].items():
            yield f"  {name}: cells were clipped to {low:,.6g} .. {high:,.6g}; sums and means are of these"
    yield from (f"  {path}" for path in files)
