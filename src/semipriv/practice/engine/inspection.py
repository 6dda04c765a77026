"""How the cells of a private table differ from what the request declares, for its holder alone: nothing is charged.

For each column: how many cells are missing, undeclared or clipped, and the same of the public rows.  The numbers are
exact, so they are private, as the table is.
"""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.practice.asking.candidate import Public
from semipriv.practice.asking.persons import CellNames, PersonColumns
from semipriv.practice.asking.quality import held
from semipriv.practice.asking.request import Request, Status
from semipriv.practice.columns.cells import ColumnTypeError, Known, as_spelt, is_text, undictionaried
from semipriv.practice.columns.dates import numbers_of_dates
from semipriv.practice.columns.features import Bins, Categories, Feature
from semipriv.practice.columns.labels import AnyLabel, ClassLabel, Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Chunk, PrivateTableError, Records
from semipriv.practice.engine.beside import chunk_of, reason_to_read, summed
from semipriv.practice.engine.counting import Named, counted_outside
from semipriv.practice.engine.messages import private_rows_at_hand
from semipriv.practice.engine.reading import is_public, names_public_persons
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.source import Part, Source
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.periods import Periods

Declared = Feature | AnyLabel
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_SHOWN = 3
"""Texts of unknown cells that are kept of a column: the most frequent ones."""
_SHARES = 0.5, 0.9, 0.99
"""Of persons, by which rows of a person are told."""
_DISTINCT = 10_000
"""Different texts of unknown cells that are counted; others are not looked for."""


@attrs.define(eq=False)
class Cells:
    """Numbers of the cells of a column.

    missing: empty cells.  unknown: cells that are not as declared.  below, above: numbers outside of the declared ends,
    which are clipped.  first: number of the first row whose cell is missing or unknown; None if there is none.  spelt:
    texts of unknown cells.  sides: number of cells by label, of a label alone.
    """

    rows: int = 0
    missing: int = 0
    unknown: int = 0
    below: int = 0
    above: int = 0
    first: int | None = None
    spelt: Counter[str] = attrs.field(factory=Counter)
    sides: Counter[int] = attrs.field(factory=Counter)

    @property
    def others(self) -> int:
        """Cells that are missing or unknown."""
        return self.missing + self.unknown

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        numbers = {key: getattr(self, key) for key in ("rows", "missing", "unknown", "below", "above", "first")}
        return {**numbers, "spelt": dict(self.spelt.most_common(_SHOWN)), "sides": dict(sorted(self.sides.items()))}


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


@attrs.frozen(eq=False)
class Rows:
    """Rows as they are read, and the same as they are written in a file of text.  gaps: texts that mean a gap."""

    read: Chunk
    written: Chunk
    gaps: Sequence[str]

    def kept(self, chosen: Known) -> "Rows":
        """Return the chosen rows, chosen: (n,) bool."""
        return Rows(self.read.kept(chosen), self.written.kept(chosen), self.gaps)


def _rows(
    source: Source, part: Part, columns: Sequence[str], status: Status | None = None, *, public: bool = False
) -> Iterator[Rows]:
    """Yield the rows of a part; with a status those that are public, or those that are not."""
    columns = list(dict.fromkeys([*columns, *([] if status is None else [status.column])]))
    written = source.as_written if isinstance(source, Files) else source
    gaps = source.form.missing if isinstance(source, Files) else ()
    pairs: Iterable[tuple[Chunk, Chunk]] = ((chunk, chunk) for chunk in source.chunks(part, columns))
    if written is not source:
        pairs = zip(source.chunks(part, columns), written.chunks(part, columns), strict=True)
    for chunk, spelt in pairs:
        rows = Rows(chunk, spelt, gaps)
        yield rows if status is None else rows.kept(is_public(chunk, status) == public)


def _private(request: Request, others: Sequence[str] = ()) -> Iterator[Rows]:
    """Yield all private rows, with the columns of the request and these ones."""
    for part in request.private.parts:
        yield from _rows(request.private, part, [*request.private_columns, *others], request.status)


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


# ---------------------------------------------------------------------------------------------------- the holder's look
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
    private = {column.column: Cells() for column in _declared(request, records)}
    twice = _Twice(public.points)
    for rows in _private(request):
        _add(private, _declared(request, records), rows)
        twice.add(_points(records, rows.read))
    public_cells = of_public_rows(request, records)
    columns = [
        Column(column, private[column.column], public_cells.get(column.column))
        for column in _declared(request, records)
    ]
    persons = None if person is None else _persons(request, person)
    return Inspection(columns, persons, None if days is None else _dated(request, days), twice.count)


def _dated(request: Request, date: DateColumn) -> Dated:
    """Read the days of all rows, and count those outside of the periods of the request."""
    inside = np.concatenate([np.array(Periods.named(period).days(period)) for period in request.period])
    outside = undated = 0
    for rows in _private(request, [date.column]):
        days, known = rows.read.read(date.column, date.days)
        outside += int(np.count_nonzero(known & ~np.isin(days, inside)))
        undated += int(np.count_nonzero(~known))
    return Dated(date.column, outside, undated)


def _persons(request: Request, person: PersonColumns) -> Persons:
    """Read who has which row, and return how many rows persons have."""
    persons = person.of(rows.read for rows in _private(request, person.columns))
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


def _declared(request: Request, records: Records) -> list[Declared]:
    """Return the declared columns, each once, and the column of groups."""
    groups = None if request.held_out is None else request.held_out.groups
    extra = [] if groups is None or groups.column.column in records.columns else [groups.column]
    return [*records.declared, *extra]


def of_public_rows(request: Request, records: Records) -> dict[str, Cells]:
    """Return the cells of the columns that public rows have; none without public rows that a learner uses."""
    source = request.public or (request.private if request.status else None)
    if source is None:
        return {}
    names = set.intersection(*(set(source.names(part)) for part in source.parts))
    declared = [column for column in _declared(request, records) if column.column in names and _is_read(source, column)]
    cells = {column.column: Cells() for column in declared}
    for part in source.parts:
        for rows in _rows(source, part, [column.column for column in declared], request.status, public=True):
            _add(cells, declared, rows)
    return cells


def _is_read(source: Source, declared: Declared) -> bool:
    """Return whether a column of public rows can be read; a label that no learner reads need not be."""
    try:
        for part in source.parts:
            declared.check_type(source.types(part)[declared.column])
    except ColumnTypeError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------- before the charge
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
    refusing = [column for column in _declared(request, records) if column.unknown is None]
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
    for rows in _private(request):
        _add(cells, [column for column in refusing if column.column in records.columns], rows)
        if groups is not None and groups.column.column in cells and groups.column.column not in records.columns:
            persons = request.person is not None  # of whom one is held out, is not known here
            judging = rows if persons else rows.kept(held(rows.read.numbers, request.held_out.every))  # type: ignore[union-attr]
            _add(cells, [groups.column], judging)
    return cells


@attrs.frozen(eq=False)
class _Undeclared:
    """Numbers of cells that are not what is declared, by column, as a function of rows.  name: of their table."""

    name: str
    declared: Sequence[Declared]

    def __call__(self, table: pa.Table) -> Integers:
        chunk = chunk_of(self.name, table)
        return np.array([np.count_nonzero(~_known(column, chunk, Cells())) for column in self.declared], np.int64)


@private_rows_at_hand(charged=False)
def _unlabelled(source: Source, features: Sequence[Feature]) -> Mapping[str, Cells]:
    cells = {feature.column: Cells() for feature in features}
    for part in source.parts:
        for rows in _rows(source, part, list(cells)):
            _add(cells, features, rows)
    return cells


@private_rows_at_hand(charged=False)
def _check_ones(request: Request, label: Label) -> None:
    """Raise PrivateTableError for private rows without the label 1, for learners whose model asks for it."""
    cells = {label.column: Cells()}
    for rows in _private(request):
        _add(cells, [label], rows)
    zeros = cells[label.column].sides[0] + (cells[label.column].others if label.unknown == 0 else 0)
    if zeros:
        raise PrivateTableError(
            f"{request.private.name}: column {label.column!r}: {zeros:,} private row(s) without the label 1, which "
            "`privacy` of the learner asks for; nothing was charged for this"
        )


def _told(name: str, column: str, cells: Cells) -> str:
    first = "" if cells.first is None else f", the first in row {cells.first}"
    return f"{name}: column {column!r}: {cells.others:,} cell(s) missing or not as declared{first}"


# ---------------------------------------------------------------------------------------------------- cells
def _add(cells_of: Mapping[str, Cells], declared: Iterable[Declared], rows: Rows) -> None:
    """Add the cells of rows."""
    chunk = rows.read
    for declaration in declared:
        column, cells = undictionaried(rows.written.table.column(declaration.column)), cells_of[declaration.column]
        missing, known = _missing(column, rows.gaps), _known(declaration, chunk, cells)
        cells.rows += len(known)
        cells.missing += int(np.count_nonzero(missing & ~known))
        unknown = ~known & ~missing
        cells.unknown += int(np.count_nonzero(unknown))
        if cells.first is None and not known.all():
            cells.first = int(chunk.numbers[int(np.argmin(known))])
        _spell(cells, column, unknown)


def _known(declared: Declared, chunk: Chunk, cells: Cells) -> Known:
    """Return which cells are what is declared, (n,), and add the clipped ones, or those by label."""
    if isinstance(declared, Feature):
        options = {"indicator": False} if hasattr(declared, "indicator") else {}
        plain: Feature = attrs.evolve(declared, unknown=None, **options)  # type: ignore[misc]
        known = chunk.read(declared.column, plain.encode)[1]
        limits = _limits(plain)
        if limits is not None:
            values = chunk.read(declared.column, plain.read)[0][known]
            cells.below += int(np.count_nonzero(values < limits[0]))
            cells.above += int(np.count_nonzero(values > limits[1]))
        return known
    label: Any = declared
    values, known = chunk.read(declared.column, attrs.evolve(label, unknown=None).encode)
    if isinstance(declared, Response):
        numbers = chunk.read(declared.column, declared.read)[0][known]
        cells.below += int(np.count_nonzero(numbers < declared.range[0]))
        cells.above += int(np.count_nonzero(numbers > declared.range[1]))
    else:
        cells.sides.update(np.asarray(values)[known].tolist())
    return known


def _limits(feature: Feature) -> tuple[float, float] | None:
    """Return the ends into which numbers are clipped; None for categories."""
    if isinstance(feature, Bins):
        return feature.outer
    return getattr(feature, "limits", None)


def _missing(column: pa.ChunkedArray, gaps: Sequence[str]) -> Known:
    """Return which cells hold nothing, (n,): null, no number, blanks, or one of the texts that mean a gap."""
    none = pc.is_null(column, nan_is_null=True)
    if pa.types.is_null(column.type):
        return np.asarray(none.to_numpy(), bool)
    bare = pc.utf8_trim_whitespace(as_spelt(column)) if is_text(column.type) else column
    if is_text(column.type) or (gaps and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type))):
        bare = pc.cast(bare, pa.large_string())
        none = pc.or_(none, pc.fill_null(pc.is_in(bare, pa.array(["", *gaps], bare.type)), True))
    return np.asarray(none.to_numpy(), bool)


def _spell(cells: Cells, column: pa.ChunkedArray, unknown: Known) -> None:
    """Count the texts of unknown cells."""
    if not unknown.any():
        return
    spelt = as_spelt(column.filter(pa.array(unknown)))
    for text, count in Counter(map(str, spelt.to_pylist())).items():
        if text in cells.spelt or len(cells.spelt) < _DISTINCT:
            cells.spelt[text] += count


def texts_of(declared: Declared) -> list[str]:
    """Return the texts that a column is declared to hold; none for numbers and dates."""
    if isinstance(declared, Categories):
        return list(declared.values)
    sides: Sequence[object] = ()
    if isinstance(declared, Label):
        sides = (declared.zero, declared.one)
    elif isinstance(declared, ClassLabel):
        sides = declared.classes
    return [value for side in sides if isinstance(side, tuple) for value in side if isinstance(value, str)]
