"""The tables of the ledger: rows of claims with their verdicts, and the measurements behind them."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from semipriv.core import tables
from semipriv.core.statistics import GATE_LEVEL, Verdict
from semipriv.core.tables import Column, Schema
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.findings import Finding, Measurement
from semipriv_lab.ledger.reasons import reason_of

MEASUREMENTS = Schema(
    "measurements",
    "what was measured for the claims: one row for each cell of a claim's experiment",
    (
        Column("claim", pa.string(), "id of the claim"),
        Column("quantity", pa.string(), "what was measured"),
        Column("settings", pa.string(), "where: sizes and parameters by name, as JSON"),
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
    "the ledger: one row for each claim of the papers and of the learners of this project",
    (
        Column("claim", pa.string(), "id of the claim"),
        Column("paper", pa.string(), "id of the paper"),
        Column("kind", pa.string(), "theorem, rate, exact, ours, illustration or cited"),
        Column("statement", pa.string(), "what is claimed"),
        Column("domain", pa.string(), "for which parameters; empty: it names none"),
        Column("proof", pa.string(), "where it is proved for the whole domain; empty: the row speaks of what was run"),
        Column("experiment", pa.string(), "how it was measured; null: it was not"),
        Column("bound", pa.float64(), "what the claim allows in the deciding measurement"),
        Column("measured", pa.float64(), "the deciding measurement"),
        Column("low", pa.float64(), "its lower confidence limit"),
        Column("high", pa.float64(), "its upper confidence limit"),
        Column("trials", pa.int64(), "independent repetitions behind it; 0: exact"),
        Column("gates", pa.int64(), "simulated measurements that share its error level; 0: exact throughout"),
        Column("constants", pa.string(), "the paper's own, repaired or scaled constants"),
        Column("verdict", pa.string(), "holds, violated, refuted, inconclusive, illustration or cited"),
        Column("reason", pa.string(), "why, where the verdict needs it, in at most three sentences"),
        Column("note", pa.string(), "what else was found, and what was changed after a look"),
    ),
)


NOT_IMPLEMENTED = "not implemented"
NOT_MEASURED = "not part of this run"
LEFT_OUT = (NOT_IMPLEMENTED, NOT_MEASURED)
"""Reasons for which a claim was not measured; they are shown instead of a verdict."""


def write_findings(findings: Mapping[str, Finding], rows: str | Path, measurements: str | Path) -> None:
    """Write the rows of the ledger on some claims, and their measurements."""
    known = claims()
    tables.write(rows, CLAIMS, [row_of(known[claim], finding) for claim, finding in findings.items()])
    cells = [cell_of(claim, measurement) for claim, finding in findings.items() for measurement in finding.measurements]
    tables.write(
        measurements,
        MEASUREMENTS,
        [cell | {"settings": json.dumps(cell["settings"], allow_nan=False)} for cell in cells],
    )


def cell_of(claim: str, measurement: Measurement) -> dict[str, Any]:
    """Return the row of a measurement, with its settings by name."""
    return {
        "claim": claim,
        "quantity": measurement.quantity,
        "settings": dict(measurement.settings),
        "trials": measurement.trials,
        "bound": measurement.bound,
        "measured": measurement.measured.value,
        "low": measurement.measured.low,
        "high": measurement.measured.high,
        "verdict": None if measurement.verdict is None else measurement.verdict.value,
    }


def row_of(claim: Claim, finding: Finding) -> dict[str, Any]:
    """Return the row of the ledger on a claim."""
    deciding, reason = finding.deciding, reason_of(finding.reason)
    return dict.fromkeys(CLAIMS.names) | {
        "claim": claim.id,
        "paper": claim.paper,
        "kind": claim.kind,
        "statement": claim.statement,
        "domain": finding.domain,
        "proof": claim.proof,
        "experiment": finding.experiment,
        "bound": deciding.bound,
        "measured": deciding.measured.value,
        "low": deciding.measured.low,
        "high": deciding.measured.high,
        "trials": deciding.trials,
        "gates": sum(m.trials > 0 and m.verdict is not None for m in finding.measurements),
        "constants": finding.constants,
        "verdict": finding.verdict.value,
        "reason": reason.reason,
        "note": reason.note,
    }


def shown_verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict on a claim; why it was not measured, if it was not."""
    return str(row["reason"] if row["reason"] in LEFT_OUT else row["verdict"])


REFUTED_OURS = "refuted, ours"
"""What refuted claims of kind ours count as: they are no claims of a paper."""


def counted_as(row: Mapping[str, Any]) -> str:
    """Return what a claim counts as: the verdict that is shown, or REFUTED_OURS."""
    shown = shown_verdict(row)
    return REFUTED_OURS if shown == Verdict.REFUTED.value and row["kind"] == "ours" else shown


def columns() -> list[str]:
    """Return what claims may count as, in the order of the tables that count them."""
    verdicts = [verdict.value for verdict in Verdict]
    after = verdicts.index(Verdict.REFUTED.value) + 1
    return [*verdicts[:after], REFUTED_OURS, *verdicts[after:], *LEFT_OUT]


def counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Return the number of claims of each verdict, by paper.

    Those that were not measured count apart, and so do refuted ones of our own.
    """
    result: dict[str, Counter[str]] = {}
    for row in rows:
        result.setdefault(row["paper"], Counter())[counted_as(row)] += 1
    return result


def false_alarms(rows: Iterable[Mapping[str, Any]]) -> tuple[int, float]:
    """Return how many claims rest on simulations, and about the largest chance of any wrong verdict among them.

    The gates of a claim share the two-sided level GATE_LEVEL.  The chance is at most the number of these claims times
    the level, under what ``assumed`` says.
    """
    simulated = sum(row["gates"] > 0 for row in rows)
    return simulated, simulated * GATE_LEVEL


def assumed(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return what the chance of ``false_alarms`` assumes: gates, their level, looks, and the kind of limits."""
    gates = sum(row["gates"] for row in rows)
    return (
        f"{gates:,} simulated gates, those of a claim at the two-sided level {GATE_LEVEL:g} together, one look at each "
        "with sizes and trials set before; what was changed after a look says so in its reason or note, and counts as "
        "one look only where it was drawn anew; limits of frequencies keep their level exactly, Student's limits "
        "of means "
        "only about"
    )
