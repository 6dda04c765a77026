"""Frozen values that check their fields: each rule stands at its field, and each message names the field.

>>> @value
... class Disc:
...     radius: float = positive()
...     corners: int = size(0, default=0)
>>> Disc("2")
Disc(radius=2.0, corners=0)
>>> Disc(-1)
Traceback (most recent call last):
ValueError: radius = -1: must be > 0

A rule between several fields goes into ``__attrs_post_init__``.  It runs after the fields were checked.
"""

from abc import update_abstractmethods
from collections.abc import Callable, Mapping, Sequence
from inspect import getattr_static
from typing import Any, TypeVar, dataclass_transform, overload

import attrs

from semipriv.core import checks, registry
from semipriv.core.registry import check_name

_C = TypeVar("_C", bound=type)
_V = TypeVar("_V")
Check = Callable[[str, Any], Any]
"""A function (name of the field, given value) -> value to store.  It raises ValueError for a wrong value."""


def checked(
    check: Check,
    *,
    default: Any = attrs.NOTHING,
    kw_only: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Return a field that stores what ``check`` returns for the given value; without a default it is required."""

    def convert(given: Any, field: "attrs.Attribute[Any]") -> Any:
        return check(field.name, given)

    converter = attrs.Converter(convert, takes_field=True)
    return attrs.field(default=default, kw_only=kw_only, converter=converter, metadata=metadata)


def real(*, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for a finite float."""
    return checked(checks.real, default=default, kw_only=kw_only)


def positive(*, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for a finite float > 0."""
    return checked(checks.positive, default=default, kw_only=kw_only)


def delta(*, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for the delta of a privacy guarantee, in [0, 1)."""
    return checked(checks.delta, default=default, kw_only=kw_only)


def between(
    low: float, high: float, *, closed: str = "", default: Any = attrs.NOTHING, kw_only: bool | None = None
) -> Any:
    """Return a field for a float between low and high.

    closed: 'l' if low itself is allowed, 'h' if high is, 'lh' if both are.
    """

    def check(name: str, given: Any) -> float:
        return checks.between(name, given, low, high, closed=closed)

    return checked(check, default=default, kw_only=kw_only)


def size(
    minimum: int = 1,
    *,
    most: int | None = None,
    why: str = "",
    optional: bool = False,
    default: Any = attrs.NOTHING,
    kw_only: bool | None = None,
) -> Any:
    """Return a field for an integer >= minimum and <= most.

    why: last words of the message for a larger integer.  optional: whether None is allowed as well.
    """

    def check(name: str, given: Any) -> int | None:
        if given is None and optional:
            return None
        number = checks.size(name, given, minimum)
        if most is not None and number > most:
            raise ValueError(f"{name} = {number}: must be <= {most}" + (f", {why}" if why else ""))
        return number

    return checked(check, default=default, kw_only=kw_only)


def one_of(allowed: Sequence[str], of: str, *, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for one of the allowed words; the message calls it "<name of the field> of <of>"."""

    def check(name: str, given: Any) -> str:
        return check_name(f"{name} of {of}", given, list(allowed))

    return checked(check, default=default, kw_only=kw_only)


def named(room: str, *, default: Any = attrs.NOTHING) -> Any:
    """Return a field for the name of a plug-in of a room."""

    def check(name: str, given: Any) -> str:
        return check_name(name, given, registry.names(room))

    return checked(check, default=default, metadata={"room": room})


def plug_in(room: str, base: type) -> Any:
    """Return a field for a plug-in of a room, given as it is or as ``{"name": ..., parameter: value}``."""
    return checked(lambda name, given: given if isinstance(given, base) else registry.build(room, given))


@overload
def value(cls: _C) -> _C: ...
@overload
def value(*, eq: bool = True, kw_only: bool = False) -> Callable[[_C], _C]: ...
@dataclass_transform(
    frozen_default=True,
    field_specifiers=(checked, real, positive, delta, between, size, one_of, named, plug_in, attrs.field),
)
def value(cls: Any = None, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a frozen value: ``__init__``, repr, equality and hash follow from its annotated fields.

    eq: whether values with equal fields are equal; if not, a value equals only itself.  kw_only: whether the fields
    must be given by name; this does not extend to the fields of subclasses.

    A field may implement an abstract property of a base class.
    """

    def make(cls: type) -> type:
        made = attrs.define(cls, frozen=True, slots=False, eq=eq, kw_only=kw_only)
        for field in attrs.fields(made):
            if isinstance(getattr_static(made, field.name, None), property):
                setattr(made, field.name, field.default)
        return update_abstractmethods(made)

    return make if cls is None else make(cls)


def changed(given: _V, **fields: Any) -> _V:
    """Return a frozen value with other fields, which are checked."""
    found: _V = attrs.evolve(given, **fields)  # type: ignore[misc]
    return found
