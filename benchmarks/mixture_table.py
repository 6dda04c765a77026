"""A_LearnHalf beside logistic regressions on a real table: results/benchmarks/mixture_table.{parquet,png}.

Wisconsin breast cancer, two features fixed in advance.  Malignant rows are private, benign ones public, as in BMN20
section 4: a status reveals the label.  What is protected differs, and the table says so:

- A_LearnHalf protects the features of a malignant row.  Benign rows, all labels and the numbers of rows are public
  (neighbours: the features of one private row replaced).
- diffprivlib's logistic regression protects features and label of every row, benign ones included; only the number of
  rows is public (neighbours: one row replaced).  It protects more, and pays for it.

All rows of the table are public in truth: this is a demonstration.  Bounds of the features are fixed in advance too.
Errors are means over random splits; intervals are of Student's t over the splits, 95 %.  Splits share their rows: the
intervals tell how far the split and the coins matter, not how far another population's error would be.
"""

import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from semipriv.classes.base import Hypothesis
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.papers.bmn20.learners.learn_half import LearnHalf

ROOT = Path(__file__).parent.parent
FEATURES = ("worst radius", "worst concave points")
LOW, HIGH = (0.0, 0.0), (40.0, 0.3)
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
SPLITS, DRAWS, HELD_OUT, SUBSET = 20, 10, 171, 100
STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""Inverse strengths C of the regularisation that diffprivlib may choose from; 1 is its default."""
RANGES = ((0.0, 1.0), (-1.0, 1.0))
"""Ranges to which features may be scaled for it; rows of both have norms up to sqrt(2)."""
SEED = 20

MALIGNANT = "features of malignant rows"
ROWS = "features and labels of all rows"
NOTHING = "nothing"

LEARN_HALF = f"A_LearnHalf, from {SUBSET} public points"
LIBRARY = "diffprivlib logistic regression"
DEFAULT = "[0, 1], C = 1"
HINDSIGHT = f"{LIBRARY}, best setting in hindsight"

RESULTS = Schema(
    "mixture_table",
    "test errors on breast cancer data, malignant rows private: means over random splits, 95 % intervals",
    (
        Column("method", pa.string(), "learner"),
        Column("protects", pa.string(), "what neighbouring tables differ in"),
        Column("epsilon", pa.float64(), "privacy parameter; null: not private"),
        Column("setting", pa.string(), "range of the scaled features and regularisation, where there is a choice"),
        Column("error", pa.float64(), "share of held-out rows that are misclassified"),
        Column("low", pa.float64(), "lower end of its interval"),
        Column("high", pa.float64(), "upper end of its interval"),
        Column("missed", pa.float64(), "share of held-out malignant rows that are called benign"),
        Column("missed_low", pa.float64(), "lower end of its interval"),
        Column("missed_high", pa.float64(), "upper end of its interval"),
        Column("splits", pa.int64(), "random splits"),
        Column("draws", pa.int64(), "runs on each split; 1 without coins"),
    ),
)

Points = np.ndarray
Predict = Callable[[Points], np.ndarray]
Found = tuple[str, str, float | None, str, Predict]
"""Method, what it protects, epsilon, setting, and what it learned."""


def table() -> tuple[Points, np.ndarray]:
    """Return features (569, 2) and labels, 1 for malignant."""
    data_set = load_breast_cancer()
    columns = [list(data_set.feature_names).index(name) for name in FEATURES]
    return data_set.data[:, columns], (data_set.target == 0).astype(np.int8)


def scaled(x: Points, low: float = 0.0, high: float = 1.0) -> Points:
    """Return features mapped to [low, high] from the bounds fixed in advance, and clipped to them."""
    least, most = np.array(LOW), np.array(HIGH)
    return low + (np.clip(x, least, most) - least) / (most - least) * (high - low)


def learn_half(x: Points, y: np.ndarray, randomness: Simulation, draws: int, subset: int) -> Iterator[Found]:
    """Run A_LearnHalf with the benign rows public and the malignant ones private."""
    grid, seed = {"low": list(LOW), "high": list(HIGH)}, int(randomness.spawn("subset").generator.integers(2**31))
    learners = [LearnHalf(e, grid=grid, subset=subset, subset_seed=seed) for e in EPSILONS]
    prepared = learners[0].prepare(x[y == 0], Halfspaces(2), y[y == 0])
    for learner in learners:
        for draw in range(draws):
            coins = randomness.spawn("learn half", str(learner.epsilon), draw)
            chosen = learner.release(prepared, x[y == 1], y[y == 1], coins).output
            yield LEARN_HALF, MALIGNANT, learner.epsilon, "", chosen.predict


def private_logistic(x: Points, y: np.ndarray, randomness: Simulation, draws: int) -> Iterator[Found]:
    """Run diffprivlib's logistic regression, with the norm that the bounds fixed in advance allow."""
    from diffprivlib.models import LogisticRegression as Private  # noqa: PLC0415  (in the benchmarks' environment alone)

    for epsilon, strength, (low, high), draw in itertools.product(EPSILONS, STRENGTHS, RANGES, range(draws)):
        setting = f"[{low:g}, {high:g}], C = {strength:g}"
        seed = int(randomness.spawn("diffprivlib", str(epsilon), setting, draw).generator.integers(2**31))
        model = Private(epsilon=epsilon, data_norm=math.sqrt(2), C=strength, max_iter=1_000, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the library's own dependencies
            model.fit(scaled(x, low, high), y)
        yield LIBRARY, ROWS, epsilon, setting, of_scaled(model, low, high)


def of_scaled(model: Any, low: float = 0.0, high: float = 1.0) -> Predict:
    return lambda points: model.predict(scaled(points, low, high)) == 1


def without_privacy(x: Points, y: np.ndarray) -> Iterator[Found]:
    """Return what can be reached without protection, and without learning."""
    logistic = LogisticRegression(C=1e4, max_iter=10_000).fit(scaled(x), y)
    yield "logistic regression", NOTHING, None, "C = 10000", of_scaled(logistic)
    best = Hypothesis(Halfspaces(2), Halfspaces(2).minimise(scaled(x), y).parameters)
    yield "best halfspace on the training rows", NOTHING, None, "", lambda points: best.predict(scaled(points))
    yield "always malignant", "everything", None, "", lambda points: np.ones(len(points), bool)
    yield "always benign", "everything", None, "", lambda points: np.zeros(len(points), bool)


def runs(
    splits: int = SPLITS, draws: int = DRAWS, subset: int = SUBSET, *, library: bool = True
) -> Iterator[dict[str, object]]:
    """Return one row for every run on every split."""
    x, y = table()
    for split in range(splits):
        randomness = Simulation(SEED).spawn("split", split)
        order = randomness.generator.permutation(len(x))
        held, kept = order[:HELD_OUT], order[HELD_OUT:]
        losses = [*without_privacy(x[kept], y[kept]), *learn_half(x[kept], y[kept], randomness, draws, subset)]
        if library:
            losses += private_logistic(x[kept], y[kept], randomness, draws)
        for method, protects, epsilon, setting, predict in losses:
            wrong = predict(x[held]) != (y[held] == 1)
            yield {
                "method": method,
                "protects": protects,
                "epsilon": epsilon,
                "setting": setting,
                "split": split,
                "error": wrong.mean(),
                "missed": wrong[y[held] == 1].mean(),
            }


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of independent values with a 95 % interval of Student's t; for one value only the mean."""
    mean = float(values.mean())
    if len(values) < 2:
        return mean, mean, mean
    half = float(student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
    return mean, mean - half, mean + half


def summarised(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over the splits of the means over the runs of a split: one row a method, epsilon and setting."""
    listed = []
    for (method, protects, epsilon, setting), group in rows.groupby(
        ["method", "protects", "epsilon", "setting"], dropna=False, sort=False
    ):
        by_split = group.groupby("split")[["error", "missed"]].mean()
        error, low, high = interval(by_split["error"].to_numpy())
        missed, missed_low, missed_high = interval(by_split["missed"].to_numpy())
        listed.append(
            {
                "method": method,
                "protects": protects,
                "epsilon": epsilon,
                "setting": setting,
                "error": error,
                "low": low,
                "high": high,
                "missed": missed,
                "missed_low": missed_low,
                "missed_high": missed_high,
                "splits": len(by_split),
                "draws": len(group) // len(by_split),
            }
        )
    return pd.DataFrame(listed)


def with_hindsight(summary: pd.DataFrame) -> pd.DataFrame:
    """Return once more, at each epsilon, the setting of diffprivlib that has the least test error.

    A choice on private data cannot be better: it bounds what tuning could give.
    """
    library = summary[summary["method"] == LIBRARY]
    best = summary.loc[library.groupby("epsilon")["error"].idxmin()].assign(method=HINDSIGHT)
    return pd.concat([summary, best], ignore_index=True)


def draw(summary: pd.DataFrame, path: Path) -> None:
    """Draw errors and missed malignant rows against epsilon."""
    sns.set_theme(style="whitegrid", context="paper")
    shown = summary[(summary["method"] != LIBRARY) | (summary["setting"] == DEFAULT)]
    private, other = shown[shown["epsilon"].notna()], shown[shown["epsilon"].isna()]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True, layout="constrained")
    columns = (("error", "low", "high"), ("missed", "missed_low", "missed_high"))
    titles = ("misclassified, of all held-out rows", "called benign, of the malignant held-out rows")
    palette = sns.color_palette("colorblind")
    for axis, (value, low, high), title in zip(axes, columns, titles, strict=True):
        for i, (name, rows) in enumerate(private.groupby("method", sort=False)):
            ends = np.abs(rows[[low, high]].to_numpy().T - rows[value].to_numpy())
            axis.errorbar(
                rows["epsilon"] * 1.06 ** (i - 1),  # apart, so that intervals can be told from each other
                rows[value],
                yerr=ends,
                label=f"{name}{', ' + DEFAULT if name == LIBRARY else ''}\n(protects {rows['protects'].iloc[0]})",
                color=palette[i],
                marker="os^D"[i],
                capsize=3,
            )
        for i, (name, rows) in enumerate(other.groupby("method", sort=False)):
            label = f"{name} (protects {rows['protects'].iloc[0]})"
            axis.axhline(rows[value].iloc[0], color="0.35", linestyle=("-", "--", ":", "-.")[i], label=label, lw=1.2)
        axis.set(xscale="log", xlabel="epsilon", title=title, ylim=(-0.02, None))
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write(summary: pd.DataFrame, folder: Path) -> None:
    """Write the table and the figure."""
    rows = summary.astype({"epsilon": object}).where(summary.notna(), None).to_dict("records")
    tables.write(folder / "mixture_table.parquet", RESULTS, rows)
    draw(summary, folder / "mixture_table.png")


def main() -> None:
    start = time.perf_counter()
    summary = summarised(pd.DataFrame(runs()))
    print(summary[["method", "epsilon", "setting", "error", "low", "high", "missed"]].to_string(float_format="%.3f"))
    write(with_hindsight(summary), ROOT / "results/benchmarks")
    print(f"written: results/benchmarks/mixture_table.parquet and .png, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
