"""The page's table of kernels: a row for each kernel with a demand, between its marks alone."""

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
    others = [ROW | {"bytes": None, "benchmark": "not counted"}, ROW | {"least_ratio": None, "benchmark": "no demand"}]
    once = page.written(text, [ROW, *others])
    lines = once.splitlines()
    assert lines[:2] == ["before", page.START]
    assert lines[-2:] == [page.END, "after"]
    assert lines[4:-2] == ["| a kernel | NumPy | 41.5 (>= 36) |  | 8,000,000 | 1.82 (<= 2.5) |"]
    assert page.written(once, [ROW]) == once


@pytest.mark.parametrize(("value", "text"), [(0.0123, ".0123"), (41.52, "41.5"), (1724.4, "1,724"), (1.0, "1")])
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert page.number(value) == text


def test_the_page_names_benchmarks_that_are_there() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    rows = text.partition(page.START)[2].partition(page.END)[0].strip().splitlines()[2:]
    assert {row.split(" | ")[0].removeprefix("| ") for row in rows} <= {benchmark.name for benchmark in BENCHMARKS}
    assert rows
