"""Keep Snakemake's scheduler from working ever more often."""

import threading
from typing import Any


def wait_for_one_round(scheduler: Any) -> None:
    """Let at most one further round of Snakemake's scheduler wait at a time.

    Snakemake starts jobs at a limited rate.  So while jobs wait, each round of its scheduler asks for another one a
    second later.  So does the round after each job that ended, and no such chain of rounds stops: after j jobs there
    are about j rounds a second, and each asks for the size of every input of the jobs that wait (Snakemake 9.27).  One
    round that waits is enough: each round asks for it, and it comes within that second.
    """
    waits = threading.Event()

    def ask(delay: float) -> None:
        if not waits.is_set():
            waits.set()
            timer = threading.Timer(delay, begin)
            timer.daemon = True  # nothing waits for a round after the last
            timer.start()

    def begin() -> None:
        waits.clear()
        scheduler._open_jobs.release()

    scheduler._schedule_reevalutation = ask
