"""The list of claims: the files ``claims.csv`` of all papers, in the order of the papers."""

import csv
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
    by_id: dict[str, Claim] = {}
    for paper in papers().values():
        for claim in _claims_of(paper):
            by_id[claim.id] = claim
    return by_id


def files() -> list[Path]:
    """Return the files that list the claims."""
    listed = [folder / "claims.csv" for paper in papers().values() for folder in paper.folders]
    return [file for file in listed if file.is_file()]


def _claims_of(paper: Paper) -> list[Claim]:
    """Return the claims of one paper; none if it lists none."""
    path = next((one for folder in paper.folders if (one := folder / "claims.csv").is_file()), None)
    if path is None:
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            raise ValueError(f"{path}: its first line must be {','.join(COLUMNS)}")
        rows = list(reader)
    listed: set[str] = set()
    for line, row in enumerate(rows, start=2):
        if not str(row["claim"]).startswith(f"{paper.id}-"):
            raise ValueError(f"{path}, line {line}: claim = {row['claim']!r}: must start with {paper.id!r} and '-'")
        if row["claim"] in listed:
            raise ValueError(f"{path}, line {line}: claim = {row['claim']!r}: is listed twice")
        if row["kind"] not in KINDS:
            raise ValueError(f"{path}, line {line}: kind = {row['kind']!r}: must be one of {', '.join(KINDS)}")
        listed.add(row["claim"])
    texts = ({column: row[column] or "" for column in COLUMNS} for row in rows)
    return [
        Claim(
            one["claim"], paper.id, one["kind"], one["statement"], one["domain"], one["proof"], f"{path}, line {line}"
        )
        for line, one in enumerate(texts, start=2)
    ]
