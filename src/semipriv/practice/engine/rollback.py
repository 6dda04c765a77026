"""Detects a ledger that was replaced by an older copy: published certificates name entries that it lacks."""

import hmac
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from semipriv.practice.columns import strict
from semipriv.practice.published.certificate import sha256
from semipriv.privacy.budget.ledger import Ledger, LedgerError, stored_bytes

_CERTIFICATE = "certificate.json"


def check_not_set_back(ledger: Ledger, folder: Path) -> None:
    """Raise LedgerError if a certificate beside a release's folder, or in it, knows more of this ledger than it has.

    An older copy of a ledger would allow again what was already spent.  Certificates that cannot be read are ignored,
    as are those without the mark of this ledger, which cannot be forged without its key.  Certificates are read before
    the ledger: a release that is published meanwhile enters the ledger before its certificate is written.
    """
    known = list(_named(folder.parent, ledger))
    entries = ledger.entries
    for path, number, line, released in known:
        stored = stored_bytes(entries, number)
        if stored is None or entries[number].digest != line or sha256(stored) != released:
            raise LedgerError(
                f"{ledger.path}: lacks entry {number} as {path} certifies it: it is an older copy, or was set back; "
                "restore the newest copy, else what was spent since then would be spent again"
            )


def _named(folder: Path, ledger: Ledger) -> Iterator[tuple[Path, int, str, str]]:
    """Yield the certificates of a ledger: path, number and digest of the entry, digest of what was released."""
    try:
        paths = sorted(folder.glob(f"*/{_CERTIFICATE}"))
    except OSError:  # no folder, no certificate
        return
    for path in paths:
        named = _of(path, ledger.identity)
        if named is not None:
            number, line, released, mark = named
            if hmac.compare_digest(ledger.mark(number, line, released).encode(), mark.encode()):
                yield path, number, line, released


def _of(path: Path, identity: str) -> tuple[int, str, str, str] | None:
    """Return what a certificate says of a ledger: number and digest of the entry, digest of what was released, mark."""
    with suppress(ValueError, KeyError, TypeError):
        predicate = strict.read(path, links=True)["predicate"]
        certified = predicate["ledger"]
        number = int(certified["entry"])
        if certified["identity"] == identity and number >= 0:
            released = str(predicate["released_digest"])
            return number, str(certified["entry_digest"]), released, str(certified["mark"])
    return None
