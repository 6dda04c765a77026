"""Rule evaluate: measure releases under the known distribution, and gather them.  It never sees a private sample."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from semipriv.core.progress import track
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.measures.base import Released
from semipriv_lab.workflow.storage import Row, output_of, read_releases

ROUNDING = 1e-12
"""A smaller excess in a closed form is a rounding error: it counts as 0."""


def evaluate(experiment: Experiment, releases: Sequence[str | Path]) -> list[Row]:
    """Return the error and the excess error of every release, a row for each measure of the experiment.

    If there is no closed form, each trial has a fresh sample of its own, and its releases share it.  So errors of
    different trials are independent, and the limits of their mean include the variance of the samples.
    """
    rows: list[Row] = []
    groups = groupby(read_releases(releases), key=lambda row: (row["cell"], row["trial"]))
    for (index, trial), released in track([(key, list(group)) for key, group in groups], "trials"):
        cell = experiment.cells[index]
        distribution = (cell.distribution, cell.hypothesis_class)
        outputs = [Released(output_of(row), json.loads(row["cost"]), cell.labelled) for row in released]
        for name, measure in experiment.measures.items():
            best = measure.best(*distribution)
            known = {"best_error": best.value, "best_low": best.low, "best_high": best.high}
            errors = measure.of_releases(outputs, *distribution, experiment.stream(cell, trial))
            for row, error in zip(released, errors, strict=True):
                excess = error.value - best.value
                if error.standard_error == 0 and best.exact and abs(excess) < ROUNDING:
                    excess = 0.0
                measured = {"measure": name, "error": error.value, "standard_error": error.standard_error}
                rows.append({**row, **measured, **known, "excess": excess})
    return rows
