"""Sums that are made where the rows are, by engines that run functions of this package beside them.

A function that is sent holds public numbers and noisy numbers that were drawn before, which the guarantee covers.
"""

from collections.abc import Sequence
from functools import partial

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.types import Integers
from semipriv.learners._totals import Summand
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.databases._partial_sums import Work
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.statistic import Elsewhere

COUNTS, SUMS, ROWS = "counts", "sums", "rows"
"""What leaves a database: numbers of rows by public codes; sums of integers besides; or rows."""


@attrs.frozen(eq=False)
class Encoded:
    """A function of points and labels, as one of rows.  name: of their table."""

    name: str
    records: Records
    summand: Summand

    def __call__(self, table: pa.Table) -> Integers:
        """Return the sum over rows."""
        return self.summand(*self.records.encode(chunk_of(self.name, table)))


def chunk_of(name: str, table: pa.Table) -> Chunk:
    """Return rows of a table of this name."""
    return Chunk(name, table, np.arange(1, table.num_rows + 1))


def apart(request: Request) -> bool:
    """Return whether some rows are left out or checked singly: held out, public by a column, or by label."""
    return request.held_out is not None or request.status is not None or request.ones_only


def reason_to_read(request: Request, *, persons: bool) -> str:
    """Return why rows are read here if counts are not enough; empty if they are summed up where they are.

    persons: whether rows have units of persons.
    """
    source = request.private
    if not isinstance(source, Stored):
        return "files are read here"
    if persons:
        return "the rows of a person share units by what is in all of them"
    if apart(request):
        return "rows are told apart one by one"
    return source.streams(request.private_columns)


def summed(request: Request, work: Work, columns: Sequence[str]) -> tuple[int, Integers]:
    """Return the number of private rows, and the sum that work makes of some of their columns where they are."""
    source = request.private
    assert isinstance(source, Stored), "files are read here"
    return source.session.summed(columns, work)


def elsewhere(request: Request, records: Records, *, persons: bool) -> Elsewhere | None:
    """Return what sums up a function of points and labels where the rows are; None if they are read here."""
    return None if reason_to_read(request, persons=persons) else partial(_encoded, request, records)


def _encoded(request: Request, records: Records, summand: Summand) -> tuple[int, Integers]:
    return summed(request, Encoded(request.private.name, records, summand), request.private_columns)
