"""Mistakes of all rectangles of a planar cover at once, strip by strip.

A dichotomy of public points in the plane is given by the least closed rectangle around its points.  Fix the rows
(distinct second coordinates) of its lowest and highest points: these make a strip.  The columns of a strip are the
distinct first coordinates of the public points in it.  The rectangle from column l to column r of the strip is the
least one around its points if and only if it holds points of the lowest and of the highest row, that is, l <= limit_r,
where limit_r is the smaller of the last columns up to r with a point of the lowest row and with one of the highest.

Count an example as +1 if it is a one, as -1 if it is a zero.  With L_l and R_r the sums over the examples of the strip
left of the rectangle's left end, and up to its right end,

    mistakes = ones + L_l - R_r,

so that a strip is like a cover of intervals: prefix sums over the left ends give the weight of all rectangles with the
same right end.  All strips together take O(m^3) for m public points.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.classes import _rectangle_kernels as kernels
from semipriv.classes._rectangle_rejection import CUBES, Envelope, drawn_strip
from semipriv.classes.base import Hypothesis, HypothesisClass, Tally
from semipriv.core import checks
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Indices, Integers
from semipriv.mechanisms.sampling.choice import below, choose, choose_pool, exponential_masses
from semipriv.mechanisms.sampling.weights import exponential_share

__all__ = ["RectangleTally", "Strips", "tally_rectangles"]

_Ranks = NDArray[np.int32]

LARGE = 64
"""Rows from which on simulated draws are made by rejection."""
STEEP = 1000
"""Rates beyond are drawn in the other way: all weight is with the fewest mistakes."""
_UNDERFLOW = 800
"""exp(-800) is below every positive float."""


@dataclass(frozen=True, eq=False)
class Strips:
    """The distinct public points in the plane, as the strips see them.

    columns, rows: (m,) int64, ranks of first and second coordinates among the distinct ones, by increasing column;
    ``width`` and ``height`` are how many of these there are.
    """

    columns: Integers
    rows: Integers
    width: int
    height: int

    @classmethod
    def of(cls, points: Points | Indices) -> "Strips":
        """Return the strips of points (m, 2), or of their ranks; repeated points count once."""
        x, columns = np.unique(points[:, 0], return_inverse=True)
        y, rows = np.unique(points[:, 1], return_inverse=True)
        order = np.lexsort((rows, columns))
        return cls(columns[order].astype(np.int64), rows[order].astype(np.int64), len(x), len(y))

    def __len__(self) -> int:
        return self.height * (self.height + 1) // 2

    @cached_property
    def following(self) -> _Ranks:
        """Least row >= r with a point in column c, ``height`` if there is none: (height, width) int32.

        The strip from row l to row h holds the column iff it is <= h at l; it has a point of row r iff it is r there.
        """
        table = np.full((self.height, self.width), self.height, np.int32)
        table[self.rows, self.columns] = self.rows
        return np.minimum.accumulate(table[::-1], axis=0)[::-1].copy()

    @cached_property
    def bounds(self) -> tuple[Integers, Integers]:
        """Lowest and highest row of each strip, (s,) each."""
        low, high = np.triu_indices(self.height)
        return low.astype(np.int64), high.astype(np.int64)

    @cached_property
    def sizes(self) -> Integers:
        """Number of rectangles of each strip, (s,)."""
        return kernels.sizes(self.following, *self.bounds)

    def listed(self) -> NDArray[np.int32]:
        """List ranks (left, low, right, high) of the rectangles, strip by strip, by right and then left end: (k, 4)."""
        size = int(self.sizes.sum())
        return np.asarray(kernels.listed(self.following, *self.bounds, size))

    def ends(self, s: int) -> tuple[int, int]:
        """Return the lowest and highest row of a strip."""
        low, high = self.bounds
        return int(low[s]), int(high[s])

    def strip(self, low: int, high: int) -> tuple[Integers, Integers]:
        """Return the columns of the strip of two rows (c,), and for each right end the number of left ends (c,)."""
        columns, limits = np.empty(self.width, np.int64), np.empty(self.width, np.int64)
        c = kernels.strip(self.following, low, high, columns, limits)
        return columns[:c], limits[:c]


@dataclass(frozen=True, eq=False)
class RectangleTally(Tally):
    """Mistakes of the rectangles of the strips, and of the empty set.

    ends: for each axis the left and right ends of the rectangles by rank, (width,) and (height,) twice.  below, up_to:
    ones less zeros below each left end, and up to each right end, of the examples up to each upper end less those below
    each lower end of the strip: (2, height, width), first up to the upper ends, then below the lower ends.
    """

    hypothesis_class: HypothesisClass
    strips: Strips
    ends: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
    below: Integers
    up_to: Integers
    ones: int
    examples: int

    @property
    def _geometry(self) -> tuple[Any, ...]:
        s = self.strips
        return s.following, *s.bounds, self.below, self.up_to, self.ones

    @cached_property
    def _fewest(self) -> int:
        """Fewest mistakes."""
        return min(self.ones, int(kernels.fewest(*self._geometry)))

    def _counts(self, start: int, stop: int) -> Integers:
        """Count rectangles of strips start <= s < stop that make 0, ..., n mistakes: (n + 1,)."""
        return np.asarray(kernels.histogram(*self._geometry, start, stop, self.examples))

    def histogram(self) -> tuple[Integers, Integers]:
        """Count by looking at every rectangle, once: time O(size), memory O(n + m^2)."""
        return self._histogram

    @cached_property
    def _histogram(self) -> tuple[Integers, Integers]:
        counts = self._counts(0, len(self.strips))
        counts[self.ones] += 1
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw a uniform one by looking at every rectangle."""
        cumulative = np.cumsum(kernels.members(*self._geometry, mistakes))
        number = int(cumulative[-1]) if cumulative.size else 0
        total = number + (mistakes == self.ones)
        if not total:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        chosen = below(total, randomness)
        if chosen == number:
            return self._empty()
        s = int(np.searchsorted(cumulative, chosen, side="right"))
        rank = chosen - (int(cumulative[s - 1]) if s else 0)
        low, high = self.strips.ends(s)
        columns, limits, left, right = self._strip(low, high)
        for r, limit in enumerate(limits):
            matching = np.flatnonzero(self.ones + left[:limit] - right[r] == mistakes)
            if rank < matching.size:
                return self._rectangle(low, high, columns[matching[rank]], columns[r])
            rank -= matching.size
        raise AssertionError("the strip has as many as were counted")

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw the strip by its weight, then the right end, then the left end; O(m^3).

        Secure: exact; where floats fail to decide, with the histogram of O(size).  Simulation: large covers by
        rejection, see ``_rectangle_rejection``.  Raises ValueError where rate < 0.
        """
        if rate < 0:
            raise ValueError(f"rate = {rate}: must be >= 0")
        rows = self._rows(rate, randomness)
        if rows is None:
            return self._empty()
        columns, limits, left, right = self._strip(*rows)
        r = choose(
            *self._right_masses(rate, limits, left, right),
            lambda i, digits: self._share_of_right_ends(i, rate, digits, limits, left, right),
            randomness,
        )
        candidates = left[: limits[r]]
        chosen = choose_pool(candidates - candidates.min(), np.ones(len(candidates), np.int64), rate, randomness)
        return self._rectangle(*rows, columns[chosen], columns[r])

    def _rows(self, rate: Fraction, randomness: Randomness) -> tuple[int, int] | None:
        """Draw the lowest and highest row of a strip by its weight; None for the empty set."""
        if isinstance(randomness, Simulation) and self.strips.height >= LARGE and rate <= STEEP:
            drawn = self._by_rejection(rate, randomness)
            if not isinstance(drawn, bool):
                return drawn
            if drawn:
                return None
        s = choose(*self._masses(rate), lambda i, digits: self._share_of_strips(i, rate, digits), randomness) - 1
        return None if s < 0 else self.strips.ends(s)

    def _by_rejection(self, rate: Fraction, randomness: Simulation) -> tuple[int, int] | bool:
        """Draw by ``drawn_strip``, in O(m) for each strip and block that is looked at."""
        slope, (table, _) = float(rate), self._table(rate)
        envelope = Envelope.of(self.below, self.up_to, slope, table)

        def log_weight(low: int, high: int) -> float:
            _, limits, left, right = self._strip(low, high)
            best, unused = self._best(limits, left, right), np.zeros(len(limits))
            total = kernels.right_sums(limits, left, right, self.ones, best, table, unused)
            return float(np.log(total) - slope * (best - self.ones - envelope.reference))

        tries = 1 + int(self.strips.height**3 / CUBES)
        return drawn_strip(envelope, log_weight, slope * envelope.reference, tries, randomness.generator)

    def log_partition(self, rate: float) -> float:
        """Return log sum_h exp(-rate mistakes(h)), rate >= 0 finite, in O(m^3)."""
        masses, _ = self._masses(_finite(rate))
        return float(np.log(masses.sum()) - rate * self._fewest)

    def expected_mistakes(self, rate: float) -> float:
        """Return the mean number of mistakes, rate >= 0 finite, in O(m^3): sums of nonnegative numbers."""
        exact = _finite(rate)
        table, _ = self._table(exact)
        masses, excess = kernels.excess(*self._geometry, self._fewest, table)
        empty = self.ones - self._fewest
        weight = table[min(empty, len(table) - 1)]
        return float(self._fewest + (excess.sum() + empty * weight) / (masses.sum() + weight))

    # ------------------------------------------------------------------ weights
    def _table(self, rate: Fraction) -> tuple[Floats, Floats]:
        """Return exp(-rate k) for k = 0, 1, ..., and bounds of the errors; the last entry stands for all beyond."""
        length = 2 * self.examples + 1
        if rate * length > _UNDERFLOW:
            length = int(_UNDERFLOW / rate) + 2
        gaps = np.arange(length)
        return exponential_masses(gaps, np.ones(length, np.int64), rate)

    def _masses(self, rate: Fraction) -> tuple[Floats, Floats]:
        """Return weights exp(-rate (mistakes - fewest)) of the empty set and of each strip, and their error bounds."""
        table, table_errors = self._table(rate)
        sums = kernels.strip_sums(*self._geometry, self._fewest, table)
        empty = min(self.ones - self._fewest, len(table) - 1)
        masses = np.concatenate([table[empty : empty + 1], sums])
        errors = np.concatenate([table_errors[empty : empty + 1], _bound(sums, self.strips.sizes, self.strips.width)])
        return masses, errors

    def _right_masses(self, rate: Fraction, limits: Integers, left: Integers, right: Integers) -> tuple[Floats, Floats]:
        """Return weights and bounds for the right ends of one strip, relative to its best rectangle: (c,), (c,)."""
        table, _ = self._table(rate)
        masses = np.zeros(len(limits))
        kernels.right_sums(limits, left, right, self.ones, self._best(limits, left, right), table, masses)
        return masses, _bound(masses, limits, len(limits))

    def _best(self, limits: Integers, left: Integers, right: Integers) -> int:
        """Return the fewest mistakes in a strip."""
        least = np.minimum.accumulate(left)
        ends = np.flatnonzero(limits)
        return int((self.ones + least[limits[ends] - 1] - right[ends]).min())

    def _share_of_strips(self, last: int, rate: Fraction, digits: int) -> tuple[Fraction, Fraction]:
        head, rest = self._counts(0, last), self._counts(last, len(self.strips))
        head[self.ones] += 1
        return _share(head, rest, self._fewest, rate, digits)

    def _share_of_right_ends(
        self, last: int, rate: Fraction, digits: int, limits: Integers, left: Integers, right: Integers
    ) -> tuple[Fraction, Fraction]:
        parts = np.zeros((2, self.examples + 1), np.int64)
        for r, limit in enumerate(limits):
            parts[int(r > last)] += np.bincount(self.ones + left[:limit] - right[r], minlength=self.examples + 1)
        return _share(parts[0], parts[1], self._best(limits, left, right), rate, digits)

    # ------------------------------------------------------------------ hypotheses
    def _strip(self, low: int, high: int) -> tuple[Integers, Integers, Integers, Integers]:
        """Return columns, numbers of left ends, and ones less zeros left of, and up to, each column: (c,) each."""
        columns, limits = self.strips.strip(low, high)
        left = self.below[0, high, columns] - self.below[1, low, columns]
        return columns, limits, left, self.up_to[0, high, columns] - self.up_to[1, low, columns]

    def _rectangle(self, low: int, high: int, first: int, last: int) -> Hypothesis:
        (left, right), (lower, upper) = self.ends
        return Hypothesis(self.hypothesis_class, np.array([left[first], lower[low], right[last], upper[high]]))

    def _empty(self) -> Hypothesis:
        return Hypothesis(self.hypothesis_class, np.array([np.inf, np.inf, -np.inf, -np.inf]))


def tally_rectangles(
    hypothesis_class: HypothesisClass,
    strips: Strips,
    ends: tuple[tuple[Floats, Floats], tuple[Floats, Floats]],
    points: Points,
    ones: NDArray[np.integer],
    zeros: NDArray[np.integer],
) -> RectangleTally:
    """Tally the rectangles of the strips, with these ends by rank: O(n log m + m^2).

    points (n, 2); ones, zeros (n,): how many examples of each label are at each point.
    """
    (left, right), (lower, upper) = ends
    gain = (ones - zeros).astype(np.float64)
    x, y = points.T
    # an example is left of the ends l >= its place among the left ends, up to the ends r >= its place among the right
    places = [np.searchsorted(left, x, "right"), np.searchsorted(right, x)]
    above = [np.searchsorted(upper, y), np.searchsorted(lower, y, "right")]
    below, up_to = (np.stack([_cumulative(i, j, gain, strips.width, strips.height) for j in above]) for i in places)
    return RectangleTally(hypothesis_class, strips, ends, below, up_to, int(ones.sum()), int(ones.sum() + zeros.sum()))


def _cumulative(i: Indices, j: Indices, gain: Floats, width: int, height: int) -> Integers:
    """Sum the gains (n,) over the points with i <= a and j <= b, for all ranks a, b: (height, width), b first."""
    cells = np.bincount(j * (width + 1) + i, gain, (width + 1) * (height + 1)).astype(np.int64)
    return cells.reshape(height + 1, width + 1)[:-1, :-1].cumsum(axis=0).cumsum(axis=1)


def _finite(rate: float) -> Fraction:
    return Fraction(checks.between("rate", rate, 0, np.inf, closed="l"))


def _share(head: Integers, rest: Integers, fewest: int, rate: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bound the weight of the head over that of both within 10^-digits, from numbers (n + 1,) by mistakes."""
    parts = [(met - fewest, counts[met]) for counts in (head, rest) for met in [np.flatnonzero(counts)]]
    return exponential_share(parts[0], parts[1], rate, digits)


def _bound(masses: Floats, sizes: Integers, columns: int) -> Floats:
    """Bound the absolute errors of sums of ``sizes`` weights of a strip with the given number of columns.

    A weight is a product of at most columns + 1 entries exp(-x_i) of the table, each within 2^-48 (1 + x_i) of itself,
    or 0 and below 2^-1000 in truth.  A nonzero float is above exp(-746): where the product is not 0, sum x_i <= 746,
    and the entries put it off by 2^-48 (columns + 747) of itself; products and sums are rounded at most 4 columns
    times, 2^-53 each.  Together less than 2^-48 (2 columns + 747); twice that covers terms of second order.  A weight
    that is 0 or not normal in floats is below 2^-1000 in truth, and off by less than that.
    """
    return masses * (2.0**-47 * (2 * columns + 747)) + sizes * 2.0**-1000
