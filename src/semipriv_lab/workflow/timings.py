"""The table of timings of a run: what each job took."""

from pathlib import Path

import pyarrow as pa

from semipriv.core import tables
from semipriv.core.tables import Column, Schema, TableError

TIMINGS = Schema(
    "timings",
    "what each job of a run took; these numbers differ from run to run",
    (
        Column("rule", pa.string(), "rule"),
        Column("job", pa.string(), "experiment and block, study, figure or table"),
        Column("paper", pa.string(), "paper that it is about, or all papers"),
        Column("seconds", pa.float64(), "wall-clock time of the job's process"),
        Column("work", pa.float64(), "of it in the rule's own function, the rest is start-up: Python and its imports"),
        Column(
            "cpu",
            pa.float64(),
            "seconds of processors that the job's process used, start-up and processes of its own among it, as the "
            "system counts them at its end; null where its log does not tell",
        ),
        Column(
            "memory",
            pa.float64(),
            "largest resident memory in MiB that the job's process ever held; null where its log does not tell",
        ),
    ),
)


def job_of(record: str | Path) -> tuple[str, str]:
    """Return rule and job, as in the table, of Snakemake's record of a job; a rule of one job has no name of a job."""
    record = Path(record)
    return (record.parent.name, record.stem) if record.parent.name != "timings" else (record.stem, "")


def last_seconds(path: str | Path) -> dict[tuple[str, str], float]:
    """Return the seconds of one core of each job, by rule and job, in the last run that came to its end.

    They are the time of processors, which other work on the machine hardly changes.  Where there is no table, and where
    it is damaged or has other columns, nothing is known of any job.
    """
    try:
        rows = tables.read_rows(path, TIMINGS)
    except TableError:
        return {}
    return {(row["rule"], row["job"]): row["cpu"] for row in rows if row["cpu"] is not None}
