"""The rule on jobs: start-up below a tenth of a run, and at most 300 jobs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from semipriv_lab.workflow.runtimes import JOBS, START_UP, JobRule, by_paper, job_rule, write_runtimes


def timings(blocks: int, work: float, start_up: float = 0.65) -> pd.DataFrame:
    """Timings as a run of 11 experiments records them: five rules for each block, and an evenly cut work."""
    rules = ["generate_data", "construct_cover", "private_select", "measure_without_privacy", "evaluate"]
    rows = [
        {
            "rule": rule,
            "job": f"experiment_{e}_{block}",
            "paper": "ABM19",
            "seconds": start_up + work / (5 * blocks),
            "work": work / (5 * blocks),
        }
        for e in range(11)
        for block in range(blocks)
        for rule in rules
    ]
    return pd.DataFrame(rows)


def test_a_run_within_the_rule() -> None:
    rule = job_rule(timings(1, 50.0))
    assert rule.jobs == 55
    assert rule.start_up == pytest.approx(0.65 / 10.65)
    assert rule.broken == []
    assert str(rule) == "The rule on jobs holds: start-up below 10 % of the run, at most 300 jobs."


def test_too_many_blocks_break_it_by_start_up() -> None:
    rule = job_rule(timings(4, 50.0))
    assert rule.start_up == pytest.approx(0.65 / 3.15)
    assert rule.broken == ["start-up is 20.6 % of the run, not below 10 %"]
    assert "Fewer blocks help" in str(rule)


def test_too_many_jobs_break_it_even_if_they_are_long() -> None:
    rule = job_rule(timings(6, 5000.0))
    assert rule.start_up < START_UP / 10
    assert rule.broken == [f"330 jobs are more than {JOBS}"]


def test_the_limits_themselves() -> None:
    assert JobRule(JOBS, 0.0999).broken == []
    assert len(JobRule(JOBS + 1, START_UP).broken) == 2


def test_jobs_whose_work_is_not_known_count_as_jobs_only() -> None:
    rows = timings(1, 50.0)
    unknown = pd.DataFrame([{"rule": "ledger", "job": "x", "seconds": 1000.0, "work": np.nan}])
    rule = job_rule(pd.concat([rows, unknown]))
    assert (rule.jobs, rule.start_up) == (56, job_rule(rows).start_up)
    assert job_rule(rows[:0]) == JobRule(0, 0.0)


def test_the_page_and_the_log_say_whether_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "timings/evaluate").mkdir(parents=True)
    (tmp_path / "timings/evaluate/a_0.tsv").write_text("s\n4.0\n")
    (tmp_path / "logs/evaluate").mkdir(parents=True)
    for work, message in (("1.00", "is broken: start-up is 75.0 % of the run"), ("3.90", "holds")):
        (tmp_path / "logs/evaluate/a_0.log").write_text(f"done in {work} s, 1.00 s of CPU, 10 MiB\n")
        write_runtimes(
            tmp_path / "timings",
            tmp_path / "logs",
            {"a_0": "ABM19"},
            tmp_path / "jobs.parquet",
            tmp_path / "jobs.html",
            tmp_path / "minutes.txt",
        )
        assert f"The rule on jobs {message}" in capsys.readouterr().out
        assert f"The rule on jobs {message}" in (tmp_path / "jobs.html").read_text()


def test_minutes_by_paper() -> None:
    rows = pd.DataFrame({"paper": ["BMN20", "ABM19", "BMN20"], "seconds": [60.0, 30.0, 120.0]})
    assert by_paper(rows) == "Minutes of one core by paper: ABM19 0.5, BMN20 3.0, in all 3.5"
