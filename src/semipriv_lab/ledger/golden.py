"""The golden file: one line a claim on what a ledger looked at and how it judged that, without any measured number.

It is a preregistration.  A size that is no longer measured, a row that is no longer judged, another verdict: each
changes the line of its claim, so that none comes by accident.
"""

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Cell = tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """What is known of a claim.

    verdict: on the claim.  rows, gates: how many measurements there are, and how many of them are judged.  cells:
    digest of quantity, settings and verdict of every row.  small: digest of quantity, settings and window of every row
    of a run with very few trials, which the tests make.
    """

    verdict: str
    rows: int
    gates: int
    cells: str
    small: str = ""


def lines(claims: Sequence[Row], measurements: Iterable[Row]) -> dict[str, Line]:
    """Return the lines of a ledger, from the rows of its tables ``claims`` and ``measurements``."""
    rows_of: dict[str, list[Row]] = {row["claim"]: [] for row in claims}
    for row in measurements:
        rows_of[row["claim"]].append(row)
    return {
        row["claim"]: Line(
            row["verdict"],
            len(rows := rows_of[row["claim"]]),
            sum(row["verdict"] is not None for row in rows),
            digest((row["quantity"], settings(json.loads(row["settings"])), str(row["verdict"])) for row in rows),
        )
        for row in claims
    }


def settings(given: Mapping[str, Any]) -> str:
    """Return settings as text, numbers to six digits: the last digits depend on the machine.

    >>> settings({"n": 100, "alpha": 0.1 + 0.2})
    '{"alpha": "0.3", "n": 100}'
    """
    short = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in given.items()}
    return json.dumps(short, sort_keys=True)


def digest(cells: Iterable[Cell]) -> str:
    """Return twelve hexadecimal digits that depend on the cells and not on their order; "" of none."""
    known = sorted(cells)
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:12] if known else ""


def read(path: str | Path) -> dict[str, Line]:
    """Read a golden file; raise ValueError if it is none."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file, strict=True))
    names = ["claim", *Line.__dataclass_fields__]
    if not table or list(table[0]) != names:
        raise ValueError(f"{path}: is not a golden file of a ledger, whose first line is {','.join(names)}")
    return {
        row["claim"]: Line(row["verdict"], int(row["rows"]), int(row["gates"]), row["cells"], row["small"])
        for row in table
    }


def write(path: str | Path, known: Mapping[str, Line]) -> None:
    """Write a golden file."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["claim", *Line.__dataclass_fields__], lineterminator="\n")
        table.writeheader()
        table.writerows({"claim": claim} | asdict(line) for claim, line in known.items())


def moved(before: Mapping[str, Line], after: Mapping[str, Line]) -> list[str]:
    """Return a line of text for each claim of both whose line differs; ``small`` counts if both sides have it.

    >>> known = Line("holds", 3, 2, "abc")
    >>> moved({"A": known, "B": known}, {"A": Line("holds", 2, 2, "abd"), "B": known})
    ['A  rows 3 -> 2; other cells']
    """
    differences = []
    for claim in (claim for claim in before if claim in after):
        old, new = asdict(before[claim]), asdict(after[claim])
        changes = [
            f"{name} {old[name]} -> {new[name]}" for name in ("verdict", "rows", "gates") if old[name] != new[name]
        ]
        changes += ["other cells"] * (old["cells"] != new["cells"])
        changes += ["other cells of the small run"] * bool(
            old["small"] and new["small"] and old["small"] != new["small"]
        )
        if changes:
            differences.append(f"{claim}  {'; '.join(changes).removeprefix('verdict ')}")
    return differences
