"""Rule split_table: public, private and held-out parts of a real table, at random."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semipriv import tables
from semipriv.experiments.config import Cell, Experiment, Table
from semipriv.progress import track
from semipriv.rules.schemas import SAMPLES
from semipriv.rules.storage import Row, sample_row
from semipriv.samples import MixedSample, Sample, StatusModel, as_labels, as_points, as_statuses

Vector = NDArray[np.float64]


def read_table(path: str | Path, table: Table) -> MixedSample:
    """Features, labels and statuses of a table; without a status column the status is the label.

    Raises ValueError naming the file, the column and the row of what is wrong, and of a status that contradicts the
    privacy model of the table.
    """
    found = tables.read_all(path)
    columns = [*table.features, table.label, *([table.status] if table.status else [])]
    for column in columns:
        if column not in found.column_names:
            raise ValueError(f"{path}: column {column!r} is missing; it has {', '.join(found.column_names)}")
    values = {column: found.column(column).to_numpy() for column in columns}
    for column in columns:
        try:
            as_points(values[column]) if column in table.features else as_labels(values[column])
            if column == table.status:
                as_statuses(values[column], len(values[column]))
        except ValueError as error:
            raise ValueError(f"{path}, column {column!r}: {error}") from None
        if column in table.features and len(values[column]) and np.ptp(values[column]) == 0:
            raise ValueError(f"{path}, column {column!r}: is {values[column][0]} in every row, it tells none apart")
    labels, statuses = values[table.label], values[table.status or table.label].astype(bool)
    if table.privacy is not None:
        both = f"{path}, columns {table.status or table.label!r} (status) and {table.label!r} (label)"
        table.privacy.check(as_labels(labels), statuses, both)
    points = np.column_stack([values[column] for column in table.features])
    return MixedSample(points, labels, statuses, table.privacy or StatusModel.ANY)


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows of the public, private and held-out part, and the linear map (x - centre) / scale of the features."""

    public: NDArray[np.intp]
    private: NDArray[np.intp]
    held: NDArray[np.intp]
    centre: Vector
    scale: Vector


def split_table(
    experiment: Experiment, block: int, source: str | Path, public: str | Path, private: str | Path, held: str | Path
) -> None:
    """Write public, private and held-out parts of the table for each cell and trial of the block.

    Public and private rows at random: features are centred and scaled by the mean and standard deviation of the
    *public* part, for all three parts, so that the public stage and the scaling see no private row.  Mixed samples: n
    rows at random, public and private by their status; features are mapped from their a-priori ranges to [0, 1], or
    left as they are.  Public rows keep their labels only for a learner that needs them.
    """
    written: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for cell, trial in track(list(experiment.units(block)), "trials"):
        sample = read_table(source, cell.table)
        parts = (_mixed if cell.mixed else _apart)(experiment, cell, trial, sample)
        public_labels = any(learner.public_stage.needs_labels for learner in cell.learners.values())
        chosen = (parts.public, parts.private, parts.held)
        for rows, part, labelled in zip(written, chosen, (public_labels, True, True), strict=True):
            scaled = Sample((sample.points[part] - parts.centre) / parts.scale, sample.labels[part])
            rows.append(sample_row(cell, trial, scaled, labelled=labelled, centre=parts.centre, scale=parts.scale))
    for path, rows in zip((public, private, held), written, strict=True):
        tables.write(path, SAMPLES, rows)


def _order(experiment: Experiment, cell: Cell, trial: int, n: int) -> NDArray[np.intp]:
    return experiment.stream(cell, trial).spawn("split").generator.permutation(n)


def _apart(experiment: Experiment, cell: Cell, trial: int, sample: MixedSample) -> Parts:
    """n_public and n_private rows at random, scaled by the public ones."""
    total = cell.n_public + cell.n_private
    if total >= len(sample):
        raise ValueError(f"n_public + n_private = {total}: must leave rows of the table's {len(sample)} to hold out")
    order = _order(experiment, cell, trial, len(sample))
    first, second, rest = np.split(order, [cell.n_public, total])
    centre, scale = sample.points[first].mean(axis=0), sample.points[first].std(axis=0)
    return Parts(first, second, rest, centre, np.where(scale > 0, scale, 1.0))


def _mixed(experiment: Experiment, cell: Cell, trial: int, sample: MixedSample) -> Parts:
    """n rows at random, by status; scaled by nothing that was looked at."""
    if cell.n >= len(sample):
        raise ValueError(f"n = {cell.n}: must leave rows of the table's {len(sample)} to hold out")
    chosen, rest = np.split(_order(experiment, cell, trial, len(sample)), [cell.n])
    private = sample.private[chosen]
    ends = np.array(cell.table.ranges or [(0.0, 1.0)] * len(cell.table.features))
    return Parts(chosen[~private], chosen[private], rest, ends[:, 0], ends[:, 1] - ends[:, 0])
