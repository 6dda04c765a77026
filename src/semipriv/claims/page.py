"""The ledger as a page to read: one file of HTML that needs nothing else."""

from html import escape
from pathlib import Path
from typing import Any

from semipriv import tables
from semipriv.claims.ledger import CLAIMS, counts, false_alarms
from semipriv.files import whole

COLOURS = {
    "holds": "#d5efe3",
    "violated": "#f9cfc4",
    "refuted": "#f6d9ec",
    "inconclusive": "#f0f0f0",
    "illustration": "#dbe9f6",
    "cited": "#fbf3cf",
}
"""Background of each verdict; the verdict itself is always written."""

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; margin: 1em 0 2em; }
th, td { border: 1px solid #ccc; padding: 4px 8px; text-align: left; vertical-align: top; }
th { background: #fafafa; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
"""


def write_page(ledger: str | Path, page: str | Path) -> None:
    """Write the ledger as HTML: how many claims have which verdict, then every claim, paper by paper."""
    rows = tables.read_rows(ledger, CLAIMS)
    simulated, chance = false_alarms(rows)
    body = [
        "<h1>Claims ledger</h1>",
        f"<p>{len(rows)} claims. The verdicts of {simulated} rest on simulations, each with a two-sided error level of "
        f"10<sup>-4</sup>: the chance that any of them is wrong by accident is at most {100 * chance:.2g} %.</p>",
        _counts(rows),
    ]
    for paper in dict.fromkeys(row["paper"] for row in rows):
        body += [f"<h2>{paper}</h2>", _claims([row for row in rows if row["paper"] == paper])]
    head = f'<meta charset="utf-8"><title>Claims ledger</title><style>{_STYLE}</style>'
    text = "\n".join(body)
    with whole(page) as target:
        target.write_text(f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{text}\n</body></html>\n')


def _counts(rows: list[dict[str, Any]]) -> str:
    found = counts(rows)
    verdicts = [*COLOURS, "not implemented"]
    head = "".join(f"<th>{verdict}</th>" for verdict in verdicts)
    lines = [
        f"<tr><td>{paper}</td>" + "".join(f'<td class="number">{count[v]}</td>' for v in verdicts) + "</tr>"
        for paper, count in found.items()
    ]
    return f"<table><tr><th>paper</th>{head}</tr>\n" + "\n".join(lines) + "</table>"


def _claims(rows: list[dict[str, Any]]) -> str:
    titles = ("claim", "kind", "statement", "verdict", "measured", "bound", "trials", "constants", "how", "reason")
    head = "".join(f"<th>{title}</th>" for title in titles)
    return f"<table><tr>{head}</tr>\n" + "\n".join(map(_claim, rows)) + "</table>"


def _claim(row: dict[str, Any]) -> str:
    trials = "" if row["trials"] is None else "exact" if row["trials"] == 0 else f"{row['trials']:,}"
    bound = "" if row["bound"] is None else f"{row['bound']:.4g}"
    cells = [
        (row["claim"], ""),
        (row["kind"], ""),
        (row["statement"], ""),
        (row["verdict"], f' style="background: {COLOURS[row["verdict"]]}"'),
        (_limits(row), ' class="number"'),
        (bound, ' class="number"'),
        (trials, ' class="number"'),
        (row["constants"], ""),
        (row["experiment"], ""),
        (row["reason"], ""),
    ]
    text = "".join(f"<td{attribute}>{escape(value or '')}</td>" for value, attribute in cells)
    return f'<tr id="{escape(row["claim"])}">{text}</tr>'


def _limits(row: dict[str, Any]) -> str:
    """The deciding measurement with its limits, which an exact one does not need."""
    if row["measured"] is None:
        return ""
    if row["low"] == row["high"]:
        return f"{row['measured']:.4g}"
    return f"{row['measured']:.4g} [{row['low']:.4g}, {row['high']:.4g}]"
