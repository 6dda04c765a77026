"""A file of JSON lines that is only ever appended to, and that tells whether it is whole.

Each line has its number, the SHA-256 of the line before, its time, its kind and a payload.  A file beside it, the head,
has the number and the SHA-256 of the last line: so lines that are missing at the end are noticed.  A third file is
locked while the chain is written.

A line is on the disk (fsync) before ``append`` returns, and then the head is.  A crash on the way leaves one of these:

* part of a line after the one of the head, without its newline: it was never acknowledged.  The next writer cuts it
  off, and notes that;
* one whole line after that of the head: it counts, and the next writer moves the head.

Everything else is damage: the chain is refused with ``DamagedError``, and never repaired or begun anew.  The sums are
no signature: they tell accidents and careless edits, not somebody who computes them anew.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import EACCES, EEXIST, EISDIR, ENOENT, EPERM, EROFS
from pathlib import Path
from typing import Any

from semipriv.core.errors import PublicOSError
from semipriv.core.files import atomic
from semipriv.privacy.budget.lines import FIRST, DamagedError, Entry, digest_of, entries_of, entry_of, line_of

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
except ImportError:
    _AVAILABLE = False
else:
    _AVAILABLE = True

_RETRIES, _PAUSE = 100, 0.01
_WRITING: set[tuple[Path, int]] = set()
"""Chains that are being written, each with the thread that does it."""


@dataclass(frozen=True)
class _State:
    entries: tuple[Entry, ...]
    size: int
    """Bytes of whole lines."""
    torn: int
    """Bytes of a torn line after them."""
    behind: bool
    """Whether the head is one line behind."""


@dataclass(frozen=True)
class Chain:
    """The chain at a path, which is one of ``real``: each chain has one lock and one head."""

    path: Path

    @property
    def head(self) -> Path:
        """The file with the number and the digest of the last line."""
        return beside(self.path, "head")

    # ------------------------------------------------------------------ making
    def begin(self, identity: str, payload: Mapping[str, Any], prepare: Callable[[], None]) -> None:
        """Write the first entry, of kind 'opened'; only within ``writing``, and after ``begun``.

        identity: a random text that the head has, too.  prepare: makes what stands beside, once the head is there.  The
        file appears last, whole: if anything goes wrong before, there is no chain.
        """
        line = line_of(0, FIRST, "opened", {**payload, "identity": identity}, _now())
        self._move_head(identity, 0, digest_of(line))
        prepare()
        with atomic(self.path) as temporary:
            temporary.write_bytes(line + b"\n")
            synced(temporary)
        synced(self.path.parent)

    def begun(self) -> str | None:
        """Return the identity of a chain whose ``begin`` a crash broke off, which left its head; None if there is none.

        Raise FileExistsError if there is a chain; DamagedError if a head says that there was one with entries.
        """
        if self.path.exists():
            raise FileExistsError(EEXIST, "there is a ledger already, a budget is opened once", str(self.path))
        if not self.head.exists():
            return None
        head = _read_head(self.head)
        if head["number"] > 0:
            raise DamagedError(
                f"{self.path}: is gone, and {self.head} says that it had entries: restore it from a copy; "
                "a new ledger would forget what was spent"
            )
        return str(head["identity"])

    # ------------------------------------------------------------------ reading
    def entries(self) -> tuple[Entry, ...]:
        """Return all entries; raise DamagedError, or OSError if it cannot be read.

        It does not wait for a writer.  What was read while one wrote is read again.
        """
        self._check_there()
        for _ in range(_RETRIES):
            with self._shared() as alone:
                try:
                    return self._load().entries
                except DamagedError:
                    if alone:
                        raise
            time.sleep(_PAUSE)
        return self._load().entries

    def _check_there(self) -> None:
        if self.path.is_dir():
            raise IsADirectoryError(EISDIR, "is a folder, must be the file of a ledger", str(self.path))
        if not self.path.is_file():
            raise FileNotFoundError(ENOENT, "there is no ledger", str(self.path))

    def _load(self) -> _State:
        self._check_there()
        if not self.head.exists():
            raise DamagedError(f"{self.path}: damaged, its head {self.head} is missing: restore both from one copy")
        head = _read_head(self.head)
        data = self.path.read_bytes()
        *lines, rest = data.split(b"\n")
        entries = tuple(entries_of(self.path, lines))
        last = len(entries) - 1
        if not entries or last < head["number"]:
            have = f"{len(entries)} whole lines" + (" and part of one" if rest else "")
            raise DamagedError(
                f"{self.path}: damaged, it has {have}, and {head['number'] + 1} were written: restore it"
            )
        if head["identity"] != entries[0].payload.get("identity"):
            raise DamagedError(f"{self.head}: is the head of a ledger other than {self.path}")
        if last > head["number"] + 1 or entries[head["number"]].digest != head["digest"]:
            raise DamagedError(
                f"{self.path}: damaged, line {head['number'] + 1} is not the last one that {self.head.name} knows: "
                "restore both from one copy"
            )
        behind = last > head["number"]
        if behind and rest:
            raise DamagedError(f"{self.path}: damaged, it ends in more than a crash leaves: restore it from a copy")
        return _State(entries, len(data) - len(rest), len(rest), behind)

    # ------------------------------------------------------------------ writing
    @contextmanager
    def writing(self, *, new: bool = False) -> Iterator[None]:
        """Hold the lock: no other process or thread appends meanwhile, and ``append`` may be called.

        new: the chain is to be made; if none is there in the end, no lock stays.
        """
        _check_available(self.path)
        if self._held in _WRITING:
            raise RuntimeError(f"{self.path}: is being written by this very call, which may not write it again")
        if not new:
            self._check_there()
        lock = beside(self.path, "lock")
        descriptor = _locked(lock)
        try:
            _WRITING.add(self._held)
            yield
        finally:
            _WRITING.discard(self._held)
            if new and not self.path.exists():
                with suppress(OSError):
                    lock.unlink()
            os.close(descriptor)  # ends the lock

    @property
    def _held(self) -> tuple[Path, int]:
        return self.path.resolve(), threading.get_ident()

    @contextmanager
    def _shared(self) -> Iterator[bool]:
        """Keep writers away if none is at work, and yield whether none is."""
        _check_available(self.path)
        try:
            descriptor = None if self._held in _WRITING else _open_lock(beside(self.path, "lock"))
        except OSError:  # nobody can write here
            descriptor = None
        if descriptor is None:
            yield True
            return
        try:
            yield _locks(descriptor)
        finally:
            os.close(descriptor)

    def append(self, kind: str, payload: Mapping[str, Any]) -> Entry:
        """Append an entry, and return it once it is on the disk; only within ``writing``.

        Raise OSError if it could not be written; then it is not there.  If the head alone could not be written, the
        entry is there, and the error says so.
        """
        return self._append(self._repaired(), kind, payload)

    def _repaired(self) -> _State:
        """Cut off a torn line, noting it, and move a head that is behind: what a crash left is in order again."""
        state = self._load()
        last = state.entries[-1]
        if state.behind:
            self._move_head(state.entries[0].payload["identity"], last.number, last.digest)
        if not state.torn:
            return _State(state.entries, state.size, 0, False)
        with self.path.open("r+b") as file:
            file.truncate(state.size)
            os.fsync(file.fileno())
        whole = _State(state.entries, state.size, 0, False)
        noted = self._append(whole, "noted", {"cut": state.torn, "why": "a crash left part of a line"})
        return _State((*state.entries, noted), self.path.stat().st_size, 0, False)

    def _append(self, state: _State, kind: str, payload: Mapping[str, Any]) -> Entry:
        last, now = state.entries[-1], _now()
        if now < last.time:
            payload = {**payload, "clock": f"was set back, entry {last.number} is of {last.time}"}
        line = line_of(last.number + 1, last.digest, kind, payload, now)
        try:
            self._write_whole(line + b"\n", state.size)
        except OSError as error:
            message = f"{error.strerror}, nothing was charged or stored"
            raise PublicOSError(error.errno, message, str(self.path)) from error
        entry = entry_of(line)
        try:
            self._move_head(state.entries[0].payload["identity"], entry.number, entry.digest)
        except OSError as error:
            message = f"{error.strerror}; entry {entry.number} ({kind}) is in the ledger, run the same again"
            raise PublicOSError(error.errno, message, str(self.head)) from error
        return entry

    def _write_whole(self, data: bytes, start: int) -> None:
        """Append bytes and put them on the disk; if that fails, take back what was written after ``start``."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            while data:
                data = data[os.write(descriptor, data) :]
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, start)
            raise
        finally:
            os.close(descriptor)

    def _move_head(self, identity: str, number: int, digest: str) -> None:
        with atomic(self.head) as temporary:
            temporary.write_text(json.dumps({"identity": identity, "number": number, "digest": digest}) + "\n")
            synced(temporary)
        synced(self.head.parent)


def real(given: str | Path) -> Path:
    """Return the path of a chain's file without symbolic links, as it is given if there are none.

    Raise ValueError for an empty text, and for one with line breaks and the like; OSError for a folder.
    """
    text = os.fspath(given)
    if not text.strip() or not text.isprintable():
        raise ValueError(f"{text!r}: must be the path of a ledger, such as ledgers/clinic.jsonl")
    path = Path(os.path.realpath(text))
    if text.endswith("/") or path.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder, must be the file of a ledger", text)
    return Path(text) if path == Path(os.path.abspath(text)) else path


def beside(path: Path, what: str) -> Path:
    """Return the path of a file that belongs to a chain."""
    return path.with_name(f"{path.name}.{what}")


def contents(path: Path) -> bytes:
    """Return the bytes of a file beside a chain; raise ValueError for a folder, and for a pipe, which would wait."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is not a file")
    return path.read_bytes()


def synced(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_available(path: Path) -> None:
    if not _AVAILABLE:
        raise OSError(f"{path}: this operating system cannot lock files, a ledger needs that")


def _open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if error.errno not in (EACCES, EPERM, EROFS) or not path.exists():
            raise
        return os.open(path, os.O_RDONLY)


def _locked(path: Path) -> int:
    """Open a lock and wait for it; one that was removed meanwhile, by a process that made no chain, does not count."""
    while True:
        descriptor = _open_lock(path)
        flock(descriptor, LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        os.close(descriptor)


def _locks(descriptor: int) -> bool:
    try:
        flock(descriptor, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_head(path: Path) -> dict[str, Any]:
    try:
        head = json.loads(contents(path))
        return {"identity": str(head["identity"]), "number": int(head["number"]), "digest": str(head["digest"])}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise DamagedError(f"{path}: damaged, not the head of a ledger: restore it with its ledger") from None
