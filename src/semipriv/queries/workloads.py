"""Workloads: queries as runs of ordered cells, as boxes of cells on a grid, or as a list of label vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.types import Bools, Floats, Integers
from semipriv.queries.base import Numbers, Workload, typed_as

MANY_LABELS = 2**21
"""Labels that are kept as floats, 16 MB; larger tables are converted in blocks of so many, or packed to bits."""
_GROUP = 64
"""Rows are whole groups of BLAS, which adds up the rows that are left over after the last group in another order."""


@dataclass(frozen=True, eq=False)
class Runs(Workload):
    """Queries that are 1 on a run of cells in a row: query j on the cells start_j <= i < stop_j.  Sums take O(K + M).

    Thresholds and intervals on the line have such queries.  start, stop: (M,) with 0 <= start <= stop <= number.
    """

    number: int
    start: Integers
    stop: Integers

    @property
    def size(self) -> int:
        """Number of queries."""
        return len(self.start)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.number

    def sums(self, weights: Numbers) -> Numbers:
        """Return differences of cumulative sums.

        >>> Runs(3, np.array([0, 1]), np.array([2, 3])).sums(np.array([5, 1, 2]))
        array([6, 3])
        """
        total = _cumulative(weights)
        return np.asarray(total.take(self.stop) - total.take(self.start))

    def sums_of(self, weights: Numbers) -> Callable[[int, int], Numbers]:
        """Return differences that are taken when they are asked for."""
        total = _cumulative(weights)
        return lambda start, stop: total.take(self.stop[start:stop]) - total.take(self.start[start:stop])

    def row(self, query: int) -> Bools:
        """Return whether each cell is in the run."""
        inside = np.zeros(self.number, np.bool_)
        inside[self.start[query] : self.stop[query]] = True
        return inside


def _cumulative(weights: Numbers) -> Numbers:
    """Return 0 and the cumulative sums (K + 1,)."""
    summed = np.cumsum(weights)
    total = np.empty(len(summed) + 1, summed.dtype)
    total[0], total[1:] = 0, summed
    return total


@dataclass(frozen=True, eq=False)
class GridBoxes(Workload):
    """Queries that are 1 on a box of places of a plane grid.  Sums take O(places + M), by sums of corners.

    Rectangles in the plane have such queries.  shape: rows and columns of the grid.  place: (K, 2), the row and the
    column of each cell, no two alike; other places hold nothing.  start, stop: (M, 2), the box of query j holds the
    rows start_j0 <= i < stop_j0 and the columns start_j1 <= i < stop_j1.
    """

    shape: tuple[int, int]
    place: Integers
    start: Integers
    stop: Integers

    @property
    def size(self) -> int:
        """Number of queries."""
        return len(self.start)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.place)

    def sums(self, weights: Numbers) -> Numbers:
        """Return, with S the sums of the rows and columns before, S(b, d) - S(a, d) - S(b, c) + S(a, c).

        >>> work = GridBoxes((2, 2), np.array([[0, 0], [1, 1]]), np.array([[0, 0], [1, 0]]), np.array([[2, 2], [2, 1]]))
        >>> work.sums(np.array([5, 2]))
        array([7, 0])
        """
        total = np.zeros((self.shape[0] + 1, self.shape[1] + 1), weights.dtype)
        total[tuple(self.place.T + 1)] = weights
        total = total.cumsum(axis=0).cumsum(axis=1)
        (a, c), (b, d) = self.start.T, self.stop.T
        return total[b, d] - total[a, d] - total[b, c] + total[a, c]

    def row(self, query: int) -> Bools:
        """Return whether each cell is in the box."""
        return np.all((self.place >= self.start[query]) & (self.place < self.stop[query]), axis=1)


@dataclass(frozen=True, eq=False)
class Listed(Workload):
    """Queries given by their labels on all cells, (M, K) bool."""

    labels: Bools

    @cached_property
    def _floats(self) -> Floats:
        return self.labels.astype(np.float64)

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.labels.shape[0]

    @property
    def cells(self) -> int:
        """Number of columns."""
        return self.labels.shape[1]

    def sums(self, weights: Numbers) -> Numbers:
        """Return labels times weights, in floats: exact for integers below 2^53."""
        if self.labels.size <= MANY_LABELS:
            return typed_as(weights, self._floats @ weights)
        step = max(1, MANY_LABELS // self.cells)
        blocks = (self.labels[i : i + step] for i in range(0, self.size, step))
        return typed_as(weights, np.concatenate([block.astype(np.float64) @ weights for block in blocks]))

    def sums_of(self, weights: Numbers) -> Callable[[int, int], Numbers]:
        """Return sums of rows that are worked out when they are asked for."""
        if self.labels.size > MANY_LABELS:
            return super().sums_of(weights)

        def some(start: int, stop: int) -> Numbers:
            first = start - start % _GROUP
            rows = self._floats[first : stop + -stop % _GROUP]
            return typed_as(weights, (rows @ weights)[start - first : stop - first])

        return some

    def row(self, query: int) -> Bools:
        """Return a row."""
        return self.labels[query]


def workload(labels: Bools) -> Workload:
    """Return the workload with labels (M, K): as runs if each row is 1 on one run of cells, in this order, or on none.

    >>> type(workload(np.array([[0, 1, 1], [0, 0, 0]], bool))).__name__
    'Runs'
    """
    edges = np.diff(np.pad(labels, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    if np.any(np.count_nonzero(edges == 1, axis=1) > 1):
        return Listed(labels)
    some = labels.any(axis=1)
    start = np.where(some, np.argmax(edges == 1, axis=1), 0)
    stop = np.where(some, np.argmax(edges == -1, axis=1), 0)
    return Runs(labels.shape[1], start, stop)
