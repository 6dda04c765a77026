"""The log of one job."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send what a job prints to its log; an error goes there in full, and in one line to the terminal."""
    start = time.perf_counter()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("w") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            yield
        except Exception as error:
            traceback.print_exc(file=log)
            print(f"{type(error).__name__}: {error} (log: {path})", file=sys.__stderr__)
            raise
        print(f"done in {time.perf_counter() - start:.1f} s", file=log)
