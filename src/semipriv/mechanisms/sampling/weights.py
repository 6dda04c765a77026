"""Rigorous brackets of exponentials of rational numbers and of their sums.

They have any number of digits; ``semipriv.core.rounding`` says why they are proven.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from operator import index

import numpy as np
from numpy.typing import NDArray

from semipriv.core.rounding import STEEP, outward

__all__ = [
    "AnyIntegers",
    "exponential",
    "exponential_chance",
    "exponential_multiple",
    "exponential_share",
    "exponential_sum",
    "exponential_sum_absolute",
]

AnyIntegers = NDArray[np.int64] | NDArray[np.object_] | Iterable[int]
"""Integers of any size: an array, or Python's own."""

Bracket = tuple[Fraction, Fraction]

_LARGEST_EXPONENT = 10**7
"""A rational number near exp(-x) has about 0.43 x digits: more of them would only fill the memory."""


def exponential(exponent: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Return a bracket [low, high] of exp(-exponent), exponent rational >= 0, with high - low <= 10^-digits low.

    exp is rounded to the nearest number, whatever the direction of the context: hence one step outward.

    >>> exponential(Fraction(1, 2), 5)
    (Decimal('0.6065306596'), Decimal('0.6065306598'))
    """
    if not exponent:
        return Decimal(1), Decimal(1)
    down, up = outward(max(1, digits + 4) + len(str(int(exponent))))
    numerator, denominator = Decimal(exponent.numerator), Decimal(exponent.denominator)
    low = down.exp(up.divide(numerator, denominator).copy_negate())  # a minus sign alone would round to 28 digits
    high = up.exp(down.divide(numerator, denominator).copy_negate())
    return down.next_minus(low), up.next_plus(high)


def exponential_multiple(factor: Fraction, exponent: Fraction, digits: int) -> Bracket:
    """Return a bracket [low, high] of factor exp(-exponent) with high - low <= 10^-digits max(1, low).

    factor: rational, > 0; exponent: rational >= 0; digits: integer >= 0.  A number below 10^-digits is not worked out:
    the time does not grow with the exponent.

    >>> low, high = exponential_multiple(Fraction(3), Fraction(1, 2), 20)
    >>> float(low), high - low <= Fraction(1, 10**20)
    (1.8195919791379003, True)
    """
    # factor exp(-limit) <= 10^-digits, for 10 < exp(7/3) and factor < 2^bits <= exp(bits)
    bits = max(0, factor.numerator.bit_length() - factor.denominator.bit_length() + 1)
    if exponent > (7 * digits) // 3 + 1 + bits:
        return Fraction(0), Fraction(1, 10**digits)
    low, high = exponential(exponent, digits)
    return factor * Fraction(low), factor * Fraction(high)


def _integers(name: str, values: AnyIntegers) -> list[int]:
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    try:
        numbers = [index(v) for v in listed]
    except TypeError:
        raise ValueError(f"{name}: must be integers") from None
    if any(v < 0 for v in numbers):
        row = next(i for i, v in enumerate(numbers) if v < 0)
        raise ValueError(f"{name}[{row}] = {numbers[row]}: must be >= 0")
    return numbers


def _checked(gaps: AnyIntegers, counts: AnyIntegers, rate: Fraction) -> tuple[list[int], list[int]]:
    distances, numbers = _integers("gaps", gaps), _integers("counts", counts)
    if not distances or len(distances) != len(numbers):
        raise ValueError(f"gaps, counts: must be as many, at least one; got {len(distances)} and {len(numbers)}")
    if rate < 0:
        raise ValueError(f"rate = {rate}: must be >= 0")
    return distances, numbers


def exponential_sum_absolute(gaps: AnyIntegers, counts: AnyIntegers, rate: Fraction, digits: int) -> Bracket:
    """Return a bracket [low, high] of sum_i counts_i exp(-rate gaps_i) with high - low <= 10^-digits.

    gaps, counts: integers >= 0 of any size, at least one; rate: rational >= 0; digits: integer.  Small terms,
    together below 10^-(digits + 1), only widen the bracket: the time does not grow with the gaps.  Raises
    ValueError for negative numbers and numbers that are not integers.

    >>> low, high = exponential_sum_absolute([0, 2, 10**18], [1, 3, 5], Fraction(1, 2), 20)
    >>> float(low), float(high), high - low <= Fraction(1, 10**20)
    (2.103638323514327, 2.103638323514327, True)
    """
    distances, numbers = _checked(gaps, counts, rate)
    total = sum(numbers)
    # exp(-limit) total <= 10^-(digits + 1), for 10 < exp(7/3) and total < exp(its number of bits)
    limit = max(0, (7 * (digits + 1)) // 3 + 1) + total.bit_length()
    places = max(0, digits) + 3 + len(str(total)) + len(str(len(numbers)))
    down, up = outward(places)
    low, high, negligible = Decimal(0), Decimal(0), False
    for gap, count in zip(distances, numbers, strict=True):
        if count and gap * rate.numerator > limit * rate.denominator:
            negligible = True
        elif count:
            first, last = exponential(rate * gap, places)
            low, high = down.fma(first, count, low), up.fma(last, count, high)
    return Fraction(low), Fraction(high) + negligible * Fraction(10) ** -(digits + 1)


def exponential_sum(gaps: AnyIntegers, counts: AnyIntegers, rate: Fraction, digits: int) -> Bracket:
    """Return a bracket [low, high] of sum_i counts_i exp(-rate gaps_i) with high - low <= 10^-digits low.

    gaps, counts: integers >= 0 of any size, at least one; rate: rational >= 0; digits: integer >= 0.  Counts that are
    all zero give (0, 0).  The result has about 0.43 rate min(gaps) digits more than asked for: if only quotients of
    sums matter, subtract their common smallest gap first.  Raises ValueError for negative numbers, for numbers that are
    not integers, and if rate min(gaps) exceeds 10^7.

    >>> low, high = exponential_sum([0, 2], [1, 3], Fraction(1, 2), 20)
    >>> float(low), float(high), high - low <= low / 10**20
    (2.103638323514327, 2.103638323514327, True)
    """
    distances, numbers = _checked(gaps, counts, rate)
    if not any(numbers):
        return Fraction(0), Fraction(0)
    least = min(gap for gap, count in zip(distances, numbers, strict=True) if count)
    exponent = rate * least
    if exponent > _LARGEST_EXPONENT:
        raise ValueError(f"rate * min(gaps) = {float(exponent):g}: must be <= 1e7; take the smallest gap off all gaps")
    above = [max(0, gap - least) for gap in distances]  # a smaller gap has count 0
    low, high = exponential_sum_absolute(above, numbers, rate, digits + 1)  # at least 1
    if not exponent:
        return low, high
    first, last = exponential(exponent, digits + 1)
    return low * Fraction(first), high * Fraction(last)


def exponential_share(
    head: tuple[AnyIntegers, AnyIntegers], rest: tuple[AnyIntegers, AnyIntegers], rate: Fraction, digits: int
) -> Bracket:
    """Return a bracket of A / (A + B) with high - low <= 10^-digits; A, B: sums of counts_i exp(-rate gaps_i).

    head, rest: (gaps, counts) of A and of B; either may be empty.  Together they have a candidate at gap 0, so that
    A + B >= 1: sums known within 10^-(digits + 1) give the quotient within twice as much, to first order.

    >>> low, high = exponential_share(([0], [1]), ([2], [3]), Fraction(1, 2), 20)
    >>> float(low), high - low <= Fraction(1, 10**20)
    (0.4753668864186717, True)
    """
    (low, high), (rest_low, rest_high) = (
        exponential_sum_absolute(gaps, counts, rate, digits + 1) if len(gaps) else (Fraction(0), Fraction(0))
        for gaps, counts in ((list(g), list(c)) for g, c in (head, rest))
    )
    return low / (low + rest_high), high / (high + rest_low)


def exponential_chance(pools: Iterable[tuple[int, int]], rate: Fraction, digits: int) -> Bracket:
    """Return a bracket of 1 - prod_i (1 - exp(-rate gap_i))^count_i, for pools (gap_i, count_i); rate rational > 0.

    It is the probability that one of independent coins shows: count_i of them with probability exp(-rate gap_i).
    gaps, counts: integers >= 1.  The bracket is at most 10^-digits wide for exponents rate gap_i >= 1, and shrinks to
    the number as digits grow.  Coins that show with probability below 10^-(digits + 1), together, only widen it.

    >>> low, high = exponential_chance([(1, 1), (2, 3)], Fraction(1), 20)
    >>> float(low), high - low <= Fraction(1, 10**20)
    (0.5913578803198543, True)
    """
    listed = list(pools)
    total = sum(count for _, count in listed)
    limit = (7 * (digits + 1)) // 3 + 1 + total.bit_length()  # as in exponential_sum_absolute
    places = digits + 4 + len(str(total)) + len(str(len(listed)))
    down, up = outward(places)
    low, high, negligible = Decimal(0), Decimal(0), False  # of -ln prod
    for gap, count in listed:
        if gap * rate.numerator > limit * rate.denominator:
            negligible = True
            continue
        first, last = exponential(rate * gap, places)
        most, least = up.subtract(1, first), down.subtract(1, last)
        low = down.fma(max(Decimal(0), up.next_plus(up.ln(most)).copy_negate()), count, low)
        high = up.fma(down.next_minus(down.ln(least)).copy_negate(), count, high) if least > 0 else Decimal("Infinity")
    low, high = min(low, Decimal(STEEP)), high if high < STEEP else Decimal("Infinity")
    least, most = down.next_minus(down.exp(high.copy_negate())), up.next_plus(up.exp(low.copy_negate()))
    return (
        max(Fraction(0), Fraction(down.subtract(1, most))),
        min(Fraction(1), Fraction(up.subtract(1, max(least, Decimal(0)))) + negligible * Fraction(10) ** -(digits + 1)),
    )
