"""What outputs share that are weighted rows of a declared schema."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from semipriv.core.types import Floats
from semipriv.core.work import Cost, check_work, count
from semipriv.privacy.guarantee import Output
from semipriv.queries.marginals import Marginals, joint
from semipriv.queries.schema import Codes, Schema

_LARGEST = 2**25


def check_rows(size: int, cost: Cost) -> None:
    """Raise WorkError if so many synthetic rows take longer, or more memory, than is allowed."""
    check_work(f"{count(size)} synthetic rows to make", cost, "make fewer rows")


class RowsOutput(Output):
    """Rows (s, c) of a schema with weights (s,) that sum to 1."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The declared columns."""

    @property
    @abstractmethod
    def rows(self) -> Codes:
        """The rows, as places of their values."""

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """The weight of each row."""

    def description(self) -> dict[str, Any]:
        """Return the schema."""
        return {"schema": self.schema.description()}

    def answer(self, *columns: str) -> Floats:
        """Return the marginal of the named columns, of the shape of their sizes: it sums to 1.

        Raises ValueError for no column, an unknown one, one named twice, and more than 2^25 cells.
        """
        if not columns or len(set(columns)) < len(columns):
            raise ValueError(f"columns = {list(columns)}: must be names of one or more different columns")
        group = [self.schema.place(name) for name in columns]
        shape = [self.schema.sizes[i] for i in group]
        if math.prod(shape) > _LARGEST:
            raise ValueError(f"columns = {list(columns)}: have {math.prod(shape):,} cells, at most {_LARGEST:,} fit")
        shares = np.bincount(joint(self.rows, group, self.schema), self.weights, math.prod(shape))
        return np.asarray(shares, np.float64).reshape(shape)

    def distances(self, table: Any, ways: int) -> Floats:
        """Return, for all marginals of ``ways`` columns, the L1 distance of theirs to those of the rows of a table.

        (Q,), each in [0, 2].  It reads the table without privacy: a measure for simulations, and for public tables.
        """
        workload, codes = Marginals(self.schema, ways), self.schema.codes(table, "table")
        if not len(codes):
            raise ValueError("table: has no row")
        exact = workload.counts(codes) / len(codes)
        return workload.totals(np.abs(workload.shares(self.rows, self.weights) - exact))


def as_rows(given: Any, own: Any) -> Codes:
    """Return given as at least one row (s, c) of places in the columns of an output's schema; else raise ValueError."""
    schema: Schema = own.schema
    rows = np.asarray(given, np.int64)
    if rows.ndim != 2 or rows.shape[1] != len(schema.columns) or not len(rows):
        raise ValueError(f"rows: must have shape (s, {len(schema.columns)}) with s >= 1, got {rows.shape}")
    if np.any((rows < 0) | (rows >= np.array(schema.sizes))):
        raise ValueError("rows: must be places of the values of the schema")
    return rows
