"""Every rule that works through a block, and every study, says in its log how far it came: in the end, all of it."""

import re
from pathlib import Path

import pytest

from semipriv.core import tables
from semipriv_lab.experiments import schemas

LINE = re.compile(r"(?P<job>[^:]+): (?P<done>[\d,]+)/(?P<total>[\d,]+) (?P<what>[a-z ]+).* in all")

TRIALS = {
    "generate_data",
    "split_table",
    "construct_cover",
    "private_select",
    "measure_without_privacy",
    "evaluate",
}
"""Rules that go through the trials of a block, and one that goes through those of all blocks."""


def last_lines(log: Path) -> list[tuple[str, int, str]]:
    """Job, number of items and what they are, of each loop that came to its end."""
    matches = [match for match in map(LINE.fullmatch, log.read_text().splitlines()) if match]
    for match in matches:
        assert match["done"] == match["total"], log
    return [(match["job"], int(match["total"].replace(",", "")), match["what"]) for match in matches]


def expected(rule: str, job: str, results: Path) -> tuple[int, str]:
    """How many items the rule has to go through, counted in the tables of the run."""
    experiment = job if rule.startswith("evaluate") else job.rpartition("_")[0]
    rows = tables.read_rows(results / experiment / "trials.parquet", schemas.TRIALS)
    if rule == "evaluate_held_out":
        return len(rows), "releases"
    return len({(row["cell"], row["trial"]) for row in rows}), "trials"


@pytest.mark.parametrize("rule", sorted(TRIALS | {"evaluate_held_out"}))
def test_logs_of_blocks_end_with_all_items_done(finished: Path, rule: str) -> None:
    logs = sorted((finished / "results/logs" / rule).glob("*.log"))
    assert logs
    for log in logs:
        items, what = expected(rule, log.stem, finished / "results")
        assert items > 1
        loops = [(f"{rule} {log.stem}", items, what)]
        if rule.startswith("evaluate"):
            means = tables.read_rows(finished / "results" / log.stem / "summary.parquet", schemas.SUMMARY)
            loops.append((f"{rule} {log.stem}", len(means), "means"))
        assert last_lines(log) == loops


def test_logs_of_studies_end_with_all_items_done(finished: Path) -> None:
    logs = sorted((finished / "results/logs/measure_study").glob("*.log"))
    assert [log.stem for log in logs] == ["abm19_private_need", "abm19_public_need"]
    for log in logs:
        lines = last_lines(log)
        assert lines
        assert {job for job, _, _ in lines} == {f"measure_study {log.stem}"}
        assert all(items > 1 for _, items, _ in lines)
        assert log.read_text().splitlines()[-1].startswith("done in ")
