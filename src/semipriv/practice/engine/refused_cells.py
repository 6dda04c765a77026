"""Cells that a request refuses, found before the charge: for the holder of the table, and no release."""

from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.types import Integers
from semipriv.practice.asking.quality import held
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.features import Feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import PrivateTableError, Records
from semipriv.practice.engine.beside import chunk_of, reason_to_read, summed
from semipriv.practice.engine.cell_counts import (
    Cells,
    Declared,
    count_cells,
    declared_of,
    known_cells_of,
    private_rows,
    rows_of,
)
from semipriv.practice.engine.counting import counted_outside
from semipriv.practice.engine.counting_plans import Named
from semipriv.practice.engine.messages import private_rows_at_hand
from semipriv.practice.sources.source import Source
from semipriv.practice.sums.statistic import Statistic


def check_cells(
    request: Request,
    records: Records,
    statistics: Callable[[], Sequence[Statistic]],
    named: Named | None = None,
) -> None:
    """Raise PrivateTableError for cells that the request refuses, with all columns and their numbers at once.

    Nothing is read unless a column refuses cells.  The numbers are for the holder of the table, before anything is
    paid: they are no release, and the guarantee does not cover a table with such a cell.

    statistics: returns what would be counted, so that a database can count; named: persons, if they have units.
    """
    by_table: list[tuple[str, Mapping[str, Cells]]] = []
    refusing = [column for column in declared_of(request, records) if column.unknown is None]
    if refusing:
        by_table.append((request.private.name, _refused(request, records, refusing, statistics(), named)))
    features = [feature for feature in records.features if feature.unknown is None]
    if features and request.unlabelled is not None:
        by_table.append((request.unlabelled.name, _unlabelled(request.unlabelled, features)))
    wrong = [
        _told(name, column, counts) for name, cells in by_table for column, counts in cells.items() if counts.others
    ]
    if not wrong and request.ones_only and isinstance(records.label, Label):
        _check_ones(request, records.label)
    if wrong:
        raise PrivateTableError(
            f"{'; '.join(wrong)}: the request refuses such cells (unknown: refuse), and nothing was charged for this; "
            "`semipriv inspect` shows how they are spelt: mend the request or the table, or declare `unknown`"
        )


@private_rows_at_hand(charged=False)
def _refused(
    request: Request,
    records: Records,
    refusing: Sequence[Declared],
    statistics: Sequence[Statistic],
    named: Named | None,
) -> Mapping[str, Cells]:
    """Return the cells of private columns that refuse."""
    asked = counted_outside(request, records, statistics, named)
    if asked is not None:
        return {name: Cells(unknown=count) for name, count in asked.items()}
    if not reason_to_read(request, persons=named is not None):
        _, counts = summed(request, _Undeclared(request.private.name, refusing), request.private_columns)
        return {column.column: Cells(unknown=int(count)) for column, count in zip(refusing, counts, strict=True)}
    cells = {column.column: Cells() for column in refusing}
    groups = None if request.held_out is None else request.held_out.groups
    for rows in private_rows(request):
        count_cells(cells, [column for column in refusing if column.column in records.columns], rows)
        if groups is not None and groups.column.column in cells and groups.column.column not in records.columns:
            persons = request.person is not None  # of whom one is held out, is not known here
            judging = rows if persons else rows.kept(held(rows.read.numbers, request.held_out.every))  # type: ignore[union-attr]
            count_cells(cells, [groups.column], judging)
    return cells


@attrs.frozen(eq=False)
class _Undeclared:
    """Numbers of cells that are not what is declared, by column, as a function of rows.  name: of their table."""

    name: str
    declared: Sequence[Declared]

    def __call__(self, table: pa.Table) -> Integers:
        chunk = chunk_of(self.name, table)
        return np.array(
            [np.count_nonzero(~known_cells_of(column, chunk, Cells())) for column in self.declared], np.int64
        )


@private_rows_at_hand(charged=False)
def _unlabelled(source: Source, features: Sequence[Feature]) -> Mapping[str, Cells]:
    cells = {feature.column: Cells() for feature in features}
    for part in source.parts:
        for rows in rows_of(source, part, list(cells)):
            count_cells(cells, features, rows)
    return cells


@private_rows_at_hand(charged=False)
def _check_ones(request: Request, label: Label) -> None:
    """Raise PrivateTableError for private rows without the label 1, for learners whose model asks for it."""
    cells = {label.column: Cells()}
    for rows in private_rows(request):
        count_cells(cells, [label], rows)
    zeros = cells[label.column].sides[0] + (cells[label.column].others if label.unknown == 0 else 0)
    if zeros:
        raise PrivateTableError(
            f"{request.private.name}: column {label.column!r}: {zeros:,} private row(s) without the label 1, which "
            "`privacy` of the learner asks for; nothing was charged for this"
        )


def _told(name: str, column: str, cells: Cells) -> str:
    first = "" if cells.first is None else f", the first in row {cells.first}"
    return f"{name}: column {column!r}: {cells.others:,} cell(s) missing or not as declared{first}"
