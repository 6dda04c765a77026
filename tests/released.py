"""A small release for tests: tables, a ledger and a request in a folder."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from semipriv.practice.request import load
from semipriv.practice.whole import Outcome, release
from semipriv.privacy.budget.ledger import Budget, Ledger

THRESHOLDS = {"class": {"name": "thresholds"}, "learner": {"name": "sspp", "epsilon": 0.5}}
INTERVALS = {"class": {"name": "intervals"}, "learner": {"name": "sspp", "epsilon": 0.25}}
CHOICE = {
    "candidates": [THRESHOLDS, INTERVALS],
    "held_out": {"share": 0.2, "epsilon": "0.1", "choice": "1/5"},
}


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
    request = {
        "release": "visits",
        "ledger": str(ledger),
        "private": {"path": str(folder / "private.csv")},
        "public": {"path": str(folder / "public.csv"), "source": "a register", "licence": "CC0", "date": "2026-01-01"},
        "one_row_a_person": True,
        "size": "public",
        "features": {"x": {"range": [0, 100]}},
        "label": {"column": "y", "one": ["yes"], "zero": ["no"]},
        "results": str(folder / "results"),
        **what,
    }
    path = folder / "release.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in request.items() if value is not None}))
    return path


def made(folder: Path, what: dict[str, Any] = THRESHOLDS, lines: list[str] | None = None) -> Outcome:
    """Lay out a release and make it."""
    return release(load(lay_out(folder, what, lines)))
