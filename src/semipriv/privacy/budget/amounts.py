"""Exact amounts of privacy, as people write them: 0.1 is a tenth, and 0.1 + 0.9 fits into 1."""

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

from semipriv.core.rounding import rounded_down

_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_QUOTIENT = re.compile(r"[+-]?[0-9]+/0*[1-9][0-9]*")
_LONGEST = 1000
_SHOWN = 60
"""Letters of a text that a message repeats."""
SMALLEST, LARGEST = Fraction(5e-324), Fraction(10**300)


def amount(name: str, given: Any) -> Fraction:
    """Return an amount >= 0 as an exact fraction.

    Text is a decimal number or a quotient of integers; a float counts as the shortest decimal text that names it.
    Raise ValueError for anything else: negative numbers, NaN, infinity, True and False; and for amounts other than 0
    beyond SMALLEST and LARGEST, which no mechanism can run with.

    >>> amount("epsilon", 0.1) + amount("epsilon", "0.9"), amount("delta", "1e-6"), amount("epsilon", "1/3")
    (Fraction(1, 1), Fraction(1, 1000000), Fraction(1, 3))
    """
    if isinstance(given, float):
        text = repr(float(given))
    elif isinstance(given, Decimal):
        text = str(given)
    elif isinstance(given, str):
        text = given.strip()
    elif isinstance(given, Rational) and given is not True and given is not False:  # NumPy's integers too
        return _in_range(name, given, Fraction(int(given.numerator), int(given.denominator)))
    else:
        raise ValueError(f"{name} = {given!r}: must be a number")
    if len(text) > _LONGEST or not (_DECIMAL.fullmatch(text) or _QUOTIENT.fullmatch(text)):
        raise ValueError(f"{name} = {_told(given)}: must be a finite number, as 0.1, 1e-6 or 1/3")
    return _in_range(name, given, Fraction(text))


def positive_amount(name: str, given: Any) -> Fraction:
    """Return an amount > 0."""
    number = amount(name, given)
    if not number:
        raise ValueError(f"{name} = {_told(given)}: must be > 0")
    return number


def _in_range(name: str, given: Any, amount: Fraction) -> Fraction:
    if amount < 0:
        raise ValueError(f"{name} = {_told(given)}: must be >= 0")
    if amount and not SMALLEST <= amount <= LARGEST:
        raise ValueError(f"{name} = {_told(given)}: must be 0 or between 5e-324 and 1e300")
    return amount


def _told(given: Any) -> str:
    """Return what was given, its length instead of a long text."""
    try:
        text = repr(given)
    except ValueError:  # of integers with more digits than Python prints
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} letters)"


def parameter(given: Fraction) -> float:
    """Return the largest float <= an amount: a mechanism that runs with it costs no more than the amount.

    Mechanisms are private with exactly the float that they are given, and the float 0.1 is more than a tenth.

    >>> parameter(Fraction(1, 10)) < Fraction(1, 10) < 0.1
    True
    """
    return rounded_down(given)
