"""A query is a projection and a filter of one relation, row by row; anything else is refused before it is sent."""

import itertools

import pytest

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
rowwise = pytest.importorskip("semipriv.practice.databases._rowwise", reason=WHY)
Stored = pytest.importorskip("semipriv.practice.sources.stored", reason=WHY).Stored

ROWS = "(select range as id, range * 1.5 as x, 'a' || range as s, date '2020-01-01' + range::int as d from range({}))"
GOOD = [
    "select * from t",
    "from t",
    "select x, s from t where x > 3 and s in ('a5', 'a12') or s is null",
    "select x + 1 as x, lower(s) as s, case when x > 2 then 1 else 0 end as y from t",
    "select q.x from (select x, id from t where id < 9) q where q.x > 2",
    "with r as (select x, id from t), w as (select x from r where id > 2) select x * 2 as x from w",
    "with r(a, b) as (select x, id from t) select a from r where b > 2",
    "with t as (select * from t where id > 1) select x from t",
    "select try_cast(s as double) as x, year(d) as y, coalesce(x, 0) as z, x between 1 and 2 as w from t",
    "select * exclude (s) replace (x * 2 as x) from t",
    "(select x from t)",
]
BAD = {
    "a window": ("select max(x) over () as x from t", "a window function"),
    "a window with a name": ("select max(x) over w as x from t window w as (order by id)", "a window"),
    "lag": ("select lag(x) over (order by id) as x from t", "a window function"),
    "an aggregate": ("select max(x) as x from t", "an aggregate, MAX"),
    "an aggregate of anonymous name": ("select approx_quantile(x, .5) as x from t", "an aggregate, APPROX_QUANTILE"),
    "quantiles": ("select quantile_cont(x, .5) as x from t", "PERCENTILECONT|WithinGroup|the function|an aggregate"),
    "groups": ("select x from t group by x", "GROUP BY"),
    "all groups": ("select x from t group by all", "GROUP BY"),
    "having": ("select 1 as x from t having count(*) > 3", "HAVING"),
    "qualify": ("select x from t qualify row_number() over (order by id) = 1", "QUALIFY"),
    "distinct": ("select distinct x from t", "DISTINCT"),
    "distinct on": ("select distinct on (x) x from t", "DISTINCT"),
    "a join": ("select t.x from t join t u on t.id <> u.id", "a join"),
    "two tables": ("select t.x from t, t u", "a join"),
    "a cross join": ("select t.x from t cross join t u", "a join"),
    "a positional join": ("select t.x from t positional join t u", "a join"),
    "a natural join": ("select x from t natural join t u", "a join"),
    "a semi join": ("select x from t semi join t u using (id)", "a join"),
    "an asof join": ("select t.x from t asof join t u on t.id >= u.id", "a join"),
    "a union": ("select x from t union all select x from t", "UNION"),
    "a union by name": ("select x from t union all by name select x from t", "UNION"),
    "an intersection": ("select x from t intersect select x from t", "INTERSECT"),
    "a difference": ("select x from t except select x from t", "EXCEPT"),
    "limit": ("select x from t limit 3", "LIMIT"),
    "order and limit": ("select x from t order by x desc limit 3", "LIMIT|ORDER"),
    "a share": ("select x from t limit 10%", "LIMIT|is not SQL"),
    "fetch": ("select x from t order by x fetch first 3 rows only", "LIMIT|ORDER"),
    "offset": ("select x from t offset 3", "OFFSET"),
    "order": ("select x from t order by x", "ORDER BY"),
    "sample": ("select x from t using sample 3", "sampling"),
    "sample of a table": ("select x from t tablesample 10%", "sampling"),
    "random": ("select x from t where random() < .5", "random"),
    "uuid": ("select uuid() as x from t", "the function"),
    "a sequence": ("select nextval('s') as x from t", "the function"),
    "today": ("select x from t where d < current_date", "the date of today"),
    "now": ("select x from t where d < now()", "now|the time of now"),
    "a user": ("select x from t where current_user = 'a'", "the function"),
    "a scalar subquery": ("select (select max(x) from t) as x from t", "."),
    "a subquery in where": ("select x from t where x > (select avg(x) from t)", "."),
    "a plain subquery": ("select (select x from t where id = 3) as x from t", "a query inside an expression"),
    "exists": ("select x from t where exists (select 1 from t u where u.x = t.x)", "a query inside|EXISTS"),
    "in a query": ("select x from t where x in (select x from t)", "a query inside"),
    "any of a query": ("select x from t where x = any (select x from t)", "a query inside"),
    "a list from a query": ("select array(select x from t) as x from t", "a query inside"),
    "within another": ("select x from (select max(x) over () as x from t)", "a window function"),
    "within a with": ("with r as (select x from t limit 1) select x from r", "LIMIT"),
    "a with that is not used": ("with r as (select max(x) from t) select x from t", "an aggregate"),
    "recursion": ("with recursive r as (select x from t) select x from r", "RECURSIVE"),
    "unnest": ("select unnest([x, x]) as x from t", "UNNEST"),
    "generate_series": ("select generate_series(1, 3) as x from t", "the function"),
    "a function as a table": ("select range as x from range(10)", "in place of a table"),
    "lateral": ("select x from t, lateral (select 1)", "a join|LATERAL"),
    "values": ("select x from (values (1)) v(x)", "VALUES"),
    "a table in parentheses": ("select x from (t)", "parentheses"),
    "joined in parentheses": ("select x from (t join u using (id))", "."),
    "values in a with": ("with r as (values (1)) select x from t", "VALUES"),
    "no table": ("select 1 as x", "no table"),
    "a macro": ("select mine(x) as x from t", r"the function mine\(\)"),
    "a schema's function": ("select main.lower(s) as x from t", "a name with a dot"),
    "a filter": ("select max(x) filter (where x > 1) as x from t", "FILTER|an aggregate"),
    "a list function": ("select list_transform([x], y -> y) as x from t", "the function"),
    "a comprehension": ("select [y for y in [x]] as x from t", "."),
    "all columns": ("select columns('x') from t", "COLUMNS"),
    "a number": ("select #1 as x from t", "by its number"),
    "pivot": ("pivot t on s using max(x)", "."),
    "unpivot": ("select value as x from (unpivot t on x)", "."),
    "a text file": ("select x from read_csv('t.csv')", "give such a file as private.path"),
    "JSON": ("select x from read_json('t.json')", "in place of a table|private.path"),
    "a query as text": ("select x from query('select max(x) from t')", "in place of a table"),
    "a table as text": ("select x from query_table('t')", "in place of a table"),
    "a variable": ("select getvariable('x') as x from t", "the function"),
    "a placeholder": ("select $1 as x from t", "a placeholder"),
    "a summary": ("summarize t", "must be a SELECT"),
    "a description": ("describe t", "must be a SELECT"),
    "a setting": ("set threads = 1", "must be a SELECT"),
    "an attachment": ("attach 'x' as y", "must be a SELECT"),
}
POSTGRES = {
    "rows from": ("select x from rows from (f(1)) as x", "in place of a table"),
    "a set in the list": ("select regexp_split_to_table(s, 'a') as x from t", "the function"),
    "an operator": ("select s operator(public.||) s as x from t", "OPERATOR"),
    "a type": ("select s::public.mood as x from t", "a type that is not"),
    "a class of objects": ("select s::regclass as x from t", "OBJECTIDENTIFIER|a type that is not"),
    "a collation": ("select s collate public.mine as x from t", "."),
    "a row": ("select (t).x from t", "a name with a dot"),
    "a place": ("select ctid as x from t", "ctid"),
    "a writer": ("select xmin as x from t", "xmin"),
    "a lock": ("select x from t for update", "must only read"),
    "sleep": ("select pg_sleep(1) as x from t", "the function"),
    "a file": ("select pg_read_file('x') as x from t", "the function"),
}
SPARK = {
    "explode": ("select x from t lateral view explode(s) as y", "LATERAL"),
    "exploded": ("select explode(array(x)) as x from t", "UNNEST"),
    "sort": ("select x from t sort by x", "SORT BY"),
    "distribute": ("select x from t distribute by x", "DISTRIBUTE"),
    "a script": ("select transform(x) using 'cat' from t", "."),
    "a hint": ("select /*+ broadcast(t) */ x from t", "HINT"),
}


@pytest.mark.parametrize("query", GOOD)
def test_a_query_is_a_projection_and_a_filter(query: str) -> None:
    """Its rows over two tables are its rows over their union: no row depends on another one."""
    asked = rowwise.projection(query, "duckdb")
    rows = [ROWS.format("0, 7"), ROWS.format("7, 20"), ROWS.format("0, 20")]
    answers = [duckdb.sql(asked.sql("duckdb").replace("FROM t", f"FROM {table} AS t")).fetchall() for table in rows]
    given = (
        [duckdb.sql(f"with t as {part} {query}") for part in rows[2:]] if not query.startswith(("with", "(")) else []
    )
    assert sorted(answers[0] + answers[1], key=str) == sorted(answers[2], key=str) != []
    assert all(sorted(relation.fetchall(), key=str) == sorted(answers[2], key=str) for relation in given)


@pytest.mark.parametrize(
    ("what", "dialect"),
    [
        *itertools.product(BAD, ["duckdb"]),
        *itertools.product(POSTGRES, ["postgres"]),
        *itertools.product(SPARK, ["spark"]),
    ],
)
def test_anything_else_is_refused_and_named(what: str, dialect: str) -> None:
    query, message = {"duckdb": BAD, "postgres": POSTGRES, "spark": SPARK}[dialect][what]
    with pytest.raises(ValueError, match=f"^query: .*({message})") as caught:
        rowwise.projection(query, dialect)
    assert caught.value.__context__ is None
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("what", BAD)
def test_it_is_refused_without_a_connection(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb, "connect", None)
    with pytest.raises(ValueError, match="query: "):
        Stored("duckdb://", query=BAD[what][0])


def test_a_query_without_end_is_refused() -> None:
    for query in (
        "select x from t where " + "(" * 5000 + "x" + ")" * 5000 + " > 1",
        "select " + "-" * 4001 + "x from t",
    ):
        with pytest.raises(ValueError, match="query: "):
            rowwise.projection(query, "duckdb")
