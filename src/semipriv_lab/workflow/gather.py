"""What rules of evaluation write: a table of trials, one of means and bounds, and one of slopes."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semipriv.core import registry, tables
from semipriv.core.progress import track
from semipriv.core.statistics import mean_interval, regression_slope, turns
from semipriv.distributions.designs._inference import size_keys
from semipriv.learners.base import AnyLearner, Setting
from semipriv_lab.experiments.config import Cell, Experiment
from semipriv_lab.experiments.schemas import SLOPES, SUMMARY, TRIALS
from semipriv_lab.workflow.storage import Row


def gather(
    experiment: Experiment, evaluations: Iterable[Row], trials: str | Path, summary: str | Path, slopes: str | Path
) -> None:
    """Write trials, summary and slopes of what was evaluated.  The order of rows does not depend on the blocks."""
    settings = {
        (cell.index, label): _settings(experiment, cell, label, learner)
        for cell in experiment.cells
        for label, learner in cell.learners.items()
    }
    rows = [row | settings[row["cell"], row["learner"]] for row in evaluations]
    rows.sort(key=_key("cell", "learner", "trial", "measure"))
    tables.write(trials, TRIALS, rows)
    means = _summary(experiment, rows)
    tables.write(summary, SUMMARY, means)
    tables.write(slopes, SLOPES, _slopes(experiment, means))


def _key(*columns: str) -> Callable[[Row], tuple[Any, ...]]:
    return lambda row: tuple(row[column] for column in columns)


def _groups(rows: Iterable[Row], *columns: str) -> list[list[Row]]:
    """Return the rows of each value of the columns, sorted by these values; within a group in their order."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(_key(*columns)(row), []).append(row)
    return [groups[value] for value in sorted(groups)]


def _settings(experiment: Experiment, cell: Cell, label: str, learner: AnyLearner) -> Row:
    """Return the settings by which readers sort and group."""
    return {
        "experiment": experiment.name,
        "cell": cell.index,
        "case": cell.case,
        "vc_dimension": cell.vc_dimension,
        "bits": cell.bits,
        **cell.sizes,
        "private_zeros": cell.private_zeros,
        "sigma": None if experiment.kind == "table" and cell.table.public is not None else cell.sigma,
        "learner": label,
        "name": registry.name_of(learner),
        "title": learner.title,
        "role": learner.role.value,
        "parameters": json.dumps(registry.parameters(learner)),
        "epsilon": getattr(learner, "epsilon", None),
        "protects": learner.protects,
    }


def _summary(experiment: Experiment, trials: Sequence[Row]) -> list[Row]:
    quantity = "excess" if experiment.kind == "simulation" else "error"
    rows = []
    for group in track(_groups(trials, "cell", "learner", "measure"), "means"):
        first = group[0]
        cell, measure = experiment.cells[first["cell"]], experiment.measures[first["measure"]]
        values = np.array([row[quantity] for row in group], float)
        interval = mean_interval(values)
        bound = _bound(experiment, cell, first) if measure.bounded else None
        vacuous = bound is not None and bound > 1
        summary = {
            "trials": len(values),
            "quantity": quantity,
            "axis": measure.excess_title if quantity == "excess" else measure.held_out_title,
            "mean": interval.value,
            "low": interval.low,
            "high": interval.high,
            "standard_error": float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None,
            "quantile": float(np.quantile(values, 1 - experiment.beta, method="higher")),
            "beta": experiment.beta,
            "bound": None if vacuous else bound,
            "vacuous": vacuous,
            "cost": _mean_cost([json.loads(row["cost"]) for row in group]),
        }
        rows.append(first | summary)
    return rows


def _bound(experiment: Experiment, cell: Cell, row: Row) -> float | None:
    """Return the bound of the theory on the excess, with probability 1 - beta; None for tables and if there is none."""
    if experiment.kind != "simulation":
        return None
    setting = Setting(
        cell.hypothesis_class, cell.sizes, experiment.beta, cell.sigma, row["best_error"], cell.status_model
    )
    return cell.learners[row["learner"]].excess_bound(setting)


def _mean_cost(costs: Sequence[dict[str, float]]) -> str:
    """Return the means of named costs as JSON.  Each mean is over the releases that have this cost."""
    means = {name: float(np.mean([cost[name] for cost in costs if name in cost])) for name in set().union(*costs)}
    return json.dumps(means, sort_keys=True)


def _slopes(experiment: Experiment, means: Sequence[Row]) -> list[Row]:
    """Return the slopes of all curves of one x, except of those that both rise and fall."""
    specification = experiment.slopes
    if specification is None:
        return []
    x, low, high = specification["x"], float(specification["low"]), float(specification["high"])
    rows = []
    ranged = [row for row in means if row[x] is not None and low <= row[x] <= high]
    for group in _groups(ranged, "case", "learner", "measure"):
        usable = [row for row in group if row["mean"] > 0 and (row["standard_error"] or 0) > 0]
        usable.sort(key=_key(x))
        sizes = (*size_keys(), "bits", "private_zeros", "sigma")
        one_curve = all(len({row[size] for row in group}) == 1 for size in sizes if size != x)
        places, values, errors = ([row[name] for row in usable] for name in (x, "mean", "standard_error"))
        if len(set(places)) < 2 or not one_curve or turns(values, errors):
            continue
        slope = regression_slope(places, values, errors)
        fitted = {
            "x": x,
            "low_x": float(min(places)),
            "high_x": float(max(places)),
            "points": len(usable),
            "left_out": len(group) - len(usable),
            "slope": slope.value,
            "low": slope.low,
            "high": slope.high,
        }
        rows.append(group[0] | fitted)
    return rows
