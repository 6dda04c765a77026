"""Reading the rows of a request: public ones, private ones in chunks, those held out, and unlabelled entries."""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from semipriv.core import estimates
from semipriv.core.errors import PublicError
from semipriv.core.persons import contents, shares
from semipriv.core.samples import Labels, Points, Responses
from semipriv.core.types import Floats
from semipriv.core.types import Integers as Integers64
from semipriv.core.work import NOTHING, check_work, in_force
from semipriv.practice.asking.candidate import Public
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.quality import held
from semipriv.practice.asking.request import Request, Status
from semipriv.practice.columns.cells import Known, texts
from semipriv.practice.columns.features import Integers, Range
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Chunk, Records, known_cells
from semipriv.practice.engine.chosen import number_of
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.source import Part, Source


# ---------------------------------------------------------------------------------------------------- public rows
def read_public(request: Request) -> Public:
    """Read the public rows, and check them: there are some, ranges hold some of them.

    Where public rows have the columns that name persons, one row of each public person is used.  Raise ValueError with
    the column.  In a private table that holds the public rows, only these are looked at.
    """
    if request.public is None and request.status is None:
        return Public(request.records, np.empty((0, request.records.width)), None, None)
    labelled = any(candidate.reads_public_labels for candidate in request.candidates)
    source = request.public or request.private
    columns = request.records.columns if labelled else [feature.column for feature in request.records.features]
    named = names_public_persons(request)
    extra = [*_status(request), *(named.columns if named is not None else ())]
    with request.limited():
        chunks = _public_chunks(request, source, [*columns, *extra])
    persons = None if named is None else named.of(chunks)
    records = request.records.closed(chunks)
    for candidate in request.candidates:
        candidate.check_fit(records)
    encoded = [records.encode(chunk, labelled=labelled) for chunk in chunks]
    points, labels = (np.concatenate(parts) for parts in zip(*encoded, strict=True))
    if persons is not None:
        chosen = shares(persons, contents(points, labels), 1, "public") > 0
        points, labels = points[chosen], labels[chosen]
    if not source.ordered:  # so that a request stays the same, in whatever order a database tells the rows
        order = np.lexsort((labels, *points.T))
        points, labels = points[order], labels[order]
    _check_public(records, chunks, len(points))
    _check_groups(request, source)
    digest = request.public.digest() if isinstance(request.public, Files) else _digest(points, labels)
    return Public(records, points, labels if labelled else None, digest)


def _public_chunks(request: Request, source: Source, columns: list[str]) -> list[Chunk]:
    """Return the public rows.

    Raise ValueError if there are none, and WorkError as soon as they are more than memory may hold, by the limits in
    force.
    """
    chunks, cells, cost = list[Chunk](), 0, NOTHING
    for chunk in _all_chunks(source, columns):
        kept = _kept(request, chunk, public=True)
        if len(kept.numbers):
            chunks.append(kept)
            cells += len(kept.numbers) * len(columns)
            cost = estimates.kept(cells, text=isinstance(source, Files) and source.is_text)
        if cost.bytes > in_force().bytes:
            break
    if not chunks:
        raise ValueError(f"{source.name}: has no public row")
    check_work(f"{cells:,} public cells of {source.name} to keep", cost, "take fewer of them", begins=False)
    return chunks


def names_public_persons(request: Request) -> PersonColumns | None:
    """Return the columns that name private persons if public rows have them: then one row of each public person is
    used.

    None if public rows have no such columns, or each private row is one person.
    """
    source, person = request.public, request.person
    if source is None or person is None:
        return None
    if not all(set(person.columns) <= set(source.names(part)) for part in source.parts):
        return None
    source.check(person.declared)
    return person


def _status(request: Request) -> list[str]:
    return [] if request.status is None else [request.status.column]


def _all_chunks(source: Source, columns: list[str]) -> Iterator[Chunk]:
    for part in source.parts:
        yield from source.chunks(part, columns)


def is_public(chunk: Chunk, status: Status) -> Known:
    """Return whether each row is public, (n,): its cell in the status column is the value; missing cells are not."""
    cells = chunk.read(status.column, texts)
    return np.asarray(pc.fill_null(pc.equal(cells, pa.scalar(status.value, cells.type)), False).to_numpy())


def _kept(request: Request, chunk: Chunk, *, public: bool) -> Chunk:
    """Return the rows that are public, or those that are private; all of them without a status."""
    return chunk if request.status is None else chunk.kept(is_public(chunk, request.status) == public)


def _check_public(records: Records, chunks: list[Chunk], rows: int) -> None:
    """Raise ValueError for a column whose range holds none of the public rows, rows: their number.

    A column that is the same in all of them is taken: it may differ among private rows.
    """
    for feature in records.features:
        if not isinstance(feature, Range | Integers):
            continue
        place = f"{chunks[0].file}: column {feature.column!r}"
        columns = (chunk.read(feature.column, feature.read) for chunk in chunks)
        values = np.concatenate([numbers[known] for numbers, known in columns])
        low, high = feature.limits
        if rows > 1 and not len(values):
            raise ValueError(f"{place}: no public row has {feature.rule} there{feature.hint}")
        if len(values) and not np.any((values >= low) & (values <= high)):
            raise ValueError(f"{place}: the range {feature.interval} cuts off all public rows")


def _check_groups(request: Request, source: Source) -> None:
    """Raise ValueError for a public row outside of the declared groups, before the charge."""
    groups = None if request.held_out is None else request.held_out.groups
    if groups is None:
        return
    group = groups.column
    for part in source.parts:
        if group.column in source.names(part):
            for chunk in source.chunks(part, [group.column, *_status(request)]):
                known_cells(_kept(request, chunk, public=True), group.column, group.encode, f"must be {group.rule}")


def _digest(points: Points, labels: Labels) -> str:
    """Return the SHA-256 of encoded rows, as little-endian doubles by columns, then labels."""
    digest = hashlib.sha256(np.asfortranarray(points, "<f8").tobytes("F"))
    digest.update(labels.tobytes())
    return digest.hexdigest()


# ---------------------------------------------------------------------------------------------------- private rows
def rows(request: Request, part: Part) -> tuple[int, int]:
    """Return how many private rows of a part are learned from, and how many are held out: public numbers."""
    every = None if request.held_out is None else request.held_out.every
    if request.status is None:
        n = request.private.rows(part)
        others = 0 if every is None else n // every
        return n - others, others
    counted_rows = number_of(request, held=False)
    if counted_rows is not None:
        return counted_rows, 0 if every is None else number_of(request, held=True) or 0
    chunks = request.private.chunks(part, _status(request))
    private = [_kept(request, chunk, public=False).numbers for chunk in chunks]
    others = 0 if every is None else sum(int(np.count_nonzero(held(numbers, every))) for numbers in private)
    return sum(map(len, private)) - others, others


def examples(request: Request, records: Records, part: Part, *, held_out: bool = False) -> Iterator[tuple[Points, Any]]:
    """Yield the private rows of a part as points and labels or responses: those to learn from, or those held out.

    Raise PrivateTableError, by file, column and row, for a cell that is not what the schema declares.
    """
    for chunk in _private(request, part, held_out=held_out):
        yield _example(request, records, chunk)


def judged_examples(
    request: Request, records: Records, part: Part
) -> Iterator[tuple[Points, Labels | Responses, Floats]]:
    """Yield the rows of a part on which mistakes are counted, with the codes of their groups (n,), 0 without groups.

    These are the rows held out, and all of them if none are.  Raise PrivateTableError as ``examples`` does.
    """
    groups = None if request.held_out is None else request.held_out.groups
    for chunk in _private(request, part, held_out=request.held_out is not None):
        points, labels = _example(request, records, chunk)
        if groups is None:
            yield points, labels, np.zeros(len(labels))
        else:
            group = groups.column
            yield points, labels, known_cells(chunk, group.column, group.encode, f"must be {group.rule}")


def _private(request: Request, part: Part, *, held_out: bool) -> Iterator[Chunk]:
    """Yield the private rows of a part, in chunks: those held out or the others."""
    for chunk in request.private.chunks(part, request.private_columns):
        private = _kept(request, chunk, public=False)
        if request.held_out is not None:
            private = private.kept(held(private.numbers, request.held_out.every) == held_out)
        yield private


def _example(request: Request, records: Records, private: Chunk) -> tuple[Points, Labels | Responses]:
    """Return points and labels, or responses, of private rows."""
    points, labels = records.encode(private)
    label = records.label
    if isinstance(label, Label) and request.ones_only:
        private.refuse(label.column, labels == 1, "a private row must have the label 1, by `privacy` of the learner")
    return points, labels


def of_persons(
    request: Request, records: Records, part: Part, units: NDArray[np.int32]
) -> Iterator[tuple[Points, Any, Floats, Integers64]]:
    """Yield the rows of a part that have units: points, labels or responses, places of groups, and their units.

    units: (n,) of all rows of the part.  Raise PrivateTableError as ``examples`` does, and PublicError if there are
    other rows than units.
    """
    groups = None if request.held_out is None else request.held_out.groups
    start = 0
    for chunk in request.private.chunks(part, request.example_columns):
        own = units[start : start + len(chunk.numbers)]
        start += len(chunk.numbers)
        if len(own) < len(chunk.numbers):
            break
        chosen = own > 0
        kept = chunk.kept(chosen)
        places = np.zeros(len(kept.numbers))
        if groups is not None:
            group = groups.column
            places = known_cells(kept, group.column, group.encode, f"must be {group.rule}")
        yield *_example(request, records, kept), places, own[chosen].astype(np.int64)
    if start != len(units):
        raise PublicError(f"{part}: other rows were read than counted; it was changed meanwhile")


def entries(request: Request, records: Records, count: int) -> Points:
    """Return the first rows of the unlabelled private table, (count, d), for learners that read such entries.

    Raise ValueError if there are fewer.
    """
    chunks = [np.empty((0, records.width))]
    source = request.unlabelled
    if count and source is None:
        raise PublicError(f"needs unlabelled: the learner reads {count:,} such rows")
    if count and source is not None:
        if (rows := source.rows()) < count:
            raise PublicError(f"{source.name}: has {rows:,} rows, the learner reads {count:,}")
        for chunk in _all_chunks(source, [feature.column for feature in records.features]):
            chunks.append(records.encode(chunk, labelled=False)[0])
            if sum(map(len, chunks)) >= count:
                break
    return np.concatenate(chunks)[:count]
