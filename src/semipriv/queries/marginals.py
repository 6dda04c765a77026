"""Workloads of marginals of a table of categorical columns: all of k columns, or those that are listed."""

import math
from abc import ABC
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import attrs
import numpy as np

from semipriv.core.fields import size, value
from semipriv.core.types import Floats, Integers
from semipriv.queries.base import Numbers
from semipriv.queries.schema import Codes, Schema

_LARGEST = 2**25
"""Cells of all marginals together: their counts take 256 MB."""
_MOST = 10**5


class Workload(ABC):
    """Marginals of a table: marginal q counts the records by their values in the columns of group q.

    Q tables of K_q = product of sizes cells; all cells stand in one array, marginal after marginal, each in the order
    of its columns (the last one runs fastest).

    Replacing a record moves each marginal by -1 in one cell and by 1 in another, or not at all: by 2 in L1 and sqrt 2
    in L2.
    """

    schema: Schema
    groups: tuple[tuple[int, ...], ...]
    """Places of the columns of each marginal."""

    def _check_cells(self, what: str, instead: str) -> None:
        """Raise ValueError beyond 2^25 cells in all."""
        if self.cells > _LARGEST:
            raise ValueError(
                f"{what}: the {len(self.groups):,} marginals have {self.cells:,} cells, at most {_LARGEST:,} fit: "
                f"{instead}, or declare coarser columns"
            )

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

    def place(self, codes: Codes, marginal: int) -> Integers:
        """Return the place of each record (n, c) among the cells of a marginal: (n,)."""
        return joint(codes, self.groups[marginal], self.schema)

    def counts(self, codes: Codes, units: Integers | None = None) -> Integers:
        """Return the number of records (n, c) in each cell of all marginals, exactly; or that of their units (n,)."""
        return self._summed(codes, units, np.zeros(self.cells, np.int64))

    def shares(self, codes: Codes, weights: Floats) -> Floats:
        """Return the sum of the weights (n,) of the records in each cell of all marginals."""
        return self._summed(codes, weights, np.zeros(self.cells))

    def _summed(self, codes: Codes, weights: Floats | Integers | None, sums: Numbers) -> Numbers:
        codes = np.asfortranarray(codes)  # its columns are read many times
        for group, start, cells in zip(self.groups, self.starts, self._sizes, strict=False):
            sums[start : start + cells] = np.bincount(joint(codes, group, self.schema), weights, cells)
        return sums

    def totals(self, values: Numbers) -> Numbers:
        """Return the sum of the values of all cells by marginal: (Q,)."""
        return np.add.reduceat(values, self.starts[:-1])

    def part(self, places: Sequence[int]) -> "Workload":
        """Return the marginals with these places, in their order, as a workload."""
        return _Part(self.schema, tuple(self.groups[g] for g in places))


@attrs.frozen(eq=False, slots=False)
class _Part(Workload):
    """Marginals of a workload, which were checked with it."""

    schema: Schema
    groups: tuple[tuple[int, ...], ...]


@value
class Marginals(Workload):
    """All marginals of ``ways`` columns, (c choose ways) tables.

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
            raise ValueError(
                f"ways = {self.ways}: {number:,} marginals of {columns} columns, at most {_MOST:,} fit: list the "
                "marginals that matter"
            )
        fewer = "take fewer ways, list the marginals that matter" if self.ways > 2 else "list the marginals that matter"
        self._check_cells(f"ways = {self.ways}", fewer)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """Places of the columns of each marginal."""
        return tuple(combinations(range(len(self.schema.columns)), self.ways))


def marginals_of(schema: Schema, ways: int) -> Marginals:
    """Return all marginals of ``ways`` columns; a table of one column has one marginal, whatever ``ways`` is.

    >>> marginals_of(Schema({"a": 2}), 2).groups
    ((0,),)
    """
    return Marginals(schema, ways if len(schema.columns) > 1 else 1)


@value
class ListedMarginals(Workload):
    """Marginals that are listed, of one or more columns each.

    Raises ValueError for no group, a group that names a column twice or is there twice, and beyond 2^25 cells in all.

    >>> ListedMarginals(Schema({"a": 2, "b": 3, "c": 2}), [("c",), ("b", "a")]).groups
    ((2,), (0, 1))
    """

    schema: Schema
    names: Sequence[Sequence[str]] = attrs.field(converter=lambda given: tuple(map(tuple, given)))

    def __attrs_post_init__(self) -> None:
        if not self.groups:
            raise ValueError("marginals: must be a list of at least one group of columns")
        for names, group in zip(self.names, self.groups, strict=True):
            if not group or len(set(group)) < len(group):
                raise ValueError(f"marginals: {list(names)}: must be one or more different columns")
            if self.groups.count(group) > 1:
                raise ValueError(f"marginals: {list(names)}: is listed twice")
        if len(self.groups) > _MOST:
            raise ValueError(f"marginals: are {len(self.groups):,}, at most {_MOST:,} fit")
        self._check_cells("marginals", "list fewer")

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """Places of the columns of each marginal, in the order of the schema."""
        return tuple(tuple(sorted(map(self.schema.place, names))) for names in self.names)


def joint(codes: Codes, group: Sequence[int], schema: Schema) -> Integers:
    """Return the cell of each record (n, c) in the table of a group of columns, the last one fastest: (n,)."""
    if not group:
        return np.zeros(len(codes), np.int64)
    first, *others = group
    cell = codes[:, first].astype(np.int64)
    for i in others:
        cell *= schema.sizes[i]
        cell += codes[:, i]
    return cell
