"""Samples and prepared covers on disk."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from semipriv import tables
from semipriv.classes.base import Cover, HypothesisClass, ListedCover, UnlistedCover
from semipriv.experiments.config import Cell, Experiment
from semipriv.learners.base import Learner
from semipriv.randomness import Simulation
from semipriv.rules.schemas import PREPARED, SAMPLES
from semipriv.samples import Labels, Points, Sample, as_labels, as_points

Row = dict[str, Any]


def sample_row(cell: Cell, trial: int, sample: Sample, *, labelled: bool = True, **scaling: Any) -> Row:
    """Row of the table of samples that holds the examples, with or without their labels."""
    return {
        "cell": cell.index,
        "trial": trial,
        "n": len(sample),
        "points": sample.points.ravel(),
        "labels": sample.labels if labelled else None,
        "recipe": None,
        "centre": scaling.get("centre"),
        "scale": scaling.get("scale"),
    }


def recipe_row(cell: Cell, trial: int, n: int, stream: Simulation) -> Row:
    """Row that holds the random stream of a private sample instead of its examples."""
    recipe = json.dumps({"seed": stream.seed, "path": stream.path})
    empty = {"points": None, "labels": None, "centre": None, "scale": None}
    return {"cell": cell.index, "trial": trial, "n": n, "recipe": recipe, **empty}


def read_samples(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Sample]]:
    """Labelled samples of a table one by one; a recipe is carried out, which gives exactly what it stands for."""
    for cell, trial, row in _rows(path, experiment):
        if row["recipe"].is_valid:
            recipe = json.loads(row["recipe"].as_py())
            stream = Simulation(recipe["seed"], tuple(recipe["path"]))
            yield cell, trial, cell.distribution.private_sample(row["n"].as_py(), stream)
        else:
            points = _array(row["points"]).reshape(-1, cell.hypothesis_class.dimension)
            yield cell, trial, Sample(points, _array(row["labels"]))


def read_private(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Sample]]:
    """Private samples; raises ValueError naming file and row where one contradicts the privacy model of its cell."""
    for cell, trial, sample in read_samples(path, experiment):
        _check_statuses(cell, sample.labels, private=True, place=f"{path}: cell {cell.index}, trial {trial}")
        yield cell, trial, sample


def read_public(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Points, Labels | None]]:
    """Public samples of a table one by one: points, and their labels where there are any.

    Raises ValueError naming file and row of an example that the privacy model of its cell makes private.
    """
    for cell, trial, row in _rows(path, experiment):
        points = as_points(_array(row["points"]).reshape(-1, cell.hypothesis_class.dimension))
        if not row["labels"].is_valid:
            yield cell, trial, points, None
            continue
        labels = as_labels(_array(row["labels"]), len(points))
        _check_statuses(cell, labels, private=False, place=f"{path}: cell {cell.index}, trial {trial}")
        yield cell, trial, points, labels


def _check_statuses(cell: Cell, labels: Labels, *, private: bool, place: str) -> None:
    cell.status_model.check(labels, np.full(len(labels), private), place)


def _rows(path: str | Path, experiment: Experiment) -> Iterator[tuple[Cell, int, Row]]:
    table = tables.read(path, SAMPLES)
    column = {name: table.column(name).combine_chunks() for name in SAMPLES.names}
    for i in range(table.num_rows):
        row = {name: values[i] for name, values in column.items()}
        yield experiment.cells[row["cell"].as_py()], row["trial"].as_py(), row


def _array(value: Any) -> np.ndarray:
    """A list of Parquet as an array."""
    return np.asarray(value.values.to_numpy(zero_copy_only=False))


@runtime_checkable
class MadeOfExamples(Protocol):
    """A cover that is made of labelled public examples, and goes to disk as them."""

    examples: Sample


def prepared_row(cell: Cell, trial: int, preparation: tuple[str, ...], cover: Cover) -> Row:
    """Row of the table of prepared covers; one that is not listed goes to disk as what it is made of."""
    row: Row = dict.fromkeys(PREPARED.names)
    row |= {"cell": cell.index, "trial": trial, "preparation": ",".join(preparation), "points": cover.points.ravel()}
    if isinstance(cover, MadeOfExamples):
        row |= {"points": cover.examples.points.ravel(), "labels": cover.examples.labels}
    elif isinstance(cover, ListedCover):
        row["parameters"] = cover.parameters.ravel()
    elif isinstance(cover, UnlistedCover):
        row["representative"] = cover.representative
    else:
        raise TypeError(f"{type(cover).__name__}: a cover must be listed, or say what it is made of")
    return row


def read_prepared(path: str | Path, experiment: Experiment) -> dict[tuple[int, int, str], "StoredCover"]:
    """Prepared covers by (cell, trial, preparation), turned into covers when they are needed."""
    table = tables.read(path, PREPARED)
    keys = zip(*(table.column(k).to_pylist() for k in ("cell", "trial", "preparation")), strict=True)
    representatives = table.column("representative").to_pylist()
    points, labels, parameters = (table.column(k).combine_chunks() for k in ("points", "labels", "parameters"))
    return {
        key: StoredCover(
            experiment.cells[key[0]].hypothesis_class,
            _array(points[i]),
            _array(labels[i]) if labels[i].is_valid else None,
            _array(parameters[i]) if parameters[i].is_valid else None,
            representatives[i],
        )
        for i, key in enumerate(keys)
    }


@dataclass(frozen=True, eq=False)
class StoredCover:
    """A cover on disk: flat arrays and the class that gives them their shape."""

    hypothesis_class: HypothesisClass
    points: np.ndarray
    labels: np.ndarray | None
    parameters: np.ndarray | None
    representative: str | None

    def load(self, learner: Learner) -> Cover:
        """The cover; one that is made of labelled public examples is prepared again, by a learner of its preparation.

        The number of parameters of a listed hypothesis is that of the class's cover of no point.
        """
        h = self.hypothesis_class
        points = self.points.reshape(-1, h.dimension)
        if self.labels is not None:
            return learner.prepare(points, h, self.labels)
        if self.representative is not None:
            return h.cover(points, self.representative)
        assert self.parameters is not None
        width = h.cover(points[:0]).listed().parameters.shape[1]
        return ListedCover(h, points, self.parameters.reshape(-1, width))
