"""Rows of a log-linear model of a table, by Gibbs sweeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Integers
from semipriv.queries.schema import Codes, Schema

__all__ = ["LogLinear"]


@dataclass(frozen=True, eq=False)
class LogLinear:
    """P[x] proportional to exp of the sum of a potential of each group of columns.

    groups: places of columns.  potentials: of each group its numbers, one for each cell, the last column fastest.
    """

    schema: Schema
    groups: Sequence[tuple[int, ...]]
    potentials: Sequence[Floats]

    @cached_property
    def _layout(self) -> tuple[Integers, Integers, Integers, Integers, Integers, Integers]:
        """Columns and strides of each group, where its cells start; by column the groups that hold it, its stride."""
        sizes, ways = self.schema.sizes, max(map(len, self.groups))
        columns, strides = (np.zeros((len(self.groups), ways), np.int64) for _ in range(2))
        of, by, ends = list[int](), list[int](), [0]
        for g, group in enumerate(self.groups):
            columns[g, : len(group)] = group
            strides[g, : len(group)] = np.cumprod([1, *(sizes[i] for i in group[:0:-1])])[::-1]
        for column in range(len(sizes)):
            for g, group in enumerate(self.groups):
                if column in group:
                    of.append(g)
                    by.append(int(strides[g, group.index(column)]))
            ends.append(len(of))
        starts = np.cumsum([0, *map(len, self.potentials[:-1])])
        return columns, strides, starts.astype(np.int64), np.array(of), np.array(by), np.array(ends)

    def swept(self, rows: Codes, sweeps: int, generator: np.random.Generator) -> Codes:
        """Return rows (n, c) after sweeps: each draws every column anew, one after the other, given the others."""
        found, potentials = np.ascontiguousarray(rows), np.concatenate(self.potentials)
        found, sizes = found.copy(), np.array(self.schema.sizes)
        for _ in range(sweeps):
            _sweep(found, generator.random(found.shape), sizes, potentials, *self._layout)
        return found

    @property
    def work(self) -> int:
        """Additions of one sweep of a row."""
        sizes = self.schema.sizes
        return sum(sizes[i] for group in self.groups for i in group)


@njit(cache=True)
def _sweep(rows, uniform, sizes, potentials, columns, strides, starts, of, by, ends):  # type: ignore[no-untyped-def]
    n, c = rows.shape
    ways = columns.shape[1]
    level = np.empty(sizes.max())
    for i in range(n):
        for j in range(c):
            size = sizes[j]
            level[:size] = 0.0
            for m in range(ends[j], ends[j + 1]):
                g, stride = of[m], by[m]
                base = starts[g] - rows[i, j] * stride
                for a in range(ways):
                    base += rows[i, columns[g, a]] * strides[g, a]
                for v in range(size):
                    level[v] += potentials[base + v * stride]
            top = level[0]
            for v in range(1, size):
                top = max(top, level[v])
            total = 0.0
            for v in range(size):
                total += np.exp(level[v] - top)
                level[v] = total
            goal, place = uniform[i, j] * total, 0
            while place < size - 1 and level[place] <= goal:
                place += 1
            rows[i, j] = place
