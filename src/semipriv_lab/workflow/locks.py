"""What a killed run left behind: locks, and parts of files.

Snakemake lists the files of a run in ``.snakemake/locks`` and removes the list at the end of the run.  After SIGKILL
the list stays, and every later run refuses to start.  So each run also holds a shared lock of the operating system.
That lock ends with the process, even after SIGKILL.  A process that gets the lock exclusively is the only one at work:
then Snakemake's locks of runs that did not end well are stale, and are removed.

Such a lock may not reach other hosts, so each host has a file of its own, ``.snakemake/semipriv/HOST``.  A run enters
itself there at its start; the last run to end well empties the file.  Locks are stale only if an entry was left over,
and no lock is removed while another host has entries.

Snakemake alone cannot tell a stale lock: it asks for ``--unlock``, which removes the locks of a run at work, too.
"""

import atexit
import os
import shutil
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from semipriv.core.files import remove_if_abandoned

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
except ImportError:
    _AVAILABLE = False
else:
    _AVAILABLE = True


@dataclass(eq=False)
class RunLock:
    """A lock that says that this process is at work in a folder.  It ends with ``close`` or with the process.

    folder: Snakemake's own, ``.snakemake``.  message: what was done about locks of other runs, if there were any.
    after_kill: whether an earlier run was killed here and no other run is at work.
    """

    folder: Path
    host: str = field(default_factory=socket.gethostname)
    message: str = field(default="", init=False)
    after_kill: bool = field(default=False, init=False)
    _file: TextIO | None = field(default=None, init=False)
    _unsolved: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Enter this process, and remove the locks of dead ones.

        If the operating system or the file system cannot lock, all locks stay until `snakemake --unlock`.
        """
        if not _AVAILABLE:
            return
        with suppress(OSError):
            path = self.folder / "semipriv" / self.host
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+")
            try:
                if self._alone():
                    with suppress(OSError):
                        self._clear()
                flock(self._file, LOCK_SH)
            except OSError:
                self._file.close()
                raise
            atexit.register(self.close)
            print(os.getpid(), file=self._file, flush=True)

    def close(self) -> None:
        """End well.  The last run empties the file of the host; entries of runs stay if their locks had to stay."""
        if self._file is not None and not self._file.closed:
            with suppress(OSError), self._file as file:
                if self._alone():
                    file.truncate(0)
                    print(*self._unsolved, sep="\n", end="\n" if self._unsolved else "", file=file)

    def _alone(self) -> bool:
        """Return whether no other run of this host is alive.  If so, none can start until the lock is shared again."""
        assert self._file is not None
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _clear(self) -> None:
        """Remove the locks and the entries of killed runs."""
        assert self._file is not None
        self._file.seek(0)
        died = self._file.read().split()
        others = [path for path in sorted(self.folder.glob("semipriv/*")) if path.name != self.host]
        running = [path for path in others if path.stat().st_size]
        locks = self.folder / "locks"
        left = died and any(locks.glob("*.lock"))
        if running:
            self._unsolved = died
            if left:
                self.message = (
                    f"the locks in {locks} stay, since a run on {running[0].name} may be at work here "
                    f"(if it was killed, delete {running[0]} and start again)"
                )
            return
        if left:
            shutil.rmtree(locks)
            self.message = f"removed the locks of a run that was killed here (process {died[-1]} on {self.host})"
        self.after_kill = bool(died)
        self._file.truncate(0)


def remove_parts(folder: str | Path) -> None:
    """Remove the parts of files below a folder that ``semipriv.core.files.atomic`` was writing when it was killed."""
    for path in Path(folder).rglob(".*.part*"):
        remove_if_abandoned(path)
