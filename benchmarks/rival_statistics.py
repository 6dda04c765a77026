"""Statistics by group beside those of other libraries: results/benchmarks/rival_statistics.{parquet,png}.

    make rival-statistics

Six statistics in one request: counts by a, by b and by both, means of v by a and by b, medians of w by a.  Errors are
means over groups that have a row: of counts in rows, of means in standard deviations of v, of medians in rank.  That
is how far from 1/2 the nearest rank is that the number has in its group; numbers nearer than 2^-16 of the range count
as equal.  All protect a row against its replacement; epsilon is of all six together.

- ``StatisticsRelease`` with its defaults, without public rows, with 200 of the same population, and with 200 that are
  drawn with weights which grow with v and a.  "noise" are values to which noise alone was added, "leaning" the shrunk
  ones beside them.
- OpenDP (Polars queries) and diffprivlib count a row that is added or removed.  Two such steps replace one, so they get
  epsilon / 2, and each statistic a sixth of it.  Their groups are public if they have a row, and diffprivlib's mean
  takes the size of a group as public: both favour them.  Their means are clipped to the declared range.
- "equal split": Laplace noise, a sixth of epsilon each, means as a noisy sum over a noisy count, medians by the
  exponential mechanism on 65 candidates; clipped to the declared range, or to what 200 public rows of the same
  population have between their 1 % and 99 % quantiles.
- Public rows alone stand beside them.

The second table, results/benchmarks/statistics_parts.parquet, is what each part brings to counts and means at epsilon
1, with the ends that public rows suggest: ``PARTS``.

Tables: RAND and Fair's survey of statsmodels, and meps of linearmodels.  All rows are public in truth: these are
simulations.  Each draw splits a table anew.  Tables, numbers of rows, epsilons and public rows were chosen before any
result was seen.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
from matplotlib.ticker import NullFormatter

from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column as Field
from semipriv.core.tables import Schema
from semipriv.learners.outputs.report import KINDS, Report
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.leaning import Leaning
from semipriv.learners.statistics.measure import measured, values
from semipriv.learners.statistics.noises import Measure, noise_alone, noise_of
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import UNITS, Number, ReportSchema

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv-statistics/bin/python"
EPSILONS, PUBLIC, DRAWS, CANDIDATES = (0.1, 1.0, 10.0), 200, 6, 65
SIZES = {"RAND": (500, 8_000), "fair": (500, 5_000), "meps": (500, 8_000)}
"""Private rows: 500, and 8,000 or what the table has."""
ASKED = (
    Asked("count", None, ("a",)),
    Asked("count", None, ("b",)),
    Asked("count", None, ("a", "b")),
    Asked("mean", "v", ("a",)),
    Asked("mean", "v", ("b",)),
    Asked("quantiles", "w", ("a",), (0.5,)),
)
NAMES = ("count a", "count b", "count a b", "mean a", "mean b", "median a")
OURS, GOOD, BIASED = "semipriv, no public rows", "semipriv, 200 public rows", "semipriv, 200 biased public rows"
OTHERS = {"opendp": "OpenDP", "diffprivlib": "diffprivlib"}
EQUAL, INFORMED = "equal split", "equal split, ends of public rows"
ALONE, ALONE_BIASED = "public rows alone", "biased public rows alone"
PARTS = (
    "sum and count, equal parts",
    "two ends, equal parts",
    "and least squares over all tables",
    "and allocation of the budget",
    "and shrinkage towards other groups",
    "and towards public rows",
)

RESULTS = Schema(
    "rival_statistics",
    "errors of statistics by group, beside other libraries, on the same rows",
    (
        Field("table", pa.string(), "the table"),
        Field("private", pa.int64(), "number of private rows"),
        Field("epsilon", pa.float64(), "of all statistics, for replacing a row; null: nothing private is read"),
        Field("method", pa.string(), "what released the statistics"),
        Field("kind", pa.string(), "noise alone, or leaning on public rows and other groups"),
        Field("statistic", pa.string(), "the statistic and its groups"),
        Field("error", pa.float64(), "mean absolute error: rows, standard deviations, or rank"),
        Field("half", pa.float64(), "two standard errors of it, over draws"),
        Field("draws", pa.int64(), "number of draws"),
    ),
)
Rows = dict[str, Any]
"""Codes a and b, and numbers v and w, each (n,)."""
Numbers = dict[str, Any]
"""By statistic: a number for each group."""


@dataclass(frozen=True, eq=False)
class Real:
    """A table: its rows, the sizes of a and b, and the declared ranges of v and w."""

    rows: Rows
    sizes: tuple[int, int]
    ranges: dict[str, tuple[float, float]]

    @property
    def schema(self) -> ReportSchema:
        """The columns, as they are declared."""
        numbers = [Number(name, *self.ranges[name]) for name in "vw"]
        return ReportSchema([Column("a", range(self.sizes[0])), Column("b", range(self.sizes[1])), *numbers])

    def points(self, rows: Rows) -> Any:
        """Return rows (n, 4) in the schema's coordinates."""
        places = [(rows[name] - low) / (high - low) for name, (low, high) in self.ranges.items()]
        return np.column_stack([rows["a"], rows["b"], *(np.clip(values, 0, 1) for values in places)])

    def groups(self, name: str) -> tuple[list[str], list[int]]:
        """Return the columns and the sizes of the groups of a statistic."""
        by = name.split()[1:]
        return by, [self.sizes["ab".index(column)] for column in by]


# ------------------------------------------------------------------------------------------------------------- tables
def banded(values: Any, *cuts: float) -> Any:
    """Return the band of each value: how many cuts are <= it."""
    return np.searchsorted(np.array(cuts), np.asarray(values, float), "right")


def rand() -> Real:
    """Return the RAND table: visits and diseases, by health and deductible plan, and by coinsurance."""
    from statsmodels.datasets import randhie  # noqa: PLC0415

    frame = randhie.load_pandas().data
    a = banded(frame["lncoins"], 0.1, 3.3, 4.0, 4.6)
    b = (frame[["hlthg", "hlthf", "hlthp"]].to_numpy() @ np.arange(1, 4) * 2 + frame["idp"].to_numpy()).astype(int)
    rows = {"a": a, "b": b, "v": frame["mdvis"].to_numpy(float), "w": frame["disea"].to_numpy(float)}
    return Real(rows, (5, 8), {"v": (0.0, 100.0), "w": (0.0, 60.0)})


def fair() -> Real:
    """Return Fair's survey: time of affairs and years married, by rating and by occupation."""
    from statsmodels.datasets import fair as survey  # noqa: PLC0415

    frame = survey.load_pandas().data
    a, b = (frame[name].to_numpy().astype(int) - 1 for name in ("rate_marriage", "occupation"))
    rows = {"a": a, "b": b, "v": frame["affairs"].to_numpy(float), "w": frame["yrs_married"].to_numpy(float)}
    return Real(rows, (5, 6), {"v": (0.0, 60.0), "w": (0.0, 25.0)})


def meps() -> Real:
    """Return the table of drug expenditure: dollars and age, by chronic conditions and by education."""
    (path,) = PYTHON.parent.parent.glob("lib/*/site-packages/linearmodels/datasets/meps/meps.csv.bz2")
    frame = pd.read_csv(path)
    a, b = np.minimum(frame["totchr"].to_numpy(int), 7), np.minimum(frame["educyr"].to_numpy(int), 17)
    rows = {"a": a, "b": b, "v": frame["drugexp"].to_numpy(float), "w": frame["age"].to_numpy(float)}
    return Real(rows, (8, 18), {"v": (0.0, 20_000.0), "w": (60.0, 100.0)})


TABLES = {"RAND": rand, "fair": fair, "meps": meps}


def drawn(real: Real, n: int, t: int) -> tuple[Rows, Rows, Rows]:
    """Return private rows, public rows of the same population, and biased ones: of the rest of the table."""
    rng = np.random.default_rng([n, t])
    order = rng.permutation(len(real.rows["a"]))
    rest = order[n:]
    rank = np.argsort(np.argsort(real.rows["v"][rest], kind="stable"), kind="stable") / len(rest)
    weights = (0.05 + rank) ** 2 * (1 + real.rows["a"][rest])
    biased = rng.choice(rest, PUBLIC, replace=False, p=weights / weights.sum())
    return tuple({k: rows[i] for k, rows in real.rows.items()} for i in (order[:n], rest[:PUBLIC], biased))  # type: ignore[return-value]


# ------------------------------------------------------------------------------------------------------------- errors
def exact(real: Real, rows: Rows) -> Numbers:
    """Return counts and means by group (NaN for none), and of medians the sorted numbers of each group."""
    answers: Numbers = {}
    for name in NAMES:
        by, sizes = real.groups(name)
        cell, groups = np.ravel_multi_index([rows[column] for column in by], sizes), int(np.prod(sizes))
        counts = np.bincount(cell, minlength=groups).astype(float)
        if name.startswith("count"):
            answers[name] = counts
        elif name.startswith("mean"):
            sums = np.bincount(cell, rows["v"], groups)
            answers[name] = np.divide(sums, counts, out=np.full(groups, np.nan), where=counts > 0)
        else:
            answers[name] = [np.sort(rows["w"][cell == g]) for g in range(groups)]
    return answers


def error(name: str, answer: Any, truth: Any, sd: float, near: float = 0.0) -> float:
    """Return the mean absolute error over groups that have a row; of counts over all groups.

    near: numbers of a median's group that are so near to it count as equal to it.
    """
    if name.startswith("median"):
        below = [
            np.searchsorted(values, v - near, "left") / max(len(values), 1)
            for values, v in zip(truth, answer, strict=True)
        ]
        upto = [
            np.searchsorted(values, v + near, "right") / max(len(values), 1)
            for values, v in zip(truth, answer, strict=True)
        ]
        some = np.array([len(values) > 0 for values in truth])
        return float(np.maximum(np.maximum(np.array(below) - 0.5, 0.5 - np.array(upto)), 0)[some].mean())
    away = np.abs(np.asarray(answer) - truth)
    if name.startswith("count"):
        return float(np.nan_to_num(away).mean())
    return float(away[~np.isnan(truth)].mean() / sd)


# ------------------------------------------------------------------------------------------------------------ methods
def ours(real: Real, private: Rows, public: Rows | None, epsilon: float, seed: int) -> dict[str, Numbers]:
    """Return what ``StatisticsRelease`` reports, by kind; what is not told counts as the middle of the range."""
    learner, schema = StatisticsRelease(epsilon, 0.0, statistics=ASKED), real.schema
    prepared = learner.prepare(np.empty((0, 4)) if public is None else real.points(public), schema)
    report = learner.release(prepared, real.points(private), Simulation(23).spawn(seed)).output
    answers_of = {"noise": read(report, KINDS[0]), "leaning": read(report, *KINDS[1:])}
    return {
        kind: {name: within(real, name, answer) for name, answer in answers.items()}
        for kind, answers in answers_of.items()
    }


def read(report: Report, *kinds: str) -> Numbers:
    """Return the numbers of some kinds of a report."""
    answers = {}
    for place, name in enumerate(NAMES):
        own = (report.place == place) & np.isin(report.kinds, [KINDS.index(kind) for kind in kinds])
        if own.any():
            answers[name] = report.values[own]
    return answers


def equal(real: Real, private: Rows, public: Rows | None, epsilon: float, rng: np.random.Generator) -> Numbers:
    """Return statistics with a sixth of the budget each."""
    share, answers = epsilon / len(NAMES), {}
    for name in NAMES:
        by, sizes = real.groups(name)
        cell, groups = np.ravel_multi_index([private[column] for column in by], sizes), int(np.prod(sizes))
        counts = np.bincount(cell, minlength=groups)
        if name.startswith("count"):
            answers[name] = counts + rng.laplace(0, 2 / share, groups)
        elif name.startswith("mean"):
            answers[name] = _ratio(cell, groups, private["v"], _ends(real, public, "v", (0.01, 0.99)), share, rng)
        else:
            low, high = _ends(real, public, "w", (0.0, 1.0))
            candidates = np.linspace(low, high, CANDIDATES)
            values = [np.sort(private["w"][cell == g]) for g in range(groups)]
            ranks = np.array(
                [np.searchsorted(v, candidates, "left") + np.searchsorted(v, candidates, "right") for v in values]
            )
            scores = -np.abs(ranks - np.array([len(v) for v in values])[:, None]) / 2
            answers[name] = candidates[np.argmax(scores * share / 2 + rng.gumbel(size=scores.shape), axis=1)]
    return answers


def _ends(real: Real, public: Rows | None, name: str, levels: tuple[float, float]) -> tuple[float, float]:
    if public is None:
        return real.ranges[name]
    low, high = np.quantile(public[name], levels)
    return float(low), float(max(high, low + 1e-6))


def _ratio(
    cell: Any, groups: int, numbers: Any, ends: tuple[float, float], share: float, rng: np.random.Generator
) -> Any:
    """Return noisy sums over noisy counts, half of the share each."""
    low, high = ends
    sums = np.bincount(cell, np.clip(numbers, low, high), groups) + rng.laplace(
        0, 4 * max(abs(low), abs(high)) / share, groups
    )
    counts = np.bincount(cell, minlength=groups) + rng.laplace(0, 4 / share, groups)
    return np.clip(sums / np.maximum(counts, 1), low, high)


def alone(real: Real, public: Rows, n: int) -> Numbers:
    """Return what public rows say; of a group without one what all of them say."""
    answers = exact(real, public)
    for name in NAMES:
        if name.startswith("count"):
            answers[name] = answers[name] * (n / PUBLIC)
        elif name.startswith("mean"):
            answers[name] = np.where(np.isnan(answers[name]), public["v"].mean(), answers[name])
        else:
            answers[name] = [np.median(values if len(values) else public["w"]) for values in answers[name]]
    return answers


def libraries(real: Real, draws: list[Rows], epsilon: float, folder: Path) -> dict[str, list[Numbers]]:
    """Return the numbers of other libraries for each draw, means within the range; where there is none, its middle."""
    source, target = folder / "rows.npz", folder / "found.npz"
    stacked = {name: np.stack([draw[name] for draw in draws]) for name in "abvw"}
    bounds = {f"{name}_range": ends for name, ends in real.ranges.items()}
    np.savez_compressed(source, **stacked, **bounds, sizes=real.sizes)
    command = [PYTHON, ROOT / "benchmarks/rival_libraries.py", source, epsilon / 2, target]
    subprocess.run([*map(str, command)], check=True)
    answers, answers_of = np.load(target), {}
    for key, shown in OTHERS.items():
        answers_of[shown] = [
            {name: within(real, name, answers[f"{key} {name}"][t]) for name in NAMES} for t in range(len(draws))
        ]
    return answers_of


def within(real: Real, name: str, answer: Any) -> Any:
    """Return numbers of another library, none of them infinite or missing."""
    if name.startswith("count"):
        return np.nan_to_num(answer, nan=0.0)
    low, high = real.ranges["v" if name.startswith("mean") else "w"]
    return np.clip(np.where(np.isnan(answer), (low + high) / 2, answer), low, high)


def runs(names: tuple[str, ...], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a line of results for each table, number of rows, epsilon, method, kind and statistic."""
    for name in names:
        real = TABLES[name]()
        sd, near = float(real.rows["v"].std()), (real.ranges["w"][1] - real.ranges["w"][0]) / UNITS
        for n in SIZES[name]:
            draws = [drawn(real, n, t) for t in range(DRAWS)]
            truths = [exact(real, private) for private, _, _ in draws]
            for epsilon in (None, *EPSILONS):
                for (method, kind), answers in released(real, draws, n, epsilon, folder).items():
                    for statistic in NAMES:
                        errors = [
                            error(statistic, answer[statistic], truth[statistic], sd, near)
                            for answer, truth in zip(answers, truths, strict=True)
                            if statistic in answer
                        ]
                        if errors:
                            half = 2 * float(np.std(errors, ddof=1)) / len(errors) ** 0.5 if len(errors) > 1 else None
                            known = {"table": name, "private": n, "epsilon": epsilon, "method": method, "kind": kind}
                            measured = {"error": float(np.mean(errors)), "half": half, "draws": len(errors)}
                            yield known | {"statistic": statistic} | measured


def released(
    real: Real, draws: list[tuple[Rows, Rows, Rows]], n: int, epsilon: float | None, folder: Path
) -> dict[tuple[str, str], list[Numbers]]:
    """Return the numbers of each method and kind, draw by draw."""
    errors: dict[tuple[str, str], list[Numbers]] = {}
    if epsilon is None:
        errors[ALONE, "public"] = [alone(real, public, n) for _, public, _ in draws]
        errors[ALONE_BIASED, "public"] = [alone(real, biased, n) for _, _, biased in draws]
        return errors
    for t, (private, public, biased) in enumerate(draws):
        for method, rows in ((OURS, None), (GOOD, public), (BIASED, biased)):
            for kind, numbers in ours(real, private, rows, epsilon, t).items():
                errors.setdefault((method, kind), []).append(numbers)
        rng = np.random.default_rng([n, t, 1])
        for method, rows in ((EQUAL, None), (INFORMED, public)):
            errors.setdefault((method, "noise"), []).append(equal(real, private, rows, epsilon, rng))
    others = libraries(real, [private for private, _, _ in draws], epsilon, folder)
    return errors | {(method, "noise"): numbers for method, numbers in others.items()}


# -------------------------------------------------------------------------------------------------------------- parts
def parts(real: Real, n: int, t: int, epsilon: float = 1.0) -> dict[str, Numbers]:
    """Return counts and means by each part of the method, added one after the other; ends are those of public rows."""
    private, public, _ = drawn(real, n, t)
    counted = tuple(request for request in ASKED if request.statistic != "quantiles")
    names = NAMES[: len(counted)]
    learner = StatisticsRelease(epsilon, 0.0, statistics=counted, ends="public")
    prepared, points = learner.prepare(real.points(public), real.schema), real.points(private)
    plan = learner.plan(prepared, n)
    coins, rng = Simulation(29).spawn(n, t), np.random.default_rng([n, t, 2])
    share = Fraction(1, len(counted))
    budget = Guarantee(epsilon, 0.0)
    equal_parts = [
        Measure(table_of(request, real.schema), share, noise_of(budget, share, noise_alone(counted)))
        for request in counted
    ]
    answers_of: dict[str, Numbers] = {PARTS[0]: {}}
    low, high = prepared.clipped("v", *plan.ends["v"])
    for name in names:
        by, sizes = real.groups(name)
        cell, groups = np.ravel_multi_index([private[column] for column in by], sizes), int(np.prod(sizes))
        noisy = np.bincount(cell, minlength=groups) + rng.laplace(0, 2 / (epsilon * float(share)), groups)
        if name.startswith("mean"):
            noisy = _ratio(cell, groups, private["v"], (low, high), epsilon * float(share), rng)
        answers_of[PARTS[0]][name] = noisy
    ready = {}
    for label, measures in (("equal", equal_parts), ("own", list(plan.measures))):
        own = attrs.evolve(plan, measures=tuple(measures))
        answers = Answers(own, [question.of(points) for question in own.sums.values()])
        tables = {measure.table: answers.table(measure.table, plan.ends) for measure in measures}
        ready[label] = measured(prepared, measures, plan.ends, tables, n, coins.spawn(label))

    def of(tables: Any) -> Numbers:
        return {
            name: values(request, prepared, plan.ends, tables[table_of(request, real.schema)]).ravel()
            for name, request in zip(names, counted, strict=True)
        }

    answers_of[PARTS[1]] = of(ready["equal"].tables)
    answers_of[PARTS[2]], answers_of[PARTS[3]] = of(ready["equal"].estimates), of(ready["own"].estimates)
    blind = attrs.evolve(ready["own"], prepared=attrs.evolve(prepared, points=np.empty((0, 4))))
    for label, own in zip(PARTS[4:], (blind, ready["own"]), strict=True):
        leaning = Leaning(own, {})
        answers_of[label] = {name: leaning.of(request).ravel() for name, request in zip(names, counted, strict=True)}  # type: ignore[union-attr]
    return answers_of


def parts_lines() -> Iterator[dict[str, Any]]:
    """Yield a line for each table, number of rows, part and statistic."""
    for name, make in TABLES.items():
        real = make()
        sd = float(real.rows["v"].std())
        for n in SIZES[name]:
            errors: dict[tuple[str, str], list[float]] = {}
            for t in range(DRAWS):
                truth = exact(real, drawn(real, n, t)[0])
                for part, numbers in parts(real, n, t).items():
                    for statistic, own in numbers.items():
                        errors.setdefault((part, statistic), []).append(error(statistic, own, truth[statistic], sd))
            for (part, statistic), errors_of_part in errors.items():
                known = {"table": name, "private": n, "epsilon": 1.0, "method": part, "kind": "part"}
                half = 2 * float(np.std(errors_of_part, ddof=1)) / len(errors_of_part) ** 0.5
                yield known | {
                    "statistic": statistic,
                    "error": float(np.mean(errors_of_part)),
                    "half": half,
                    "draws": len(errors_of_part),
                }


# ------------------------------------------------------------------------------------------------------------- figure
LINES = {
    (OURS, "noise"): ("semipriv, noise alone", "o-"),
    (OURS, "leaning"): ("semipriv, leaning on groups", "s-"),
    (GOOD, "leaning"): ("semipriv, leaning on 200 public rows", "^-"),
    (BIASED, "leaning"): ("semipriv, leaning on 200 biased rows", "v-"),
    ("OpenDP", "noise"): ("OpenDP", "D--"),
    ("diffprivlib", "noise"): ("diffprivlib", "P--"),
    (EQUAL, "noise"): ("equal split", "x--"),
}
PANELS = {"count a b": "error of counts by two columns", "mean a": "error of means / sd", "median a": "error in rank"}


def draw(errors: pd.DataFrame, path: Path) -> None:
    """Draw, for each table with many rows and three statistics, the error of each method over epsilon."""
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(errors["table"]))
    colours = sns.color_palette("colorblind", len(LINES))
    figure, grid = plt.subplots(
        len(PANELS), len(names), figsize=(max(6, 3 * len(names)), 7), sharex=True, layout="constrained", squeeze=False
    )
    for (row, (statistic, height)), (column, name) in (
        (r, c) for r in enumerate(PANELS.items()) for c in enumerate(names)
    ):
        axis, part = grid[row, column], errors[(errors["table"] == name) & (errors["statistic"] == statistic)]
        part = part[part["private"] == part["private"].max()]
        for colour, ((method, kind), (label, form)) in zip(colours, LINES.items(), strict=True):
            line = part[(part["method"] == method) & (part["kind"] == kind)].sort_values("epsilon")
            if len(line):
                axis.plot(line["epsilon"], line["error"], form, color=colour, markersize=4, label=label)
        public = part[part["method"] == ALONE]
        axis.axhline(public["error"].iloc[0], color="black", linestyle=":", label=ALONE)
        axis.set(xscale="log", yscale="linear" if statistic == "median a" else "log")
        axis.set_title(f"{name}: {part['private'].iloc[0]:,} rows" if row == 0 else "", fontsize=9)
        axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        axis.set_xlabel("epsilon" if row == len(PANELS) - 1 else "")
        axis.set_ylabel(height if column == 0 else "")
        axis.xaxis.set_minor_formatter(NullFormatter())
    handles, labels = grid[0, 0].get_legend_handles_labels()
    shown = dict(zip(labels, handles, strict=True))
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=3, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(*names: str) -> None:
    if not PYTHON.exists():
        sys.exit("the other libraries are not installed: make .venv-statistics/.complete")
    folder = ROOT / "results/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    brought = list(parts_lines())
    tables.write(folder / "statistics_parts.parquet", RESULTS, brought)
    shown = pd.DataFrame(brought).pivot_table(
        index=["table", "private", "method"], columns="statistic", values="error", sort=False
    )
    print(shown.to_string(float_format="%.4f"), flush=True)
    errors = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in runs(names or tuple(TABLES), Path(scratch)):
            errors.append(line)
            print(json.dumps(line), flush=True)
    tables.write(folder / "rival_statistics.parquet", RESULTS, errors)
    frame = pd.DataFrame(errors)
    draw(frame, folder / "rival_statistics.png")
    shown = frame.pivot_table(
        index=["table", "private", "epsilon", "method", "kind"],
        columns="statistic",
        values="error",
        sort=False,
        dropna=False,
    )
    print(shown.dropna(how="all").to_string(float_format="%.4f"))


if __name__ == "__main__":
    main(*sys.argv[1:])
