"""What moved between two ledgers: verdicts, and the numbers that decided them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semipriv_lab.ledger.table import shown_verdict

Row = Mapping[str, Any]

NUMBERS = ("bound", "measured", "low", "high", "trials", "gates")
TEXTS = ("statement", "domain", "proof", "experiment", "constants", "reason", "note")


@dataclass(frozen=True)
class Change:
    """A claim of both ledgers of which something differs: (before, after) by column, the verdict among them."""

    claim: str
    changed: Mapping[str, tuple[Any, Any]]

    @property
    def verdict(self) -> bool:
        """Whether the verdict differs."""
        return "verdict" in self.changed


@dataclass(frozen=True)
class Difference:
    """What differs between two ledgers.

    changes: the claims of both that differ, in the order of the first ledger.  only_before, only_after: the claims that
    one of them alone has.  same: how many claims are equal, to the last digit.
    """

    changes: Sequence[Change]
    only_before: Sequence[str]
    only_after: Sequence[str]
    same: int


def difference(before: Sequence[Row], after: Sequence[Row]) -> Difference:
    """Return what moved from one ledger to another, claim by claim.  A claim that was not measured shows why.

    >>> def ledger(verdict, measured):
    ...     return [{"claim": "A", "verdict": verdict, "measured": measured, "reason": None}]
    >>> difference(ledger("holds", 0.5), ledger("violated", 0.75)).changes[0].changed
    {'verdict': ('holds', 'violated'), 'measured': (0.5, 0.75)}
    """
    old, new = ({row["claim"]: row for row in rows} for rows in (before, after))
    common = [claim for claim in old if claim in new]
    changes = [Change(claim, changed) for claim in common if (changed := _changed(old[claim], new[claim]))]
    return Difference(
        changes,
        [claim for claim in old if claim not in new],
        [claim for claim in new if claim not in old],
        len(common) - len(changes),
    )


def _changed(old: Row, new: Row) -> dict[str, tuple[Any, Any]]:
    pairs: dict[str, tuple[Any, Any]] = {"verdict": (shown_verdict(old), shown_verdict(new))}
    pairs |= {name: (old.get(name), new.get(name)) for name in (*NUMBERS, *TEXTS)}
    return {name: pair for name, pair in pairs.items() if not _equal(*pair)}


def _equal(first: Any, second: Any) -> bool:
    """Return whether two cells are equal; NaN is equal to itself."""
    return first == second or (repr(first) == repr(second) == "nan")
