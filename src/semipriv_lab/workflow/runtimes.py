"""Rule runtimes: tabulate time and memory of each job, by rule and by paper, from Snakemake's records and the logs."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from semipriv.core import tables
from semipriv.core.files import atomic
from semipriv.core.progress import duration
from semipriv_lab.ledger.html import bar, number, table, write_page
from semipriv_lab.workflow.log import Took
from semipriv_lab.workflow.timings import TIMINGS, job_of

SLOWEST = 25
"""Number of slowest jobs that the page lists one by one."""
START_UP = 0.1
"""Limit on the share of start-up in the time of a full run."""
JOBS = 300
"""Limit on the number of jobs of a full run."""


@dataclass(frozen=True)
class JobRule:
    """The rule on jobs: a run has so few jobs that start-up is a small share of its time.

    jobs: number of jobs.  start_up: share of start-up in the time of all jobs with a known time of work.
    """

    jobs: int
    start_up: float

    @property
    def broken(self) -> list[str]:
        """What breaks the rule, in words; empty if it holds."""
        broken = []
        if self.start_up >= START_UP:
            broken.append(f"start-up is {100 * self.start_up:.1f} % of the run, not below {100 * START_UP:.0f} %")
        if self.jobs > JOBS:
            broken.append(f"{self.jobs} jobs are more than {JOBS}")
        return broken

    def __str__(self) -> str:
        """Return one line: whether the rule holds; if not, why, and what helps."""
        if not self.broken:
            return f"The rule on jobs holds: start-up below {100 * START_UP:.0f} % of the run, at most {JOBS} jobs."
        return (
            f"The rule on jobs is broken: {'; '.join(self.broken)}. "
            "Fewer blocks help if an experiment has several; if each has one, the work itself is short."
        )


def job_rule(rows: pd.DataFrame) -> JobRule:
    """Return the number of jobs and the share of start-up of a table of timings."""
    timed = rows.dropna(subset="work")
    return JobRule(len(rows), _share((timed["seconds"] - timed["work"]).sum(), timed["seconds"].sum()))


def by_paper(rows: pd.DataFrame) -> str:
    """Return one line: the minutes of all jobs of each paper, summed over cores."""
    seconds = rows.groupby("paper", sort=False)["seconds"].sum().sort_index()
    parts = [f"{paper} {total / 60:.1f}" for paper, total in seconds.items()]
    return f"Minutes of one core by paper: {', '.join([*parts, f'in all {rows.seconds.sum() / 60:.1f}'])}"


def write_runtimes(
    timings: str | Path,
    logs: str | Path,
    jobs: Mapping[str, str],
    target: str | Path,
    page: str | Path,
    minutes: str | Path,
) -> None:
    """Write the table of the given jobs, a page with the time of each rule and the slowest jobs, and a line by paper.

    timings, logs: folders of Snakemake's records, for wall-clock time, and of the jobs' logs, for the rest: Snakemake
    looks at a job every 30 s only.  jobs: the paper of each job of this run, by the job's name; records of other jobs,
    left by earlier runs, are ignored.  Print whether the rule on jobs holds.
    """
    rows = [
        _row(path, Path(logs) / path.relative_to(timings).with_suffix(".log"), jobs[path.stem])
        for path in sorted(Path(timings).rglob("*.tsv"))
        if path.stem in jobs
    ]
    tables.write(target, TIMINGS, rows)
    frame = pd.DataFrame(rows, columns=TIMINGS.names)
    print(job_rule(frame))
    _write_page(frame, page)
    with atomic(minutes) as path:
        path.write_text(f"{by_paper(frame)}\n")


def _row(record: Path, log: Path, paper: str) -> dict[str, object]:
    with record.open(newline="") as file:
        seconds = float(next(csv.DictReader(file, delimiter="\t"))["s"])
    rule, job = job_of(record)
    took = Took.read(log)
    return {
        "rule": rule,
        "job": job,
        "paper": paper,
        "seconds": seconds,
        "work": None if took is None else min(took.seconds, seconds),
        "cpu": None if took is None else took.cpu,
        "memory": None if took is None else took.memory,
    }


def _write_page(rows: pd.DataFrame, page: str | Path) -> None:
    total = rows["seconds"].sum()
    rule_on_jobs = job_rule(rows)
    by_rule = [
        (
            rule,
            number(len(of_rule)),
            bar(duration(of_rule["seconds"].sum()), _share(of_rule["seconds"].sum(), total)),
            number(f"{100 * _share((of_rule['seconds'] - of_rule['work']).sum(), of_rule['seconds'].sum()):.0f} %"),
            number(duration(of_rule["seconds"].mean())),
            number(duration(of_rule["seconds"].max())),
            number(_memory(of_rule["memory"].max())),
        )
        for rule, of_rule in sorted(rows.groupby("rule"), key=lambda pair: -pair[1]["seconds"].sum())
    ]
    longest = rows["seconds"].max()
    slowest = [
        (row["rule"], row["job"], bar(duration(row["seconds"]), _share(row["seconds"], longest)))
        for _, row in rows.sort_values("seconds", ascending=False).head(SLOWEST).iterrows()
    ]
    write_page(
        page,
        "Runtimes",
        [
            f"<p>{len(rows)} jobs took {duration(total)} in all, summed over cores; {100 * rule_on_jobs.start_up:.0f} %"
            f" of it was start-up: Python and its imports. {rule_on_jobs}</p>",
            "<p>Jobs that were not run again keep their times of the run that made them.</p>",
            f"<p>{by_paper(rows)}.</p>",
            "<h2>By rule</h2>",
            table(("rule", "jobs", "time in all", "start-up", "mean", "longest", "memory"), by_rule),
            "<h2>Slowest jobs</h2>",
            table(("rule", "job", "time"), slowest),
        ],
    )


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0


def _memory(mebibytes: float) -> str:
    return "" if np.isnan(mebibytes) else f"{mebibytes:.0f} MiB"
