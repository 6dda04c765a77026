"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, with the same suffix; it replaces ``path`` if all goes well.

    If anything goes wrong, even a kill, ``path`` stays as it was.  Missing folders are made.  Raises OSError naming
    ``path`` if it cannot be written (no such folder, no permission, no space left).
    """
    path = Path(path)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()
