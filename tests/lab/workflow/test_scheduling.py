"""Snakemake's scheduler: while jobs wait, its rounds do not become more frequent with each job that ended."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from runs import checked, environment

JOBS = 12
SNAKEFILE = """
from semipriv_lab.workflow.scheduling import wait_for_one_round

rule all:
    input: expand("{{job}}", job=range({jobs}))

rule job:
    output: touch("{{job}}")
    shell: "sleep .5"

onstart:
    {start}
"""


@pytest.mark.parametrize(("start", "many"), [("wait_for_one_round(workflow.scheduler)", False), ("pass", True)])
def test_rounds_of_the_scheduler(tmp_path: Path, start: str, many: bool) -> None:
    """One round for each job that ends, and one a second; by itself, Snakemake adds one a second for each job."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(jobs=JOBS, start=start))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--verbose", "--scheduler", "greedy"]
    start_time = time.perf_counter()
    done = checked(
        subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    )
    seconds = time.perf_counter() - start_time
    assert all((tmp_path / str(job)).exists() for job in range(JOBS))
    rounds = done.stderr.count("Ready jobs: ")
    assert (rounds > JOBS + seconds + 3) == many, f"{rounds} rounds in {seconds:.1f} s"
