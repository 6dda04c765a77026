"""Whether files of tables are all of other people: no file is there twice, under whatever name.

Nothing that is read is kept or repeated: files are compared in memory, and those of other sizes are not read.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable
from pathlib import Path

import attrs

from semipriv.core.errors import PublicError
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.source import Source

_FIRST = 2**16
"""Bytes from the start of a file by which most files of the same size differ."""


@attrs.frozen
class _Part:
    """A file of a table, and the key of the request that names it."""

    key: str
    source: Files
    path: Path


def check_apart(private: Source, unlabelled: Files | None, public: Files | None) -> None:
    """Raise ValueError if a file of people who are protected is there twice: one of both may be public.

    One file is recognised by device and inode, whatever its names; a copy by its bytes.  Files without a row may be
    equal.  Nothing is known of the people in a database.
    """
    sources = {"private": private, "unlabelled": unlabelled, "public": public}
    files = {key: source for key, source in sources.items() if isinstance(source, Files)}
    parts = [_Part(key, source, path) for key, source in files.items() for path in source.parts]
    for first, second, *_ in _same(parts, _inode):
        raise PublicError(f"{_named(first, second)} are one file: the same people would be counted twice")
    for first, second, *_ in _same(parts, _size, _start, _whole):
        if first.source.rows(first.path):
            others = "" if second.key == "public" else "; if they are others, put their rows into one file"
            raise PublicError(
                f"{_named(first, second)} have the same bytes: the same people would be counted twice{others}"
            )


def _same(parts: list[_Part], *laws: Callable[[_Part], Hashable]) -> list[list[_Part]]:
    """Return groups of at least two files that are the same by all laws, without those that are all public.

    A law is asked of files that are the same by the laws before it.  Public files are the last of a group.
    """
    groups = [parts]
    for law in laws:
        groups = [same for group in groups for same in _groups(group, law)]
    return groups


def _groups(parts: list[_Part], law: Callable[[_Part], Hashable]) -> list[list[_Part]]:
    groups = defaultdict(list)
    for part in parts:
        groups[law(part)].append(part)
    return [group for group in groups.values() if len(group) > 1 and group[0].key != "public"]


def _inode(part: _Part) -> tuple[int, int]:
    status = part.path.stat()
    return status.st_dev, status.st_ino


def _size(part: _Part) -> int:
    return part.path.stat().st_size


def _start(part: _Part) -> bytes:
    with part.path.open("rb") as file:
        return hashlib.sha256(file.read(_FIRST)).digest()


def _whole(part: _Part) -> bytes:
    with part.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _named(first: _Part, second: _Part) -> str:
    return f"{first.key}: {first.path} and {second.key}: {second.path}"
