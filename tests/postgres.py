"""A PostgreSQL server of the tests' own: on a socket in a private folder, started and stopped."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALONE = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--no-new-privs"]


def programs() -> Path | None:
    """The folder of the server's programs; None where none is installed."""
    initdb = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return initdb[-1].parent if initdb else None


def _run(*command: str) -> None:
    alone = ALONE if os.geteuid() == 0 else []  # PostgreSQL refuses to run as root
    subprocess.run([*alone, *command], check=True, stdout=subprocess.DEVNULL, cwd="/")


def _control(folder: Path, *what: str) -> None:
    binaries = programs()
    assert binaries is not None, "PostgreSQL is not installed"
    _run(str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", "-t", "60", *what)


def _start(folder: Path) -> None:
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c full_page_writes=off"
    _control(folder, "-l", str(folder / "log"), "-o", options, "start")


def restart(address: str) -> None:
    """Kill the server at this address, with whatever it does, and start it again."""
    folder = Path(address.partition("host=")[2])
    _control(folder, "-m", "immediate", "stop")
    _start(folder)


@contextmanager
def server() -> Iterator[str]:
    """Yield the address of a running server; its log is the file `log` in the folder of the socket."""
    binaries = programs()
    assert binaries is not None, "PostgreSQL is not installed"
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    try:
        own = ["-U", "tester", "--auth-local=trust", "--auth-host=reject", "--no-sync", "-E", "UTF8", "--locale=C"]
        _run(str(binaries / "initdb"), "-D", str(folder / "data"), *own)
        _start(folder)
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _control(folder, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
