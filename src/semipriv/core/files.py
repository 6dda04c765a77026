"""Files that are written whole or not at all, and that leave no parts behind."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:
    _AVAILABLE = False
else:
    _AVAILABLE = True

_PART = re.compile(r"\.(.*)\.[0-9a-f]{16}\.part(\.[^.]*)?", re.DOTALL)


@contextmanager
def atomic(path: str | Path, mode: int = 0o666, *, new: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, with the same suffix; it replaces ``path`` if all goes well.

    new: raise FileExistsError instead of replacing a file, even one that was made meanwhile.  ``path`` is then a second
    name of the temporary file for a moment; a kill in it leaves both, and ``remove_abandoned_of`` removes the second.

    The temporary file is there already, empty and with this mode: open it, do not make another.  Its name is random,
    and it is locked until it has replaced ``path``.  If anything goes wrong, even a kill, ``path`` stays as it was; the
    part that a kill leaves is removed when ``path`` is written next.  Missing folders are made.  Raises OSError naming
    ``path`` if it cannot be written (no such folder, no permission, no space left).
    """
    path = Path(path)
    temporary, descriptor = path, -1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned_of(path)
        temporary, descriptor = _made(path, mode)
        yield temporary
        (os.link if new else os.replace)(temporary, path)
    except OSError as error:
        if error.filename is None or _PART.fullmatch(Path(str(error.filename)).name):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        if descriptor >= 0:
            with suppress(OSError):
                temporary.unlink()
            os.close(descriptor)


def names_in(folder: str) -> list[str] | None:
    """Return the names in a folder; None if there is none, or if it may not be looked at."""
    try:
        return os.listdir(folder)
    except OSError:
        return None


def remove_if_abandoned(path: Path) -> None:
    """Remove the part of a file that a killed writer left; any other file, and what is being written, stays."""
    if not _AVAILABLE or not _PART.fullmatch(path.name):
        return
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
            path.unlink()
        finally:
            os.close(descriptor)


def remove_abandoned_of(path: Path) -> None:
    """Remove the parts of a file that killed writers left."""
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            part = _PART.fullmatch(entry.name)
            if part is not None and part[1] + (part[2] or "") == path.name:
                remove_if_abandoned(Path(entry.path))


def _made(path: Path, mode: int) -> tuple[Path, int]:
    """Make a temporary file and lock it: what has its lock is written, what has none was abandoned."""
    while True:
        temporary = path.with_name(f".{path.stem}.{secrets.token_hex(8)}.part{path.suffix}")
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        if not _AVAILABLE:
            return temporary, descriptor
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
            if temporary.exists():
                return temporary, descriptor
        except BlockingIOError:  # who looks for abandoned parts came between, and removes it
            pass
        except OSError:  # locks are not to be had here, for nobody: so nothing is removed, either
            return temporary, descriptor
        os.close(descriptor)
