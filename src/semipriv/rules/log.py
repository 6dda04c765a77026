"""The log of one job."""

import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from time import perf_counter
from typing import TextIO

from semipriv import machine
from semipriv.progress import Reporter, reporting

_DONE = "done in "


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send the output and the progress of a job to its log; send progress to stderr as well if it is a terminal.

    The log of a job that ends well also says on which kernels it ran, and how long it took.

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
        with redirect_stdout(log), redirect_stderr(log), reporting(reporter):
            yield
        if told := machine.kernels():
            _write(log, told)
        _write(log, f"{_DONE}{perf_counter() - start:.2f} s")
    except Exception as error:
        about = "; ".join([f"log: {path}", *getattr(error, "__notes__", ())])
        _write(sys.__stderr__, f"{type(error).__name__}: {error} ({about})")
        _write(log, traceback.format_exc())
        raise
    finally:
        with suppress(OSError):
            log.close()


def seconds_of_work(path: str | Path) -> float | None:
    """Return the seconds that a job worked, without start-up, from its log; None if the job did not end well."""
    try:
        found = re.findall(rf"^{_DONE}(\d+\.\d+) s$", Path(path).read_text(), flags=re.MULTILINE)
    except OSError:
        return None
    return float(found[-1]) if found else None


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line if that is possible."""
    if stream is not None:
        with suppress(OSError):
            print(text, file=stream, flush=True)
