"""The tables of a request: files, objects, or tables of databases."""

from collections.abc import Sequence
from typing import Any

from semipriv.practice.asking import written
from semipriv.practice.columns.cells import Declared
from semipriv.practice.sources.objects import Objects, is_address
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Beside, Stored


def source_of(key: str, keys: Any, declared: Sequence[Declared], beside: Beside) -> Source:
    """Return the table that a key of the request names; beside: databases that its other tables are in."""
    if keys.path is not None and not is_address(keys.path):
        named_path(f"{key}.path", keys.path)
        return written.files(key, keys, declared)
    try:
        if keys.path is not None:
            return Objects(keys.path)
        options = {name: getattr(keys, name) for name in ("order", "version", "seconds") if hasattr(keys, name)}
        return Stored(keys.database, keys.table, keys.schema_name, keys.query, beside=beside, **options)
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from None


def named_path(key: str, given: str) -> str:
    """Return a path as text; raise ValueError for what names nothing."""
    if not given.strip() or not given.isprintable():
        raise ValueError(f"{key} = {given!r}: must be a path")
    return given
