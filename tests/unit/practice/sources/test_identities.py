"""Every source tells which people its parts are about, whatever the names and addresses of the parts."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases

from semipriv.practice.asking.request import load
from semipriv.practice.sources.apart import check_apart
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.objects import Objects
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Stored

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file of people with many names, and a file of others of the same size."""
    for name, start in (("people", 0), ("others", 100)):
        table = pa.table({"x": [float(i) for i in range(start, start + 9)]})
        pq.write_table(table, tmp_path / f"{name}.parquet", compression="none", use_dictionary=False)
    for name in ("parts", "linked"):
        (tmp_path / name).mkdir()
        os.link(tmp_path / "people.parquet", tmp_path / name / "a.parquet")
    (tmp_path / "symbolic.parquet").symlink_to(tmp_path / "people.parquet")
    shutil.copy(tmp_path / "people.parquet", tmp_path / "copy.parquet")
    (tmp_path / "folder").symlink_to(tmp_path / "parts")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(f"create table t as select * from '{tmp_path}/people.parquet'")
        connection.execute("create table u as select x + 100 as x from t; create view v as select x from t where x > 3")
        connection.execute("create schema s; create table s.t as select x + 200 as x from t")
        connection.execute(f"create view files as select x from read_parquet('{tmp_path}/people.parquet')")
    os.link(tmp_path / "people.duckdb", tmp_path / "hard.duckdb")
    (tmp_path / "symbolic.duckdb").symlink_to(tmp_path / "people.duckdb")
    return tmp_path


def query(text: str) -> Callable[[Path], Source]:
    return lambda folder: Stored("duckdb://", query=text.format(folder))


FILES: dict[str, Callable[[Path], Source]] = {
    "path": lambda folder: Files(folder / "people.parquet"),
    "symbolic link": lambda folder: Files(folder / "symbolic.parquet"),
    "copy": lambda folder: Files(folder / "copy.parquet"),
    "hard link in a folder": lambda folder: Files(folder / "parts"),
    "another one": lambda folder: Files(folder / "linked"),
    "folder by a link": lambda folder: Files(folder / "folder"),
    "dots": lambda folder: Files(folder / "parts/../people.parquet"),
    "address": lambda folder: Objects(f"file://{folder}/people.parquet"),
    "address of a folder": lambda folder: Objects(f"file://{folder}/parts"),
    "address of a link": lambda folder: Objects(f"file://{folder}/symbolic.parquet"),
    "address of a copy": lambda folder: Objects(f"file://{folder}/copy.parquet"),
    "query": query("select x from '{}/people.parquet'"),
    "query of a link": query("select x from '{}/symbolic.parquet' where x > 3"),
    "query of a copy": query("select x from read_parquet('{}/copy.parquet')"),
    "query of a pattern": query("select x from read_parquet('{}/parts/*.parquet')"),
    "query of a list": query("select x from read_parquet(['{0}/others.parquet', '{0}/parts/a.parquet'])"),
    "query in a query": query("with r as (select x from '{}/people.parquet') select x from (select x from r)"),
    "query of an address": query("select x from read_parquet('file://{}/people.parquet')"),
    "view of a file": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", table="files"),
}
TABLES: dict[str, Callable[[Path], Source]] = {
    "table": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", table="t"),
    "capitals": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", table="T"),
    "schema": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", table="t", schema_name="main"),
    "hard link": lambda folder: Stored(f"duckdb://{folder}/hard.duckdb", table="t"),
    "symbolic link": lambda folder: Stored(f"duckdb://{folder}/symbolic.duckdb", table="t"),
    "view": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", table="v"),
    "query": lambda folder: Stored(f"duckdb://{folder}/hard.duckdb", query="select x * 2 as x from people.main.t"),
    "query of a view": lambda folder: Stored(f"duckdb://{folder}/people.duckdb", query="select x from main.v"),
}


def refused(private: Source, other: Source, key: str) -> None:
    others = {"unlabelled": None, "public": None} | {key: other}
    with pytest.raises(ValueError, match="the same people would be counted twice"):
        check_apart(private, others["unlabelled"], others["public"])


@pytest.mark.parametrize("address", FILES)
def test_a_file_has_one_identity_by_all_of_its_addresses(folder: Path, address: str) -> None:
    for other in ("path", "address of a copy"):
        refused(FILES[address](folder), FILES[other](folder), "unlabelled")
        refused(FILES[other](folder), FILES[address](folder), "public")
    check_apart(FILES["path"](folder), None, Files(folder / "others.parquet"))


@pytest.mark.parametrize("address", TABLES)
def test_a_table_has_one_identity_by_all_of_its_addresses(folder: Path, address: str) -> None:
    for other in ("table", "query"):
        refused(TABLES[address](folder), TABLES[other](folder), "unlabelled")
        refused(TABLES[other](folder), TABLES[address](folder), "public")
    for table, schema in (("u", None), ("t", "s")):
        others = Stored(f"duckdb://{folder}/people.duckdb", table=table, schema_name=schema)
        check_apart(TABLES[address](folder), others, None)


def test_two_parts_of_one_source_are_not_one_file(folder: Path) -> None:
    os.link(folder / "people.parquet", folder / "parts/b.parquet")
    both = f"select x from read_parquet(['{folder}/people.parquet', '{folder}/symbolic.parquet'])"
    for source in (
        Files(folder / "parts"),
        Objects(f"file://{folder}/parts"),
        Stored("duckdb://", query=f"select x from read_parquet('{folder}/parts/*.parquet')"),
        Stored("duckdb://", query=both),
    ):
        with pytest.raises(ValueError, match=r"private: .* and private: .*counted twice"):
            check_apart(source, None, None)


def test_a_request_is_refused_before_the_charge(tmp_path: Path) -> None:
    path = releases.lay_out(tmp_path)
    pd.read_csv(tmp_path / "private.csv").to_parquet(tmp_path / "private.parquet")
    os.link(tmp_path / "private.parquet", tmp_path / "public.parquet")
    public = {"path": str(tmp_path / "public.parquet")}
    asked = {
        "features": {"x": {"range": [0, 100]}},
        "label": {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": 0},
    }
    ledger = str(tmp_path / "ledger.jsonl")
    for private in (
        {"path": f"file://{tmp_path}/private.parquet"},
        {"database": "duckdb://", "query": f"select x, y from '{tmp_path}/private.parquet'"},
    ):
        changes = {**asked, **releases.THRESHOLDS, "private": private, "public": public, "ledger": ledger}
        path = releases.request(tmp_path, **changes)
        with pytest.raises(ValueError, match="are one file: the same people would be counted twice"):
            load(path)
    assert [entry.kind for entry in releases.Ledger.open(ledger).entries] == ["opened"]


# ---------------------------------------------------------------------------------------------------- PostgreSQL
@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("create table t (x float8) partition by range (x)")
            connection.execute("create table low partition of t for values from (0) to (5)")
            connection.execute("create table u (x float8); create table child () inherits (u)")
            connection.execute(
                "create view v as select x + 1 as x from t; create view w as select x from v where x > 2"
            )
            connection.execute("create materialized view m as select x from low; create table others (x float8)")
            connection.execute("create database second")
        yield address


def test_a_table_of_a_server_has_one_identity(server: str) -> None:
    """By whichever address, view, query, partition or child."""
    folder = server.partition("host=")[2]
    spelt = f"postgresql:///postgres?user=tester&host={folder}/"
    named: dict[str, list[dict[str, Any]]] = {
        "t": [
            {"table": "t"}, {"table": "t", "schema_name": "public"}, {"table": "low"}, {"table": "v"}, {"table": "w"},
            {"table": "m"}, {"query": "select x from T where x > 3"}, {"query": "select x from public.low"},
            {"query": "select q.x from (select x from w) q"},
        ],
        "u": [{"table": "u"}, {"table": "child"}, {"query": "select x from child"}],
    }  # fmt: skip
    for group in named.values():
        for place in group:
            table = Stored(server, **place)
            refused(Stored(server, **group[0]), Stored(spelt, **place), "unlabelled")
            check_apart(table, Stored(server, table="others"), None)
    check_apart(Stored(server, table="t"), Stored(server, table="u"), None)


def test_a_server_that_does_not_name_itself_is_told_by_its_address(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("create role guest login; grant select on t, others to guest")
        connection.execute("revoke execute on function pg_control_system() from public")
    guest = server.replace("tester", "guest")
    try:
        refused(Stored(guest, table="t"), Stored(guest, query="select x from t where x > 3"), "unlabelled")
        check_apart(Stored(guest, table="t"), Stored(guest, table="others"), None)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("grant execute on function pg_control_system() to public")


# ---------------------------------------------------------------------------------------------------- versions
def test_a_version_is_one_of_a_database_a_table_and_a_query(folder: Path, server: str) -> None:
    """Else the same words would vouch for another table, or for other rows of it."""
    shutil.copy(folder / "people.duckdb", folder / "more.duckdb")
    with psycopg.connect(server.replace("/postgres?", "/second?"), autocommit=True) as connection:
        connection.execute("create table if not exists others (x float8)")
        connection.execute("create schema if not exists s; create table if not exists s.others (x float8)")
    second = server.replace("/postgres?", "/second?")
    places: list[tuple[str, dict[str, Any]]] = [
        (f"duckdb://{folder}/people.duckdb", {"table": "t"}),
        (f"duckdb://{folder}/people.duckdb", {"table": "u"}),
        (f"duckdb://{folder}/people.duckdb", {"table": "t", "schema_name": "s"}),
        (f"duckdb://{folder}/people.duckdb", {"query": "select x from t"}),
        (f"duckdb://{folder}/people.duckdb", {"query": "select x from t where x > 3"}),
        (f"duckdb://{folder}/more.duckdb", {"table": "t"}),
        ("duckdb://", {"query": f"select x from '{folder}/people.parquet'"}),
        ("duckdb://", {"query": f"select x from '{folder}/others.parquet'"}),
        (server, {"table": "others"}),
        (server, {"table": "u"}),
        (second, {"table": "others"}),
        (second, {"table": "others", "schema_name": "s"}),
    ]

    def mac(address: str, version: str, place: dict[str, Any]) -> bytes:
        source = Stored(address, version=version, **place)
        code = source.mac(b"key", source.name)
        source.close()
        return code

    macs = [mac(address, "1", place) for address, place in places]
    assert len(set(macs)) == len(places)
    assert macs == [mac(address, "1", place) for address, place in places], "the same state is recognised"
    assert not set(macs) & {mac(address, "2", place) for address, place in places}
    spelt = mac(f"duckdb://{folder}/symbolic.duckdb", "1", {"table": "T", "schema_name": "main"})
    assert spelt == macs[0], "whatever it is called"
