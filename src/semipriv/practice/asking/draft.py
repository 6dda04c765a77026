"""A request to fill in, drafted from names and types of a table's columns, and from public rows if there are some.

The footer of a Parquet file holds names and types.  In a file of text the first line holds the names, unless the header
is missing: then it is a record.  So ``_may_be_a_row`` reads the first rows, and the line is shown only if it cannot be
a record.  With public rows no row of the table is read: their column names show whether the first line is a header.
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
from semipriv.practice.asking.proposing import proposed
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
# A request for a release, drafted from {drafted}
# each {open} by what is known before anybody looks at the table.  Then
#   semipriv inspect THIS_FILE
# shows you alone which cells are not as declared, and
#   semipriv release THIS_FILE --dry-run
# tells what it costs.  Every key: `semipriv docs configuration`; how files are written: `semipriv docs files`.
release: {name}  # name of the release, and of its folder in results/releases/
ledger: ledgers/{name}.jsonl  # budget of the data set: semipriv budget open ledgers/{name}.jsonl --epsilon 1
private: {{path: {path}}}  # the table of people
public: {{path: {public}}}  # rows that are public anyway, with or without labels; if there are none, no such line
one_row_a_person: {open}  # true, if each person has one row; else person: {{columns: [NAME]}}
size: public  # the number of rows is known to all
features:  # a line for each column that is used; remove the others, and that of the label
"""
_NO_CELLS = "names and types of columns alone.  Nothing was guessed from cells: replace"
_PUBLIC_CELLS = "names and types of columns, and cells of the public rows alone: replace"
_LONE = "  # {}: the only column that the public rows lack, taken for the label; if it is a feature, declare it here\n"
_LACKS = "the public rows have no such column: declare what is known, or remove the line; is it the label?"
_TAIL = """\
label:
  column: {label}  # what is predicted; for a number, `response` with `column` and `range`; for tables, no label
  one: [{open}]  # values with label 1, or {{at_least: 3}}
  zero: [{open}]  # all others
  unknown: {open}  # 0 or 1, the label of all other cells; or refuse, for a table without such a cell
learner: {{name: auto, epsilon: {open}}}  # a rule takes one: `semipriv docs which-learner`, and `... epsilon`
# for a synthetic table (`semipriv docs synthetic`), no label; columns are categories, integers or bins:
# learner: {{name: table_release, epsilon: ...}}
# for counts, means, quantiles, ... by group, no label and no class; see `semipriv docs statistics`:
# learner: {{name: statistics, epsilon: ..., statistics: [{{statistic: count, by: [...]}}]}}
"""


def draft(path: str, public: str | None = None) -> str:
    """Return a request for a table, as YAML with a comment a key; public: the table of public rows, if there is one.

    Raise ValueError for a file that is no table, and for one of text whose first line may be a row.
    """
    source, rows = (_files(table_path) for table_path in (path, public)) if public is not None else (_files(path), None)
    part = source.parts[0]
    schema = source.schema(part)
    if rows is None:
        _check_header(source, part)
        lines, lone = [f"  {_word(name)}: {_declared(kind)}\n" for name, kind in schema], None
    else:
        _check_header(rows, rows.parts[0])
        _check_shared(source, part, rows)
        lines, lone = _proposals(schema, rows)
    filled = {
        "open": OPEN,
        "drafted": _NO_CELLS if rows is None else _PUBLIC_CELLS,
        "path": _place(path, source),
        "public": OPEN if rows is None or public is None else _place(public, rows),
        "label": OPEN if lone is None else _word(lone),
        "name": _word(re.sub(r"[^a-z0-9_-]+", "_", source.path.name.partition(".")[0].lower()) or OPEN),
    }
    return _HEAD.format(**filled) + "".join(lines) + _TAIL.format(**filled)


def _files(path: str) -> Files:
    return Files(Path(path), _form(Path(path)))


def _place(path: str, source: Files) -> str:
    """Return a path, and how its files are written, as parts of a mapping."""
    return _word(path) + "".join(f", {key}: {_word(value)}" for key, value in source.form.declared().items())


def _proposals(schema: Sequence[tuple[str, pa.DataType]], rows: Files) -> tuple[list[str], str | None]:
    """Return a line for each column of the table, and the name of the only one that the public rows lack, if one is."""
    public = dict.fromkeys(rows.names(rows.parts[0]))
    shared = [name for name, _ in schema if name in public]
    tables = [chunk.table for part in rows.parts for chunk in rows.chunks(part, shared)]
    lacking = [name for name, _ in schema if name not in public]
    lone = lacking[0] if len(lacking) == 1 and shared else None
    lines = []
    for name, kind in schema:
        if name == lone:
            lines.append(_LONE.format(_word(name)))
        elif name in public:
            lines.append(f"  {_word(name)}: {_proposed(name, _cells(tables, rows, name), kind)}\n")
        else:
            lines.append(f"  {_word(name)}: {{{OPEN}: {OPEN}}}  # {_LACKS}\n")
    return lines, lone


def _cells(tables: Sequence[pa.Table], rows: Files, name: str) -> pa.ChunkedArray:
    """Return a column of the public rows; raise ValueError if it has different types in different files."""
    chunks = [part for table in tables for part in table.column(name).chunks]
    if len({chunk.type for chunk in chunks}) > 1:
        raise PublicError(f"{rows.name}: column {name!r} has different types in different files")
    return pa.chunked_array(chunks) if chunks else pa.chunked_array([], pa.string())


def _proposed(name: str, cells: pa.ChunkedArray, kind: pa.DataType) -> str:
    """Return what public cells propose for a column, as YAML with a comment."""
    proposal = proposed(name, cells, kind)
    declared = f"{{{OPEN}: {OPEN}}}"
    if proposal.declared is not None:
        written = ", ".join(f"{key}: {_value(value)}" for key, value in proposal.declared.items())
        declared = f"{{{written}}}"
    return declared + (f"  # {proposal.note}" if proposal.note else "")


def _value(given: Any) -> str:
    """Return a text, or a list of texts and integers, as YAML reads it back."""
    return _word(given) if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _check_shared(source: Files, part: Path, rows: Files) -> None:
    """Raise ValueError, which repeats nothing of it, if the first line of a file of text need not be one of names.

    It is a header if two of its cells, or half of them, are names of public columns.  No row of the table is read.
    """
    if part.suffix.lower() in PARQUET:
        return
    names = delimited.header(part, source.form)
    shared = set(names) & set(rows.names(rows.parts[0]))
    if len(set(names)) < len(names) or not all(map(_is_name, names)) or len(shared) < min(2, len(names) / 2):
        raise PublicError(
            f"{source.name}: its first line may be a row, so it is not shown: two of its cells, or half of them, must "
            f"be names of columns of {rows.name}, and none of them empty, there twice, or like a number.  If there is "
            "no header, write a request with header: false and names; if there is one, give the public rows its names"
        )


def _form(path: Path) -> Form:
    """Return the form of a file: the separator is the one that cuts its first line into the most cells."""
    if not path.is_file() or path.suffix.lower() in PARQUET:
        return Form()
    encoding = _encoding(path)
    widths = {
        separator: len(delimited.header(path, Form(separator=separator, encoding=encoding)))
        for separator in _SEPARATORS
    }
    usual = Form().separator_of(path)
    best = max(widths, key=lambda separator: widths[separator])
    separator = None if widths[best] == 1 or widths.get(usual or "", 1) > 1 else best
    return Form(separator=separator, encoding=encoding)


def _encoding(path: Path) -> str:
    """Return UTF-8, or the assumed encoding of a file whose first line is not UTF-8."""
    try:
        delimited.header(path, Form(separator=","))
    except PublicError:
        with suppress(PublicError):
            delimited.header(path, Form(separator=",", encoding=_OTHERWISE))
            return _OTHERWISE
    return Form().encoding


def _check_header(source: Files, part: Path) -> None:
    """Raise ValueError, which repeats nothing of it, if the first line of a file of text may be a row."""
    if part.suffix.lower() in PARQUET:
        return
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
    """Return why a first line may be a row; nothing if it holds names.

    It holds names if no cell of it occurs again in its column, and in some column all other cells are numbers or dates.
    """
    numeric = False
    for name, column in zip(names, columns, strict=False):
        cells = texts(column)
        values = pc.unique(cells.drop_null().filter(pc.not_equal(cells.drop_null(), "")))
        if pc.is_in(texts(pa.chunked_array([[name]])), values).to_pylist()[0]:
            return "a cell of it comes back below"
        others = pa.chunked_array([values])
        numeric |= len(values) > 0 and bool((numbers(others)[1] | numbers_of_dates(others, "day")[1]).all())
    return "" if numeric else "no column below has numbers or dates alone"


def check_filled(settings: Any) -> None:
    """Raise ValueError, with the keys, if something of a draft was not filled in."""
    if keys := unfilled(settings):
        are = "is" if len(keys) == 1 else "are"
        raise ValueError(f"{', '.join(keys)}: {are} still {OPEN}, as drafted: fill in what is known beforehand")


def unfilled(settings: Any, key: str = "") -> list[str]:
    """Return the keys of what was not filled in, each once."""
    keys: list[str] = [key] * (settings == OPEN)
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            inner = f"{key}.{name}".strip(".")
            keys += [key] if name == OPEN else unfilled(value, inner)
    elif isinstance(settings, list):
        keys += [unfilled_key for value in settings for unfilled_key in unfilled(value, key)]
    return list(dict.fromkeys(keys))


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
