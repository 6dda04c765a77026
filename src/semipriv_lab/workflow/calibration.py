"""Tell what a command takes in units of a calibration, since machines differ by two.

A unit is what fixed work takes on the machine: arrays in NumPy, a loop that numba compiled, a Parquet table, and a
start of Python.  ``python -m semipriv_lab.workflow.calibration COMMAND ...`` measures the unit, runs the command,
measures the unit again, and prints seconds over unit; its exit status is that of the command.

>>> print(Told(seconds=900.0, wall=460.0, before=1.5, after=1.7))
562 units of processors, 288 by the clock: 900 s and 460 s; a unit took 1.50 s before, 1.70 s after
"""

import io
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from semipriv.core.kernels import njit

__all__ = ["PARTS", "Told", "main", "timed", "unit"]

REPEATS = 2
"""Times that each part is measured; the least counts: the first may compile, and whatever else runs can only add."""
START = "import numpy, pandas"
"""What a started Python imports, as nearly every job does."""


def _arrays() -> None:
    """Sort, transform and multiply arrays of a fixed size."""
    values = np.random.default_rng(0).random(250_000)
    square = values[: 360 * 360].reshape(360, 360)
    for _ in range(8):
        np.sort(values)
        np.exp(values).sum()
        square @ square


@njit(cache=True)
def _mixed(rounds: int) -> int:
    """Return a number that depends on each of so many steps of xorshift (Marsaglia 2003)."""
    state, total = np.uint64(88172645463325252), np.uint64(0)
    for _ in range(rounds):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        total += state & np.uint64(1)
    return int(total)


def _loop() -> None:
    """Run a compiled loop whose steps depend on each other."""
    _mixed(120_000_000)


def _table() -> None:
    """Write tables to memory as Parquet, and read them."""
    values = np.random.default_rng(1).random(150_000)
    table = pa.table({"value": values, "rank": np.argsort(values), "group": np.arange(len(values)) % 40})
    for _ in range(6):
        file = io.BytesIO()
        parquet.write_table(table, file, compression="zstd")
        parquet.read_table(io.BytesIO(file.getvalue()), use_threads=False)


def _start() -> None:
    """Start Python as a job does."""
    subprocess.run([sys.executable, "-c", START], check=True)


PARTS: dict[str, Callable[[], None]] = {"NumPy": _arrays, "numba": _loop, "Parquet": _table, "start of Python": _start}
"""The fixed work.  Whoever changes it changes the unit: budgets must then be stated anew."""


def _used() -> float:
    """Return the processor seconds of this process and of those that it started and that ended."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def seconds(work: Callable[[], None]) -> float:
    """Return the processor seconds of a call, those of processes that it starts among them: the least of some calls."""
    seconds = []
    for _ in range(REPEATS):
        before = _used()
        work()
        seconds.append(_used() - before)
    return min(seconds)


def unit() -> float:
    """Return the processor seconds of the fixed work, here and now."""
    return sum(map(seconds, PARTS.values()))


@dataclass(frozen=True)
class Told:
    """What a command took.

    seconds: of processors, all processes that it started among them.  wall: by the clock.  before, after: the unit.
    """

    seconds: float
    wall: float
    before: float
    after: float

    @property
    def unit(self) -> float:
        """Mean of the unit before and after."""
        return (self.before + self.after) / 2

    def __str__(self) -> str:
        """Return one line."""
        return (
            f"{self.seconds / self.unit:,.0f} units of processors, {self.wall / self.unit:,.0f} by the clock: "
            f"{self.seconds:,.0f} s and {self.wall:,.0f} s; a unit took {self.before:.2f} s before, "
            f"{self.after:.2f} s after"
        )


def timed(command: Sequence[str]) -> tuple[int, Told]:
    """Run a command between two calibrations; return its exit status, 128 + s if signal s ended it, and what it took.

    An interrupt from the keyboard reaches the command by itself, and a request to end is passed on to it: it decides.
    """
    before, used, start = unit(), _used(), time.perf_counter()
    process = subprocess.Popen(command)
    kept = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number)),
    }
    try:
        status = process.wait()
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    took, wall = _used() - used, time.perf_counter() - start
    return status if status >= 0 else 128 - status, Told(took, wall, before, unit() if status == 0 else before)


def main(command: Sequence[str]) -> int:
    """Run a command, print what it took if it ended well, and return its exit status."""
    if not command:
        print("usage: python -m semipriv_lab.workflow.calibration COMMAND ...", file=sys.stderr)
        return 2
    try:
        status, took = timed(command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    if status == 0:
        print(f"{took}", flush=True)
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
