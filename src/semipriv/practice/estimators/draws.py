"""One draw of a release: its randomness, and the ledger that is charged."""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipriv.core.randomness import Randomness, Secure, Simulation, as_randomness
from semipriv.practice.asking.persons import check_same_persons
from semipriv.practice.columns.strict import canonical
from semipriv.practice.estimators import stored
from semipriv.practice.estimators.door import withheld
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release

Make = Callable[[], Release[Any]]


@dataclass(frozen=True)
class Draw:
    """How a release is drawn: randomness, and the ledger that is charged before, if there is one.

    request: a name under which the released bytes are stored; None: every draw is a new request.  period: the periods
    of the private rows, each of which is charged by a ledger with periods.
    """

    randomness: Randomness
    ledger: str | None
    request: str | None
    guarantee: Guarantee | None
    period: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        randomness: Any,
        ledger: Any,
        request: str | None,
        guarantee: Guarantee | None,
        releasable: bool,
        what: str,
        others: Callable[[], Sequence[str]] = list,
        *,
        period: Any = None,
    ) -> "Draw":
        """Check that randomness, ledger and learner fit together; raise ValueError before any data are read.

        others: names of what may be released instead.
        """
        known = as_randomness(randomness)
        if isinstance(known, Secure) and (guarantee is None or not releasable):
            wrong = (
                "has no guarantee, Secure() is for releases; use Simulation(seed)"
                if guarantee is None
                else "has no exact sampler, it is for Simulation(seed) only"
            )
            instead = f" (learners that Secure() draws: {', '.join(names)})" if (names := others()) else ""
            raise ValueError(f"randomness: {what} {wrong}{instead}")
        if isinstance(known, Simulation):
            if ledger is not None:
                raise ValueError("ledger: nothing is charged for a Simulation, which is not a release; use Secure()")
            known = known.spawn("estimator")  # a fresh stream, so that each fit is the same
        if request is not None and ledger is None:
            raise ValueError(f"request = {request!r}: names an entry of a ledger, and ledger is None")
        names_of_period = _periods(period)
        if names_of_period and ledger is None:
            raise ValueError(f"period = {period!r}: names an account of a ledger, and ledger is None")
        return cls(known, None if ledger is None else os.fspath(ledger), request, guarantee, names_of_period)

    def release(
        self, make: Make, identity: Mapping[str, Any], event: Callable[[], Event | None], records: Sequence[Any]
    ) -> Release[Any]:
        """Charge, draw, and return the release from its JSON; no array of ``make`` lives on in it.

        identity: what decides the distribution of the release, as values of JSON.  A named request that was released
        already is returned as it was, and costs nothing; raise ValueError if it was of other records, and LedgerError
        as ``check_same_persons`` does.
        """
        if self.ledger is None:
            return stored.restored(json.loads(_content(make)))
        try:
            ledger = Ledger.open(self.ledger)
        except FileNotFoundError:
            raise ValueError(f"ledger: none at {self.ledger}; make one first: semipriv budget open") from None
        return self._charged(ledger, make, identity, event, records)

    def _charged(
        self,
        ledger: Ledger,
        make: Make,
        identity: Mapping[str, Any],
        event: Callable[[], Event | None],
        records: Sequence[Any],
    ) -> Release[Any]:
        if ledger.periods is not None and not self.period:
            raise ValueError(
                f"period: is None, and {ledger.path} keeps an account for each {ledger.periods.kind}: say of which the "
                "private rows are"
            )
        cost, named = event(), self.request is not None
        if cost is None or self.guarantee is None:
            raise ValueError("ledger: the learner has no guarantee that could be charged")
        if "person" in identity:
            check_same_persons(ledger, identity["person"].get("columns"))
        name: dict[str, Any] = {"name": self.request} if named else {"fit": secrets.token_hex(16)}
        name |= {"period": list(self.period)} if self.period else {}
        rows = mac(ledger.key, records) if named else ""

        def drawn() -> bytes:
            return canonical({"rows": rows, "release": json.loads(_content(make))})

        content = json.loads(ledger.reserve({**identity, **name}, cost, self.guarantee.neighbours).draw(drawn))
        if content["rows"] != rows:
            raise ValueError(
                f"request = {self.request!r}: was released already, from other private rows; a release of these needs "
                "another name, or none"
            )
        return stored.restored(content["release"])


def _periods(given: Any) -> tuple[str, ...]:
    """Return the names of periods; raise ValueError for anything but a text, several of them, or None."""
    if given is None:
        return ()
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"period = {given!r}: must be a name such as '2026-11', or a list of names")
    return tuple(sorted(set(names)))  # in whatever order they are named, a fit is the same one


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was if its fit is refused: what it released before, and paid for, still predicts."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _content(make: Make) -> bytes:
    """Return a release as JSON; raise PublicError for whatever is wrong, since private rows are at hand."""
    return withheld(lambda: canonical(stored.described(make())), "the draw failed")


def mac(key: bytes, records: Sequence[Any]) -> str:
    """Return an HMAC of arrays, by which the holder of the key recognises them."""
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for array in map(np.asarray, records):
        digest.update(repr((array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
