"""G, the set of all regions of A_LearnHalf, and their mistakes on a labelled sample, counted without a list."""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import Cover, Hypothesis, ListedCover, Tally
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Sample, as_labels, distinct
from semipriv.core.types import Floats, Indices, Integers
from semipriv.core.work import Cost
from semipriv.geometry.grid import Grid
from semipriv.mechanisms.sampling.choice import below
from semipriv.papers.bmn20.regions.family import Family, construct
from semipriv.papers.bmn20.regions.intersections import Intersections, Weighted
from semipriv.papers.bmn20.regions.pencils import Pencils
from semipriv.papers.bmn20.regions.rays import Rays
from semipriv.papers.bmn20.regions.region_complements import RegionComplements

__all__ = ["RegionCover", "RegionTally", "region_cover"]

_FAMILY = "family."
LISTED = 1_000_000
"""Largest number of hypotheses that ``listed`` lists."""


@dataclass(frozen=True, eq=False)
class RegionCover(Cover):
    """The hypotheses 1[x not in R], R empty or an intersection of at most J halfspaces of a family (BMN20 algorithm 2).

    A hypothesis stands for the empty region, or for a set of 1 to J indices of the family's list.  Several sets of
    indices may give the same region; each set counts.  So regions have a prior weight, and it depends on public points
    alone.  examples: the labelled public examples; mistakes on them count too.  points: the distinct public points
    that span the family.
    """

    functions: RegionComplements
    examples: Sample
    family: Family

    @classmethod
    def of(cls, arrays: Arrays, grid: Grid) -> "RegionCover":
        """Return the regions with these arrays."""
        family = Family.of({name.removeprefix(_FAMILY): a for name, a in arrays.items() if name.startswith(_FAMILY)})
        examples = Sample(arrays["examples"], arrays["labels"])
        return cls(RegionComplements(grid), arrays["points"], examples, family)

    def arrays(self) -> Arrays:
        """Return the points, the labelled public examples and the family: a restored cover constructs nothing again."""
        own: dict[str, NDArray[Any]] = {
            "points": self.points,
            "examples": self.examples.points,
            "labels": self.examples.labels,
        }
        return own | {f"{_FAMILY}{name}": array for name, array in self.family.arrays().items()}

    @property
    def size(self) -> int:
        """|G|."""
        return self.family.size

    def hypothesis(self, halfspaces: tuple[int, ...] | None) -> Hypothesis:
        """Return the hypothesis of an intersection of halfspaces (distinct indices); of the empty region for None."""
        return Hypothesis(self.functions, self._parameters(halfspaces))

    def _parameters(self, halfspaces: tuple[int, ...] | None) -> Floats:
        hull = self.family.hull
        if halfspaces is None or hull is None:
            return self.functions.parameters(np.zeros((0, self.functions.dimension + 1), np.int64), None)
        planes = self.family.hyperplanes
        rows = [planes[i // 2] * (1 - 2 * (i % 2)) for i in sorted(halfspaces) if i < 2 * len(planes)]
        if hull.dimension == 1 and len(rows) > 2:  # of many half-lines of a line the last on each side count
            rows = _binding(rows)
        return self.functions.parameters(hull.lift(np.array(rows, np.int64).reshape(-1, hull.dimension + 1)), hull)

    def listed(self) -> ListedCover:
        """Return a list: the empty region, then all sets of indices by size.

        Raise ValueError for more than LISTED hypotheses.
        """
        if self.size > LISTED:
            raise ValueError(f"|G| = {self.size:.4g} hypotheses to list: the limit is {LISTED:.4g}")
        planes, family = len(self.family.hyperplanes), self.family
        indices = [i for t in range(planes) for _ in range(family.multiplicity[t]) for i in (2 * t, 2 * t + 1)]
        indices += [2 * planes] * family.whole
        sets = (tuple(set(chosen)) for j in range(1, family.most + 1) for chosen in itertools.combinations(indices, j))
        rows = [self._parameters(None), *(self._parameters(chosen) for chosen in sets)]
        return ListedCover(self.functions, self.points, np.array(rows))

    def listed_mistakes(self, points: ArrayLike, labels: ArrayLike) -> tuple[ListedCover, Integers]:
        """List the hypotheses and their mistakes on the public examples and the given private ones together."""
        listed = self.listed()
        mistakes = listed.mistakes(self.examples.points, self.examples.labels)
        return listed, mistakes + listed.mistakes(points, labels) if np.size(labels) else mistakes

    def tally_cost(self, n: int) -> Cost:
        """Return what it takes to hold sets of hyperplanes against all examples, and to visit each intersection."""
        family, examples = self.family, len(self.examples.labels) + n
        return estimates.regions_counted(len(family.hyperplanes), family.most, family.visits, examples)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "RegionTally":
        """Return the mistakes on the public examples and the given private ones together."""
        x = self.functions.validated(points)
        y = as_labels(labels, len(x))
        places = self.functions.grid.place(np.concatenate([self.examples.points, x]))
        y = np.concatenate([self.examples.labels, y]).astype(np.int64)
        family, base = self.family, int(np.count_nonzero(y == 0))
        if family.hull is None:
            return RegionTally(self, base, len(y), None)
        inside = family.hull.contains(places)
        sample = Weighted(family.hull.project(places[inside]), 2 * y[inside] - 1, base, len(y))
        return RegionTally(self, base, len(y), _method(family)(family, sample))


def _method(family: Family) -> type[Intersections]:
    """Return the method that counts the intersections of a family."""
    if family.most == 1:
        return Rays
    if family.most == 2 and family.hyperplanes.shape[1] == 3 and not family.whole:
        return Pencils
    from semipriv.papers.bmn20.regions.triples import Triples  # noqa: PLC0415  (loads numba)
    from semipriv.papers.bmn20.regions.tuples import Tuples  # noqa: PLC0415

    return Triples if family.most == 3 and not family.whole else Tuples


def _binding(rows: list[Integers]) -> list[Integers]:
    """Return the binding half-lines: {z >= c} with the largest c, {z <= c} with the smallest; rows (1, -c), (-1, c)."""
    upward = [row for row in rows if row[0] > 0]
    downward = [row for row in rows if row[0] < 0]
    return [min(side, key=lambda row: row[1]) for side in (upward, downward) if side]


@dataclass(frozen=True, eq=False)
class RegionTally(Tally):
    """Mistakes of all regions.

    base: number of labels 0, which is the number of mistakes of the empty region.  total: number of examples.

    Replacing a private example changes each number of mistakes by at most 1.
    """

    cover: RegionCover
    base: int
    total: int
    intersections: Intersections | None

    @cached_property
    def _counts(self) -> Integers:
        none = np.zeros(self.total + 1, np.int64)
        counts = none if self.intersections is None else self.intersections.counts.copy()
        counts[self.base] += 1
        return counts

    def histogram(self) -> tuple[Integers, Integers]:
        """Return the numbers of mistakes that occur, and how many hypotheses make each: (p,), (p,) int64.

        The empty region and every set of indices count as one hypothesis each.
        """
        values = np.flatnonzero(self._counts)
        return values, self._counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the hypotheses with that many mistakes; raise ValueError if there is none.

        A uniform rank picks one: the empty region has the first, the sets of indices follow in the order of counting.
        """
        number = int(self._counts[mistakes]) if 0 <= mistakes <= self.total else 0
        if not number:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        rank = below(number, randomness)
        if mistakes == self.base:
            if rank == 0:
                return self.cover.hypothesis(None)
            rank -= 1
        assert self.intersections is not None
        return self.cover.hypothesis(self.intersections.find(mistakes, rank))


def region_cover(grid: Grid, examples: Sample, spanning: Indices, mode: str) -> RegionCover:
    """Return G for labelled public examples.

    spanning: rows of the examples that span the family; their labels do not matter.
    """
    places = distinct(grid.place(examples.points[spanning]).astype(np.float64))
    family = construct(places.astype(np.int64), mode)
    return RegionCover(RegionComplements(grid), grid.points(places), examples, family)
