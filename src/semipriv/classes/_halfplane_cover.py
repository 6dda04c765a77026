"""Halfplanes of many public points, counted and drawn without a list.

Each dichotomy of public points, except the trivial ones, is that of one line through a public point, either way
(``semipriv.geometry.gaps``).  So the mistakes of all are counted one public point after the other, in the memory that
one of them takes, and added up in parts of the public points.  A draw takes the number of mistakes by its weight, then
the part by how many of its hypotheses make that many, and counts this part again.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import (
    Hypothesis,
    HypothesisClass,
    ListedCover,
    ListedTally,
    Tally,
    UnlistedCover,
    check_listing,
)
from semipriv.core import estimates
from semipriv.core.randomness import Randomness
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost
from semipriv.geometry.gaps import Gaps, Pencils, Weighted
from semipriv.mechanisms.sampling.choice import below

__all__ = ["HalfplaneCover", "HalfplaneTally"]

_MOST_LISTED = 2_000
"""Public points up to which halfplanes are listed if that is how they are counted sooner."""
_PARTS, _NUMBERS = 256, 4_000_000
"""Most parts of the public points, and most numbers that are kept to count the mistakes in each of them."""


@dataclass(frozen=True, eq=False)
class HalfplaneCover(UnlistedCover):
    """Both trivial hypotheses, and two for each line of ``Pencils``: with its pivot, and the rest without.

    A line passes through its pivot, half-way, in turns, to the next directions of other points.  At least one point.
    """

    @cached_property
    def pencils(self) -> Pencils:
        """The lines."""
        return Pencils(self.points)

    @cached_property
    def size(self) -> int:
        """Counted in O(m^2 log m), once."""
        return 2 + 2 * sum(len(gaps.turns) for gaps in self.gaps())

    def gaps(self, start: int = 0, stop: int | None = None) -> Iterator[Gaps]:
        """Yield the lines of the public points start <= i < stop."""
        for pivot in range(len(self.points))[start:stop]:
            yield self.pencils.gaps(pivot)

    def listed(self) -> ListedCover:
        """Return the list: the trivial ones, then those of each public point, to the left and right of its lines."""
        check_listing(self.size, 3, "tally the cover, which counts and draws without listing")
        rows = [np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])]
        for gaps in self.gaps():
            rows += self.pencils.parameters(gaps)
        return ListedCover(self.functions, self.points, np.concatenate(rows))

    def tally_cost(self, n: int) -> Cost:
        """Return what it takes to hold each public point against all others and the examples, or a list of halfplanes.

        A list takes less time beside so many examples that one k-d tree of them answers sooner than m sweeps.
        """
        return min(self._swept(n), self._listed(n), key=lambda cost: cost.seconds)

    def _swept(self, n: int) -> Cost:
        return estimates.halfplanes_counted(len(self.points), n)

    def _listed(self, n: int) -> Cost:
        m = len(self.points)
        rows = 2 + 2 * m * (m - 1)
        if m > _MOST_LISTED:
            return Cost(math.inf)
        return estimates.halfspaces_listed(rows, m, 2) + estimates.range_counted(rows, n, 2)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "HalfplaneTally | ListedTally":
        """Tally all halfplanes in O(m (m + n) log m) when they are first asked for, with O(m + n) memory; or a list."""
        assert isinstance(self.functions, HypothesisClass)
        x, y = self.functions.labelled(points, labels)
        if self._listed(len(x)).seconds < self._swept(len(x)).seconds:
            return self.listed().tally(x, y)
        rows, place, counts = distinct_rows(x)
        ones = np.bincount(place, y == 1, len(rows)).astype(np.int64)
        return HalfplaneTally(self, self.pencils.weighted(rows, counts - 2 * ones), int(ones.sum()), len(x))


@dataclass(frozen=True, eq=False)
class HalfplaneTally(Tally):
    """Mistakes of the halfplanes of a cover.

    given: distinct examples, each with its zeros less its ones.  ones, examples: how many there are.
    """

    cover: HalfplaneCover
    given: Weighted
    ones: int
    examples: int

    @cached_property
    def _bounds(self) -> Integers:
        """Where parts of the public points start, and their end: (parts + 1,)."""
        m = len(self.cover.points)
        parts = max(1, min(_PARTS, m, _NUMBERS // (self.examples + 1)))
        return np.linspace(0, m, parts + 1).astype(np.int64)

    @cached_property
    def _counts(self) -> Integers:
        """How many hypotheses of each part, and of the trivial ones, make 0, ..., n mistakes: (parts + 1, n + 1)."""
        counts = np.zeros((len(self._bounds), self.examples + 1), np.int64)
        for part, (start, stop) in enumerate(zip(self._bounds[:-1], self._bounds[1:], strict=True)):
            for _, sides in self._mistakes(start, stop):
                for side in sides:
                    counts[part] += np.bincount(side, minlength=self.examples + 1)
        for mistakes in self._trivial:
            counts[-1, mistakes] += 1
        return counts

    @property
    def _trivial(self) -> tuple[int, int]:
        """Mistakes of the hypothesis that is everywhere 1, and of that which is everywhere 0."""
        return self.examples - self.ones, self.ones

    def _mistakes(self, start: int, stop: int) -> Iterator[tuple[Gaps, tuple[Integers, Integers]]]:
        """Yield the lines of public points, with the mistakes of both sides.

        Of all ones, those on the side are no mistakes, and zeros there are.
        """
        pencils = self.cover.pencils
        for gaps in self.cover.gaps(start, stop):
            left, right = pencils.sums(gaps, self.given)
            yield gaps, (self.ones + left, self.ones + right)

    def histogram(self) -> tuple[Integers, Integers]:
        """Count by looking at every halfplane, once."""
        counts = self._counts.sum(axis=0)
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw a uniform one: its part by how many of it make that many mistakes, then one of the part."""
        number = self._counts[:, mistakes] if 0 <= mistakes <= self.examples else np.zeros(1, np.int64)
        if not number.any():
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        rank = below(int(number.sum()), randomness)
        before = np.cumsum(number) - number
        part = int(np.searchsorted(before, rank, side="right")) - 1
        return Hypothesis(self.cover.functions, self._member(part, mistakes, rank - int(before[part])))

    def _member(self, part: int, mistakes: int, rank: int) -> Floats:
        """Return the parameters of a hypothesis of a part by its rank among those with that many mistakes."""
        if part == len(self._bounds) - 1:
            signs = [sign for sign, wrong in zip((1.0, -1.0), self._trivial, strict=True) if wrong == mistakes]
            return np.array([0.0, 0.0, signs[rank]])
        for gaps, sides in self._mistakes(*self._bounds[part : part + 2]):
            for side, wrong in enumerate(sides):
                matching = np.flatnonzero(wrong == mistakes)
                if rank < matching.size:
                    return np.asarray(self.cover.pencils.parameters(gaps)[side][matching[rank]])
                rank -= matching.size
        raise AssertionError("the part has as many as were counted")
