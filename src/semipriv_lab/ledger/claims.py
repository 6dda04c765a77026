"""The list of claims: the files ``claims.csv`` of all papers, in the order of the papers."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from semipriv_lab.experiments.papers import Paper, papers

KINDS = {
    "theorem": "a proven inequality: every measurement must respect its bound",
    "rate": "how fast something grows or falls: its exponent, fitted on logarithmic scales, with confidence limits",
    "exact": "an equality, or a property such as privacy: decided by enumeration or a closed form",
    "ours": "no claim of the paper: a repaired or sharper version, proved here",
    "illustration": "a measurement that shows what a statement is about and does not decide it: no verdict",
    "cited": "taken from other work, and not proved here: no verdict",
}
"""The kinds of claims, and what each is."""
COLUMNS = ["claim", "kind", "statement", "domain", "proof"]
"""The columns of a list of claims."""


@dataclass(frozen=True)
class Claim:
    """One row of the list of claims.

    domain: for which parameters the statement is judged, as ``semipriv_lab.ledger.domains`` reads it.  proof: where it
    is proved for the whole domain; empty if the row speaks of what was run.  place: file and line.
    """

    id: str
    paper: str
    kind: str
    statement: str
    domain: str = ""
    proof: str = ""
    place: str = field(default="", compare=False)


def claims() -> dict[str, Claim]:
    """Return the list of claims, by id.

    Raise ValueError, naming the file and the line, for a claim without its paper's id before its own, of a kind that is
    not in ``KINDS``, or that is listed twice.
    """
    return {id: claim for paper in papers().values() for id, claim in _claims_of(paper).items()}


def files() -> list[Path]:
    """Return the files that list the claims and their studies."""
    folders = [folder for paper in papers().values() for folder in paper.folders]
    return [file for folder in folders for name in ("claims", "studies") if (file := folder / f"{name}.csv").is_file()]


def listed(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a list of claims or studies, after its file and line; none if there is no such file.

    Raise ValueError unless the first line names the columns, and every line fills them.
    """
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != columns:
            raise ValueError(f"{path}: its first line must be {','.join(columns)}")
        for row in reader:
            place = f"{path}, line {reader.line_num}"
            if row.keys() != set(columns) or None in row.values():
                raise ValueError(f"{place}: must have {len(columns)} values: {', '.join(columns)}")
            yield place, row


def _claims_of(paper: Paper) -> dict[str, Claim]:
    """Return the claims of one paper; none if it lists none."""
    known: dict[str, Claim] = {}
    for place, row in (row for folder in paper.folders for row in listed(folder / "claims.csv", COLUMNS)):
        id = row["claim"]
        if not id.startswith(f"{paper.id}-"):
            raise ValueError(f"{place}: claim = {id!r}: must start with {paper.id!r} and '-'")
        if id in known:
            raise ValueError(f"{place}: claim = {id!r}: is listed twice")
        if row["kind"] not in KINDS:
            raise ValueError(f"{place}: kind = {row['kind']!r}: must be one of {', '.join(KINDS)}")
        known[id] = Claim(id, paper.id, row["kind"], row["statement"], row["domain"], row["proof"], place)
    return known
