"""A file of JSON lines that is only ever appended to, and that tells whether it is whole.

Each line has its number, the SHA-256 of the line before, its time, its kind and a payload.  A file beside it, the head,
has the number and the SHA-256 of the last line: so lines that are missing at the end are noticed.

Writers lock the chain's own file (flock on its inode), and the chain is never replaced: so no two write it at once,
whatever is removed beside it, and by whatever name each came.  Its head goes by the name, so a chain with two names
(hard links) would have two heads: it is refused.  Whoever holds the lock looks again, before a line is written and once
the head is moved, whether the path still leads to the locked file.  Two processes can hold locks of two files only if
one file was put in the other's place.  Then the first is refused at one of these looks, unless its head is there before
the other reads it; and then the other finds a head that knows more than its file.

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import EACCES, EEXIST, EISDIR, ENOENT, EPERM, EROFS
from pathlib import Path
from typing import Any

from semipriv.core.errors import PublicOSError
from semipriv.core.files import atomic, remove_abandoned_of
from semipriv.privacy.budget.lines import FIRST, DamagedError, Entry, LedgerError, entries_of, entry_of, line_of

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
except ImportError:
    _AVAILABLE = False
else:
    _AVAILABLE = True

_RETRIES, _PAUSE = 100, 0.01
_WRITING: dict[tuple[Path, int], int] = {}
"""Chains that are being written, each with the thread that does it: the descriptor that holds the lock."""
_REPLACED = "was replaced by another file while it was written"


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
    """The chain at a path, which is one of ``real``: each chain has one head."""

    path: Path

    @property
    def head(self) -> Path:
        """The file with the number and the digest of the last line."""
        return beside(self.path, "head")

    # ------------------------------------------------------------------ making
    def claim(self, identity: str) -> str:
        """Write the head of a chain that is to be made, and return its identity: that of a head that is there already.

        Of several who make the chain at once, one writes the head, and the others take its identity over.  Raise what
        ``begun`` raises.
        """
        try:
            self._write_head(identity, -1, FIRST, new=True)
        except FileExistsError:
            return self.begun() or self.claim(identity)
        return identity

    def begin(self, identity: str, payload: Mapping[str, Any]) -> None:
        """Write the first entry, of kind 'opened', after ``claim``; raise FileExistsError if there is a chain.

        The file appears whole, or not at all: if anything goes wrong before, there is no chain.
        """
        line = line_of(0, FIRST, "opened", {**payload, "identity": identity}, _now())
        try:
            with atomic(self.path, new=True) as temporary:
                temporary.write_bytes(line + b"\n")
                synced(temporary)
        except FileExistsError:
            self.begun()
            raise
        synced(self.path.parent)
        with self.writing():
            self._repaired()

    def begun(self) -> str | None:
        """Return the identity of a chain whose making a crash broke off, which left its head; None if there is none.

        Raise FileExistsError if there is a chain; DamagedError if a head says that there was one.
        """
        if self.path.exists():
            raise FileExistsError(EEXIST, "there is a ledger already, a budget is opened once", str(self.path))
        try:
            head = _read_head(self.head)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if head["number"] >= 0:
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
        for attempt in range(_RETRIES):
            try:
                with self._shared() as alone:
                    return self._load().entries
            except LedgerError:
                if alone and attempt:
                    raise
            time.sleep(_PAUSE)
        return self._load().entries

    def _check_there(self) -> None:
        if self.path.is_dir():
            raise IsADirectoryError(EISDIR, "is a folder, must be the file of a ledger", str(self.path))
        if not self.path.is_file():
            raise FileNotFoundError(ENOENT, "there is no ledger (make one: semipriv budget open)", str(self.path))

    def _load(self) -> _State:
        self._check_there()
        if not self.head.exists():
            raise DamagedError(f"{self.path}: damaged, its head {self.head} is missing: restore both from one copy")
        head = _read_head(self.head)
        with os.fdopen(self._opened(os.O_RDONLY), "rb") as file:
            data = file.read()
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
        known = FIRST if head["number"] < 0 else entries[head["number"]].digest
        if last > head["number"] + 1 or known != head["digest"]:
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
    def writing(self) -> Iterator[None]:
        """Hold the lock: no other process or thread appends meanwhile, and ``append`` may be called.

        Raise LedgerError if the file has a second name.
        """
        _check_available(self.path)
        if self._held in _WRITING:
            raise RuntimeError(f"{self.path}: is being written by this very call, which may not write it again")
        descriptor = self._locked()
        try:
            _WRITING[self._held] = descriptor
            self._check_one_name(descriptor)
            yield
        finally:
            _WRITING.pop(self._held, None)
            flock(descriptor, LOCK_UN)  # a process that was forked meanwhile has the descriptor, too
            os.close(descriptor)

    @property
    def _held(self) -> tuple[Path, int]:
        return Path(os.path.abspath(self.path)), threading.get_ident()

    def _locked(self) -> int:
        """Open the file and wait for its lock; one that lost its name meanwhile does not count."""
        while True:
            self._check_there()
            descriptor = _open_to_lock(self.path)
            _forget_broken_off(self.path, descriptor)
            flock(descriptor, LOCK_EX)
            if self._is(descriptor):
                return descriptor
            os.close(descriptor)

    def _is(self, descriptor: int) -> bool:
        """Return whether the path leads to an open file, by no symbolic link."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.lstat(self.path))
        except FileNotFoundError:
            return False

    def _opened(self, flags: int) -> int:
        """Open the file; while this thread writes it, raise LedgerError for another than the locked one."""
        descriptor, locked = os.open(self.path, flags), _WRITING.get(self._held)
        try:
            if locked is not None and not os.path.samestat(os.fstat(descriptor), os.fstat(locked)):
                raise LedgerError(f"{self.path}: {_REPLACED}, nothing was charged or stored")
            self._check_one_name(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _check_one_name(self, descriptor: int) -> None:
        names = os.fstat(descriptor).st_nlink
        if names > 1:
            raise LedgerError(
                f"{self.path}: has {names} names (hard links), must have one, since its head goes by the name: "
                f"remove the others (find . -samefile {self.path}), make copies instead"
            )

    @contextmanager
    def _shared(self) -> Iterator[bool]:
        """Keep writers away if none is at work, and yield whether none is."""
        _check_available(self.path)
        if self._held in _WRITING:
            yield True
            return
        self._check_there()
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            _forget_broken_off(self.path, descriptor)
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
        with os.fdopen(self._opened(os.O_RDWR), "r+b") as file:
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
        if not self._is(_WRITING[self._held]):
            place = f"entry {entry.number} ({kind}) is in the file that was there before"
            raise LedgerError(f"{self.path}: {_REPLACED}: {place}; restore it")
        return entry

    def _write_whole(self, data: bytes, start: int) -> None:
        """Append bytes and put them on the disk; if that fails, take back what was written after ``start``."""
        descriptor = self._opened(os.O_WRONLY | os.O_APPEND)
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
        self._write_head(identity, number, digest, new=False)

    def _write_head(self, identity: str, number: int, digest: str, *, new: bool) -> None:
        with atomic(self.head, new=new) as temporary:
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


def _open_to_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR)
    except OSError as error:
        if error.errno not in (EACCES, EPERM, EROFS):
            raise
        return os.open(path, os.O_RDONLY)  # what is stored can be read


def _forget_broken_off(path: Path, descriptor: int) -> None:
    """Remove the second name that a kill left when the file was made."""
    if os.fstat(descriptor).st_nlink > 1:
        remove_abandoned_of(path)


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
