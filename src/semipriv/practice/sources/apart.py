"""Checks that no part of a table is used twice in a request, under whatever name or address.

Nothing that is read is kept or repeated: bytes are compared in memory, and only those of parts of equal size are read.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable

import attrs

from semipriv.core.errors import PublicError
from semipriv.practice.sources.source import Identity, Source

_FIRST = 2**16
"""Bytes from the start of a file by which most files of the same size differ."""
_BLOCK = 2**20


@attrs.frozen(eq=False)
class _Part:
    """A part of a table, and the key of the request that names it."""

    key: str
    identity: Identity


def check_apart(private: Source, unlabelled: Source | None, public: Source | None) -> None:
    """Raise ValueError if a part with protected people is used twice, even if one of the uses is as public rows.

    A part is recognised by its identity, whatever its names and addresses; a copy of a file by its bytes.  Files
    without a row may be equal.
    """
    sources = {"private": private, "unlabelled": unlabelled, "public": public}
    given = {key: source for key, source in sources.items() if source is not None}
    parts = [_Part(key, identity) for key, source in given.items() for identity in source.identities()]
    for first, second, *_ in _same(parts, lambda part: part.identity.key):
        raise PublicError(f"{_named(first, second)} are one {_kind(first)}: the same people would be counted twice")
    files = [part for part in parts if part.identity.opened is not None]
    for first, second, *_ in _same(files, lambda part: part.identity.size, _start, _whole):
        if first.identity.rows is None or first.identity.rows():
            others = "" if second.key == "public" else "; if they are others, put their rows into one file"
            raise PublicError(
                f"{_named(first, second)} have the same bytes: the same people would be counted twice{others}"
            )


def _same(parts: list[_Part], *traits: Callable[[_Part], Hashable]) -> list[list[_Part]]:
    """Return groups of at least two parts that agree in all traits, without groups that are all public.

    A trait is computed only of parts that agree in the traits before it.  Public parts are the last of a group.
    """
    groups = [parts]
    for trait in traits:
        groups = [same for group in groups for same in _groups(group, trait)]
    return groups


def _groups(parts: list[_Part], trait: Callable[[_Part], Hashable]) -> list[list[_Part]]:
    groups = defaultdict(list)
    for part in parts:
        groups[trait(part)].append(part)
    return [group for group in groups.values() if len(group) > 1 and group[0].key != "public"]


def _start(part: _Part) -> bytes:
    assert part.identity.opened is not None
    with part.identity.opened() as file:
        return hashlib.sha256(file.read(_FIRST)).digest()


def _whole(part: _Part) -> bytes:
    assert part.identity.opened is not None
    digest = hashlib.sha256()
    with part.identity.opened() as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def _kind(part: _Part) -> str:
    return "table" if part.identity.opened is None else "file"


def _named(first: _Part, second: _Part) -> str:
    return f"{first.key}: {first.identity.name} and {second.key}: {second.identity.name}"
