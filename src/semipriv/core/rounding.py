"""Numbers rounded in a stated direction: privacy parameters go up, provably, and exact results stay exact.

Rational formulas are worked in fractions and rounded once.  All others are worked in brackets of decimal numbers: the
standard library rounds exp, ln, sqrt and the four operations correctly at any number of digits, so that a directed
rounding, or one step away from the result, gives a bound that is proven.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    Underflow,
)
from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import Any

from semipriv.core import checks

Number = int | float | Fraction | Decimal
"""A number that is meant exactly as it is stored."""

DIGITS = 50
"""Digits of a bracket: enough for a float after 30 of them were lost to cancellation."""
STEEP = 10**15
"""Brackets of exp(-x) begin at 0 beyond it; decimal exponents end at 10^18."""


# ---------------------------------------------------------------------------------------------------- floats
def rounded_up(value: int | Fraction | Decimal) -> float:
    """Return the smallest float >= value: rounding never makes a privacy parameter too small, nor a positive one 0.

    >>> rounded_up(Fraction(1, 3)) >= Fraction(1, 3) > Fraction(math.nextafter(rounded_up(Fraction(1, 3)), 0))
    True
    >>> rounded_up(Fraction(0.5) + Fraction(0.5)), rounded_up(Fraction(1, 10**400))
    (1.0, 5e-324)
    """
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    if nearest == -math.inf:
        return -sys.float_info.max
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def rounded_down(value: int | Fraction | Decimal) -> float:
    """Return the largest float <= value.

    >>> rounded_down(Fraction(1, 3)) < Fraction(1, 3) < rounded_up(Fraction(1, 3))
    True
    """
    return 0.0 - rounded_up(-value if isinstance(value, (int, Fraction)) else value.copy_negate())


def rational(name: str, value: Any) -> Fraction:
    """Return ``value`` as an exact fraction, if it is a finite number > 0; text means the nearest float.

    >>> rational("scale", 0.5), rational("scale", Fraction(1, 3))
    (Fraction(1, 2), Fraction(1, 3))
    """
    number = checks.positive(name, value)
    if not isinstance(value, float) and isinstance(
        value, Rational
    ):  # NumPy's integers too: as they are, they would overflow inside the fraction
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(number)


def above(name: str, value: Any) -> float:
    """Return the smallest float >= value, a finite number; text means the nearest float.

    >>> above("sensitivity", 2**53 + 1) == 2**53 + 2
    True
    """
    number = checks.real(name, value)
    if not isinstance(value, float) and isinstance(value, Rational):
        number = rounded_up(Fraction(int(value.numerator), int(value.denominator)))
    return checks.real(name, number)


# ---------------------------------------------------------------------------------------------------- decimals
@cache
def outward(digits: int) -> tuple[Context, Context]:
    """Return two decimal contexts with that many digits: one rounds down, one up, both with the widest exponents.

    >>> down, up = outward(3)
    >>> down.divide(2, 3), up.divide(2, 3)
    (Decimal('0.666'), Decimal('0.667'))
    """
    traps = [DivisionByZero, InvalidOperation, Overflow, Underflow]
    down, up = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=traps)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up


@dataclass(frozen=True, slots=True)
class Bracket:
    """An interval [low, high] that holds a real number; all operations keep it inside.

    Results have ``DIGITS`` digits, rounded outward.  exp and ln are rounded to the nearest number, whatever the
    direction: hence one step outward.

    >>> third = Bracket.of(1) / 3
    >>> third.down < Fraction(1, 3) < third.up
    True
    >>> (Bracket.of(0.5) + 0.5).up
    1.0
    """

    low: Decimal
    high: Decimal

    @classmethod
    def of(cls, value: "Bracket | Number") -> "Bracket":
        """Return the bracket of a number: exact, except for fractions of more digits, rounded outward."""
        if isinstance(value, Bracket):
            return value
        if isinstance(value, Fraction):
            down, up = outward(DIGITS)
            numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
            return cls(down.divide(numerator, denominator), up.divide(numerator, denominator))
        return cls(Decimal(value), Decimal(value))

    @property
    def up(self) -> float:
        """Smallest float >= high."""
        return rounded_up(self.high)

    @property
    def down(self) -> float:
        """Largest float <= low."""
        return rounded_down(self.low)

    def __neg__(self) -> "Bracket":
        return Bracket(self.high.copy_negate(), self.low.copy_negate())

    def __add__(self, other: "Bracket | Number") -> "Bracket":
        (down, up), o = outward(DIGITS), Bracket.of(other)
        return Bracket(down.add(self.low, o.low), up.add(self.high, o.high))

    __radd__ = __add__

    def __sub__(self, other: "Bracket | Number") -> "Bracket":
        return self + -Bracket.of(other)

    def __rsub__(self, other: "Bracket | Number") -> "Bracket":
        return -self + other

    def __mul__(self, other: "Bracket | Number") -> "Bracket":
        (down, up), o = outward(DIGITS), Bracket.of(other)
        pairs = [(a, b) for a in {self.low, self.high} for b in {o.low, o.high}]
        return Bracket(min(down.multiply(*pair) for pair in pairs), max(up.multiply(*pair) for pair in pairs))

    __rmul__ = __mul__

    def __truediv__(self, other: "Bracket | Number") -> "Bracket":
        """Divide; raises ZeroDivisionError if 0 is in the divisor."""
        (down, up), o = outward(DIGITS), Bracket.of(other)
        if o.low <= 0 <= o.high:
            raise ZeroDivisionError("0 is in the divisor")
        pairs = [(a, b) for a in {self.low, self.high} for b in {o.low, o.high}]
        return Bracket(min(down.divide(*pair) for pair in pairs), max(up.divide(*pair) for pair in pairs))

    def __rtruediv__(self, other: "Bracket | Number") -> "Bracket":
        return Bracket.of(other) / self

    def sqrt(self) -> "Bracket":
        """Return the square root of a number >= 0."""
        down, up = outward(DIGITS)
        low = down.next_minus(down.sqrt(self.low)) if self.low > 0 else Decimal(0)
        return Bracket(low, up.next_plus(up.sqrt(self.high)) if self.high else Decimal(0))

    def exp(self) -> "Bracket":
        """Return e^x, exactly 1 for x = 0; the lower end is 0 for x < -STEEP.  Raises Overflow for x above 10^18."""
        return self._mapped(lambda x: exponential(x, DIGITS))

    def expm1(self) -> "Bracket":
        """Return e^x - 1, to as many digits for x near 0."""
        return self._mapped(_expm1)

    def ln(self) -> "Bracket":
        """Return the natural logarithm of a number > 0, exactly 0 for 1."""
        return self._mapped(lambda x: logarithm(x, DIGITS))

    def log1p(self) -> "Bracket":
        """Return ln(1 + x) for x > -1, to as many digits for x near 0."""
        return self._mapped(_log1p)

    def _mapped(self, bounds: Callable[[Decimal], tuple[Decimal, Decimal]]) -> "Bracket":
        """Return the bracket of an increasing function, given bounds of it at a number."""
        low, high = bounds(self.low)
        return Bracket(low, high if self.high == self.low else bounds(self.high)[1])


def exponential(x: Decimal, digits: int) -> tuple[Decimal, Decimal]:
    """Return bounds of e^x, a step of so many digits apart; the lower one is 0 for x < -STEEP.

    Exactly 1 for x = 0.  Raises decimal.Overflow for x above 10^18.

    >>> exponential(Decimal(-1), 5)
    (Decimal('0.36787'), Decimal('0.36789'))
    """
    if not x:
        return Decimal(1), Decimal(1)
    (down, up), steep = outward(digits), Decimal(-STEEP)
    nearest = up.exp(max(x, steep))
    return down.next_minus(nearest) if x >= steep else Decimal(0), up.next_plus(nearest)


def logarithm(x: Decimal, digits: int) -> tuple[Decimal, Decimal]:
    """Return bounds of ln x, x > 0, a step of so many digits apart; exactly 0 for x = 1."""
    if x == 1:
        return Decimal(0), Decimal(0)
    down, up = outward(digits)
    nearest = up.ln(x)
    return down.next_minus(nearest), up.next_plus(nearest)


def _more(x: Decimal) -> int:
    """Return digits with which 1 + x still has ``DIGITS`` of x."""
    return DIGITS + 5 + max(0, -x.adjusted())


def _square(x: Decimal) -> Decimal | None:
    """Return x^2, rounded up, for x so small that all terms after x are beyond ``DIGITS``; None for any other x.

    Then x <= e^x - 1 <= x + x^2 and x - x^2 <= ln(1 + x) <= x; to add 1 would take as many digits as x has zeros.
    """
    return outward(DIGITS)[1].multiply(x, x) if x.adjusted() < -DIGITS else None


def _expm1(x: Decimal) -> tuple[Decimal, Decimal]:
    if not x:
        return x, x
    if (square := _square(x)) is not None:
        down, up = outward(DIGITS)
        return down.plus(x), up.add(x, square)
    (down, up), (low, high) = outward(DIGITS), exponential(x, _more(x))
    return down.subtract(low, 1), up.subtract(high, 1)


def _log1p(x: Decimal) -> tuple[Decimal, Decimal]:
    if not x:
        return x, x
    if (square := _square(x)) is not None:
        down, up = outward(DIGITS)
        return down.subtract(x, square), up.plus(x)
    digits = _more(x)
    down, up = outward(digits)
    bracket = Bracket(down.add(1, x), up.add(1, x))._mapped(lambda term: logarithm(term, digits))
    down, up = outward(DIGITS)
    return down.plus(bracket.low), up.plus(bracket.high)
