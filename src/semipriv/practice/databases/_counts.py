"""Answers of a database, by codes."""

from collections.abc import Callable, Sequence

import attrs
import ibis.expr.types as ir
import pyarrow as pa

from semipriv.core.types import Integers


@attrs.frozen(eq=False)
class Counts:
    """An answer by codes: codes of each column (g,), rows (g,), and units (g,): the rows, if persons have none.

    sums: of the first powers of a number's amount, each (g,), times the units of persons.
    """

    codes: Sequence[Integers]
    rows: Integers
    units: Integers
    sums: Sequence[Integers] = ()


@attrs.frozen(eq=False)
class Counting:
    """A query, and how its answer is read: as the answers to one or more questions."""

    asked: ir.Table
    read: Callable[[pa.Table], list[Counts]]
