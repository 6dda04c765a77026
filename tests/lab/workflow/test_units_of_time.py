"""Times in units of a calibration: what is counted, what is told, and that the command stays its own master."""

import os
import signal
import subprocess
import sys
import time

import pytest

from semipriv_lab.workflow import calibration
from semipriv_lab.workflow.calibration import Told, main, seconds

BUSY = "import time\nwhile time.process_time() < {}: pass"


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit of a quarter of a second that takes no time, and one measurement of each part."""
    monkeypatch.setattr(calibration, "unit", lambda: 0.25)
    monkeypatch.setattr(calibration, "REPEATS", 1)


def test_a_part_counts_the_processes_that_it_starts_and_no_time_that_it_waits() -> None:
    started = seconds(lambda: subprocess.run(python(BUSY.format(0.2)), check=True))
    assert 0.2 <= started < 2
    assert seconds(lambda: time.sleep(0.2)) < 0.1


def test_the_least_of_the_repeats_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else the machine does can only add to it."""
    monkeypatch.setattr(calibration, "REPEATS", 3)
    used = iter([0.0, 5.0, 10.0, 12.0, 20.0, 29.0])
    monkeypatch.setattr(calibration, "_used", lambda: next(used))
    assert seconds(lambda: None) == 2.0


@pytest.mark.parametrize("part", calibration.PARTS)
def test_each_part_works(part: str) -> None:
    assert seconds(calibration.PARTS[part]) > 0.02


def test_seconds_of_processors_and_of_the_clock_are_told_apart() -> None:
    status, took = calibration.timed(python(f"import time; time.sleep(.4)\n{BUSY.format(0.2)}"))
    assert status == 0
    assert 0.2 <= took.seconds < took.wall - 0.3


def test_the_unit_is_the_mean_of_both() -> None:
    assert str(Told(seconds=300.0, wall=150.0, before=1.0, after=2.0)).startswith("200 units of processors, 100 by the")


@pytest.mark.parametrize(("code", "status"), [("", 0), ("raise SystemExit(7)", 7)])
def test_the_exit_status_is_the_commands(code: str, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    """What did not end well took no time that is worth telling."""
    assert main(python(code)) == status
    assert ("units" in capfd.readouterr().out) == (status == 0)


def test_a_command_that_a_signal_ends_has_the_status_of_shells() -> None:
    assert main(python(f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")) == 128 + signal.SIGKILL


def test_a_request_to_end_reaches_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """Which may put its things in order first."""
    ask = f"import os, signal; os.kill(os.getppid(), {int(signal.SIGTERM)})"
    tidy = "signal.signal(signal.SIGTERM, lambda *_: (print('tidy', flush=True), os._exit(3)))"
    assert main(python(f"import os, signal, time; {tidy}; {ask}; time.sleep(20)")) == 3
    assert capfd.readouterr().out == "tidy\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_command_that_is_not_there_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["./no-such-command"]) == 127
    assert capfd.readouterr().err == f"./no-such-command: {os.strerror(2)}\n"
    assert main([]) == 2
