"""A table of 1e7 rows in ten Parquet parts, tallied for all planar halfspaces of 200 public points.

The baseline reads all of it with pyarrow into memory, and counts there at once.
"""

import atexit
import shutil
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmark import Benchmark, Made, generator, size

from semipriv.classes.halfspaces import Halfspaces
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Records
from semipriv.practice.sources.files import Files
from semipriv.practice.sums.tallies import statistic

PARTS = 10
RANGE = (-4.0, 4.0)
RECORDS = Records([feature(name, {"range": list(RANGE)}) for name in "ab"], Label("y", [1], [0]))


def write(folder: Path, n: int) -> None:
    """Write parts of n rows in all: two normal features, and a noisy halfspace."""
    rng = generator()
    for part, rows in enumerate(np.diff(np.linspace(0, n, PARTS + 1).astype(int))):
        x = rng.normal(size=(rows, 2))
        y = (x @ [1.0, -0.5] + rng.normal(size=rows) >= 0).astype(np.int8)
        pq.write_table(pa.table({"a": x[:, 0], "b": x[:, 1], "y": y}), folder / f"part-{part}.parquet")


def tallied(factor: float) -> Made:
    """Tally part by part in bounded memory, and add the parts up."""
    n, folder = size(1e7, factor), Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    write(folder, n)
    learner = SSPP(1.0)
    public = (np.clip(generator().normal(size=(size(200, factor), 2)), *RANGE) - RANGE[0]) / (RANGE[1] - RANGE[0])
    prepared = learner.prepare(public, Halfspaces(2))

    def work() -> np.ndarray:
        source, whole = Files(folder), statistic(learner, prepared, n)
        for path in source.parts:
            part = statistic(learner, prepared, n)
            for chunk in source.chunks(path, RECORDS.columns):
                part.add(*RECORDS.encode(chunk))
            whole.restore(part.arrays())
        return whole.arrays()["sums"]

    def baseline() -> np.ndarray:
        table = pq.read_table(folder, columns=["a", "b", "y"], use_threads=False)
        low, high = RANGE
        x = np.column_stack([np.clip(table[name].to_numpy(), low, high) - low for name in "ab"]) / (high - low)
        return prepared.mistakes(x, table["y"].to_numpy())

    return Made(work, baseline, count=len(prepared))


BENCHMARKS = (
    Benchmark(
        "own table of 1e7 rows in 10 Parquet parts: all mistakes of planar halfspaces, m = 200",
        "read by pyarrow, counted in memory",
        tallied,
        target=0.5,
        memory=2**30,
        repeats=1,
        notes="each cell is checked, clipped and scaled, in chunks; memory: of a process that writes the table, too",
    ),
)
