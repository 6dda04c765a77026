"""``python -m semipriv_lab.reference.ledger FOLDER``: write the ledger's page for the site, ``claims.html``.

It describes the run in ``results/`` and copies its figures.  Without a run it has the registered verdicts alone.
"""

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from semipriv_lab.cli._workflow import checkout
from semipriv_lab.ledger import golden
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.html import write_page
from semipriv_lab.ledger.page import Links, body_of, write_ledger_page
from semipriv_lab.ledger.stated import stated
from semipriv_lab.ledger.table import CLAIMS

PAGE = "claims.html"


def write(folder: Path, root: Path) -> None:
    """Write the page into a folder, from the checkout at a root."""
    folder.mkdir(parents=True, exist_ok=True)
    findings = (root / "docs/findings.md").read_text(encoding="utf-8")
    links = Links(
        figure=None,
        study="reference/claims.html#{paper}_{name}",
        proof="findings.html#:~:text={}",
        proved=frozenset(claim for claim in claims() if re.search(rf"{re.escape(claim)}(?![\w.-])", findings)),
    )
    run = root / "results"
    if not (run / "claims.parquet").is_file():
        write_page(folder / PAGE, "Claims ledger", body_of(_registered(root / "tests/golden.csv"), [], links))
        return
    figures = sorted((run / "figures").glob("*.png"))
    (folder / "figures").mkdir(exist_ok=True)
    for figure in figures:
        shutil.copyfile(figure, folder / "figures" / figure.name)
    links = replace(links, figure="figures/{}.png" if figures else None)
    write_ledger_page(run / "claims.parquet", run / "measurements.parquet", folder / PAGE, links)


def _registered(path: Path) -> list[dict[str, Any]]:
    """Return rows of the ledger without any number, with the verdicts of a golden file."""
    known = golden.read(path)
    return [
        dict.fromkeys(CLAIMS.names) | stated(claim) | {"verdict": line.verdict, "gates": 0}
        for claim in claims().values()
        if (line := known.get(claim.id)) is not None
    ]


if __name__ == "__main__":
    write(Path(sys.argv[1]), checkout(Path.cwd()))
