"""Small own tables with their public rows, requests and ledgers, for tests of releases."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging
from semipriv.practice.engine.whole import Outcome, release
from semipriv.privacy.budget.ledger import Budget, Ledger

COLUMNS = {"age": {"range": [0, 100]}, "dollars": {"range": [0, 1000]}}
EVERY_RULE = {
    "features": {"age": {"integers": [0, 100], "unknown": 50}, "ill": {"categories": ["yes", "no"]}},
    "label": None,
    "class": None,
    "learner": {"name": "table_release", "epsilon": 0.5, "delta": 0},
}
"""Keys of a request whose release, of a table in parts, takes every rule of releases."""
LABEL = {"column": "ill", "one": ["yes"], "zero": ["no"], "unknown": "refuse"}
THRESHOLDS = {"class": {"name": "thresholds"}, "learner": {"name": "sspp", "epsilon": 0.5}}
INTERVALS = {"class": {"name": "intervals"}, "learner": {"name": "sspp", "epsilon": 0.25}}
CHOICE = {
    "candidates": [THRESHOLDS, INTERVALS],
    "held_out": {"share": 0.2, "epsilon": "0.1", "choice": "1/5"},
}


def people(n: int, seed: int) -> pd.DataFrame:
    """n people; those with much of both are ill, as far as half of what there is."""
    x = np.random.default_rng(seed).random((n, 2))
    ill = np.where(x.sum(axis=1) > 1, "yes", "no")
    return pd.DataFrame({"age": (100 * x[:, 0]).round(1), "dollars": (1000 * x[:, 1]).round(2), "ill": ill})


def settings(folder: Path, **changes: Any) -> dict[str, Any]:
    """The request of the table in a folder, with other or further keys; None: without the key."""
    declared = {
        "release": "visits",
        "results": str(folder / "results"),
        "ledger": str(folder / "ledgers/clinic.jsonl"),
        "private": {"path": str(folder / "clinic.csv")},
        "public": {"path": str(folder / "public.csv"), "source": "made up", "licence": "CC0", "date": "2026-01-01"},
        "one_row_a_person": True,
        "size": "public",
        "features": COLUMNS,
        "label": LABEL,
        "class": {"name": "halfspaces", "dimension": 2},
        "learner": {"name": "sspp", "epsilon": 0.5},
        **changes,
    }
    return {key: value for key, value in declared.items() if value is not None}


def request(folder: Path, name: str = "release.yaml", **changes: Any) -> Path:
    """Write it."""
    path = folder / name
    path.write_text(yaml.safe_dump(settings(folder, **changes), sort_keys=False))
    return path


def project(folder: Path, n: int = 60, budget: Mapping[str, Any] | None = None, **changes: Any) -> Path:
    """Write table, public rows, ledger and request, and return the path of the request."""
    people(n, 0).to_csv(folder / "clinic.csv", index=False)
    people(9, 1).to_csv(folder / "public.csv", index=False)
    (folder / "ledgers").mkdir()
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(**(budget or {"epsilon": 1})), "a clinic")
    return request(folder, **changes)


def unrehearsed(patch: pytest.MonkeyPatch) -> None:
    """Leave out the release on made-up rows before the charge: for faults that are to come up after it."""
    patch.setattr(charging, "rehearse", lambda *_: 0.0)


def ledger(folder: Path) -> Ledger:
    return Ledger.open(folder / "ledgers/clinic.jsonl")


def kinds(folder: Path) -> list[str]:
    """Kinds of entries of the ledger, without notes."""
    return [entry.kind for entry in ledger(folder).entries if entry.kind != "noted"]


# ------------------------------------------------------------------ one feature
def rows(seed: int = 0, n: int = 40) -> list[str]:
    """Lines of a private table: a number and a label that follows it."""
    x = np.random.default_rng(seed).integers(0, 100, n)
    return [f"{value},{'yes' if value >= 60 else 'no'}" for value in x]


def lay_out(folder: Path, what: dict[str, Any] = THRESHOLDS, lines: list[str] | None = None) -> Path:
    """Write tables, a ledger (epsilon 10, delta 1e-5) unless there is one, and a request; return the request's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "private.csv").write_text("x,y\n" + "\n".join(lines or rows()) + "\n")
    (folder / "public.csv").write_text("x\n" + "\n".join(map(str, range(0, 101, 20))) + "\n")
    ledger = folder / "ledger.jsonl"
    if not ledger.exists():
        Ledger.create(ledger, Budget(10, "1e-5"))
    given = {
        "ledger": str(ledger),
        "private": {"path": str(folder / "private.csv")},
        "public": {"path": str(folder / "public.csv"), "source": "a register", "licence": "CC0", "date": "2026-01-01"},
        "features": {"x": {"range": [0, 100]}},
        "label": {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": "refuse"},
        "class": None,
        "learner": None,
    }
    return request(folder, **{**given, **what})


def release_of(folder: Path, what: dict[str, Any] = THRESHOLDS, lines: list[str] | None = None) -> Outcome:
    """Lay out a release and make it."""
    return release(load(lay_out(folder, what, lines)))
