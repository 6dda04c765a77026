"""Plug-ins by file: a new class, learner, marginal, ... is one new module, named in configurations by its file name.

A plug-in module lists exactly one type in ``__all__``.  A module is no plug-in if its name is ``base`` or starts with
an underscore.  Names come from the file system: a plug-in is imported only if it is asked for.  Files are those of the
package and of plug-in folders (``semipriv.core.overlay``).
"""

import ast
import difflib
import inspect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from semipriv.core import rooms, source
from semipriv.core.overlay import files, is_inside, is_ours, loaded, module_of
from semipriv.core.overlay import room_of as room_of_module


class UnknownNameError(ValueError):
    """A name that is not allowed.  The message lists the allowed names, the nearest first."""


def check_name(what: str, name: object, allowed: Collection[str]) -> str:
    """Return ``name`` if it is one of ``allowed``; else raise UnknownNameError with the nearest and all allowed names.

    >>> check_name("class", "threshold", ["intervals", "thresholds"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    semipriv.core.registry.UnknownNameError: unknown class 'threshold': did you mean 'thresholds'? (allowed: ...)
    """
    if isinstance(name, str) and name in allowed:
        return name
    nearest = [candidate for candidate in allowed if plain(candidate) == plain(str(name))]
    nearest = nearest or difflib.get_close_matches(str(name), allowed, n=2, cutoff=0.5)
    nearest = nearest or difflib.get_close_matches(plain(str(name)), allowed, n=2, cutoff=0.5)
    hint = f": did you mean {' or '.join(repr(n) for n in nearest)}?" if nearest else ""
    raise UnknownNameError(f"unknown {what} {name!r}{hint} (allowed: {', '.join(allowed)})")


def plain(name: str) -> str:
    """Return a name without case, blanks, hyphens and underscores: names that differ in these alone are meant alike.

    >>> plain("LabelBoost") == plain("label_boost") == plain("label-boost")
    True
    """
    return "".join(name.split()).replace("_", "").replace("-", "").casefold()


def names(room: str) -> list[str]:
    """Return the sorted names of the plug-ins of a room, such as 'classes' or 'distributions/marginals'."""
    return list(files(room))


def module(room: str, name: str) -> str:
    """Return the dotted name of the module of a plug-in; raise UnknownNameError if there is none of this name."""
    return module_of(_file(room, name))


def _file(room: str, name: object) -> Path:
    known = files(room)
    return known[check_name(rooms.word(room), name, known)]


def load(room: str, name: str) -> Any:
    """Import a plug-in and return its type.  Raise UnknownNameError, with the nearest names, if there is none."""
    path = _file(room, name)
    if not is_inside(path):
        return loaded(module_of(path), path)
    return _imported(path)


@lru_cache(maxsize=1024)
def _imported(path: Path) -> Any:
    """Return the type of a plug-in of the package, whose file has the same module each time."""
    plugin = import_module(module_of(path))
    return getattr(plugin, plugin.__all__[0])


def build(room: str | tuple[str, ...], specification: dict[str, Any]) -> Any:
    """Build a plug-in from ``{"name": ..., parameter: value}``.

    room: where it is, or several rooms, of which the first that has the name counts.  Raise UnknownNameError for an
    unknown name or parameter, with the allowed ones; ValueError for a missing parameter.
    """
    several = (room,) if isinstance(room, str) else room
    what = rooms.word(several[0])
    if not isinstance(specification, dict) or "name" not in specification:
        allowed = ", ".join(_known(several))
        raise UnknownNameError(f"a {what} needs a 'name' (allowed: {allowed}), got {specification!r}")
    plugin = load(room_of(several, specification["name"]), specification["name"])
    return constructed(what, plugin, specification)


def completed(room: str | tuple[str, ...], specification: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    """Return ``{"name": ..., parameter: value}`` with those of the values that the plug-in takes and that it lacks."""
    several = (room,) if isinstance(room, str) else room
    taken = _signature(load(room_of(several, specification["name"]), specification["name"])).parameters
    return {**{key: value for key, value in values.items() if key in taken}, **specification}


def constructed(what: str, plugin: Any, specification: Mapping[str, Any]) -> Any:
    """Build a value of the type ``plugin`` as ``build`` does that of a plug-in."""
    parameters = {key: value for key, value in specification.items() if key != "name"}
    signature = _signature(plugin)
    for key in parameters:
        check_name(f"parameter of {what} {specification['name']!r}", key, list(signature.parameters))
    missing = [
        key
        for key, parameter in signature.parameters.items()
        if parameter.default is inspect.Parameter.empty and key not in parameters
    ]
    if missing:
        raise ValueError(f"{what} {specification['name']!r} needs {', '.join(missing)}")
    return plugin(**parameters)


def keys(room: str, name: str) -> list[str]:
    """Return the names of all parameters of a plug-in.  Raise UnknownNameError if there is no such plug-in."""
    return list(_signature(load(room, name)).parameters)


def required(room: str, name: str) -> list[str]:
    """Return the parameters of a plug-in that have no default.  Raise UnknownNameError if there is no such plug-in."""
    signature = _signature(load(room, name)).parameters.items()
    return [key for key, parameter in signature if parameter.default is inspect.Parameter.empty]


def room_of(several: tuple[str, ...], name: object) -> str:
    """Return the first of the rooms that has a plug-in of this name; raise UnknownNameError if there is none."""
    known = _known(several)
    return known[check_name(rooms.word(several[0]), name, list(known))]


def _known(several: tuple[str, ...]) -> dict[str, str]:
    """Return the room of each plug-in by name, sorted; of two with one name, the first."""
    return dict(sorted((name, room) for room in reversed(several) for name in names(room)))


@lru_cache(maxsize=256)
def _signature(plugin: Any) -> inspect.Signature:
    return inspect.signature(plugin)


def specified(specification: Mapping[str, Any]) -> Any:
    """Build the plug-in of a ``specification``, which names its room."""
    values = dict(specification)
    return build(values.pop("room"), values)


def specification(room: str, value: Any) -> dict[str, Any]:
    """Return the room, the name and the parameters of a plug-in as JSON values; ``specified`` inverts this."""
    return {"room": room, "name": name_of(value), **parameters(value)}


def name_of(value: Any) -> str:
    """Return the name of a plug-in in configurations: the name of its module.

    >>> from semipriv.classes.thresholds import Thresholds
    >>> name_of(Thresholds())
    'thresholds'
    """
    return type(value).__module__.rpartition(".")[2]


def parameters(value: Any) -> dict[str, Any]:
    """Return the parameters of a plug-in as JSON values, with defaults.

    A parameter that is itself a plug-in becomes a mapping of its name and its parameters.

    >>> from semipriv.classes.halfspaces import Halfspaces
    >>> parameters(Halfspaces(3))
    {'dimension': 3}
    """
    return {name: _plain(getattr(value, name)) for name in fields_of(value)}


def fields_of(value: Any) -> list[str]:
    """Return the names of the parameters of a value, in their order."""
    return [field.name for field in _fields(value) if field.init]


def _fields(value: Any) -> Iterable[Any]:
    """Return the fields of a value, each with its name and metadata; none if its type has no fields."""
    if hasattr(type(value), "__attrs_attrs__"):
        return iter(type(value).__attrs_attrs__)
    return dataclass_fields(value) if is_dataclass(value) else ()


def _plain(value: Any) -> Any:
    """Return a parameter as a JSON value; raise ValueError if it has none."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    module = type(value).__module__
    if not is_ours(module):
        raise ValueError(f"{value!r}: is not a value of JSON")
    name = {"name": name_of(value)} if room_of_module(module) in rooms.outside() else {}
    return name | parameters(value)


def modules(value: Any) -> set[str]:
    """Return the modules of the package that a value needs: the module of its type, and those that its fields need.

    A field may name a plug-in instead of holding it.  Its metadata say so under ``room``, and the plug-in's module is
    returned as well.
    """
    if not is_ours(type(value).__module__):
        return set()
    needed = {type(value).__module__}
    for field in _fields(value):
        inner = getattr(value, field.name)
        needed |= {module(field.metadata["room"], inner)} if "room" in field.metadata else modules(inner)
    return needed


def options(room: str, name: str) -> dict[str, bool]:
    """Return the parameters of a plug-in function ``draw`` after its first, each with whether it is required.

    They are read from the source: nothing is imported.
    """
    function = _draw(room, name)
    arguments = function.args.args
    required = len(arguments) - len(function.args.defaults)
    return {argument.arg: i < required for i, argument in enumerate(arguments) if i > 0}


def documentation(room: str, name: str) -> str:
    """Return the docstring of a plug-in function ``draw``.  It is read from the source: nothing is imported."""
    return source.docstring(_draw(room, name))


def constants(room: str, name: str) -> dict[str, Any]:
    """Return the constants of a plug-in's module that are literals: nothing is imported."""
    return source.constants(source.parsed(_file(room, name)))


def _draw(room: str, name: str) -> ast.FunctionDef:
    tree = source.parsed(_file(room, name))
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "draw")
