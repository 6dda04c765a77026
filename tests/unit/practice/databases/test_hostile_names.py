"""Functions, operators, types and tables that others made in a database read no cell of a private table."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pytest
import releases
import spark_here

from semipriv.practice.asking.request import load
from semipriv.practice.engine.charging import reserve
from semipriv.practice.engine.stages import partials_of, stage
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.apart import check_apart
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.stored import Stored

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
N = 300
X = {"range": [0, 100], "unknown": 30}
TEXTS = {
    "sex": {"categories": ["F", "M", "o"]},
    "ward": {"categories": ["a", "b"], "unknown": "other"},
    "day": {"bins": ["1975-01-01", "1990-01-01", "2000-01-01"], "unit": "day"},
    "paid": {"bins": 5, "unknown": "none"},
}
ASKED: dict[str, dict[str, Any]] = {
    "thresholds": {"features": {"x": X}, **releases.THRESHOLDS},
    "marginals": {
        "features": TEXTS,
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
    "rows": {"features": {"x": X, "n": {"range": [0, 9]}}, "class": {"name": "halfspaces"}},
}


def lay(folder: Path, asked: dict[str, Any], private: dict[str, Any], name: str = "release.yaml") -> Path:
    """A ledger of its own, public rows enough for many cuts, and a request."""
    rng = np.random.default_rng(3)
    days = pd.date_range("1980-01-01", periods=60, freq="297D").astype(str)
    columns = {"x": rng.random(60) * 100, "n": rng.integers(0, 9, 60), "paid": rng.random(60) * 9, "day": days}
    texts = {"sex": rng.choice(["F", "M"], 60), "ward": rng.choice(["a", "b"], 60)}
    pd.DataFrame({**columns, **texts}).to_csv(folder / "public.csv", index=False)
    ledger = folder / f"{name}.jsonl"
    releases.Ledger.create(ledger, releases.Budget(epsilon=10, delta="1e-5"), "a clinic")
    learner = {"name": "sspp", "epsilon": 0.5}
    return releases.request(folder, name, **{"learner": learner, **asked, "private": private, "ledger": str(ledger)})


def sums(path: Path) -> list[dict[str, Any]]:
    staged = stage(load(path))
    sums = [arrays for part in partials_of(staged, reserve(staged)) for arrays in part.sums]
    staged.request.private.close()
    return sums


def same(answers: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    assert answers
    return all(
        np.array_equal(answer[name], other[name])
        for answer, other in zip(answers, expected, strict=True)
        for name in other
    )


# ---------------------------------------------------------------------------------------------------- PostgreSQL
@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        yield address


TRAP = "returns {} language plpgsql as $$ begin raise exception 'trap'; end $$"
FUNCTIONS = {
    "width_bucket(float8, float8[])": "int", "width_bucket(anyelement, anyarray)": "int",
    "floor(float8)": "float8", "floor(numeric)": "numeric", "floor(int)": "float8", "abs(numeric)": "numeric",
    "date_trunc(text, timestamp)": "timestamp", "date_trunc(varchar, date)": "timestamp", "now()": "timestamptz",
    "hash_record_extended(record, int8)": "int8", "format_type(oid, int)": "text", "current_database()": "name",
    "current_schemas(bool)": "name[]", "pg_get_viewdef(oid)": "text", "array_position(text[], text)": "int",
    "lower(varchar)": "text", "lower(text)": "text", "concat(varchar, varchar)": "text",
    "bars(varchar, varchar)": "varchar", "bars2(varchar, text)": "text", "bars3(text, text)": "text",
    "bars4(bpchar, text)": "text",
    "eq(varchar, varchar)": "bool", "eq2(varchar, text)": "bool", "eq3(text, text)": "bool",
    "eq4(text, varchar)": "bool", "ge(float8, float8)": "bool", "plus(int8, int8)": "int8", "minus(int8, int8)": "int8",
    "step(int8, int8)": "int8", "step0(int8)": "int8", "stepx(int8, int4)": "int8", "stepn(numeric, int8)": "numeric",
    "from_text(text)": "public.own", "normalize(text, text)": "text", "regexp_replace(text, text, text)": "text",
    "regexp_replace(varchar, text, text)": "text", "matches(text, text)": "bool", "matches2(varchar, text)": "bool",
}  # fmt: skip
OPERATORS = {
    "||": [("varchar", "varchar", "bars"), ("varchar", "text", "bars2"), ("text", "text", "bars3"),
           ("bpchar", "text", "bars4")],
    "=": [("varchar", "varchar", "eq"), ("varchar", "text", "eq2"), ("text", "text", "eq3"),
          ("text", "varchar", "eq4")],
    ">=": [("float8", "float8", "ge")],
    "~": [("text", "text", "matches"), ("varchar", "text", "matches2")],
    "+": [("int8", "int8", "plus")],
    "-": [("int8", "int8", "minus")],
}  # fmt: skip


def set_traps(address: str) -> None:
    """As a role that may create in the schema public, and may not read the table."""
    with psycopg.connect(address.replace("tester", "stranger"), autocommit=True) as connection:
        connection.execute("create type public.own as (a text)")
        for signature, kind in FUNCTIONS.items():
            connection.execute(f"create function public.{signature} {TRAP.format(kind)}")
        for name, all_of in OPERATORS.items():
            for left, right, function in all_of:
                types = f"leftarg = {left}, rightarg = {right}"
                connection.execute(f"create operator public.{name} ({types}, function = public.{function})")
        for name, kind, function in (("sum", "int8", "step"), ("count", "*", "step0"), ("bit_xor", "int8", "step")):
            connection.execute(f"create aggregate public.{name} ({kind}) (sfunc = public.{function}, stype = int8)")
        for kind, function in (("int4", "stepx"), ("int8", "stepn")):
            stype = "numeric" if function == "stepn" else "int8"
            connection.execute(f"create aggregate public.max ({kind}) (sfunc = public.{function}, stype = {stype})")
        for name in ("pg_class", "pg_type", "pg_namespace", "pg_attribute", "pg_cast", "pg_inherits"):
            connection.execute(f"create table public.{name} (oid int)")
        connection.execute("create domain public.text as int")
        connection.execute("create cast (text as public.own) with function public.from_text(text) as implicit")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from clinic.stays")


@pytest.fixture(scope="module")
def clinic(server: str) -> str:
    """A table that the role `holder` may read, and `stranger` may not; public is first where the holder looks."""
    rng = np.random.default_rng(7)
    with psycopg.connect(server, autocommit=True) as connection:
        for role in ("holder", "stranger"):
            connection.execute(f"create role {role} login")
        connection.execute("grant create on schema public to stranger")
        connection.execute("create schema clinic; grant usage on schema clinic to holder, stranger")
        connection.execute(
            "create table clinic.stays (id int, x float8, n int8, sex varchar, ward char(2), day date, paid numeric, "
            "ill varchar)"
        )
        with connection.cursor() as cursor, cursor.copy("copy clinic.stays from stdin") as copy:
            for i in range(N):
                x = float(rng.random() * 100)
                row = [i, x, int(rng.integers(9)), str(rng.choice(["F", "M", "o"])), str(rng.choice(["a", "b", "c"]))]
                copy.write_row([*row, f"{rng.integers(1970, 2010)}-03-05", round(x / 9, 2), "yes" if x > 60 else "no"])
        connection.execute("grant select on clinic.stays to holder")
        connection.execute("alter role holder set search_path = public, clinic, pg_catalog")
    return server.replace("tester", "holder")


PLACES = {
    "table": {"table": "stays"},
    "schema": {"table": "stays", "schema": "clinic"},
    "query": {
        "query": "select id, x, n, lower(sex) || '' as s, sex, ward, day, paid, ill from stays where sex || '' <> 'q'"
    },
}


def test_nobody_elses_names_are_called(tmp_path: Path, clinic: str) -> None:
    """Counts, streamed rows and digests are what they were before the traps were set."""
    places = {name: {"database": clinic, "order": "id", **place} for name, place in PLACES.items()}
    cases = [(what, place) for what in ASKED for place in places]
    before = [sums(lay(tmp_path, ASKED[what], places[place], f"{what}-{place}")) for what, place in cases]
    set_traps(clinic.replace("holder", "tester"))
    with psycopg.connect(clinic, autocommit=True) as connection:
        for trap in ("width_bucket(x, '{1,2}')", "sex || sex", "count(*)", "sum(n)", "floor(x)", "x >= 1.0::float8"):
            with pytest.raises(psycopg.errors.RaiseException, match="trap"):
                connection.execute(f"select {trap} from clinic.stays")
    for (what, place), expected in zip(cases, before, strict=True):
        assert same(sums(lay(tmp_path, ASKED[what], places[place], f"{what}-{place}-again")), expected), (what, place)
    assert release(load(lay(tmp_path, ASKED["marginals"], places["query"], "whole")))


@pytest.mark.parametrize(
    "query",
    [
        "select public.lower(sex) as sex, x from clinic.stays",
        "select sex operator(public.||) sex as sex, x from clinic.stays",
        "select stays.lower as x, ill from clinic.stays",
        "select sex::public.own as x from clinic.stays",
        "select initcap2(sex) as x from clinic.stays",
        "select x, ill from stays, lateral public.now() as y",
    ],
)
def test_a_query_calls_no_function_of_others(tmp_path: Path, clinic: str, query: str) -> None:
    path = lay(tmp_path, ASKED["thresholds"], {"database": clinic, "query": query})
    with pytest.raises(ValueError, match=r"query: has |has no such table or column|is no column of what"):
        release(load(path))


@pytest.mark.parametrize(
    "query",
    [
        "select stays.count as x, 'yes' as ill from stays",
        "select length(cast(stays.array_agg as text)) as x, 'yes' as ill from stays",
        "select x, ill from (select u.count as x, 'yes' as ill from (select x from stays) u) v",
        "select u.num_nonnulls as x, ill from stays u",
        "select length(cast(stays as text)) as x, ill from stays",
        "select length(cast(u as text)) as x, ill from stays as u",
        'select length(cast("ctid" as text)) as x, ill from stays',
        'select cast(cast(stays."xmin" as text) as float8) as x, ill from stays',
        "select x, ill from stays where stays.count > 1",
        "select a.count as x, ill from stays as a(x, ill)",
    ],
)
def test_a_name_is_a_column_of_what_is_selected_from(tmp_path: Path, clinic: str, query: str) -> None:
    """PostgreSQL reads t.count as count(t): an aggregate, or another function, written as a column."""
    path = lay(tmp_path, ASKED["thresholds"], {"database": clinic, "query": query})
    with pytest.raises(ValueError, match=r"query: .* is no column of what it selects from|which depends on other rows"):
        release(load(path))


@pytest.mark.parametrize(
    "query",
    [
        "select stays.x, ill from stays",
        'select u."x" as x, u.ill from stays as u where u.X > 1',
        "select b as x, ill from stays as a(c, b)",
        "with w as (select x as z, ill from stays) select z as x, ill from w",
        "select v.* from (select x, ill from stays) v",
    ],
)
def test_columns_of_what_is_selected_from_are_taken(tmp_path: Path, clinic: str, query: str) -> None:
    path = lay(tmp_path, ASKED["thresholds"], {"database": clinic, "query": query})
    release(load(path))


def test_a_type_of_others_is_not_read_and_does_not_stop_other_columns(tmp_path: Path, clinic: str) -> None:
    """Its owner says how it is compared, hashed, written and cast."""
    with psycopg.connect(clinic.replace("holder", "tester"), autocommit=True) as connection:
        connection.execute("create schema if not exists kinds; create type kinds.mood as enum ('yes', 'no')")
        connection.execute("create type kinds.pair as (a int); create domain kinds.number as float8 check (value > -1)")
        connection.execute("create table kinds.t (x kinds.number, ill kinds.mood, worse kinds.mood, p kinds.pair)")
        connection.execute("insert into kinds.t select i, case when i > 60 then 'yes' else 'no' end::kinds.mood from "
                           "generate_series(0, 99) i")  # fmt: skip
        connection.execute("grant usage on schema kinds to holder; grant select on kinds.t to holder")
        place = {"database": clinic, "schema": "kinds", "table": "t"}
        assert sums(lay(tmp_path, ASKED["thresholds"], place))
        connection.execute(f"create function kinds.f(kinds.mood) {TRAP.format('pg_catalog.text')}")
        connection.execute("create cast (kinds.mood as pg_catalog.text) with function kinds.f(kinds.mood) as implicit")
    path = lay(tmp_path, ASKED["thresholds"], place, "again")
    with pytest.raises(ValueError, match=r"column 'ill' has the type kinds\.mood, which is not read"):
        load(path)


def test_a_table_of_the_same_name_is_not_taken_for_it(tmp_path: Path, clinic: str) -> None:
    """A stranger may create one in a schema that the holder's search path names first."""
    stranger = clinic.replace("holder", "stranger")
    with psycopg.connect(stranger, autocommit=True) as connection:
        connection.execute("create view public.stays as select 1.0::float8 as x, 'yes'::pg_catalog.varchar as ill")
        connection.execute("grant select on public.stays to holder")
    try:
        for place in ({"table": "stays"}, {"query": "select x, ill from stays"}):
            path = lay(tmp_path, ASKED["thresholds"], {"database": clinic, **place}, next(iter(place)))
            with pytest.raises(ValueError, match="several schemas of the search path have a table of this name"):
                load(path)
        named = {"database": clinic, "query": "select x, ill from clinic.stays"}
        assert sums(lay(tmp_path, ASKED["thresholds"], named))
    finally:
        with psycopg.connect(stranger, autocommit=True) as connection:
            connection.execute("drop view public.stays")


VIEWS = {
    "select x, ill from clinic.stays where n >= 0": None,
    "select case when x > 50 then x end as x, ill from (select * from clinic.stays) q where sex in ('F', 'M')": None,
    "select max(x) over () as x, ill from clinic.stays": "a window function",
    "select avg(x) as x, ill from clinic.stays group by ill": "GROUP BY",
    "select a.x, a.ill from clinic.stays a join clinic.stays b on a.id <> b.id": "a join",
    "select x, ill from clinic.stays limit 100": "LIMIT",
    "select x, ill from clinic.stays union all select x, ill from clinic.stays": "UNION",
    "select x, public.own_view_function(ill) as ill from clinic.stays": "a name with a dot",
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("over", ["view", "view of the view", "materialized view"])
def test_a_view_is_held_to_the_properties_of_queries(tmp_path: Path, clinic: str, view: str, over: str) -> None:
    with psycopg.connect(clinic.replace("holder", "tester"), autocommit=True) as connection:
        connection.execute("drop schema if exists views cascade; create schema views")
        connection.execute(
            "create or replace function public.own_view_function(pg_catalog.varchar) returns pg_catalog.varchar "
            "language sql as $$ select $1 $$; set search_path = pg_catalog"
        )
        connection.execute(f"create {'materialized ' if over.startswith('m') else ''}view views.inner_one as {view}")
        connection.execute("create view views.outer_one as select x, ill from views.inner_one")
        connection.execute(
            "grant usage on schema views to holder; grant select on all tables in schema views to holder"
        )
    name = "outer_one" if "of" in over else "inner_one"
    path = lay(tmp_path, ASKED["thresholds"], {"database": clinic, "schema": "views", "table": name})
    if VIEWS[view] is None:
        assert sums(path)
        return
    with pytest.raises(ValueError, match=rf"view views\.inner_one: has {VIEWS[view]}"):
        load(path)


# ---------------------------------------------------------------------------------------------------- DuckDB
MACROS = [
    "lower(a) as error('trap')", "floor(x) as error('trap')",
    '"+"(a, b) as error(\'trap\')', '"||"(a, b) as error(\'trap\')',
    '"-"(a, b) as error(\'trap\')', "hash(a, b) as error('trap'), (a, b, c, d) as error('trap')",
    "greatest(a, b) as error('trap')", "least(a, b) as error('trap')", '"~~"(a, b) as error(\'trap\')',
    "sum(a) as error('trap')", "count(a) as error('trap')", "bit_xor(a) as error('trap')",
    "histogram(a, b) as error('trap')",
    "epoch(a) as error('trap')", "date_trunc(a, b) as error('trap')", "initcap(a) as error('trap')",
    "duckdb_tables() as table select error('trap')",
    "duckdb_views() as table select error('trap')", "read_parquet(a) as table select error('trap')",
]  # fmt: skip


def test_macros_of_a_file_stand_for_no_function(tmp_path: Path) -> None:
    """Neither in what is asked, nor in a query, nor in the views of the file."""
    path = tmp_path / "clinic.duckdb"
    asked = {what: ASKED[what] for what in ("thresholds", "rows")}
    places = [
        {"table": "stays"},
        {"query": "select id, floor(x) + 1 as x, n, lower(ill) || '' as ill from stays where sex like 'F%'"},
        {"table": "seen"},
        {"schema": "more", "table": "renamed"},
    ]
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema more")
        connection.execute(
            "create table stays as select range as id, (range * 7919) % 100 + .5 as x, range % 9 as n, "
            f"if(range % 2 = 0, 'F', 'M') as sex, if(x > 60, 'yes', 'no') as ill from range({N})"
        )
        connection.execute("create view seen as select id, floor(x) + 1 as x, n, lower(ill) || '' as ill from stays")
        connection.execute("create view more.renamed(id, x, n, ill) as select id, x, n, ill from main.seen")
    cases = [
        (what, i, {"database": f"duckdb://{path}", "order": "id", **place})
        for what in asked
        for i, place in enumerate(places)
    ]
    before = [sums(lay(tmp_path, asked[what], place, f"{what}-{i}")) for what, i, place in cases]
    with duckdb.connect(str(path)) as connection:
        for macro in MACROS:
            connection.execute(f"create macro {macro}")
        with pytest.raises(duckdb.Error, match="trap"):
            connection.execute("select lower(ill) from stays").fetchall()
    for (what, i, place), expected in zip(cases, before, strict=True):
        assert same(sums(lay(tmp_path, asked[what], place, f"{what}-{i}-again")), expected), (what, place)


def test_the_session_holds_no_state_of_python(tmp_path: Path) -> None:
    """A table of a variable here is no table of a query."""
    stays = pd.DataFrame({"x": [1.0], "ill": ["yes"]})
    with pytest.raises(ValueError, match="has no such table"):
        Stored("duckdb://", query="select x, ill from stays").check([])
    assert len(stays) == 1


# ---------------------------------------------------------------------------------------------------- Spark
@pytest.mark.spark
def test_views_and_functions_of_a_session_of_spark(tmp_path: Path) -> None:
    spark_here.prepare()
    pyspark = importlib.import_module("pyspark")
    pd.DataFrame({"x": [1.0, 2.0, 3.0], "ill": ["yes", "no", "no"]}).to_parquet(tmp_path / "a b.parquet")
    file = f"parquet.`{tmp_path / 'a b.parquet'}`"
    assert Stored("spark://local[2]", query=f"select x + 1 as x, lower(ill) as ill from {file} where x > 1").rows() == 2
    session = pyspark.sql.SparkSession.getActiveSession()
    views = {
        f"select x + 1 as x, ill from {file} where x > 1": None,
        f"select max(x) over () as x, ill from {file}": "has Window",
        f"select x, ill from {file} union all select x, ill from {file}": "has Union",
        f"select x, ill from {file} limit 2": "has GlobalLimit",
        f"select (select max(x) from {file}) as x, ill from {file}": "a query inside an expression",
        f"select rand() as x, ill from {file}": "random numbers",
    }
    for text, message in views.items():
        session.sql(f"create or replace temp view inner_one as {text}")
        session.sql("create or replace temp view outer_one as select x from inner_one")
        for place in ({"table": "inner_one"}, {"table": "outer_one"}, {"query": "select x from Outer_One"}):
            source = Stored("spark://local[2]", **place)
            if message is None:
                assert source.rows() == 2
                with pytest.raises(ValueError, match="are one file"):
                    check_apart(source, Files(tmp_path / "a b.parquet"), None)
            else:
                with pytest.raises(ValueError, match=message):
                    source.rows()
    session.udf.register("lower", lambda cell: f"trap {cell}")
    try:
        with pytest.raises(ValueError, match="has functions of its own"):
            Stored("spark://local[2]", query=f"select x, lower(ill) as ill from {file}").rows()
    finally:
        session.stop()
