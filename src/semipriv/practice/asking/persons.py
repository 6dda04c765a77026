"""The columns of a private table that tell whose rows are whose: each cell becomes a text, and equal texts are one.

A row in which one of the cells is missing names nobody.  All such rows together are one person, so that no row ends a
release, and none is left without protection.
"""

from collections.abc import Iterable, Sequence
from typing import overload

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core.errors import PublicError
from semipriv.core.persons import Persons
from semipriv.core.types import Indices
from semipriv.practice.columns.cells import ColumnTypeError, is_text, texts, type_name, undictionaried
from semipriv.practice.columns.schema import Chunk
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.lines import LedgerError

_YEARS = "0001-01-01", "9999-12-31"
INSTANT = "is nearly never the same for two rows of a person: give its day as a date, or its month as a text"
"""Said of a time of day where a name is expected."""


@attrs.frozen
class PersonColumn:
    """A column that names persons: by integers, texts or dates, which are compared without any rounding.

    A time of day is none of these.  With it each row would be a person of its own, and a release would protect a row.
    """

    column: str

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError for other types."""
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if pa.types.is_timestamp(kind):
            raise ColumnTypeError(f"has the type {type_name(kind)}: a time of day {INSTANT}")
        if not (pa.types.is_integer(kind) or is_text(kind) or pa.types.is_date(kind)):
            raise ColumnTypeError(f"has the type {type_name(kind)}, must be integers, texts or dates to name a person")

    def texts(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return cells as texts, null where nobody is named."""
        cells = undictionaried(column)
        if pa.types.is_date(cells.type):
            days = pc.cast(cells, pa.date32())
            first, last = (pc.cast(pa.scalar(one), pa.date32()) for one in _YEARS)
            known = pc.and_(pc.greater_equal(days, first), pc.less_equal(days, last))
            return pc.if_else(known, pc.cast(days, pa.string()), pa.scalar(None, pa.string()))
        cells = texts(cells)
        return pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells)


def _names(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(columns)


@attrs.frozen
class PersonColumns:
    """The columns that name a person together, and how the rows of one person count.

    rows: 'average', 'one', or None: the average where the learner reads rows by sums alone, else one.
    """

    columns: tuple[str, ...] = attrs.field(converter=_names)
    rows: str | None = None

    def __attrs_post_init__(self) -> None:
        """Check that there are columns, each once."""
        if not self.columns:
            raise PublicError("person.columns: must be a list of at least one column")
        if len(set(self.columns)) < len(self.columns):
            raise PublicError("person.columns: a column is there twice")

    @property
    def declared(self) -> tuple[PersonColumn, ...]:
        """The columns, as a table is checked for them."""
        return tuple(map(PersonColumn, self.columns))

    def of(self, chunks: Iterable[Chunk]) -> Persons:
        """Return the persons of rows.  Memory holds their cells, and two integers a row."""
        cells: list[list[pa.Array]] = [[] for _ in self.columns]
        for chunk in chunks:
            for place, one in enumerate(self.declared):
                read = chunk.read(one.column, one.texts, "must be integers, texts or dates")
                cells[place].extend(pc.cast(read, pa.large_string()).chunks)
        return _persons([pa.chunked_array(one, pa.large_string()) for one in cells])


def _persons(columns: Sequence[pa.ChunkedArray]) -> Persons:
    """Return the persons that columns of texts name together; nobody comes last."""
    rows = len(columns[0])
    place, nobody = np.zeros(rows, np.int64), np.zeros(rows, bool)
    for column in columns:
        encoded = column.combine_chunks().dictionary_encode()
        code = pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False).astype(np.int64)
        nobody |= column.is_null().to_numpy()
        place = place * (int(code.max(initial=0)) + 1) + code
        place = np.unique(place, return_inverse=True)[1] if len(columns) > 1 else place
    named = np.flatnonzero(~nobody)
    where = np.zeros(rows, np.intp)
    (known, first, where[named]) = np.unique(place[named], return_index=True, return_inverse=True)
    where[nobody] = len(known)
    return Persons(where, Names(columns, named[first], nobody=bool(nobody.any())))


@attrs.frozen(eq=False)
class Names(Sequence[str]):
    """The names of persons, each made when it is asked for: the cells of a first row, with bars between columns.

    columns: of texts.  first: a row of each person who is named.  nobody: whether rows without a name are one more
    person, whose name is empty.
    """

    columns: Sequence[pa.ChunkedArray]
    first: Indices
    nobody: bool

    def __len__(self) -> int:
        return len(self.first) + self.nobody

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return "|".join(self.cells(range(len(self))[place]))

    def cells(self, place: int) -> list[str]:
        """Return the cells that name a person, none for nobody: different lists for different persons."""
        if place == len(self.first):
            return []
        row = int(self.first[place])
        return [str(column[row].as_py()) for column in self.columns]

    @property
    def named(self) -> set[tuple[str, ...]]:
        """All persons who are named, by their cells."""
        return {tuple(self.cells(place)) for place in range(len(self.first))}


def check_same_persons(ledger: Ledger, columns: Sequence[str] | None) -> None:
    """Raise LedgerError if an earlier release of the ledger has persons by other columns: costs do not add up then.

    A patient in a month is not a patient: over k months a patient would pay k times what is added up.  columns: those
    of the release to be charged; None: persons of an array without a name, all of which are taken for the same.
    """
    for entry in ledger.charges:
        earlier = (entry.payload["request"] or {}).get("person")
        if earlier is not None and set(earlier.get("columns") or ()) != set(columns or ()):
            raise LedgerError(
                f"{ledger.path}: its releases protect persons by {_called(earlier.get('columns'))}, this one by "
                f"{_called(columns)}: they do not add up; open another ledger"
            )


def _called(columns: Sequence[str] | None) -> str:
    return ", ".join(columns) if columns else "an array without a name"
