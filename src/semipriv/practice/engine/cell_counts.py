"""Numbers of the cells of columns: missing, undeclared, clipped.  Of private rows they are private."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.practice.asking.request import Request, Status
from semipriv.practice.columns.cells import Known, as_spelt, is_text, undictionaried
from semipriv.practice.columns.features import Bins, Categories, Feature
from semipriv.practice.columns.labels import AnyLabel, ClassLabel, Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.engine.reading import is_public
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.source import Part, Source

Declared = Feature | AnyLabel
_SHOWN = 3
"""Texts of unknown cells that are kept of a column: the most frequent ones."""
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
class Rows:
    """Rows as they are read, and the same as they are written in a file of text.  gaps: texts that mean a gap."""

    read: Chunk
    written: Chunk
    gaps: Sequence[str]

    def kept(self, chosen: Known) -> "Rows":
        """Return the chosen rows, chosen: (n,) bool."""
        return Rows(self.read.kept(chosen), self.written.kept(chosen), self.gaps)


def rows_of(
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


def private_rows(request: Request, others: Sequence[str] = ()) -> Iterator[Rows]:
    """Yield all private rows, with the columns of the request and these ones."""
    for part in request.private.parts:
        yield from rows_of(request.private, part, [*request.private_columns, *others], request.status)


def declared_of(request: Request, records: Records) -> list[Declared]:
    """Return the declared columns, each once, and the column of groups."""
    groups = None if request.held_out is None else request.held_out.groups
    extra = [] if groups is None or groups.column.column in records.columns else [groups.column]
    return [*records.declared, *extra]


def count_cells(cells_of: Mapping[str, Cells], declared: Iterable[Declared], rows: Rows) -> None:
    """Add the cells of rows."""
    chunk = rows.read
    for declaration in declared:
        column, cells = undictionaried(rows.written.table.column(declaration.column)), cells_of[declaration.column]
        missing, known = _missing(column, rows.gaps), known_cells_of(declaration, chunk, cells)
        cells.rows += len(known)
        cells.missing += int(np.count_nonzero(missing & ~known))
        unknown = ~known & ~missing
        cells.unknown += int(np.count_nonzero(unknown))
        if cells.first is None and not known.all():
            cells.first = int(chunk.numbers[int(np.argmin(known))])
        _spell(cells, column, unknown)


def known_cells_of(declared: Declared, chunk: Chunk, cells: Cells) -> Known:
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
