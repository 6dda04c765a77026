"""``semipriv release``: publish a model, statistics or a synthetic table of your table, paid once from its budget."""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from semipriv.cli._asked import add_limits, limits_of, progress
from semipriv.core import checks
from semipriv.core.extras import extra
from semipriv.core.fields import changed
from semipriv.core.progress import duration
from semipriv.learners.base import Learner
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.asking.choosing import PUBLIC_MODEL, RULE, choose
from semipriv.practice.asking.draft import draft
from semipriv.practice.asking.quality import LEVEL, HeldOut, noise_of_mistakes
from semipriv.practice.asking.request import Request, load
from semipriv.practice.asking.squared import noise_of
from semipriv.practice.columns.between import CLIPPED
from semipriv.practice.columns.features import Integers, Range
from semipriv.practice.columns.hints import hint
from semipriv.practice.columns.hints import shown as shown_text
from semipriv.practice.engine.beside import COUNTS, ROWS, SUMS
from semipriv.practice.engine.inspection import of_public_rows, texts_of
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.preview import BETA, Preview, preview, simulate
from semipriv.practice.engine.reading import names_public_persons
from semipriv.practice.engine.simulation import SECONDS, Simulated
from semipriv.practice.engine.stages import Stage
from semipriv.practice.engine.whole import Outcome, release
from semipriv.practice.engine.wishes import Expected, expected_of
from semipriv.practice.planner.tasks import Task, task_of
from semipriv.practice.published.folder import figure_names
from semipriv.practice.published.verify import read_certificate
from semipriv.practice.published.words import judging, predicted
from semipriv.privacy.budget.buying import NOTHING, left_words
from semipriv.privacy.budget.refusal import never
from semipriv.privacy.budget.rule import shown

_MINUTE = 60.0
_WIDTH, _LINES = 120, 60
"""Letters of a line, and lines of a query, that a dry run prints at most."""
_LETTERS, _UNTOLD = 80, 6
"""Letters in which all groups of a statistic have their expected errors, if that is enough; quantiles that are expected
to be empty, and are named.
"""
_LEAVES = {
    COUNTS: "the database{}; only counts leave it",
    SUMS: "beside the rows, by the functions of semipriv; only sums leave them, and counts{}",
    ROWS: "here: the learner needs more than counts, so rows are read, and summed up here{}",
}
"""What leaves a database, with the number of queries that count."""
_RANGED = "; by the declared range, usually less once numbers are clipped"
_CLIPPED = "; expected after clipping, at most {:.3g} if nothing is clipped"
_CHARGED = {
    "stored": "was charged for it before, and has what was drawn",
    "charged": "was charged for it before, nothing is drawn yet",
    "taken over": "was charged for an earlier request of this name, for which nothing was drawn",
}
"""What the ledger knows of a request that costs nothing."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "release",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="publish a model, statistics or a synthetic table of your table, paid once from its budget",
        description=(
            "Publishes what a request asks for (its keys: `semipriv docs configuration`).  A release cannot be\n"
            "taken back.  It charges the budget before it reads a private row, and draws once.  Then the same\n"
            "request again publishes the same files and costs nothing.  `semipriv budget open` makes the ledger."
        ),
        epilog=(
            "examples:\n  semipriv release --example clinic.csv --public volunteers.csv > request.yaml\n"
            "  semipriv release config/release.yaml --dry-run\n  semipriv release config/release.yaml"
        ),
    )
    parser.add_argument("config", nargs="?", default="config/release.yaml", help="default: config/release.yaml")
    parser.add_argument(
        "--example",
        metavar="TABLE",
        help="print a request to fill in, from names and types of a table's columns, which are public then",
    )
    parser.add_argument(
        "--public",
        metavar="ROWS",
        help="with --example: table of public rows, whose cells then say what to declare; no row of TABLE is read",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be spent, and what is left then")
    parser.add_argument(
        "--seconds", default=SECONDS, help=f"dry run: time that the simulation may take (default {SECONDS:g})"
    )
    parser.add_argument("--no-simulation", action="store_true", help="dry run: tell the charge, simulate no error")
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_release)


def _release(options: argparse.Namespace) -> int:
    if options.example is not None:
        print(draft(options.example, options.public), end="")
        return 0
    if options.public is not None:
        raise ValueError("--public: is for --example; a request names its public rows itself")
    try:
        if options.dry_run:
            return _dry(options)
        outcome = release(_asked_for(options), _warn)
        files = [*outcome.files, *_figures(options.config, outcome)]
        _tell(
            {**outcome.to_dict(), "files": list(map(str, files))} if options.json else "\n".join(_done(outcome, files))
        )
        return 0
    except BaseException as error:  # an interrupt as well: the error that it came upon may hold a cell
        refused, interrupted = message(error), isinstance(error, KeyboardInterrupt)
    if interrupted:  # here no other error, which might hold a cell, hangs on what is raised
        raise KeyboardInterrupt(refused)
    raise ValueError(refused)


def _asked_for(options: argparse.Namespace) -> Request:
    """Return the request, with the limits that options give."""
    request = load(options.config)
    return attrs.evolve(request, limits=limits_of(options, request.limits))


def _warn(staged: Stage) -> None:
    """Tell, before anything is charged, which wishes are not expected to be met."""
    for line in _unmet(expected_of(staged)):
        progress(line)


def _dry(options: argparse.Namespace) -> int:
    """Tell the charge at once, then what a simulation shows; with --json one object at the end."""
    seconds = checks.positive("seconds", options.seconds)

    def tell_charge(first: Preview) -> None:
        if not options.json:
            _tell("\n".join(_plan(first)))

    planned = preview(_asked_for(options), tell_charge)
    if not options.no_simulation:
        planned = simulate(planned, seconds, progress)
    _tell(
        planned.to_dict()
        if options.json
        else "\n".join(
            [
                *_errors(planned),
                *_public_notes(planned.staged),
                *_notes(planned.staged),
                *_outside(planned.staged.request),
                *_queries(planned),
            ]
        )
    )
    return 0 if planned.after is not None else 2


def _figures(config: str, outcome: Outcome) -> list[Path]:
    """Draw the model where it has at most two features; say why if that fails."""
    if not figure_names(outcome.staged.request):
        return []
    try:
        with extra("figures", "pictures"):
            from semipriv.practice.engine.figure import draw_release  # noqa: PLC0415  (slow, for pictures only)
        return draw_release(config, progress)
    except Exception as error:  # a release never fails for a figure
        progress(f"the figure could not be drawn: {message(error)}")
        return []


def _tell(answer: Any) -> None:
    print(answer if isinstance(answer, str) else json.dumps(answer, indent=2, allow_nan=False), flush=True)


def _plan(planned: Preview) -> Iterator[str]:
    """Yield the lines of a dry run."""
    request, sizes = planned.staged.request, planned.staged.sizes
    yield f"release     {request.name}: {'; '.join(_what(candidate) for candidate in request.candidates)}"
    for candidate in request.candidates:
        yield from _chosen(candidate, sizes["n_private"])
    yield f"reads       {request.private.name}: {_size(request, sizes['n_private'])} of {_columns(request)}"
    if request.person is not None:
        yield f"protects    persons, by {', '.join(request.person.columns)}, each with all of their rows"
    source = request.private.name if request.public is None else request.public.name
    yield (
        f"with        {source}: {sizes['n_public']:,} public rows{_of_each(request)}"
        if sizes["n_public"]
        else "with        no public rows"
    )
    held = request.held_out
    if held is not None and sizes["n_held_out"]:
        what = judging(persons=request.person is not None)
        yield f"judges      {sizes['n_held_out']:,} {what}: noise moves {_moved(held, sizes['n_held_out'])} (95 %)"
    if planned.state == "new":
        yield f"would spend {_cost(planned)} of {request.ledger}"
    else:
        yield f"would spend nothing: {request.ledger} {_CHARGED[planned.state]}"
    yield from _left(planned)
    if planned.state == "new":
        yield "cells       were not looked at: `semipriv inspect` shows you alone which are not as declared"


def _chosen(candidate: Candidate, n_private: int) -> Iterator[str]:
    """Yield why a public rule chose this learner, and whether so many rows are worth a release."""
    if candidate.choice is None:
        return
    yield f"chooses     {candidate.name}, by {RULE}: {candidate.choice.because}"
    known = choose(changed(candidate.choice.case, rows=n_private))
    if not known.reads_private:
        yield f"            {PUBLIC_MODEL}, which costs nothing, may be as good: {known.because}"


def _moved(held: HeldOut, count: int) -> str:
    """Return what the noise does to the error of so many held-out rows, or persons."""
    if held.squared is None:
        return f"the error by up to {noise_of_mistakes(count, held.epsilon, LEVEL):.3g}"
    moved = noise_of(count, held.epsilon, held.squared.largest, LEVEL)
    return f"the squared error by up to {moved:.3g}, its root by up to {math.sqrt(moved):.3g}"


def _size(request: Request, count: int) -> str:
    return f"{count:,} private rows" if request.person is None else f"the rows of {count:,} persons,"


def _of_each(request: Request) -> str:
    return "" if names_public_persons(request) is None else ", one of each public person"


def _errors(planned: Preview) -> Iterator[str]:
    """Yield the time of the draw, and what is known of the error, which may take a while."""
    if planned.seconds is not None:
        yield f"draw        took {_took(planned.seconds)} on made-up rows, which were thrown away"
    if planned.expected:
        yield from _expected(planned)
        return
    for name, line in zip(("error", ""), _error(planned), strict=False):
        yield f"{name:<11} {line}"


def _expected(planned: Preview) -> Iterator[str]:
    """Yield the standard errors of statistics by group, and what is wished of them."""
    yield "expects     standard errors by noise, public before anything is paid; --json has that of every number:"
    for expected in planned.expected:
        clipped = _CLIPPED.format(max(expected.most)) if expected.narrowed else ""
        yield f"  {expected.asked.title}: {_spread(expected)}{_RANGED if expected.ranged else clipped}"
    if planned.equal_groups:
        yield (
            "assumes     groups of equal size, since no public row tells their sizes: means, variances and quantiles "
            "of a smaller group err more"
        )
    yield from _unmet(planned.expected)
    yield from _untold(planned.expected)
    if planned.enough is not None:
        yield f"wishes      epsilon {planned.enough:g} would meet all of them"
    elif not all(expected.met for expected in planned.expected):
        yield "wishes      no epsilon was found that meets all of them: wish for less, or take fewer groups"


def _unmet(expectations: Sequence[Expected]) -> Iterator[str]:
    """Yield of each wish that is not expected to be met which group is the worst, and which ones are not judged."""
    for expected in expectations:
        if not expected.met:
            group, error = expected.worst
            unseen = sum(not judged for judged in expected.judged)
            many = "1 number is" if unseen == 1 else f"{unseen:,} numbers are"
            yield (
                f"NOTE        {expected.asked.title}: {error:.3g} is expected"
                f"{f' in {group}' * bool(expected.asked.by)}, {expected.asked.wish:g} is wished"
                + f"; {many} of groups without public rows, and not judged"
                * bool(unseen)
            )
        elif expected.missed_unseen:
            group, error = max(expected.missed_unseen, key=lambda missed: missed[1])
            yield (
                f"NOTE        {expected.asked.title}: {error:.3g} is expected in {group}, "
                f"{expected.asked.wish:g} is wished; {len(expected.missed_unseen):,} of {len(expected.groups):,} "
                "numbers miss it, all of groups without public rows, whose size is not known: they are not judged"
            )


def _untold(expectations: Sequence[Expected]) -> Iterator[str]:
    """Yield which quantiles are expected to be left empty."""
    for expected in expectations:
        if expected.untold:
            groups = ", ".join(expected.untold[:_UNTOLD]) + ", ..." * (len(expected.untold) > _UNTOLD)
            yield (
                f"NOTE        {expected.asked.title}: {len(expected.untold):,} of {len(expected.groups):,} "
                f"are expected to be left empty ({groups}): noise is as wide as these groups; ask for fewer groups or "
                "statistics, or more epsilon"
            )


def _spread(expected: Expected) -> str:
    """Return the errors of a statistic: one that all share, those of a few groups, or the least and the greatest."""
    if expected.ranks:
        least, greatest = (f"{end:.2%}" for end in (min(expected.ranks), max(expected.ranks)))
        share = least if least == greatest else f"{least} to {greatest}"
        return f"not known in the number's unit; of the rank {share} of the rows that are expected in the group"
    shown = [f"{error:.3g}" for error in expected.errors]
    if len(set(shown)) == 1:
        return shown[0] if len(shown) == 1 else f"{shown[0]} for each of {len(shown):,}"
    errors = ", ".join(f"{group} {error}" for group, error in zip(expected.groups, shown, strict=True))
    if len(errors) <= _LETTERS:
        return errors
    known = sorted(error for error in expected.errors if not math.isnan(error))
    return (
        f"{known[0]:.3g} to {known[-1]:.3g}, half of them below {known[len(known) // 2]:.3g}" if known else "not known"
    )


def _took(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < _MINUTE else duration(seconds)


def _public_notes(staged: Stage) -> Iterator[str]:
    """Yield what is to be said of the cells of public rows, and of the ends that they give."""
    features = staged.public.records.features
    ends = [
        feature for feature in features if isinstance(feature, Range | Integers) and feature.public_values is not None
    ]
    if len(ends) == 1:
        yield f"NOTE        public rows: {ends[0].from_public}"
    elif ends:
        intervals = ", ".join(f"{feature.column} {feature.interval}" for feature in ends)
        yield f"NOTE        public rows: their values give the ends of {len(ends)} columns: {intervals}; {CLIPPED}"
    public = of_public_rows(staged.request, staged.public.records)
    for declared in staged.public.records.declared:
        cells = public.get(declared.column)
        if cells is not None and cells.unknown:
            ((text, _),) = cells.spelt.most_common(1)
            like = hint(text, texts_of(declared))
            yield (
                f"NOTE        public rows: column {declared.column!r}: {cells.unknown:,} of {cells.rows:,} cells are "
                f"not as declared, such as {shown_text(text)}" + f" ({like})" * bool(like)
            )


def _notes(staged: Stage) -> Iterator[str]:
    """Yield what learners say of so many rows."""
    for candidate, prepared in zip(staged.request.candidates, staged.prepared, strict=True):
        note = (
            candidate.learner.note(prepared, staged.sizes["n_private"])
            if isinstance(candidate.learner, Learner)
            else None
        )
        if note is not None:
            yield f"NOTE        {candidate.name}: {note}"


def _outside(request: Request) -> Iterator[str]:
    """Yield a warning if learners or classes come from outside the package."""
    if request.plugins:
        yield f"WARNING     the guarantee is the word of the author of plug-ins: {', '.join(request.plugins)}"


def _queries(planned: Preview) -> Iterator[str]:
    """Yield what a database is asked, if the private table is in one."""
    leaving = planned.leaving
    if leaving is not None:
        sent = len(planned.queries)
        by = f", by {sent:,} {'query' if sent == 1 else 'queries'}" * bool(sent)
        yield f"counts      {_LEAVES[leaving.what].format(by)}" + ":" * bool(sent)
        if leaving.what != COUNTS:
            often = "once for each sum" if leaving.reads is None else f"about {leaving.reads:,} times"
            yield f"reads       all {planned.staged.sizes['n_private']:,} rows or persons, {often}"
        if leaving.what == ROWS:
            yield f"moves       about {leaving.size / 1e6:,.3g} MB to this process in each read, since {leaving.why}"
        yield from map(_shortened, planned.queries)


def _shortened(query: str) -> str:
    """Return a query with a blank line before it; of a long one the beginning, and where to read the rest."""
    lines = query.splitlines()
    kept = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]} ..." for line in lines[:_LINES]]
    if kept == lines:
        return f"\n{query};"
    return "\n" + "\n".join([*kept, f"-- shortened: --json tells all {len(query):,} letters of it"])


def _columns(request: Request) -> str:
    return ", ".join(request.private_columns)


def _what(candidate: Any) -> str:
    learner = candidate.specification()["learner"]["name"]
    return learner if candidate.hypothesis_class is None else f"{learner} over {candidate.hypothesis_class!r}"


def _cost(planned: Preview) -> str:
    event = planned.staged.event
    parts = [] if event.pure is None else [f"epsilon {shown(event.pure)}"]
    parts += [f"rho {float(event.rho):.6g}"] if event.pure is None else []
    return " and ".join([*parts, *([f"delta {shown(event.delta)}"] if event.delta else [])])


def _left(planned: Preview) -> Iterator[str]:
    """Yield what is left of the accounts that decide on releases of this kind, now and after, and what that buys."""
    rule, event = planned.ledger.rule, planned.staged.event
    if planned.staged.request.period:
        yield f"charged to  {', '.join(planned.staged.request.period)}; of several, what has the least left is told:"
    yield f"left now    {left_words(rule, planned.before, event)}"
    if planned.after is None:
        why = never(rule, event) or f"one of this kind could have {planned.offer.words}"
        yield f"left after  it does not fit: {why}"
        return
    left = left_words(rule, planned.after, event)
    yield f"left after  {left}" + ": this release closes the account" * (left == NOTHING and planned.state == "new")
    if planned.offer.words == NOTHING:
        yield "buys then   nothing of this kind"
    else:
        yield f"buys then   one more of this kind of {planned.offer.words}; the same again {planned.offer.times}"


def _error(planned: Preview) -> Iterator[str]:
    if planned.bound is None:
        yield "no bound is proven for this learner and these sizes"
    elif planned.bound >= 1:
        yield "no bound below 1 is proven for these sizes; `semipriv plan` tells which are needed"
    else:
        confidence = f"with probability {1 - BETA:g}, for {planned.laws}"
        yield f"at most {planned.bound:.3g} above the best of the class, {confidence}"
    if planned.simulated is not None:
        yield _simulated(planned.simulated, task_of(planned.staged.request.candidate.hypothesis_class))


def _simulated(simulation: Simulated, task: Task) -> str:
    assumed = f"simulated on the public rows, a tenth of {task.labelled} {task.replaced}"
    if simulation.limit is None:
        return f"{assumed}: no trial ended in time"
    short = ""
    if simulation.trials < simulation.of:
        short = (
            f" ({simulation.trials} of {simulation.of} trials in time: {100 * simulation.confidence:.0f} % confidence)"
        )
    return f"{assumed}: at most {simulation.limit:.2g} above the best{task.unit}{short}; that proves nothing"


def _judged(quality: Any, *, persons: bool) -> Iterator[str]:
    """Yield the errors on what was held out, with limits of those on new rows of the same kind.

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


def _done(outcome: Outcome, files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of a release."""
    request, guarantee = outcome.staged.request, outcome.released.guarantee
    how = "was drawn before: published again, nothing spent" if outcome.replayed else "drawn"
    yield f"{request.name}: {how} (entry {outcome.entry} of {request.ledger})"
    delta = f", delta {guarantee.delta:g}" if guarantee.delta else ""
    who = "" if request.person is None else f", persons by {', '.join(request.person.columns)}"
    yield f"guarantee: epsilon {guarantee.epsilon:g}{delta}, neighbours {guarantee.neighbours.value}{who}"
    if not outcome.replayed:
        with suppress(Exception):  # it is drawn: public rows that are gone by now end nothing
            yield from list(_public_notes(outcome.staged))
        yield from _notes(outcome.staged)
    yield from _outside(request)
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
