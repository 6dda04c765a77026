"""Composition of guarantees: several mechanisms on the same data, or on parts that share no example.

The mechanisms may be chosen adaptively, each seeing the outputs of the earlier ones; their guarantees are fixed in
advance.  All functions refuse to mix neighbour relations, and round up: no result is below its formula.
"""

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from semipriv.core import checks
from semipriv.core.rounding import DIGITS, STEEP, Bracket, exponential, logarithm, outward, rounded_up
from semipriv.privacy.guarantee import Guarantee, common_neighbours

_BEYOND = 800
"""e^800 times the smallest positive float exceeds 1."""


def basic_composition(guarantees: Iterable[Guarantee]) -> Guarantee:
    """Return (sum of epsilons, sum of deltas) for mechanisms on the same data (Dwork et al. 2006).

    Raises ValueError if neighbours differ, if there is no guarantee, and if the deltas reach 1.

    >>> basic_composition([Guarantee(0.5), Guarantee(0.25, 1e-6)]).epsilon
    0.75
    """
    parts = list(guarantees)
    neighbours = common_neighbours(*(part.neighbours for part in parts))
    return Guarantee(_sum(part.epsilon for part in parts), _sum(part.delta for part in parts), neighbours)


def advanced_composition(guarantees: Iterable[Guarantee], slack: float) -> Guarantee:
    """Return the guarantee of advanced composition (Dwork, Rothblum and Vadhan 2010, theorem III.3):

        epsilon = sqrt(2 ln(1 / slack) sum epsilon_i^2) + sum epsilon_i (e^epsilon_i - 1),  delta = sum delta_i + slack,

    for slack in (0, 1).  Epsilons may differ.  Larger than by basic composition if mechanisms are few.

    >>> round(advanced_composition([Guarantee(0.01)] * 10_000, 1e-6).epsilon, 3)
    6.262
    """
    parts, slack = list(guarantees), checks.between("slack", slack, 0, 1)
    neighbours = common_neighbours(*(part.neighbours for part in parts))
    largest = max(part.epsilon for part in parts)
    if largest > 500:
        raise ValueError(f"epsilon = {largest!r}: must be <= 500 for advanced composition")
    squares = sum(Fraction(part.epsilon) ** 2 for part in parts)
    spread = (-2 * Bracket.of(slack).ln() * squares).sqrt()
    drift = Bracket.of(0)
    for epsilon, number in Counter(part.epsilon for part in parts).items():
        drift += number * (Bracket.of(epsilon) * Bracket.of(epsilon).expm1())
    return Guarantee((spread + drift).up, _sum([*(part.delta for part in parts), slack]), neighbours)


def optimal_delta(guarantee: Guarantee, count: int, epsilon: float) -> float:
    """Return the smallest delta such that any ``count`` mechanisms with the guarantee are together (epsilon, delta)-DP.

    Let (e, d) be the guarantee, and l binomial of ``count`` trials with probability 1 / (1 + e^e).  Then delta is

        1 - (1 - d)^count (1 - E[max(0, 1 - exp(epsilon - (count - 2 l) e))]),

    It is attained by randomised response that reveals its input with probability d, since every (e, d)-DP mechanism is
    a post-processing of that one (Kairouz, Oh and Viswanath 2015, theorem 3.3, for a grid of epsilons; the same holds
    between them).  It is rounded up once, from 50 digits.  Time O(count).

    >>> round(optimal_delta(Guarantee(0.1), 30, 1.0), 5)
    0.01056
    """
    count, epsilon = checks.size("count", count), checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    revealed, exact = _revealed(guarantee.delta, count), Fraction(guarantee.epsilon)
    terms = max(0, math.ceil((count - Fraction(epsilon) / exact) / 2)) if exact else 0  # (count - 2 l) e > epsilon
    if not terms:
        return revealed.up
    digits = _digits(exact, count)
    (down, up), (high, low) = outward(digits), deque(_heads(exact, count, terms), maxlen=1).pop()
    beyond = up.subtract(high, down.divide(low, exponential(Decimal(-epsilon), digits)[1]))
    return (revealed + (1 - revealed) * beyond).up


def optimal_composition(guarantee: Guarantee, count: int, delta: float) -> Guarantee:
    """Return the smallest epsilon at this delta for any ``count`` mechanisms with the guarantee; see ``optimal_delta``.

    delta: in [1 - (1 - guarantee.delta)^count, 1), else ValueError.  At the lower end the epsilons add up.

    Let A_l and B_l be the probabilities of at most l under the binomials with 1 / (1 + e^e) and with 1 / (1 + e^-e),
    and t = (delta - r) / (1 - r) with r that lower end.  The expectation in ``optimal_delta`` is the largest over l of
    A_l - e^epsilon B_l, so epsilon is the largest over l of ln((A_l - t) / B_l), or 0.  It is rounded up once, from 50
    digits.  Time O(count).

    >>> round(optimal_composition(Guarantee(0.01), 10_000, 1e-6).epsilon, 3)
    4.886
    """
    count, delta = checks.size("count", count), checks.delta("delta", delta)
    revealed, exact = _revealed(guarantee.delta, count), Fraction(guarantee.epsilon)
    if delta < revealed.high:
        raise ValueError(f"delta = {delta!r}: must be >= 1 - (1 - {guarantee.delta!r})^{count} = {revealed.up!r}")
    target, largest, factor = ((delta - revealed) / (1 - revealed)).low, rounded_up(count * exact), Decimal(1)
    if not exact:
        return Guarantee(0.0, delta, guarantee.neighbours)
    if target <= 0:  # the expectation must be 0, which takes all of the epsilons
        return Guarantee(largest, delta, guarantee.neighbours)
    digits = _digits(exact, count)
    _, up = outward(digits)
    for high, low in _heads(exact, count, count // 2 + 1):
        if high > target:
            if not low:
                return Guarantee(largest, delta, guarantee.neighbours)
            factor = max(factor, up.divide(up.subtract(high, target), low))
    return Guarantee(min(largest, rounded_up(logarithm(factor, digits)[1])), delta, guarantee.neighbours)


def _revealed(delta: float, count: int) -> Bracket:
    """Return 1 - (1 - delta)^count, by squaring: r of 2 i is r (2 - r), r of i + 1 is r + delta (1 - r)."""
    revealed = Bracket.of(delta)
    for bit in f"{count:b}"[1:]:
        revealed = revealed * (2 - revealed)
        if bit == "1":
            revealed = revealed + delta * (1 - revealed)
    return revealed


def _sum(values: Iterable[float]) -> float:
    return rounded_up(sum(map(Fraction, values), Fraction(0)))


def _digits(own: Fraction, count: int) -> int:
    """Return digits with which sums of ``count`` terms keep more than a float where terms differ by factors e^own."""
    return DIGITS + len(str(STEEP)) + len(str(count)) + max(0, -Decimal(float(own)).adjusted())


def _heads(own: Fraction, count: int, terms: int) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield, for l = 0, 1, ..., terms - 1, an upper bound of A_l and a lower bound of B_l of ``optimal_composition``.

    Terms are binomial coefficients times x^l / (1 + x)^count and x^(count - l) / (1 + x)^count, x = e^-own.
    """
    digits = _digits(own, count)
    down, up = outward(digits)
    exponent = Decimal(float(own))
    x = exponential(exponent.copy_negate(), digits)[1]
    least = logarithm(down.add(1, exponential(exponent.copy_negate(), digits)[0]), digits)[0]
    most = up.add(exponent, logarithm(up.add(1, x), digits)[1])
    high = exponential(down.multiply(count, least).copy_negate(), digits)[1]
    low = exponential(up.multiply(count, most).copy_negate(), digits)[0]
    head, other = high, low
    for i in range(1, terms + 1):
        yield head, other
        left = count - i + 1
        high = up.divide(up.multiply(up.multiply(high, x), left), i)
        low = down.divide(down.multiply(down.divide(low, x), left), i)
        head, other = up.add(head, high), down.add(other, low)


def parallel_composition(guarantees: Sequence[Guarantee], parts: Sequence[range]) -> Guarantee:
    """Return (largest epsilon, largest delta), if mechanism i reads only the examples with indices in parts[i].

    parts: ranges of step 1 that share no index, else ValueError.  They are ranges of *indices*; examples may be
    permuted before, publicly or at random.  A replaced example stays in its slot.  So one part changes, by one
    replacement, and the other mechanisms read the same as before.  A partition by the *content* of the examples is not
    covered: replacing an example may then move it to another part, so that two parts change, and in size.

    >>> parallel_composition([Guarantee(1.0), Guarantee(0.5, 1e-6)], [range(0, 100), range(100, 400)])
    Guarantee(epsilon=1.0, delta=1e-06, neighbours=<Neighbours.REPLACE_PRIVATE_EXAMPLE: 'replace_private_example'>)
    """
    if len(guarantees) != len(parts):
        raise ValueError(f"{len(guarantees)} guarantees for {len(parts)} parts: must be one each")
    neighbours = common_neighbours(*(guarantee.neighbours for guarantee in guarantees))
    for part in parts:
        if not isinstance(part, range) or part.step != 1 or part.start < 0:
            raise ValueError(f"parts: {part!r} must be a range of indices >= 0 with step 1")
    for before, after in pairwise(sorted((part for part in parts if part), key=lambda part: part.start)):
        if after.start < before.stop:
            raise ValueError(f"parts: {before!r} and {after!r} share index {after.start}")
    return Guarantee(max(g.epsilon for g in guarantees), max(g.delta for g in guarantees), neighbours)


def group_privacy(guarantee: Guarantee, size: int) -> tuple[float, float]:
    """Return epsilon and delta for data sets that differ by ``size`` replacements:

        epsilon' = size epsilon,  delta' = min(1, delta (e^(size epsilon) - 1) / (e^epsilon - 1)).

    The result is a pair of numbers, not a Guarantee: the data sets are not neighbours (Dwork et al. 2006; Dwork
    and Roth 2014, theorem 2.2, for delta = 0).

    >>> group_privacy(Guarantee(0.5), 3)
    (1.5, 0.0)
    """
    size = checks.size("size", size)
    epsilon, delta = rounded_up(size * Fraction(guarantee.epsilon)), guarantee.delta
    if delta == 0 or guarantee.epsilon == 0 or size == 1:
        return epsilon, min(1.0, rounded_up(size * Fraction(delta)))
    if (size - 1) * guarantee.epsilon > _BEYOND:
        return epsilon, 1.0
    growth = Bracket.of(size * Fraction(guarantee.epsilon)).expm1() / Bracket.of(guarantee.epsilon).expm1()
    return epsilon, min(1.0, (delta * growth).up)
