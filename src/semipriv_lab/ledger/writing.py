"""The ledger of a run: the rows of all claims, and the measurements behind them, in one table each."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.stated import stated
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS, NOT_IMPLEMENTED, NOT_MEASURED

_UNMEASURED = {
    "cited": (Verdict.CITED, "taken from other work: neither proved nor measured here"),
    "": (Verdict.INCONCLUSIVE, NOT_IMPLEMENTED),
}


def write_ledger(
    rows: Sequence[str | Path],
    measured: Sequence[str | Path],
    measurable: Iterable[str],
    ledger: str | Path,
    measurements: str | Path,
) -> None:
    """Write the ledger, which has every claim of the list, and all measurements in one table.

    A claim that was not measured is inconclusive.  The reason is "not part of this run" if it is measurable, else "not
    implemented".
    """
    recorded = {row["claim"]: row for path in rows for row in tables.read_rows(path, CLAIMS)}
    left_out = set(measurable)
    table = [
        recorded[claim.id] | stated(claim)
        if claim.id in recorded
        else _unmeasured(claim, NOT_MEASURED if claim.id in left_out else None)
        for claim in claims().values()
    ]
    tables.write(ledger, CLAIMS, table)
    tables.write(measurements, MEASUREMENTS, [row for path in measured for row in tables.read_rows(path, MEASUREMENTS)])


def _unmeasured(claim: Claim, reason: str | None) -> dict[str, Any]:
    verdict, why = _UNMEASURED.get(claim.kind, _UNMEASURED[""])
    return dict.fromkeys(CLAIMS.names) | stated(claim) | {"gates": 0, "verdict": verdict.value, "reason": reason or why}
