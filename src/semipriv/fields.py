"""Frozen values whose fields check themselves: a rule of a field stands at the field, and its message names the field.

>>> @value
... class Disc:
...     radius: float = positive()
...     corners: int = size(0, default=0)
>>> Disc("2")
Disc(radius=2.0, corners=0)
>>> Disc(-1)
Traceback (most recent call last):
ValueError: radius = -1: must be > 0

A rule between several fields goes into ``__attrs_post_init__``, which runs after the fields were checked.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, dataclass_transform, overload

import attrs

from semipriv import checks
from semipriv.registry import check_name

_C = TypeVar("_C", bound=type)
Check = Callable[[str, Any], Any]
"""A function of (name of the field, value given) that returns the value to store, or raises ValueError."""


def checked(check: Check, *, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field whose value is what ``check`` returns; without a default it must be given."""

    def convert(given: Any, field: "attrs.Attribute[Any]") -> Any:
        return check(field.name, given)

    return attrs.field(default=default, kw_only=kw_only, converter=attrs.Converter(convert, takes_field=True))


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
    """Return a field for a float between low and high; ``closed`` holds 'l' and 'h' for the ends that are allowed."""

    def check(name: str, given: Any) -> float:
        return checks.between(name, given, low, high, closed=closed)

    return checked(check, default=default, kw_only=kw_only)


def size(minimum: int = 1, *, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for an integer >= minimum."""
    return checked(lambda name, given: checks.size(name, given, minimum), default=default, kw_only=kw_only)


def one_of(allowed: Sequence[str], of: str, *, default: Any = attrs.NOTHING, kw_only: bool | None = None) -> Any:
    """Return a field for one of the allowed words; the message calls it "<name of the field> of <of>"."""

    def check(name: str, given: Any) -> str:
        return check_name(f"{name} of {of}", given, list(allowed))

    return checked(check, default=default, kw_only=kw_only)


@overload
def value(cls: _C) -> _C: ...
@overload
def value(*, eq: bool = True, kw_only: bool = False) -> Callable[[_C], _C]: ...
@dataclass_transform(
    frozen_default=True, field_specifiers=(checked, real, positive, delta, between, size, one_of, attrs.field)
)
def value(cls: Any = None, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a frozen value: ``__init__``, repr, equality and hash follow from its annotated fields.

    eq: whether values with equal fields are equal; otherwise a value is equal to itself alone.  kw_only: whether its
    fields, but not those of its subclasses, are given by name only.
    """
    return attrs.define(cls, frozen=True, slots=False, eq=eq, kw_only=kw_only)
