"""The ledger as a page to read: one file of HTML that needs nothing else."""

from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv.core.papers import titles
from semipriv.report.ledger.table import CLAIMS, assumed, columns, counts, false_alarms, shown_verdict
from semipriv.report.pages import Entry, number, table, write_page

COLOURS = {
    "holds": "#d5efe3",
    "violated": "#f9cfc4",
    "refuted": "#f6d9ec",
    "inconclusive": "#f0f0f0",
    "illustration": "#dbe9f6",
    "cited": "#fbf3cf",
}
"""Background of each verdict, which is also written."""

MEANINGS = {
    "holds": "the confidence limits of the deciding measurement lie inside what the claim allows, or it is exact",
    "violated": "they lie outside: a defect until it is explained",
    "refuted": "an exact counterexample shows the claim false as it is stated",
    "inconclusive": "they lie on both sides; the reason says why",
    "illustration": "no verdict: a measurement that shows what the claim is about and does not decide it",
    "cited": "no verdict: taken from other work",
}
TITLES = ("claim", "kind", "statement", "verdict", "measured", "bound", "trials", "constants", "how", "reason")


def write_ledger_page(ledger: str | Path, page: str | Path) -> None:
    """Write the ledger as HTML: the number of claims with each verdict, then every claim, paper by paper."""
    rows = tables.read_rows(ledger, CLAIMS)
    simulated, chance = false_alarms(rows)
    body = [
        f"<p>{len(rows)} claims. The verdicts of {simulated} rest on simulations. The chance that any of them is wrong "
        f"by accident is at most about {100 * chance:.2g} %, assuming: {assumed(rows)}.</p>",
        _counts(rows),
        table(("verdict", "meaning"), [((verdict, _background(verdict)), text) for verdict, text in MEANINGS.items()]),
    ]
    for paper in dict.fromkeys(row["paper"] for row in rows):
        of_paper = [row for row in rows if row["paper"] == paper]
        body += [f'<h2 id="{paper}">{paper}: {titles()[paper]}</h2>']
        body += [table(TITLES, map(_claim, of_paper), [row["claim"] for row in of_paper])]
    write_page(page, "Claims ledger", body)


def _background(verdict: str) -> str:
    return f' style="background: {COLOURS[verdict]}"'


def _counts(rows: list[dict[str, Any]]) -> str:
    return table(
        ("paper", *columns()),
        [(paper, *(number(count[verdict]) for verdict in columns())) for paper, count in counts(rows).items()],
    )


def _claim(row: dict[str, Any]) -> list[str | Entry]:
    trials = "" if row["trials"] is None else "exact" if row["trials"] == 0 else f"{row['trials']:,}"
    bound = "" if row["bound"] is None else f"{row['bound']:.4g}"
    cells = (row["claim"], row["kind"], row["statement"], (shown_verdict(row), _background(row["verdict"])))
    measured = (number(_limits(row)), number(bound), number(trials))
    return [*cells, *measured, *(row[key] or "" for key in ("constants", "experiment", "reason"))]


def _limits(row: dict[str, Any]) -> str:
    """Return the deciding measurement, with its limits unless it is exact."""
    if row["measured"] is None:
        return ""
    if row["low"] == row["high"]:
        return f"{row['measured']:.4g}"
    return f"{row['measured']:.4g} [{row['low']:.4g}, {row['high']:.4g}]"
