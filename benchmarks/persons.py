"""Sums of a release from a Parquet file of 1e6 visits: by person, and as if each row were a person, in the same run.

Both sides are the private stage of a request, from the file to the sums of which the release is drawn.  With persons
the names are read, too, rows of a person are ordered by what is in them, and each has a share of the person's units.

The demand is missed.  Units of a row follow from all names, so contents are read twice: once to order rows, once to sum
them up.  Where sums are cheap, reading and hashing the names as texts takes longer than the sums without persons.
"""

import atexit
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmark import Benchmark, Made, generator, size

from semipriv.core.arrays import Arrays
from semipriv.practice.asking.request import load
from semipriv.practice.engine.stages import Stage, stage

TAIL, MOST_ROWS = 1.2, 200
PUBLIC = 300
NUMBERS = {"age": {"integers": [18, 90]}, "severity": {"integers": [0, 9]}, "days": {"integers": [0, 30]}}
TABLE = {
    "features": {
        **NUMBERS,
        "ward": {"categories": ["a", "b", "c", "d"]},
        "pressure": {"bins": [60, 90, 110, 120, 130, 150, 200]},
        "mass": {"bins": [10, 18, 20, 25, 30, 40]},
        "sick": {"categories": ["0", "1"]},
    },
    "learner": {"name": "table_release", "epsilon": 1.0, "delta": 1e-6},
}
STUMPS = {
    "features": {**NUMBERS, "pressure": {"range": [60, 200]}, "mass": {"range": [10, 40]}},
    "label": {"column": "sick", "one": [1], "zero": [0], "unknown": 0},
    "class": {"name": "decision_stumps"},
    "learner": {"name": "sspp", "epsilon": 1.0},
}


def visits(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Return columns of n visits."""
    age = rng.integers(18, 91, n)
    return {
        "age": age,
        "severity": rng.integers(0, 10, n),
        "days": rng.integers(0, 31, n),
        "ward": np.array(["a", "b", "c", "d"])[rng.integers(0, 4, n)],
        "pressure": rng.normal(120, 15, n).round(1),
        "mass": rng.normal(25, 4, n).round(1),
        "sick": (age + rng.normal(0, 20, n) >= 50).astype(np.int8),
    }


def write(folder: Path, n: int) -> None:
    """Write n private rows of persons with heavy tails, in an order of chance, and public rows."""
    rng = generator()
    rows = np.minimum(np.floor(rng.random(n) ** (-1 / TAIL)), MOST_ROWS).astype(np.int64)
    place = rng.permutation(np.repeat(np.arange(n), rows)[:n])
    pq.write_table(
        pa.table({"patient": [f"p{person}" for person in place.tolist()], **visits(rng, n)}), folder / "visits.parquet"
    )
    pq.write_table(pa.table(visits(rng, PUBLIC)), folder / "public.parquet")


def request(folder: Path, name: str, whose: dict[str, Any], asked: dict[str, Any]) -> Path:
    """Write a request, whose: what it says of persons."""
    path = folder / f"{name}.yaml"
    files = {"private": "visits.parquet", "public": "public.parquet"}
    places = {key: {"path": str(folder / file)} for key, file in files.items()}
    path.write_text(
        json.dumps({"release": name, "ledger": str(folder / "l.jsonl"), "size": "public", **places, **whose, **asked})
    )
    return path


def summed(path: Path) -> Callable[[], Arrays]:
    """Return what reads the private rows of a request, and sums them up; the public stage is done before."""
    ready = stage(load(path))
    prepared = ready.prepared

    def work() -> Arrays:
        stage = Stage(ready.request, ready.public)
        stage.__dict__["prepared"] = prepared
        whole = stage.statistics()[0]
        for points, labels, units in stage.records_of(0, 0, whole if whole.persons else None):
            whole.add(points, labels, units)
        return whole.arrays()

    return work


def weighted(asked: dict[str, Any], factor: float) -> Made:
    """Sum up with units of persons, and without."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    write(folder, size(1e6, factor))
    return Made(
        summed(request(folder, "persons", {"person": {"columns": ["patient"]}}, asked)),
        summed(request(folder, "rows", {"one_row_a_person": True}, asked)),
    )


BENCHMARKS = tuple(
    Benchmark(
        f"1e6 rows of persons with heavy tails in a file, names as texts: sums of {what}",
        "the same sums as if each row were a person",
        partial(weighted, asked),
        at_most=1.5,
        repeats=5,
        notes="both read, check and encode the file; persons: names are read, and contents once more to share units",
    )
    for what, asked in (("a table release, 7 columns", TABLE), ("all stumps, 5 features", STUMPS))
)
