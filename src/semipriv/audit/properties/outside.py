"""What the properties know of plug-ins from outside the package: what these say themselves, and nothing more."""

from collections.abc import Mapping, Sequence
from typing import Any

from semipriv.core import overlay, registry


def is_outside(value: Any) -> bool:
    """Return whether the type of a value is in a file of a plug-in folder."""
    return overlay.source(type(value).__module__) is not None


def named(room: str) -> list[str]:
    """Return the names of the plug-ins of a room that are in plug-in folders."""
    return [name for name, path in overlay.files(room).items() if not overlay.is_inside(path)]


def examples(room: str) -> list[Any]:
    """Return what ``examples`` of the types of a room from plug-in folders return; nothing of types without it."""
    return [value for name in named(room) for value in _examples(room, name)]


def together(room: str, table: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return examples by name: those of a table, and of types from plug-in folders their own."""
    return {**table, **{name: _examples(room, name) for name in named(room)}}


def _examples(room: str, name: str) -> list[Any]:
    make = getattr(registry.load(room, name), "examples", None)
    return [] if make is None else list(make())
