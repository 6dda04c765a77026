"""Rules of table experiments: split a real table at random, and measure releases on the held-out part."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from semipriv import tables
from semipriv.experiments.config import Cell, Experiment, Table
from semipriv.experiments.evaluate import read_releases
from semipriv.experiments.schemas import EVALUATIONS, SAMPLES
from semipriv.experiments.storage import Row, read_samples, sample_row
from semipriv.samples import Sample


def read_table(path: str | Path, table: Table) -> Sample:
    """Features and label of a table; raises ValueError naming the file, the column and the row of what is wrong."""
    found = pq.read_table(path)
    for column in (*table.features, table.label):
        if column not in found.column_names:
            raise ValueError(f"{path}: column {column!r} is missing; it has {', '.join(found.column_names)}")
    points = np.column_stack([found.column(c).to_numpy() for c in table.features])
    try:
        return Sample(points, found.column(table.label).to_numpy())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def split_table(
    experiment: Experiment, block: int, source: str | Path, public: str | Path, private: str | Path, held: str | Path
) -> None:
    """Write public, private and held-out parts of the table for each cell and trial of the block.

    Features are centred and scaled by the mean and standard deviation of the *public* part, for all three parts: the
    public stage and the scaling see no private row.
    """
    parts: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for cell, trial in experiment.units(block):
        sample = read_table(source, cell.table)
        first, second, rest = _split(experiment, cell, trial, len(sample))
        centre = sample.points[first].mean(axis=0)
        scale = sample.points[first].std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        for rows, chosen in zip(parts, (first, second, rest), strict=True):
            part = Sample((sample.points[chosen] - centre) / scale, sample.labels[chosen])
            rows.append(sample_row(cell, trial, part, centre=centre, scale=scale))
    for path, rows in zip((public, private, held), parts, strict=True):
        tables.write(path, SAMPLES, rows)


def _split(experiment: Experiment, cell: Cell, trial: int, n: int) -> Sequence[np.ndarray]:
    if cell.n_public + cell.n_private >= n:
        raise ValueError(
            f"n_public + n_private = {cell.n_public + cell.n_private}: must leave rows of the table's {n} to hold out"
        )
    order = experiment.stream(cell, trial).spawn("split").generator.permutation(n)
    return np.split(order, [cell.n_public, cell.n_public + cell.n_private])


def evaluate_held_out(
    experiment: Experiment, releases: Sequence[str | Path], held: str | Path, evaluations: str | Path
) -> None:
    """Write the error of every release on the held-out part of its trial."""
    parts = {(cell.index, trial): (cell, sample) for cell, trial, sample in read_samples(held, experiment)}
    rows = []
    for row in read_releases(releases):
        cell, sample = parts[row["cell"], row["trial"]]
        wrong = cell.hypothesis_class.mistakes(np.array([row["hypothesis"]]), sample.points, sample.labels)[0]
        error = float(wrong) / len(sample)
        uncertainty = float(np.sqrt(error * (1 - error) / len(sample)))
        measures = {"error": error, "standard_error": uncertainty, "best_error": None, "excess": None}
        rows.append({**row, **measures})
    tables.write(evaluations, EVALUATIONS, rows)
