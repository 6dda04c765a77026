"""Write ``tests/golden.csv``: of each claim its verdict, how many rows there are and are judged, and digests of cells.

``PYTHONPATH=src:tests python tests/golden.py results`` takes verdicts and cells from a finished default run, and runs
each study with very few trials for what ``make test`` can look at: there a changed grid, window or lost cell is seen.
Read the difference: each line is a decision that changed.  ``semipriv diff tests/golden.csv results`` compares a run.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
from traced import Trace, run

from semipriv import tables
from semipriv.figures.base import Results
from semipriv.ledger import golden
from semipriv.ledger.table import CLAIMS, MEASUREMENTS, write_findings
from semipriv.studies.catalogue import studies

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
            for row in found.measurements
        )
        for claim, found in trace.found.items()
    }


def table(trace: Trace) -> pd.DataFrame:
    """Return the measurements of a study as figures get them."""
    with tempfile.TemporaryDirectory() as folder:
        rows, measurements = (Path(folder, f"{name}.parquet") for name in ("rows", "measurements"))
        write_findings(trace.found, rows, measurements)
        return Results({"measurements": measurements})["measurements"]


def of_run(results: str) -> dict[str, golden.Line]:
    """Return the lines of a run, without those of the small one."""
    return golden.lines(*(tables.read_rows(Path(results, f"{s.name}.parquet"), s) for s in (CLAIMS, MEASUREMENTS)))


def main(results: str) -> None:
    """Write the file anew from the results of a default run."""
    known = of_run(results)
    for study in studies():
        for claim, cells in small(run(study)).items():
            known[claim] = replace(known[claim], small=cells)
    golden.write(FILE, known)


if __name__ == "__main__":
    main(*sys.argv[1:])
