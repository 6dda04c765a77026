"""Rule evaluate: compute errors of releases under the known law.  It never sees a private sample."""

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from semipriv import tables
from semipriv.classes.base import Hypothesis
from semipriv.experiments.config import Cell, Experiment
from semipriv.progress import track
from semipriv.rules.schemas import EVALUATIONS
from semipriv.rules.storage import Row, output_of, read_releases

ROUNDING = 1e-12
"""A smaller excess in a closed form is a rounding error: it counts as 0."""


def evaluate(experiment: Experiment, releases: Sequence[str | Path], evaluations: str | Path) -> None:
    """Write the population error and the excess error of every release.

    If there is no closed form, each trial has a fresh sample of its own, and its releases share it.  So errors of
    different trials are independent, and the limits of their mean include the variance of the samples.
    """
    rows = []
    groups = groupby(read_releases(releases), key=lambda row: (row["cell"], row["trial"]))
    for (index, trial), found in track([(key, list(group)) for key, group in groups], "trials"):
        cell = experiment.cells[index]
        for row, (error, uncertainty) in zip(found, _errors(experiment, cell, trial, found), strict=True):
            best = cell.best_error
            excess = error - best.value
            if uncertainty == 0 and best.exact and abs(excess) < ROUNDING:
                excess = 0.0
            known = {"best_error": best.value, "best_low": best.low, "best_high": best.high}
            rows.append({**row, "error": error, "standard_error": uncertainty, **known, "excess": excess})
    tables.write(evaluations, EVALUATIONS, rows)


def _errors(experiment: Experiment, cell: Cell, trial: int, found: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the population error and its standard error for each release of a trial.

    Releases with the same set of functions are evaluated together.
    """
    outputs: list[Hypothesis] = [output_of(row) for row in found]
    result: list[tuple[float, float]] = [(math.nan, math.nan)] * len(found)
    for functions in dict.fromkeys(output.functions for output in outputs):
        same = [i for i, output in enumerate(outputs) if output.functions == functions]
        parameters = np.array([outputs[i].parameters for i in same])
        fresh = experiment.stream(cell, trial).spawn("evaluate")
        errors = cell.distribution.errors(functions, parameters, fresh)
        for i, value, uncertainty in zip(same, errors.value, errors.standard_error, strict=True):
            result[i] = value, uncertainty
    return result
