"""A request to fill in, drafted from the names and types of a table's columns: no cell is read."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from semipriv.practice.sources.files import Files

OPEN = "TODO"
"""What stands in a draft where somebody must decide."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*[A-Za-z0-9_]|[A-Za-z_]")
_RESERVED = {"yes", "no", "true", "false", "on", "off", "null", "y", "n"}
"""Words that YAML reads as something else."""

_HEAD = """\
# A request for a release, drafted from the names and types of columns alone.  No cell was read, and nothing was guessed
# from cells: replace each {open} by what is known before anybody looks at the table.  Then
#   semipriv release THIS_FILE --dry-run
# tells what it costs.  Every key: config/README.md.
release: {name}  # name of the release, and of its folder in results/releases/
ledger: ledgers/{name}.jsonl  # budget of the data set: semipriv budget open ledgers/{name}.jsonl --epsilon 1
private: {{path: {path}}}  # the table of people
public: {{path: {open}}}  # rows that are public anyway, with the same columns; labels are not needed
one_row_a_person: {open}  # true, if each person has at most one row
size: public  # the number of rows is known to all
features:  # a line for each column that is used; remove the others, and that of the label
"""
_TAIL = """\
label:
  column: {open}  # what is predicted; for a number, `response` with `column` and `range`; for a table, no label
  one: [{open}]  # values with label 1, or {{at_least: 3}}
  zero: [{open}]  # all others
  unknown: {open}  # 0 or 1, the label of all other cells; or refuse, for a table without such a cell
class: {{name: halfspaces}}  # what is learned; see docs/which-learner.md, also for the learner
learner: {{name: public_metric_discriminant, epsilon: {open}}}  # epsilon: see docs/epsilon.md
"""


def draft(path: str) -> str:
    """Return a request for a table, as YAML with a comment a key; raise ValueError for a file that is no table."""
    source = Files(Path(path))
    columns = source.schema(source.parts[0])
    lines = [f"  {_word(name)}: {_declared(kind)}\n" for name, kind in columns]
    filled = {"open": OPEN, "path": _word(path), "name": _word(re.sub(r"[^a-z0-9_-]+", "_", source.path.stem.lower()))}
    return _HEAD.format(**filled) + "".join(lines) + _TAIL.format(**filled)


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
    """Return what may be declared of a column of a type."""
    if pa.types.is_boolean(kind):
        return '{categories: ["true", "false"]}'
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return f"{{range: {OPEN}, unit: day}}  # [2020-01-01, 2024-12-31]; unknown: a date for missing cells"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return f"{{range: {OPEN}}}  # [low, high], or public; unknown: a number for missing cells; integers, bins"
    if pa.types.is_string(kind):
        return f"{{categories: {OPEN}}}  # all values as a list; or range: [low, high] for numbers; unknown: the others"
    return f"{{{OPEN}: {OPEN}}}  # cells of the type {kind}: only texts, numbers, dates and booleans are read"
