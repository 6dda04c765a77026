"""Rule split_table: public, private and held-out parts of a real table, at random."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from semipriv import tables
from semipriv.experiments.config import Cell, Experiment, Table
from semipriv.experiments.schemas import SAMPLES
from semipriv.experiments.storage import Row, sample_row
from semipriv.samples import Sample, as_labels, as_points


def read_table(path: str | Path, table: Table) -> Sample:
    """Features and label of a table; raises ValueError naming the file, the column and the row of what is wrong."""
    found = pq.read_table(path)
    for column in (*table.features, table.label):
        if column not in found.column_names:
            raise ValueError(f"{path}: column {column!r} is missing; it has {', '.join(found.column_names)}")
    points = np.column_stack([found.column(c).to_numpy() for c in table.features])
    for column, values in zip((*table.features, table.label), (*points.T, found.column(table.label)), strict=True):
        try:
            as_points(values) if column in table.features else as_labels(values)
        except ValueError as error:
            raise ValueError(f"{path}, column {column!r}: {error}") from None
    return Sample(points, found.column(table.label).to_numpy())


def split_table(
    experiment: Experiment, block: int, source: str | Path, public: str | Path, private: str | Path, held: str | Path
) -> None:
    """Write public, private and held-out parts of the table for each cell and trial of the block.

    Features are centred and scaled by the mean and standard deviation of the *public* part, for all three parts: the
    public stage and the scaling see no private row.  Public rows keep their labels only for a learner that needs them.
    """
    parts: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for cell, trial in experiment.units(block):
        sample = read_table(source, cell.table)
        first, second, rest = _split(experiment, cell, trial, len(sample))
        centre = sample.points[first].mean(axis=0)
        scale = sample.points[first].std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        public_labels = any(learner.needs_public_labels for learner in cell.learners.values())
        for rows, chosen, labelled in zip(parts, (first, second, rest), (public_labels, True, True), strict=True):
            part = Sample((sample.points[chosen] - centre) / scale, sample.labels[chosen])
            rows.append(sample_row(cell, trial, part, labelled=labelled, centre=centre, scale=scale))
    for path, rows in zip((public, private, held), parts, strict=True):
        tables.write(path, SAMPLES, rows)


def _split(experiment: Experiment, cell: Cell, trial: int, n: int) -> Sequence[np.ndarray]:
    if cell.n_public + cell.n_private >= n:
        total = cell.n_public + cell.n_private
        raise ValueError(f"n_public + n_private = {total}: must leave rows of the table's {n} to hold out")
    order = experiment.stream(cell, trial).spawn("split").generator.permutation(n)
    return np.split(order, [cell.n_public, cell.n_public + cell.n_private])
