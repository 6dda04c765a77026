"""The ledger of a data set: what was charged for which request, and the bytes that were released for it.

The order that keeps a budget: ``Ledger.reserve`` charges, on the disk, before a private byte is read; then
``Reservation.draw`` draws once and stores the bytes, on the disk; then they are published.  A crash before the charge
is on the disk leaves nothing.  One after it leaves a reservation without bytes: the same request finds it, is not
charged again, and may draw, since what was drawn before was never published.  One after the bytes are stored leaves
them: the same request gets them, and nothing is drawn.

Kinds of entries: 'opened' (identity, rule, periods), 'reserved' (request, event), 'released' (bytes), 'noted' (the
table's HMAC, of which periods it is; what a crash left).

A ledger with periods has an account for each, see ``periods``: the key ``period`` of a request names them.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from errno import EEXIST, ENOTDIR
from fractions import Fraction
from pathlib import Path
from typing import Any

from semipriv.core.files import atomic
from semipriv.privacy.budget.chain import Chain, beside, contents, real, synced
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.lines import DamagedError, Entry, LedgerError
from semipriv.privacy.budget.periods import WHOLE, Charged, Periods, Standing, names_of, whole
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

    rule: with the guarantee of all that may ever be granted, whoever chooses it; of each period, if there are periods.
    standings: of each period that was charged, in their order, or of one that was not if none was; one without periods.
    """

    identity: str
    about: str
    rule: Rule
    periods: Periods | None
    standings: tuple[Standing, ...]
    entries: tuple[Entry, ...]

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Total, spent and left, by kind, of the last period."""
        return self.standings[-1].accounts

    @property
    def so_far(self) -> Guarantee:
        """The guarantee of what was granted of the last period, if all of it had been chosen in advance."""
        return self.standings[-1].so_far

    @property
    def together(self) -> tuple[Fraction, Fraction] | None:
        """Epsilon and delta of somebody with data in all periods that were charged; None if there is no bound."""
        if self.periods is None:
            return self.rule.most
        return self.periods.together(self.rule, _charged(self.periods, self.entries))

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
    """What decides; with periods, for each of them."""
    periods: Periods | None = None

    # ------------------------------------------------------------------ making and opening
    @classmethod
    def create(cls, path: str | Path, budget: Rule, about: str = "", periods: Periods | None = None) -> "Ledger":
        """Make a ledger with a random identity and a key; raise FileExistsError if there is one of them already.

        periods: each has an account of its own.  Raise ValueError if they do not go with the budget.  What a crash
        broke off here goes on, with the identity and the key that are there.
        """
        path = real(path)
        if periods is not None:
            periods.check(budget)
        chain, key = Chain(path), beside(path, "key")
        _check_key(key, chain)  # what is refused makes no folder
        if path.parent.exists() and not path.parent.is_dir():
            raise NotADirectoryError(ENOTDIR, "is not a folder, a ledger cannot be made in it", str(path.parent))
        path.parent.mkdir(parents=True, exist_ok=True)
        identity = chain.claim(secrets.token_hex(16))
        _write_key(key, identity)
        apart = {} if periods is None else {"periods": periods.described()}
        chain.begin(identity, {"rule": budget.described(), **apart, "about": about})
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """Open a ledger; raise DamagedError if it is damaged, FileNotFoundError if there is none."""
        path = real(path)
        opened = Chain(path).entries()[0]
        try:
            rule, apart = restored_rule(opened.payload["rule"]), opened.payload.get("periods")
            return cls(path, opened.payload["identity"], rule, None if apart is None else Periods(**apart))
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

        request: values of JSON that name whatever decides the distribution of the release, and, where the ledger has
        periods, in ``period`` those of the rows, each of which is charged.  instead: whether the request stands for an
        earlier one.  If that was charged for the same event and periods, and nothing was drawn for it, its charge pays
        for this one, and no more for that: what is paid for is a draw, and there is one.

        Raise BudgetError, and charge nothing, if it does not fit.  Raise LedgerError if neighbours are not those of the
        budget, if the periods are not of its kind, and if the request was charged for another event and has no bytes
        yet.
        """
        self.check_neighbours(neighbours)
        text, names = json.loads(_canonical(request)), names_of(self.periods, request)
        digest = hashlib.sha256(_canonical(request)).hexdigest()
        cost = described(event)
        chain = Chain(self.path)
        with chain.writing():
            entries = self._checked(chain.entries())
            reserved = next((e for e in _charges(entries) if e.payload["digest"] == digest), None)
            if reserved is None:
                payload = {"request": text, "digest": digest, "event": cost, **_kinds(event)}
                idle = self._idle(entries, names, cost, instead)
                if idle is None:
                    self._check_fits(entries, names, event)
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
                f"for {Neighbours(neighbours).value}: they do not add up; a budget of its own is opened by "
                f"`semipriv budget open LEDGER --neighbours {Neighbours(neighbours).value}`"
            )

    def check_fits(self, event: Event, request: Mapping[str, Any] = {}) -> None:
        """Raise BudgetError, and charge nothing, if a new request with this event does not fit."""
        self._check_fits(self.entries, names_of(self.periods, request), event)

    def standing(self, event: Event, request: Mapping[str, Any] = {}) -> Standing:
        """Return where the account of a request stands; of several periods, where the least is left for its event."""
        entries = self.entries
        standings = [self._standing(_charged(self.periods, entries), name) for name in names_of(self.periods, request)]
        return min(standings, key=lambda standing: tuple(standing.rule.largest(standing.accounts, event).values()))

    def idle(
        self, event: Event, instead: Callable[[Mapping[str, Any]], bool], request: Mapping[str, Any] = {}
    ) -> Entry | None:
        """Return the charge for the same event and periods for which nothing was drawn, of a request that another
        stands for.
        """
        return self._idle(self.entries, names_of(self.periods, request), described(event), instead)

    @property
    def charges(self) -> list[Entry]:
        """The entries that count: those of requests that were charged, and for which no other one stands."""
        return _charges(self.entries)

    def _check_fits(self, entries: tuple[Entry, ...], names: Sequence[str], event: Event) -> None:
        charged = _charged(self.periods, entries)
        for name in names:
            standing = self._standing(charged, name)
            if not standing.pays(event):
                raise refusal(standing.rule, standing.accounts, event, name)
            charged.append(((name,), event))

    def _standing(self, charged: Sequence[Charged], name: str) -> Standing:
        return whole(self.rule, charged) if self.periods is None else self.periods.standing(self.rule, charged, name)

    def _idle(
        self, entries: tuple[Entry, ...], names: Sequence[str], cost: Any, instead: Callable[[Mapping[str, Any]], bool]
    ) -> Entry | None:
        """Return the first charge of this cost for which nothing was drawn, of a request that another stands for."""
        for charge in _charges(entries):
            same = charge.payload["event"] == cost and _accounts(self.periods, charge) == names
            if same and stored_bytes(entries, charge.number) is None and instead(charge.payload["request"]):
                return charge
        return None

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
        return next(iter(_tables(self.entries)), None)

    def check_table(self, table_mac: str, request: Mapping[str, Any] = {}, *, accept: bool = False) -> None:
        """Raise LedgerError if the last table had another HMAC under ``key`` than this one, unless ``accept``.

        Of a request with periods, the last table of these counts.  A table that was one of other periods is refused in
        any case: its rows would be charged to accounts that are not theirs.
        """
        self._check_table(self.entries, table_mac, names_of(self.periods, request), accept)

    def _check_table(self, entries: tuple[Entry, ...], table_mac: str, names: Sequence[str], accept: bool) -> None:
        tables = _tables(entries)
        for known in tables:
            if known.payload["table"] == table_mac and _names(known) != names:
                raise LedgerError(
                    f"{self.path}: entry {known.number} knows the table as that of {', '.join(_names(known))}, "
                    f"the request says {', '.join(names)}: rows are charged to their own periods"
                )
        last = next((known for known in tables if _names(known) == names), None)
        if last is not None and last.payload["table"] != table_mac and not accept:
            raise LedgerError(
                f"{self.path}: the table changed since {last.time} (entry {last.number}): if it is the same "
                "people's, say so in the request, changed_table: accept; for other people open another ledger"
            )

    def recognise(self, table_mac: str, request: Mapping[str, Any] = {}, *, accept: bool = False) -> None:
        """Record the table's HMAC at first; later raise what ``check_table`` raises.

        Call it before the draw, with an HMAC under ``key`` of the table as it is read.
        """
        chain, names = Chain(self.path), names_of(self.periods, request)
        with chain.writing():
            entries = self._checked(chain.entries())
            self._check_table(entries, table_mac, names, accept)
            last = next((record for record in _tables(entries) if _names(record) == names), None)
            if last is None or last.payload["table"] != table_mac:
                apart = {} if self.periods is None else {"period": list(names)}
                chain.append("noted", {"table": table_mac, **apart})

    # ------------------------------------------------------------------ what it says
    def summary(self) -> Summary:
        """Return what is spent and left."""
        entries = self.entries
        charged, about = _charged(self.periods, entries), str(entries[0].payload.get("about", ""))
        names = {name for names, _ in charged for name in names}
        standings = tuple(self._standing(charged, name) for name in sorted(names))
        none = Standing("", self.rule if self.periods is None else self.periods.total(self.rule), (), ())
        return Summary(self.identity, about, self.rule, self.periods, standings or (none,), entries)


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
_FILTERS: Mapping[str, Callable[..., Rule]] = {"budget": Budget, "gaussian budget": GaussianBudget}


def restored_rule(description: Mapping[str, Any]) -> Rule:
    """Return the rule that ``described`` described; raise ValueError for another."""
    fields = dict(description)
    name, neighbours = fields.pop("rule"), Neighbours(fields.pop("neighbours"))
    if name in _FILTERS:
        return _FILTERS[name](**fields, neighbours=neighbours)
    if name != "equal releases":
        raise ValueError(f"rule = {name!r}: must be one of {', '.join(_FILTERS)}, equal releases")
    cost = {key: Fraction(number) for key, number in fields["each"].items()}
    return EqualReleases(Guarantee(**cost, neighbours=neighbours), fields["count"], fields["delta"])


def _of_kind(entries: tuple[Entry, ...], kind: str) -> list[Entry]:
    return [entry for entry in entries if entry.kind == kind]


def _tables(entries: tuple[Entry, ...]) -> list[Entry]:
    """Return the entries that note a table, the last one first."""
    return [entry for entry in reversed(_of_kind(entries, "noted")) if "table" in entry.payload]


def _names(table: Entry) -> tuple[str, ...]:
    """Return the periods of a table that is noted."""
    return tuple(table.payload.get("period", WHOLE))


def _charges(entries: tuple[Entry, ...]) -> list[Entry]:
    """Return the charges that count: without those that pay for another request by now."""
    reserved = _of_kind(entries, "reserved")
    gone = {entry.payload["instead"] for entry in reserved if "instead" in entry.payload}
    return [entry for entry in reserved if entry.number not in gone]


def _charged(periods: Periods | None, entries: tuple[Entry, ...]) -> list[Charged]:
    """Return the periods and the event of each charge that counts."""
    return [(_accounts(periods, entry), restored(entry.payload["event"])) for entry in _charges(entries)]


def _accounts(periods: Periods | None, charge: Entry) -> tuple[str, ...]:
    """Return the accounts of a charge."""
    return WHOLE if periods is None else names_of(periods, charge.payload["request"])


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
