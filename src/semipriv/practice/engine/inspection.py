"""How the cells of a private table differ from what the request declares, for its holder alone: nothing is charged.

For each column: how many cells are missing, undeclared or clipped, and the same of the public rows.  The numbers are
exact, so they are private, as the table is.
"""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.practice.asking.candidate import Public
from semipriv.practice.asking.persons import CellNames, PersonColumns
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.cells import ColumnTypeError, Known
from semipriv.practice.columns.dates import numbers_of_dates
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.engine.cell_counts import Cells, Declared, count_cells, declared_of, private_rows, rows_of
from semipriv.practice.engine.reading import names_public_persons
from semipriv.practice.sources.source import Source
from semipriv.privacy.budget.periods import Periods

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_SHARES = 0.5, 0.9, 0.99
"""Of persons, by which rows of a person are told."""


@attrs.frozen(eq=False)
class Column:
    """A declared column: its private cells, and its public ones, None where public rows have no such column."""

    declared: Declared
    private: Cells
    public: Cells | None


@attrs.frozen(eq=False)
class Persons:
    """How many rows persons have, by the columns that name them.

    persons: their number.  repeated: number of persons with several rows.  most: the largest number of rows of a
    person.  quantiles: for each share, the number of rows that this share of persons has at most.  top: share of all
    rows that belong to the 1 % of persons with the most rows.  nobody: rows that name nobody.  public: persons who also
    have a public row.
    """

    persons: int
    repeated: int
    most: int
    quantiles: Mapping[str, int]
    top: float
    nobody: int
    public: int


@attrs.frozen
class DateColumn:
    """A column that tells the day of a row: dates, times without a time zone, or texts of them."""

    column: str

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError for other types."""
        self.days(pa.chunked_array([], kind))

    def days(self, column: pa.ChunkedArray) -> tuple[Integers, Known]:
        """Return days (n,) as numbers of ``date.toordinal``, and which cells tell one, (n,)."""
        numbers, known = numbers_of_dates(column, "day")
        return numbers.astype(np.int64) + _EPOCH, known


@attrs.frozen(eq=False)
class Dated:
    """How many private rows have a date in a column, and lie outside of the periods of the request.

    column: its name.  outside: rows with a date outside.  undated: rows without one.
    """

    column: str
    outside: int
    undated: int


@attrs.frozen(eq=False)
class Inspection:
    """What was found in each column, of persons if a column names them, and of periods if one tells a date.

    twice: number of public rows that are equal to a private one in all features, as they are read.
    """

    columns: Sequence[Column]
    persons: Persons | None
    dated: Dated | None
    twice: int


class _Twice:
    """Counts the public points that occur among private points."""

    def __init__(self, public: Points) -> None:
        self.public = Counter(row.tobytes() for row in np.ascontiguousarray(public))
        self.count = 0

    def add(self, points: Points) -> None:
        """Look for points (n, d)."""
        for row in np.ascontiguousarray(points) if self.public else ():
            self.count += self.public.pop(row.tobytes(), 0)


def _points(records: Records, chunk: Chunk) -> Points:
    """Return the points of rows; a refused cell becomes the least value."""
    coordinates = [chunk.read(feature.column, feature.coordinates)[0] for feature in records.features]
    return np.concatenate(coordinates, axis=1)


def inspected(
    request: Request, public: Public, person: PersonColumns | None = None, date: str | None = None
) -> Inspection:
    """Read all private rows and return what their cells are.

    person: columns that name the person of a row.  date: column that tells its day, for a request with periods.  Raise
    PublicError if there is no such column, and PrivateTableError where a file is malformed.
    """
    records, days = public.records, None if date is None else DateColumn(date)
    if days is not None:
        request.private.check([days])
    if person is not None:
        request.private.check(person.declared)
    private = {column.column: Cells() for column in declared_of(request, records)}
    twice = _Twice(public.points)
    for rows in private_rows(request):
        count_cells(private, declared_of(request, records), rows)
        twice.add(_points(records, rows.read))
    public_cells = of_public_rows(request, records)
    columns = [
        Column(column, private[column.column], public_cells.get(column.column))
        for column in declared_of(request, records)
    ]
    persons = None if person is None else _persons(request, person)
    return Inspection(columns, persons, None if days is None else _dated(request, days), twice.count)


def _dated(request: Request, date: DateColumn) -> Dated:
    """Read the days of all rows, and count those outside of the periods of the request."""
    inside = np.concatenate([np.array(Periods.named(period).days(period)) for period in request.period])
    outside = undated = 0
    for rows in private_rows(request, [date.column]):
        days, known = rows.read.read(date.column, date.days)
        outside += int(np.count_nonzero(known & ~np.isin(days, inside)))
        undated += int(np.count_nonzero(~known))
    return Dated(date.column, outside, undated)


def _persons(request: Request, person: PersonColumns) -> Persons:
    """Read who has which row, and return how many rows persons have."""
    persons = person.of(rows.read for rows in private_rows(request, person.columns))
    names = persons.names
    assert isinstance(names, CellNames), "they are those of a table"
    counts = np.sort(persons.rows[: names.known])[::-1]
    nobody = int(persons.rows[names.known :].sum())
    top = counts[: max(1, len(counts) // 100)].sum() / max(len(persons.place), 1)
    quantiles = {
        f"{share:.0%}": int(np.quantile(counts, share, method="inverted_cdf")) for share in _SHARES if len(counts)
    }
    source, both = request.public, 0
    if source is not None and names_public_persons(attrs.evolve(request, person=person)) is not None:
        public = person.of(chunk for part in source.parts for chunk in source.chunks(part, person.columns)).names
        assert isinstance(public, CellNames), "they are those of a table"
        both = len(names.named & public.named)
    repeated, most = int(np.count_nonzero(counts > 1)), int(counts.max(initial=0))
    return Persons(len(counts), repeated, most, quantiles, float(top), nobody, both)


def of_public_rows(request: Request, records: Records) -> dict[str, Cells]:
    """Return the cells of the columns that public rows have; none without public rows that a learner uses."""
    source = request.public or (request.private if request.status else None)
    if source is None:
        return {}
    names = set.intersection(*(set(source.names(part)) for part in source.parts))
    declared = [
        column for column in declared_of(request, records) if column.column in names and _is_read(source, column)
    ]
    cells = {column.column: Cells() for column in declared}
    for part in source.parts:
        for rows in rows_of(source, part, [column.column for column in declared], request.status, public=True):
            count_cells(cells, declared, rows)
    return cells


def _is_read(source: Source, declared: Declared) -> bool:
    """Return whether a column of public rows can be read; a label that no learner reads need not be."""
    try:
        for part in source.parts:
            declared.check_type(source.types(part)[declared.column])
    except ColumnTypeError:
        return False
    return True
