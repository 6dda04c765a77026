"""The table of timings of a run: what each job took."""

from pathlib import Path

import pyarrow as pa

from semipriv.tables import Column, Schema

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
