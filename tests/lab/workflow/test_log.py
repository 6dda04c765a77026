"""What the log of a job says: its progress, its error, and in the last line what it took."""

import subprocess
import sys
from pathlib import Path

import pytest

from semipriv.core.progress import Reporter, track
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
    memories = []
    for mebibytes in (0, 200):
        log = tmp_path / f"{mebibytes}.log"
        subprocess.run([sys.executable, "-c", HOLDER, "400", HOLDING, str(log), str(mebibytes)], check=True)
        took = Took.read(log)
        assert took is not None
        memories.append(took.memory)
    small, large = memories
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


def fail(*_: object) -> None:
    raise ValueError("row 3 is wrong")


def test_a_job_logs_its_progress_and_its_errors(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "logs/evaluate/grid_0.log"
    with logged(path):
        print("printed")
        assert sum(track([1, 2], "trials")) == 3
    first, second, *_, third = path.read_text().splitlines()
    assert first == "printed"
    assert second.startswith("evaluate grid_0: 2/2 trials")
    assert third.startswith("done in 0.")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(ValueError, match="row 3"), logged(path):
        fail()
    assert capfd.readouterr().err == f"ValueError: row 3 is wrong (log: {path})\n"
    assert 'raise ValueError("row 3 is wrong")' in path.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_log_on_a_full_disk_does_not_hide_the_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="row 3"), logged("/dev/full"):
        fail(*track([1], "trials"))
    assert capfd.readouterr().err == "ValueError: row 3 is wrong (log: /dev/full)\n"
    with logged("/dev/full"):
        pass


@pytest.mark.parametrize("terminal", [True, False])
def test_the_terminal_gets_progress_if_it_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    printed: list[str] = []

    class Terminal:
        def isatty(self) -> bool:
            return terminal

        def write(self, text: str) -> None:
            printed.append(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr(sys, "__stderr__", Terminal())
    monkeypatch.setattr(Reporter.__init__, "__defaults__", (None, 0.0, lambda: 0.0))
    path = tmp_path / "logs/select/grid_1.log"
    with logged(path):
        assert list(track("ab", "trials")) == ["a", "b"]
    lines = ["select grid_1: 1/2 trials, 0.0 s left", "select grid_1: 2/2 trials, 0.0 s in all"]
    assert [text for text in printed if text.strip()] == (lines if terminal else [])
    assert path.read_text().splitlines()[:2] == lines
