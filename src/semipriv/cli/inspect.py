"""``semipriv inspect``: show the holder of a table which cells differ from the declarations of a request."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

import attrs

from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import Feature
from semipriv.practice.columns.hints import hint, shown
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.engine.cell_counts import Cells, texts_of
from semipriv.practice.engine.inspection import Column, Dated, Inspection, Persons, inspected
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.stages import Stage, stage

_SHOWN = 3
"""Texts of unknown cells that are shown of a column."""
_PRIVATE = "PRIVATE: exact numbers and cells of the private table, for its holder alone; nothing is charged or written"


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "inspect",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="show the holder of a table which cells differ from the declarations of a request",
        description=(
            "Prints exact numbers and cells, which are PRIVATE: only people who may see the table may see them.\n\n"
            "Reads all private rows of a request.  Shows for each column, beside the public rows, how many cells are\n"
            "missing, undeclared or clipped.  Charges nothing, and writes nothing.  Use it to mend cells that are not\n"
            "spelt as you thought.  Do not choose settings by it: they would depend on private rows."
        ),
        epilog="example:\n  semipriv inspect config/release.yaml",
    )
    parser.add_argument("config", nargs="?", default="config/release.yaml", help="default: config/release.yaml")
    parser.add_argument(
        "--person",
        metavar="COLUMN",
        nargs="+",
        help="columns that name the person of a row, if the request does not; shows how many rows persons have",
    )
    parser.add_argument(
        "--date",
        metavar="COLUMN",
        help="column of dates, for a request with `period`; shows how many rows lie outside of it",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_inspect)


def _inspect(options: argparse.Namespace) -> int:
    request = load(options.config)
    if options.date is not None and not request.period:
        raise ValueError(f"--date {options.date}: counts rows outside of a period, and the request has no `period`")
    try:
        staged = stage(request)
        person = request.person if options.person is None else PersonColumns(options.person)
        inspection = inspected(request, staged.public, person, options.date)
        print(json.dumps(_values(inspection), indent=2) if options.json else "\n".join(_lines(staged, inspection)))
        return 0
    except Exception as error:
        refused = message(error)
    finally:
        request.close()
    raise ValueError(refused)


def _values(inspection: Inspection) -> dict[str, Any]:
    columns = [
        {
            **column.declared.description(),
            "private": column.private.to_dict(),
            "public": None if column.public is None else column.public.to_dict(),
        }
        for column in inspection.columns
    ]
    persons = inspection.persons
    return {
        "PRIVATE": _PRIVATE,
        "columns": columns,
        "public_rows_equal_to_private_ones": inspection.twice,
        "persons": None if persons is None else attrs.asdict(persons),
        "outside_of_the_period": None if inspection.dated is None else attrs.asdict(inspection.dated),
    }


def _lines(staged: Stage, inspection: Inspection) -> Iterator[str]:
    yield _PRIVATE
    rows = {column.private.rows for column in inspection.columns}
    report = isinstance(staged.request.candidates[0].learner, StatisticsRelease)
    yield f"{staged.request.private.name}: {max(rows):,} private rows"
    for column in inspection.columns:
        yield from _of_column(column, report=report)
    if inspection.twice:
        yield (
            f"public rows that are equal to a private row in all features: {inspection.twice:,}: are they other people?"
        )
    persons = inspection.persons
    if persons is not None:
        yield from _of_persons(persons, protected=staged.request.person is not None)
    if staged.request.period:
        yield _of_period(" and ".join(staged.request.period), inspection.dated)


def _of_period(names: str, dated: Dated | None) -> str:
    """Return how many rows lie outside of the periods, or how to ask for it."""
    if dated is None:
        return f"period {names}: is your word; --date COLUMN tells how many rows lie outside of it"
    undated = f"; {dated.undated:,} rows tell none" * bool(dated.undated)
    if not dated.outside:
        return f"period {names}: no date in {dated.column!r} lies outside of it{undated}"
    return (
        f"period {names}: {dated.outside:,} rows have a date in {dated.column!r} outside of it{undated}: "
        "cut the table, or name all of its periods"
    )


def _of_persons(persons: Persons, *, protected: bool) -> Iterator[str]:
    yield (
        f"persons: {persons.persons:,}, of whom {persons.repeated:,} have several rows, at most {persons.most:,}"
        + f"; {persons.nobody:,} rows name nobody" * bool(persons.nobody)
        + ("; a release protects a row, not a person: name the columns in the request" if persons.repeated else "")
        * (not protected)
    )
    if persons.repeated:
        shares = ", ".join(f"{rows:,} for {share}" for share, rows in persons.quantiles.items())
        yield f"  rows of a person: at most {shares} of them; the 1 % with most rows have {persons.top:.1%} of all rows"
    if persons.public:
        yield f"  persons of whom a public row is there, too: {persons.public:,}: their public rows are not protected"


def _of_column(column: Column, *, report: bool) -> Iterator[str]:
    declared, cells = column.declared, column.private
    what = declared.rule if isinstance(declared, Feature) else f"label or response: {declared.rule}"
    yield f"{declared.column}: {what}"
    yield f"  private rows: {_counts(cells)}{_stands(declared, cells, report=report)}"
    if column.public is not None:
        yield f"  public rows:  {_counts(column.public)}"
    for text, count in cells.spelt.most_common(_SHOWN):
        like = hint(text, texts_of(declared))
        yield f"    {shown(text)}: {count:,} cell(s)" + f": {like}?" * bool(like)
    yield from _sides(column)
    yield from (f"  WARNING: {line}" for line in _warnings(column))


def _counts(cells: Cells) -> str:
    clipped = f", {cells.below:,} below and {cells.above:,} above the ends (clipped)" * bool(cells.below + cells.above)
    other = f"{cells.missing:,} missing, {cells.unknown:,} not as declared"
    return f"{cells.rows:,} cells, {other}{clipped}"


def _stands(declared: Any, cells: Cells, *, report: bool) -> str:
    """Return what stands for cells that are not as declared; report: whether the request is for statistics.

    >>> from semipriv.practice.columns.features import feature
    >>> import datetime
    >>> days = {"integers": ["2025-01-01", "2025-12-31"], "unit": "day", "unknown": datetime.date(2025, 7, 1)}
    >>> _stands(feature("day", days), Cells(5, missing=1), report=False)
    '; for these stands 2025-07-01'
    >>> number = feature("crp", {"range": [0, 300], "unknown": 0, "indicator": True})
    >>> _stands(number, Cells(5, missing=1), report=True)
    '; these enter counts, and no sum, mean, variance or quantile'
    """
    if not cells.others:
        return ""
    if declared.unknown is None:
        return "; refused"
    stands = declared.sides[declared.unknown] if isinstance(declared, Label) else declared.unknown
    indicator = getattr(declared, "indicator", False)
    if report and indicator:
        return "; these enter counts, and no sum, mean, variance or quantile"
    apart = ", told apart by an indicator" if indicator else ""
    return f"; for these stands {repr(stands) if isinstance(stands, str) else stands}{apart}"


def _sides(column: Column) -> Iterator[str]:
    """Yield the number of rows on each side of a label."""
    declared = column.declared
    if isinstance(declared, Label | ClassLabel):
        names = declared.sides
        counts = (f"{name!r}: {column.private.sides[place]:,}" for place, name in enumerate(names))
        yield f"  labels of private rows: {', '.join(counts)}"


def _warnings(column: Column) -> Iterator[str]:
    declared, cells, public = column.declared, column.private, column.public
    if cells.rows and 2 * cells.unknown > cells.rows:
        yield "most cells are not as declared: is the declaration, or the way the file is written, another one?"
    elif public is not None and public.rows and cells.rows and not public.others and cells.others:
        yield "no public row is like that: what stands for these cells is a guess"
    if isinstance(declared, Label | ClassLabel):
        empty = [name for place, name in enumerate(declared.sides) if not cells.sides[place]]
        if empty:
            yield f"no private row has the label {' or '.join(map(repr, empty))}: a model of it says one thing to all"
    if cells.rows and 2 * (cells.below + cells.above) > cells.rows:
        yield "most numbers are outside of the declared ends"
