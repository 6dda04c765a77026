"""Synthetic tables beside those of other libraries, on the same rows: results/benchmarks/rival_tables.{parquet,png}.

    make rival-tables

What is measured is of the rows that are written: the mean distance in L1 of all two-way and of all three-way marginals
from those of the private rows.  All protect a row against its replacement, delta = 1e-6.  dpmm (AIM, PrivBayes with a
graphical model) and diffprivlib (noisy histograms of single columns) count a row that is added or removed.  Two
such steps replace one, so they get epsilon / 2 and delta / (1 + e^(epsilon / 2)).  AIM gets more, what its two
mechanisms spend on a replaced row by their own sensitivities (``rival_synthesis.py``).

- MST is that of ``no_harm_tables.py``, which takes a tenth of a second.  That of dpmm takes 60 s and is no better: it
  had .100 where this one has .086 (RAND, epsilon 1; other private rows of the table).
- dpmm runs with its defaults, but inference takes 1,000 steps, the default of its AIM, also for PrivBayes.  AIM itself
  does not end in 5 minutes with its defaults: it begins with 4 rounds for each column in place of 16, and takes 250
  steps after each and a model of 1 MiB at most.  A method that needs more than ``LIMIT`` seconds of processor time
  (AIM: ``LIMITS``) is stopped, and has no row.
- ``TableRelease`` with its defaults writes rows that are public ones, of a tree of these or of the noisy marginals, or
  of the fitted models.  Public rows alone stand beside it.

Tables: RAND, fair and meps with declared bands, breast cancer by its quartiles, and a made-up distribution of hidden
groups. 80 % of the rows are private, and public rows are at most half of the rest, of each kind of
``no_harm_tables.py``.  The half that is not missing has the first column that is named at its median or above; in the
made-up distribution the groups have unrelated shares instead.  The other libraries read no public row, and are measured
once for all kinds.  All rows are
public in truth: these are simulations.  Others draw once a cell, ours three times; the noise of a mean over all
marginals is small.

    PYTHONPATH=src:benchmarks python benchmarks/rival_tables.py TABLE ...

measures these tables anew, and leaves the results of the others as they are.
"""

import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
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
from matplotlib.ticker import NullFormatter
from no_harm_tables import KINDS, Rows, banded, breast, mst, public_rows, rand, split

from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.learners.tables.table_release import TableRelease
from semipriv.queries.schema import Schema as TableSchema
from semipriv_lab.papers.bcm20.studies._hidden_groups import HiddenGroups

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv-tables/bin/python"
EPSILONS, DELTA = (1.0, 0.1, 10.0), 1e-6
LIMIT = 60
"""Seconds of processor time that another library may take for a table."""
LIMITS = {"aim": 240}
"""Where it may take longer."""
DRAWS = 3

OURS: dict[str, dict[str, Any]] = {"semipriv": {}}
ALONE, TREE = "public rows alone", "MST"
RIVALS = {
    "independent": "independent columns (diffprivlib)",
    "privbayes": "PrivBayes (dpmm)",
    "aim": "AIM (dpmm)",
}
DRAWN = {"good": " of one population", "half": " of one half", "none": ""}
"""Kinds of public rows that have a panel, and what its title says of them."""

RESULTS = Schema(
    "rival_tables",
    "errors of marginals of synthetic rows, beside other libraries, on the same rows",
    (
        Column("table", pa.string(), "the table"),
        Column("columns", pa.int64(), "number of columns"),
        Column("private", pa.int64(), "number of private rows"),
        Column("public", pa.int64(), "number of public rows; null: the method reads none"),
        Column("kind", pa.string(), "kind of the public rows; null: the method reads none"),
        Column("method", pa.string(), "what wrote the rows"),
        Column("epsilon", pa.float64(), "privacy parameter for replacing a row; null: nothing private is read"),
        Column("two_way", pa.float64(), "mean L1 distance of two-way marginals; null: it took too long, or failed"),
        Column("three_way", pa.float64(), "mean L1 distance of three-way marginals"),
        Column("seconds", pa.float64(), "processor time of a table"),
        Column("note", pa.string(), "why there is no result"),
    ),
)
Codes = Any


# ------------------------------------------------------------------------------------------------------------- tables
def fair() -> Rows:
    """Return the nine columns of Fair's survey; the first is the age."""
    from statsmodels.datasets import fair as survey  # noqa: PLC0415

    frame = survey.load_pandas().data
    frame["affairs"] = frame["affairs"] > 0
    names = ["age", *(name for name in frame.columns if name != "age")]
    return split(np.column_stack([np.unique(frame[name], return_inverse=True)[1] for name in names]))


def meps() -> Rows:
    """Return twelve columns of the table of drug expenditure; the first is the age."""
    (path,) = PYTHON.parent.parent.glob("lib/*/site-packages/linearmodels/datasets/meps/meps.csv.bz2")
    frame = pd.read_csv(path)
    health = frame[["vegood", "good", "fair", "poor"]].to_numpy() @ np.arange(1, 5)
    columns = [banded(frame["age"], 68, 72, 76, 80, 85), banded(frame["educyr"], 8, 12, 13, 16)]
    columns += [banded(frame["drugexp"], 100, 300, 800, 2000), banded(frame["income"], 8, 15, 25, 40)]
    columns += [np.minimum(frame["totchr"], 6), np.nan_to_num(health)]
    flags = ["private", "female", "marry", "black", "hisp", "priolist"]
    return split(np.column_stack([*columns, *(frame[flag] for flag in flags)]).astype(int))


def synthetic() -> Rows:
    """Return rows of hidden groups; the half has groups of unrelated shares."""
    sizes = (2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 2, 8)
    rng = np.random.default_rng(77)
    distribution = HiddenGroups.drawn(sizes, 8, rng)
    return Rows(
        distribution.sample(10_000, 0.0, rng),
        distribution.sample(2_000, 0.0, rng),
        distribution.sample(1_000, 1.0, rng),
        sizes,
    )


TABLES = {"made up": synthetic, "RAND": rand, "fair": fair, "meps": meps, "breast cancer": breast}


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


def ours(rows: Rows, kind: str, epsilon: float, settings: dict[str, Any], seed: int) -> Codes:
    """Return the rows that ``TableRelease`` writes."""
    schema = TableSchema({f"c{i}": size for i, size in enumerate(rows.sizes)})
    learner = TableRelease(epsilon, DELTA, **settings)
    prepared = learner.prepare(schema.table(public_rows(rows, kind)), schema)
    output = learner.release(prepared, schema.table(rows.private), Simulation(19).spawn(seed)).output
    written = output.synthetic(len(rows.private), Simulation(20).spawn(seed), "stratified")
    return schema.codes(written.table(), "written rows")


def rival(path: Path, method: str, epsilon: float, seed: int) -> tuple[Codes | None, float, str]:
    """Return the rows of another library, its processor time, and why there are none."""
    half, target, limit = epsilon / 2, path.with_suffix(f".{method}.npz"), LIMITS.get(method, LIMIT)
    budget = (epsilon, DELTA) if method == "aim" else (half, DELTA / (1 + np.exp(half)))
    command = [PYTHON, ROOT / "benchmarks/rival_synthesis.py", path, method, *budget, seed, target]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0:
        return None, spent, f"stopped after {limit} s"
    if done.returncode:
        return None, spent, done.stderr.strip().splitlines()[-1][:200]
    return np.load(target)["rows"], spent, ""


def runs(names: tuple[str, ...], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a line of results for each table, method, kind of public rows and epsilon."""
    for name in names:
        rows = TABLES[name]()
        known = {"table": name, "columns": len(rows.sizes), "private": len(rows.private)}
        for kind, method, epsilon, written, seconds, note in made_tables(rows, folder):
            ways = {"two_way": 2, "three_way": 3} if written else {}
            errors = {
                key: float(np.mean([marginal_error(table, rows.private, rows.sizes, way) for table in written]))
                for key, way in ways.items()
            }
            public = None if kind is None else len(public_rows(rows, kind))
            row = {"kind": kind, "public": public, "method": method, "epsilon": epsilon}
            yield known | row | {"seconds": seconds, "note": note} | errors


def made_tables(
    rows: Rows, folder: Path
) -> Iterator[tuple[str | None, str, float | None, list[Codes], float | None, str]]:
    """Yield the kind of public rows, method, epsilon, tables that it wrote, time of one, and why there is none."""
    for kind in KINDS:
        if kind != "none":
            yield kind, ALONE, None, [public_rows(rows, kind)], None, ""
        for epsilon, (method, settings) in itertools.product(EPSILONS, OURS.items()):
            start = time.process_time()
            written = [ours(rows, kind, epsilon, settings, seed) for seed in range(DRAWS)]
            yield kind, method, epsilon, written, (time.process_time() - start) / DRAWS, ""
    for epsilon in EPSILONS:
        start = time.process_time()
        written = [mst(rows, epsilon, draw, DELTA) for draw in range(DRAWS)]
        yield None, TREE, epsilon, written, (time.process_time() - start) / DRAWS, ""
    path = folder / "rows.npz"
    np.savez_compressed(path, private=rows.private, sizes=rows.sizes)
    for epsilon, (method, shown) in itertools.product(EPSILONS, RIVALS.items()):
        other, seconds, note = rival(path, method, epsilon, 11)
        yield None, shown, epsilon, [] if other is None else [other], seconds, note


# ------------------------------------------------------------------------------------------------------------- figure
def draw(errors: pd.DataFrame, path: Path) -> None:
    """Draw, for each table and three kinds of public rows, the two-way error of each method over epsilon."""
    sns.set_theme(style="whitegrid", context="paper")
    names = list(dict.fromkeys(errors["table"]))
    methods = [*OURS, TREE, *RIVALS.values()]
    colours = dict(zip(methods, sns.color_palette("colorblind", len(methods)), strict=True))
    size = (max(6, 2.6 * len(names)), 2.9 * len(DRAWN))
    figure, grid = plt.subplots(len(DRAWN), len(names), figsize=size, sharex=True, layout="constrained", squeeze=False)
    for (row, kind), (column, name) in itertools.product(enumerate(DRAWN), enumerate(names)):
        axis, part = grid[row, column], errors[errors["table"] == name]
        part = part[part["kind"].isin([kind]) | part["kind"].isna()]
        for method, marker in zip(methods, "o^Dv<", strict=True):
            line = part[part["method"] == method].dropna(subset="two_way").sort_values("epsilon")
            if line.empty:
                continue
            reads = line["kind"].notna().any()
            look = {"color": colours[method], "linewidth": 2.0 if method in OURS else 1.0}
            style = "-" if reads else "--"
            axis.plot(line["epsilon"], line["two_way"], style, marker=marker, markersize=4, label=method, **look)
        alone = part[part["method"] == ALONE]["two_way"]
        if len(alone):
            axis.axhline(alone.iloc[0], color="black", linestyle=":", label=ALONE)
        first = part[part["kind"] == kind].iloc[0]
        title = f"{name}: {first['private']:,} private,\n{first['public']:,.0f} public rows{DRAWN[kind]}"
        axis.set(xscale="log", yscale="log", title=title)
        axis.title.set_fontsize(8)
        axis.set_xticks(sorted(EPSILONS), [f"{epsilon:g}" for epsilon in sorted(EPSILONS)])
        axis.set_xlabel("epsilon" if row == len(DRAWN) - 1 else "")
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
    path, chosen, errors = folder / "rival_tables.parquet", names or tuple(TABLES), []
    if path.exists():
        errors = [line for line in tables.read(path, RESULTS).to_pylist() if line["table"] not in chosen]
    with tempfile.TemporaryDirectory() as scratch:
        for line in runs(chosen, Path(scratch)):
            errors.append({column.name: line.get(column.name) for column in RESULTS.columns})
            print(json.dumps(line), flush=True)
            tables.write(path, RESULTS, errors)
    frame = pd.DataFrame(errors)
    draw(frame, path.with_suffix(".png"))
    shown = frame.fillna({"kind": ""})
    for way in ("two_way", "three_way"):
        index = ["table", "kind", "method"]
        wide = shown.pivot_table(index=index, columns="epsilon", values=way, sort=False)
        print(f"\n{way}\n{wide.to_string(float_format='%.3f')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
