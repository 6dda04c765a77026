"""Samples, results of public stages ("prepared things") and releases on disk."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.core import tables
from semipriv.core.arrays import Arrays, from_column, to_column
from semipriv.core.columns import numbers
from semipriv.core.entries import Entries, ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.core.samples import (
    ClassSample,
    Labels,
    Points,
    RegressionSample,
    Responses,
    Sample,
    as_points,
    as_responses,
)
from semipriv.distributions.designs.base import Examples, PartlyDrawn, Private, Recipe
from semipriv.distributions.problem import Distribution
from semipriv.learners.outputs.base import described, restored
from semipriv.learners.stages.base import AnyStage, Prepared
from semipriv.privacy.guarantee import Output, Release
from semipriv_lab.experiments.config import Cell, Experiment
from semipriv_lab.experiments.schemas import PREPARED, RELEASES, SAMPLES

Row = dict[str, Any]


def sample_row(
    cell: Cell, trial: int, sample: Examples, *, labelled: bool = True, unlabelled: Points | None = None, **scaling: Any
) -> Row:
    """Return a row of the table of samples that holds the examples, with or without their labels or responses.

    unlabelled: points of unlabelled entries that belong to the sample, too; None: there are none.
    """
    return {
        "cell": cell.index,
        "trial": trial,
        "n": len(sample),
        "points": sample.points.ravel(),
        "labels": sample.labels if labelled and isinstance(sample, Sample | ClassSample) else None,
        "responses": sample.responses if labelled and isinstance(sample, RegressionSample) else None,
        "recipe": None,
        "n_unlabelled": None if unlabelled is None else len(unlabelled),
        "unlabelled": None if unlabelled is None else unlabelled.ravel(),
        "unlabelled_recipe": None,
        "centre": scaling.get("centre"),
        "scale": scaling.get("scale"),
    }


def private_row(cell: Cell, trial: int, part: Private) -> Row:
    """Return a row of the table of samples that holds the private part of a simulated trial, or its recipe."""
    match part:
        case Sample() | ClassSample() | RegressionSample():
            return sample_row(cell, trial, part)
        case Recipe():
            empty = dict.fromkeys(("points", "labels", "responses"))
            return {**sample_row(cell, trial, _NONE), **empty, "n": part.n, "recipe": _stored(part.stream)}
        case PartlyDrawn():
            unlabelled = {"n_unlabelled": part.unlabelled.n, "unlabelled_recipe": _stored(part.unlabelled.stream)}
            return {**private_row(cell, trial, part.labelled), **unlabelled}


_NONE = Sample(np.empty((0, 1)), np.empty(0, np.int8))


def _stored(stream: Simulation) -> str:
    return json.dumps({"seed": stream.seed, "path": stream.path})


def _stream(text: Any) -> Simulation:
    recipe = json.loads(text.as_py())
    return Simulation(recipe["seed"], tuple(recipe["path"]))


def read_samples(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Examples]]:
    """Yield the examples of a table, with labels or responses, one by one.

    A recipe gives exactly the sample that it stands for.
    """
    for cell, trial, row in _rows(tables.read(path, SAMPLES), experiment):
        yield cell, trial, _sample(cell, row)


def _sample(cell: Cell, row: Row) -> Examples:
    if row["recipe"].is_valid:
        return cell.distribution.private_sample(row["n"].as_py(), _stream(row["recipe"]))
    if row["responses"].is_valid:
        return RegressionSample(_points(cell, row["points"]), _array(row["responses"]))
    return _labelled(cell, row)


def _labelled(cell: Cell, row: Row) -> Sample | ClassSample:
    points, labels = _points(cell, row["points"]), _array(row["labels"])
    return Sample(points, labels) if cell.classes == 2 else ClassSample(points, cell.classes, labels)


def _entries(cell: Cell, row: Row) -> Entries | None:
    if row["unlabelled_recipe"].is_valid:
        assert isinstance(cell.distribution, Distribution), "only labelled examples have unlabelled entries beside them"
        return cell.distribution.unlabelled_entries(row["n_unlabelled"].as_py(), _stream(row["unlabelled_recipe"]))
    return ListedEntries(_points(cell, row["unlabelled"])) if row["unlabelled"].is_valid else None


def read_private(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Examples, Entries | None]]:
    """Yield the private samples of a table one by one: examples, and unlabelled entries, None if it has none.

    Raise ValueError, with file and row, for an example that the status model of its cell does not allow to be private.
    """
    for cell, trial, row in _rows(tables.read(path, SAMPLES), experiment):
        sample = _sample(cell, row)
        if isinstance(sample, Sample):
            _check_statuses(cell, sample.labels, private=True, place=f"{path}: cell {cell.index}, trial {trial}")
        yield cell, trial, sample, _entries(cell, row)


@dataclass(frozen=True, eq=False)
class PublicSamples:
    """The public samples of a table, one by one: points, and their labels or responses, or None without either.

    Iterating raises ValueError, with file and row, for an example that the status model of its cell does not allow to
    be public.
    """

    path: str | Path
    table: pa.Table
    experiment: Experiment

    def __len__(self) -> int:
        """Return the number of samples."""
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[tuple[Cell, int, Points, Labels | Responses | None]]:
        """Yield cell, trial, points, and labels or responses of each sample."""
        for cell, trial, row in _rows(self.table, self.experiment):
            if not row["labels"].is_valid:
                points = as_points(_points(cell, row["points"]))
                yield cell, trial, points, as_responses(_array(row["responses"])) if row["responses"].is_valid else None
                continue
            sample = _labelled(cell, row)
            _check_statuses(cell, sample.labels, private=False, place=f"{self.path}: cell {cell.index}, trial {trial}")
            yield cell, trial, sample.points, sample.labels


def read_public(path: str | Path, experiment: Experiment) -> PublicSamples:
    """Read the public samples of a table, once."""
    return PublicSamples(path, tables.read(path, SAMPLES), experiment)


def _check_statuses(cell: Cell, labels: Labels, *, private: bool, place: str) -> None:
    cell.status_model.check(labels, np.full(len(labels), private), place)


def _rows(table: pa.Table, experiment: Experiment) -> Iterator[tuple[Cell, int, Row]]:
    column = {name: table.column(name).combine_chunks() for name in SAMPLES.names}
    for i in range(table.num_rows):
        row = {name: values[i] for name, values in column.items()}
        yield experiment.cells[row["cell"].as_py()], row["trial"].as_py(), row


def _points(cell: Cell, value: Any) -> Points:
    return _array(value).reshape(-1, cell.hypothesis_class.dimension)


def _array(value: Any) -> np.ndarray:
    """Return a list of Parquet as an array."""
    return numbers(value.values)


def prepared_row(cell: Cell, trial: int, stage: AnyStage, prepared: Prepared) -> Row:
    """Return the row that stores what a public stage made."""
    return {"cell": cell.index, "trial": trial, "stage": repr(stage), "arrays": to_column(prepared.arrays())}


def read_prepared(path: str | Path) -> dict[tuple[int, int, str], Arrays]:
    """Return the arrays of prepared things by (cell, trial, stage).  ``PublicStage.restore`` makes things of them."""
    table = tables.read(path, PREPARED)
    keys = zip(*(table.column(k).to_pylist() for k in ("cell", "trial", "stage")), strict=True)
    column = table.column("arrays").combine_chunks()
    return {key: from_column(column[i]) for i, key in enumerate(keys)}


def release_row(cell: Cell, trial: int, label: str, release: Release[Output]) -> Row:
    """Return the row that stores a release: its output with its kind, its guarantee, its randomness and its cost."""
    guarantee = release.guarantee
    return {
        "cell": cell.index,
        "trial": trial,
        "learner": label,
        "output": described(release.output),
        "arrays": to_column(release.output.arrays()),
        "epsilon": None if guarantee is None else guarantee.epsilon,
        "delta": None if guarantee is None else guarantee.delta,
        "neighbours": None if guarantee is None else guarantee.neighbours.value,
        "randomness": release.randomness.value,
        "cost": json.dumps(release.cost, sort_keys=True),
    }


def read_releases(paths: Sequence[str | Path]) -> list[Row]:
    """Return all releases of these files, sorted by cell, trial and learner."""
    rows = [row for path in paths for row in tables.read_rows(path, RELEASES)]
    return sorted(rows, key=lambda row: (row["cell"], row["trial"], row["learner"]))


def output_of(row: Row) -> Any:
    """Return the output of a release, restored from its row."""
    return restored(row["output"], from_column(row["arrays"]))
