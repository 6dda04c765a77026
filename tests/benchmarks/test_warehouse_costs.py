"""What a warehouse would scan: the plans are read rightly, and the page's tables are those that are computed."""

import json
from pathlib import Path

import duckdb
import pytest
import warehouse

PAGE = Path("docs/warehouse.md").read_text()
THRESHOLDS = list(warehouse.RELEASES)[:2]


def between(marks: tuple[str, str]) -> list[str]:
    start, end = marks
    return PAGE.partition(start)[2].partition(end)[0].strip().splitlines()


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("select count(*) from t", [set()]),
        ("select b, count(*) from (select *, a + 1 as more from t) as q group by b", [{"b"}]),
        ("select b from t where a = 0.25", [{"a", "b"}]),
        ("select a from t union all select d from t", [{"a"}, {"d"}]),
        ("select a from t where false", []),
    ],
)
def test_a_plan_tells_the_columns_that_are_scanned(query: str, columns: list[set[str]]) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table t as select i / 8 as a, i::varchar as b, i as d from range(9) as r(i)")
        ((_, plan),) = connection.execute(f"explain (format json) {query}").fetchall()
    scans = list(warehouse.scans(json.loads(plan)))
    assert sorted(map(sorted, scans)) == sorted(map(sorted, columns))


def test_the_page_has_the_bytes_of_releases() -> None:
    """Of those that one column decides; the others are written by the same function."""
    head, line, *rows = warehouse.table(THRESHOLDS)
    assert between(warehouse.BYTES)[: 2 + len(rows)] == [head, line, *rows]
    assert len(between(warehouse.BYTES)) == 2 + len(warehouse.RELEASES)


def test_seconds_are_those_of_the_queries_that_scan_and_a_minute_is_the_least() -> None:
    """A declared version saves the digest, whose query scans all columns."""
    (_, digested), (_, declared) = warehouse.timed(THRESHOLDS, 50_000)
    assert 0 < declared < digested
    assert warehouse.dollars(1, least=60) == warehouse.dollars(8 * 60) == warehouse.dollars(16 * 60) / 2
    lines = between(warehouse.SECONDS)
    assert len(lines) == 2 + len(warehouse.RELEASES)
    for line in lines[2:]:
        kind, seconds, hours, price = (cell.strip() for cell in line.strip("|").split("|"))
        assert kind in warehouse.RELEASES
        assert float(hours) == pytest.approx(float(seconds) / 3.6, abs=0.01)
        assert float(price) == pytest.approx(warehouse.dollars(float(seconds) * 1000), abs=0.01)


def test_the_page_has_the_exponents_of_what_was_measured() -> None:
    lines = warehouse.exponents(Path("docs/database-speed.md").read_text())
    assert between(warehouse.GROWTH) == lines
    assert len(lines) > 6
    table = (
        "| what is counted | rows | database |\n|---|---|---|\n| x | 1e3 | 2 |\n| x | 1e5 | 200 |\n| y | 1e3 | 1 |\n"
    )
    assert warehouse.exponents(table)[2:] == ["| x | DuckDB | 1e3 to 1e5 | 2 to 200 | 1.00 |"]
