"""The columns of a private table that name persons: each cell becomes a text, and equal texts name the same person.

A row in which one of the cells is missing names nobody.  All such rows together are one person, so that no row ends a
release, and none is left without protection.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core.errors import PublicError
from semipriv.core.persons import Names, Persons
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

    Times of day are refused: each row would have its own person, and a release would protect a row.
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
            first, last = (pc.cast(pa.scalar(year), pa.date32()) for year in _YEARS)
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
        """Return the persons of rows.  Memory holds their names, a few integers a row, and the cells of one file."""
        files: list[list[_Encoded]] = [[] for _ in self.columns]
        for _, file in groupby(
            chunks, lambda chunk: (chunk.file, *(chunk.table[column].type for column in self.columns))
        ):
            alike = list(file)
            for column, encoded in zip(self.declared, files, strict=True):
                encoded.append(_of_file(column, alike))
        return _persons([_together(encoded) for encoded in files])


_Encoded = tuple[pa.Array, Indices]
"""Different texts, and the place of the one of each row among them, -1 where there is none."""


def _of_file(column: PersonColumn, chunks: Sequence[Chunk]) -> _Encoded:
    """Return the texts of a column in a file.

    The text of a cell depends on this cell alone, so equal cells are converted once.
    """
    pieces = [piece for chunk in chunks for piece in chunk.table.column(column.column).chunks]

    def read(cells: pa.ChunkedArray, how: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> pa.ChunkedArray:
        whole = Chunk(chunks[0].file, pa.table({column.column: cells}), np.empty(0, np.int64))
        return whole.read(column.column, how, "must be integers, texts or dates")

    encoded = read(pa.chunked_array(pieces), _encoded)
    cells = encoded.chunk(0).dictionary
    texts = pc.cast(read(pa.chunked_array([cells]), column.texts), pa.large_string()).combine_chunks()
    codes = np.concatenate([pc.fill_null(chunk.indices, -1).to_numpy() for chunk in encoded.chunks]).astype(np.intp)
    different = pa.types.is_integer(cells.type) or texts.equals(cells)
    return (texts, codes) if different else _unified(texts, codes)


def _encoded(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells as places in a dictionary that all chunks have."""
    cells = undictionaried(cells)
    if is_text(cells.type):  # with places of 64 bits, as all different ones are in one array
        is_bytes = pa.types.is_binary(cells.type) or pa.types.is_large_binary(cells.type)
        cells = pc.cast(cells, pa.large_binary() if is_bytes else pa.large_string())
    return cells.dictionary_encode()


def _together(files: Sequence[_Encoded]) -> _Encoded:
    """Return the texts of all files."""
    if len(files) == 1:
        return files[0]
    starts = np.cumsum([0, *(len(texts) for texts, _ in files)])
    codes = [np.where(code < 0, -1, code + start) for (_, code), start in zip(files, starts, strict=False)]
    texts = pa.chunked_array([texts for texts, _ in files], pa.large_string())
    return _unified(texts.combine_chunks(), np.concatenate([np.empty(0, np.intp), *codes]))


def _unified(texts: pa.Array, codes: Indices) -> _Encoded:
    """Return texts, of which some are equal and some null, as different ones."""
    encoded = texts.dictionary_encode()
    places = pc.fill_null(encoded.indices, -1).to_numpy().astype(np.intp)
    return encoded.dictionary, np.append(places, -1)[codes]


def _persons(columns: Sequence[_Encoded]) -> Persons:
    """Return the persons that columns name together; nobody comes last."""
    named = np.all([place >= 0 for _, place in columns], axis=0)
    (first, person), *others = ((texts, place[named]) for texts, place in columns)
    codes = [np.arange(len(first))]
    if others:
        for texts, place in others:
            pairs = pa.array(person * len(texts) + place).dictionary_encode()
            person = pairs.indices.to_numpy().astype(np.intp)
            earlier, own = np.divmod(pairs.dictionary.to_numpy(), max(len(texts), 1))
            codes = [*(code[earlier] for code in codes), own]
    place_of_row = np.full(len(named), len(codes[0]), np.intp)
    place_of_row[named] = person
    return Persons(place_of_row, CellNames([texts for texts, _ in columns], codes, nobody=not named.all()))


@attrs.frozen(eq=False)
class CellNames(Names):
    """The names of persons: their cells, with bars between columns.

    texts: the distinct texts of each column.  codes: for each column, the place of each named person's text, (N,).
    nobody: whether rows without a name are one more person, whose name is empty.
    """

    texts: Sequence[pa.Array]
    codes: Sequence[Indices]
    nobody: bool

    @property
    def known(self) -> int:
        """Number of persons who are named."""
        return len(self.codes[0])

    def __len__(self) -> int:
        return self.known + self.nobody

    def at(self, places: Indices) -> list[str]:
        """Return the names of the persons at these places, (k,)."""
        names = pc.binary_join_element_wise(*self._cells(places), pa.scalar("|", pa.large_string()))
        return list(pc.fill_null(names, "").to_pylist())

    def cells(self, places: Indices) -> list[list[str]]:
        """Return the cells that name each of these persons, none for nobody: others for other persons."""
        columns = [cells.to_pylist() for cells in self._cells(places)]
        return [[] if cells[0] is None else list(cells) for cells in zip(*columns, strict=True)]

    def _cells(self, places: Indices) -> list[pa.Array]:
        """Return the cells in each column, (k,), null for nobody."""
        nobody = places >= self.known
        return [
            texts.take(pa.array(np.append(code, 0)[places], mask=nobody))
            for texts, code in zip(self.texts, self.codes, strict=True)
        ]

    @property
    def named(self) -> set[tuple[str, ...]]:
        """All persons who are named, by their cells."""
        return set(map(tuple, self.cells(np.arange(self.known))))


def check_same_persons(ledger: Ledger, columns: Sequence[str] | None) -> None:
    """Raise LedgerError if an earlier release of the ledger names persons by other columns: costs do not add up then.

    A patient in a month is not a patient: over k months a patient's loss would be k times the sum of the ledger.
    columns: those of the release to be charged; None: persons are in an array without a name, and all such arrays count
    as the same.
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
