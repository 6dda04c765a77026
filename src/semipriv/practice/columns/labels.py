"""The label of a private table: each side or class is declared, as a list of values or as one comparison."""

import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from semipriv.classes.classifiers.base import MOST_CLASSES
from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name
from semipriv.core.samples import ClassLabels, Labels
from semipriv.core.types import Floats, Integers
from semipriv.practice.columns.cells import Known, as_cells, check_texts, check_type, numbers, places, texts
from semipriv.practice.columns.coding import OUTSIDE, Coding, Listed, Steps, pieces
from semipriv.practice.columns.dates import is_date
from semipriv.practice.columns.feature import REFUSE
from semipriv.practice.columns.responses import Response

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "at_least": operator.ge,
    "above": operator.gt,
    "at_most": operator.le,
    "below": operator.lt,
}


@value
class Comparison:
    """All numbers on one side of a bound: at_least, above, at_most or below it."""

    word: str
    bound: float

    def holds(self, numbers: Any) -> Any:
        """Return whether numbers are on that side."""
        return _COMPARISONS[self.word](numbers, self.bound)


Side = tuple[str, ...] | tuple[float, ...] | Comparison


def _side(name: str, given: Any) -> Side:
    """Return a list of values, all texts or all numbers, or a comparison."""
    if isinstance(given, Comparison):
        return given
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise ValueError(f"label.{name} = {dict(given)!r}: must be one of {', '.join(_COMPARISONS)} and a number")
        ((word, bound),) = given.items()
        if is_date(bound):
            raise ValueError(f"label.{name}.{word} = {str(bound)!r}: is a date, must be a number; a label has no unit")
        return Comparison(
            check_name(f"comparison of label.{name}", word, list(_COMPARISONS)),
            checks.real(f"label.{name}.{word}", bound),
        )
    values = list(given) if isinstance(given, list | tuple) else [given]
    if not values:
        raise ValueError(f"label.{name}: is an empty list, must be at least one value")
    if all(isinstance(value, str) for value in values):
        return tuple(as_cells(values))  # as cells are read
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise ValueError(
            f"label.{name} = {given!r}: must be all texts or all numbers (write yes, no, true, false, dates in quotes)"
        )
    return tuple(checks.real(f"label.{name}", value) for value in values)


def _unknown(name: str, given: Any) -> int | None:
    if given is None or given == REFUSE:
        return None
    if isinstance(given, bool) or given not in (0, 1):
        raise ValueError(f"label.{name} = {given!r}: must be 0 or 1, the label of all other cells, or {REFUSE}")
    return int(given)


@value
class Label:
    """A column, the values that are 1, and those that are 0; other cells are refused, or unknown: 0 or 1 for all.

    >>> Label("visits", {"at_least": 3}, {"below": 3}).encode(pa.chunked_array([[0.0, 3.0, None]]))
    (array([0, 1, 0], dtype=int8), array([ True,  True, False]))
    """

    column: str
    one: Side = checked(_side)
    zero: Side = checked(_side)
    unknown: int | None = checked(_unknown, default=None)

    @property
    def rule(self) -> str:
        """What a cell must be."""
        return "a value of one or of zero of the label"

    def __attrs_post_init__(self) -> None:
        if _as_text(self.one) != _as_text(self.zero):
            raise ValueError("label: one and zero must both be texts or both be numbers")
        both = _common(self.one, self.zero)
        if both is not None:
            raise ValueError(f"label: {both!r} is both one and zero")

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        if _as_text(self.one):
            check_texts([str(text) for side in (self.one, self.zero) if isinstance(side, tuple) for text in side], kind)
        else:
            check_type(numbers, kind)

    def encode(self, column: pa.ChunkedArray) -> tuple[Labels, Known]:
        """Return labels (n,), 0 where a cell is on neither side, and whether it is on one of them or has a place."""
        if _as_text(self.one):
            cells = texts(column)
            is_one, is_zero = (places(cells, list(side)) >= 0 for side in (self.one, self.zero))  # type: ignore[arg-type]
        else:
            values, known = numbers(column)
            is_one, is_zero = (_met(values, side) & known for side in (self.one, self.zero))
        if self.unknown is None:
            return is_one.astype(np.int8), is_one | is_zero
        return np.where(is_one | is_zero, is_one, self.unknown).astype(np.int8), np.ones(len(is_one), bool)

    @property
    def coding(self) -> Coding:
        """The label as a function of a cell."""
        return _coding((self.zero, self.one), self.unknown)

    @property
    def sides(self) -> tuple[Any, Any]:
        """What a prediction of 0 and of 1 is called: the declared values, if both sides are one value each, else texts.

        >>> Label("ill", ["yes"], ["no"]).sides, Label("ill", [1], [0]).sides
        (('no', 'yes'), (0, 1))
        >>> Label("visits", {"at_least": 3}, [0, 1, 2.5]).sides
        ('0 or 1 or 2.5', 'at_least 3')
        """
        zero_side, one_side = _called(self.zero, self.one)
        return zero_side, one_side

    def description(self) -> dict[str, Any]:
        """Return values of JSON; the constructor takes them."""
        sides = {"one": _described(self.one), "zero": _described(self.zero)}
        return {"column": self.column, **sides, "unknown": REFUSE if self.unknown is None else self.unknown}


def _classes(name: str, given: Any) -> tuple[Side, ...]:
    """Return the sides of a list of classes, each a value, a list of values or a comparison."""
    if not isinstance(given, list | tuple) or not 2 <= len(given) <= MOST_CLASSES:
        raise ValueError(
            f"label.{name} = {given!r}: must be a list of 2 to {MOST_CLASSES} classes, each a value, a list of values, "
            f"or one of {', '.join(_COMPARISONS)} and a number"
        )
    return tuple(_side(f"{name}[{place}]", side) for place, side in enumerate(given))


@value
class ClassLabel:
    """A column and the values of each class, labels 0, 1, ...; other cells are refused, or of the class ``unknown``.

    unknown: a value of the class of all other cells.

    >>> ClassLabel("visits", [0, [1, 2], {"at_least": 3}]).encode(pa.chunked_array([[2.0, 7.0, None, 0.0]]))
    (array([1, 2, 0, 0], dtype=int8), array([ True,  True, False,  True]))
    """

    column: str
    classes: tuple[Side, ...] = checked(_classes)
    unknown: str | float | None = attrs.field(default=None, converter=lambda given: None if given == REFUSE else given)

    def __attrs_post_init__(self) -> None:
        if any(REFUSE in side for side in self.classes if isinstance(side, tuple)):
            raise ValueError(f"label.classes: {REFUSE!r} is a word of `unknown`, and cannot be a value of a class")
        if len(set(map(_as_text, self.classes))) > 1:
            raise ValueError("label.classes: must all be texts or all be numbers")
        for side, other in itertools.combinations(self.classes, 2):
            if (both := _common(side, other)) is not None:
                raise ValueError(f"label.classes: {both!r} is in two of them")
        if self.unknown is not None and self._place(self.unknown) is None:
            raise ValueError(f"label.unknown = {self.unknown!r}: must be a value of one of the classes, or {REFUSE}")

    def _place(self, given: Any) -> int | None:
        """Return the label of a value; None if it is in no class."""
        if isinstance(given, bool) or isinstance(given, str) is not _as_text(self.classes[0]):
            return None
        given = as_cells([given])[0] if isinstance(given, str) else given
        met = (side.holds(given) if isinstance(side, Comparison) else given in side for side in self.classes)
        return next((place for place, holds in enumerate(met) if holds), None)

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        if _as_text(self.classes[0]):
            check_texts([str(text) for side in self.classes if isinstance(side, tuple) for text in side], kind)
        else:
            check_type(numbers, kind)

    def encode(self, column: pa.ChunkedArray) -> tuple[ClassLabels, Known]:
        """Return labels (n,), 0 where a cell is in no class, and whether it is in one of them or has a place."""
        if _as_text(self.classes[0]):
            cells = texts(column)
            met = [places(cells, list(side)) >= 0 for side in self.classes]  # type: ignore[arg-type]
        else:
            values, known = numbers(column)
            met = [_met(values, side) & known for side in self.classes]
        every = np.array(met)
        labels: ClassLabels = np.asarray(np.argmax(every, axis=0), np.int8)
        in_class: Known = np.asarray(every.any(axis=0))
        place = None if self.unknown is None else self._place(self.unknown)
        if place is None:
            return labels, in_class
        labels[~in_class] = place
        return labels, np.ones(len(in_class), np.bool_)

    @property
    def rule(self) -> str:
        """What a cell must be."""
        return "a value of one of the classes of the label"

    @property
    def coding(self) -> Coding:
        """The label as a function of a cell."""
        return _coding(self.classes, None if self.unknown is None else self._place(self.unknown))

    @property
    def sides(self) -> tuple[Any, ...]:
        """What predictions of 0, 1, ... are called: the declared values, if each class is one value, else texts.

        >>> ClassLabel("visits", [0, [1, 2], {"at_least": 3}]).sides
        ('0', '1 or 2', 'at_least 3')
        """
        return _called(*self.classes)

    def description(self) -> dict[str, Any]:
        """Return values of JSON; the constructor takes them."""
        classes = [_described(side) for side in self.classes]
        return {"column": self.column, "classes": classes, "unknown": REFUSE if self.unknown is None else self.unknown}


AnyLabel = Label | ClassLabel | Response


def label_of(description: Mapping[str, Any]) -> AnyLabel:
    """Return the label with this description: of classes, or of the sides one and zero."""
    kind = ClassLabel if "classes" in description else Response if "range" in description else Label
    return kind(**description)


def _coding(sides: Sequence[Side], unknown: int | None) -> Coding:
    """Return the label of a cell as a function of the cell; ``unknown`` is the label of all other cells."""
    other = OUTSIDE if unknown is None else unknown
    if _as_text(sides[0]):
        return Listed({str(text): place for place, side in enumerate(sides) for text in side}, other)  # type: ignore[union-attr]

    def code(values: Floats) -> Integers:
        met = np.array([_met(values, side) for side in sides])
        return np.where(met.any(axis=0), met.argmax(axis=0), other)

    ends = [end for side in sides for end in ([side.bound] if isinstance(side, Comparison) else side)]
    return Steps(*pieces(np.array(ends, np.float64), code), False, other)


def _called(*sides: Side) -> tuple[Any, ...]:
    """Return the only value of each side; texts, if one of them has several or a comparison."""
    if all(not isinstance(side, Comparison) and len(side) == 1 for side in sides):
        return tuple(_whole(side[0]) for side in sides)  # type: ignore[index]
    return tuple(map(_name, sides))


def _whole(value: str | float) -> str | float:
    """Return a value as it is, integers as such."""
    return value if isinstance(value, str) or not value.is_integer() else int(value)


def _name(side: Side) -> str:
    if isinstance(side, Comparison):
        return f"{side.word} {_whole(side.bound)}"
    return " or ".join(str(_whole(value)) for value in side)


def _described(side: Side) -> Any:
    return {side.word: side.bound} if isinstance(side, Comparison) else list(side)


def _as_text(side: Side) -> bool:
    return not isinstance(side, Comparison) and isinstance(side[0], str)


def _met(values: Floats, side: Any) -> Known:
    return np.asarray(side.holds(values) if isinstance(side, Comparison) else np.isin(values, side))


def _common(side: Side, other: Side) -> Any:
    """Return a value that is on both sides; None if there is none.

    For two comparisons it is enough to try the bounds, the numbers next to them and the ends of the line.
    """
    if isinstance(side, Comparison) and isinstance(other, Comparison):
        ends = (side.bound, other.bound)
        near = [float(x) for end in ends for x in (end, np.nextafter(end, -np.inf), np.nextafter(end, np.inf))]
        return next((x for x in (*near, -np.inf, np.inf) if side.holds(x) and other.holds(x)), None)
    if isinstance(side, Comparison):
        return next((x for x in other if side.holds(x)), None)  # type: ignore[union-attr]
    if isinstance(other, Comparison):
        return next((x for x in side if other.holds(x)), None)
    others = set(other)
    return next((x for x in side if x in others), None)
