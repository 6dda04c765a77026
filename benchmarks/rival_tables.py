"""Synthetic tables beside those of other libraries, on the same rows: results/benchmarks/rival_tables.{parquet,png}.

    make rival-tables

What is measured is of the rows that are written: the mean distance in L1 of all two-way and of all three-way marginals
from those of the private rows.  All protect a row against its replacement, delta = 1e-6.  dpmm (MST, AIM, PrivBayes
with a graphical model) and diffprivlib (noisy histograms of single columns) count a row that is added or removed.  Two
such steps replace one, so they get epsilon / 2 and delta / (1 + e^(epsilon / 2)).

- dpmm runs with its defaults, but inference takes 1,000 steps, the default of its AIM, also for MST and PrivBayes.  A
  method that needs more than ``LIMIT`` seconds of processor time is stopped, and has no row.
- "MST, pairs by public rows" chooses its pairs on public rows, at no cost, as dpmm offers; all of its budget measures.
- ``TableRelease`` with its defaults writes rows that are public ones, of a tree of these, or of the fitted model.
  Public rows alone stand beside it.

Tables: RAND, fair and meps with declared bands, breast cancer by quantiles of the public rows, and a made-up law of
hidden groups.  80 % of the rows are private, and public rows are of the rest, a tenth of all: at random (bias 0), or
only those at least as high as the median in the first column that is named (bias 1).  The made-up law has bias 1 if
the groups have unrelated shares.  All rows are public in truth: these are simulations.  Others draw once a cell, ours
three times; the noise of a mean over all marginals is small.
"""

import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from semipriv.core.tables import Column, Schema
from semipriv.learners.tables.table_release import TableRelease
from semipriv.queries.schema import Schema as TableSchema
from semipriv_lab.papers.bcm20.studies._hidden_groups import HiddenGroups
from semipriv_lab.workflow.write_table import write_table

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv-tables/bin/python"
EPSILONS, BIASES, DELTA = (1.0, 0.1, 10.0), (0, 1), 1e-6
LIMIT = 60
"""Seconds of processor time that another library may take for a table."""
DRAWS = 3

OURS: dict[str, dict[str, Any]] = {"semipriv": {}}
ALONE = "public rows alone"
RIVALS = {
    "independent": "independent columns (diffprivlib)",
    "privbayes": "PrivBayes (dpmm)",
    "mst": "MST (dpmm)",
    "mst_public": "MST, pairs by public rows (dpmm)",
    "aim": "AIM (dpmm)",
}
INFORMED = ("mst_public",)
"""Rivals that read public rows."""

RESULTS = Schema(
    "rival_tables",
    "errors of marginals of synthetic rows, beside other libraries, on the same rows",
    (
        Column("table", pa.string(), "the table"),
        Column("columns", pa.int64(), "number of columns"),
        Column("private", pa.int64(), "number of private rows"),
        Column("public", pa.int64(), "number of public rows"),
        Column("bias", pa.int64(), "0: public rows are of the private rows' population; 1: of another one"),
        Column("method", pa.string(), "what wrote the rows"),
        Column("epsilon", pa.float64(), "privacy parameter for replacing a row; null: nothing private is read"),
        Column("two_way", pa.float64(), "mean L1 distance of two-way marginals; null: it took too long, or failed"),
        Column("three_way", pa.float64(), "mean L1 distance of three-way marginals"),
        Column("seconds", pa.float64(), "processor time of a table"),
        Column("note", pa.string(), "why there is no result"),
    ),
)
Codes = Any


@dataclass(frozen=True, eq=False)
class Rows:
    """Codes of private (n, c) and public rows (m, c), and the number of values of each column."""

    private: Codes
    public: Codes
    sizes: tuple[int, ...]


# ------------------------------------------------------------------------------------------------------------- tables
def banded(values: Any, *cuts: float) -> Any:
    """Return the band of each value: how many cuts are <= it."""
    return np.searchsorted(np.array(cuts), np.asarray(values, float), "right")


def rand(folder: Path) -> Codes:
    """Return twelve columns of the RAND table; the first, by which public rows are biased, is age."""
    write_table("randhie", folder / "randhie.parquet")
    people = tables.read_all(folder / "randhie.parquet").to_pandas()
    flags = ["female", "child", "many_visits", "few_visits", "unwell", "hlthg"]
    columns = [banded(people["xage"], 5, 13, 20, 35, 50), banded(people["income"], 4e3, 6e3, 8e3, 1e4, 1.3e4)]
    columns += [banded(people["educdec"], 8, 11, 12, 15), banded(people["num"], *range(2, 9))]
    columns += [banded(people["coins"], 1, 26, 51, 96), *(people[flag].to_numpy(int) for flag in flags)]
    return np.column_stack([*columns, banded(people["disea"], 2, 5, 10, 15, 25)])


def fair() -> Codes:
    """Return the nine columns of Fair's survey; the first is the age."""
    from statsmodels.datasets import fair as survey  # noqa: PLC0415

    found = survey.load_pandas().data
    found["affairs"] = found["affairs"] > 0
    names = ["age", *(name for name in found.columns if name != "age")]
    return np.column_stack([np.unique(found[name], return_inverse=True)[1] for name in names])


def meps() -> Codes:
    """Return twelve columns of the table of drug expenditure; the first is the age."""
    (path,) = PYTHON.parent.parent.glob("lib/*/site-packages/linearmodels/datasets/meps/meps.csv.bz2")
    found = pd.read_csv(path)
    health = found[["vegood", "good", "fair", "poor"]].to_numpy() @ np.arange(1, 5)
    columns = [banded(found["age"], 68, 72, 76, 80, 85), banded(found["educyr"], 8, 12, 13, 16)]
    columns += [banded(found["drugexp"], 100, 300, 800, 2000), banded(found["income"], 8, 15, 25, 40)]
    columns += [np.minimum(found["totchr"], 6), np.nan_to_num(health)]
    flags = ["private", "female", "marry", "black", "hisp", "priolist"]
    return np.column_stack([*columns, *(found[flag] for flag in flags)]).astype(int)


def breast() -> Any:
    """Return ten measured columns and the diagnosis, which are cut at quantiles of the public rows."""
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415

    data = load_breast_cancer()
    return np.column_stack([data.data[:, :10], data.target])


def split(found: Any, bias: int, seed: int) -> tuple[Any, Any]:
    """Return private and public rows; the private ones are the same for both biases."""
    order = np.random.default_rng(seed).permutation(len(found))
    many, few = 8 * len(found) // 10, len(found) // 10
    rest = found[order[many:]]
    if bias:
        rest = rest[rest[:, 0] >= np.median(found[:, 0])]
    return found[order[:many]], rest[:few]


def made(bias: int) -> Rows:
    """Return rows of hidden groups."""
    sizes = (2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 2, 8)
    rng = np.random.default_rng(77)
    law = HiddenGroups.drawn(sizes, 8, rng)
    return Rows(law.sample(10_000, 0.0, rng), law.sample(1_000, float(bias), rng), sizes)


def rows_of(name: str, bias: int, folder: Path) -> Rows:
    """Return a table by its name."""
    if name == "made up":
        return made(bias)
    found = {"RAND": lambda: rand(folder), "fair": fair, "meps": meps, "breast cancer": breast}[name]()
    private, public = split(found, bias, 5)
    if name == "breast cancer":
        cuts = [np.unique(np.quantile(column, (0.25, 0.5, 0.75))) for column in public.T[:-1]]
        private, public = (
            np.column_stack([*(banded(x, *cut) for x, cut in zip(part.T[:-1], cuts, strict=True)), part[:, -1]])
            for part in (private, public)
        )
        return Rows(private.astype(int), public.astype(int), (*(len(cut) + 1 for cut in cuts), 2))
    return Rows(private, public, tuple(int(size) for size in found.max(axis=0) + 1))


TABLES = ("made up", "RAND", "fair", "meps", "breast cancer")


# ------------------------------------------------------------------------------------------------------------- errors
def marginal_error(rows: Codes, truth: Codes, sizes: tuple[int, ...], ways: int) -> float:
    """Return the mean L1 distance of the marginals of so many columns."""
    errors = []
    for group in itertools.combinations(range(len(sizes)), ways):
        shape = tuple(sizes[i] for i in group)
        shares = [
            np.bincount(np.ravel_multi_index(tuple(part[:, group].T), shape), minlength=int(np.prod(shape))) / len(part)
            for part in (rows, truth)
        ]
        errors.append(np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(errors))


def ours(rows: Rows, epsilon: float, settings: dict[str, Any], seed: int) -> Codes:
    """Return the rows that ``TableRelease`` writes."""
    schema = TableSchema({f"c{i}": size for i, size in enumerate(rows.sizes)})
    learner = TableRelease(epsilon, DELTA, **settings)
    prepared = learner.prepare(schema.table(rows.public), schema)
    output = learner.release(prepared, schema.table(rows.private), Simulation(19).spawn(seed)).output
    written = output.synthetic(len(rows.private), Simulation(20).spawn(seed), "stratified")
    return schema.codes(written.table(), "written rows")


def rival(path: Path, method: str, epsilon: float, seed: int) -> tuple[Codes | None, float, str]:
    """Return the rows of another library, its processor time, and why there are none."""
    half, target = epsilon / 2, path.with_suffix(f".{method}.npz")
    delta = DELTA / (1 + np.exp(half))
    command = [PYTHON, ROOT / "benchmarks/rival_synthesis.py", path, method, half, delta, seed, target]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0:
        return None, spent, f"stopped after {LIMIT} s"
    if done.returncode:
        return None, spent, done.stderr.strip().splitlines()[-1][:200]
    return np.load(target)["rows"], spent, ""


def runs(names: tuple[str, ...], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a line of results for each table, bias, epsilon and method."""
    for epsilon, name, bias in itertools.product((None, *EPSILONS), names, BIASES):
        rows = rows_of(name, bias, folder)
        known = {"table": name, "columns": len(rows.sizes), "private": len(rows.private), "public": len(rows.public)}
        for method, written, seconds, note in made_tables(rows, epsilon, bias, folder):
            ways = {"two_way": 2, "three_way": 3} if written else {}
            errors = {
                key: float(np.mean([marginal_error(one, rows.private, rows.sizes, way) for one in written]))
                for key, way in ways.items()
            }
            told = {"bias": bias, "method": method, "epsilon": epsilon, "seconds": seconds, "note": note}
            yield known | told | errors


def made_tables(
    rows: Rows, epsilon: float | None, bias: int, folder: Path
) -> Iterator[tuple[str, list[Codes], float | None, str]]:
    """Yield each method with the tables that it wrote, its processor time for one, and why there is none."""
    if epsilon is None:
        yield ALONE, [rows.public], None, ""
        return
    for method, settings in OURS.items():
        start = time.process_time()
        written = [ours(rows, epsilon, settings, seed) for seed in range(DRAWS)]
        yield method, written, (time.process_time() - start) / DRAWS, ""
    path = folder / "rows.npz"
    np.savez_compressed(path, private=rows.private, public=rows.public, sizes=rows.sizes)
    for method, shown in RIVALS.items():
        if bias and method not in INFORMED:
            continue  # it reads no public row
        other, seconds, note = rival(path, method, epsilon, 11)
        yield shown, [] if other is None else [other], seconds, note


# ------------------------------------------------------------------------------------------------------------- figure
def draw(found: pd.DataFrame, path: Path) -> None:
    """Draw, for each table and bias, the two-way error of each method over epsilon."""
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(found["table"]))
    methods = [*OURS, *RIVALS.values()]
    colours = dict(zip(methods, sns.color_palette("colorblind", len(methods)), strict=True))
    figure, grid = plt.subplots(
        2, len(names), figsize=(max(6, 2.6 * len(names)), 5.8), sharex=True, layout="constrained", squeeze=False
    )
    for (row, bias), (column, name) in itertools.product(enumerate(BIASES), enumerate(names)):
        axis, part = grid[row, column], found[found["table"] == name]
        for method, marker in zip(methods, "o^Dv<>", strict=True):
            reads = method in OURS or method == RIVALS["mst_public"]
            line = part[(part["method"] == method) & (part["bias"] == (bias if reads else 0))].dropna(subset="two_way")
            line = line.sort_values("epsilon")
            if line.empty:
                continue
            wide = 2.0 if method in OURS else 1.0
            look = {"color": colours[method], "linewidth": wide, "linestyle": "-" if reads else "--"}
            axis.plot(line["epsilon"], line["two_way"], marker=marker, markersize=4, label=method, **look)
        alone = part[(part["method"] == ALONE) & (part["bias"] == bias)]["two_way"].iloc[0]
        axis.axhline(alone, color="black", linestyle=":", label=ALONE)
        first = part[part["bias"] == bias].iloc[0]
        which = "of one population" if bias == 0 else "of another one"
        title = f"{name}: {first['private']:,} private,\n{first['public']:,} public rows {which}"
        axis.set(xscale="log", yscale="log", title=title)
        axis.title.set_fontsize(8)
        axis.set_xticks(sorted(EPSILONS), [f"{one:g}" for one in sorted(EPSILONS)])
        axis.set_xlabel("epsilon" if row else "")
        axis.set_ylabel("mean L1 of pairs" if column == 0 else "")
        axis.yaxis.set_minor_formatter(NullFormatter())
    shown = dict(pair for axis in grid.flat for pair in zip(*axis.get_legend_handles_labels()[::-1], strict=True))
    labels, handles = list(shown), list(shown.values())
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(*names: str) -> None:
    if not PYTHON.exists():
        sys.exit("the other libraries are not installed: make .venv-tables/.complete")
    folder = ROOT / "results/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in runs(names or TABLES, Path(scratch)):
            found.append({column.name: line.get(column.name) for column in RESULTS.columns})
            print(json.dumps(line), flush=True)
    tables.write(folder / "rival_tables.parquet", RESULTS, found)
    frame = pd.DataFrame(found)
    draw(frame, folder / "rival_tables.png")
    for way in ("two_way", "three_way"):
        shown = frame.pivot_table(index=["table", "bias", "method"], columns="epsilon", values=way, sort=False)
        print(f"\n{way}\n{shown.to_string(float_format='%.3f')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
