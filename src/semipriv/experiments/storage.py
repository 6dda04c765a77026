"""Samples and prepared covers on disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from semipriv import tables
from semipriv.classes.base import Cover, HypothesisClass
from semipriv.experiments.config import Cell, Experiment
from semipriv.experiments.schemas import PREPARED, SAMPLES
from semipriv.randomness import Simulation
from semipriv.samples import Sample

Row = dict[str, Any]


def sample_row(cell: Cell, trial: int, sample: Sample, **scaling: Any) -> Row:
    """Row of the table of samples that holds the examples."""
    return {
        "cell": cell.index,
        "trial": trial,
        "n": len(sample),
        "points": sample.points.ravel(),
        "labels": sample.labels,
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
    """Samples of a table one by one; a recipe is carried out, which gives exactly the examples it stands for."""
    table = tables.read(path, SAMPLES)
    column = {name: table.column(name).combine_chunks() for name in SAMPLES.names}
    for i in range(table.num_rows):
        cell, trial = experiment.cells[column["cell"][i].as_py()], column["trial"][i].as_py()
        if column["recipe"][i].is_valid:
            recipe = json.loads(column["recipe"][i].as_py())
            stream = Simulation(recipe["seed"], tuple(recipe["path"]))
            yield cell, trial, cell.distribution.private_sample(column["n"][i].as_py(), stream)
        else:
            points, labels = _array(column["points"][i]), _array(column["labels"][i])
            yield cell, trial, Sample(points.reshape(-1, cell.hypothesis_class.dimension), labels)


def _array(value: Any) -> np.ndarray:
    """A list of Parquet as an array."""
    return np.asarray(value.values.to_numpy(zero_copy_only=False))


def prepared_row(cell: Cell, trial: int, preparation: tuple[str, ...], cover: Cover) -> Row:
    """Row of the table of prepared covers."""
    return {
        "cell": cell.index,
        "trial": trial,
        "preparation": ",".join(preparation),
        "points": cover.points.ravel(),
        "parameters": cover.parameters.ravel(),
    }


def read_prepared(path: str | Path, experiment: Experiment) -> dict[tuple[int, int, str], "StoredCover"]:
    """Prepared covers by (cell, trial, preparation), turned into covers when they are needed."""
    table = tables.read(path, PREPARED)
    keys = zip(*(table.column(k).to_pylist() for k in ("cell", "trial", "preparation")), strict=True)
    points, parameters = (table.column(k).combine_chunks() for k in ("points", "parameters"))
    return {
        key: StoredCover(
            experiment.cells[key[0]].hypothesis_class,
            _array(points[i]),
            _array(parameters[i]),
        )
        for i, key in enumerate(keys)
    }


class StoredCover:
    """A cover on disk: flat arrays and the class that gives them their shape."""

    def __init__(self, hypothesis_class: HypothesisClass, points: np.ndarray, parameters: np.ndarray) -> None:
        self.hypothesis_class, self.points, self.parameters = hypothesis_class, points, parameters

    def load(self) -> Cover:
        """The cover; the number of parameters of a hypothesis is that of the class's cover of no point."""
        dimension = self.hypothesis_class.dimension
        width = self.hypothesis_class.cover(np.empty((0, dimension))).parameters.shape[1]
        return Cover(self.hypothesis_class, self.points.reshape(-1, dimension), self.parameters.reshape(-1, width))
