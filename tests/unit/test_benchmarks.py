"""The benchmarks at a small size: they run, kernel and baseline agree where both count, and a miss is seen."""

import dataclasses

import numpy as np
import pytest
from kernels import BENCHMARKS, halfspace_mistakes, planar_halfspaces, thresholds
from run import RESULTS, draw, line, measure

from semipriv import tables
from semipriv.classes.halfspaces import Halfspaces

HERE = [benchmark for benchmark in BENCHMARKS if "diffprivlib" not in benchmark.tags]
FACTOR = 0.03


def quick(benchmark):
    return dataclasses.replace(benchmark, repeats=1)


def test_benchmarks_run(tmp_path) -> None:
    rows = [measure(quick(benchmark), FACTOR) for benchmark in HERE]
    for row in rows:
        assert row["seconds"] > 0
        assert row["benchmark"] in line(row)
        assert (row["ratio"] is None) == (row["baseline"] == "none")
    tables.write(tmp_path / "benchmarks.parquet", RESULTS, rows)
    assert tables.read(tmp_path / "benchmarks.parquet", RESULTS).num_rows == len(HERE)
    draw(rows, tmp_path / "benchmarks.png")
    assert (tmp_path / "benchmarks.png").stat().st_size > 10_000


def test_names_are_unique() -> None:
    assert len({benchmark.name for benchmark in BENCHMARKS}) == len(BENCHMARKS)


def test_kernels_do_the_work_of_their_baselines() -> None:
    made = thresholds(FACTOR)
    np.testing.assert_array_equal(made.work(), made.baseline())
    parameters, x, y = planar_halfspaces(FACTOR)
    made = halfspace_mistakes(16)(FACTOR)
    mistakes = Halfspaces(2).mistakes(parameters, x, y)
    np.testing.assert_array_equal(made.work(), mistakes)
    signed = made.baseline()  # zeros less ones on the positive side
    np.testing.assert_array_equal(signed + np.count_nonzero(y), mistakes[: len(signed)])


@pytest.mark.parametrize(("target", "at_most", "met"), [(1e9, None, False), (1e-9, None, True), (None, 1e-9, False)])
def test_a_miss_is_seen(target, at_most, met) -> None:
    benchmark = next(b for b in HERE if b.name.startswith("thresholds"))
    row = measure(dataclasses.replace(benchmark, target=target, at_most=at_most, growth=None, repeats=1), FACTOR)
    assert row["met"] is met
    assert ("MISSED" in line(row)) is not met
