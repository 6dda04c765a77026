"""The ledger of a data set: what was charged, and the bytes that were released for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semipriv.budget.filter import Budget, EqualReleases
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Neighbours


class LedgerError(ValueError):
    """A ledger that is damaged, or that is not the data set's."""


class Ledger:
    """The ledger at a path."""

    path: Path
    identity: str

    @classmethod
    def create(cls, path: str | Path, budget: Budget | EqualReleases, about: str = "") -> "Ledger":
        """Make a ledger, with a random identity and a key of its own."""
        raise NotImplementedError

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """Open a ledger that is there; raise LedgerError for a damaged one."""
        raise NotImplementedError

    def reserve(self, request: Mapping[str, Any], event: Event, neighbours: Neighbours) -> "Reservation":
        """Charge for a request, once; the same request again gets the same reservation.

        Raise BudgetError, and charge nothing, if it does not fit.
        """
        raise NotImplementedError

    @property
    def key(self) -> bytes:
        """The key of the data set's HMACs, from a file that only its owner can read."""
        raise NotImplementedError

    def recognise(self, table_mac: str, *, accept: bool = False) -> None:
        """Record the table's HMAC at first; later raise LedgerError for another one, unless ``accept``."""
        raise NotImplementedError

    def summary(self) -> "Summary":
        """Return what is spent and left."""
        raise NotImplementedError


@dataclass(frozen=True)
class Reservation:
    """A request that is paid for."""

    ledger: Ledger
    number: int
    """Number of its entry in the ledger."""

    @property
    def stored(self) -> bytes | None:
        """The released bytes, if they are drawn."""
        raise NotImplementedError

    def draw(self, make: Callable[[], bytes]) -> bytes:
        """Return the stored bytes; if there are none call ``make`` once, store what it returns and return it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Summary:
    """What a ledger says: see ``to_dict``."""

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        raise NotImplementedError
