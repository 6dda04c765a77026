"""Rule gather: all blocks of an experiment as one table, its means beside the theory, and its slopes."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from semipriv import tables
from semipriv.bounds.abm19 import sizes as abm19
from semipriv.bounds.bmn20 import sizes as bmn20
from semipriv.experiments.config import Cell, Experiment, plugin_name, variant
from semipriv.progress import track
from semipriv.rules.schemas import EVALUATIONS, SLOPES, SUMMARY, TRIALS
from semipriv.samples import StatusModel
from semipriv.statistics import mean_interval, regression_slope


def gather(
    experiment: Experiment, blocks: Sequence[str | Path], trials: str | Path, summary: str | Path, slopes: str | Path
) -> None:
    """Write trials, summary and slopes; the order of rows does not depend on the blocks."""
    found = pd.concat([tables.read(path, EVALUATIONS).to_pandas() for path in blocks], ignore_index=True)
    found = found.drop(columns="epsilon").merge(_settings(experiment), on=["cell", "learner"], validate="many_to_one")
    found = found.sort_values(["cell", "learner", "trial"], ignore_index=True)
    tables.write(trials, TRIALS, _columns(found, TRIALS))
    means = _summary(experiment, found)
    tables.write(summary, SUMMARY, _columns(means, SUMMARY))
    tables.write(slopes, SLOPES, _slopes(experiment, means))


def _columns(frame: pd.DataFrame, schema: tables.Schema) -> dict[str, list[Any]]:
    """Columns as lists in which a missing value is None, as Parquet wants it."""
    return {name: [None if _missing(v) else v for v in frame[name].tolist()] for name in schema.names}


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _settings(experiment: Experiment) -> pd.DataFrame:
    """One row for each cell and learner: what a reader sorts and groups by."""
    rows = []
    for cell in experiment.cells:
        for label, learner in cell.learners.items():
            rows.append(
                {
                    "experiment": experiment.name,
                    "cell": cell.index,
                    "case": cell.case,
                    "vc_dimension": cell.vc_dimension,
                    **cell.sizes,
                    "private_zeros": cell.private_zeros,
                    "sigma": cell.sigma,
                    "learner": label,
                    "name": plugin_name(learner),
                    "variant": variant(learner),
                    "epsilon": getattr(learner, "epsilon", None),
                }
            )
    types = dict.fromkeys(("vc_dimension", *experiment.cells[0].sizes), "Int64")
    types |= dict.fromkeys(("epsilon", "private_zeros"), "float64")
    return pd.DataFrame(rows).astype({"cell": "int32", **types})


def _summary(experiment: Experiment, found: pd.DataFrame) -> pd.DataFrame:
    measure = "excess" if experiment.kind == "simulation" else "error"
    keep = [c for c in SUMMARY.names if c in found.columns and c not in {"standard_error", "cover_size"}]
    rows = []
    groups = found.groupby(["cell", "learner"], sort=True)
    for (index, _), group in track(groups, "means", groups.ngroups):
        cell = experiment.cells[index]
        values = group[measure].to_numpy(dtype=float)
        interval = mean_interval(values)
        first = group.iloc[0]
        rows.append(
            {
                **{key: first[key] for key in keep},
                "trials": len(values),
                "measure": measure,
                "mean": interval.value,
                "low": interval.low,
                "high": interval.high,
                "standard_error": float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan,
                "quantile": float(np.quantile(values, 1 - experiment.beta, method="higher")),
                "beta": experiment.beta,
                "bound": _bound(experiment, cell, first),
                "cover_size": float(group["cover_size"].mean()),
            }
        )
    return pd.DataFrame(rows)


def _bound(experiment: Experiment, cell: Cell, row: pd.Series) -> float:
    """Excess that the theory allows a paper's learner with probability 1 - beta.

    NaN for other learners, for tables, and where it is above 1 or not known.
    """
    value = math.nan
    if experiment.kind == "simulation" and row["name"] == "sspp" and "n_public" in cell.design.sizes:
        value = _sspp_bound(experiment.beta, cell, row)
    elif experiment.kind == "simulation" and row["name"] == "learn_half" and "n" in cell.design.sizes:
        value = _learn_half_bound(experiment.beta, cell, row)
    return value if value <= 1 else math.nan


def _sspp_bound(beta: float, cell: Cell, row: pd.Series) -> float:
    """By the proof of ABM19 theorem 3.1; NaN where the VC dimension is not known."""
    d = cell.vc_dimension
    if d is None:
        return math.nan
    n_public, n_private = (cell.design.sizes[key] for key in ("n_public", "n_private"))
    log_cover = math.log(cell.hypothesis_class.growth(n_public))
    arguments = (n_public, n_private, float(row["epsilon"]), beta, d, log_cover)
    value = abm19.excess_bound(*arguments, sigma=cell.sigma)
    if row["best_error"] == 0:
        value = min(value, abm19.excess_bound_realizable(*arguments, sigma=cell.sigma))
    return value


def _learn_half_bound(beta: float, cell: Cell, row: pd.Series) -> float:
    """By BMN20 theorem 4.6, |G| as if all n examples were public; up to the rounding of points on the grid.

    NaN where private examples may have label 0, in full mode, and where G is spanned by a part of the public points.
    """
    learner: Any = cell.learners[row["learner"]]
    covered = StatusModel.PRIVATE_ONES.includes(cell.status_model)
    if not covered or learner.mode != "facet" or learner.subset is not None:
        return math.nan
    d = cell.hypothesis_class.dimension
    n = cell.design.sizes["n"]
    arguments = (n, d, float(row["epsilon"]), beta, math.log(bmn20.hypotheses(n, d)))
    value = bmn20.agnostic_bound(*arguments)
    return min(value, bmn20.realizable_bound(*arguments)) if row["best_error"] == 0 else value


def _slopes(experiment: Experiment, means: pd.DataFrame) -> list[dict[str, Any]]:
    specification = experiment.slopes
    if specification is None:
        return []
    x, low, high = specification["x"], float(specification["low"]), float(specification["high"])
    ranged = means[(means[x] >= low) & (means[x] <= high)]
    rows = []
    for (case, _), group in ranged.groupby(["case", "learner"], sort=True):
        usable = group[(group["mean"] > 0) & (group["standard_error"] > 0)]
        sizes = ("n", "n_public", "n_private", "private_zeros", "sigma")
        one_curve = all(group[size].nunique(dropna=False) == 1 for size in sizes if size != x)
        if usable[x].nunique() < 2 or not one_curve:
            continue
        slope = regression_slope(usable[x], usable["mean"], usable["standard_error"])
        rows.append(
            {
                "experiment": experiment.name,
                "case": case,
                **{key: group.iloc[0][key] for key in ("learner", "name", "variant")},
                "epsilon": None if _missing(group.iloc[0]["epsilon"]) else float(group.iloc[0]["epsilon"]),
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
