"""Mistakes of all intervals of a cover at once, from two sequences as long as the public points.

For the distinct public points u_1 < ... < u_m the cover holds the empty set and [l_i, h_j] for i <= j, with l_i in
(u_{i-1}, u_i] and h_j in [u_j, u_{j+1}).  Count an example as +1 if it is a one, as -1 if it is a zero, and let L_i be
the sum over the examples x < l_i and R_j that over the examples x <= h_j.  The examples inside are those at most h_j
without those below l_i, whatever is tied with a public point or with an end, so that

    mistakes(i, j) = ones + L_i - R_j,        mistakes(empty) = ones.

Hence exp(-rate mistakes) is a product of one factor for each end, and prefix sums over the left ends give the weight of
all intervals with the same right end.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from semipriv.classes._by_label import sorted_by_label
from semipriv.classes.base import Hypothesis, HypothesisClass, Tally
from semipriv.core import checks
from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.sampling.choice import below, choose, choose_pool, exponential_masses
from semipriv.mechanisms.sampling.weights import exponential_share

__all__ = ["IntervalTally", "tally_interval_counts", "tally_intervals"]


class _Columns(NamedTuple):
    """Weights exp(-rate (mistakes - fewest)) summed over the empty set, and over the intervals of each right end.

    near: (m + 1,) the weight of the best of each; sums: (m + 1,) total over near; masses, errors: (m + 1,) the totals
    and bounds of their absolute errors.
    """

    near: Floats
    sums: Floats
    masses: Floats
    errors: Floats


@dataclass(frozen=True, eq=False)
class IntervalTally(Tally):
    """Mistakes of the intervals [lower_i, upper_j], i <= j, and of the empty set.

    lower, upper: (m,) float64 increasing; left, right: (m,) int64, the ones less the zeros below lower_i, and up to
    upper_j; ones: how many examples are ones; examples: how many there are.
    """

    hypothesis_class: HypothesisClass
    lower: Floats
    upper: Floats
    left: Integers
    right: Integers
    ones: int
    examples: int

    @cached_property
    def _least(self) -> Integers:
        """min_{i <= j} left_i: the best left end for each right end, (m,)."""
        return np.minimum.accumulate(self.left)

    @cached_property
    def _best(self) -> Integers:
        """Fewest mistakes: of the empty set, then of the intervals of each right end, (m + 1,)."""
        return np.concatenate([[self.ones], self.ones + self._least - self.right])

    @cached_property
    def _fewest(self) -> int:
        return int(self._best.min())

    def _counts(self, start: int, stop: int) -> Integers:
        """Count intervals with right end start <= j < stop that make 0, ..., n mistakes: (n + 1,)."""
        return _pairs(self.left, self.right, self.ones, start, stop, self.examples)

    def histogram(self) -> tuple[Integers, Integers]:
        """Count by looking at all pairs of ends, once: O(m^2) time and O(m + n) memory."""
        return self._histogram

    @cached_property
    def _histogram(self) -> tuple[Integers, Integers]:
        counts = self._counts(0, len(self.right))
        counts[self.ones] += 1
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw a uniform one, O(m log m): in order, pairs (left_i, i) hold the partners i <= j of j in one stretch."""
        message = f"mistakes = {mistakes}: no hypothesis makes that many"
        if not 0 <= mistakes <= self.examples:
            raise ValueError(message)
        m = len(self.left)
        places = np.arange(m)
        pairs = np.sort(self.left * m + places)
        wanted = (mistakes - self.ones + self.right) * m
        first = np.searchsorted(pairs, wanted)
        partners = np.searchsorted(pairs, wanted + places, side="right") - first
        cumulative = np.cumsum(partners)
        number = int(cumulative[-1]) if m else 0
        total = number + (mistakes == self.ones)
        if not total:
            raise ValueError(message)
        chosen = below(total, randomness)
        if chosen == number:
            return self._empty()
        j = int(np.searchsorted(cumulative, chosen, side="right"))
        before = int(cumulative[j - 1]) if j else 0
        return self._interval(int(pairs[first[j] + chosen - before] % m), j)

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw the right end by the weight of all its intervals, then the left end: O(m).

        P(j) = sum_{i <= j} exp(-rate mistakes(i, j)) / sum of all; P(i | j), i <= j, as exp(-rate left_i).
        Exact under Secure randomness: in the rare case that floats do not decide on j, integer counts do, in O(m^2).
        Raises ValueError where rate < 0.
        """
        if rate < 0:
            raise ValueError(f"rate = {rate}: must be >= 0")
        columns = self._columns(rate)
        column = choose(columns.masses, columns.errors, lambda i, digits: self._share(i, rate, digits), randomness)
        if column == 0:
            return self._empty()
        gaps = self.left[:column] - self._least[column - 1]
        return self._interval(choose_pool(gaps, np.ones(column, np.int64), rate, randomness), column - 1)

    def log_partition(self, rate: float) -> float:
        """Return log sum_h exp(-rate mistakes(h)), rate >= 0 finite, in O(m)."""
        exact = Fraction(checks.between("rate", rate, 0, np.inf, closed="l"))
        return float(np.log(self._columns(exact).masses.sum()) - rate * self._fewest)

    def expected_mistakes(self, rate: float) -> float:
        """Return the mean number of mistakes, rate >= 0 finite, in O(m): sums of nonnegative numbers cancel nowhere."""
        exact = Fraction(checks.between("rate", rate, 0, np.inf, closed="l"))
        columns = self._columns(exact)
        steps, factors, _ = self._steps(exact)
        above = np.concatenate([[0.0], _prefix_gaps(steps, factors)])
        excess = columns.near @ above + columns.masses @ (self._best - self._fewest)
        return float(self._fewest + excess / columns.masses.sum())

    def _empty(self) -> Hypothesis:
        return Hypothesis(self.hypothesis_class, np.array([np.inf, -np.inf]))

    def _interval(self, i: int, j: int) -> Hypothesis:
        return Hypothesis(self.hypothesis_class, np.array([self.lower[i], self.upper[j]]))

    def _steps(self, rate: Fraction) -> tuple[Integers, Floats, Floats]:
        """Return g_j = left_j - min_{i < j} left_i, exp(-rate |g_j|) and its error bounds, (m,) each; first 0, 1, 0."""
        steps = self.left - np.concatenate([self.left[:1], self._least[:-1]])
        return steps, *_exponentials(np.abs(steps), rate)

    def _columns(self, rate: Fraction) -> _Columns:
        near, near_errors = _exponentials(self._best - self._fewest, rate)
        sums, errors = np.ones_like(near), np.zeros_like(near)
        sums[1:], errors[1:] = _prefix_sums(*self._steps(rate))
        masses = sums * near
        # twice the first-order terms of the product: it covers the rounding of the bounds themselves
        return _Columns(
            near, sums, masses, 2 * (errors * (near + near_errors) + sums * near_errors + 2.0**-53 * masses)
        )

    def _share(self, column: int, rate: Fraction, digits: int) -> tuple[Fraction, Fraction]:
        """Bound the probability of the empty set and the first ``column`` right ends within 10^-digits."""
        head, rest = self._counts(0, column), self._counts(column, len(self.right))
        head[self.ones] += 1
        parts = [(met - self._fewest, counts[met]) for counts in (head, rest) for met in [np.flatnonzero(counts)]]
        return exponential_share(parts[0], parts[1], rate, digits)


def tally_intervals(
    hypothesis_class: HypothesisClass, lower: Floats, upper: Floats, points: Points, labels: Labels
) -> IntervalTally:
    """Tally intervals with increasing ends lower, upper (m,) on examples (n, 1), (n,): O(n log n + m).

    Ones and zeros are sorted, by NumPy's vectorised sort, and merged with the ends.
    """
    ones, zeros = sorted_by_label(points, labels)
    beyond = np.nextafter(upper, np.inf)
    left = _below(lower, ones) - _below(lower, zeros)
    right = _below(beyond, ones) - _below(beyond, zeros)
    return IntervalTally(hypothesis_class, lower, upper, left, right, len(ones), len(points))


def tally_interval_counts(
    hypothesis_class: HypothesisClass, lower: Floats, upper: Floats, x: Floats, ones: Integers, zeros: Integers
) -> IntervalTally:
    """Tally intervals with increasing ends lower, upper (m,) on ones_i and zeros_i examples at x_i, (n,) each."""
    order = np.argsort(x, kind="stable")
    up_to = np.concatenate([[0], np.cumsum((ones - zeros)[order])])
    left, right = up_to[np.searchsorted(x[order], lower)], up_to[np.searchsorted(x[order], upper, "right")]
    return IntervalTally(hypothesis_class, lower, upper, left, right, int(ones.sum()), int(ones.sum() + zeros.sum()))


def _exponentials(gaps: Integers, rate: Fraction) -> tuple[Floats, Floats]:
    """Return exp(-rate gaps) and bounds of the errors, none at gap 0; gaps >= 0.

    Looked up where few integers are met: past rate gap = 800 all have the mass, and the error, of the first of them.
    """
    last = int(gaps.max(initial=0))
    if last * rate > 800:
        last = math.ceil(800 / rate)
    table = np.arange(last + 1) if last < len(gaps) else gaps
    masses, errors = exponential_masses(table, np.ones(len(table), np.int64), rate)
    errors[table == 0] = 0.0
    if table is gaps:
        return masses, errors
    places = np.minimum(gaps, last)
    return masses[places], errors[places]


@njit(cache=True)
def _below(ends: Floats, x: Floats) -> Integers:
    """Count the x_i < end for each of the ends (m,), both increasing, by merging: (m,)."""
    numbers = np.empty(len(ends), np.int64)
    k = 0
    for j in range(len(ends)):
        end = ends[j]
        while k < len(x) and x[k] < end:
            k += 1
        numbers[j] = k
    return numbers


@njit(cache=True)
def _prefix_sums(steps: Integers, factors: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Return s_j = sum_{i <= j} exp(-rate (left_i - least_j)), (m,), and first-order bounds of the errors, (m,).

    steps: left_j less the least before, 0 at first; factors: exp(-rate |steps|), known up to errors.  A step up adds a
    term, a step down scales the sum and adds 1.  Product and sum are each rounded by at most 2^-53 s.
    """
    sums, bounds = np.ones(len(steps)), np.zeros(len(steps))
    for j in range(1, len(steps)):
        s, bound = sums[j - 1], bounds[j - 1]
        if steps[j] >= 0:
            sums[j] = s + factors[j]
            bounds[j] = bound + errors[j] + 2.0**-53 * sums[j]
        else:
            sums[j] = s * factors[j] + 1.0
            bounds[j] = bound * (factors[j] + errors[j]) + s * errors[j] + 2.0**-52 * sums[j]
    return sums, bounds


@njit(cache=True)
def _prefix_gaps(steps: Integers, factors: Floats) -> Floats:
    """Return q_j = sum_{i <= j} (left_i - least_j) exp(-rate (left_i - least_j)), (m,), as _prefix_sums does s_j."""
    gaps = np.zeros(len(steps))
    s = 1.0
    for j in range(1, len(steps)):
        if steps[j] >= 0:
            s += factors[j]
            gaps[j] = gaps[j - 1] + steps[j] * factors[j]
        else:
            gaps[j] = (gaps[j - 1] - steps[j] * s) * factors[j]
            s = s * factors[j] + 1.0
    return gaps


@njit(cache=True)
def _pairs(left: Integers, right: Integers, ones: int, start: int, stop: int, examples: int) -> Integers:
    """Count pairs i <= j, start <= j < stop, with ones + left_i - right_j = 0, ..., examples: (examples + 1,)."""
    counts = np.zeros(examples + 1, np.int64)
    for j in range(start, stop):
        shift = ones - right[j]
        for i in range(j + 1):
            counts[left[i] + shift] += 1
    return counts
