"""How the tables of a request are written: what cells of each column stand for, by what is declared of the column."""

from collections.abc import Iterable, Mapping
from typing import Any

from semipriv.practice.columns.cells import Declared
from semipriv.practice.columns.coding import Listed
from semipriv.practice.columns.features import Categories
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import KEYS, Form, Kind, form_of


def files(key: str, given: Any, declared: Iterable[Declared]) -> Files:
    """Return the files that a key of a request names, as it says that they are written."""
    form = form_of(key, {name: getattr(given, name) for name in KEYS})
    try:
        return Files(given.path, form, kinds(key, declared, form))
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from None


def kinds(key: str, declared: Iterable[Declared], form: Form) -> dict[str, Kind]:
    """Return what the cells of each column stand for; raise ValueError for a column that stands for two kinds.

    That can be where nothing is declared of how numbers and dates are spelt.
    """
    kind_of: dict[str, Kind] = {}
    for column in declared:
        kind = _kind(column)
        if kind_of.setdefault(column.column, kind) != kind and set(form.declared()) & {"decimal", "thousands", "dates"}:
            raise ValueError(
                f"{key}: column {column.column!r} is declared as {kind_of[column.column]} and as {kind}, "
                "which are spelt differently here"
            )
    return kind_of


def _kind(column: Any) -> Kind:
    if isinstance(column, Label | ClassLabel):
        return "texts" if isinstance(column.coding, Listed) else "numbers"
    if isinstance(column, Categories) or not hasattr(column, "encode"):
        return "texts"
    return "dates" if getattr(column, "unit", None) is not None else "numbers"


def identity(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return how tables are written, as a part of the identity of a request: what is not the default."""
    forms = {key: source.form.declared() for key, source in tables.items() if isinstance(source, Files)}
    forms = {key: form for key, form in forms.items() if form}
    return {"written": forms} if forms else {}
