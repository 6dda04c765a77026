"""Linear rules for several labels on real tables, side by side: results/benchmarks/many_classes.{parquet,png}.

Splits, public scale and neighbours are those of ``many_features.py``.  Everybody is told which labels there are:

- the public-metric discriminant of several labels, whose settings took no look at any table; pure, and at delta = 1e-6;
- the public-model discriminant of several labels, which gets the labels of the public rows and does not know that
  populations match;
- diffprivlib's logistic regression, one label against the others, with its default C = 1, and with the C that is best
  in hindsight at each epsilon.

Beside them logistic regressions on the public rows *with labels*, and without privacy; and the most frequent label.
All rows are public in truth: these are simulations.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
from many_features import (
    EPSILONS,
    HELD_OUT,
    HINDSIGHT,
    LABELLED,
    LIBRARY,
    NO_PRIVACY,
    PRIVATE,
    PUBLIC,
    REACH,
    ROOT,
    SPLITS,
    STRENGTHS,
    Array,
    Predict,
    library,
    own,
    plain,
    summarised,
)

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.learners.public_metric_multiclass import PublicMetricMulticlass
from semipriv.learners.public_model_multiclass import PublicModelMulticlass

DISCRIMINANT = "public-metric discriminant"
GAUSSIAN = "public-metric discriminant, delta = 1e-6"
MODELLED = "public-model discriminant, labelled public rows"
MAJORITY = "the most frequent label"
CURVES = (DISCRIMINANT, GAUSSIAN, MODELLED, LIBRARY, HINDSIGHT)
LINES = (LABELLED, NO_PRIVACY, MAJORITY)
DELTA = 1e-6
RAND = (
    *("coins", "idp", "black", "income", "xage", "female", "educdec", "num", "mhi", "disea", "physlm", "xghindx"),
    *("hlthg", "hlthf", "hlthp", "drugdol"),
)
"""Columns of RAND."""

RESULTS = Schema(
    "many_classes",
    "held-out errors of linear rules for several labels, on the same splits of real tables",
    (
        Column("table", pa.string(), "the table and its label"),
        Column("features", pa.int64(), "number of features"),
        Column("private", pa.int64(), "number of private rows"),
        Column("method", pa.string(), "learner"),
        Column("epsilon", pa.float64(), "privacy parameter; null: nothing private is read, or nothing is protected"),
        Column("error", pa.float64(), "share of held-out rows that are misclassified, mean over the splits"),
        Column("low", pa.float64(), "lower end of its interval"),
        Column("high", pa.float64(), "upper end of its interval"),
        Column("standard_error", pa.float64(), "standard error of the mean over the splits"),
        Column("seconds", pa.float64(), "median seconds of one core to learn"),
        Column("splits", pa.int64(), "random splits"),
    ),
)


def real_tables() -> dict[str, tuple[Array, Array]]:
    """Return features (n, d) and labels (n,) of each table by name."""
    from sklearn.datasets import load_digits, load_wine  # noqa: PLC0415
    from statsmodels.datasets import fair  # noqa: PLC0415

    digits, wine, survey = load_digits(), load_wine(), fair.load_pandas().data
    rating = np.maximum(survey["rate_marriage"].to_numpy(int) - 3, 0)
    return {
        "digits: ten": (digits.data[:, digits.data.std(axis=0) > 0.3], digits.target),
        "wine: three cultivars": (wine.data, wine.target),
        "fair: rating in three": (survey.drop(columns="rate_marriage").to_numpy(float), rating),
        "RAND: visits in four": visits(),
    }


def visits() -> tuple[Array, Array]:
    """Return what is known of RAND's people in their first year, and visits: none, 1 or 2, 3 to 5, more."""
    import statsmodels.datasets  # noqa: PLC0415

    path = Path(statsmodels.datasets.__file__).parent / "randhie/src/randhie.csv"
    people = pd.read_csv(path).sort_values(["zper", "year"]).groupby("zper").head(1)
    return people[list(RAND)].fillna(12).to_numpy(float), np.searchsorted([0.5, 2.5, 5.5], people["mdvis"])


# ---------------------------------------------------------------------------------------------------- learners
def learned(
    trial: int, classes: int, rows: tuple[Array, Array, Array, Array], *, with_library: bool
) -> Iterator[tuple[str, float | None, Callable[[], Predict]]]:
    """Yield method, epsilon and a function without arguments that learns.  rows: public and private ones, labelled."""
    public, known, x, y = rows
    yield NO_PRIVACY, None, partial(plain, x, y)
    yield LABELLED, None, partial(plain, public, known)
    yield MAJORITY, None, partial(plain, x, np.full(len(y), np.bincount(y).argmax()))
    functions = LinearRules(x.shape[1], classes)
    for place, epsilon in enumerate(EPSILONS):
        coins, seed = Simulation(37).spawn(trial, place), 1_000 * trial + 10 * place
        for method, learner, given in (
            (DISCRIMINANT, PublicMetricMulticlass(epsilon), (public, None)),
            (GAUSSIAN, PublicMetricMulticlass(epsilon, DELTA), (public, None)),
            (MODELLED, PublicModelMulticlass(epsilon), (public, known)),
        ):
            yield method, epsilon, partial(own, learner, functions, given, x, y, coins.spawn(method))
        for strength in STRENGTHS if with_library else ():
            yield f"C = {strength:g}", epsilon, partial(library, epsilon, strength, public, x, y, seed)


def runs(
    sources: dict[str, tuple[Array, Array]], splits: int, *, with_library: bool = True
) -> Iterator[dict[str, Any]]:
    """Yield the error of each method on each split of each table."""
    for place, (name, (features, labels)) in enumerate(sources.items()):
        for trial in range(splits):
            order = np.random.default_rng([37, place, trial]).permutation(len(labels))
            few_public = min(PUBLIC, len(labels) // 5)
            many = few_public + min(len(labels) // 4, HELD_OUT)
            spread = features[order[:few_public]].std(axis=0)
            scaled = (features - features[order[:few_public]].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
            scaled = np.clip(scaled, -REACH, REACH)
            public, held, private = order[:few_public], order[few_public:many], order[many : many + PRIVATE]
            rows = scaled[public], labels[public], scaled[private], labels[private]
            for method, epsilon, learn in learned(trial, int(labels.max()) + 1, rows, with_library=with_library):
                start = time.process_time()
                predict = learn()
                yield {
                    "table": name,
                    "features": features.shape[1],
                    "private": len(private),
                    "method": method,
                    "epsilon": epsilon,
                    "error": float((predict(scaled[held]) != labels[held]).mean()),
                    "s": time.process_time() - start,
                }
        print(f"{name}: {splits} splits", flush=True)


def draw(summary: pd.DataFrame, path: Path) -> None:
    """Draw a panel for each table: five curves, and three lines of what is not private."""
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(summary["table"]))
    figure, grid = plt.subplots(2, 2, figsize=(9, 7.4), layout="constrained", sharex=True)
    curves = [method for method in CURVES if method in set(summary["method"])]
    colours = dict(zip(CURVES, sns.color_palette(), strict=False))
    for axis, name in zip(grid.flat, names, strict=True):
        table = summary[summary["table"] == name]
        for method, marker in zip(curves, "os^Dv", strict=False):
            part = table[table["method"] == method].sort_values("epsilon")
            look = {"color": colours[method], "label": method, "linewidth": 2.0 if method == DISCRIMINANT else 1.0}
            axis.plot(part["epsilon"], part["error"], marker=marker, markersize=4, **look)
            axis.fill_between(part["epsilon"], part["low"], part["high"], color=colours[method], alpha=0.12)
        for method, style in zip(LINES, ("--", ":", "-."), strict=True):
            axis.axhline(
                table[table["method"] == method]["error"].iloc[0], color="black", linestyle=style, label=method
            )
        first = table.iloc[0]
        title = f"{name}\n{first['features']} features, {first['private']:,} private rows"
        axis.set(xscale="log", xlabel="epsilon", ylabel="held-out error", title=title)
        axis.set_ylim(bottom=0.85 * table["error"].min())
        axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(splits: int = SPLITS) -> None:
    start = time.perf_counter()
    folder = ROOT / "results/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    summary = summarised(runs(real_tables(), splits))
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    tables.write(folder / "many_classes.parquet", RESULTS, rows)
    draw(summary, folder / "many_classes.png")
    shown = summary[["table", "method", "epsilon", "error", "standard_error", "seconds"]]
    print(shown.to_string(float_format="%.3f"))
    print(f"written: results/benchmarks/many_classes.parquet and .png, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of regressions that do not converge
        main(*map(int, sys.argv[1:]))
