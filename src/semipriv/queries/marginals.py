"""The workload of all k-way marginals of a table of categorical columns."""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from semipriv.core.fields import size, value
from semipriv.core.types import Floats, Integers
from semipriv.queries.base import Numbers
from semipriv.queries.schema import Codes, Schema

_LARGEST = 2**25
"""Cells of all marginals together: their counts take 256 MB."""
_MOST = 10**5


@value
class Marginals:
    """All marginals of ``ways`` columns: marginal q counts the records by their values in columns (i_1 < ... < i_k).

    The marginals have Q = (c choose k) tables of K_q = product of sizes cells; all cells stand in one array, marginal
    after marginal, each in the order of its columns (the last one runs fastest).

    Replacing a record moves each marginal by -1 in one cell and by 1 in another, or not at all: by 2 in L1 and sqrt 2
    in L2.

    Raises ValueError for more ways than columns, and beyond 2^25 cells or 10^5 marginals in all.

    >>> workload = Marginals(Schema({"a": 2, "b": 3, "c": 2}), 2)
    >>> workload.groups, workload.starts.tolist()
    (((0, 1), (0, 2), (1, 2)), [0, 6, 10, 16])
    """

    schema: Schema
    ways: int = size()

    def __attrs_post_init__(self) -> None:
        columns = len(self.schema.columns)
        if self.ways > columns:
            raise ValueError(f"ways = {self.ways}: must be <= {columns}, the number of columns")
        number = math.comb(columns, self.ways)
        if number > _MOST:
            raise ValueError(f"ways = {self.ways}: {number:,} marginals of {columns} columns, at most {_MOST:,} fit")
        if self.cells > _LARGEST:
            raise ValueError(
                f"ways = {self.ways}: the {number:,} marginals have {self.cells:,} cells, at most {_LARGEST:,} fit: "
                "take fewer ways, or declare coarser columns"
            )

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Places of the columns of each marginal."""
        return tuple(combinations(range(len(self.schema.columns)), self.ways))

    @cached_property
    def _sizes(self) -> list[int]:
        return [math.prod(self.schema.sizes[i] for i in group) for group in self.groups]

    @property
    def cells(self) -> int:
        """Number of cells of all marginals."""
        return sum(self._sizes)

    @cached_property
    def starts(self) -> Integers:
        """Where the cells of each marginal start, and where the last ones end, (Q + 1,)."""
        return np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)

    def cell(self, codes: Codes, marginal: int) -> Integers:
        """Return the cell of each record (n, c) in a marginal, among all cells: (n,)."""
        return self.starts[marginal] + joint(codes, self.groups[marginal], self.schema)

    def counts(self, codes: Codes) -> Integers:
        """Return the number of records (n, c) in each cell of all marginals, exactly."""
        return self._summed(codes, None, np.zeros(self.cells, np.int64))

    def shares(self, codes: Codes, weights: Floats) -> Floats:
        """Return the sum of the weights (n,) of the records in each cell of all marginals."""
        return self._summed(codes, weights, np.zeros(self.cells))

    def _summed(self, codes: Codes, weights: Floats | None, sums: Numbers) -> Numbers:
        for group, start, cells in zip(self.groups, self.starts, self._sizes, strict=False):
            sums[start : start + cells] = np.bincount(joint(codes, group, self.schema), weights, cells)
        return sums

    def totals(self, values: Numbers) -> Numbers:
        """Return the sum of the values of all cells by marginal: (Q,)."""
        return np.add.reduceat(values, self.starts[:-1])


def joint(codes: Codes, group: Sequence[int], schema: Schema) -> Integers:
    """Return the cell of each record (n, c) in the table of a group of columns, the last one fastest: (n,)."""
    cell = np.zeros(len(codes), np.int64)
    for i in group:
        cell *= schema.sizes[i]
        cell += codes[:, i]
    return cell
