"""``semipriv release``: publish a model, statistics or a synthetic table of your table, paid once from its budget."""

import argparse
import json
from pathlib import Path
from typing import Any

import attrs

from semipriv.cli._asked import add_limits, limits_of, progress
from semipriv.cli._outcome_lines import done
from semipriv.cli._preview_lines import charge, errors, queries, unmet
from semipriv.cli._request_notes import learner_notes, outside, public_notes
from semipriv.core import checks
from semipriv.core.extras import extra
from semipriv.practice.asking.draft import draft
from semipriv.practice.asking.request import Request, load
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.preview import Preview, preview, simulate
from semipriv.practice.engine.simulation import SECONDS
from semipriv.practice.engine.stages import Stage
from semipriv.practice.engine.whole import Outcome, release
from semipriv.practice.engine.wishes import expected_of
from semipriv.practice.published.folder import figure_names


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
            {**outcome.to_dict(), "files": list(map(str, files))} if options.json else "\n".join(done(outcome, files))
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
    """Report, before anything is charged, the wishes that will probably not be met."""
    for line in unmet(expected_of(staged)):
        progress(line)


def _dry(options: argparse.Namespace) -> int:
    """Print the charge at once, then the result of a simulation; with --json one object at the end."""
    seconds = checks.positive("seconds", options.seconds)

    def tell_charge(first: Preview) -> None:
        if not options.json:
            _tell("\n".join(charge(first)))

    planned = preview(_asked_for(options), tell_charge)
    if not options.no_simulation:
        planned = simulate(planned, seconds, progress)
    _tell(
        planned.to_dict()
        if options.json
        else "\n".join(
            [
                *errors(planned),
                *public_notes(planned.staged),
                *learner_notes(planned.staged),
                *outside(planned.staged.request),
                *queries(planned),
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
