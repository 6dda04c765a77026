"""How cost grows: results/benchmarks/growth.{parquet,png}, from which ``page.py`` writes a table of docs/adding.md.

Each curve varies one size over two decades and keeps the others.  Its formula is the bound that the code states.  The
measured exponent is the slope of ln seconds in ln size over the last decade, as the parts that do not grow make curves
flat at first; that of the formula is taken over the same sizes.  A curve is MISSED if its exponent exceeds that of its
formula by more than ``SLACK``.  At each size the least of several turns counts, in seconds of the processor: a busy
machine makes times longer, never shorter.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
from benchmark import Call, generator
from curve import Curve, linear, log_linear, power
from entries import CURVES as ENTRIES
from kernels import examples, integer_scores, interval_draw, learn_half, rectangle_draw
from query_release import histogram, prefixes

from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core import tables
from semipriv.core.randomness import Secure
from semipriv.core.tables import Column, Schema
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.schema import Column as TableColumn
from semipriv.queries.schema import Schema as TableSchema
from semipriv.queries.unit_mass import Number, ReportSchema
from semipriv_lab.papers.bcm20.studies._hidden_groups import HiddenGroups

ROOT = Path(__file__).parent.parent
SLACK = 0.2
"""By how much a measured exponent may exceed that of the formula: larger arrays leave caches one after the other."""
PANELS = 4
"""Panels of the picture that stand side by side."""
TURNS, LEAST = 5, 0.02
"""Turns at each size; seconds that a turn lasts at least."""


RESULTS = Schema(
    "growth",
    "processor seconds of an operation at sizes over two decades",
    (
        Column("operation", pa.string(), "what is done"),
        Column("varied", pa.string(), "the size that varies"),
        Column("size", pa.int64(), "its value"),
        Column("fixed", pa.string(), "the other sizes"),
        Column("seconds", pa.float64(), "least processor seconds of a call"),
        Column("bound", pa.string(), "the formula that the code states"),
        Column("exponent", pa.float64(), "slope of ln seconds in ln size over the last decade"),
        Column("allowed", pa.float64(), "slope of the formula over the same sizes"),
        Column("met", pa.bool_(), f"whether the exponent is at most the allowed one and {SLACK}"),
    ),
)


# ---------------------------------------------------------------------------------------------------- what is done
def thresholds(m: int, n: int) -> Call:
    rng = generator()
    public, x, y = rng.random(m), rng.random((n, 1)), rng.integers(0, 2, n).astype(np.int8)
    return lambda: Thresholds().cover(public).tally(x, y).draw(1, Secure())


def intervals(m: int, n: int) -> Call:
    return interval_draw(n, m, secure=True)[0]


def rectangles(m: int, n: int) -> Call:
    return rectangle_draw(n, m)[0]


def halfplanes(m: int, n: int) -> Call:
    parameters = Halfspaces(2).cover(generator().normal(size=(m, 2))).listed().parameters
    x, y = examples(n, 2, generator())
    return lambda: Halfspaces(2).mistakes(parameters, x, y)


def best_halfplane(n: int) -> Call:
    x, y = examples(n, 2, generator())
    return lambda: Halfspaces(2).minimise(x, y)


def regions(m: int, n: int) -> Call:
    return learn_half(2, m, n, baseline=None)(1.0).work


def stumps(d: int, n: int) -> Call:
    rng = generator()
    cover = DecisionStumps(d).cover(rng.normal(size=(40, d))).listed()
    x, y = examples(n, d, rng)
    return lambda: cover.functions.mistakes(cover.parameters, x, y)


def discriminant(d: int, n: int) -> Call:
    learner, (x, y) = PublicMetricDiscriminant(1.0), examples(n, d, generator())
    prepared = learner.prepare(generator().normal(size=(2 * d, d)), Halfspaces(d))
    return lambda: learner.release(prepared, x, y, Secure())


def draw(mechanism: ExponentialMechanism | PermuteAndFlip, k: int) -> Call:
    scores = integer_scores(k)
    return lambda: mechanism.sample(scores, Secure())


def noise(kind: type[DiscreteLaplace | DiscreteGaussian], k: int) -> Call:
    return lambda: kind(100).sample(Secure(), k)


def prefixes_of(method: MWEM | ConsistentTree, cells: int) -> Call:
    queries, counts = prefixes(cells), histogram(cells, 10_000)
    return lambda: method.fit(queries, counts, Guarantee(1.0), Secure())


def table(columns: int, n: int) -> Call:
    rng = generator()
    schema = TableSchema(tuple(TableColumn(f"column_{i}", range(4)) for i in range(columns)))
    distribution = HiddenGroups.drawn([4] * columns, 5, rng)
    public, private = (schema.table(distribution.sample(rows, 0.0, rng)) for rows in (n // 10, n))
    learner = PublicRowsRelease(1.0, 1e-6)
    prepared = learner.prepare(public, schema)
    return lambda: learner.release(prepared, private, Secure())


def grown(columns: int, values: int, n: int) -> Call:
    """A synthetic table from marginals of all pairs, of which noisy cells decide."""
    rng = generator()
    schema = TableSchema(tuple(TableColumn(f"column_{i}", range(values)) for i in range(columns)))
    distribution = HiddenGroups.drawn([values] * columns, 5, rng)
    public, private = (schema.table(distribution.sample(rows, 0.0, rng)) for rows in (n // 10, n))
    learner = TableRelease(1.0, 1e-6)
    prepared = learner.prepare(public, schema)
    return lambda: learner.release(prepared, private, Secure())


def medians(groups: int) -> Call:
    rng, schema = generator(), ReportSchema((TableColumn("key", range(groups)), Number("value", 0.0, 1.0)))
    learner = StatisticsRelease(1.0, statistics=[{"statistic": "quantiles", "column": "value", "by": "key", "at": 0.5}])
    public, private = (np.column_stack([rng.integers(0, groups, n), rng.random(n)]) for n in (1_000, 20 * groups))
    prepared = learner.prepare(public, schema)
    sums = [question.of(private) for question in learner.questions(prepared, len(private))]
    return lambda: learner.release_counts(prepared, sums, len(private), Secure())


ROWS = (10_000, 32_000, 100_000, 320_000, 1_000_000)
N = "private rows"
M = "public points"
CURVES = (
    Curve(
        "thresholds: cover, tally and draw", N, ROWS, "n", linear, lambda n: thresholds(1_000, n), "1,000 public points"
    ),
    Curve(
        "intervals: tally and draw",
        N,
        ROWS,
        "n log n",
        log_linear,
        lambda n: intervals(1_000, n),
        "1,000 public points",
    ),
    Curve(
        "rectangles in the plane: tally and draw",
        N,
        ROWS,
        "n",
        linear,
        lambda n: rectangles(100, n),
        "100 public points",
    ),
    Curve("halfplanes: all mistakes", N, ROWS, "n", linear, lambda n: halfplanes(50, n), "50 public points"),
    Curve(
        "best halfplane, not private",
        N,
        (20, 64, 200, 640, 2_000),
        "n^2 log n",
        lambda n: n * log_linear(n),
        best_halfplane,
    ),
    Curve("A_LearnHalf in the plane: release", N, ROWS, "n", linear, lambda n: regions(30, n), "30 public points"),
    Curve("stumps: all mistakes", N, ROWS, "n", linear, lambda n: stumps(10, n), "10 features"),
    Curve(
        "thresholds: cover, tally and draw",
        M,
        ROWS,
        "m log m",
        log_linear,
        lambda m: thresholds(m, 10_000),
        "10,000 rows",
    ),
    Curve("intervals: tally and draw", M, ROWS, "m log m", log_linear, lambda m: intervals(m, 10_000), "10,000 rows"),
    Curve(
        "rectangles in the plane: tally and draw",
        M,
        (10, 32, 100, 320, 1_000),
        "m^3",
        power(3),
        lambda m: rectangles(m, 10_000),
        "10,000 rows",
    ),
    Curve(
        "halfplanes: cover",
        M,
        (10, 32, 100, 320, 1_000),
        "m^2 log m",
        lambda m: m * log_linear(m),
        lambda m: lambda: Halfspaces(2).cover(generator().normal(size=(m, 2))).listed(),
        "",
    ),
    Curve(
        "stumps: cover",
        M,
        (200, 640, 2_000, 6_400, 20_000),
        "m log m",
        log_linear,
        lambda m: lambda: DecisionStumps(50).cover(generator().normal(size=(m, 50))).listed(),
        "50 features",
    ),
    Curve(
        "A_LearnHalf in the plane: release",
        M,
        (3, 10, 30, 100, 300),
        "m^2 n + m^4",
        lambda m: 1_000 * m**2 + m**4,
        lambda m: regions(m, 1_000),
        "1,000 rows",
    ),
    Curve(
        "stumps: all mistakes",
        "features",
        (10, 32, 100, 320, 1_000),
        "d",
        linear,
        lambda d: stumps(d, 1_000),
        "1,000 rows",
    ),
    Curve(
        "public-metric discriminant: release",
        "features",
        (5, 16, 50, 160, 500),
        "n d^2 + d^3",
        lambda d: 1_000 * d**2 + d**3,
        lambda d: discriminant(d, 1_000),
        "1,000 rows",
    ),
    Curve(
        "exponential mechanism: exact draw",
        "candidates",
        ROWS,
        "k",
        linear,
        lambda k: draw(ExponentialMechanism(1.0), k),
    ),
    Curve("permute-and-flip: exact draw", "candidates", ROWS, "k", linear, lambda k: draw(PermuteAndFlip(1.0), k)),
    Curve("discrete Laplace noise: exact draws", "numbers", ROWS, "k", linear, lambda k: noise(DiscreteLaplace, k)),
    Curve("discrete Gaussian noise: exact draws", "numbers", ROWS, "k", linear, lambda k: noise(DiscreteGaussian, k)),
    Curve(
        "MWEM: 20 rounds of prefixes",
        "cells",
        (1_000, 3_200, 10_000, 32_000, 100_000),
        "K",
        linear,
        lambda k: prefixes_of(MWEM(20, 1), k),
    ),
    Curve(
        "consistent tree: prefixes", "cells", ROWS, "K log K", log_linear, lambda k: prefixes_of(ConsistentTree(), k)
    ),
    Curve(
        "synthetic table on public rows",
        "columns",
        (3, 6, 12, 25, 50, 100),
        "c^2",
        power(2),
        lambda c: table(c, 5_000),
        "4 values each, 5,000 rows",
    ),
    Curve(
        "synthetic table of all pairs",
        "columns",
        (2, 4, 8, 16, 32, 66),
        "c^2",
        power(2),
        lambda c: grown(c, 4, 5_000),
        "4 values each, 5,000 rows",
        turns=1,
    ),
    Curve(
        "synthetic table of all pairs",
        "categories of a column",
        (2, 6, 20, 64, 200),
        "v^2",
        power(2),
        lambda v: grown(4, v, 5_000),
        "4 columns, 5,000 rows",
        turns=1,
    ),
    Curve(
        "medians by group",
        "groups",
        (1_000, 3_200, 10_000, 32_000, 100_000),
        "g",
        linear,
        medians,
        "20 rows a group, 1,000 public rows",
    ),
    *ENTRIES,
)


# ---------------------------------------------------------------------------------------------------- measured
def least_seconds(calls: Sequence[Call], most: int) -> list[float]:
    """Return the least processor seconds of each call, over turns in which all are made; most: of turns."""
    numbers = []
    for call in calls:
        call()  # compiled, and caches filled
        numbers.append(math.ceil(LEAST / max(seconds(call, 1), 1e-6)))
    turns = [
        [seconds(call, number) for call, number in zip(calls, numbers, strict=True)] for _ in range(min(TURNS, most))
    ]
    return [min(of_call) for of_call in zip(*turns, strict=True)]


def seconds(call: Call, number: int) -> float:
    start = time.process_time()
    for _ in range(number):
        call()
    return (time.process_time() - start) / number


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of ln cost in ln size over the last decade of sizes.

    >>> round(slope([1, 10, 20, 100], [5.0, 1.0, 4.0, 100.0]), 9)
    2.0
    """
    kept = [i for i, size in enumerate(sizes) if size >= sizes[-1] / 10.5]
    return float(np.polyfit(np.log([sizes[i] for i in kept]), np.log([costs[i] for i in kept]), 1)[0])


def measure(curve: Curve, largest: float = math.inf) -> list[dict[str, object]]:
    """Measure a curve at its sizes up to the largest; return its rows of the results."""
    sizes = [size for size in curve.sizes if size <= largest]
    seconds = least_seconds([curve.make(size) for size in sizes], curve.turns)
    exponent, allowed = slope(sizes, seconds), slope(sizes, [curve.formula(size) for size in sizes])
    common = {
        "operation": curve.name,
        "varied": curve.size,
        "fixed": curve.fixed,
        "bound": curve.bound,
        "exponent": exponent,
        "allowed": allowed,
        "met": exponent <= allowed + SLACK,
    }
    return [common | {"size": size, "seconds": value} for size, value in zip(sizes, seconds, strict=True)]


def line(rows: Sequence[dict[str, object]]) -> str:
    last = rows[-1]
    return (
        f"{last['operation']:<42} {last['varied']:<14} {last['size']:>9,} {last['seconds']:>9.3g} s, "
        f"exponent {last['exponent']:.2f}, of {last['bound']} {last['allowed']:.2f}"
        f"{'' if last['met'] else '  MISSED'}"
    )


def draw_curves(rows: Sequence[dict[str, object]], path: Path) -> None:
    """Draw seconds against each size that varies, in a panel of its own; dashed: the bound, through the last point."""
    sns.set_theme(style="ticks", context="paper", palette="colorblind")
    frame, formulas = pd.DataFrame(rows), {(curve.name, curve.size): curve.formula for curve in CURVES}
    panels = frame.groupby("varied", sort=False)
    rows_of_panels = -(-panels.ngroups // PANELS)
    figure, axes = plt.subplots(
        rows_of_panels,
        PANELS,
        figsize=(3.4 * PANELS, 3.3 * rows_of_panels),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for ax, (varied, panel) in zip(axes.flat, panels, strict=False):
        sns.lineplot(
            panel, x="size", y="seconds", hue="operation", style="operation", markers=True, dashes=False, ax=ax
        )
        for colour, (operation, curve) in zip(
            sns.color_palette(), panel.groupby("operation", sort=False), strict=False
        ):
            cost = np.array([formulas[operation, varied](size) for size in curve["size"]])
            ax.plot(curve["size"], curve["seconds"].iloc[-1] * cost / cost[-1], "--", color=colour, linewidth=0.8)
        ax.set(xscale="log", yscale="log", xlabel=varied, ylabel="processor seconds", ylim=(1e-5, 1e6))
        ax.legend(loc="upper left", fontsize="x-small", frameon=False)
        sns.despine(ax=ax)
    for ax in axes.flat[panels.ngroups :]:
        ax.set_axis_off()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    rows: list[dict[str, object]] = []
    for curve in CURVES:
        rows += (of_curve := measure(curve))
        print(line(of_curve), flush=True)
    folder = ROOT / "results/benchmarks"
    tables.write(folder / "growth.parquet", RESULTS, rows)
    draw_curves(rows, folder / "growth.png")
    print(f"written: {folder.relative_to(ROOT)}/growth.parquet and growth.png")


if __name__ == "__main__":
    main()
