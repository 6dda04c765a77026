"""Rule evaluate: errors of releases under the known law.  It never sees a private sample."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from semipriv import tables
from semipriv.experiments.config import Experiment
from semipriv.experiments.schemas import EVALUATIONS, RELEASES
from semipriv.experiments.storage import Row

ROUNDING = 1e-12
"""Below this the excess of a closed form is a rounding error, and 0."""


def read_releases(paths: Sequence[str | Path]) -> list[Row]:
    """All releases of a block, sorted by cell, trial and learner."""
    rows = [row for path in paths for row in tables.read_rows(path, RELEASES)]
    return sorted(rows, key=lambda row: (row["cell"], row["trial"], row["learner"]))


def evaluate(experiment: Experiment, releases: Sequence[str | Path], evaluations: str | Path) -> None:
    """Write population error and excess error of every release.

    Where there is no closed form the releases of a trial share a fresh sample of its own: errors of different trials
    are independent, so that limits of their mean include what the samples add.
    """
    rows = []
    for (index, trial), group in groupby(read_releases(releases), key=lambda row: (row["cell"], row["trial"])):
        cell, found = experiment.cells[index], list(group)
        parameters = np.array([row["hypothesis"] for row in found], dtype=np.float64)
        fresh = experiment.stream(cell, trial).spawn("evaluate")
        errors = cell.distribution.errors(cell.hypothesis_class, parameters, fresh)
        best = cell.best_error
        for row, error, uncertainty in zip(found, errors.value, errors.standard_error, strict=True):
            excess = 0.0 if uncertainty == 0 and abs(error - best) < ROUNDING else error - best
            measures = {"error": error, "standard_error": uncertainty, "best_error": best, "excess": excess}
            rows.append({**row, **measures})
    tables.write(evaluations, EVALUATIONS, rows)
