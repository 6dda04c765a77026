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
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def server() -> Iterator[str]:
    """Yield the address of a running server; its log is the file `log` in the folder of the socket."""
    found = programs()
    assert found is not None, "PostgreSQL is not installed"
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    root = os.geteuid() == 0  # PostgreSQL refuses to run as root
    if root:
        shutil.chown(folder, "postgres", "postgres")

    def run(*command: str) -> None:
        subprocess.run([*(ALONE if root else []), *command], check=True, stdout=subprocess.DEVNULL, cwd="/")

    data = str(folder / "data")
    try:
        own = ["-U", "tester", "--auth-local=trust", "--auth-host=reject", "--no-sync", "-E", "UTF8", "--locale=C"]
        run(str(found / "initdb"), "-D", data, *own)
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c full_page_writes=off"
        run(str(found / "pg_ctl"), "-D", data, "-w", "-t", "60", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run(str(found / "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)
