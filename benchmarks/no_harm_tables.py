"""Whether public rows ever hurt a synthetic table: results/benchmarks/no_harm_tables.parquet.

    PYTHONPATH=src:benchmarks python benchmarks/no_harm_tables.py [TABLE ...]

On each table, with public rows of each kind, and at each epsilon: the mean and the largest distance in L1 of the
two-way marginals of written rows from those of the private rows, by three methods.

- *trusting*: the prior is public rows and their tree, and is worth as many records as there are public rows; rows are
  written by one systematic pass.  So ``table_release`` was, before the noisy marginals had a say.
- *release*: ``table_release`` with its defaults.
- *mst*: a maximum spanning tree of pairs, chosen and measured privately (McKenna et al. 2021), without any public row.
  It is written here, so that all protect the same neighbours with the same rho; noise is of doubles: a simulation.

The property: the release errs no more than the better one of the other two, up to the noise of the draws.  ``main``
says where it does.  All rows are public in truth.
"""

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.core.types import Floats
from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.tables.noisy import simplex
from semipriv.learners.tables.table_release import TableRelease
from semipriv.privacy.events import whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.chow_liu import Tree
from semipriv.queries.marginals import Marginals
from semipriv.queries.schema import Codes
from semipriv.queries.schema import Schema as TableSchema

ROOT = Path(__file__).parent.parent
EPSILONS, DELTA, DRAWS = (0.1, 1.0, 10.0), 1e-9, 4
KINDS = ("good", "bias .3", "half", "combinations", "permuted", "20 rows", "none")
METHODS = ("trusting", "release", "mst")
APART = 2.0
"""Standard errors of a difference of means beyond which it is none of the draws."""

RESULTS = Schema(
    "no_harm_tables",
    "errors of marginals of synthetic rows, for public rows of many kinds",
    (
        Column("table", pa.string(), "the table"),
        Column("kind", pa.string(), "kind of public rows"),
        Column("epsilon", pa.float64(), "privacy parameter for replacing a row"),
        Column("method", pa.string(), "what wrote the rows"),
        Column("draw", pa.int64(), "number of the draw"),
        Column("mean", pa.float64(), "mean L1 distance of two-way marginals"),
        Column("worst", pa.float64(), "largest one"),
        Column("seconds", pa.float64(), "processor time"),
    ),
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Codes of private rows (n, c), of others of the same population, and of ones that lack half; sizes of columns."""

    private: Codes
    others: Codes
    half: Codes
    sizes: tuple[int, ...]


# ------------------------------------------------------------------------------------------------------------- tables
def banded(values: Any, *cuts: float) -> Any:
    """Return the band of each value: how many cuts are <= it."""
    return np.searchsorted(np.array(cuts), np.asarray(values, float), "right")


def split(frame: Any) -> Rows:
    """Return 80 % of the rows as private ones; the half are rows at or above the median of the first column."""
    order = np.random.default_rng(5).permutation(len(frame))
    many = 8 * len(frame) // 10
    rest = frame[order[many:]]
    half = rest[rest[:, 0] >= np.median(frame[:, 0])]
    return Rows(frame[order[:many]], rest, half, tuple(int(size) for size in frame.max(axis=0) + 1))


def rand() -> Rows:
    """Return twelve columns of the RAND table, a row of each person; the first column is age."""
    from statsmodels.datasets import randhie  # noqa: PLC0415

    visits = pd.read_csv(Path(randhie.__file__).parent / "src/randhie.csv")
    people = visits.sort_values(["zper", "year"]).groupby("zper").head(1)
    columns = [banded(people["xage"], 5, 13, 20, 35, 50), banded(people["income"], 4e3, 6e3, 8e3, 1e4, 1.3e4)]
    columns += [banded(people["educdec"], 8, 11, 12, 15), banded(people["num"], *range(2, 9))]
    columns += [banded(people["coins"], 1, 26, 51, 96), people["female"], people["child"], people["mdvis"] > 4]
    columns += [people["mdvis"] < 1, people["hlthf"] + people["hlthp"] > 0, people["hlthg"]]
    return split(np.column_stack([*columns, banded(people["disea"], 2, 5, 10, 15, 25)]).astype(int))


def breast() -> Rows:
    """Return ten measured columns, cut at their quartiles, and the diagnosis."""
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415

    data = load_breast_cancer()
    columns = [banded(x, *np.quantile(x, (0.25, 0.5, 0.75))) for x in data.data[:, :10].T]
    return split(np.column_stack([*columns, data.target]))


def net(n: int = 20_000, seed: int = 5) -> Rows:
    """Return rows of a random Bayesian net of ten columns with at most three parents each; half: other tables."""
    rng, sizes = np.random.default_rng(seed), (3, 4, 2, 5, 8, 6, 2, 3, 7, 4)
    parents = [rng.choice(i, min(i, int(rng.integers(1, 4))), replace=False) if i else () for i in range(len(sizes))]
    distributions = [
        [
            rng.dirichlet(np.full(k, 0.5), int(np.prod([sizes[j] for j in above])))
            for k, above in zip(sizes, parents, strict=True)
        ]
        for _ in range(2)
    ]
    distributions[1] = [distributions[i % 3 == 0][i] for i in range(len(sizes))]

    def sample(distribution: list[Floats], size: int) -> Codes:
        codes = np.zeros((size, len(sizes)), np.int64)
        for i, (table, above) in enumerate(zip(distribution, parents, strict=True)):
            place = np.zeros(size, np.int64)
            for j in above:
                place = place * sizes[j] + codes[:, j]
            drawn = (np.cumsum(table, axis=1)[place] < rng.random(size)[:, None]).sum(axis=1)
            codes[:, i] = np.minimum(drawn, sizes[i] - 1)
        return codes

    return Rows(sample(distributions[0], n), sample(distributions[0], 2_000), sample(distributions[1], 2_000), sizes)


TABLES: dict[str, Callable[[], Rows]] = {"RAND": rand, "breast cancer": breast, "net": net}


def public_rows(rows: Rows, kind: str) -> Codes:
    """Return public rows of a kind: half as many as there are others of the population."""
    m, columns = len(rows.others) // 2, range(len(rows.sizes))
    if kind == "bias .3":
        return np.concatenate([rows.others[: int(0.7 * m)], rows.half[-int(0.3 * m) :]])
    if kind == "half":
        return rows.half[:m]
    if kind == "combinations":  # none is high in one of the first two columns and low in the other
        high = [rows.others[:, i] > np.median(rows.others[:, i]) for i in (0, 1)]
        high = [
            indicator if indicator.any() else rows.others[:, i] >= np.median(rows.others[:, i])
            for i, indicator in enumerate(high)
        ]
        return rows.others[high[0] == high[1]][:m]
    if kind == "permuted":
        coins = np.random.default_rng(123)
        return np.column_stack([coins.permutation(rows.sizes[i])[rows.others[:m, i]] for i in columns])
    return rows.others[: {"good": m, "20 rows": 20, "none": 0}[kind]]


# ------------------------------------------------------------------------------------------------------------ methods
def released(rows: Rows, kind: str, epsilon: float, draw: int, trusting: bool) -> Codes:
    """Return the rows of ``table_release``: with its defaults, or trusting public rows as much as there are."""
    schema, public = TableSchema({f"c{i}": size for i, size in enumerate(rows.sizes)}), public_rows(rows, kind)
    learner = TableRelease(epsilon, DELTA, **({"noisy": 0.0, "kappa": len(public)} if trusting else {}))
    prepared = learner.prepare(schema.table(public), schema)
    output = learner.release(prepared, schema.table(rows.private), Simulation(19).spawn(draw)).output
    n = len(rows.private)
    return output.rows[systematic(output.weights, n) if trusting else output.places(n)]


def mst(rows: Rows, epsilon: float, draw: int, delta: float = DELTA) -> Codes:
    """Return the rows of a maximum spanning tree: a third of rho each for columns, the choice of pairs, and pairs.

    A pair scores its distance in L1, in rows, from the product of its noisy columns, which moves by at most 2 if a row
    is replaced; the exponential mechanism of parameter e is e^2 / 8-zCDP.
    """
    rng, sizes, n, columns = np.random.default_rng([draw, 99]), rows.sizes, len(rows.private), len(rows.sizes)
    part = float(whole(Guarantee(epsilon, delta))) / 3
    deviation = np.sqrt(columns / part)
    alone = [
        simplex((np.bincount(rows.private[:, i], minlength=k) + deviation * rng.normal(size=k)) / n) + 1e-9
        for i, k in enumerate(sizes)
    ]
    alone = [counts / counts.sum() for counts in alone]
    workload = Marginals(TableSchema({f"c{i}": size for i, size in enumerate(sizes)}), 2)
    counts = dict(zip(workload.groups, np.split(workload.counts(rows.private), workload.starts[1:-1]), strict=True))
    score = {
        pair: float(np.abs(counts[pair] - n * np.outer(*(alone[i] for i in pair)).ravel()).sum()) for pair in counts
    }
    correlation, inside, edges = np.sqrt(8 * part / (columns - 1)), {0}, list[tuple[int, int]]()
    while len(inside) < columns:
        open_pairs = [(a, b) for a, b in itertools.permutations(range(columns), 2) if a in inside and b not in inside]
        scores = np.array([score[min(pair), max(pair)] for pair in open_pairs]) * correlation / 4
        chances = np.exp(scores - scores.max())
        edges.append(open_pairs[int(rng.choice(len(open_pairs), p=chances / chances.sum()))])
        inside.add(edges[-1][1])
    given = []
    for a, b in edges:
        noise = np.sqrt((columns - 1) / part) * rng.normal(size=sizes[a] * sizes[b])
        table = simplex((counts[min(a, b), max(a, b)] + noise) / n) + 1e-9
        table = table.reshape(sizes[min(a, b)], sizes[max(a, b)])
        table = table if a < b else table.T
        for _ in range(50):
            table = table * (alone[a] / table.sum(axis=1))[:, None]
            table = table * (alone[b] / table.sum(axis=0))
        given.append(table / table.sum(axis=1, keepdims=True))
    return _spread(Tree(np.zeros((columns, columns)), 0, alone[0], edges, given), n, rng)


def _spread(tree: Tree, n: int, rng: np.random.Generator) -> Codes:
    """Return n rows of a tree: in each value of a parent, children are there as often as the tree says, within one."""
    codes = np.zeros((n, 1 + len(tree.edges)), np.int64)
    codes[:, tree.first] = systematic(tree.root, n)
    for (parent, child), table in zip(tree.edges, tree.tables, strict=True):
        for value in range(len(table)):
            places = rng.permutation(np.flatnonzero(codes[:, parent] == value))
            if len(places):
                codes[places, child] = systematic(table[value], len(places))
    return codes


def errors(written: Codes, rows: Rows) -> Floats:
    """Return the L1 distances of all two-way marginals, (pairs,)."""
    workload = Marginals(TableSchema({f"c{i}": size for i, size in enumerate(rows.sizes)}), 2)
    shares = [workload.counts(table) / len(table) for table in (written, rows.private)]
    return workload.totals(np.abs(shares[0] - shares[1]))


def runs(
    names: tuple[str, ...], kinds: tuple[str, ...] = KINDS, epsilons: tuple[float, ...] = EPSILONS, draws: int = DRAWS
) -> Iterator[dict[str, Any]]:
    """Yield a line of results for each table, kind of public rows, epsilon, method and draw."""
    for name in names:
        rows = TABLES[name]()
        for kind, epsilon, method, draw in itertools.product(kinds, epsilons, METHODS, range(draws)):
            if (kind == "none" and method == "trusting") or (kind != "none" and method == "mst"):
                continue  # one needs public rows, and the other one reads none
            start = time.process_time()
            written = (
                mst(rows, epsilon, draw)
                if method == "mst"
                else released(rows, kind, epsilon, draw, method == "trusting")
            )
            spent, error = time.process_time() - start, errors(written, rows)
            row = {"table": name, "kind": kind, "epsilon": epsilon, "method": method, "draw": draw, "seconds": spent}
            yield row | {"mean": float(error.mean()), "worst": float(error.max())}


def losses(errors_of: pd.DataFrame, quantity: str = "mean") -> pd.DataFrame:
    """Return where the release errs more than the better one of the others, beyond the noise of the draws.

    found: lines of ``runs``.  A row for each loss: the errors, and the standard error of the difference.
    """
    lost = []
    for (name, epsilon), part in errors_of.groupby(["table", "epsilon"], sort=False):
        without = part[part["method"] == "mst"][quantity]
        for kind, own in part[part["method"] != "mst"].groupby("kind", sort=False):
            release, trusting = (own[own["method"] == method][quantity] for method in ("release", "trusting"))
            if not len(release):
                continue
            best = min(
                (losses_of for losses_of in (trusting, without) if len(losses_of)),
                key=lambda losses_of: losses_of.mean(),
            )
            error = np.sqrt(sum(losses_of.var() / len(losses_of) for losses_of in (release, best)))
            if release.mean() - best.mean() > APART * error:
                row = {"table": name, "kind": kind, "epsilon": epsilon, "release": release.mean()}
                lost.append(row | {"better": best.mean(), "error": error})
    return pd.DataFrame(lost, columns=["table", "kind", "epsilon", "release", "better", "error"])


def main(*names: str) -> None:
    folder = ROOT / "results/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    rows_ = list(runs(names or tuple(TABLES)))
    tables.write(folder / "no_harm_tables.parquet", RESULTS, rows_)
    frame = pd.DataFrame(rows_)
    for quantity in ("mean", "worst"):
        index = ["table", "kind", "method"]
        shown = frame.pivot_table(index=index, columns="epsilon", values=quantity, sort=False)
        print(f"\n{quantity}\n{shown.to_string(float_format='%.4f')}\n\nlosses\n{losses(frame, quantity).to_string()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
