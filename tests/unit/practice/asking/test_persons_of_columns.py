"""Who is who in columns of any type and in any number of files: as if each cell were read by itself."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from semipriv.practice.asking.persons import CellNames, PersonColumn, PersonColumns
from semipriv.practice.columns.schema import Chunk

TEXTS = st.sampled_from(["a", " a", "1", "1.0", "1.00", "1.5", "", "  ", "e\u0301", "\xe9", "10", "1.01", None])
BYTES = st.sampled_from([b"a", b"1.0", b"\xff", b"", None])
DAYS = st.sampled_from([-800_000, 0, 20_000, None])
WHOLE = st.sampled_from([-1, 0, 1, 10, None])
COLUMNS = st.one_of(
    [
        st.tuples(st.just(kind), st.lists(cells, min_size=1, max_size=8))
        for kind, cells in [
            (pa.string(), TEXTS),
            (pa.large_string(), TEXTS),
            (pa.string_view(), TEXTS),
            (pa.dictionary(pa.int32(), pa.string()), TEXTS),
            (pa.binary(), BYTES),
            (pa.large_binary(), BYTES),
            (pa.null(), st.none()),
            (pa.int16(), WHOLE),
            (pa.int64(), WHOLE),
            (pa.date32(), DAYS),
            (pa.date64(), DAYS.map(lambda day: None if day is None else 86_400_000 * day)),
        ]
    ]
)


def by_cell(column: pa.ChunkedArray) -> list[str | None]:
    """The texts of cells, each read alone."""
    return [PersonColumn("x").texts(column[i : i + 1]).to_pylist()[0] for i in range(len(column))]


def expect(files: Sequence[pa.Table], columns: list[str]) -> None:
    """Compare persons of files, each of two chunks, with a loop over rows."""
    chunks = [
        Chunk(str(place), part, np.arange(part.num_rows) + 1)
        for place, file in enumerate(files)
        for part in (file[:3], file[3:])
    ]
    persons = PersonColumns(columns).of(chunks)
    cells = [tuple(row) for file in files for row in zip(*(by_cell(file[name]) for name in columns), strict=True)]
    rows = [() if None in row else row for row in cells]
    names = persons.names
    assert isinstance(names, CellNames)
    assert [tuple(cell) for cell in names.cells(persons.place)] == rows
    assert names.at(persons.place) == ["|".join(row) for row in rows]
    assert persons.count == len(set(rows))
    assert names.named == set(rows) - {()}
    assert [persons.names[place] for place in range(persons.count)] == names[:]
    assert () not in rows or persons.place[rows.index(())] == persons.count - 1, "nobody comes last"


@given(st.lists(COLUMNS, max_size=4))
def test_persons_of_a_column_are_those_of_its_cells(files: list[tuple[pa.DataType, list[object]]]) -> None:
    expect([pa.table({"x": pa.array(cells, kind)}) for kind, cells in files], ["x"])


@given(st.lists(st.lists(st.tuples(TEXTS, WHOLE, DAYS), min_size=1, max_size=8), max_size=3))
def test_persons_of_several_columns_are_those_of_their_cells(files: list[list[tuple[object, ...]]]) -> None:
    kinds = [("a", pa.string()), ("b", pa.int32()), ("c", pa.date32())]
    tables = [pa.table(list(zip(*rows, strict=True)), pa.schema(kinds)) for rows in files]
    expect(tables, [name for name, _ in kinds])
