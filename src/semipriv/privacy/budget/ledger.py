"""The ledger of a data set: what was charged for which request, and the bytes that were released for it.

The order that keeps a budget: ``Ledger.reserve`` charges, on the disk, before a private byte is read; then
``Reservation.draw`` draws once and stores the bytes, on the disk; then they are published.  A crash before the charge
is on the disk leaves nothing.  One after it leaves a reservation without bytes: the same request finds it, is not
charged again, and may draw, since what was drawn before was never published.  One after the bytes are stored leaves
them: the same request gets them, and nothing is drawn.

Kinds of entries: 'opened' (identity, rule), 'reserved' (request, event), 'released' (bytes), 'noted' (the table's
HMAC; what a crash left).
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from errno import EEXIST, ENOTDIR
from fractions import Fraction
from pathlib import Path
from typing import Any

from semipriv.core.files import atomic
from semipriv.privacy.budget.chain import Chain, beside, contents, real, synced
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.lines import DamagedError, Entry, LedgerError
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.budget.rule import Account, BudgetError, Rule
from semipriv.privacy.events import Event, described, restored
from semipriv.privacy.guarantee import Guarantee, Neighbours

_KEY_BYTES = 32
_ANOTHER_KEY = "there is a key already, of a ledger that is gone: restore it, or open the new one under another name"

__all__ = ["Budget", "BudgetError", "DamagedError", "EqualReleases", "Ledger", "LedgerError", "Reservation", "Summary"]


@dataclass(frozen=True)
class Summary:
    """What a ledger says.

    rule: with the guarantee of all that may ever be granted, whoever chooses it.  accounts: total, spent and left, by
    kind.  so_far: the guarantee of what was granted, if all of it had been chosen in advance.
    """

    identity: str
    about: str
    rule: Rule
    accounts: tuple[Account, ...]
    so_far: Guarantee
    entries: tuple[Entry, ...]

    @property
    def charges(self) -> list[Entry]:
        """The entries of requests that were charged, without those whose charge pays for another one by now."""
        return _charges(self.entries)

    @property
    def released(self) -> frozenset[int]:
        """Numbers of the reservations whose bytes are stored."""
        return frozenset(entry.payload["reserved"] for entry in _of_kind(self.entries, "released"))


@dataclass(frozen=True)
class Ledger:
    """The ledger at a path; the file beside it that ends in ``.key`` is secret.

    >>> import tempfile
    >>> from semipriv.privacy.events import Pure
    >>> path = Path(tempfile.mkdtemp()) / "clinic.jsonl"
    >>> ledger = Ledger.create(path, Budget(1))
    >>> mine = ledger.reserve({"release": "visits"}, Pure(0.5), Neighbours.REPLACE_PRIVATE_EXAMPLE)
    >>> mine.draw(lambda: b"drawn"), mine.draw(lambda: b"again")
    (b'drawn', b'drawn')
    >>> [account.spent for account in ledger.summary().accounts]
    [Fraction(1, 2)]
    """

    path: Path
    identity: str
    """Random, of 128 bits: it reveals nothing about the data set."""
    rule: Rule

    # ------------------------------------------------------------------ making and opening
    @classmethod
    def create(cls, path: str | Path, budget: Rule, about: str = "") -> "Ledger":
        """Make a ledger with a random identity and a key; raise FileExistsError if there is one of them already.

        What a crash broke off here goes on, with the identity and the key that are there.
        """
        path = real(path)
        chain, key = Chain(path), beside(path, "key")
        _check_key(key, chain)  # what is refused makes no folder
        if path.parent.exists() and not path.parent.is_dir():
            raise NotADirectoryError(ENOTDIR, "is not a folder, a ledger cannot be made in it", str(path.parent))
        path.parent.mkdir(parents=True, exist_ok=True)
        identity = chain.claim(secrets.token_hex(16))
        _write_key(key, identity)
        chain.begin(identity, {"rule": budget.described(), "about": about})
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """Open a ledger; raise DamagedError if it is damaged, FileNotFoundError if there is none."""
        path = real(path)
        opened = Chain(path).entries()[0]
        try:
            return cls(path, opened.payload["identity"], restored_rule(opened.payload["rule"]))
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{path}: damaged, its first line does not state a budget ({error})") from None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries as they are now."""
        return self._checked(Chain(self.path).entries())

    def _checked(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        if entries[0].payload["identity"] != self.identity:
            raise LedgerError(f"{self.path}: is not the ledger that was opened")
        return entries

    # ------------------------------------------------------------------ charging
    def reserve(
        self,
        request: Mapping[str, Any],
        event: Event,
        neighbours: Neighbours,
        instead: Callable[[Mapping[str, Any]], bool] = lambda earlier: False,
    ) -> "Reservation":
        """Charge for a request and return when the charge is on the disk; the same request again charges nothing.

        request: values of JSON that name whatever decides the law of the release.  instead: whether the request stands
        for an earlier one.  If that was charged for the same event, and nothing was drawn for it, its charge pays for
        this one, and no more for that: what is paid for is a draw, and there is one.

        Raise BudgetError, and charge nothing, if it does not fit.  Raise LedgerError if neighbours are not those of the
        budget, and if the request was charged for another event and has no bytes yet.
        """
        self.check_neighbours(neighbours)
        text = json.loads(_canonical(request))
        digest = hashlib.sha256(_canonical(request)).hexdigest()
        cost = described(event)
        chain = Chain(self.path)
        with chain.writing():
            entries = self._checked(chain.entries())
            reserved = next((e for e in _charges(entries) if e.payload["digest"] == digest), None)
            if reserved is None:
                payload = {"request": text, "digest": digest, "event": cost, **_kinds(event)}
                idle = _idle(entries, cost, instead)
                if idle is None:
                    self._check_fits(entries, event)
                else:
                    payload["instead"] = idle.number
                reserved = chain.append("reserved", payload)
            elif reserved.payload["event"] != cost and stored_bytes(entries, reserved.number) is None:
                raise LedgerError(
                    f"{self.path}: entry {reserved.number} charged this request for another event, and it has no bytes "
                    "yet: name the request anew to charge it again"
                )
        return Reservation(self, reserved.number)

    def check_neighbours(self, neighbours: Neighbours) -> None:
        """Raise LedgerError unless neighbours are those of the budget."""
        if Neighbours(neighbours) is not self.rule.neighbours:
            raise LedgerError(
                f"{self.path}: the budget is for neighbours {self.rule.neighbours.value}, the request's guarantee is "
                f"for {Neighbours(neighbours).value}: they do not add up"
            )

    def check_fits(self, event: Event) -> None:
        """Raise BudgetError, and charge nothing, if a new request with this event does not fit."""
        self._check_fits(self.entries, event)

    def idle(self, event: Event, instead: Callable[[Mapping[str, Any]], bool]) -> Entry | None:
        """Return the charge for the same event for which nothing was drawn, of a request that another stands for."""
        return _idle(self.entries, described(event), instead)

    @property
    def charges(self) -> list[Entry]:
        """The entries that count: those of requests that were charged, and for which no other one stands."""
        return _charges(self.entries)

    def _check_fits(self, entries: tuple[Entry, ...], event: Event) -> None:
        accounts = self.rule.accounts(_granted(entries))
        if not self.rule.pays(accounts, event, 1):
            raise refusal(self.rule, accounts, event)

    # ------------------------------------------------------------------ the table
    @property
    def key(self) -> bytes:
        """The key of the table's HMAC; raise LedgerError if its file is missing, of another ledger, or not secret."""
        path = beside(self.path, "key")
        try:
            mode = path.stat().st_mode & 0o777
            identity, key = _read_key(path)
        except FileNotFoundError:
            raise LedgerError(
                f"{path}: the key is missing, without it the table is not recognised: restore it"
            ) from None
        if mode & 0o077:
            raise LedgerError(f"{path}: others can read the key (mode {mode:o}): chmod 600 {path}")
        if identity != self.identity:
            raise LedgerError(f"{path}: is the key of another ledger than {self.path}")
        return key

    def mark(self, number: int, line: str, released: str) -> str:
        """Return the mark by which this ledger knows its own certificates again: an HMAC that needs its key.

        It is under a key of its own, so no table has it.  number, line: those of the entry of a reservation, line by
        its digest.  released: SHA-256 of what was released for it.  They are published beside the mark.  Raise
        LedgerError if there is no ``key``.
        """
        own = hmac.digest(self.key, b"certificates of this ledger", "sha256")
        return hmac.digest(own, _canonical({"entry": number, "line": line, "released": released}), "sha256").hex()

    @property
    def table(self) -> Entry | None:
        """The entry that notes the HMAC of the last table; None before the first draw."""
        return _table(self.entries)

    def check_table(self, table_mac: str) -> None:
        """Raise LedgerError if the last table was another one than that with this HMAC under ``key``."""
        last = self.table
        if last is not None and last.payload["table"] != table_mac:
            raise LedgerError(
                f"{self.path}: the table changed since {last.time} (entry {last.number}): if it is the same "
                "people's, say so in the request, changed_table: accept; for other people open another ledger"
            )

    def recognise(self, table_mac: str, *, accept: bool = False) -> None:
        """Record the table's HMAC at first; raise LedgerError if it is another one later, unless ``accept``.

        Call it before the draw, with an HMAC under ``key`` of the table as it is read.
        """
        chain = Chain(self.path)
        with chain.writing():
            last = _table(self._checked(chain.entries()))
            if not accept:
                self.check_table(table_mac)
            if last is None or last.payload["table"] != table_mac:
                chain.append("noted", {"table": table_mac})

    # ------------------------------------------------------------------ what it says
    def summary(self) -> Summary:
        """Return what is spent and left."""
        entries = self.entries
        granted, about = _granted(entries), str(entries[0].payload.get("about", ""))
        so_far = self.rule.so_far(granted)
        return Summary(self.identity, about, self.rule, self.rule.accounts(granted), so_far, entries)


@dataclass(frozen=True)
class Reservation:
    """A request that is paid for."""

    ledger: Ledger
    number: int
    """Number of its entry in the ledger."""

    @property
    def entry(self) -> Entry:
        """Its entry."""
        return self.ledger.entries[self.number]

    @property
    def stored(self) -> bytes | None:
        """The released bytes, if they are drawn."""
        return stored_bytes(self.ledger.entries, self.number)

    def draw(self, make: Callable[[], bytes]) -> bytes:
        """Return the stored bytes; if there are none call ``make`` once, store what it returns, and return it.

        The ledger is locked meanwhile: of two processes with the same request one draws, the other gets its bytes.
        ``make`` may read the ledger, but not write it.
        """
        chain = Chain(self.ledger.path)
        with chain.writing():
            entries = self.ledger._checked(chain.entries())
            stored = stored_bytes(entries, self.number)
            if stored is None and all(entry.number != self.number for entry in _charges(entries)):
                raise LedgerError(
                    f"{self.ledger.path}: the charge of entry {self.number} pays for another request of its name by "
                    "now; ask again, and it is charged anew"
                )
            if stored is None:
                stored = bytes(make())
                chain.append("released", {"reserved": self.number, "bytes": base64.b64encode(stored).decode()})
        return stored


# ---------------------------------------------------------------------------------------------------- parts
def restored_rule(description: Mapping[str, Any]) -> Rule:
    """Return the rule that ``described`` described; raise ValueError for another."""
    fields = dict(description)
    name, neighbours = fields.pop("rule"), Neighbours(fields.pop("neighbours"))
    if name == "budget":
        return Budget(**fields, neighbours=neighbours)
    if name != "equal releases":
        raise ValueError(f"rule = {name!r}: must be 'budget' or 'equal releases'")
    each = {key: Fraction(number) for key, number in fields["each"].items()}
    return EqualReleases(Guarantee(**each, neighbours=neighbours), fields["count"], fields["delta"])


def _of_kind(entries: tuple[Entry, ...], kind: str) -> list[Entry]:
    return [entry for entry in entries if entry.kind == kind]


def _table(entries: tuple[Entry, ...]) -> Entry | None:
    return next((entry for entry in reversed(_of_kind(entries, "noted")) if "table" in entry.payload), None)


def _charges(entries: tuple[Entry, ...]) -> list[Entry]:
    """Return the charges that count: without those that pay for another request by now."""
    reserved = _of_kind(entries, "reserved")
    gone = {entry.payload["instead"] for entry in reserved if "instead" in entry.payload}
    return [entry for entry in reserved if entry.number not in gone]


def _idle(entries: tuple[Entry, ...], cost: Any, instead: Callable[[Mapping[str, Any]], bool]) -> Entry | None:
    """Return the first charge of this cost for which nothing was drawn, of a request that another one stands for."""
    charges = (entry for entry in _charges(entries) if entry.payload["event"] == cost)
    return next(
        (one for one in charges if stored_bytes(entries, one.number) is None and instead(one.payload["request"])), None
    )


def _granted(entries: tuple[Entry, ...]) -> list[Event]:
    return [restored(entry.payload["event"]) for entry in _charges(entries)]


def stored_bytes(entries: tuple[Entry, ...], number: int) -> bytes | None:
    """Return what was released for the reservation with this number; None if it is not drawn."""
    texts = [e.payload["bytes"] for e in _of_kind(entries, "released") if e.payload["reserved"] == number]
    return base64.b64decode(texts[0]) if texts else None


def _kinds(event: Event) -> dict[str, Any]:
    """Return the costs of an event, each kind by itself, for people who read the file."""
    pure = None if event.pure is None else str(event.pure)
    return {"cost": {"pure": pure, "rho": str(event.rho), "delta": str(event.delta)}}


def _canonical(request: Mapping[str, Any]) -> bytes:
    """Return a request as text that is the same for equal requests; raise ValueError unless it is a value of JSON."""
    try:
        return json.dumps(dict(request), sort_keys=True, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"request: must be values of JSON ({error})") from None


def _check_key(key: Path, chain: Chain) -> None:
    """Raise FileExistsError for a key that is not that of a ledger whose making a crash broke off."""
    there = key.exists()  # whoever makes a ledger writes its head before its key
    begun = chain.begun()
    if there and (begun is None or _read_key(key)[0] != begun):
        raise FileExistsError(EEXIST, _ANOTHER_KEY, str(key))


def _read_key(path: Path) -> tuple[str, bytes]:
    """Return the identity of a key's ledger, and the key; raise LedgerError if the file is damaged."""
    try:
        content = json.loads(contents(path))
        identity, key = str(content["identity"]), bytes.fromhex(content["key"])
        if len(key) == _KEY_BYTES:
            return identity, key
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise LedgerError(f"{path}: damaged, not the key of a ledger: restore it")


def _write_key(path: Path, identity: str) -> None:
    """Write a key that only the owner can read, unless it is there; raise FileExistsError for another ledger's."""
    try:
        with atomic(path, 0o600, new=True) as temporary:
            temporary.write_text(json.dumps({"identity": identity, "key": secrets.token_hex(_KEY_BYTES)}) + "\n")
            synced(temporary)
    except FileExistsError:
        if _read_key(path)[0] != identity:
            raise FileExistsError(EEXIST, _ANOTHER_KEY, str(path)) from None
    synced(path.parent)
