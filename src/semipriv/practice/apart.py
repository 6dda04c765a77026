"""Whether files of tables are all of other people: no file is there twice, under whatever name.

Nothing is kept or told of what is read: files are compared in memory, and those of other sizes are not read.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from pathlib import Path

import attrs

from semipriv.practice.source import Source

_FIRST = 2**16
"""Bytes from the start of a file by which most files of the same size differ."""
Pair = tuple["_Part", "_Part"]


@attrs.frozen
class _Part:
    """A file of a table, and the key of the request that names it."""

    key: str
    source: Source
    path: Path


def check_apart(private: Source, unlabelled: Source | None, public: Source | None) -> None:
    """Raise ValueError if a file of people who are protected is there twice: one of both may be public.

    One file is told by device and inode, whatever its names; a copy by its bytes.  Files without a row are no copies.
    """
    given = {"private": private, "unlabelled": unlabelled, "public": public}
    parts = [_Part(key, source, path) for key, source in given.items() if source is not None for path in source.parts]
    for first, second in _pairs([parts], _inode):
        raise ValueError(f"{_named(first, second)} are one file: the same people would be counted twice")
    for first, second in _pairs(_like(parts), _whole):
        if first.source.rows(first.path):
            others = "" if second.key == "public" else "; if they are others, put their rows into one file"
            raise ValueError(
                f"{_named(first, second)} have the same bytes: the same people would be counted twice{others}"
            )


def _like(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Return groups of at least two files that have one size and start with the same bytes."""
    sizes = _groups(parts, lambda part: part.path.stat().st_size)
    return list(chain.from_iterable(_groups(group, _start) for group in sizes))


def _pairs(groups: Iterable[Sequence[_Part]], law: Callable[[_Part], Hashable]) -> Iterable[Pair]:
    """Yield the first two files of the same law in each group, unless all of them are public."""
    for group in chain.from_iterable(_groups(own, law) for own in groups):
        yield group[0], group[1]


def _groups(parts: Sequence[_Part], law: Callable[[_Part], Hashable]) -> list[list[_Part]]:
    """Return groups of at least two files of the same law, without those that are all public; private ones first."""
    found = defaultdict(list)
    for part in parts:
        found[law(part)].append(part)
    return [group for group in found.values() if len(group) > 1 and group[0].key != "public"]


def _inode(part: _Part) -> tuple[int, int]:
    status = part.path.stat()
    return status.st_dev, status.st_ino


def _start(part: _Part) -> bytes:
    with part.path.open("rb") as file:
        return hashlib.sha256(file.read(_FIRST)).digest()


def _whole(part: _Part) -> bytes:
    with part.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _named(first: _Part, second: _Part) -> str:
    return f"{first.key}: {first.path} and {second.key}: {second.path}"
