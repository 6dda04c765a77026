"""What the last run describes the time of jobs."""

from pathlib import Path

import pytest

from semipriv.core import tables
from semipriv.core.tables import Schema
from semipriv_lab.workflow.timings import TIMINGS, job_of, last_seconds

ROW = {
    "rule": "evaluate", "job": "grid_0", "paper": "ABM19", "seconds": 9.0, "work": 8.0, "cpu": 4.0, "memory": 90.0,
}  # fmt: skip


def test_seconds_are_found_by_the_record_of_a_job(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    unknown = ROW | {"job": "grid_1", "work": None, "cpu": None, "memory": None}
    tables.write(path, TIMINGS, [ROW, unknown, ROW | {"rule": "ledger", "job": "", "cpu": 2.0}])
    seconds = last_seconds(path)
    assert len(seconds) == 2, "the log of grid_1 is lost"
    assert seconds[job_of("results/timings/evaluate/grid_0.tsv")] == 4.0
    assert seconds[job_of("results/timings/ledger.tsv")] == 2.0


@pytest.mark.parametrize("fault", ["missing", "cut", "altered", "older", "no table"])
def test_nothing_is_known_without_a_whole_table(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "jobs.parquet"
    tables.write(path, TIMINGS, [ROW])
    assert last_seconds(path)
    data = path.read_bytes()
    match fault:
        case "missing":
            path.unlink()
        case "cut":
            path.write_bytes(data[:-20])
        case "altered":
            path.write_bytes(data.replace(b"grid_0", b"grid_1", 1))
        case "older":
            old = Schema("timings", "", tuple(column for column in TIMINGS.columns if column.name != "cpu"))
            tables.write(path, old, [ROW])
        case "no table":
            path.write_text("rule\tjob\n")
    assert last_seconds(path) == {}
