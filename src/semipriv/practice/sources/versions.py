"""Folders of tables that keep older versions: their files hold rows that are no longer in the table."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from semipriv.core.errors import PublicError

_KINDS = {
    "Delta": ("_delta_log", ""),
    "Hudi": (".hoodie", ""),
    "Iceberg": ("metadata", r"v?[0-9]+(-.*)?([.]gz)?[.]metadata[.]json([.]gz)?"),
    "a stream of Spark": ("_spark_metadata", ""),
}
"""Of each kind the folder that tells which files are of the table, and what one of its files is called, if that tells
it from other folders of this name."""


def check_one_version(table: str, folders: Iterable[str], listed: Callable[[str], Iterable[str] | None]) -> None:
    """Raise PublicError if one of these folders, or one above, is of a table that keeps its older versions.

    listed: returns the names in a folder, None if there is none, or if it may not be looked at.
    """
    for folder in sorted({above for given in folders for above in _with_above(given or "/")}):
        for kind, (log, name) in _KINDS.items():
            names = listed(f"{folder.rstrip('/')}/{log}")
            if names is not None and (not name or any(re.fullmatch(name, listed_name) for listed_name in names)):
                raise PublicError(
                    f"{table}: its files are of {kind}, beside or below a folder {log}, so they hold older versions "
                    "of rows, and rows that were deleted: give a copy of one version"
                )


def folders_of(files: Iterable[Path | str]) -> set[str]:
    """Return the folders of files: of local ones as named, and where links lead; of others by their address."""
    spelt = {
        path
        for file in map(str, files)
        for path in ([file] if "://" in file else [os.path.abspath(file), os.path.realpath(file)])
    }
    return {path.rpartition("/")[0] for path in spelt}


def _with_above(folder: str) -> Iterator[str]:
    """Yield a folder, and those above it, of a path or of an address.

    >>> list(_with_above("s3a://bucket/a")), list(_with_above("/a"))
    (['s3a://bucket/a', 's3a://bucket'], ['/a', '/'])
    """
    scheme, mark, path = folder.rpartition("://")
    for above in (PurePosixPath(path), *PurePosixPath(path).parents):
        if above.name or above.root:
            yield f"{scheme}{mark}{above}"
