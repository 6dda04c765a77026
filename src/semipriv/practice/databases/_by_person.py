"""Units of persons by codes: what ``core.persons.shares`` gives the rows, summed where the rows are.

Row j of a person with r rows has floor(((j + 1) W + s) / r) - floor((j W + s) / r) units, its place j counted in the
order of the codes.  Rows of a person with equal codes have places next to each other, so their sum does not depend on
which is first.

No person has 2^36 rows, so (j + 1) W + s < 2^53: it is a float, and its quotient by r, which is less than 2^18 and at
least 1 / r away from every integer that it is not, is rounded to no integer.  So floor of a division is exact, whether
an engine divides integers or floats.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Protocol

import attrs
import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa

from semipriv.core.types import Integers
from semipriv.practice.columns.coding import Amount, Coding, Steps
from semipriv.practice.databases._counts import Counting, Counts

LISTED = 2**10
"""Codes without an order that are listed in a query at most."""


class Engine(Protocol):
    """What is asked of a database."""

    def person(self, cell: ir.Value) -> ir.Value | None:
        """Return what tells persons apart by a cell, and as a text is that of files; None if no query tells that."""

    def piece(self, cell: ir.Value, coding: Coding) -> ir.Value | None:
        """Return the place of a cell of a table in ``codes_of``; None if none is faster than to read the rows."""

    def units(self, cell: ir.Value, amount: Amount) -> ir.Value:
        """Return the units of a number of a table."""

    def offset(self, text: ir.Value) -> ir.Value:
        """Return ``core.persons.offset`` of a text."""


def identified(database: Engine, table: ir.Table, columns: Sequence[str]) -> list[ir.Value] | None:
    """Return the cells by which persons differ, all missing where one is; None if no query tells them as files do."""
    identities = [database.person(table[name]) for name in columns]
    cells = [cell for cell in identities if cell is not None]
    if len(cells) < len(identities):
        return None
    if len(cells) == 1:
        return cells
    known = reduce(lambda first, other: first & other, [cell.notnull() for cell in cells])
    return [ibis.ifelse(known, cell, ibis.null(cell.type())) for cell in cells]


def number_of_persons(database: Engine, table: ir.Table, columns: Sequence[str]) -> ir.Table | None:
    """Return the query for the number of persons, ``n``; None if none tells it."""
    names = identified(database, table, columns)
    if names is None:
        return None
    distinct = table.select(**{f"p{i}": cell for i, cell in enumerate(names)}).distinct()
    return distinct.aggregate(n=distinct.count())


def sharing(
    database: Engine,
    table: ir.Table,
    persons: Sequence[str],
    columns: Sequence[tuple[str, Coding]],
    chosen: Sequence[Sequence[int]],
    units: int,
    key: str,
    numbers: Sequence[tuple[str, Amount]] = (),
    powers: Sequence[tuple[int, int] | None] = (),
) -> Counting | None:
    """Return the query for rows and units by codes of columns; None if none is faster than to read the rows.

    Args:
        database: whose table it is.
        table: the rows.
        persons: columns of their names.
        columns: by whose codes, one after the other, a person's rows are ordered; codings of their types.
        chosen: places of the columns of each answer.
        units: W.
        key: of offsets.
        numbers: columns by whose amounts they are ordered after that.
        powers: for each answer the place of the number that is summed up, and up to which power; None: nothing.
    """
    names = identified(database, table, persons)
    placed = [(_Ranks.of(coding), database.piece(table[name], coding)) for name, coding in columns]
    coded = [(rank, place) for rank, place in placed if rank is not None and place is not None]
    if names is None or len(coded) < len(placed):
        return None
    p = {f"p{i}": cell for i, cell in enumerate(names)}
    c = {f"c{i}": rank.asked(place) for i, (rank, place) in enumerate(coded)}
    c |= {f"u{i}": database.units(table[name], amount) for i, (name, amount) in enumerate(numbers)}
    rows = table.select(**p, **c)
    person = ibis.window(group_by=list(p))
    ranked = rows.select(
        *p,
        *c,
        j=ibis.row_number().over(ibis.window(group_by=list(p), order_by=[rows[column] for column in c])).cast("int64"),
        r=rows.count().over(person).cast("int64"),
    )
    name = reduce(lambda first, other: first + "|" + other, [ranked[part].cast("string") for part in p]).fill_null("")
    even = ibis.literal(units) % ranked.r == 0
    start = ibis.ifelse(even, 0, database.offset(ibis.literal(f"{key}|") + name) % ranked.r)
    shifted = ranked.select(*c, "r", at=ranked.j * units + start)
    shared = shifted.select(*c, w=(shifted["at"] + units) // shifted.r - shifted["at"] // shifted.r)
    width = max(len(places) for places in chosen)
    summed = [power or (0, 0) for power in powers] or [(0, 0)] * len(chosen)
    sums = [f"s{power}" for power in range(1, 1 + max(degree for _, degree in summed))]

    def answer(place: int, own: Sequence[int], number: int, degree: int) -> ir.Table:
        by = {f"k{i}": shared[f"c{own[i]}"] if i < len(own) else ibis.literal(0) for i in range(width)}
        u = shared[f"u{number}"] if degree else ibis.literal(0).cast("int64")
        amounts = dict(zip(sums, (shared.w * u, shared.w * u * u), strict=False))
        cells = shared.select(**{code: cell.cast("int64") for code, cell in by.items()}, w=shared.w, **amounts)
        totals = {amount: cells[amount].sum().cast("int64") for amount in ("w", *sums)}
        grouped = cells.aggregate(by=list(by), n=cells.count().cast("int64"), **totals)
        q = ibis.literal(place).cast("int64")
        return grouped.select(q=q, **{column: grouped[column] for column in (*by, "n", *totals)})

    answers = [answer(place, own, *power) for place, (own, power) in enumerate(zip(chosen, summed, strict=True))]

    def read(counted: pa.Table) -> list[Counts]:
        arrays = {column: counted.column(column).cast(pa.int64()).to_numpy() for column in counted.column_names}
        counts = []
        for place, own in enumerate(chosen):
            of_answer = arrays["q"] == place
            codes = [coded[column][0].codes(arrays[f"k{i}"][of_answer]) for i, column in enumerate(own)]
            rows, own_units, *powers = (arrays[column][of_answer] for column in ("n", "w", *sums))
            counts.append(Counts(codes, rows, own_units, powers))
        return counts

    return Counting(answers[0] if len(answers) == 1 else ibis.union(*answers), read)


@attrs.frozen(eq=False)
class _Ranks:
    """Integers in the order of codes, for the places of pieces, of which -1 is that of what is unknown.

    pieces: (k,) codes.  unknown: the code of what is unknown.  increasing: whether codes of pieces increase: then
    piece i has the rank 2 i + 1, and what is unknown that of the piece of its code, or else the even one before the
    first piece of a greater code; if they do not, ranks are codes.  Equal codes have equal ranks: the next column
    decides then.
    """

    pieces: Integers
    unknown: int
    increasing: bool

    @classmethod
    def of(cls, coding: Coding) -> "_Ranks | None":
        """Return the ranks; None if there are too many codes for a list, and they have no order."""
        pieces = coding.pieces if isinstance(coding, Steps) else np.arange(max(coding.listed.values()) + 1)
        increasing = bool(np.all(np.diff(pieces) > 0))
        return cls(pieces, coding.unknown, increasing) if increasing or len(pieces) <= LISTED else None

    def asked(self, place: ir.Value) -> ir.Value:
        """Return the rank of a place."""
        if self.increasing:
            before, after = (int(np.searchsorted(self.pieces, self.unknown, side)) for side in ("left", "right"))
            return ibis.ifelse(place == -1, before + after, 2 * place + 1)
        return place.cases(*enumerate(self.pieces.tolist()), else_=self.unknown)

    def codes(self, ranks: Integers) -> Integers:
        """Return the codes of ranks."""
        if not self.increasing:
            return ranks
        return np.where(ranks % 2 == 1, self.pieces[np.minimum(ranks // 2, len(self.pieces) - 1)], self.unknown)
