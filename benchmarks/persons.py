"""Rows of persons in a Parquet file: weights of 1e6 rows, and the same sums without persons in the same run.

Both sides read the file, check and encode each cell, and count the mistakes of all thresholds.  With persons the names
are read, too, rows of a person are ordered by what is in them, and each has a share of the person's units.
"""

import atexit
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmark import Benchmark, Made, generator, size

from semipriv.classes.thresholds import Thresholds
from semipriv.core.persons import Persons, shares
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.sources.files import Files
from semipriv.practice.sums.tallies import statistic

RANGE = (-4.0, 4.0)
RECORDS = Records([feature("a", {"range": list(RANGE)})], Label("y", [1], [0]))
TAIL, MOST_ROWS = 1.2, 200


def write(folder: Path, n: int) -> int:
    """Write n rows of persons with heavy tails, in an order of chance, and return the number of persons."""
    rng = generator()
    rows = np.minimum(np.floor(rng.random(n) ** (-1 / TAIL)), MOST_ROWS).astype(np.int64)
    place = rng.permutation(np.repeat(np.arange(n), rows)[:n])
    x = rng.normal(size=n)
    y = (x + rng.normal(size=n) >= 0.4).astype(np.int8)
    pq.write_table(pa.table({"who": place, "a": x, "y": y}), folder / "visits.parquet")
    return len(np.unique(place))


def weighted(factor: float) -> Made:
    """Sum up mistakes with units of persons, and without."""
    n, folder = size(1e6, factor), Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    count = write(folder, n)
    learner = SSPP(1.0)
    prepared = learner.prepare(np.linspace(0, 1, 100), Thresholds())
    source = Files(folder)

    def chunks(columns: list[str]) -> Iterator[Chunk]:
        for path in source.parts:
            yield from source.chunks(path, columns)

    def work() -> np.ndarray:
        own = statistic(learner, prepared, count).of_persons(count)
        points, labels, names = [], [], []
        for chunk in chunks(["who", *RECORDS.columns]):
            x, y = RECORDS.encode(chunk)
            points.append(x)
            labels.append(y)
            names.extend(chunk.table["who"].chunks)
        codes = pa.chunked_array(names).combine_chunks().dictionary_encode()
        persons = Persons(codes.indices.to_numpy().astype(np.intp), codes.dictionary.cast(pa.string()).to_pylist())
        x, y = np.concatenate(points), np.concatenate(labels)
        own.add(x, y, shares(persons, own.order(x, y), own.units, "key"))
        return own.arrays()["sums"]

    def baseline() -> np.ndarray:
        own = statistic(learner, prepared, n)
        for chunk in chunks(list(RECORDS.columns)):
            own.add(*RECORDS.encode(chunk))
        return own.arrays()["sums"]

    return Made(work, baseline)


BENCHMARKS = (
    Benchmark(
        "1e6 rows of persons with heavy tails in a file: weighted sums of all thresholds, m = 100",
        "the same sums without persons",
        weighted,
        at_most=1.5,
        repeats=5,
        notes="both read and check the file; persons: names are read and grouped, rows ordered, units shared",
    ),
)
