"""Write ``tests/golden.csv``: of each claim its verdict, how many rows there are and are judged, and digests of cells.

``PYTHONPATH=src:tests python tests/golden.py results`` takes verdicts and cells from a finished default run, and runs
each study with very few trials for what ``make test`` can look at: there a changed grid, window or lost cell is seen.
Names of studies after the folder: these alone; claims that the run did not measure keep their lines.  Read the
difference: each line is a decision that changed.  ``semipriv diff tests/golden.csv results`` compares a run.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
from traced import Trace, run

from semipriv.core import tables
from semipriv_lab.figures.base import Results
from semipriv_lab.ledger import golden
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.studies import studies
from semipriv_lab.ledger.table import CLAIMS, LEFT_OUT, MEASUREMENTS, shown_verdict, write_findings

FILE = Path(__file__).with_name("golden.csv")


def small(trace: Trace) -> dict[str, str]:
    """Return by claim the digest of quantity, settings and window of each row."""
    windows = {
        id(rule.row): ", ".join(f"{name} {rule.arguments[name]:.6g}" for name in ("low", "high"))
        for rule in trace.rules
        if rule.name == "within"
    }
    return {
        claim: golden.digest(
            (row.quantity, golden.settings(row.settings), windows.get(id(row), ""), str(row.verdict is not None))
            for row in finding.measurements
        )
        for claim, finding in trace.findings.items()
    }


def table(trace: Trace) -> pd.DataFrame:
    """Return the measurements of a study as figures get them."""
    with tempfile.TemporaryDirectory() as folder:
        rows, measurements = (Path(folder, f"{name}.parquet") for name in ("rows", "measurements"))
        write_findings(trace.findings, rows, measurements)
        return Results({"measurements": measurements})["measurements"]


def of_run(results: str) -> dict[str, golden.Line]:
    """Return the lines of the claims that a run measured, without those of the small one."""
    rows, measured = (tables.read_rows(Path(results, f"{s.name}.parquet"), s) for s in (CLAIMS, MEASUREMENTS))
    return golden.lines([row for row in rows if shown_verdict(row) not in LEFT_OUT], measured)


def main(results: str, *asked: str) -> None:
    """Write the file anew, or the lines of the claims of some studies."""
    new, old = of_run(results), golden.read(FILE)
    known = {
        claim: replace(line, small=old[claim].small if claim in old else "") for claim, line in (old | new).items()
    }
    known = {claim: known[claim] for claim in claims() if claim in known}
    for study in asked or studies():
        for claim, cells in small(run(study)).items():
            known[claim] = replace(known[claim], small=cells)
    golden.write(FILE, known)


if __name__ == "__main__":
    main(*sys.argv[1:])
