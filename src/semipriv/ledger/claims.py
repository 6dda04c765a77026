"""The list of claims of the five papers, as it ships with the package."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = {
    "theorem": "a proven inequality: every measurement must respect its bound",
    "rate": "how fast something grows or falls: its exponent, fitted on logarithmic scales, with confidence limits",
    "exact": "an equality, or a property such as privacy: decided by enumeration or a closed form",
    "ours": "no claim of the paper: a repaired or sharper version, proved here",
    "illustration": "a measurement that shows what a statement is about and does not decide it: no verdict",
    "cited": "taken from other work, and not proved here: no verdict",
}
"""The kinds of claims, and what each is."""


@dataclass(frozen=True)
class Claim:
    """One row of the list of claims."""

    id: str
    paper: str
    kind: str
    statement: str

    @property
    def stated(self) -> dict[str, Any]:
        """Columns of the ledger that the list fills; they may have changed since the claim was measured."""
        return {"claim": self.id, "paper": self.paper, "kind": self.kind, "statement": self.statement}


def claims() -> dict[str, Claim]:
    """Return the list of claims, by id."""
    path = Path(__file__).with_name("claims.csv")
    with path.open(newline="") as file:
        rows = [Claim(row["claim"], row["paper"], row["kind"], row["statement"]) for row in csv.DictReader(file)]
    return {claim.id: claim for claim in rows}
