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
from functools import partial
from inspect import getattr_static
from typing import Any, TypedDict, TypeVar, Unpack, dataclass_transform, overload

import attrs

from semipriv.core import checks, registry
from semipriv.core.registry import check_name

_C = TypeVar("_C", bound=type)
_V = TypeVar("_V")
Check = Callable[[str, Any], Any]
"""A function (name of the field, given value) -> value to store.  It raises ValueError for a wrong value."""


class Options(TypedDict, total=False):
    """What every field takes beside its rule: a default, without which it is required; whether it is given by name."""

    default: Any
    kw_only: bool | None


def checked(check: Check, *, metadata: Mapping[str, Any] | None = None, **options: Unpack[Options]) -> Any:
    """Return a field that stores what ``check`` returns for the given value."""

    def convert(given: Any, field: "attrs.Attribute[Any]") -> Any:
        return check(field.name, given)

    return attrs.field(converter=attrs.Converter(convert, takes_field=True), metadata=metadata, **options)


def real(**options: Unpack[Options]) -> Any:
    """Return a field for a finite float."""
    return checked(checks.real, **options)


def positive(**options: Unpack[Options]) -> Any:
    """Return a field for a finite float > 0."""
    return checked(checks.positive, **options)


def delta(**options: Unpack[Options]) -> Any:
    """Return a field for the delta of a privacy guarantee, in [0, 1)."""
    return checked(checks.delta, **options)


def between(low: float, high: float, *, closed: str = "", **options: Unpack[Options]) -> Any:
    """Return a field for a float between low and high; ``closed`` is that of ``checks.between``."""
    return checked(partial(checks.between, low=low, high=high, closed=closed), **options)


def size(
    minimum: int = 1, *, most: int | None = None, why: str = "", optional: bool = False, **options: Unpack[Options]
) -> Any:
    """Return a field for an integer as ``checks.size`` takes it; optional: None is allowed as well."""
    check = partial(checks.size, minimum=minimum, most=most, why=why)
    return checked(lambda name, given: None if given is None and optional else check(name, given), **options)


def one_of(allowed: Sequence[str], of: str, **options: Unpack[Options]) -> Any:
    """Return a field for one of the allowed words; the message calls it "<name of the field> of <of>"."""
    return checked(lambda name, given: check_name(f"{name} of {of}", given, list(allowed)), **options)


def named(room: str, **options: Unpack[Options]) -> Any:
    """Return a field for the name of a plug-in of a room."""
    return checked(
        lambda name, given: check_name(name, given, registry.names(room)), metadata={"room": room}, **options
    )


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
        defined = attrs.define(cls, frozen=True, slots=False, eq=eq, kw_only=kw_only)
        for field in attrs.fields(defined):
            if isinstance(getattr_static(defined, field.name, None), property):
                setattr(defined, field.name, field.default)
        return update_abstractmethods(defined)

    return make if cls is None else make(cls)


def changed(given: _V, **fields: Any) -> _V:
    """Return a frozen value with other fields, which are checked."""
    copy: _V = attrs.evolve(given, **fields)  # type: ignore[misc]
    return copy
