"""diffprivlib's logistic regression on the splits of the experiments on real tables: results/benchmarks/head_to_head.*

The library is in the benchmarks' environment alone, so its rows stand beside those of the workflow: the same private,
public and held-out rows of the same trials, and the same learners of this package run here again, with their seconds.

The library gets what the grids get, and what the covers get.  Either features are clipped to ranges that are fixed in
advance, and mapped to [-1, 1]; data_norm, which the library needs, is the norm of a corner.  Or they are centred and
scaled by mean and standard deviation of the public rows (labels unused), and data_norm is the 75 % quantile or the
maximum of the public rows' norms after that; rows beyond it are shortened.  C = 1 is the library's default.  'Best in
hindsight' is the scale, the norm and the C of the least held-out error at each epsilon: nobody could choose it
privately, it bounds what tuning could give.

Both protect features and label of a private row.  All rows are public in truth: these are simulations.  Settings were
chosen after looks at these tables.  Intervals are of Student's t over random splits, 95 %; splits share their rows.
"""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
import yaml
from mixture_table import interval

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import tables
from semipriv.core.tables import Column, Schema
from semipriv_lab.experiments.config import Cell, Experiment
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.workflow.split_table import read_group, read_table
from semipriv_lab.workflow.write_table import write_table

ROOT = Path(__file__).parent.parent
EXPERIMENTS = ("rand_scale", "rand_shift", "rand_many", "breast_cancer_labels")
EPSILONS = (0.05, 0.1, 0.3, 1.0, 3.0)
STRENGTHS = (0.001, 0.01, 0.1, 1.0)
NORMS = {"75 % quantile": 0.75, "maximum": 1.0}
"""Quantiles of the public rows' norms that become data_norm."""
SPLITS = 20

LIBRARY = "diffprivlib logistic regression"
HINDSIGHT = f"{LIBRARY}, best in hindsight"
USUAL = ("75 % quantile", 1.0)
CORNER = "corner of the ranges"

RESULTS = Schema(
    "head_to_head",
    "held-out errors of diffprivlib and of this package's learners on the same splits of real tables",
    (
        Column("experiment", pa.string(), "name of the experiment whose splits they are"),
        Column("case", pa.string(), "name of its case"),
        Column("features", pa.int64(), "number of features"),
        Column("method", pa.string(), "learner"),
        Column("protects", pa.string(), "what neighbouring tables differ in; null: not private"),
        Column("epsilon", pa.float64(), "privacy parameter; null: none"),
        Column("norm", pa.string(), "for diffprivlib: what data_norm is, by the ranges or of the public rows' norms"),
        Column("C", pa.float64(), "for diffprivlib: inverse strength of the regularisation"),
        Column("error", pa.float64(), "share of held-out rows that are misclassified, mean over the splits"),
        Column("low", pa.float64(), "lower end of its interval"),
        Column("high", pa.float64(), "upper end of its interval"),
        Column("seconds", pa.float64(), "median seconds of one core to learn"),
        Column("splits", pa.int64(), "random splits"),
    ),
)
KEYS = ["experiment", "case", "features", "method", "protects", "epsilon", "norm", "C"]
Rows = Iterator[dict[str, Any]]


def experiments(names: tuple[str, ...] = EXPERIMENTS) -> list[Experiment]:
    """Return the experiments of the default run with these names."""
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    run = load_run(settings | {"experiments": list(names), "claims": []}, ROOT / "config/experiments")
    return list(run.experiments.values())


def split(experiment: Experiment, cell: Cell, trial: int, path: Path) -> tuple[Any, Any]:
    """Return the sample of a table and the parts of a trial, as the workflow splits it."""
    sample = read_table(path, cell.table)
    group = None if cell.table.public is None else read_group(path, cell.table)
    return sample, cell.design.split(sample, cell.table.ranges, experiment.stream(cell, trial), group)


def own(experiment: Experiment, cell: Cell, trial: int, sample: Any, parts: Any) -> Rows:
    """Run the learners of a cell with the coins that they have in the workflow."""
    points, labels = (sample.points - parts.centre) / parts.scale, sample.labels
    for label, learner in cell.learners.items():
        coins = experiment.stream(cell, trial).spawn("learner", label)
        start = time.process_time()
        known = labels[parts.public] if learner.public_stage.needs_labels else None
        prepared = learner.prepare(points[parts.public], cell.hypothesis_class, known)
        output = learner.release(prepared, points[parts.private], labels[parts.private], coins).output
        seconds = time.process_time() - start
        wrong = output.predict(points[parts.held]) != labels[parts.held]
        epsilon, protects = getattr(learner, "epsilon", None), learner.protects
        yield {"method": learner.title, "protects": protects, "epsilon": epsilon, "error": wrong.mean(), "s": seconds}


def scales(cell: Cell, sample: Any, parts: Any) -> Iterator[tuple[str, float, Any]]:
    """Yield the scales that are tried: what data_norm is, its value, and all rows on that scale."""
    if cell.table.ranges is not None:
        low, high = np.array(cell.table.ranges, float).T
        yield CORNER, float(np.sqrt(len(low))), np.clip(2 * (sample.points - low) / (high - low) - 1, -1, 1)
    public = sample.points[parts.public]
    spread = public.std(axis=0)
    points = (sample.points - public.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    norms = np.linalg.norm(points[parts.public], axis=1)
    for name, share in NORMS.items():
        yield name, float(np.quantile(norms, share)), points


def library(cell: Cell, trial: int, sample: Any, parts: Any) -> Rows:
    """Run diffprivlib's logistic regression in all its settings."""
    from diffprivlib.models import LogisticRegression  # noqa: PLC0415  (in the benchmarks' environment alone)

    for name, bound, points in scales(cell, sample, parts):
        x, y, held = points[parts.private], sample.labels[parts.private], points[parts.held]
        for strength in STRENGTHS:
            for place, epsilon in enumerate(EPSILONS):
                seed = 1_000 * trial + 10 * place
                start = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of the library's own dependencies
                    model = LogisticRegression(
                        epsilon=epsilon, data_norm=bound, C=strength, max_iter=1_000, random_state=seed
                    ).fit(x, y)
                seconds = time.process_time() - start
                wrong = model.predict(held) != sample.labels[parts.held]
                setting = {"norm": name, "C": strength, "epsilon": epsilon}
                protects = "features and label of a private example"
                yield {"method": LIBRARY, "protects": protects, **setting, "error": wrong.mean(), "s": seconds}


def runs(chosen: list[Experiment], folder: Path, splits: int = SPLITS, *, with_library: bool = True) -> pd.DataFrame:
    """Return one row for every learner, setting and split."""
    all_rows = []
    for experiment in chosen:
        for cell in experiment.cells:
            if not isinstance(cell.hypothesis_class, Halfspaces):
                continue
            path = folder / f"{cell.table.name}.parquet"
            if not path.exists():
                write_table(cell.table.name, path)
            for trial in range(splits):
                sample, parts = split(experiment, cell, trial, path)
                measured = [*own(experiment, cell, trial, sample, parts)]
                measured += library(cell, trial, sample, parts) if with_library else []
                place = {"experiment": experiment.name, "case": cell.case, "features": sample.points.shape[1]}
                all_rows += [{**dict.fromkeys(KEYS), **place, **row, "split": trial} for row in measured]
    return pd.DataFrame(all_rows)


def summarised(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over the splits, and once more the best setting of diffprivlib at each epsilon."""
    means = []
    for key, group in rows.groupby(KEYS, dropna=False, sort=False):
        error, low, high = interval(group["error"].to_numpy())
        own = {"error": error, "low": low, "high": high, "seconds": group["s"].median(), "splits": len(group)}
        means.append({**dict(zip(KEYS, key, strict=True)), **own})
    summary = pd.DataFrame(means)
    tuned = summary[summary["method"] == LIBRARY]
    best = summary.loc[tuned.groupby(["experiment", "case", "epsilon"])["error"].idxmin()].assign(method=HINDSIGHT)
    return pd.concat([summary, best], ignore_index=True)


def draw(summary: pd.DataFrame, path: Path) -> None:
    """Draw errors against epsilon, a panel for each case; diffprivlib with its default C and in hindsight."""
    sns.set_theme(style="whitegrid", context="paper")
    panels = list(summary.groupby(["experiment", "case"], sort=False))
    width = 4
    figure, grid = plt.subplots(-(-len(panels) // width), width, figsize=(13, 7.5), layout="constrained")
    names = list(dict.fromkeys(summary["method"]))
    colours = dict(zip(names, sns.color_palette("colorblind", len(names)), strict=True))
    usual = (summary["norm"] == USUAL[0]) & (summary["C"] == USUAL[1])
    for axis, ((experiment, case), rows) in zip(grid.flat, panels, strict=False):
        for name, part in rows[(rows["method"] != LIBRARY) | usual[rows.index]].groupby("method", sort=False):
            look = {"color": colours[name], "label": name, "linewidth": 1.2}
            if part["epsilon"].isna().any():
                axis.axhline(part["error"].iloc[0], linestyle="--", **look)
                continue
            axis.plot(part["epsilon"], part["error"], marker="os^Dv"[names.index(name) % 5], markersize=4, **look)
            axis.fill_between(part["epsilon"], part["low"], part["high"], color=colours[name], alpha=0.15)
        axis.set(xscale="log", xlabel="epsilon", ylabel="held-out error", title=f"{experiment}\n{case}")
    for axis in grid.flat[len(panels) :]:
        axis.set_axis_off()
    both = [axis.get_legend_handles_labels() for axis in grid.flat]
    entries = {label: handle for handles, labels in both for handle, label in zip(handles, labels, strict=True)}
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=3, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    start = time.perf_counter()
    summary = summarised(runs(experiments(), ROOT / "data"))
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    folder = ROOT / "results/benchmarks"
    tables.write(folder / "head_to_head.parquet", RESULTS, rows)
    draw(summary, folder / "head_to_head.png")
    shown = summary[(summary["method"] != LIBRARY) | (summary["C"] == 1.0)]
    print(shown[[*KEYS, "error", "low", "high", "seconds"]].to_string(float_format="%.3f"))
    print(f"written: results/benchmarks/head_to_head.parquet and .png, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
