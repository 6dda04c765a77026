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
    def _layout(self) -> tuple[Integers, Integers, Floats, Integers, Integers]:
        """Flat arrays from which the columns are drawn, column after column, and within a column group after group.

        columns, strides: for each group that holds the column, the group's other columns and the strides of their
        values in ``numbers``, padded by strides of 0.  numbers: the potentials of each such group, the values of the
        drawn column running fastest.  starts: where each group begins in ``numbers``.  ends: how many groups the
        columns up to this one have.
        """
        sizes, ways = self.schema.sizes, max(map(len, self.groups))
        columns, strides = list[list[int]](), list[list[int]]()
        numbers, ends = list[Floats](), [0]
        for column, size in enumerate(sizes):
            for group, potential in zip(self.groups, self.potentials, strict=True):
                if column not in group:
                    continue
                others, table = [i for i in group if i != column], potential.reshape([sizes[i] for i in group])
                numbers.append(np.moveaxis(table, group.index(column), -1).ravel())
                steps = np.cumprod([size, *(sizes[i] for i in others[:0:-1])])[: len(others)][::-1].tolist()
                none = [0] * (ways - len(group))
                columns.append(others + none)
                strides.append(steps + none)
            ends.append(len(numbers))
        starts = np.cumsum([0, *map(len, numbers[:-1])])
        shape = len(numbers), ways - 1
        return (
            np.array(columns, np.int64).reshape(shape),
            np.array(strides, np.int64).reshape(shape),
            np.concatenate(numbers),
            starts.astype(np.int64),
            np.array(ends),
        )

    def swept(self, rows: Codes, sweeps: int, generator: np.random.Generator) -> Codes:
        """Return rows (n, c) after sweeps: each draws every column anew, one after the other, given the others."""
        drawn, sizes = np.array(rows, np.int64, order="C"), np.array(self.schema.sizes)
        for _ in range(sweeps):
            _sweep(drawn, generator.random(drawn.shape), sizes, *self._layout)
        return drawn

    @property
    def work(self) -> int:
        """Additions of one sweep of a row."""
        sizes = self.schema.sizes
        return sum(sizes[i] for group in self.groups for i in group)


@njit(cache=True)
def _sweep(rows, uniform, sizes, columns, strides, numbers, starts, ends):  # type: ignore[no-untyped-def]
    """Draw each column of all rows anew, one column after the other: what a column reads stays in the caches."""
    n, c = rows.shape
    level = np.empty(sizes.max())
    for j in range(c):
        size = sizes[j]
        for i in range(n):
            level[:size] = 0.0
            for m in range(ends[j], ends[j + 1]):
                base = starts[m]
                for a in range(columns.shape[1]):
                    base += rows[i, columns[m, a]] * strides[m, a]
                for v in range(size):
                    level[v] += numbers[base + v]
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
