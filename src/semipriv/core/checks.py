"""Checks of numbers and arrays; values that validate themselves use them, and the message names the parameter."""

import math
import sys
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.types import Floats

_LARGE = 2**63
"""Python's integers below it are numbers at first sight."""


def real(name: str, value: Any) -> float:
    """Return ``value`` as a finite float; text that spells a number (YAML reads 1e-6 as text) is accepted.

    >>> real("epsilon", "1e-6")
    1e-06
    """
    if isinstance(value, float) and math.isfinite(value):  # most are: asking for ``Real`` takes ten times as long
        return float(value)
    if type(value) is int and -_LARGE < value < _LARGE:
        return float(value)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ValueError(f"{name} = {value!r}: is text, must be a number") from None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} = {value!r}: must be a number")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name}: is too large for a float") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} = {value!r}: must be finite")
    return number


def positive(name: str, value: Any) -> float:
    """Return ``value`` as a finite float > 0."""
    number = real(name, value)
    if number <= 0:
        raise ValueError(f"{name} = {value!r}: must be > 0")
    return number


def between(name: str, value: Any, low: float, high: float, *, closed: str = "") -> float:
    """Return ``value`` if it is between low and high; ``closed`` holds 'l' and 'h' for the ends that are allowed."""
    number = real(name, value)
    above = number >= low if "l" in closed else number > low
    below = number <= high if "h" in closed else number < high
    if not (above and below):
        bracket = ("[" if "l" in closed else "(") + f"{low:g}, {high:g}" + ("]" if "h" in closed else ")")
        raise ValueError(f"{name} = {value!r}: must be in {bracket}")
    return number


def delta(name: str, value: Any) -> float:
    """Return ``value`` as the delta of a privacy guarantee, in [0, 1)."""
    return between(name, value, 0, 1, closed="l")


def size(name: str, value: Any, minimum: int = 1, most: int | None = None, why: str = "") -> int:
    """Return ``value`` as an integer >= minimum and <= most; fractional numbers are refused, 1e5 is accepted.

    why: last words of the message for a larger integer.
    """
    if type(value) is int and minimum <= value < _LARGE and (most is None or value <= most):
        return value
    number = real(name, value)
    if not number.is_integer():
        raise ValueError(f"{name} = {value!r}: must be an integer")
    if number < minimum:
        raise ValueError(f"{name} = {value!r}: must be >= {minimum}")
    whole = int(value) if isinstance(value, Integral) else int(number)
    if most is not None and whole > most:
        raise ValueError(f"{name} = {whole}: must be <= {most}" + (f", {why}" if why else ""))
    return whole


def boolean(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False; numbers that stand for them are refused."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} = {value!r}: must be True or False")
    return value


def mapping(what: str, value: Any) -> dict[str, Any]:
    """Return value if it is a mapping; else raise ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} = {value!r}: must be a mapping of keys to values")
    return value


def listing(what: str, value: Any) -> list[Any]:
    """Return value if it is a list; else raise ValueError."""
    if not isinstance(value, list):
        raise ValueError(f"{what} = {value!r}: must be a list")
    return value


def array(name: str, values: Any) -> NDArray[Any]:
    """Return values as an array of numbers or bool, of any shape.

    Raise ValueError for what NumPy would change without a word: a masked array, which would lose its mask, complex
    numbers, which would lose their imaginary part, text that spells numbers, and dates.

    >>> array("points", ["1", "2"])
    Traceback (most recent call last):
    ValueError: points: holds text, must be numbers
    """
    parts = values if isinstance(values, list | tuple) else [values]
    if "numpy.ma" in sys.modules and any(isinstance(part, np.ma.MaskedArray) for part in parts):  # imports are slow
        raise ValueError(f"{name}: is a masked array, whose mask would be lost: drop or fill the masked entries first")
    try:
        entries = np.asarray(values)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be numbers") from None
    for kinds, types, what in _NO_NUMBERS:
        if entries.dtype.kind in kinds or (
            entries.dtype.kind == "O" and any(isinstance(v, types) for v in entries.flat)
        ):
            raise ValueError(f"{name}: holds {what}, must be numbers")
    return entries


_NO_NUMBERS = (
    ("USTa", (str, bytes), "text"),
    ("c", (complex, np.complexfloating), "complex numbers"),
    ("mM", (np.datetime64, np.timedelta64), "dates"),
)
"""Kinds of NumPy types and types of entries that are no real numbers, and what they are."""


def indices(name: str, numbers: Floats, size: int, what: str) -> None:
    """Raise ValueError, with the row, unless all numbers (k,) are 0, ..., size - 1."""
    wrong = ~((numbers >= 0) & (numbers < size) & (numbers == np.floor(numbers)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}: row {row}: {what} {numbers[row]:g}: must be one of 0, ..., {size - 1}")
