"""The lines of a ledger's file: each holds the SHA-256 of the line before."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semipriv.core.errors import PublicError

FIRST = "0" * 64
"""What the first line has instead of the SHA-256 of the line before."""


class LedgerError(PublicError):
    """A ledger that is not the data set's, or a request that it does not know."""


class DamagedError(LedgerError):
    """A chain that lacks lines, or whose lines were changed."""


@dataclass(frozen=True)
class Entry:
    """One line."""

    number: int
    time: str
    kind: str
    payload: Mapping[str, Any]
    digest: str
    """SHA-256 of the line itself."""


def digest_of(line: bytes) -> str:
    """Return the SHA-256 of a line."""
    return hashlib.sha256(line).hexdigest()


def line_of(number: int, before: str, kind: str, payload: Mapping[str, Any], time: str) -> bytes:
    """Return a line, without its newline; before: the SHA-256 of the line before."""
    content = {"number": number, "before": before, "time": time, "kind": kind, "payload": dict(payload)}
    return json.dumps(content, allow_nan=False).encode()


def entry_of(line: bytes) -> Entry:
    """Return the entry of a line."""
    content = json.loads(line)
    return Entry(content["number"], content["time"], content["kind"], content["payload"], digest_of(line))


def entries_of(path: Path, lines: list[bytes]) -> Iterator[Entry]:
    """Yield the entries of the lines of a file; raise DamagedError at the first that does not follow those before."""
    before = FIRST
    for number, line in enumerate(lines):
        try:
            content = json.loads(line)
            entry = (content["number"], content["before"]) == (number, before) and Entry(
                number, str(content["time"]), str(content["kind"]), dict(content["payload"]), digest_of(line)
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            entry = False
        if not entry:
            raise DamagedError(f"{path}: damaged, line {number + 1} is not what was written after the lines before it")
        before = entry.digest
        yield entry
