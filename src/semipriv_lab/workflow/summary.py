"""Rule summary: write what a run made; `make` prints the first paragraph at its end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv.core.files import atomic
from semipriv_lab.experiments.schemas import SLOPES, SUMMARY, TRIALS
from semipriv_lab.ledger.table import (
    CLAIMS,
    MEASUREMENTS,
    assumed,
    columns,
    counted_as,
    counts,
    false_alarms,
    shown_verdict,
)

DOUBTFUL = ("violated", "refuted", "inconclusive")
"""Verdicts of which a run tells claim by claim; the others are counted, and listed on the ledger's page."""


def summarise(
    ledger: str | Path,
    measurements: str | Path,
    trials: Sequence[str | Path],
    summaries: Sequence[str | Path],
    slopes: Sequence[str | Path],
    figures: Sequence[str | Path],
    target: str | Path,
) -> None:
    """Write the summary of a run: experiments, slopes, the ledger's verdicts, and where to find results.

    Every table that the text promises is read: a damaged one ends the run with an error.

    trials, summaries, slopes: one file for each experiment.
    """
    claims = tables.read_rows(ledger, CLAIMS)
    lines = [*_digest(claims, len(figures), Path(target)), "", "Experiments"]
    for path, every in zip(summaries, trials, strict=True):
        rows = tables.read_rows(path, SUMMARY)
        runs = tables.read(every, TRIALS).num_rows
        cells = len({row["cell"] for row in rows})
        learners = len({row["learner"] for row in rows})
        lines.append(f"  {rows[0]['experiment']:<24} {cells:>4} cells, {learners:>3} learners, {runs:>7} runs")
    rows = [row for path in slopes for row in tables.read_rows(path, SLOPES)]
    for title in dict.fromkeys(row["title"] for row in rows if row["role"] == "paper"):
        of_title = [row for row in rows if row["title"] == title]
        lines += ["", f"Slopes of the mean excess error of {title} (log-log, 95 % limits)"]
        curves = Counter((row["experiment"], row["case"], row["epsilon"]) for row in of_title)
        for row in of_title:
            several = curves[row["experiment"], row["case"], row["epsilon"]] > 1
            which = f", {row['learner']}" if several else ""
            lines.append(
                f"  {row['experiment']:<22} {row['case']:<22} epsilon {row['epsilon']:<6g} in {row['x']:<10}"
                f" {row['slope']:>7.3f} [{row['low']:.3f}, {row['high']:.3f}]{which}"
            )
    verdicts = columns()
    lines += ["", "Claims ledger", "  paper  " + "".join(f"{v:>{len(v) + 2}}" for v in verdicts)]
    for paper, count in counts(claims).items():
        lines.append(f"  {paper}  " + "".join(f"{count[v]:>{len(v) + 2}}" for v in verdicts))
    doubtful = [row for row in claims if shown_verdict(row) in DOUBTFUL]
    if doubtful:
        lines.append("  What does not hold as stated, or did not show; docs/findings.md describes the gaps:")
        width = max(len(row["claim"]) for row in doubtful)
        lines += [f"    {row['claim']:<{width}} {counted_as(row):<13} {row['statement']}" for row in doubtful]
    simulated, chance = false_alarms(claims)
    lines.append(
        f"  {simulated} verdicts rest on simulations; the chance that any is wrong by accident is at most"
        f" about {100 * chance:.2g} %, assuming: {assumed(claims)}"
    )
    root = Path(target).parent
    lines += ["", "More tables"]
    lines.append(f"  {ledger}, {root / 'claims.tex'}: all claims, as a table and for LaTeX")
    cells = tables.read(measurements, MEASUREMENTS).num_rows
    lines.append(f"  {measurements}: all {cells:,} measurements behind it")
    lines.append(
        f"  {root}/<experiment>/summary.parquet, trials.parquet, slopes.parquet: the numbers behind the figures"
    )
    lines.append(f"  {root / 'timings' / 'jobs.html'}: what each job took; `make report`: all of this as one page")
    with atomic(target) as path:
        path.write_text("\n".join([*lines, ""]) + "\n")


def _digest(claims: Sequence[Mapping[str, Any]], figures: int, target: Path) -> list[str]:
    """Return the first paragraph: how many claims have which verdict, and where to look."""
    root = target.parent
    verdicts = Counter(shown_verdict(row) for row in claims)
    return [
        f"{len(claims)} claims: {', '.join(f'{number} {verdict}' for verdict, number in verdicts.most_common())}",
        f"  {root / 'claims.html'}: the ledger, to filter and to open",
        f"  {root / 'figures'}/: {figures} figure files, PDF and PNG",
        f"  {root}/<experiment>/: the tables behind them",
        f"  {target}: verdicts by paper, slopes, what does not hold",
    ]
