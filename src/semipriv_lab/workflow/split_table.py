"""Rule split_table: split a real table at random into public, private and held-out parts."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core import tables
from semipriv.core.columns import numbers
from semipriv.core.progress import track
from semipriv.core.samples import (
    ClassSample,
    MixedSample,
    Points,
    RegressionSample,
    Sample,
    StatusModel,
    as_class_labels,
    as_labels,
    as_points,
    as_responses,
    as_statuses,
)
from semipriv.core.types import Bools, Indices
from semipriv.distributions.designs.base import Examples
from semipriv_lab.experiments.config import Experiment, Table
from semipriv_lab.experiments.schemas import SAMPLES
from semipriv_lab.workflow.storage import Row, sample_row


def read_table(path: str | Path, table: Table, classes: int = 2) -> MixedSample | ClassSample | RegressionSample:
    """Read features, and labels with statuses, several labels or responses, of a table.

    classes: number of labels.  Without a status column the label is the status.

    Responses are mapped from their range to [-1, 1]; those outside stay so, the learners clip them.  Raise ValueError,
    with the file, the column and the row, if a value is wrong or if a status contradicts the status model of the table.
    """
    values = _columns(path, table, classes)
    points = np.column_stack([values[column] for column in table.features])
    if table.response is not None and table.response_range is not None:
        low, high = table.response_range
        return RegressionSample(points, (2 * values[table.response] - low - high) / (high - low))
    assert table.label is not None
    if classes > 2:
        return ClassSample(points, classes, values[table.label])
    labels, statuses = values[table.label], values[table.status or table.label].astype(bool)
    if table.privacy is not None:
        both = f"{path}, columns {table.status or table.label!r} (status) and {table.label!r} (label)"
        table.privacy.check(as_labels(labels), statuses, both)
    return MixedSample(points, labels, statuses, table.privacy or StatusModel.ANY)


def read_group(path: str | Path, table: Table) -> Bools:
    """Return which rows of a table are in the group of its public rows.

    Raise ValueError, with the file and the column, for a value that is neither 0 nor 1, and unless they are as many as
    the catalogue says.
    """
    group = _columns(path, table)[str(table.public)].astype(bool)
    if group.sum() != table.group:
        raise ValueError(f"{path}, column {table.public!r}: is 1 in {group.sum()} rows, must be in {table.group}")
    return group


def _values(column: pa.Array) -> NDArray[Any]:
    """Return the entries of a column, NaN for null; numbers alone are read without pandas."""
    numeric = pa.types.is_signed_integer(column.type) or pa.types.is_float64(column.type)
    return numbers(column) if numeric and not column.null_count else np.asarray(column.to_numpy(zero_copy_only=False))


def _columns(path: str | Path, table: Table, classes: int = 2) -> dict[str, NDArray[Any]]:
    """Return the checked columns of a table by name."""
    read = tables.read_all(path)
    columns = [name for name in (*table.features, table.label, table.response, table.status, table.public) if name]
    for column in columns:
        if column not in read.column_names:
            raise ValueError(f"{path}: column {column!r} is missing; it has {', '.join(read.column_names)}")
    values = {column: _values(read.column(column).combine_chunks()) for column in columns}
    for column in columns:
        try:
            if column in table.features:
                as_points(values[column])
            elif column == table.response:
                as_responses(values[column])
            elif column == table.label and classes > 2:
                as_class_labels(values[column], classes)
            else:
                as_labels(values[column])
            if column == table.status:
                as_statuses(values[column], len(values[column]))
        except ValueError as error:
            raise ValueError(f"{path}, column {column!r}: {error}") from None
        if column in table.features and len(values[column]) and np.ptp(values[column]) == 0:
            raise ValueError(
                f"{path}, column {column!r}: is {values[column][0]} in every row, so it distinguishes no rows"
            )
    return values


def split_table(
    experiment: Experiment, block: int, source: str | Path, public: str | Path, private: str | Path, held: str | Path
) -> None:
    """Write public, private and held-out parts of the table for each cell and trial of the block.

    The cell's design chooses the rows.  It scales the features of all three parts with numbers that are public or known
    in advance.  Public rows keep their labels only if a learner needs them.
    """
    written: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for cell, trial in track(list(experiment.units(block)), "trials"):
        sample = read_table(source, cell.table, cell.classes)
        group = None if cell.table.public is None else read_group(source, cell.table)
        parts = cell.design.split(sample, cell.table.ranges, experiment.stream(cell, trial), group)
        public_labels = any(learner.public_stage.needs_labels for learner in cell.learners.values())
        points = (sample.points - parts.centre) / parts.scale
        chosen = (parts.public, parts.private, parts.held)
        unlabelled = (None, None if parts.unlabelled is None else points[parts.unlabelled], None)
        how = zip(written, chosen, (public_labels, True, True), unlabelled, strict=True)
        for rows, part, labelled, options in how:
            columns: Row = {"labelled": labelled, "unlabelled": options, "centre": parts.centre, "scale": parts.scale}
            rows.append(sample_row(cell, trial, _part(sample, points, part), **columns))
    for path, rows in zip((public, private, held), written, strict=True):
        tables.write(path, SAMPLES, rows)


def _part(sample: MixedSample | ClassSample | RegressionSample, points: Points, rows: Indices) -> Examples:
    """Return some rows of a sample with other points (n, d)."""
    if isinstance(sample, RegressionSample):
        return RegressionSample(points[rows], sample.responses[rows])
    if isinstance(sample, ClassSample):
        return ClassSample(points[rows], sample.classes, sample.labels[rows])
    return Sample(points[rows], sample.labels[rows])
