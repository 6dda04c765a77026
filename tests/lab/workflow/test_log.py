"""What a job took, as the last line of its log says."""

import subprocess
import sys
from pathlib import Path

import pytest

from semipriv_lab.workflow.log import Took, logged

TICKS = 0.05
"""Seconds that the system may round away: it counts children in ticks."""
COMPUTING = """
import os, subprocess, sys, time
from semipriv_lab.workflow.log import logged

loop = "import time\\nwhile time.process_time() < 0.5: pass"
with logged(sys.argv[1]):
    exec(loop)
    subprocess.run([sys.executable, "-c", loop], check=True)
    before = time.process_time()
print(before, time.process_time(), sum(os.times()[2:4]))
"""


def test_a_job_counts_its_time_of_processors_and_that_of_what_it_starts(tmp_path: Path) -> None:
    run = [sys.executable, "-c", COMPUTING, str(tmp_path / "job.log")]
    before, after, child = map(float, subprocess.run(run, capture_output=True, check=True).stdout.split())
    took = Took.read(tmp_path / "job.log")
    assert took is not None
    assert before >= 0.5
    assert child >= 0.5 - TICKS
    assert before + child - TICKS <= took.cpu <= after + child + TICKS


HOLDER = """
import subprocess, sys
held = b"x" * (int(sys.argv[1]) << 20)
subprocess.run([sys.executable, "-c", *sys.argv[2:]], check=True)
"""
HOLDING = """
import sys
from semipriv_lab.workflow.log import logged

with logged(sys.argv[1]):
    held = b"x" * (int(sys.argv[2]) << 20)
    del held
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="elsewhere a process may count its starter's memory")
def test_a_job_counts_the_memory_that_it_held_and_none_of_what_started_it(tmp_path: Path) -> None:
    found = []
    for mebibytes in (0, 200):
        log = tmp_path / f"{mebibytes}.log"
        subprocess.run([sys.executable, "-c", HOLDER, "400", HOLDING, str(log), str(mebibytes)], check=True)
        took = Took.read(log)
        assert took is not None
        found.append(took.memory)
    small, large = found
    assert 2 < small < 200
    assert 190 < large - small < 210


def test_nothing_is_known_of_a_job_that_failed_or_left_no_log(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    assert Took.read(path) is None
    with pytest.raises(ValueError, match="no"), logged(path):
        raise ValueError("no")
    assert Took.read(path) is None
    with logged(path):
        print("done in 9.00 s, 9.00 s of CPU, 9 MiB")
    took = Took.read(path)
    assert took is not None
    assert took.seconds < 9
