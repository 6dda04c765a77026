"""Rule gather: collect all blocks of an experiment in a table of trials, one of means and bounds, one of slopes."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from semipriv import registry, tables
from semipriv.designs._inference import size_keys
from semipriv.experiments.config import Cell, Experiment
from semipriv.learners.base import Setting
from semipriv.progress import track
from semipriv.rules.schemas import EVALUATIONS, SLOPES, SUMMARY, TRIALS
from semipriv.statistics import mean_interval, regression_slope, turns


def gather(
    experiment: Experiment, blocks: Sequence[str | Path], trials: str | Path, summary: str | Path, slopes: str | Path
) -> None:
    """Write trials, summary and slopes.  The order of rows does not depend on the blocks."""
    found = pd.concat([tables.read_frame(path, EVALUATIONS) for path in blocks], ignore_index=True)
    found = found.drop(columns="epsilon").merge(_settings(experiment), on=["cell", "learner"], validate="many_to_one")
    found = found.sort_values(["cell", "learner", "trial", "measure"], ignore_index=True)
    tables.write(trials, TRIALS, _columns(found, TRIALS))
    means = _summary(experiment, found)
    tables.write(summary, SUMMARY, _columns(means, SUMMARY))
    tables.write(slopes, SLOPES, _slopes(experiment, means))


def _columns(frame: pd.DataFrame, schema: tables.Schema) -> dict[str, list[Any]]:
    """Return columns as lists with None for a missing value, as Parquet wants it."""
    return {name: [None if _missing(v) else v for v in frame[name].tolist()] for name in schema.names}


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _settings(experiment: Experiment) -> pd.DataFrame:
    """Return one row for each cell and learner, with the settings by which readers sort and group."""
    rows = []
    for cell in experiment.cells:
        for label, learner in cell.learners.items():
            rows.append(
                {
                    "experiment": experiment.name,
                    "cell": cell.index,
                    "case": cell.case,
                    "vc_dimension": cell.vc_dimension,
                    "bits": cell.bits,
                    **cell.sizes,
                    "private_zeros": cell.private_zeros,
                    "sigma": cell.sigma,
                    "learner": label,
                    "name": registry.name_of(learner),
                    "title": learner.title,
                    "role": learner.role.value,
                    "parameters": json.dumps(registry.parameters(learner)),
                    "epsilon": getattr(learner, "epsilon", None),
                }
            )
    types = dict.fromkeys(("vc_dimension", "bits", *experiment.cells[0].sizes), "Int64")
    types |= dict.fromkeys(("epsilon", "private_zeros"), "float64")
    return pd.DataFrame(rows).astype({"cell": "int32", **types})


def _summary(experiment: Experiment, found: pd.DataFrame) -> pd.DataFrame:
    quantity = "excess" if experiment.kind == "simulation" else "error"
    keep = [c for c in SUMMARY.names if c in found.columns and c not in {"standard_error", "cost"}]
    rows = []
    groups = found.groupby(["cell", "learner", "measure"], sort=True)
    for (index, _, name), group in track(groups, "means", groups.ngroups):
        cell, measure = experiment.cells[index], experiment.measures[name]
        values = group[quantity].to_numpy(dtype=float)
        interval = mean_interval(values)
        first = group.iloc[0]
        bound = _bound(experiment, cell, first) if measure.bounded else None
        vacuous = bound is not None and bound > 1
        rows.append(
            {
                **{key: first[key] for key in keep},
                "trials": len(values),
                "quantity": quantity,
                "axis": measure.excess_title if quantity == "excess" else measure.held_out_title,
                "mean": interval.value,
                "low": interval.low,
                "high": interval.high,
                "standard_error": float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan,
                "quantile": float(np.quantile(values, 1 - experiment.beta, method="higher")),
                "beta": experiment.beta,
                "bound": None if vacuous else bound,
                "vacuous": vacuous,
                "cost": _mean_cost(group["cost"]),
            }
        )
    return pd.DataFrame(rows)


def _bound(experiment: Experiment, cell: Cell, row: pd.Series) -> float | None:
    """Return the bound of the theory on the excess, with probability 1 - beta; None for tables and if there is none."""
    if experiment.kind != "simulation":
        return None
    setting = Setting(
        cell.hypothesis_class, cell.sizes, experiment.beta, cell.sigma, row["best_error"], cell.status_model
    )
    return cell.learners[row["learner"]].excess_bound(setting)


def _mean_cost(costs: pd.Series) -> str:
    """Return the means of named costs as JSON.  Each mean is over the releases that have this cost."""
    found = pd.DataFrame([json.loads(text) for text in costs])
    return json.dumps({name: float(found[name].mean()) for name in sorted(found)}, sort_keys=True)


def _slopes(experiment: Experiment, means: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the slopes of all curves of one x, except of those that both rise and fall."""
    specification = experiment.slopes
    if specification is None:
        return []
    x, low, high = specification["x"], float(specification["low"]), float(specification["high"])
    ranged = means[(means[x] >= low) & (means[x] <= high)]
    rows = []
    for (case, _, measure), group in ranged.groupby(["case", "learner", "measure"], sort=True):
        usable = group[(group["mean"] > 0) & (group["standard_error"] > 0)].sort_values(x)
        sizes = (*size_keys(), "bits", "private_zeros", "sigma")
        one_curve = all(group[size].nunique(dropna=False) == 1 for size in sizes if size != x)
        if usable[x].nunique() < 2 or not one_curve or turns(usable["mean"], usable["standard_error"]):
            continue
        slope = regression_slope(usable[x], usable["mean"], usable["standard_error"])
        rows.append(
            {
                "experiment": experiment.name,
                "case": case,
                **{key: group.iloc[0][key] for key in ("learner", "name", "title", "role", "parameters")},
                "epsilon": None if _missing(group.iloc[0]["epsilon"]) else float(group.iloc[0]["epsilon"]),
                "measure": measure,
                "x": x,
                "low_x": float(usable[x].min()),
                "high_x": float(usable[x].max()),
                "points": len(usable),
                "left_out": len(group) - len(usable),
                "slope": slope.value,
                "low": slope.low,
                "high": slope.high,
            }
        )
    return rows
