"""Units of persons in a database are those of files, to the last bit, whatever persons are called."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here

from semipriv.core.persons import Persons, shares
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.request import load
from semipriv.practice.columns.coding import Listed, Steps
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.engine.counting import counted
from semipriv.practice.engine.counting_plans import Named, stand_in
from semipriv.practice.engine.stages import stage
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


@pytest.fixture(params=["duckdb", "postgresql", pytest.param("spark", marks=pytest.mark.spark)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The rows in each database, by its address."""
    pq.write_table(rows(), tmp_path / "t.parquet")
    if request.param == "spark":
        return spark_here.view("t", tmp_path / "t.parquet")
    if request.param == "duckdb":
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
    """As files name them."""
    return PersonColumns(columns).of([Chunk("t", cells, np.arange(1, cells.num_rows + 1))])


def codes(cells: pa.Table) -> np.ndarray:
    """Age, sex and label of each row, by hand."""
    age = np.array(cells.column("age").to_pylist(), float)
    own = AGE.pieces[np.searchsorted(AGE.cuts, np.where(np.isfinite(age), age, 0), "right")]
    sex = [SEX.listed.get((cell or "").strip(), SEX.unknown) for cell in cells.column("sex").to_pylist()]
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
    answers = query.read(source.session.database.read(query.asked))
    for own, answer in zip(chosen, answers, strict=True):
        counts, numbers = np.zeros((2, *[5] * len(own)), np.int64)
        np.add.at(counts, tuple(answer.codes), answer.units)
        np.add.at(numbers, tuple(answer.codes), answer.rows)
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
    left = {everyone.place[i] for i, row in enumerate(cells) if row["y"] < 2 and row["age"] < 12}
    assert source.persons(["name"]) == everyone.count
    assert source.dropped(["name"]) == everyone.count - len(left)
    source.close()


LEARNERS: dict[str, dict[str, Any]] = {
    "thresholds": {"features": {"age": {"range": [0, 50], "unknown": 20}}, "class": {"name": "thresholds"}},
    "stumps": {
        "features": {"age": {"range": [0, 50], "unknown": 20}, "id": {"range": [-9, 2e18], "unknown": 3}},
        "class": {"name": "decision_stumps"},
    },
}


@pytest.mark.parametrize("rows_of", ["average", "one"])
@pytest.mark.parametrize("what", LEARNERS)
@pytest.mark.parametrize("query", [None, "select * from t where age < 12 and y < 2"])
def test_sums_are_those_of_the_rows(tmp_path: Path, address: str, what: str, query: str | None, rows_of: str) -> None:
    """Also where a query leaves persons out: for each of them a public record has their units."""
    folder = tmp_path / "request"
    (folder / "ledgers").mkdir(parents=True)
    rng = np.random.default_rng(1)
    public = {
        "age": rng.integers(0, 50, 9),
        "id": rng.integers(0, 1e18, 9).astype(np.int64),
        "y": rng.choice([0, 1], 9),
    }
    pd.DataFrame(public).to_csv(folder / "public.csv", index=False)
    private = {"database": address, **({"table": "t"} if query is None else {"query": query})}
    ledger = folder / "ledgers" / "l.jsonl"
    releases.Ledger.create(ledger, releases.Budget(epsilon=10, delta="1e-5"), "a clinic")
    label = {"column": "y", "one": {"at_least": 1}, "zero": [0], "unknown": "refuse"}
    given = {"private": private, "label": label, "learner": {"name": "sspp", "epsilon": 1}, "ledger": str(ledger)}
    staged = stage(load(releases.request(folder, **LEARNERS[what], **given)))
    source, records = staged.request.private, staged.public.records
    assert isinstance(source, Stored)
    everyone = persons_of(rows(), ["name"])
    statistic, other = (staged.statistics()[0].of_persons(everyone.count, rows_of) for _ in range(2))
    waiting, _ = counted(staged.request, records, [statistic], Named(["name"], "key"))
    assert waiting == []
    cells = rows()
    if query is not None:
        cells = cells.take([i for i, row in enumerate(cells.to_pylist()) if row["age"] < 12 and row["y"] < 2])
    left = persons_of(cells, ["name"])
    points, labels = records.encode(Chunk("t", cells, np.arange(cells.num_rows)))
    other.add(points, labels, shares(left, other.order(points, labels), other.units, "key"))
    point, first = stand_in(records)
    other.add(point, first, np.array([other.units * (everyone.count - left.count)]))
    for name, sums in other.arrays().items():
        assert np.array_equal(statistic.arrays()[name], sums), name
    assert statistic.whole(everyone.count)
    source.close()


SPELT = ["a", "A", "\u00e4", "\u00c4", "b", "B", "c"]
"""Names that collations take for one another."""
COLLATIONS = {"duckdb": ["nocase", "noaccent", "nocase.noaccent"], "postgresql": ["spelt", '"en-x-icu"']}


def spelt() -> pa.Table:
    """Persons, categories and an order whose texts differ by case and accents alone."""
    rng = np.random.default_rng(8)
    n = 150
    return pa.table(
        {
            "name": rng.choice(SPELT, n),
            "sex": rng.choice(["F", "f", "M", "m"], n),
            "age": rng.choice([5.0, 15.0, 25.0], n),
            "key": [f"{'aA'[i % 2]}{'bB'[i // 2 % 2]}{i}" for i in range(n)],
        }
    )


@pytest.fixture(
    params=[(engine, collation) for engine, every in COLLATIONS.items() for collation in every], ids="-".join
)
def collated(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """These rows, all of whose texts have a collation."""
    engine, collation = request.param
    text = f"varchar collate {collation}"
    columns = f"name {text}, sex {text}, age float8, key {text}"
    if engine == "duckdb":
        pq.write_table(spelt(), tmp_path / "t.parquet")
        with duckdb.connect(str(tmp_path / "c.duckdb")) as connection:
            connection.execute(f"create table t ({columns})")
            connection.execute(f"insert into t select * from '{tmp_path / 't.parquet'}'")
        return f"duckdb://{tmp_path / 'c.duckdb'}"
    given = request.getfixturevalue("server")
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute("drop table if exists t")
        connection.execute(
            "create collation if not exists spelt (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
        )
        connection.execute(f"create table t ({columns})")
        with connection.cursor() as cursor, cursor.copy("copy t from stdin") as copy:
            for row in spelt().to_pylist():
                copy.write_row(list(row.values()))
    return str(given)


@pytest.mark.parametrize("query", [None, "select * from t where age < 20"])
def test_collations_do_not_matter(request: pytest.FixtureRequest, collated: str, query: str | None) -> None:
    """Names and categories are equal if their bytes are, and an order is that of bytes, as in files."""
    cells = spelt()
    kept = cells if query is None else cells.take([i for i, years in enumerate(cells["age"].to_pylist()) if years < 20])
    source = Stored(collated, **({"table": "t"} if query is None else {"query": query}), order="key")
    request.addfinalizer(source.close)
    session = source.session
    everyone, persons = persons_of(cells, ["name"]), persons_of(kept, ["name"])
    assert source.persons(["name"]) == everyone.count
    assert source.dropped(["name"]) == everyone.count - persons.count
    assert source.rows() == kept.num_rows
    listed = Listed({"F": 0, "m": 1}, 2)
    sex = np.array([listed.listed.get(cell, 2) for cell in kept["sex"].to_pylist()])
    age = AGE.pieces[np.searchsorted(AGE.cuts, np.array(kept["age"].to_pylist()), "right")]
    coded, by = [("sex", listed), ("age", AGE)], np.stack([sex, age], 1)
    expected = shares(persons, by, 16, "key")
    queries = [
        session.database.sharing(session.table, ["name"], coded, [[0, 1]], 16, "key"),
        session.database.counting(session.table, coded),
    ]
    for query_of, units in zip(queries, [expected, np.ones(len(expected))], strict=True):
        (answer,) = query_of.read(session.database.read(query_of.asked))
        counts, wanted = np.zeros((2, 3, 5), np.int64)
        np.add.at(counts, tuple(answer.codes), answer.units)
        np.add.at(wanted, tuple(by.T), units.astype(np.int64))
        assert np.array_equal(counts, wanted)
    keys = [key for chunk in source.chunks(source.name, ["key"]) for key in chunk.table["key"].to_pylist()]
    assert keys == sorted(kept["key"].to_pylist(), key=str.encode)
