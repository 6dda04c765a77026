"""The ledger as a page to read: one file of HTML with its own style and script, which needs no network and no server.

Readers filter the claims by paper, verdict, kind and words.  Each claim has an address of its own, ``claims.html#ID``,
and opens to its reason, its study, its figure, a note, and every cell that was measured for it.
"""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv.core.statistics import Verdict
from semipriv_lab.experiments.papers import titles
from semipriv_lab.ledger.claims import KINDS
from semipriv_lab.ledger.html import number, table, write_page
from semipriv_lab.ledger.studies import Study, studies, study_of
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS, assumed, columns, counts, false_alarms, shown_verdict

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
REGISTERED = "Verdicts as they are registered; a run measures the claims and writes this page with its numbers."
TITLES = ("claim", "statement", "verdict", "measured")


@dataclass(frozen=True)
class Links:
    """Where the page finds what it points to, with {} for a name; None if it points to nothing.

    figure: by the figure's name.  study: by its paper and name, as in ``{paper}``, ``{name}``.  proof: by the claim's
    id.  proved: the claims that have such a place.
    """

    figure: str | None = "figures/{}.png"
    study: str | None = None
    proof: str | None = None
    proved: frozenset[str] = frozenset()


def assets() -> list[Path]:
    """Return the files of style and script that a page holds."""
    return [Path(str(files(__package__) / name)) for name in ("page.css", "page.js")]


def write_ledger_page(
    ledger: str | Path, measurements: str | Path, page: str | Path, links: Links | None = None
) -> None:
    """Write the ledger as HTML: the number of claims with each verdict, then every claim, paper by paper.

    ledger, measurements: tables of CLAIMS and MEASUREMENTS.  links: by default those of a run's folder of results.
    """
    rows = tables.read_rows(ledger, CLAIMS)
    write_page(page, "Claims ledger", body_of(rows, tables.read_rows(measurements, MEASUREMENTS), links or Links()))


def body_of(rows: Sequence[Mapping[str, Any]], measured: Sequence[Mapping[str, Any]], links: Links) -> list[str]:
    """Return the pieces of the page, from the rows of both tables."""
    style, script = (path.read_text(encoding="utf-8") for path in assets())
    papers = list(dict.fromkeys(row["paper"] for row in rows))
    cells = _cells(measured)
    parts = [
        f"<style>{style}</style><main>",
        f"<p>{len(rows)} claims. A claim opens to its reason, study, figure and cells.</p>",
        '<details id="about" open><summary>Verdicts by paper, and how sure they are</summary>',
        f"<p>{_certainty(rows) if measured else REGISTERED}</p>",
        f'<div class="plain">{_counts(rows)}</div>',
        "<details><summary>What the verdicts and kinds mean</summary>",
        table(("verdict", "meaning"), [((verdict, _background(verdict)), text) for verdict, text in MEANINGS.items()]),
        table(("kind", "meaning"), list(KINDS.items())),
        "</details></details>",
        _form(papers, rows),
    ]
    for paper in papers:
        of_paper = [row for row in rows if row["paper"] == paper]
        parts += [f'<section data-claims><h2 id="{paper}">{paper}: {escape(titles()[paper])}</h2>']
        head = "".join(f"<th>{title}</th>" for title in TITLES)
        parts += [f'<table class="claims"><tbody><tr>{head}</tr>']
        parts += [_claim(row, len(cells.get(row["claim"], ())), links) for row in of_paper]
        parts += ["</tbody></table></section>"]
    held = json.dumps(cells, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return [
        *parts,
        "</main>",
        f'<script type="application/json" id="cells">{held}</script>',
        f"<script>{script}</script>",
    ]


def _certainty(rows: Sequence[Mapping[str, Any]]) -> str:
    simulated, chance = false_alarms(rows)
    return (
        f"The verdicts of {simulated} rest on simulations. The chance that any of them is wrong by accident is at most "
        f"about {100 * chance:.2g} %, assuming: {assumed(rows)}."
    )


def _form(papers: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the filters; they appear only if the script runs."""
    shown = {shown_verdict(row) for row in rows}
    verdicts = [verdict for verdict in (*(v.value for v in Verdict), *sorted(shown)) if verdict in shown]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    chosen = (("paper", papers), ("verdict", dict.fromkeys(verdicts)), ("kind", kinds))
    selects = "".join(
        f'<label>{name} <select name="{name}"><option value="">all</option>'
        + "".join(f"<option>{escape(value)}</option>" for value in values)
        + "</select></label>"
        for name, values in chosen
    )
    word = '<input type="search" name="word" placeholder="words, such as public points" aria-label="words">'
    return f'<form hidden>{selects}{word}<span id="count" role="status" aria-live="polite"></span></form>'


def _background(verdict: str) -> str:
    return f' style="background: {COLOURS[verdict]}"'


def _counts(rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        ("paper", *columns()),
        [(paper, *(number(count[verdict]) for verdict in columns())) for paper, count in counts(rows).items()],
    )


def _cells(measured: Sequence[Mapping[str, Any]]) -> dict[str, list[list[Any]]]:
    """Return the cells of each claim, as the script reads them."""
    cells: dict[str, list[list[Any]]] = defaultdict(list)
    for row in measured:
        numbers = [_short(row[key]) for key in ("measured", "low", "high", "bound")]
        settings = json.loads(row["settings"])
        cells[row["claim"]].append([row["quantity"], settings, *numbers, row["trials"], row["verdict"]])
    return dict(cells)


def _short(number: float | None) -> float | str | None:
    """Return a number with the digits that are shown; one that JSON does not know as text."""
    if number is None:
        return None
    return float(f"{number:.5g}") if math.isfinite(number) else str(number)


def _claim(row: Mapping[str, Any], cells: int, links: Links) -> str:
    """Return the row of the table for one claim."""
    claim, shown = str(row["claim"]), shown_verdict(row)
    data = {"paper": row["paper"], "verdict": shown, "kind": row["kind"]}
    marks = "".join(f' data-{key}="{escape(str(value))}"' for key, value in data.items())
    parts = (
        f'<td><a href="#{claim}">{claim}</a><br><small>{escape(row["kind"])}</small></td>',
        f"<td>{escape(row['statement'])}{_domain(row)}{_details(row, cells, links)}</td>",
        f"<td{_background(row['verdict'])}>{escape(shown)}</td>",
        f"<td>{_measured(row)}</td>",
    )
    return f'<tr id="{claim}"{marks}>{"".join(parts)}</tr>'


def _domain(row: Mapping[str, Any]) -> str:
    """Return for which parameters the statement is judged."""
    return f"<br><small>for {escape(row['domain'])}</small>" if row["domain"] else ""


def _details(row: Mapping[str, Any], cells: int, links: Links) -> str:
    """Return what opens below the statement: reason, how, constants, study, figure, proof, note and cells."""
    claim = str(row["claim"])
    study = studies().get(study_of().get(claim, ""))
    proof = "refuted by" if row["verdict"] == Verdict.REFUTED.value else "proof"
    titles = ((proof, "proof"), ("reason", "reason"), ("how", "experiment"))
    entries = [(title, escape(str(row[key] or ""))) for title, key in titles]
    entries.append(("constants", escape(str(row["constants"] or ""))))
    if study is not None:
        entries += [("study", _study(study, links)), ("measure it", f"<code>semipriv claim {claim}</code>")]
        if study.figure and links.figure and row["experiment"]:
            address = escape(links.figure.format(study.figure))
            entries.append(("figure", f'<a href="{address}">{escape(study.figure)}</a>'))
    if links.proof and claim in links.proved:
        entries.append(
            ("findings", f'<a href="{escape(links.proof.format(claim))}">what was found, with the proof</a>')
        )
    entries.append(("note", escape(str(row["note"] or ""))))
    definitions = "".join(f"<dt>{title}</dt><dd>{text}</dd>" for title, text in entries if text)
    table_of_cells = f'<div data-cells="{claim}"></div>' if cells else ""
    label = f"reason, study, {cells:,} cells" if cells else "more"
    return f"<details><summary>{label}</summary><dl>{definitions}</dl>{table_of_cells}</details>"


def _study(study: Study, links: Links) -> str:
    """Return the name of a study, with its address if there is one."""
    name = f"<code>{study.module}</code>"
    if links.study is None:
        return name
    return f'<a href="{escape(links.study.format(paper=study.paper, name=study.name))}">{name}</a>'


def _measured(row: Mapping[str, Any]) -> str:
    """Return the deciding measurement with its limits unless it is exact, its bound, and how many trials it took."""
    lines = [_limits(row)]
    if row["bound"] is not None:
        lines.append(f"<small>bound {row['bound']:.4g}</small>")
    if row["trials"] is not None:
        lines.append("<small>exact</small>" if row["trials"] == 0 else f"<small>{row['trials']:,} trials</small>")
    return "<br>".join(line for line in lines if line)


def _limits(row: Mapping[str, Any]) -> str:
    if row["measured"] is None:
        return ""
    if row["low"] == row["high"]:
        return f"{row['measured']:.4g}"
    return f"{row['measured']:.4g} [{row['low']:.4g}, {row['high']:.4g}]"
