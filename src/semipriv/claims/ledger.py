"""The claims ledger: the list of claims, findings on those that were measured, and one table of verdicts."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from semipriv import registry, tables
from semipriv.statistics import Interval, Verdict
from semipriv.tables import Column, Schema

KINDS = ("theorem", "rate", "exact", "ours", "illustration", "cited")

MEASUREMENTS = Schema(
    "measurements",
    "what was measured for the claims: one row for each cell of a claim's experiment",
    (
        Column("claim", pa.string(), "id of the claim"),
        Column("quantity", pa.string(), "what was measured"),
        Column("settings", pa.string(), "where: sizes and parameters, as text"),
        Column("trials", pa.int64(), "independent repetitions; 0: exact"),
        Column("bound", pa.float64(), "what the claim allows; null: no bound of its own"),
        Column("measured", pa.float64(), "measured value"),
        Column("low", pa.float64(), "lower confidence limit"),
        Column("high", pa.float64(), "upper confidence limit"),
        Column("verdict", pa.string(), "verdict on this row; null: for the record"),
    ),
)

CLAIMS = Schema(
    "claims",
    "the ledger: one row for each claim of the five papers",
    (
        Column("claim", pa.string(), "id of the claim"),
        Column("paper", pa.string(), "id of the paper"),
        Column("kind", pa.string(), "theorem, rate, exact, ours, illustration or cited"),
        Column("statement", pa.string(), "what is claimed"),
        Column("experiment", pa.string(), "how it was measured; null: it was not"),
        Column("bound", pa.float64(), "what the claim allows in the deciding measurement"),
        Column("measured", pa.float64(), "the deciding measurement"),
        Column("low", pa.float64(), "its lower confidence limit"),
        Column("high", pa.float64(), "its upper confidence limit"),
        Column("trials", pa.int64(), "independent repetitions behind it; 0: exact"),
        Column("constants", pa.string(), "the paper's own, repaired or scaled constants"),
        Column("verdict", pa.string(), "holds, violated, refuted, inconclusive, illustration or cited"),
        Column("reason", pa.string(), "why, where the verdict needs it"),
    ),
)


@dataclass(frozen=True)
class Claim:
    """One row of the list of claims."""

    id: str
    paper: str
    kind: str
    statement: str


@dataclass(frozen=True)
class Measurement:
    """One measured cell of a claim."""

    quantity: str
    settings: str
    measured: Interval
    bound: float | None = None
    trials: int = 0
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Finding:
    """What was found about a claim: its verdict and the measurement that decided it, beside all the others."""

    experiment: str
    verdict: Verdict
    deciding: Measurement
    measurements: tuple[Measurement, ...] = field(default=())
    constants: str = "the paper's"
    reason: str = ""


def claims() -> dict[str, Claim]:
    """The list of claims that ships with the package, by id."""
    path = Path(__file__).with_name("claims.csv")
    with path.open(newline="") as file:
        rows = [Claim(row["claim"], row["paper"], row["kind"], row["statement"]) for row in csv.DictReader(file)]
    return {claim.id: claim for claim in rows}


def check_claims(ids: Sequence[str], measurable: Sequence[str]) -> None:
    """Raise ValueError for an id that is not in the list of claims, or has no experiment yet."""
    known = claims()
    for claim in ids:
        registry.check_name("claim", claim, list(known))
        if claim not in measurable:
            raise ValueError(f"claim {claim!r} has no experiment yet (measurable: {', '.join(measurable)})")


def write_finding(claim: str, finding: Finding, ledger_row: str | Path, measurements: str | Path) -> None:
    """Write a claim's row of the ledger and its measurements."""
    tables.write(ledger_row, CLAIMS, [_row(claims()[claim], finding)])
    rows = [
        {
            "claim": claim,
            "quantity": m.quantity,
            "settings": m.settings,
            "trials": m.trials,
            "bound": m.bound,
            "measured": m.measured.value,
            "low": m.measured.low,
            "high": m.measured.high,
            "verdict": None if m.verdict is None else m.verdict.value,
        }
        for m in finding.measurements
    ]
    tables.write(measurements, MEASUREMENTS, rows)


def write_ledger(
    rows: Sequence[str | Path], measured: Sequence[str | Path], ledger: str | Path, measurements: str | Path
) -> None:
    """Write the ledger with every claim of the list; one that was not measured is inconclusive: not implemented."""
    found = {row["claim"]: row for path in rows for row in tables.read_rows(path, CLAIMS)}
    tables.write(ledger, CLAIMS, [found.get(claim.id, _row(claim, None)) for claim in claims().values()])
    tables.write(measurements, MEASUREMENTS, [row for path in measured for row in tables.read_rows(path, MEASUREMENTS)])


def _row(claim: Claim, finding: Finding | None) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CLAIMS.names)
    row |= {"claim": claim.id, "paper": claim.paper, "kind": claim.kind, "statement": claim.statement}
    if finding is None:
        return row | {"verdict": Verdict.INCONCLUSIVE.value, "reason": "not implemented"}
    deciding = finding.deciding
    return row | {
        "experiment": finding.experiment,
        "bound": deciding.bound,
        "measured": deciding.measured.value,
        "low": deciding.measured.low,
        "high": deciding.measured.high,
        "trials": deciding.trials,
        "constants": finding.constants,
        "verdict": finding.verdict.value,
        "reason": finding.reason,
    }


def counts(ledger: str | Path) -> dict[str, Counter[str]]:
    """Number of claims of each verdict, by paper; those not implemented apart from those inconclusive."""
    result: dict[str, Counter[str]] = {}
    for row in tables.read_rows(ledger, CLAIMS):
        verdict = "not implemented" if row["reason"] == "not implemented" else row["verdict"]
        result.setdefault(row["paper"], Counter())[verdict] += 1
    return result
