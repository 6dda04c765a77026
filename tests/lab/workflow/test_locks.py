"""Locks of dead runs go, those of living ones stay; parts of files that a killed run was writing go."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from semipriv.core.files import atomic
from semipriv_lab.workflow import locks
from semipriv_lab.workflow.locks import RunLock, remove_parts

HOLD = """
import runpy, sys
from pathlib import Path
alive = runpy.run_path(sys.argv[1])["RunLock"](Path(sys.argv[2]))
print(alive.message, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".snakemake").mkdir()
    return tmp_path / ".snakemake"


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a process that is at work in the folder, and has entered itself; its end of input is its end."""
    started = []

    def begin() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, locks.__file__, str(folder)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        process.line = process.stdout.readline().strip()
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def lock(folder: Path) -> Path:
    """Write what Snakemake writes when it starts to work."""
    path = folder / "locks" / "0.output.lock"
    path.parent.mkdir(exist_ok=True)
    path.write_text("results/x.parquet\n")
    return path


def entries(folder: Path) -> list[str]:
    return [line for path in folder.glob("semipriv/*") for line in path.read_text().split()]


def test_locks_of_a_killed_run_are_removed(folder: Path, start: Callable[[], subprocess.Popen[str]]) -> None:
    run = start()
    path = lock(folder)
    assert entries(folder) == [str(run.pid)]
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert path.exists()
    alive = RunLock(folder)
    assert not path.exists()
    assert alive.message == f"removed the locks of a run that was killed here (process {run.pid} on {alive.host})"
    assert alive.after_kill
    assert entries(folder) == [str(os.getpid())]
    alive.close()
    assert entries(folder) == []


def test_a_killed_run_that_left_no_lock_was_killed_all_the_same(
    folder: Path, start: Callable[[], subprocess.Popen[str]]
) -> None:
    """Parts of files may be left over: a run without locks of Snakemake makes them, too."""
    run = start()
    run.send_signal(signal.SIGKILL)
    run.wait()
    alive = RunLock(folder)
    assert (alive.message, alive.after_kill) == ("", True)
    alive.close()
    again = RunLock(folder)
    assert not again.after_kill
    again.close()


def test_locks_of_a_living_run_stay(folder: Path, start: Callable[[], subprocess.Popen[str]]) -> None:
    run = start()
    path = lock(folder)
    for _ in range(2):
        beside = RunLock(folder)
        assert path.exists()
        assert (beside.message, beside.after_kill) == ("", False)
        beside.close()
        assert path.exists()
        assert str(run.pid) in entries(folder), "who ends beside a living run must not cross it out"
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert start().line.startswith("removed the locks of a run that was killed here")
    assert not path.exists()


@pytest.mark.parametrize("killed", [False, True])
def test_a_run_that_started_beside_a_short_one_is_as_safe(
    folder: Path, start: Callable[[], subprocess.Popen[str]], killed: bool
) -> None:
    """Such as a dry run that was there first and ended first."""
    short = start()
    long = start()
    path = lock(folder)
    if killed:
        short.kill()
    short.communicate()
    assert start().line == ""
    assert path.exists()
    long.send_signal(signal.SIGKILL)
    long.wait()


def test_a_killed_run_beside_a_living_one_does_not_cost_it_its_locks(
    folder: Path, start: Callable[[], subprocess.Popen[str]]
) -> None:
    living = start()
    path = lock(folder)
    dead = start()
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    assert start().line == ""
    assert path.exists()
    assert living.poll() is None


def test_locks_that_no_killed_run_of_ours_left_stay(folder: Path, start: Callable[[], subprocess.Popen[str]]) -> None:
    start().communicate()
    path = lock(folder)
    assert entries(folder) == [], "ended well"
    assert start().line == ""
    assert path.exists()


def test_runs_on_other_hosts_may_be_alive(folder: Path, start: Callable[[], subprocess.Popen[str]]) -> None:
    other = folder / "semipriv" / "other.example"
    other.parent.mkdir()
    other.write_text("7\n")
    run = start()
    path = lock(folder)
    run.send_signal(signal.SIGKILL)
    run.wait()
    again = RunLock(folder)
    assert path.exists()
    assert not again.after_kill
    assert "a run on other.example may be at work here" in again.message
    assert f"delete {other}" in again.message
    again.close()
    other.write_text("")
    assert start().line.startswith("removed the locks of a run"), "once the other host is out, ours is known to be dead"


@pytest.mark.parametrize("locked", [True, False])
def test_parts_of_files_stay_while_another_host_may_be_at_work(
    folder: Path, start: Callable[[], subprocess.Popen[str]], locked: bool
) -> None:
    """Whether or not the killed run left a lock: its entry stays, too, for the time when the other host is out."""
    other = folder / "semipriv" / "other.example"
    other.parent.mkdir()
    other.write_text("7\n")
    run = start()
    if locked:
        lock(folder)
    run.send_signal(signal.SIGKILL)
    run.wait()
    again = RunLock(folder)
    assert not again.after_kill
    assert str(run.pid) in entries(folder)
    again.close()
    assert entries(folder).count(str(run.pid)) == 1
    other.write_text("")
    last = RunLock(folder)
    assert last.after_kill
    last.close()
    assert entries(folder) == []


def enter_and_end(folder: Path) -> None:
    RunLock(folder).close()


def test_many_at_once_agree(folder: Path) -> None:
    """Processes that start and end together leave no entry, and nobody waits for ever."""
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map_async(enter_and_end, [folder] * 200, chunksize=1).get(timeout=60)
    assert entries(folder) == []


def test_where_locking_is_impossible_everything_stays(
    folder: Path, start: Callable[[], subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start()
    path = lock(folder)
    run.send_signal(signal.SIGKILL)
    run.wait()

    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(locks, "flock", refuse)
    assert RunLock(folder).message == ""
    monkeypatch.setattr(locks, "_AVAILABLE", False)
    assert RunLock(folder).message == ""
    assert path.exists()


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    alive = RunLock(tmp_path / "file")
    assert (alive.message, alive.after_kill) == ("", False)
    alive.close()


def test_parts_of_files_are_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = [".hidden", "a.part", ".x.part.png", ".part", "t.12.part.png", "t.parquet", ".t.12.parts"]
    (tmp_path / "deep").mkdir()
    for name in kept:
        (tmp_path / "deep" / name).write_text("")
    for name in ("t.parquet", "page.html", "summary"):
        with atomic(tmp_path / "deep" / name) as temporary:
            temporary.write_text("half")
            os.link(temporary, tmp_path / "half")
        os.rename(tmp_path / "half", temporary)
    assert len(list((tmp_path / "deep").iterdir())) == len(kept) + 2 + 3
    remove_parts(tmp_path)
    assert {path.name for path in (tmp_path / "deep").iterdir()} == {*kept, "page.html", "summary"}
    remove_parts(tmp_path / "absent")
