"""Exact choice of an index with given weights, by inverse transform of a uniform number drawn bit by bit.

A probability is never rounded.  Weights are known within brackets, the uniform number within a dyadic interval, and an
index is returned only if both together leave no other; otherwise more digits and more bits are taken.  This ends with
probability one, since the uniform number equals none of the finitely many boundaries.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from numbers import Integral
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.core.types import Floats, Indices, Integers
from semipriv.mechanisms.sampling.weights import AnyIntegers, exponential_share

__all__ = [
    "HORIZON",
    "Uniform",
    "below",
    "below_each",
    "choose",
    "choose_each",
    "choose_near",
    "choose_pool",
    "exponential_masses",
    "horizon",
    "pool_masses",
]

Distribution = Callable[[int, int], tuple[Fraction, Fraction]]

_TINY = float(np.finfo(np.float64).tiny)
_STEEPEST = Fraction(2**900)
_BITS = 64
"""Binary digits of a uniform number that are drawn at once."""
_LARGEST = 2**63
_MOST = 2**1000

HORIZON = 64
"""Pools with rate * gap beyond it, e^-64 of the best one, are looked at only if the draw falls among them."""


def below(bound: int, randomness: Randomness) -> int:
    """Return a uniform integer in [0, bound), for an integer bound of any size; raises ValueError if bound < 1.

    >>> below(1, Secure())
    0
    """
    if isinstance(randomness, Secure):
        return randomness.below(bound)
    bound = index(bound)
    if bound < 1:
        raise ValueError(f"bound = {bound!r}: must be >= 1")
    if bound <= _LARGEST:
        return int(randomness.generator.integers(bound))
    width = (bound - 1).bit_length()
    while True:
        value = int.from_bytes(randomness.generator.bytes(-(-width // 8)), "little") >> (-width % 8)
        if value < bound:
            return value


def below_each(bound: int, size: int, randomness: Randomness) -> Integers:
    """Return ``size`` independent uniform integers in [0, bound), for 1 <= bound <= 2^63."""
    if isinstance(randomness, Simulation):
        return randomness.generator.integers(bound, size=size)
    bound, drawn, missing = index(bound), np.empty(size, np.uint64), np.arange(size)
    if not 1 <= bound <= _LARGEST:
        raise ValueError(f"bound = {bound!r}: must be between 1 and 2^63")
    last = np.uint64(2**64 // bound * bound - 1)  # numbers beyond it would make some remainders more probable
    while missing.size:
        drawn[missing] = np.frombuffer(randomness.entropy(8 * missing.size), np.uint64)
        missing = missing[drawn[missing] > last]
    return (drawn % np.uint64(bound)).astype(np.int64)


@dataclass
class Uniform:
    """A uniform number of [0, 1), drawn digit by digit: only the binary digits that are needed are drawn.

    width: the number of digits drawn so far.  The number lies in [numerator, numerator + 1] / 2^width.
    """

    randomness: Secure
    numerator: int = 0
    width: int = 0

    def extend(self, width: int) -> None:
        """Draw digits, 64 at a time, until there are at least ``width``."""
        missing = -(-(width - self.width) // _BITS) * _BITS
        if missing > 0:
            self.numerator = (self.numerator << missing) | self.randomness.bits(missing)
            self.width += missing

    def is_below(self, bracket: Callable[[int], tuple[Fraction, Fraction]]) -> bool:
        """Return whether this number is less than another; ``bracket(digits)`` bounds the other within 10^-digits."""
        digits = 18
        while True:
            low, high = bracket(digits)
            self.extend((10 * digits) // 3 + 1)
            if self.numerator + 1 <= low * 2**self.width:
                return True
            if self.numerator >= high * 2**self.width:
                return False
            digits *= 2


def choose(masses: ArrayLike, errors: ArrayLike, distribution: Distribution, randomness: Randomness) -> int:
    """Draw index i with probability w_i / sum_j w_j: exactly so under Secure, by the masses under Simulation.

    masses: (k,) finite floats >= 0 with |masses_i - w_i| <= errors_i, (k,) floats >= 0, as the caller has proven.
    distribution(i, digits), i < k - 1: bounds of (w_0 + ... + w_i) / sum_j w_j within 10^-digits; asked only if the
    floats cannot decide, O(log k) times.  Raises ValueError for masses or errors of wrong shape, negative or infinite,
    and under Simulation for masses that are all 0.

    Error of the sums of floats: recursive summation of nonnegative numbers errs by at most (i + 1) 2^-53 of the sum,
    times 1 + 2^-20 for i below 2^30 (Higham 2002, section 4.2).

    >>> choose([0.0, 2.0], [0.0, 0.0], lambda i, digits: (Fraction(0), Fraction(0)), Secure())
    1
    """
    mass, error = np.asarray(masses, np.float64), np.asarray(errors, np.float64)
    if mass.ndim != 1 or mass.size == 0 or error.shape != mass.shape:
        raise ValueError(f"masses, errors: must have shape (k,) with k >= 1, got {mass.shape} and {error.shape}")
    bad = "masses, errors: must be finite and >= 0, and their sums finite"
    if isinstance(randomness, Simulation):
        total = np.cumsum(mass)
        if not (mass.min() >= 0 and error.min() >= 0 and np.isfinite(total[-1] + error.sum())):
            raise ValueError(bad)
        if not total[-1]:
            raise ValueError("masses: are all 0")
        draw = randomness.generator.random() * total[-1]
        return min(int(np.searchsorted(total, draw, side="right")), len(total) - 1)
    uniform = Uniform(randomness)
    uniform.extend(_BITS)
    start, stop = _left(mass, error, uniform.numerator * 2.0**-_BITS, (uniform.numerator + 1) * 2.0**-_BITS)
    if start < 0:
        raise ValueError(bad)
    while start < stop:
        middle = (start + stop) // 2
        if uniform.is_below(partial(distribution, middle)):
            stop = middle
        else:
            start = middle + 1
    return start


@njit(cache=True, interpreted=True)
def _left(mass: Floats, error: Floats, low: float, high: float) -> tuple[int, int]:
    """Return the first and last index that a uniform number in [low, high] may draw; (-1, -1) for bad masses or errors.

    The i-th sum of weights lies within the i-th of masses -+ radius_i: the sum of the errors, and twice the rounding of
    the sum of masses and more, which covers that of the other sums.  A boundary between indices is a sum of weights
    over the last sum; true boundaries are monotone even where their bounds are not.
    """
    total, spread = 0.0, 0.0
    for i in range(mass.size):
        if not (mass[i] >= 0 and error[i] >= 0):
            return -1, -1
        total += mass[i]
        spread += error[i]
    radius = 1.001 * spread + mass.size * 2.0**-51 * total + _TINY
    if not np.isfinite(total + radius):
        return -1, -1
    first = max(0.0, low * (1 - 2.0**-50) * (total - radius))
    last = high * (1 + 2.0**-50) * (total + radius)
    start, stop = 0, mass.size - 1
    total, spread = 0.0, 0.0
    for i in range(mass.size - 1):
        total += mass[i]
        spread += error[i]
        radius = 1.001 * spread + (i + 1) * 2.0**-51 * total + _TINY
        if total + radius <= first:
            start = i + 1
        elif total - radius >= last:
            stop = i
            break
    return start, stop


def choose_pool(gaps: ArrayLike, counts: AnyIntegers, rate: Fraction, randomness: Randomness) -> int:
    """Draw pool p with probability proportional to counts_p exp(-rate gaps_p).

    gaps: (p,) integers, in any order, the largest less the smallest below 2^63; counts: (p,) integers >= 0, not all 0,
    at most 2^1000 together; rate: rational >= 0.  Simulation: floating-point weights.  Secure: exactly that
    probability, however small.  Raises ValueError for other gaps, counts or rate.

    The number of all candidates is public, the count of one pool is not: the limit is on the sum.
    """
    distance = np.asarray(gaps)
    number = counts if isinstance(counts, np.ndarray) else np.array(list(counts), object)
    if distance.ndim != 1 or distance.shape != number.shape:
        raise ValueError(f"gaps, counts: must have one shape (p,), got {distance.shape} and {number.shape}")
    if distance.size and not np.can_cast(distance.dtype, np.int64):
        raise ValueError(f"gaps: must be integers of 64 bits, got {distance.dtype}")
    if number.dtype == object and not all(isinstance(value, Integral) for value in number):
        raise ValueError("counts: must be integers")
    if number.dtype != object and not np.issubdtype(number.dtype, np.integer):
        raise ValueError(f"counts: must be integers, got {number.dtype}")
    if number.size and (number.min() < 0 or (number.dtype == object and sum(number.tolist()) > _MOST)):
        raise ValueError("counts: must be >= 0, and at most 2^1000 together")
    if rate < 0:
        raise ValueError(f"rate = {rate}: must be >= 0")
    left = np.flatnonzero(number)
    if not left.size:
        raise ValueError("counts: must hold one that is > 0")
    distance = distance.astype(np.int64)
    if int(distance.max()) - int(distance.min()) >= _LARGEST:
        raise ValueError(f"gaps: must be within 2^63 of each other, got {distance.min()} to {distance.max()}")
    above = distance[left] - distance[left].min()
    if isinstance(randomness, Simulation):
        masses, errors = exponential_masses(above, number[left], rate)
        return int(left[choose(masses, errors, lambda i, digits: (Fraction(0), Fraction(1)), randomness)])
    near = above <= horizon(rate)
    far = left[~near]
    beyond = 1.001 * float(np.sum(number[far], dtype=np.float64))
    chosen = choose_near(above[near], number[left[near]], rate, beyond, lambda: (above[~near], number[far]), randomness)
    if chosen is not None:
        return int(left[near][chosen])
    return int(far[choose_pool(distance[far], number[far], rate, randomness)])


def choose_each(gaps: Integers, rate: Fraction, randomness: Randomness) -> Indices:
    """Draw from each row an index p with probability proportional to exp(-rate gaps_p): as ``choose_pool``, at once.

    gaps: (g, k) int64, each row with least gap 0, k >= 1.  Simulation: floating-point weights.  Secure: exactly that
    probability; of each row's uniform number 64 digits are drawn with those of all others, and more only where they do
    not decide.
    """
    if isinstance(randomness, Simulation):
        totals = np.cumsum(np.exp(-np.minimum(_float_rate(rate) * gaps, 800.0)), axis=1)
        draws = randomness.generator.random(len(gaps)) * totals[:, -1]
        return np.asarray(np.minimum((totals <= draws[:, None]).sum(axis=1), gaps.shape[1] - 1), np.intp)
    digits = np.frombuffer(randomness.entropy(_BITS // 8 * len(gaps)), np.uint64)
    places, stops = _left_each(np.ascontiguousarray(gaps), _float_rate(rate), digits)
    for g in np.flatnonzero(places < stops).tolist():
        row, uniform = gaps[g].tolist(), Uniform(randomness, int(digits[g]), _BITS)
        start, stop = int(places[g]), int(stops[g])
        while start < stop:
            middle = (start + stop) // 2
            if uniform.is_below(partial(_share_up_to, row, middle, rate)):
                stop = middle
            else:
                start = middle + 1
        places[g] = start
    return places


def _share_up_to(gaps: list[int], last: int, rate: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the share of the weights up to one, within 10^-digits."""
    head, rest = gaps[: last + 1], gaps[last + 1 :]
    return exponential_share((head, [1] * len(head)), (rest, [1] * len(rest)), rate, digits)


@njit(cache=True)
def _left_each(gaps: Integers, rate: float, digits: NDArray[np.uint64]) -> tuple[Indices, Indices]:
    """Return for each row the first and last index that a uniform number with these first 64 digits may draw."""
    starts, stops = np.empty(gaps.shape[0], np.intp), np.empty(gaps.shape[0], np.intp)
    ones = np.ones(gaps.shape[1])
    for g in range(gaps.shape[0]):
        mass, error = _near_masses(gaps[g], ones, rate, 0.0)
        number = np.float64(digits[g])
        starts[g], stops[g] = _left(mass, error, number * 2.0**-64, (number + 1.0) * 2.0**-64)
    return starts, stops


@lru_cache
def horizon(rate: Fraction) -> int:
    """Return the largest gap with rate * gap <= HORIZON that fits in 64 bits."""
    return min(_LARGEST - 1, math.floor(HORIZON / rate)) if rate else _LARGEST - 1


def choose_near(
    gaps: Integers,
    counts: NDArray[Any],
    rate: Fraction,
    beyond: float,
    pools_beyond: Callable[[], tuple[AnyIntegers, AnyIntegers]],
    randomness: Secure,
) -> int | None:
    """Draw pool p with probability proportional to counts_p exp(-rate gaps_p); return None for the pools beyond.

    gaps: (p,) int64 >= 0; one of them is 0 and has a positive count.  counts: (p,) integers >= 0.  The pools beyond
    are those with rate * gap > HORIZON; beyond: at least the number of their candidates, 0 if there are none;
    pools_beyond(): their gaps and counts, asked only if floats cannot decide.  The draw is exact: the pools beyond
    have their full weight.
    """
    masses, errors = _near_masses(gaps, counts.astype(np.float64), _float_rate(rate), beyond)

    def distribution(i: int, digits: int) -> tuple[Fraction, Fraction]:
        other_gaps, other_counts = pools_beyond() if beyond else ([], [])
        rest = [*gaps[i + 1 :].tolist(), *other_gaps], [*counts[i + 1 :].tolist(), *other_counts]
        return exponential_share((gaps[: i + 1], counts[: i + 1]), rest, rate, digits)

    chosen = choose(masses, errors, distribution, randomness)
    return chosen if chosen < len(gaps) else None


def exponential_masses(gaps: Integers, counts: NDArray[Any], rate: Fraction) -> tuple[Floats, Floats]:
    """Return floats near counts_p exp(-rate gaps_p), (p,), and bounds of their absolute errors, (p,); least gap 0.

    With x = rate gap: the rounded rate, gap and product leave x within 2^-51 x; a rate below 2^-1000 or above 2^900
    leaves it within 2^-900, or above 800.  np.exp is taken to be within 4 units in the last place.  Count and product
    are rounded once.  Together at most 2^-48 (1 + x) of the mass.  Past 800, and if exp gives a number that is not
    normal, 2^-1000 count is a bound of both the mass and its error.
    """
    masses, x = pool_masses(gaps, counts, rate), np.minimum(_float_rate(rate) * gaps, 800.0)
    return masses, 2.0**-48 * masses * (1 + x) + 2.0**-1000 * counts.astype(np.float64)


def pool_masses(gaps: Integers, counts: NDArray[Any], rate: Fraction) -> Floats:
    """Return floats near counts_p exp(-rate gaps_p), (p,); ``exponential_masses`` tells how near."""
    return np.asarray(counts.astype(np.float64) * np.exp(-np.minimum(_float_rate(rate) * gaps, 800.0)))


@lru_cache
def _float_rate(rate: Fraction) -> float:
    return float(min(rate, _STEEPEST))


@njit(cache=True)
def _near_masses(gaps: Integers, number: Floats, rate: float, beyond: float) -> tuple[Floats, Floats]:
    """Return what ``exponential_masses`` does, and behind it the mass of all pools beyond: 0, with its error.

    Their weight is between 0 and e^-64 beyond < 2^-92 beyond.  If there are none, there is no such place.
    """
    size = gaps.size + (beyond > 0)
    masses, errors = np.zeros(size), np.empty(size)
    errors[-1] = beyond * 2.0**-92
    for p in range(gaps.size):
        x = min(rate * gaps[p], 800.0)
        masses[p] = number[p] * np.exp(-x)
        errors[p] = 2.0**-48 * masses[p] * (1 + x) + 2.0**-1000 * number[p]
    return masses, errors
