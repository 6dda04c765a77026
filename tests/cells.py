"""What each claim is measured on: by quantity the number of rows, of gates, their settings and their bounds; and which
measurement decides it, as far as it does not depend on samples.

``tests/unit/studies/cells.json`` holds what was looked at when it was written.  A cell that is no longer measured, or
no longer judged, a bound with other constants, a setting with another value: each is a difference, so that none comes
by accident.  ``python tests/cells.py`` writes the file anew, with names of studies for these alone.  Read the
difference: it is what the ledger will say differently.

``tests/unit/figures/measured.parquet`` holds all rows of the studies that have a figure, to draw it from: what stands
in them, and whether numbers are positive, negative, 0 or missing, matters there; the numbers themselves do not.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from traced import SECONDS, SEED, Rule, run

from semipriv import tables
from semipriv.ledger.findings import Finding, Measurement
from semipriv.ledger.table import MEASUREMENTS
from semipriv.studies.catalogue import studies

FILE = Path(__file__).parent / "unit" / "studies" / "cells.json"
MEASURED = Path(__file__).parent / "unit" / "figures" / "measured.parquet"
COUNTED = {"data_sets", "families", "halfspaces", "pairs", "publics"}
"""Settings that say how much was looked at."""
SHOWN = "shown in the ledger"
"""Key of the deciding measurement."""
RANDOM = "random"
"""Stands for bounds and settings that depend on samples or on their number."""

Cells = dict[str, dict[str, Any]]
"""By quantity: rows, gates, bounds of gates and of other rows, windows of gates, values of each setting of all rows and
of the gates, and what was computed without samples, to six digits.
SHOWN: quantity and settings of the deciding measurement."""


def _values(found: Iterable[Any]) -> list[Any]:
    """Return the different values, in order; numbers to nine digits."""
    rounded = {float(f"{one:.9g}") if isinstance(one, float) else one for one in found}
    return sorted(rounded, key=lambda one: (isinstance(one, str), one))


def _short(number: float) -> float | str:
    """Return a number to six digits, and to nine behind the point: what is left of rounding errors differs."""
    return round(float(f"{number:.6g}"), 9) + 0.0 if math.isfinite(number) else str(number)


def _settings(rows: list[Measurement]) -> dict[str, list[Any]]:
    names = sorted({name for row in rows for name in row.settings} - COUNTED)
    return {name: _values(row.settings[name] for row in rows if name in row.settings) for name in names}


def _window(rule: Rule) -> str:
    """Return in words what a row must lie in, to six digits."""
    return " to ".join(str(_short(rule.arguments[end])) for end in ("low", "high"))


def cells(finding: Finding, rules: list[Rule]) -> Cells:
    """Return what a claim was measured on; rules: how rows were judged."""
    found = {}
    windows = {id(rule.row): _window(rule) for rule in rules if rule.name == "within"}
    for quantity in sorted({row.quantity for row in finding.measurements}):
        rows = [row for row in finding.measurements if row.quantity == quantity]
        judged = [row for row in rows if row.verdict is not None]
        found[quantity] = {
            "rows": len(rows),
            "gates": len(judged),
            "bounds": _values(row.bound for row in judged if row.bound is not None),
            "windows": sorted({windows[id(row)] for row in judged if id(row) in windows}),
            "beside": _values(row.bound for row in rows if row.bound is not None and row.verdict is None),
            "settings": _settings(rows),
            "judged": _settings(judged),
            "exact": _values(_short(row.measured.value) for row in rows if row.trials == 0),
        }
    shown = {key: _values([value])[0] for key, value in finding.deciding.settings.items() if key not in COUNTED}
    return found | {SHOWN: {"quantity": finding.deciding.quantity, "settings": shown}}


def measured(findings: Mapping[str, Finding]) -> list[dict[str, Any]]:
    """Return all rows of findings as the tables of measurements have them, with two digits of each number."""

    def short(value: float | None) -> float | None:
        return None if value is None else float(f"{value:.2g}")

    return [
        {
            "claim": claim,
            "quantity": row.quantity,
            "settings": json.dumps(row.settings),
            "trials": min(row.trials, 1),
            "bound": short(row.bound),
            **{key: short(getattr(row.measured, key)) for key in ("low", "high")},
            "measured": short(row.measured.value),
            "verdict": row.verdict,
        }
        for claim, finding in findings.items()
        for row in finding.measurements
    ]


def stable(one: Any, other: Any) -> Any:
    """Return what two runs agree on, with RANDOM in place of the rest."""
    if isinstance(one, dict) and isinstance(other, dict):
        both = one.keys() & other.keys()
        return {key: stable(one[key], other[key]) if key in both else RANDOM for key in (one | other)}
    return one if one == other else RANDOM


def differences(known: Any, found: Any, path: str = "") -> list[str]:
    """Return where cells differ from those that are known."""
    if known == RANDOM:
        return []
    if not isinstance(known, dict) or not isinstance(found, dict):
        return [] if known == found else [f"{path}: {found}, known is {known}"]
    lost = [f"{path}/{key}: gone" for key in known.keys() - found.keys() if known[key] != RANDOM]
    new = [f"{path}/{key}: new" for key in found.keys() - known.keys()]
    both = known.keys() & found.keys()
    return [*lost, *new, *(one for key in both for one in differences(known[key], found[key], f"{path}/{key}"))]


def main(asked: Sequence[str] = ()) -> None:
    """Write the files from three runs of each study, with other seeds and numbers of trials, one as in the tests.

    asked: studies; what is known of others stays.  Without any, all.
    """
    asked = asked or list(studies())
    old: dict[str, Any] = json.loads(FILE.read_text()) if len(asked) < len(studies()) else {}
    kept = tables.read_rows(MEASURED, MEASUREMENTS) if old else []
    known: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    for study in studies():
        claims = studies()[study].claims
        if study not in asked:
            known |= {name: old[name] for name in (study, *claims)}
            rows += [row for row in kept if row["claim"] in claims]
            continue
        one, *others = (
            run(study, seed=seed, seconds=seconds) for seed, seconds in ((1, 0.1), (2, 0.2), (SEED, SECONDS))
        )
        known[study] = reduce(stable, ({"draws": sorted(trace.draws)} for trace in (one, *others)))
        rows += measured(one.found) if studies()[study].figure else []
        for claim in claims:
            known[claim] = reduce(stable, (cells(trace.found[claim], trace.rules) for trace in (one, *others)))
    lines = []
    for claim, quantities in known.items():
        inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(cell)}" for name, cell in quantities.items())
        lines.append(f"{json.dumps(claim)}: {{\n{inner}\n}}")
    tables.write(MEASURED, MEASUREMENTS, rows)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
