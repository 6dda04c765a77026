"""A tree of columns: the distribution of given rows that keeps the pairs along its edges (Chow and Liu 1968)."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.rows import distinct_rows
from semipriv.core.types import Floats, Integers
from semipriv.queries.schema import Codes, Schema

__all__ = ["LARGEST", "Tree", "chow_liu", "informations", "spanning"]

LARGEST = 2**25
"""Cells of all tables of a tree at most."""
_DENSE = 4
"""All pairs are made if they have at most so many times the cells that are wanted."""
_WORTH = 5.0
"""Records that the product of one-way shares is worth where pairs are counted."""


@dataclass(frozen=True, eq=False)
class Tree:
    """P[x] = root[x_r] product over edges of table[x_parent, x_child].

    informations: (c, c), mutual information of each pair of columns.  first: the column r.  root: shares of its values.
    edges: (parent, child), each parent r or a child of an earlier edge.  tables: of each edge P[child | parent].
    """

    informations: Floats
    first: int
    root: Floats
    edges: Sequence[tuple[int, int]]
    tables: Sequence[Floats]

    def draw(self, size: int, generator: np.random.Generator) -> Codes:
        """Draw rows (size, c)."""
        rows = np.zeros((size, 1 + len(self.edges)), np.int64)
        rows[:, self.first] = _places(np.cumsum(self.root)[None], np.zeros(size, np.int64), generator.random(size))
        for (parent, child), table in zip(self.edges, self.tables, strict=True):
            rows[:, child] = _places(np.cumsum(table, axis=1), rows[:, parent], generator.random(size))
        return rows

    def log_probability(self, rows: Codes) -> Floats:
        """Return ln P of rows (n, c)."""
        total = np.log(self.root)[rows[:, self.first]]
        for (parent, child), table in zip(self.edges, self.tables, strict=True):
            total = total + np.log(table)[rows[:, parent], rows[:, child]]
        return total

    def shares(self, *columns: int) -> Floats:
        """Return P of one column (k,), or of two different ones (k, l), exactly.

        Of two it is the product of the tables on the way from one to the other, in the order that costs least.
        """
        if len(columns) == 1:
            return self._alone[columns[0]]
        lines = [self._line(column) for column in columns]
        common = sum(a == b for a, b in zip(*lines, strict=False)) - 1
        up, down = ([self._above[column][1] for column in line[common + 1 :]] for line in lines)
        shares = self._alone[lines[0][common]]
        factors = [table.T for table in reversed(up)] + down
        if up:
            factors[len(up) - 1] = factors[len(up) - 1] * shares
        else:
            factors[0] = shares[:, None] * factors[0]
        return np.asarray(np.linalg.multi_dot(factors)) if len(factors) > 1 else factors[0]

    def margins(self, wanted: Collection[tuple[int, ...]]) -> Mapping[tuple[int, ...], Floats]:
        """Return ``shares`` of each of the wanted columns or pairs.

        If they are a good part of all pairs, each pair is made of one that is nearer by a single product.
        """
        sizes = {column: len(shares) for column, shares in self._alone.items()}
        cells = (sum(sizes.values()) ** 2 - sum(size**2 for size in sizes.values())) // 2
        if cells > _DENSE * sum(math.prod(sizes[column] for column in columns) for columns in wanted):
            return {columns: self.shares(*columns) for columns in wanted}
        return {(column,): shares for column, shares in self._alone.items()} | self._pairs()

    def _pairs(self) -> dict[tuple[int, ...], Floats]:
        """Return the shares of all pairs, both ways."""
        pairs, before = dict[tuple[int, ...], Floats](), [self.first]
        for (parent, child), table in zip(self.edges, self.tables, strict=True):
            for column in before:
                nearer = self._alone[parent][:, None] * table if column == parent else pairs[column, parent] @ table
                pairs[column, child], pairs[child, column] = nearer, nearer.T
            before.append(child)
        return pairs

    @cached_property
    def _above(self) -> dict[int, tuple[int, Floats]]:
        """The parent of each column but the first, and the table of the edge."""
        return {child: (parent, table) for (parent, child), table in zip(self.edges, self.tables, strict=True)}

    @cached_property
    def _alone(self) -> dict[int, Floats]:
        """The shares of the values of each column."""
        shares = {self.first: self.root}
        for (parent, child), table in zip(self.edges, self.tables, strict=True):
            shares[child] = shares[parent] @ table
        return shares

    def _line(self, column: int) -> list[int]:
        """Return the columns from the first one to this one."""
        line = [column]
        while line[-1] != self.first:
            line.append(self._above[line[-1]][0])
        return line[::-1]


def _places(reached: Floats, given: Integers, uniform: Floats) -> Integers:
    """Return for each number u the first place of its row of ``reached``, cumulative shares, that exceeds u."""
    size = reached.shape[1]
    flat = (reached / reached[:, -1:] + np.arange(len(reached))[:, None]).ravel()  # increasing from row to row
    place = np.searchsorted(flat, given + uniform, "right") - given * size
    return np.clip(place, 0, size - 1)


def informations(rows: Codes, schema: Schema) -> Floats:
    """Return the mutual information of each pair of columns of rows (n, c), in nats, (c, c); 0 on the diagonal.

    >>> informations(np.array([[0, 0], [1, 1]]), Schema({"a": 2, "b": 2})).round(4).tolist()
    [[0.0, 0.6931], [0.6931, 0.0]]
    """
    sizes, c = schema.sizes, rows.shape[1]
    alone = [_entropy(rows[:, i], sizes[i]) for i in range(c)]
    matrix = np.zeros((c, c))
    for i in range(c):
        for j in range(i):
            joint = _entropy(rows[:, i] * sizes[j] + rows[:, j], sizes[i] * sizes[j])
            matrix[i, j] = matrix[j, i] = max(0.0, alone[i] + alone[j] - joint)
    return matrix


def _entropy(cells: Integers, size: int) -> float:
    """Return the entropy of the shares of the cells of rows (n,)."""
    if size <= 4 * len(cells):
        counts = np.bincount(cells, minlength=size)
        counts = counts[counts > 0]
    else:
        counts = distinct_rows(cells[:, None]).counts
    return float(np.log(len(cells)) - (counts * np.log(counts)).sum() / len(cells))


def spanning(weights: Floats, first: int = 0) -> list[tuple[int, int]]:
    """Return the edges (parent, child) of a tree from the first column whose sum of weights (c, c) is largest.

    Each parent is the first column or a child of an earlier edge; of equal numbers the first counts.
    """
    inside, edges = [first], list[tuple[int, int]]()
    while len(inside) < len(weights):
        outside = [j for j in range(len(weights)) if j not in inside]
        part = weights[np.ix_(inside, outside)]
        i, j = np.unravel_index(int(np.argmax(part)), part.shape)
        edges.append((inside[int(i)], outside[int(j)]))
        inside.append(outside[int(j)])
    return edges


def chow_liu(rows: Codes, counts: Integers, schema: Schema, information: Floats) -> Tree:
    """Return the tree of largest mutual information of rows (k, c) that are there so many times, (k,).

    It is smoothed so that every record is possible: shares of a pair are those of n + 5 records, the rows and 5 of the
    product of the one-way shares.  information: (c, c), of each pair of columns; of equal ones the first counts.
    """
    sizes, n = schema.sizes, int(counts.sum())
    alone = [(np.bincount(rows[:, i], counts, k) + _WORTH / k) / (n + _WORTH) for i, k in enumerate(sizes)]
    edges = spanning(information)
    cells = sum(sizes[i] * sizes[j] for i, j in edges)
    if cells > LARGEST:
        raise ValueError(
            f"the tree of the columns has {cells:,} cells, at most {LARGEST:,} fit: declare coarser columns"
        )
    tables = []
    for parent, child in edges:
        cell = rows[:, parent] * sizes[child] + rows[:, child]
        table = np.bincount(cell, counts, sizes[parent] * sizes[child]).reshape(sizes[parent], sizes[child])
        table = table + _WORTH * alone[child]
        tables.append(table / table.sum(axis=1, keepdims=True))
    return Tree(information, 0, np.asarray(alone[0], np.float64), edges, tables)
