"""Intersections of halfspaces counted by Gram matrices: the way of linear algebra, with which A_LearnHalf is compared.

Examples t have a sign s_t: 1 for label 1, -1 for label 0.  The complement of a region R makes n_0 + sum_{t in R} s_t
mistakes.  Side + of hyperplane i is closed, A_i its indicator on the examples, Z_i that of the hyperplane itself; side
- has the indicator 1 - A_i + Z_i.  One matrix product gives sum_t s_t A_it A_jt for all pairs, and inclusion and
exclusion give the other three combinations of sides: only examples that lie on a hyperplane enter the corrections by Z,
and they are few.  There is one product for each label, of a matrix with its own transpose (half the work), by the BLAS
of NumPy on all cores, in float32, which is exact below 2^22 examples.  Compiled code on all cores counts the results.
The matrix of all pairs is kept: the second pass, which finds the region that is drawn, needs no products.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from semipriv.core.randomness import Randomness
from semipriv.core.types import Integers
from semipriv.mechanisms.sampling.choice import below, choose_pool
from semipriv.papers.bmn20.regions.family import Family

ROWS = 64
"""Examples whose signs are found at once."""

Region = tuple[int, ...]
"""Halfspaces of an intersection: 2 i is side + of hyperplane i of the list, 2 i + 1 its side -; () is the empty one."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of signs over a set of examples, for all pairs of hyperplanes: (k, k) float32 each, and their total.

    gram: on A_i A_j; cross: on A_i Z_j; crossed: on Z_i A_j, so that rows are read; on: on Z_i Z_j.
    """

    gram: np.ndarray
    cross: np.ndarray
    crossed: np.ndarray
    on: np.ndarray
    total: int

    def after(self, i: int) -> "Sums":
        """Return the sums of the hyperplanes from the i-th on."""
        return Sums(*(m[i:, i:] for m in self.matrices), self.total)

    @property
    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The four matrices of sums."""
        return self.gram, self.cross, self.crossed, self.on

    def __add__(self, other: "Sums") -> "Sums":
        """Return the sums over the union of disjoint sets of examples."""
        both = zip(self.matrices, other.matrices, strict=True)
        return Sums(*(a + b for a, b in both), self.total + other.total)

    def __sub__(self, other: "Sums") -> "Sums":
        """Return the sums without some of the examples."""
        both = zip(self.matrices, other.matrices, strict=True)
        return Sums(*(a - b for a, b in both), self.total - other.total)


@dataclass(frozen=True, eq=False)
class Examples:
    """Signed examples, and on which side of which hyperplane they lie.

    signs: (n,), first those that are 1.  positive: (n, k) float32, A transposed.  touching: (e,) those that lie on a
    hyperplane; on: (e, k) float32, their rows of Z transposed.
    """

    signs: np.ndarray
    positive: np.ndarray
    touching: np.ndarray
    on: np.ndarray

    def sums(self, kept: np.ndarray | None = None, first: int = 0) -> Sums:
        """Return the sums over the examples kept (n,) bool, all by default; hyperplanes from the first."""
        kept = np.ones(len(self.signs), bool) if kept is None else kept
        split, of_touching = int(np.count_nonzero(self.signs == 1)), kept[self.touching]
        gram = squared(self.positive[:split, first:], kept[:split])
        if np.any(kept[split:]):
            gram -= squared(self.positive[split:, first:], kept[split:])
        touching = self.touching[of_touching]
        a, z = self.positive[touching, first:], self.on[of_touching, first:]
        signed = self.signs[touching, None] * z
        return Sums(gram, a.T @ signed, signed.T @ a, z.T @ signed, int(self.signs[kept].sum()))


def squared(x: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return x^T x over the rows kept: BLAS does half the work for a matrix with its own transpose."""
    if not kept.all():
        x = x[kept]
    return x.T @ x


def examples(hyperplanes: np.ndarray, points: Integers, labels: np.ndarray) -> Examples:
    """Return the signs of all hyperplanes (k, c + 1) at points (n, c), exact in float64 on a grid."""
    order = np.argsort(-labels, kind="stable")
    homogeneous = np.column_stack([points[order], np.ones(len(points))])
    positive = np.empty((len(points), len(hyperplanes)), np.float32)
    touches = np.zeros(len(points), bool)
    for start in range(0, len(points), ROWS):
        rows = slice(start, start + ROWS)
        values = homogeneous[rows] @ hyperplanes.T
        np.greater_equal(values, 0, out=positive[rows])
        touches[rows] = np.any(values == 0, axis=1)
    touching = np.flatnonzero(touches)
    on = (homogeneous[touching] @ hyperplanes.T == 0).astype(np.float32)
    return Examples(np.where(labels[order] == 1, 1, -1).astype(np.float32), positive, touching, on)


@numba.njit(cache=True)
def sides(both, cross, crossed, on, first, second, total):
    """Return the sums over the intersections ++, +-, -+, -- of two hyperplanes' sides.

    first, second: (sum over side + of the one hyperplane, sum on it), and of the other.
    """
    positive_of_first, positive_of_second = first[0] - both + cross, second[0] - both + crossed
    return (
        both,
        positive_of_first,
        positive_of_second,
        total - first[0] - positive_of_second + first[1] + second[1] - cross + on,
    )


def count_pairs(gram, cross, crossed, on, total, zero, counts):
    """Add the intersections of two different hyperplanes' sides to counts (workers, n + 1), by their mistakes."""
    k, workers = len(gram), len(counts)
    edges = np.array([(gram[i, i], on[i, i]) for i in range(k)])
    for worker in numba.prange(workers):
        histogram = np.zeros(counts.shape[1], np.int64)
        for i in range(worker, k, workers):
            for j in range(i + 1, k):
                values = sides(gram[i, j], cross[i, j], crossed[i, j], on[i, j], edges[i], edges[j], total)
                for value in values:
                    histogram[int(zero + value)] += 1
        counts[worker] += histogram


COUNT = numba.njit(cache=True, nogil=True)(count_pairs)
COUNT_IN_PARALLEL = numba.njit(cache=True, parallel=True)(count_pairs)
MANY = 1_000
"""Hyperplanes from which on several cores count."""


@numba.njit(cache=True)
def find_pair(gram, cross, crossed, on, total, zero, mistakes, rank):
    """Return the halfspaces of the intersection of ``count_pairs`` that has that many mistakes and that rank."""
    k = len(gram)
    edges = np.array([(gram[i, i], on[i, i]) for i in range(k)])
    for i in range(k):
        for j in range(i + 1, k):
            values = sides(gram[i, j], cross[i, j], crossed[i, j], on[i, j], edges[i], edges[j], total)
            for side, value in enumerate(values):
                if int(zero + value) == mistakes:
                    if rank == 0:
                        return 2 * i + side // 2, 2 * j + side % 2
                    rank -= 1
    raise ValueError("rank: beyond the number of intersections")


class Gram:
    """All intersections of up to three halfspaces of a family, counted for examples (n, d) on the grid with labels.

    Each index of the family's list is a hyperplane of its own here; one that holds the whole hull is the zero vector.
    """

    def __init__(self, family: Family, places: Integers, labels: np.ndarray) -> None:
        self.most, self.n, self.zero = family.most, len(places), int(np.count_nonzero(labels == 0))
        self.lone = family.whole % 2
        self.sums = None
        if family.hull is None:
            return
        inside = family.hull.contains(places)
        places, labels = family.hull.project(places[inside]), labels[inside]
        listed = np.repeat(family.hyperplanes, family.multiplicity, axis=0).astype(np.float64)
        self.hyperplanes = np.vstack([listed, np.zeros((family.whole // 2, listed.shape[1]))])
        self.examples = examples(self.hyperplanes, places, labels)
        self.sums = self.examples.sums()

    def singles(self) -> np.ndarray:
        """Return the sums over single halfspaces, those of hyperplane i at 2 i and 2 i + 1."""
        s = self.sums
        positive, on = np.diag(s.gram), np.diag(s.on)
        values = np.stack([positive, s.total - positive + on], axis=1).ravel()
        return np.append(values, np.full(self.lone, s.total))

    def small(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the sums over regions that are not intersections of sides of two or three hyperplanes."""
        k = len(self.hyperplanes)
        lines = np.arange(k)
        listed = [(self.singles(), np.arange(2 * k + self.lone)[:, None])]
        if self.most >= 2:
            listed.append((np.diag(self.sums.on), np.stack([2 * lines, 2 * lines + 1], axis=1)))
        if self.most >= 3:
            i, j = (~np.eye(k, dtype=bool)).nonzero()
            on, crossed = self.sums.on, self.sums.crossed
            for side, values in enumerate((crossed[i, j], on[i, i] - crossed[i, j] + on[i, j])):
                listed.append((values, np.stack([2 * i, 2 * i + 1, 2 * j + side], axis=1)))
        return listed

    def beyond(self, i: int) -> Iterator[tuple[int, Sums]]:
        """Return the sums over the examples in each side of hyperplane i, for the hyperplanes after it.

        One product, over the smaller of the two open sides; the other follows from all examples and the hyperplane's.
        """
        above, on = self.examples.positive[:, i] == 1, np.zeros(len(self.examples.signs), bool)
        on[self.examples.touching] = self.examples.on[:, i] == 1
        upper = 2 * np.count_nonzero(above & ~on) < len(on)
        small = self.examples.sums(above & ~on if upper else ~above, i + 1)
        edge = self.examples.sums(on, i + 1)
        yield (0 if upper else 1), small + edge
        yield (1 if upper else 0), self.sums.after(i + 1) - small

    def histograms(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return counts by mistakes: (n + 1,) of the empty and the small regions, (parts, n + 1) of the others."""
        small = np.zeros(self.n + 1, np.int64)
        small[int(self.zero)] += 1
        if self.sums is None:
            return small, None
        for values, _ in self.small():
            small += np.bincount((self.zero + values).astype(np.int64), minlength=self.n + 1)
        if self.most < 2:
            return small, None
        parts = [self._count(self.sums)]
        if self.most >= 3:
            with threadpool_limits(1), ThreadPoolExecutor(numba.get_num_threads()) as pool:  # small products
                for both in pool.map(self._beyond_counts, range(len(self.hyperplanes))):
                    parts += both
        return small, np.array(parts)

    def _beyond_counts(self, i: int) -> list[np.ndarray]:
        return [self._count(sums) for _, sums in self.beyond(i)]

    def _count(self, sums: Sums) -> np.ndarray:
        many = len(sums.gram) >= MANY
        counts = np.zeros((numba.get_num_threads() if many else 1, self.n + 1), np.int64)
        (COUNT_IN_PARALLEL if many else COUNT)(*sums.matrices, np.float32(sums.total), self.zero, counts)
        return counts.sum(axis=0)

    def histogram(self) -> np.ndarray:
        """Return the number of index sets with 0..n mistakes, (n + 1,)."""
        small, parts = self.histograms()
        return small if parts is None else small + parts.sum(axis=0)

    def draw(self, rate: Fraction, randomness: Randomness) -> tuple[Region, int]:
        """Draw exactly: a region with probability proportional to exp(-rate mistakes), and its mistakes."""
        small, parts = self.histograms()
        counts = small if parts is None else small + parts.sum(axis=0)
        values = np.flatnonzero(counts)
        mistakes = int(values[choose_pool(values - values[0], counts[values], rate, randomness)])
        return self.member(small, parts, mistakes, below(int(counts[mistakes]), randomness)), mistakes

    def member(self, small: np.ndarray, parts: np.ndarray | None, mistakes: int, rank: int) -> Region:
        """Return the region with that many mistakes and that rank, by a pass over the part that holds it."""
        if rank < small[mistakes]:
            branches = [np.zeros((int(mistakes == self.zero), 0), np.intp)]
            for values, halfspaces in [] if self.sums is None else self.small():
                branches.append(halfspaces[(self.zero + values).astype(np.int64) == mistakes])
            for rows in branches:
                if rank < len(rows):
                    return tuple(int(h) for h in rows[rank])
                rank -= len(rows)
        rank -= int(small[mistakes])
        ends = np.cumsum(parts[:, mistakes])
        part = int(np.searchsorted(ends, rank, side="right"))
        rank -= int(ends[part - 1]) if part else 0
        if part == 0:
            return self._find(self.sums, mistakes, rank, 0)
        i, which = divmod(part - 1, 2)
        side, sums = list(self.beyond(i))[which]
        return (2 * i + side, *self._find(sums, mistakes, rank, i + 1))

    def _find(self, sums: Sums, mistakes: int, rank: int, first: int) -> Region:
        i, j = find_pair(*sums.matrices, np.float32(sums.total), self.zero, mistakes, rank)
        return int(i) + 2 * first, int(j) + 2 * first


class Line:
    """The family on the line, half-lines {z >= b} and {z <= b} for public points b: places sorted among the ends."""

    def __init__(self, family: Family, places: Integers, labels: np.ndarray) -> None:
        signs = np.where(labels == 1, 1, -1)
        self.zero, self.n = np.count_nonzero(labels == 0), len(labels)
        ends = -family.hyperplanes[:, 1]  # rows (1, -b)
        order = np.argsort(ends, kind="stable")
        upto = running_sums(np.searchsorted(ends[order], places[:, 0], side="left"), signs, len(ends))
        under = running_sums(np.searchsorted(ends[order], places[:, 0], side="right"), signs, len(ends))
        self.mistakes = np.full(2 * len(ends) + 1, self.zero)  # the last: of the empty region
        self.mistakes[2 * order] += signs.sum() - under
        self.mistakes[2 * order + 1] += upto
        self.mistakes = np.append(np.repeat(self.mistakes[:-1], np.repeat(family.multiplicity, 2)), self.zero)

    def histogram(self) -> np.ndarray:
        """Return the number of half-lines with 0..n mistakes, (n + 1,)."""
        return np.bincount(self.mistakes, minlength=self.n + 1)

    def draw(self, rate: Fraction, randomness: Randomness) -> tuple[int, int]:
        """Draw exactly: the number of a half-line, 2 i or 2 i + 1 for point i, and its mistakes."""
        counts = self.histogram()
        values = np.flatnonzero(counts)
        mistakes = int(values[choose_pool(values - values[0], counts[values], rate, randomness)])
        members = np.flatnonzero(self.mistakes == mistakes)
        return int(members[below(len(members), randomness)]), mistakes


def running_sums(cells: np.ndarray, signs: np.ndarray, count: int) -> np.ndarray:
    """Return the sums of signs over the cells 0..i, for i < count."""
    return np.cumsum(np.bincount(cells, weights=signs, minlength=count + 1))[:count].astype(np.int64)
