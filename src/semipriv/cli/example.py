"""``semipriv example``: write the tables of the worked example.

They are made of the Wisconsin diagnostic breast cancer data, as bundled with scikit-learn: a row is a person.
"""

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from semipriv.core.files import atomic

FOLDER = Path("data/example")
PUBLIC = 60
"""Rows, the first ones, that stand for public people."""
COLUMNS = ("radius", "texture", "diagnosis")


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "example",
        allow_abbrev=False,
        help="write the tables of the worked example",
        description=(
            "Writes public.csv, without diagnoses, and private.csv: 569 people, radius and texture of a tumour, and "
            "whether it is malignant.  In a checkout config/release.yaml is a request for a model of them; elsewhere "
            "`semipriv release --example` drafts one."
        ),
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"where they go (default {FOLDER})")
    parser.set_defaults(run=_example)


def _example(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415  (slow import)

    data = load_breast_cancer()
    names = ["malignant", "benign"]
    rows = [(*map(float, x[:2]), names[int(y)]) for x, y in zip(data.data, data.target, strict=True)]
    _write(options.folder / "public.csv", COLUMNS[:2], [row[:2] for row in rows[:PUBLIC]])
    _write(options.folder / "private.csv", COLUMNS, rows[PUBLIC:])
    return 0


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with atomic(path) as target, target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    print(path)
