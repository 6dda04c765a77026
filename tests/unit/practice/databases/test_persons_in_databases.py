"""Units of persons in a database are those of files, to the last bit, whatever persons are called."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv.core.persons import Persons, shares
from semipriv.practice.columns.cells import texts
from semipriv.practice.columns.coding import Listed, Steps
from semipriv.practice.sources.stored import Stored

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
pytest.importorskip("semipriv.practice.databases.base", reason=WHY)
NAMES = ["p1", " p1", "7", "7.0", "-0.0", "0", "a\u0308", "ä", "", "O'K", "x y", None]
COLUMNS = {"name": ["name"], "id": ["id"], "day": ["day"], "two": ["id", "name"]}
AGE = Steps(np.array([10.0, 20.0, 30.0]), np.array([0, 1, 3, 4]), False, 2)
"""What is unknown has a code that no number has, between those of others."""
SEX = Listed({"F": 0, "M": 1}, 1)
LABEL = Steps(np.array([1.0, 2.0]), np.array([1, 0, 1]), False, 0)
"""Codes are in no order."""


def rows() -> pa.Table:
    """Persons with 1 to 200 rows."""
    rng = np.random.default_rng(4)
    sizes = [1, 2, 3, 7, 8, 17, 64, 129, 200, 31, 5, 40]
    place = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    n = len(place)
    age = rng.choice([5.0, 10.0, 15.0, 25.0, 40.0, np.nan, np.inf], n)
    return pa.table(
        {
            "name": pa.array([NAMES[i] for i in place], pa.string()),
            "id": pa.array([None if i == 4 else int(i) * 10**17 - 3 for i in place], pa.int64()),
            "day": pa.array(place.astype("datetime64[D]"), pa.date32(), mask=place == 3),
            "age": pa.array(age, from_pandas=False),
            "sex": pa.array(rng.choice(["F", " M", "?", None], n), pa.string()),
            "y": pa.array(rng.choice([0.0, 1.0, 5.0], n)),
        }
    )


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        yield address


@pytest.fixture(params=["duckdb", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The rows in each database, by its address."""
    if request.param == "duckdb":
        pq.write_table(rows(), tmp_path / "t.parquet")
        with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
            connection.execute(f"create table t as select * from '{tmp_path / 't.parquet'}'")
        return f"duckdb://{tmp_path / 't.duckdb'}"
    given = request.getfixturevalue("server")
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute("drop table if exists t")
        connection.execute("create table t (name text, id bigint, day date, age float8, sex text, y float8)")
        with connection.cursor() as cursor, cursor.copy("copy t from stdin") as copy:
            for row in rows().to_pylist():
                copy.write_row(list(row.values()))
    return str(given)


def persons_of(cells: pa.Table, columns: list[str]) -> Persons:
    """Whoever has the same texts in all columns; the hash is of these joined."""
    named = [names_of(cells.column(name)) for name in columns]
    keys = [None if None in one else one for one in zip(*named, strict=True)]
    places: dict[Any, int] = {}
    place = np.array([places.setdefault(key, len(places)) for key in keys])
    return Persons(place, ["" if key is None else "|".join(key) for key in places])


def names_of(column: pa.ChunkedArray) -> list[str | None]:
    return list((column.cast(pa.string()) if pa.types.is_date(column.type) else texts(column)).to_pylist())


def codes(cells: pa.Table) -> np.ndarray:
    """Age, sex and label of each row, by hand."""
    age = np.array(cells.column("age").to_pylist(), float)
    own = AGE.pieces[np.searchsorted(AGE.cuts, np.where(np.isfinite(age), age, 0), "right")]
    sex = [SEX.listed.get((one or "").strip(), SEX.unknown) for one in cells.column("sex").to_pylist()]
    y = np.array(cells.column("y").to_pylist())
    return np.stack(
        [np.where(np.isfinite(age), own, AGE.unknown), sex, LABEL.pieces[np.searchsorted(LABEL.cuts, y, "right")]], 1
    )


@pytest.mark.parametrize("units", [1, 16, 65536])
@pytest.mark.parametrize("what", COLUMNS)
def test_units_are_those_of_files(address: str, what: str, units: int) -> None:
    """Of a person with any number of rows, of unknown cells, and for several selections of columns at once."""
    cells, columns, chosen = rows(), COLUMNS[what], [[2, 0, 1], [1], [0]]
    persons, by = persons_of(cells, columns), codes(cells)
    expected = shares(persons, by, units, "key")
    source = Stored(address, "t")
    coded = [("age", AGE), ("sex", SEX), ("y", LABEL)]
    query = source.session.database.sharing(source.session.table, columns, coded, chosen, units, "key")
    found = query.read(source.session.database.read(query.asked))
    for own, one in zip(chosen, found, strict=True):
        counts, numbers = np.zeros((2, *[5] * len(own)), np.int64)
        np.add.at(counts, tuple(one.codes), one.units)
        np.add.at(numbers, tuple(one.codes), one.rows)
        wanted, every = np.zeros((2, *[5] * len(own)), np.int64)
        np.add.at(wanted, tuple(by[:, own].T), expected)
        np.add.at(every, tuple(by[:, own].T), 1)
        assert np.array_equal(counts, wanted)
        assert np.array_equal(numbers, every)
    assert source.persons(columns) == persons.count
    assert source.dropped(columns) == 0
    source.close()


def test_persons_are_counted_before_a_query_leaves_rows_out(address: str) -> None:
    """How many they are does not depend on whose rows are left."""
    source = Stored(address, query="select name, age from (select * from t where y < 2) as q where age < 12")
    cells = rows().to_pylist()
    everyone = persons_of(rows(), ["name"])
    left = {everyone.place[i] for i, one in enumerate(cells) if one["y"] < 2 and one["age"] < 12}
    assert source.persons(["name"]) == everyone.count
    assert source.dropped(["name"]) == everyone.count - len(left)
    source.close()
