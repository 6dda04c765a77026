"""Linear rules of 8 to 54 features on real tables, side by side: results/benchmarks/many_features.{parquet,png}.

Each split of a table has 200 public rows (a fifth of the table at most), held-out rows (a quarter, 3,000 at most) and
private rows, 8,000 at most.  Of the panel of wages people are split, and a row is a year of a person.  The public rows
are of the population of the others (good), or only of the half of it at or above the median of one column (half): age,
of wages the years of schooling, of tumours the radius, of digits the ink.  Everybody gets features centred and scaled
by the public rows and clipped at 4 standard deviations, and protects features and label of a private row against its
replacement:

- the public-metric discriminant, whose settings took no look at any table; pure, and at delta = 1e-6;
- the public-model discriminant, which gets the labels of the public rows and does not know that populations match;
- A_SSPP with permute-and-flip on stumps of single features, from at most 40 of the public rows;
- diffprivlib's logistic regression with its default C = 1, and with the C that is best in hindsight at each epsilon,
  which nobody could choose privately; data_norm is the 75 % quantile of the public norms, longer rows are shortened;
- the rest of what classifies in diffprivlib, with its defaults and the bounds of the clipped features: Gaussian naive
  Bayes and a forest of ten random trees; and DP-EBM of InterpretML, delta = 1e-6, with these bounds.  They count a row
  that is added or removed, and get the whole epsilon nevertheless, in their favour;
- clipped noisy gradient descent, 30 steps, mean of the later half, accounted by zCDP at delta = 1e-6: a weaker promise.

Beside them logistic regressions on the public rows *with labels*, which the others do not get, and without privacy.
All rows are public in truth: these are simulations.  Intervals are of Student's t over random splits, 95 %; splits
share their rows.
"""

import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
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
from sklearn.linear_model import LogisticRegression

from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated
from semipriv_lab.workflow.write_table import write_table

ROOT = Path(__file__).parent.parent
EPSILONS = (0.1, 0.3, 1.0, 3.0)
STRENGTHS = (0.01, 0.1, 1.0)
SPLITS, PUBLIC, HELD_OUT, PRIVATE, COVER = 12, 200, 3_000, 8_000, 40
STEPS, DELTA = 30, 1e-6
REACH = 4.0

DISCRIMINANT = "public-metric discriminant"
GAUSSIAN = "public-metric discriminant, delta = 1e-6"
MODELLED = "public-model discriminant, labelled public rows"
STUMPS = "A_SSPP, stumps"
LIBRARY = "diffprivlib, C = 1"
HINDSIGHT = "diffprivlib, best C in hindsight"
NAIVE = "diffprivlib, naive Bayes"
FOREST = "diffprivlib, random forest"
BOOSTING = "DP-EBM (InterpretML), delta = 1e-6"
DESCENT = "noisy gradient descent, delta = 1e-6"
LABELLED = "labelled public rows alone"
NO_PRIVACY = "no privacy"
KINDS = ("good", "half")
CURVES = (DISCRIMINANT, MODELLED, STUMPS, HINDSIGHT, BOOSTING, DESCENT)
LINES = (LABELLED, NO_PRIVACY)

RESULTS = Schema(
    "many_features",
    "held-out errors of linear rules of many features, on the same splits of real tables",
    (
        Column("table", pa.string(), "the table and its label"),
        Column("kind", pa.string(), "good: public rows of the same population; half: of one half of it"),
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
Array = NDArray[Any]
Predict = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Table:
    """Features (n, d), labels (n,), and whose row it is (n,): the rows of one person come into one part of a split.

    by (n,): what says in which half of the population a row is, if halves are asked for; equal in all rows of a person.
    """

    features: Array
    labels: Array
    people: Array | None = None
    by: Array | None = None

    def split(self, generator: np.random.Generator, kind: str = "good") -> tuple[Array, Array, Array]:
        """Return the places of public, held-out and private rows."""
        people = np.arange(len(self.labels)) if self.people is None else self.people
        names, first, owner = np.unique(people, return_index=True, return_inverse=True)
        place = np.argsort(generator.permutation(len(names)))
        if (
            kind == "half"
        ):  # people of the upper half whose places are among the first of that half are the first of all
            upper = self.by[first] >= np.median(self.by[first])
            many = int(min(PUBLIC, len(owner) // 5) / len(owner) * len(names)) + 1
            public = np.flatnonzero(upper)[np.argsort(place[upper])[:many]]
            place[public] -= len(names)
        order = np.argsort(place[owner], kind="stable")
        owners = owner[order]

        def cut(place: int) -> int:
            """Return the first place from here on at which the rows of a person begin."""
            while 0 < place < len(owners) and owners[place] == owners[place - 1]:
                place += 1
            return place

        public_owners = cut(min(PUBLIC, len(owners) // 5))
        many = cut(public_owners + min(len(owners) // 4, HELD_OUT))
        return order[:public_owners], order[public_owners:many], order[many : many + PRIVATE]


def packaged(name: str) -> pd.DataFrame:
    """Return a table of linearmodels, whose modules need not be imported for it."""
    package = find_spec("linearmodels")
    (folder,) = (package and package.submodule_search_locations) or [""]
    return pd.read_csv(Path(folder, "datasets", name, f"{name}.csv.bz2"))


def real_tables(folder: Path) -> dict[str, Table]:
    """Return each table by name."""
    from sklearn.datasets import load_breast_cancer, load_digits  # noqa: PLC0415
    from statsmodels.datasets import fair  # noqa: PLC0415

    breast, digits, survey = load_breast_cancer(), load_digits(), fair.load_pandas().data
    ill, paid = packaged("meps"), packaged("wage_panel")
    wages = pd.get_dummies(paid.drop(columns=["nr", "lwage"]), columns=["occupation"], drop_first=True)
    known_ink = digits.data[:, digits.data.std(axis=0) > 0.3]
    write_table("randhie", folder / "randhie.parquet")
    people = tables.read_all(folder / "randhie.parquet").to_pandas()
    visits = ["many_visits", "few_visits", "unwell", "child"]
    dollars = ["drugdol", "suppdol"]
    known = people.drop(columns=visits)
    return {
        "breast cancer: malignant": Table(breast.data, (breast.target == 0).astype(int), by=breast.data[:, 0]),
        "digits: odd": Table(known_ink, digits.target % 2, by=digits.data.sum(axis=1)),
        "fair: any affair": _table(survey.drop(columns="affairs"), survey["affairs"] > 0, "age"),
        "RAND: at most one visit": _table(known.drop(columns=dollars), people["few_visits"], "xage"),
        "RAND: three visits, dollars": _table(known, people["many_visits"], "xage"),
        "meps: two chronic conditions": _table(ill.drop(columns=["totchr", "ldrugexp"]), ill["totchr"] >= 2, "age"),
        "wage panel: above the median": _table(wages, paid["lwage"] > paid["lwage"].median(), "educ", paid["nr"]),
    }


def _table(features: pd.DataFrame, labels: pd.Series, by: str, people: pd.Series | None = None) -> Table:
    """Return a table of numbers, whose halves are by a column; what is missing is 0."""
    owners, numbers = None if people is None else people.to_numpy(), features.fillna(0.0)
    return Table(numbers.to_numpy(float), labels.to_numpy(int), owners, numbers[by].to_numpy(float))


# ---------------------------------------------------------------------------------------------------- learners
def own(learner: Any, functions: Any, rows: Any, x: Array, y: Array, coins: Simulation) -> Predict:
    """Return what a learner of this package releases.  rows: public points, and their labels or None."""
    output: Any = learner.release(learner.prepare(rows[0], functions, rows[1]), x, y, coins).output
    return lambda points: output.predict(points).astype(int)


def library(epsilon: float, strength: float, public: Array, x: Array, y: Array, seed: int) -> Predict:
    """Return diffprivlib's logistic regression."""
    from diffprivlib.models import LogisticRegression as Private  # noqa: PLC0415  (in the benchmarks' environment alone)

    bound = float(np.quantile(np.linalg.norm(public, axis=1), 0.75))
    short = x * np.minimum(1, bound * (1 - 1e-9) / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library's own dependencies
        model = Private(epsilon=epsilon, data_norm=bound, C=strength, max_iter=200, random_state=seed).fit(short, y)
    return lambda points: np.asarray(model.predict(points))


def others(name: str, epsilon: float, x: Array, y: Array, seed: int) -> Predict:
    """Return naive Bayes or a forest by diffprivlib, or boosted curves of single features by InterpretML."""
    from diffprivlib.models import GaussianNB, RandomForestClassifier  # noqa: PLC0415
    from interpret.privacy import DPExplainableBoostingClassifier as Boosting  # noqa: PLC0415

    low, high, same = np.full(x.shape[1], -REACH), np.full(x.shape[1], REACH), {"random_state": seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == NAIVE:
            model = GaussianNB(epsilon=epsilon, bounds=(low, high), **same)
        elif name == FOREST:
            model = RandomForestClassifier(epsilon=epsilon, bounds=(low, high), classes=[0, 1], n_jobs=1, **same)
        else:
            kinds = {"feature_types": ["continuous"] * x.shape[1], "privacy_bounds": np.column_stack([low, high])}
            model = Boosting(epsilon=epsilon, delta=DELTA, n_jobs=1, **kinds, **same)
        model.fit(x, y)
    return lambda points: np.asarray(model.predict(points)).astype(int)


def descent(epsilon: float, x: Array, y: Array, seed: int) -> Predict:
    """Return the mean of the later half of the steps; a replaced row moves a sum of clipped gradients by 2."""
    coins, z = np.random.default_rng(seed), np.column_stack([x, np.ones(len(x))])
    sigma = 2 / np.sqrt(2 * float(ZeroConcentrated.within(Guarantee(epsilon, DELTA)).rho) / STEPS)
    weights, mean = np.zeros(z.shape[1]), np.zeros(z.shape[1])
    for step in range(STEPS):
        g = (1 / (1 + np.exp(-np.clip(z @ weights, -30, 30))) - y)[:, None] * z
        g *= np.minimum(1, 1 / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-12))
        weights = weights - (g.sum(axis=0) + coins.normal(0, sigma, len(weights))) / len(z)
        mean += weights * (step >= STEPS // 2)
    return lambda points: (np.column_stack([points, np.ones(len(points))]) @ mean >= 0).astype(int)


def plain(x: Array, y: Array) -> Predict:
    """Return a logistic regression without privacy; of one class only, that class."""
    if len(np.unique(y)) < 2:
        return lambda points: np.full(len(points), y[0])
    model = LogisticRegression(max_iter=500).fit(x, y)
    return lambda points: np.asarray(model.predict(points))


def learned(
    trial: int, public: Array, known: Array, x: Array, y: Array, *, with_library: bool
) -> Iterator[tuple[str, float | None, Callable[[], Predict]]]:
    """Yield method, epsilon and a function without arguments that learns."""
    yield NO_PRIVACY, None, partial(plain, x, y)
    yield LABELLED, None, partial(plain, public, known)
    d = x.shape[1]
    for place, epsilon in enumerate(EPSILONS):
        coins, seed = Simulation(31).spawn(trial, place), 1_000 * trial + 10 * place
        stumps = SSPP(epsilon, "permute_and_flip")
        unlabelled, labelled = (public, None), (public, known)
        for method, learner, functions, rows in (
            (DISCRIMINANT, PublicMetricDiscriminant(epsilon), Halfspaces(d), unlabelled),
            (GAUSSIAN, PublicMetricDiscriminant(epsilon, DELTA), Halfspaces(d), unlabelled),
            (MODELLED, PublicModelDiscriminant(epsilon), Halfspaces(d), labelled),
            (STUMPS, stumps, DecisionStumps(d), (public[:COVER], None)),
        ):
            yield method, epsilon, partial(own, learner, functions, rows, x, y, coins.spawn(method))
        yield DESCENT, epsilon, partial(descent, epsilon, x, y, seed)
        for strength in STRENGTHS if with_library else ():
            yield f"C = {strength:g}", epsilon, partial(library, epsilon, strength, public, x, y, seed)
        for method in (NAIVE, FOREST, BOOSTING) if with_library else ():
            yield method, epsilon, partial(others, method, epsilon, x, y, seed)


def runs(sources: dict[str, Table], splits: int, *, with_library: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the error of each method on each split of each table, with public rows of both kinds."""
    for place, (name, table) in enumerate(sources.items()):
        features, labels = table.features, table.labels
        for kind, trial in itertools.product(KINDS, range(splits)):
            public, held, private = table.split(np.random.default_rng([31, place, trial]), kind)
            spread = features[public].std(axis=0)
            scaled = (features - features[public].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
            scaled = np.clip(scaled, -REACH, REACH)
            parts = scaled[public], labels[public], scaled[private], labels[private]
            for method, epsilon, learn in learned(trial, *parts, with_library=with_library):
                start = time.process_time()
                predict = learn()
                seconds = time.process_time() - start
                yield {
                    "table": name,
                    "kind": kind,
                    "features": features.shape[1],
                    "private": len(private),
                    "method": method,
                    "epsilon": epsilon,
                    "error": float((predict(scaled[held]) != labels[held]).mean()),
                    "s": seconds,
                }
        print(f"{name}: {splits} splits", flush=True)


def summarised(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    """Return means and intervals; of the library the default and the best C of each table, kind and epsilon."""
    every = pd.DataFrame(rows)
    keys = [key for key in ("table", "kind", "features", "private", "method", "epsilon") if key in every]
    losses = []
    for key, part in every.groupby(keys, sort=False, dropna=False):
        mean, low, high = interval(part["error"].to_numpy())
        error = float(part["error"].std(ddof=1) / np.sqrt(len(part)))
        numbers = {"error": mean, "low": low, "high": high, "standard_error": error, "seconds": part["s"].median()}
        losses.append(dict(zip(keys, key, strict=True)) | numbers | {"splits": len(part)})
    summary = pd.DataFrame(losses)
    settings = summary[summary["method"].str.startswith("C = ")]
    cell = [key for key in ("table", "kind", "epsilon") if key in every]
    best = settings.loc[settings.groupby(cell)["error"].idxmin()].assign(method=HINDSIGHT)
    default = settings[settings["method"] == "C = 1"].assign(method=LIBRARY)
    return pd.concat([summary.drop(settings.index), default, best], ignore_index=True)


def draw(summary: pd.DataFrame, path: Path) -> None:
    """Draw a panel for each table, public rows of the same population: curves, and two lines of what is not private."""
    summary = summary[summary["kind"] == "good"]
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(summary["table"]))
    columns = 4
    height = -(-(len(names) + 1) // columns)  # one panel more holds the legend
    size = (3.4 * columns, 3.4 * height)
    figure, grid = plt.subplots(height, columns, figsize=size, layout="constrained", squeeze=False)
    colours = dict(zip(CURVES, sns.color_palette(), strict=False))
    for axis, name in zip(grid.flat, names, strict=False):
        table = summary[summary["table"] == name]
        for method, marker in zip(CURVES, "os^DvP", strict=True):
            part = table[table["method"] == method].sort_values("epsilon")
            look = {"color": colours[method], "label": method, "linewidth": 2.0 if method == DISCRIMINANT else 1.0}
            axis.plot(part["epsilon"], part["error"], marker=marker, markersize=4, **look)
            axis.fill_between(part["epsilon"], part["low"], part["high"], color=colours[method], alpha=0.12)
        for method, style in zip(LINES, ("--", ":"), strict=True):
            axis.axhline(
                table[table["method"] == method]["error"].iloc[0], color="black", linestyle=style, label=method
            )
        first = table.iloc[0]
        title = f"{name}\n{first['features']} features, {first['private']:,} private rows"
        axis.set(xscale="log", xlabel="epsilon", ylabel="held-out error", title=title)
        axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        axis.set_ylim(0.85 * table["error"].min(), 0.5)
    for axis in grid.flat[len(names) :]:
        axis.set_axis_off()
    handles, labels = grid.flat[0].get_legend_handles_labels()
    grid.flat[-1].legend(handles, labels, loc="center", fontsize=9, title="95 % bands over splits")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(*given: str) -> None:
    """given: numbers of splits and names of tables, or their beginnings; results of other tables stay."""
    start, path = time.perf_counter(), ROOT / "results/benchmarks/many_features.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    splits = next((int(text) for text in given if text.isdigit()), SPLITS)
    names = tuple(text for text in given if not text.isdigit()) or ("",)
    chosen = {name: table for name, table in real_tables(path.parent).items() if name.startswith(names)}
    summary = summarised(runs(chosen, splits))
    if path.exists():
        kept = tables.read(path, RESULTS).to_pandas()
        summary = pd.concat([kept[~kept["table"].isin(chosen)], summary], ignore_index=True)
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    tables.write(path, RESULTS, rows)
    draw(summary, path.with_suffix(".png"))
    shown = summary[["table", "kind", "method", "epsilon", "error", "standard_error", "seconds"]]
    print(shown.to_string(float_format="%.3f"))
    print(f"written: results/benchmarks/many_features.parquet and .png, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
