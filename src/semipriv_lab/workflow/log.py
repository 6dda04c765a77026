"""The log of one job."""

import re
import resource
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Self, TextIO

from semipriv.core import machine, overlay
from semipriv.core.progress import Reporter, reporting

_TOOK = re.compile(r"^done in (\d+\.\d+) s, (\d+\.\d+) s of CPU, (\d+) MiB$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Took:
    """What a job took, by itself: the last line of its log.

    seconds: wall-clock time of its work, without start-up.  cpu: seconds of processors of its whole process and of what
    it started.  memory: the most MiB that one of them held.
    """

    seconds: float
    cpu: float
    memory: float

    @classmethod
    def since(cls, start: float) -> Self:
        """Return what this process took, its work since ``start`` by ``perf_counter``."""
        uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        memory = max(_peak(), _mebibytes(uses[1].ru_maxrss))
        return cls(perf_counter() - start, sum(use.ru_utime + use.ru_stime for use in uses), memory)

    @classmethod
    def read(cls, path: str | Path) -> Self | None:
        """Return what a log says; None if the job did not end well, or the log cannot be read."""
        try:
            lines = _TOOK.findall(Path(path).read_text())
        except OSError:
            return None
        return cls(*map(float, lines[-1])) if lines else None

    def __str__(self) -> str:
        """Return the line."""
        return f"done in {self.seconds:.2f} s, {self.cpu:.2f} s of CPU, {self.memory:.0f} MiB"


def _peak() -> float:
    """Return the most MiB that this process held.

    On Linux ``ru_maxrss`` would reveal all programs that the process was, and its first may be a copy of Snakemake.
    """
    try:
        match = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), flags=re.MULTILINE)
    except OSError:
        match = None
    return _mebibytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) if match is None else int(match[1]) / 1024


def _mebibytes(most: int) -> float:
    """Return what ``ru_maxrss`` says in MiB: it is in bytes on macOS, in KiB elsewhere."""
    return most / (2**20 if sys.platform == "darwin" else 2**10)


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send the output and the progress of a job to its log; send progress to stderr as well if it is a terminal.

    The last lines of the log of a job that ends well say on which kernels it ran, and what it took.  While the job
    lasts, plug-ins are those of its start.

    An error goes to stderr in one line, which ends with its notes, and to the log in full.  It is shown even if the log
    cannot be written, for example on a full disk.
    """
    start, path = perf_counter(), Path(path)
    terminal = sys.__stderr__ if sys.__stderr__ is not None and sys.__stderr__.isatty() else None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        log = path.open("w", buffering=1)
    except OSError as error:
        _write(sys.__stderr__, f"{type(error).__name__}: {error}")
        raise
    name = f"{path.parent.name} {path.stem}" if path.parent.name != "logs" else path.stem
    reporter = Reporter(
        name, lambda line: _write(log, line), None if terminal is None else lambda line: _write(terminal, line)
    )
    try:
        with redirect_stdout(log), redirect_stderr(log), reporting(reporter), overlay.held():
            yield
        if kernels := machine.kernels():
            _write(log, kernels)
        _write(log, str(Took.since(start)))
    except Exception as error:
        about = "; ".join([f"log: {path}", *getattr(error, "__notes__", ())])
        _write(sys.__stderr__, f"{type(error).__name__}: {error} ({about})")
        _write(log, traceback.format_exc())
        raise
    finally:
        with suppress(OSError):
            log.close()


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line if that is possible."""
    if stream is not None:
        with suppress(OSError):
            print(text, file=stream, flush=True)
