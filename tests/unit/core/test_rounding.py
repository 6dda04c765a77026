"""Directed roundings and brackets against fractions, and against decimals of 200 digits."""

import itertools
import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.rounding import STEEP, Bracket, above, exponential, logarithm, rounded_down, rounded_up

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.floats(-1e9, 1e9) | st.fractions(-(10**9), 10**9) | st.integers(-(10**6), 10**6)
POSITIVE = st.floats(1e-300, 1e300) | st.fractions(Fraction(1, 10**9), 10**9)


def plain(value: float | Fraction) -> Decimal:
    """A number in the digits of the context."""
    exact = Fraction(value)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


@given(FLOATS, st.fractions(-1, 1).map(lambda f: f / 10**20))
def test_roundings_are_the_nearest_floats_on_their_side(number, offset):
    for value in (Fraction(number) * (1 + offset), Fraction(number)):
        up, down = rounded_up(value), rounded_down(value)
        assert down <= value <= up
        assert math.nextafter(up, -math.inf) < value < math.nextafter(down, math.inf)
        assert (up == down == number) == (value == number)


def test_roundings_at_the_ends():
    largest = Fraction(sys.float_info.max)
    assert rounded_up(largest + 1) == math.inf
    assert rounded_up(Decimal("1e999999")) == math.inf
    assert rounded_down(largest + 1) == rounded_down(Decimal("1e999999")) == sys.float_info.max
    assert rounded_up(-largest * 2) == -sys.float_info.max
    assert rounded_up(Decimal("1e-999999")) == 5e-324
    assert rounded_down(Decimal("1e-999999")) == 0
    assert str(rounded_down(0)) == "0.0"
    assert above("x", "0.1") == 0.1


@given(NUMBERS, NUMBERS)
def test_operations_hold_the_exact_result(a, b):
    x, y, p, q = Bracket.of(a), Bracket.of(b), Fraction(a), Fraction(b)
    results = [(x + y, p + q), (x - y, p - q), (x * y, p * q), (1 - x, 1 - p), (3 * x, 3 * p), (-x, -p)]
    if q:
        results += [(x / y, p / q), (1 / y, 1 / q)]
    for interval, exact in results:
        low, high = Fraction(interval.low), Fraction(interval.high)
        assert low <= exact <= high
        scale = max(abs(p), abs(q), abs(exact), 1)
        assert high - low <= scale / 10**47
    with pytest.raises(ZeroDivisionError, match="0 is in the divisor"):
        x / Bracket(Decimal(-1), Decimal(0))


@given(*[st.tuples(st.integers(-9, 9), st.integers(0, 9))] * 2)
def test_operations_on_intervals_hold_all_pairs(first, other):
    """Ends of all signs."""
    (a, b), (c, d) = ((low, low + width) for low, width in (first, other))
    x, y = Bracket(Decimal(a), Decimal(b)), Bracket(Decimal(c), Decimal(d))
    pairs = list(itertools.product(range(a, b + 1), range(c, d + 1)))
    for operation in ("add", "sub", "mul", "truediv"):
        if operation == "truediv" and c <= 0 <= d:
            continue
        results = [getattr(Fraction(p), f"__{operation}__")(Fraction(q)) for p, q in pairs]
        interval = getattr(x, f"__{operation}__")(y)
        assert Fraction(interval.low) <= min(results)
        assert max(results) <= Fraction(interval.high)
        if operation != "truediv":
            assert (interval.low, interval.high) == (min(results), max(results))


@given(POSITIVE)
def test_functions_hold_the_exact_result(a):
    """sqrt, ln, log1p and expm1, relative to the result: small numbers keep their digits."""
    with localcontext(prec=420):  # 1 + 1e-300 keeps 120
        x, number = Bracket.of(a), plain(a)
        results = [(x.sqrt(), number.sqrt()), (x.ln(), number.ln()), (x.log1p(), (1 + number).ln())]
        if number < 1000:
            results += [(x.exp(), number.exp()), (x.expm1(), number.exp() - 1), ((-x).expm1(), (-number).exp() - 1)]
        if number < 1:
            results.append(((-x).log1p(), (1 - number).ln()))
        for interval, exact in results:
            assert interval.low <= exact <= interval.high
            assert interval.high - interval.low <= max(abs(exact), abs(number) * Decimal("1e-1")) * Decimal("1e-46")


def test_functions_at_their_exact_points():
    for interval, exact in [
        (Bracket.of(0).exp(), 1),
        (Bracket.of(0).expm1(), 0),
        (Bracket.of(1).ln(), 0),
        (Bracket.of(0).log1p(), 0),
        (Bracket.of(0).sqrt(), 0),
        (Bracket.of(Fraction(1, 8)), Fraction(1, 8)),
        (Bracket.of(0.5) + Fraction(1, 2), 1),
    ]:
        assert interval == Bracket(Decimal(Fraction(exact).numerator) / Fraction(exact).denominator, interval.low)


def test_functions_of_numbers_with_thousands_of_zeros():
    """Of the distribution of noise with a large epsilon: 1 + x would take a digit for each zero."""
    tiny = (-Bracket.of(5 * 10**8)).exp()
    assert tiny.low > 0
    for interval in (tiny.log1p(), tiny.expm1()):
        assert interval.low <= tiny.low <= tiny.high <= interval.high
        assert interval.high - interval.low <= tiny.high * Decimal("1e-46")
    below = (-tiny).log1p()
    assert below.low < tiny.high.copy_negate() < tiny.low.copy_negate() <= below.high < 0


def test_exponentials_of_any_size():
    low, high = exponential(Decimal(-STEEP) * 2, 20)
    assert low == 0 < high
    assert exponential(Decimal("-1e300"), 20)[0] == 0
    low, high = exponential(Decimal(-STEEP), 20)
    assert 0 < low < high < Decimal("1e-400000000000000")
    for x in (Decimal("1e-40"), Decimal(7), Decimal("-3.3")):
        with localcontext(prec=60):
            exact = x.exp()
        assert exponential(x, 12)[0] < exact < exponential(x, 12)[1]
        low, high = logarithm(exact, 12)
        assert low < x < high
