"""The folder of a release: the names of its files, and whether they can be written there."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from semipriv.practice.asking.request import Request

MODEL, CERTIFICATE, INTERVALS, FIGURE = "model.json", "certificate.json", "intervals.parquet", "figure"
"""Names of files in the folder of a release; a figure has two endings."""
PAGE = "certificate.html"
"""The certificate for the person who signs, as a page."""
ENDINGS = ("pdf", "png")
SUMS = "private"
"""Folder, in that of a release, of the sums over parts: private, and removed when the release is drawn."""
_BESIDE = 40
"""Bytes that a temporary name may be longer than that of a file."""


def table_name(request: Request) -> str | None:
    """Return the name of the table that follows, in the form of the private one; None if what is released predicts."""
    name = request.candidates[0].table
    return None if name is None else f"{name}{request.private.suffix}"


def intervals_name(request: Request) -> str | None:
    """Return the name of the limits of the marginals of a table; None if no table of marginals is released."""
    return INTERVALS if request.candidates[0].marginals else None


def figure_names(request: Request) -> list[str]:
    """Return the names of the figures; none where there is none (``Candidate.pictured``)."""
    drawn = request.candidates[0].pictured(request.records)
    return [f"{FIGURE}.{end}" for end in ENDINGS] if drawn else []


def file_names(request: Request) -> list[str]:
    """Return the names of all published files."""
    optional = [name for name in (table_name(request), intervals_name(request)) if name is not None]
    return [MODEL, CERTIFICATE, PAGE, *optional, *figure_names(request)]


def check_folder(folder: Path, names: Sequence[str]) -> None:
    """Raise ValueError if files of these names cannot be written to a folder, which may have to be made.

    No folder is made: the nearest existing folder is checked for limits and permissions.
    """
    whole = folder.absolute()
    there = next(place for place in (whole, *whole.parents) if os.path.lexists(place))
    if not there.is_dir():
        raise ValueError(f"results: {folder} cannot be made: {there} is not a folder")
    longest = os.pathconf(there, "PC_NAME_MAX")
    for name in whole.relative_to(there).parts:
        if len(os.fsencode(name)) > longest:
            raise ValueError(
                f"release, results: a name of {len(os.fsencode(name))} bytes, at most {longest} are allowed"
            )
    most = os.pathconf(there, "PC_PATH_MAX") - _BESIDE - max(len(os.fsencode(name)) for name in names)
    if len(os.fsencode(whole)) > most:
        raise ValueError(f"results: a path of {len(os.fsencode(whole))} bytes, at most {most} are allowed")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"results: {folder} cannot be made or filled: {there} cannot be written to")
    for name in names:
        if (whole / name).is_dir():
            raise ValueError(f"results: {folder / name} is a folder, must be a file or missing")
    left = os.statvfs(there)
    if not left.f_bavail or (left.f_files and not left.f_favail):
        raise ValueError(f"results: the disk of {there} is full")


def probe(folder: Path) -> None:
    """Make the folder, write a file in it and remove the file; raise OSError, and leave no folder, if that fails."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"tried")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        for place in missing:
            with suppress(OSError):
                place.rmdir()
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
