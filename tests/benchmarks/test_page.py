"""The page's table of kernels: a row for each kernel with a demand, between its marks alone."""

import growth
import page
import pytest
from kernels import BENCHMARKS

ROW = {
    "benchmark": "a kernel",
    "baseline": "NumPy",
    "ratio": 41.52,
    "least_ratio": 36.0,
    "growth": None,
    "growth_limit": None,
    "bytes": 8e6,
    "reads": 1.8213,
    "reads_limit": 2.5,
}


def test_a_table_is_written_between_its_marks_again_and_again() -> None:
    text = f"before\n{page.START}\n| old |\n{page.END}\nafter\n"
    of_reads = ROW | {"least_ratio": None, "benchmark": "a kernel by reads"}
    others = [ROW | {"bytes": None, "benchmark": "not counted"}, of_reads | {"reads_limit": None}]
    once = page.written(text, page.table([ROW, of_reads, *others], [ROW | {"ratio": 52.0}]))
    lines = once.splitlines()
    assert lines[:2] == ["before", page.START]
    assert lines[-2:] == [page.END, "after"]
    assert lines[4:-2] == [
        "| a kernel | NumPy | 41.5 (>= 36) | 52 |  | 8,000,000 | 1.82 (<= 2.5) |",
        "| a kernel by reads | NumPy | 41.5 |  |  | 8,000,000 | 1.82 (<= 2.5) |",
    ]
    assert page.written(once, page.table([ROW, of_reads], [ROW | {"ratio": 52.0}])) == once


@pytest.mark.parametrize(("value", "text"), [(0.0123, ".0123"), (41.52, "41.5"), (1724.4, "1,724"), (1.0, "1")])
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert page.number(value) == text


def rows_between(start: str, end: str) -> list[list[str]]:
    text = page.PAGE.read_text(encoding="utf-8")
    rows = text.partition(start)[2].partition(end)[0].strip().splitlines()[2:]
    return [row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows]


def test_the_page_names_benchmarks_that_are_there() -> None:
    names = {row[0] for row in rows_between(page.START, page.END)}
    assert names
    assert names <= {benchmark.name for benchmark in BENCHMARKS}


def test_the_page_has_every_curve_with_its_bound() -> None:
    shown = [(row[0].partition(" (")[0], row[1], row[4]) for row in rows_between(*page.GROWTH)]
    assert shown == [(curve.name, curve.size, curve.bound) for curve in growth.CURVES]
