"""What a database refuses is found on no row, before the charge; what nobody asked for does not matter."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pytest
import releases

from semipriv.practice.asking.request import load
from semipriv.practice.engine.charging import reserve
from semipriv.practice.engine.preview import preview
from semipriv.practice.engine.stages import partials_of, stage
from semipriv.practice.engine.whole import release

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
N = 200
ASKED: dict[str, dict[str, Any]] = {
    "counted": {"features": {"x": {"range": [0, 100]}}, **releases.THRESHOLDS},
    "streamed": {
        "features": {"x": {"range": [0, 100]}, "n": {"range": [0, 9]}},
        "class": {"name": "halfspaces"},
        "learner": {"name": "sspp", "epsilon": 0.5},
    },
}
COUNT = "select i as id, (i * 7919) % 100 + 0.5 as x, i % 9 as n, case when i % 3 = 0 then 'yes' else 'no' end as ill"
POSTGRES = {
    "bit": "bit(3) default B'101'", "varbit": "bit varying default B'1'", "xml": "xml default '<a/>'",
    "money": "money default 3", "tsvector": "tsvector default 'a b'", "box": "box default '(0,0),(1,1)'",
    "point": "point default '(0,0)'", "line": "line", "polygon": "polygon", "circle": "circle",
    "json": "json default '{}'",
    "jsonb": "jsonb default '{}'", "uuid": "uuid default gen_random_uuid()", "bytea": "bytea default 'a'",
    "inet": "inet default '10.0.0.1'", "interval": "interval default '1 day'", "time": "time default '10:00'",
    "list": "int[] default '{1,2}'", "range": "int4range default '[1,2)'", "geometry": "kinds.geometry default row(1)",
    "oid": "oid default 3", "name": "name default 'a'",
    "char": '"char" default \'a\'', "domain": "kinds.named default 'b'",
    "tsquery": "tsquery", "pg_lsn": "pg_lsn", "regclass": "regclass default 'pg_class'", "macaddr": "macaddr",
}  # fmt: skip
DUCKDB = {
    "union": "union(a int, b varchar)", "bignum": "bignum", "list": "int[]", "struct": "struct(a int)",
    "map": "map(varchar, int)", "bit": "bit", "blob": "blob", "uuid": "uuid", "time": "time", "interval": "interval",
    "json": "json", "array": "int[3]", "uhugeint": "uhugeint", "timetz": "time with time zone",
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("create role holder login; create schema kinds; grant usage on schema kinds to holder")
            connection.execute("create type kinds.geometry as (x int); create domain kinds.named as text")
            connection.execute(f"create table plain as {COUNT} from generate_series(1, {N}) i")
            columns = ", ".join(f'"{name}" {kind}' for name, kind in POSTGRES.items())
            connection.execute(f"create table odd (id int8, x numeric, n int, ill varchar, {columns})")
            connection.execute("insert into odd (id, x, n, ill) select * from plain")
            connection.execute("create table locked as select *, 1 as secret from plain")
            connection.execute("grant select on plain, odd to holder; grant select (id, x, n, ill) on locked to holder")
        yield address.replace("tester", "holder")


def lay(folder: Path, asked: dict[str, Any], private: dict[str, Any], name: str = "release.yaml") -> Path:
    """A ledger of its own, public rows enough for many cuts, and a request."""
    rng = np.random.default_rng(3)
    pd.DataFrame({"x": rng.random(60) * 100, "n": rng.integers(0, 9, 60)}).to_csv(folder / "public.csv", index=False)
    ledger = folder / f"{name}.jsonl"
    releases.Ledger.create(ledger, releases.Budget(epsilon=10, delta="1e-5"), "a clinic")
    return releases.request(
        folder, name, **{**asked, "private": private, "ledger": str(ledger), "release": Path(name).stem}
    )


def refused(path: Path, message: str) -> None:
    """By the dry run, and by the release, which charges nothing."""
    for ask in (preview, release):
        with pytest.raises(ValueError, match=message):
            ask(load(path))
    ledger = releases.Ledger.open(path.parent / f"{path.name}.jsonl")
    assert [entry.kind for entry in ledger.entries] == ["opened"]


def sums(path: Path) -> list[dict[str, Any]]:
    staged = stage(load(path))
    sums_of_parts = [arrays for part in partials_of(staged, reserve(staged)) for arrays in part.sums]
    staged.request.private.close()
    return sums_of_parts


def into_duckdb(folder: Path, *columns: str) -> str:
    path = folder / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table plain as {COUNT} from range(1, {N + 1}) t(i)")
        connection.execute("create table odd as select * from plain")
        for name in columns:
            connection.execute(f'alter table odd add column "{name}" {DUCKDB[name]}')
    return f"duckdb://{path}"


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("database", ["postgresql", "duckdb"])
def test_columns_that_nobody_asked_for_do_not_matter(
    tmp_path: Path, database: str, what: str, request: pytest.FixtureRequest
) -> None:
    """Whatever their types are, and whether the role may read them."""
    address = request.getfixturevalue("server") if database == "postgresql" else into_duckdb(tmp_path, *DUCKDB)
    places: list[dict[str, Any]] = [{"table": "odd"}, {"query": "select * from odd"}]
    places += [{"table": "locked"}, {"query": "select id, x, n, ill from locked"}] if database == "postgresql" else []
    expected = sums(lay(tmp_path, ASKED[what], {"database": address, "table": "plain", "order": "id"}))
    for i, place in enumerate(places):
        private = {"database": address, "order": "id", **place}
        arrays = sums(lay(tmp_path, ASKED[what], private, f"r{i}"))
        for answer, other in zip(arrays, expected, strict=True):
            assert all(np.array_equal(answer[name], other[name]) for name in other), place
        assert release(load(lay(tmp_path, ASKED[what], private, f"w{i}")))


@pytest.mark.parametrize("kind", POSTGRES)
def test_a_column_that_is_asked_for_is_read_or_refused_before_the_charge(
    tmp_path: Path, server: str, kind: str
) -> None:
    features = {kind: {"categories": ["a", "b"], "unknown": "other"}}
    table = {"learner": {"name": "table_release", "ways": 1, "epsilon": 1, "delta": 0}, "label": None, "class": None}
    path = lay(tmp_path, {"features": features, **table}, {"database": server, "table": "odd"})
    pd.DataFrame({kind: ["a", "b"] * 9}).to_csv(tmp_path / "public.csv", index=False)
    if kind in ("name", "domain"):
        assert release(load(path))
    else:
        refused(path, f"column '{kind}' (has the type .*, which is not read|.*cannot be read|.*declared texts)")


@pytest.mark.parametrize("kind", DUCKDB)
def test_a_column_of_duckdb_is_read_or_refused_before_the_charge(tmp_path: Path, kind: str) -> None:
    address = into_duckdb(tmp_path, kind)
    path = lay(
        tmp_path, {**ASKED["counted"], "features": {kind: {"range": [0, 9]}}}, {"database": address, "table": "odd"}
    )
    pd.DataFrame({kind: range(9)}).to_csv(tmp_path / "public.csv", index=False)
    refused(path, f"column '{kind}' has the type .*, which is not read: give a query")


def test_rights_on_columns_are_asked_for_before_the_charge(tmp_path: Path, server: str) -> None:
    asked = {**ASKED["counted"], "features": {"secret": {"range": [0, 100]}}}
    refused(lay(tmp_path, asked, {"database": server, "table": "locked"}), "column 'secret' is missing")
    everything = {"database": server, "query": "select * from locked"}
    refused(lay(tmp_path, ASKED["counted"], everything, "all"), "no permission")


FAILS = {
    "postgresql": ["x / (n - 3)", "ill::numeric", "ln(x - 50.5)", "(x * 1000000000)::int", "exp(x::float8 * 100)"],
    "duckdb": ["ill::int", "ln(x - 50.5)", "(x * 1000000000)::int"],
}


@pytest.mark.parametrize(("database", "cell"), [(engine, cell) for engine, cells in FAILS.items() for cell in cells])
def test_a_cell_that_ends_a_query_ends_it_before_the_charge(
    tmp_path: Path, database: str, cell: str, request: pytest.FixtureRequest
) -> None:
    """Also where a declared version asks for no digest."""
    address = request.getfixturevalue("server") if database == "postgresql" else into_duckdb(tmp_path)
    place = {"database": address, "query": f"select id, {cell} as x, n, ill from plain", "order": "id"}
    for what, changes in (("counted", {}), ("streamed", {"version": "1"})):
        refused(lay(tmp_path, ASKED[what], {**place, **changes}, what), "a cell of the query cannot be computed")


EXTREMES = {
    "postgresql": {
        "day date": ["infinity", "-infinity", "0044-03-15 BC", "20000-01-01", "5874897-12-31", "2001-01-01"],
        "at timestamp": ["infinity", "-infinity", "0044-03-15 10:00 BC", "200000-01-01 10:00", "2001-01-01 10:00"],
        "x numeric": ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-1e-4000", "7"],
        "x float8": ["NaN", "Infinity", "-Infinity", "1e308", "-1e308", "5e-324", "7"],
    },
    "duckdb": {
        "day date": ["infinity", "-infinity", "0044-03-15 (BC)", "20000-01-01", "5881580-07-10", "2001-01-01"],
        "at timestamp": ["infinity", "-infinity", "0044-03-15 (BC) 10:00:00", "200000-01-01 10:00:00", "2001-01-01"],
        "x hugeint": [str(2**127 - 1), str(-(2**127) + 1), "7"],
        "x double": ["NaN", "Infinity", "-Infinity", "1e308", "7"],
    },
}


@pytest.mark.parametrize(
    ("database", "column"), [(engine, column) for engine, columns in EXTREMES.items() for column in columns]
)
def test_no_cell_at_the_edges_of_its_type_ends_a_release(
    tmp_path: Path, database: str, column: str, request: pytest.FixtureRequest
) -> None:
    """Counted or streamed, it is unknown or a number, and both ways give the same sums."""
    name, _, kind = column.partition(" ")
    named = f'"{name}" {kind}'
    rows = [(cell, "no") for cell in EXTREMES[database][column]] * 9
    if database == "postgresql":
        address = request.getfixturevalue("server").replace("holder", "tester")
        with psycopg.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(f"drop table if exists edges; create table edges (id int, {named}, ill text)")
            with cursor.copy("copy edges from stdin") as copy:
                for i, row in enumerate(rows):
                    copy.write_row((i, *row))
    else:
        address = f"duckdb://{tmp_path / 'c.duckdb'}"
        with duckdb.connect(str(tmp_path / "c.duckdb")) as connection:
            connection.execute(f"create table edges (id int, {named}, ill text)")
            connection.executemany("insert into edges values ($1, $2, $3)", [(i, *row) for i, row in enumerate(rows)])
    ends = ["1975-01-01", "2020-01-01"] if name in ("day", "at") else [0, 100]
    unit = {"unit": "day"} if name in ("day", "at") else {}
    asked = {**ASKED["counted"], "features": {name: {"range": ends, **unit, "unknown": ends[0]}}}
    place = {"database": address, "table": "edges", "order": "id"}
    path = lay(tmp_path, asked, place)
    held = lay(tmp_path, {**asked, "held_out": {"share": 0.5, "epsilon": 1}}, place, "streamed")
    shown = pd.date_range("1980-01-01", periods=40, freq="297D").astype(str) if unit else np.arange(0, 80, 2)
    pd.DataFrame({name: shown}).to_csv(tmp_path / "public.csv", index=False)
    assert release(load(path))
    assert release(load(held))


def test_a_database_of_another_encoding_is_counted(tmp_path: Path, server: str) -> None:
    """What only UTF-8 has, as composed accents, is not asked of it: that would fail at the first row."""
    tester = server.replace("holder", "tester")
    asked = {
        "features": {"ward": {"categories": ["\xe4", "b"], "unknown": "other"}},
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "ways": 1, "epsilon": 1, "delta": 0},
    }
    with psycopg.connect(tester, autocommit=True) as connection:
        connection.execute("create database western encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'")
    western = tester.replace("/postgres?", "/western?")
    with psycopg.connect(western, autocommit=True, client_encoding="utf8") as connection:
        connection.execute("create table t as select case when i % 3 = 0 then '\xe4' else 'b' end as ward "
                           "from generate_series(1, 99) i")  # fmt: skip
    path = lay(tmp_path, asked, {"database": western, "table": "t"})
    pd.DataFrame({"ward": ["\xe4", "b"] * 9}).to_csv(tmp_path / "public.csv", index=False)
    assert release(load(path))
