"""A request to fill in, drafted from the names and types of a table's columns.

Of Parquet the footer tells them.  Of a file of text they are its first line, which is a record if the header is
missing; so it is shown only where ``_may_be_a_row`` finds nothing, and the first rows are read for that.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core.errors import PublicError
from semipriv.practice.columns.cells import (
    ColumnTypeError,
    check_type,
    is_text,
    numbers,
    texts,
    type_name,
    undictionaried,
)
from semipriv.practice.columns.dates import numbers_of_dates
from semipriv.practice.sources import delimited
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import PARQUET, Form

OPEN = "TODO"
"""What stands in a draft where somebody must decide."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*[A-Za-z0-9_]|[A-Za-z_]")
_RESERVED = {"yes", "no", "true", "false", "on", "off", "null", "y", "n"}
"""Words that YAML reads as something else."""

_SEPARATORS = (",", ";", "\t", "|")
_OTHERWISE = "cp1252"
_LONGEST = 80
"""Letters that a name has at most."""
_CELLS = {
    "yes", "no", "true", "false", "na", "nan", "n/a", "n.a.", "none", "null", "nil", "inf", "infinity", "male",
    "female", "unknown", "unk", "missing", "other", "ja", "nein", "wahr", "falsch", "unbekannt", "k.a.", "oui", "non",
}  # fmt: skip
"""Words that are cells."""

_HEAD = """\
# A request for a release, drafted from the names and types of columns alone.  Nothing was guessed from cells: replace
# each {open} by what is known before anybody looks at the table.  Then
#   semipriv inspect THIS_FILE
# shows you alone which cells are not as declared, and
#   semipriv release THIS_FILE --dry-run
# tells what it costs.  Every key: config/README.md; how files are written (decimal, dates, encoding): docs/files.md.
release: {name}  # name of the release, and of its folder in results/releases/
ledger: ledgers/{name}.jsonl  # budget of the data set: semipriv budget open ledgers/{name}.jsonl --epsilon 1
private: {{path: {path}{form}}}  # the table of people
public: {{path: {open}}}  # rows that are public anyway, with the same columns, labels or not; without any, no such line
one_row_a_person: {open}  # true, if each person has one row; else person: {{columns: [NAME]}}
size: public  # the number of rows is known to all
features:  # a line for each column that is used; remove the others, and that of the label
"""
_TAIL = """\
label:
  column: {open}  # what is predicted; for a number, `response` with `column` and `range`; for tables, no label
  one: [{open}]  # values with label 1, or {{at_least: 3}}
  zero: [{open}]  # all others
  unknown: {open}  # 0 or 1, the label of all other cells; or refuse, for a table without such a cell
learner: {{name: auto, epsilon: {open}}}  # a public rule takes one: docs/which-learner.md; epsilon: docs/epsilon.md
# for a synthetic table, no label; columns have categories or integers (bins need public rows); docs/release.md:
# learner: {{name: table_release, epsilon: ...}}
# for counts, means, quantiles, ... by group, no label and no class; see docs/release.md, "Statistics by group":
# learner: {{name: statistics, epsilon: ..., statistics: [{{statistic: count, by: [...]}}]}}
"""


def draft(path: str) -> str:
    """Return a request for a table, as YAML with a comment a key.

    Raise ValueError for a file that is no table, and for one of text whose first line may be a row.
    """
    source = Files(Path(path), _form(Path(path)))
    part = source.parts[0]
    if part.suffix.lower() not in PARQUET:
        _check_header(source, part)
    lines = [f"  {_word(name)}: {_declared(kind)}\n" for name, kind in source.schema(part)]
    filled = {
        "open": OPEN,
        "path": _word(path),
        "form": "".join(f", {key}: {_word(one)}" for key, one in source.form.declared().items()),
        "name": _word(re.sub(r"[^a-z0-9_-]+", "_", source.path.name.partition(".")[0].lower()) or OPEN),
    }
    return _HEAD.format(**filled) + "".join(lines) + _TAIL.format(**filled)


def _form(path: Path) -> Form:
    """Return how a file is written: cells are separated by what makes most of its first line, if that is not usual."""
    if not path.is_file() or path.suffix.lower() in PARQUET:
        return Form()
    encoding = _encoding(path)
    widths = {one: len(delimited.header(path, Form(separator=one, encoding=encoding))) for one in _SEPARATORS}
    usual = Form().separator_of(path)
    best = max(widths, key=lambda one: widths[one])
    separator = None if widths[best] == 1 or widths.get(usual or "", 1) > 1 else best
    return Form(separator=separator, encoding=encoding)


def _encoding(path: Path) -> str:
    """Return UTF-8, or what a file is taken for of which the first line is no such text."""
    try:
        delimited.header(path, Form(separator=","))
    except PublicError:
        with suppress(PublicError):
            delimited.header(path, Form(separator=",", encoding=_OTHERWISE))
            return _OTHERWISE
    return Form().encoding


def _check_header(source: Files, part: Path) -> None:
    """Raise ValueError, which repeats nothing of it, if the first line of a file of text may be a row."""
    names = delimited.header(part, source.form)
    wrong = "a cell of it is empty, there twice, long, or starts with a digit, or is a word as yes or NA"
    if len(set(map(str.casefold, names))) == len(names) and all(map(_is_name, names)):
        first = next(iter(source.chunks(part, names)), None)
        columns = [] if first is None else [first.table.column(name) for name in names]
        wrong = _may_be_a_row(names, columns)
    if wrong:
        raise PublicError(
            f"{source.name}: its first line may be a row, so it is not shown: {wrong}.  If there is no header, write a "
            "request with header: false and names; if there is one, write the request by hand, or the table as Parquet"
        )


def _is_name(cell: str) -> bool:
    """Return whether a cell may be a name: it has a letter before any digit, and is no usual cell."""
    first = re.search(r"[^\W_]", cell)
    plain = cell.strip()
    return bool(
        first
        and not first[0].isdigit()
        and len(plain) <= _LONGEST
        and plain.isprintable()
        and "@" not in plain
        and plain.casefold() not in _CELLS
    )


def _may_be_a_row(names: Sequence[str], columns: Sequence[pa.ChunkedArray]) -> str:
    """Return why a first line may be a row; nothing if it is one of names.

    No name comes back in its column, and there is a column in which all others are numbers or dates, as no name is.
    """
    told = False
    for name, column in zip(names, columns, strict=False):
        cells = texts(column)
        values = pc.unique(cells.drop_null().filter(pc.not_equal(cells.drop_null(), "")))
        if pc.is_in(texts(pa.chunked_array([[name]])), values).to_pylist()[0]:
            return "a cell of it comes back below"
        others = pa.chunked_array([values])
        told |= len(values) > 0 and bool((numbers(others)[1] | numbers_of_dates(others, "day")[1]).all())
    return "" if told else "no column below has numbers or dates alone"


def check_filled(settings: Any, key: str = "") -> None:
    """Raise ValueError, with the key, if something of a draft was not filled in."""
    if settings == OPEN:
        raise ValueError(f"{key}: is still {OPEN}, as it was drafted: fill it in")
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            check_filled(name, f"{key}.{name}".strip("."))
            check_filled(value, f"{key}.{name}".strip("."))
    elif isinstance(settings, list):
        for value in settings:
            check_filled(value, key)


def _word(text: str) -> str:
    """Return a text as YAML reads it back."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED
    return text if plain else json.dumps(text, ensure_ascii=False)


def _declared(kind: pa.DataType) -> str:
    """Return what may be declared of a column of a type, by the readers of features."""
    kind = undictionaried(pa.chunked_array([], kind)).type
    if pa.types.is_boolean(kind):
        return '{categories: ["true", "false"]}'
    if is_text(kind):
        return f"{{categories: {OPEN}}}  # all values as a list; or range: [low, high] for numbers; unknown: the others"
    if _reads(lambda column: numbers_of_dates(column, "day"), kind):
        return f"{{range: {OPEN}, unit: day}}  # [2020-01-01, 2024-12-31]; unknown: a date for missing cells"
    if _reads(numbers, kind):
        return f"{{range: {OPEN}}}  # [low, high], or public; unknown: a number for missing cells; integers, bins"
    return (
        f"{{{OPEN}: {OPEN}}}  # cells of the type {type_name(kind)}: only texts, numbers, dates and booleans are read"
    )


def _reads(read: Callable[[pa.ChunkedArray], Any], kind: pa.DataType) -> bool:
    try:
        check_type(read, kind)
    except ColumnTypeError:
        return False
    return True
