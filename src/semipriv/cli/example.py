"""The tables of the worked example: ``python -m semipriv.practice.estimators.example`` writes them, and is run once.

They are made of the Wisconsin diagnostic breast cancer data, as bundled with scikit-learn: a row is a person.
"""

import csv
from pathlib import Path

FOLDER = Path("data/example")
PUBLIC = 60
"""Rows, the first ones, that stand for public people."""
COLUMNS = ("radius", "texture", "diagnosis")


def write(folder: Path = FOLDER) -> None:
    """Write public.csv, without diagnoses, and private.csv into the folder."""
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415  (slow import, once)

    data = load_breast_cancer()
    names = ["malignant", "benign"]
    rows = [(*map(float, x[:2]), names[int(y)]) for x, y in zip(data.data, data.target, strict=True)]
    _write(folder / "public.csv", COLUMNS[:2], [row[:2] for row in rows[:PUBLIC]])
    _write(folder / "private.csv", COLUMNS, rows[PUBLIC:])


def _write(path: Path, columns: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])


if __name__ == "__main__":
    write()
