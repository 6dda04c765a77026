"""Regression on 8 to 27 features of real tables, side by side: results/benchmarks/regression.{parquet,png}.

Each split of a table has 200 public rows (a fifth of the table at most), held-out rows (a quarter, 3,000 at most) and
private rows, 8,000 at most.  Everybody gets features centred and scaled by the public rows and clipped at 4 standard
deviations, and responses clipped to a range that is fixed here, and protects a private row against its replacement:

- regression with a public Gram matrix, pure epsilon: from unlabelled public rows, and from a public ridge model;
- noise on X^T X and X^T y (``sufficient_statistics``) and algorithms 2 and 3 of BBD24, at delta = 1e-6, a weaker
  promise: rows are shortened at the 75 % quantile of public norms and get a constant coordinate, as weights are in the
  unit ball; of both algorithms the eta that is best in hindsight at each epsilon, which nobody could choose privately;
- diffprivlib's linear regression, whose bounds are the ends of the public rows.

Beside them the ridge regression on the public rows *with responses*, and least squares without privacy.  All rows are
public in truth: these are simulations.  Intervals are of Student's t over random splits, 95 %; splits share their rows.
"""

import importlib.util
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
from mixture_table import interval
from numpy.typing import NDArray

from semipriv.classes.regressors.linear import Linear
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.learners.public_gram_regression import PublicGramRegression
from semipriv.learners.public_ridge_regression import PublicRidgeRegression
from semipriv.learners.sufficient_statistics import SufficientStatistics
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.learners.regularised import Regularised
from semipriv_lab.workflow.write_table import write_table

ROOT = Path(__file__).parent.parent
EPSILONS = (0.1, 0.3, 1.0, 3.0)
SHARES = (0.03, 0.3, 3.0)
"""eta of BBD24's algorithms, in units of the number of private rows."""
SPLITS, PUBLIC, HELD_OUT, PRIVATE = 12, 200, 3_000, 8_000
DELTA, DRAWS, REACH = 1e-6, 30, 4.0

UNLABELLED = "public Gram matrix"
LABELLED = "public ridge model and private rows"
STATISTICS = "noise on the Gram matrix, delta = 1e-6"
PERTURBED = "BBD24 algorithm 2, delta = 1e-6"
REGULARISED = "BBD24 algorithm 3, delta = 1e-6"
LIBRARY = "diffprivlib"
PUBLIC_ALONE = "labelled public rows alone"
NO_PRIVACY = "no privacy"
CURVES = (UNLABELLED, LABELLED, STATISTICS, REGULARISED, LIBRARY)
LINES = (PUBLIC_ALONE, NO_PRIVACY)
HINDSIGHT = (PERTURBED, REGULARISED)

RESULTS = Schema(
    "regression",
    "held-out R^2 of linear functions of many features, on the same splits of real tables",
    (
        Column("table", pa.string(), "the table and its response"),
        Column("features", pa.int64(), "number of features"),
        Column("private", pa.int64(), "number of private rows"),
        Column("method", pa.string(), "learner"),
        Column("epsilon", pa.float64(), "privacy parameter; null: nothing private is read, or nothing is protected"),
        Column("r2", pa.float64(), "1 - squared error / variance on the held-out rows, mean over the splits"),
        Column("low", pa.float64(), "lower end of its interval"),
        Column("high", pa.float64(), "upper end of its interval"),
        Column("standard_error", pa.float64(), "standard error of the mean over the splits"),
        Column("seconds", pa.float64(), "median seconds of one core to learn"),
        Column("splits", pa.int64(), "random splits"),
    ),
)
Array = NDArray[Any]
Predict = Callable[[Array], Array]
Table = tuple[Array, Array, tuple[float, float]]


def real_tables(folder: Path) -> dict[str, Table]:
    """Return features (n, d), responses (n,) and their declared range, of each table by name."""
    from sklearn.datasets import load_diabetes  # noqa: PLC0415
    from statsmodels.datasets import fair  # noqa: PLC0415

    diabetes, survey = load_diabetes(), fair.load_pandas().data
    write_table("randhie", folder / "randhie.parquet")
    people = tables.read_all(folder / "randhie.parquet").to_pandas()
    drugs = people.drop(columns=["many_visits", "few_visits", "unwell", "child", "drugdol", "suppdol"])
    sources: dict[str, Table] = {
        "diabetes: progression": (diabetes.data, diabetes.target, (25.0, 346.0)),
        "fair: log of affairs": numbers(
            survey.assign(affairs=np.log1p(survey["affairs"])), "affairs", (0.0, float(np.log1p(60)))
        ),
        "RAND: log dollars of drugs": (
            drugs.to_numpy(float),
            np.log1p(people["drugdol"].to_numpy(float)),
            (0.0, float(np.log1p(1_000))),
        ),
    }
    if importlib.util.find_spec("linearmodels") is not None:
        sources |= of_linearmodels()
    return sources


def of_linearmodels() -> dict[str, Table]:
    """Return the tables of linearmodels: of the wage panel one row a person, the last year."""
    spec = importlib.util.find_spec("linearmodels")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "datasets"
    wages = pd.read_csv(folder / "wage_panel/wage_panel.csv.bz2")
    wages = wages[wages["year"] == wages["year"].max()]
    jobs = pd.get_dummies(wages["occupation"], prefix="occupation", drop_first=True).astype(float)
    wages = pd.concat([wages.drop(columns=["nr", "year", "occupation"]), jobs], axis=1)
    spent = pd.read_csv(folder / "meps/meps.csv.bz2").fillna({"linc": 0.0}).drop(columns="drugexp")
    return {
        "wage panel: log wage": numbers(wages, "lwage", (float(np.log(0.5)), float(np.log(100)))),
        "meps: log drug expenditure": numbers(spent, "ldrugexp", (0.0, 11.0)),
    }


def numbers(table: pd.DataFrame, response: str, ends: tuple[float, float]) -> Table:
    """Return features, the response, and its declared range."""
    return table.drop(columns=response).to_numpy(float), table[response].to_numpy(float), ends


# ---------------------------------------------------------------------------------------------------- learners
def own(learner: Any, functions: Any, public: Array, known: Array | None, x: Array, y: Array, coins: Any) -> Predict:
    """Return what a learner of this package releases."""
    output: Any = learner.release(learner.prepare(public, functions, known), x, y, coins).output
    return lambda points: np.asarray(output.predict(points))


def balled(learner: Any, public: Array, x: Array, y: Array, coins: Any) -> Predict:
    """Do so for a learner of linear functions on the unit ball."""
    radius = float(np.quantile(np.linalg.norm(public, axis=1), 0.75))

    def inside(points: Array) -> Array:
        ends = np.column_stack([points / radius, np.ones(len(points))]) / np.sqrt(2)
        return np.asarray(ends / np.maximum(1, np.linalg.norm(ends, axis=1, keepdims=True)))

    predict = own(learner, LinearBall(x.shape[1] + 1), inside(public), None, inside(x), y, coins)
    return lambda points: predict(inside(points))


def library(epsilon: float, public: Array, x: Array, y: Array, seed: int) -> Predict:
    """Return diffprivlib's linear regression."""
    from diffprivlib.models import LinearRegression as Private  # noqa: PLC0415  (in the benchmarks' environment alone)

    low = public.min(axis=0)
    high = np.maximum(public.max(axis=0), low + 1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library's own dependencies
        model = Private(epsilon=epsilon, bounds_X=(low, high), bounds_y=(-1, 1), random_state=seed)
        model.fit(np.clip(x, low, high), y)
    return lambda points: np.asarray(model.predict(np.clip(points, low, high)))


def plain(x: Array, y: Array) -> Predict:
    """Return least squares without privacy."""
    weights = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
    return lambda points: np.column_stack([points, np.ones(len(points))]) @ weights


def ridge(public: Array, known: Array) -> Predict:
    """Return the public ridge model, as the learner has it that starts there."""
    prepared = PublicRidgeRegression(1.0).prepare(public, Linear(public.shape[1]), known)
    return lambda points: prepared.metric.functions.values(prepared.rule[None], points)[0]


def learned(
    trial: int, public: Array, known: Array, x: Array, y: Array, *, with_library: bool
) -> Iterator[tuple[str, float | None, Callable[[], Predict]]]:
    """Yield method, epsilon and a function without arguments that learns."""
    yield NO_PRIVACY, None, partial(plain, x, y)
    yield PUBLIC_ALONE, None, partial(ridge, public, known)
    functions = Linear(x.shape[1])
    for place, epsilon in enumerate(EPSILONS):
        coins, seed = Simulation(37).spawn(trial, place), 1_000 * trial + 10 * place
        for method, learner, labels in (
            (UNLABELLED, PublicGramRegression(epsilon), None),
            (LABELLED, PublicRidgeRegression(epsilon), known),
        ):
            yield method, epsilon, partial(own, learner, functions, public, labels, x, y, coins.spawn(method))
        statistics = SufficientStatistics(epsilon, DELTA)
        yield STATISTICS, epsilon, partial(balled, statistics, public, x, y, coins.spawn(STATISTICS))
        for share in SHARES:
            for method, model in (
                (PERTURBED, PerturbedAverage(epsilon, DELTA, share * len(x), DRAWS)),
                (REGULARISED, Regularised(epsilon, DELTA, share * len(x))),
            ):
                yield (f"{method} {share:g}", epsilon, partial(balled, model, public, x, y, coins.spawn(method)))
        if with_library:
            yield LIBRARY, epsilon, partial(library, epsilon, public, x, y, seed)


def runs(sources: dict[str, Table], splits: int, *, with_library: bool = True) -> Iterator[dict[str, Any]]:
    """Yield R^2 of each method on each split of each table."""
    for place, (name, (features, responses, (bottom, top))) in enumerate(sources.items()):
        y = np.clip(2 * (responses - bottom) / (top - bottom) - 1, -1, 1)
        for trial in range(splits):
            order = np.random.default_rng([37, place, trial]).permutation(len(y))
            few_public = min(PUBLIC, len(y) // 5)
            many = few_public + min(len(y) // 4, HELD_OUT)
            spread = features[order[:few_public]].std(axis=0)
            scaled = (features - features[order[:few_public]].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
            scaled = np.clip(scaled, -REACH, REACH)
            public, held, private = order[:few_public], order[few_public:many], order[many : many + PRIVATE]
            variance = float(y[held].var())
            parts = scaled[public], y[public], scaled[private], y[private]
            for method, epsilon, learn in learned(trial, *parts, with_library=with_library):
                start = time.process_time()
                predict = learn()
                seconds = time.process_time() - start
                error = float(((np.clip(predict(scaled[held]), -1, 1) - y[held]) ** 2).mean())
                yield {
                    "table": name,
                    "features": features.shape[1],
                    "private": len(private),
                    "method": method,
                    "epsilon": epsilon,
                    "r2": 1 - error / variance,
                    "s": seconds,
                }
        print(f"{name}: {splits} splits", flush=True)


def summarised(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    """Return means and intervals; of both algorithms of BBD24 the best eta of each table and epsilon."""
    keys = ["table", "features", "private", "method", "epsilon"]
    losses = []
    for key, part in pd.DataFrame(rows).groupby(keys, sort=False, dropna=False):
        mean, low, high = interval(part["r2"].to_numpy())
        error = float(part["r2"].std(ddof=1) / np.sqrt(len(part)))
        shown = {"r2": mean, "low": low, "high": high, "standard_error": error, "seconds": part["s"].median()}
        losses.append(dict(zip(keys, key, strict=True)) | shown | {"splits": len(part)})
    summary = pd.DataFrame(losses)
    for method in HINDSIGHT:
        settings = summary[summary["method"].str.startswith(method)]
        best = settings.loc[settings.groupby(["table", "epsilon"])["r2"].idxmax()].assign(method=method)
        summary = pd.concat([summary.drop(settings.index), best], ignore_index=True)
    return summary


def draw(summary: pd.DataFrame, path: Path) -> None:
    """Draw a panel for each table: five curves, and two lines of what is not private."""
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(summary["table"]))
    figure, grid = plt.subplots(2, 3, figsize=(11, 6.8), layout="constrained")
    colours = dict(zip(CURVES, sns.color_palette(), strict=False))
    for axis, name in zip(grid.flat, names, strict=False):
        table = summary[summary["table"] == name]
        for method, marker in zip(CURVES, "os^Dv", strict=True):
            part = table[table["method"] == method].sort_values("epsilon")
            look = {"color": colours[method], "label": method, "linewidth": 2.0 if method in CURVES[:2] else 1.0}
            axis.plot(part["epsilon"], part["r2"], marker=marker, markersize=4, **look)
            axis.fill_between(part["epsilon"], part["low"], part["high"], color=colours[method], alpha=0.12)
        for method, style in zip(LINES, ("--", ":"), strict=True):
            axis.axhline(table[table["method"] == method]["r2"].iloc[0], color="black", linestyle=style, label=method)
        first = table.iloc[0]
        title = f"{name}\n{first['features']} features, {first['private']:,} private rows"
        axis.set(xscale="log", xlabel="epsilon", ylabel="held-out R²", title=title)
        axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        top = float(table["r2"].max())
        axis.set_ylim(-top, 1.15 * top)
    for axis in grid.flat[len(names) :]:
        axis.set_axis_off()
    handles, labels = grid.flat[0].get_legend_handles_labels()
    legend = "95 % bands over splits; below the axes: worse than\ntheir range shows"
    figure.legend(handles, labels, loc="center", bbox_to_anchor=(0.84, 0.26), fontsize=9, title=legend)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(splits: int = SPLITS) -> None:
    start = time.perf_counter()
    folder = ROOT / "results/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    summary = summarised(runs(real_tables(folder), splits))
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    tables.write(folder / "regression.parquet", RESULTS, rows)
    draw(summary, folder / "regression.png")
    shown = summary[["table", "method", "epsilon", "r2", "standard_error", "seconds"]]
    print(shown.to_string(float_format="%.3f"))
    print(f"written: results/benchmarks/regression.parquet and .png, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
