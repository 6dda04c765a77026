"""One column of ordered values, with and without public rows: results/benchmarks/one_dimension.{parquet,png}.

1,024 cells, epsilon .1 (pure), for replacing a row.  Errors are distances between answers and shares of the private
rows: the mean over all prefixes, and over 2,000 ranges drawn at random; of histograms the L1 distance of all cells; of
the 15 sixteenths the mean distance of a rank from that of the cell that is answered, the first with such a prefix.
Six distributions: normal, three peaks, a long tail, 30 single values, heaps at every tenth cell, and rough (a gamma
number for each cell).  200 public rows follow the distribution of the private ones, or with chance ``bias`` another of
the distributions.  Methods that do not read public rows have the same error at every bias.

- A_PAP with MWEM answers on the cover of its public points, here their distinct cells; two draws of each distribution.
- Public rows alone, and the public shares that are the prior (``public_shares``), read nothing private.
- Everybody's prefixes are made monotone, so that trees and noise on cells give shares, too.
- "Tree with consistency" is HB (Qardaji, Yang and Li 2013), with the branching that is best for prefixes.
- ``one_column_rivals.py`` has private sixteenths, with straight lines between them, with the priors of public rows
  (Khodak et al. 2023) or with none (Kaplan et al. 2022), and buckets that private counts choose, as DAWA does (Li et
  al. 2014), below a consistent tree in place of DAWA's own weights.

The distributions were drawn anew after all settings were fixed; their kinds are those on which these were chosen.
"""

import itertools
import sys
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
from one_column_rivals import SIXTEENTHS, by_buckets, by_quantiles

from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.tables import Column, Schema
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Method
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import isotonic
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.noisy_cells import NoisyCells
from semipriv.queries.methods.public_prior_tree import PublicPriorTree
from semipriv.queries.methods.tree import DyadicTree
from semipriv.queries.methods.two_level_tree import TwoLevelTree
from semipriv.queries.public_shares import public_shares
from semipriv.queries.workloads import Runs

ROOT = Path(__file__).parent.parent
CELLS, EPSILON, PUBLIC, DRAWS, RANGES = 1_024, 0.1, 200, 6, 2_000
SIZES, BIASES = (1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000), (0.0, 0.1, 0.3, 1.0)
PREFIXES = Runs(CELLS, np.zeros(CELLS - 1, np.int64), np.arange(1, CELLS))

PRIOR, FLAT = "tree with a public prior", "the same with one level"
CONSISTENT, PAP = "tree with consistency", "A_PAP, MWEM"
DYADIC, TWO_LEVELS, EACH = "dyadic tree", "two-level tree", "noise on cells"
HALVED, UNTOLD, BUCKETS = "quantiles, public prior (Khodak)", "quantiles, no prior (Kaplan)", "buckets as DAWA's, tree"
ALONE, SMOOTH = "public rows alone", "public shares alone"
METHODS: dict[str, Method] = {
    PRIOR: PublicPriorTree(),
    FLAT: PublicPriorTree(levels=1),
    CONSISTENT: ConsistentTree(),
    TWO_LEVELS: TwoLevelTree(isotonic=True),
    DYADIC: DyadicTree(isotonic=True),
    EACH: NoisyCells(),
}
BLIND = (CONSISTENT, TWO_LEVELS, DYADIC, EACH, UNTOLD, BUCKETS)
"""Methods that read no public row."""

RESULTS = Schema(
    "one_dimension",
    "errors of prefixes, ranges and histograms of 1,024 ordered cells, means over distributions and draws",
    (
        Column("bias", pa.float64(), "chance that a public row is of another distribution"),
        Column("private", pa.int64(), "number of private rows"),
        Column("method", pa.string(), "method"),
        Column("prefixes", pa.float64(), "mean error of the share of a prefix"),
        Column("ranges", pa.float64(), "mean error of the share of a random range"),
        Column("cells", pa.float64(), "L1 distance of the shares of all cells"),
        Column("quantiles", pa.float64(), "mean distance of ranks from those of the sixteenths"),
        Column(
            "standard_error", pa.float64(), "standard error of the mean of prefixes, over draws within distributions"
        ),
        Column("seconds", pa.float64(), "mean processor time of a release"),
    ),
)


def distributions(rng: np.random.Generator) -> dict[str, Any]:
    """Return shares of the cells (K,) by name."""
    x = np.arange(CELLS)

    def peak(centre: float, width: float) -> Any:
        return np.exp(-0.5 * ((x - centre) / width) ** 2) / width

    atoms = np.zeros(CELLS)
    atoms[rng.choice(CELLS, 30, replace=False)] = rng.dirichlet(np.full(30, 0.7))
    centre, *three = rng.uniform(200, 800, 4)
    answers = {
        "normal": peak(centre, 90),
        "three peaks": 0.5 * peak(three[0], 30) + 0.3 * peak(three[1], 15) + 0.2 * peak(three[2], 80),
        "long tail": (x + 0.5) ** 0.7 * np.exp(-x / rng.uniform(50, 120)),
        "single values": atoms,
        "heaps": np.exp(-x / 300) * (1 + 9 * (x % 10 == 0)),
        "rough": rng.gamma(0.5, 1, CELLS),
    }
    return {name: distribution / distribution.sum() for name, distribution in answers.items()}


def prefixes(shares: Any) -> Any:
    """Return the shares of the first 0, ..., K cells."""
    return np.concatenate([[0.0], np.cumsum(shares)])


def by_cover(counts: Any, public: Any, coins: Simulation) -> Any:
    """Return prefixes as A_PAP answers them: each has the answer of the next public point's cell, or of nothing."""
    ends = np.flatnonzero(public) + 1  # a prefix that ends in a gap labels public points as one at its start
    known = np.unique(np.concatenate([[0], ends, [CELLS]]))
    coarse = np.add.reduceat(counts, known[:-1])
    work = Runs(len(coarse), np.zeros(len(coarse) - 1, np.int64), np.arange(1, len(coarse)))
    answers = MWEM().fit(work, coarse, Guarantee(EPSILON), coins).answers
    full = np.concatenate([[0.0], answers, [1.0]])
    return full[np.searchsorted(known, np.arange(CELLS + 1), "right") - 1]


def released(name: str, counts: Any, public: Any, coins: Simulation) -> Any:
    """Return prefixes that a method releases."""
    release = METHODS[name].beside(public).fit(PREFIXES, counts, Guarantee(EPSILON), coins)
    answers = isotonic(release.answers, 1) if name == EACH else release.answers
    return np.concatenate([[0.0], answers, [1.0]])


def rank_error(answers: Any, truth: Any) -> float:
    """Return the mean distance of the sixteenths from the ranks of the cells that prefixes (K + 1,) answer."""
    cell = np.clip(np.searchsorted(np.maximum.accumulate(answers), SIXTEENTHS) - 1, 0, CELLS - 1)
    return float(np.maximum(np.maximum(truth[cell] - SIXTEENTHS, SIXTEENTHS - truth[cell + 1]), 0).mean())


def runs(draws: int) -> Iterator[dict[str, Any]]:
    """Yield the errors of each method on each draw of each distribution, size and bias."""
    for draw in range(draws):
        distributions_drawn = distributions(np.random.default_rng([41, draw]))
        names = list(distributions_drawn)
        for place, name in enumerate(names):
            distribution, other = distributions_drawn[name], distributions_drawn[names[(place + 1) % len(names)]]
            for n in SIZES:
                rng = np.random.default_rng([42, draw, place, n])
                counts = rng.multinomial(n, distribution)
                truth = prefixes(counts / n)
                ends = np.sort(rng.integers(0, CELLS + 1, (RANGES, 2)), axis=1)
                for bias in BIASES:
                    public = np.random.default_rng([43, draw, place]).multinomial(
                        PUBLIC, (1 - bias) * distribution + bias * other
                    )
                    methods = {ALONE: lambda p=public: prefixes(p / PUBLIC)}
                    methods[SMOOTH] = lambda p=public: prefixes(public_shares(p, best_tree(CELLS)))
                    for method in METHODS if bias == 0 else (PRIOR, FLAT):
                        coins = Simulation(44).spawn(draw, place, n, bias, method)
                        methods[method] = lambda m=method, p=public, c=coins: released(m, counts, p, c)  # noqa: B023
                    seed = [46, draw, place, n, int(10 * bias)]
                    methods[HALVED] = lambda p=public, s=seed: by_quantiles(counts, p, EPSILON, s)  # noqa: B023
                    if bias == 0:
                        methods[UNTOLD] = lambda p=public, s=seed: by_quantiles(counts, 0 * p, EPSILON, s)  # noqa: B023
                        coins = Simulation(47).spawn(draw, place, n)
                        methods[BUCKETS] = lambda c=coins, s=seed: by_buckets(counts, EPSILON, s, c)  # noqa: B023
                    if draw < 2:
                        coins = Simulation(45).spawn(draw, place, n, bias)
                        methods[PAP] = lambda p=public, c=coins: by_cover(counts, p, c)  # noqa: B023
                    for method, make in methods.items():
                        start = time.process_time()
                        answers = make()
                        seconds, off = time.process_time() - start, answers - truth
                        yield {
                            "bias": bias,
                            "private": n,
                            "method": method,
                            "distribution": name,
                            "prefixes": float(np.abs(off[1:-1]).mean()),
                            "ranges": float(np.abs(off[ends[:, 1]] - off[ends[:, 0]]).mean()),
                            "cells": float(np.abs(np.diff(off)).sum()),
                            "quantiles": rank_error(answers, truth),
                            "seconds": seconds,
                        }


def summarised(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    """Return means over distributions and draws; methods without public rows stand at each bias."""
    frame = pd.DataFrame(rows)
    blind = frame["method"].isin(BLIND)
    copies = [frame[blind].assign(bias=bias) for bias in BIASES if bias > 0]
    frame = pd.concat([frame, *copies], ignore_index=True)
    keys = ["bias", "private", "method"]
    means = frame.groupby(keys, sort=False)[["prefixes", "ranges", "cells", "quantiles", "seconds"]].mean()
    within = frame.groupby([*keys, "distribution"], sort=False)["prefixes"].agg(["var", "count"])
    error = (within["var"] / within["count"]).groupby(keys, sort=False).sum() ** 0.5 / len(set(frame["distribution"]))
    return means.assign(standard_error=error).reset_index()


def draw(errors: pd.DataFrame, path: Path) -> None:
    """Draw errors of prefixes over private rows, a panel for each bias, and of quantiles and histograms at bias 0."""
    sns.set_theme(style="whitegrid", context="paper")
    panels = [(bias, "prefixes") for bias in BIASES] + [(0.0, "quantiles"), (0.0, "cells")]
    titles = {
        "prefixes": "mean error of a prefix",
        "quantiles": "mean error of a rank",
        "cells": "L1 error of all cells",
    }
    methods = [PRIOR, FLAT, CONSISTENT, TWO_LEVELS, DYADIC, EACH, PAP, HALVED, UNTOLD, BUCKETS, ALONE, SMOOTH]
    colours = dict(zip(methods, sns.color_palette("husl", len(methods)), strict=True)) | {PRIOR: "black"}
    figure, grid = plt.subplots(2, 3, figsize=(11, 7), layout="constrained", sharex=True)
    for axis, (bias, what) in zip(grid.flat, panels, strict=True):
        for method, marker in zip(methods, "oXs^DvPph*<>", strict=True):
            part = errors[(errors["bias"] == bias) & (errors["method"] == method)].sort_values("private")
            look = {"color": colours[method], "linewidth": 2.2 if method == PRIOR else 1.0}
            look["linestyle"] = ":" if method in (ALONE, SMOOTH) else "-"
            axis.plot(part["private"], part[what], marker=marker, markersize=4, label=method, **look)
        which = "of one population" if bias == 0 else f"{bias:.0%} of the public rows of another one"
        axis.set(xscale="log", yscale="log", title=f"{titles[what]},\n{which}", xlabel="private rows")
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    figure.suptitle(f"{CELLS:,} cells, epsilon {EPSILON:g}, {PUBLIC} public rows")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(draws: int = DRAWS) -> None:
    start = time.process_time()
    errors = summarised(runs(draws))
    folder = ROOT / "results/benchmarks"
    tables.write(folder / "one_dimension.parquet", RESULTS, errors.to_dict("records"))
    draw(errors, folder / "one_dimension.png")
    for bias, what in itertools.product(BIASES, ("prefixes", "ranges", "cells", "quantiles")):
        shown = errors[errors["bias"] == bias].pivot(index="method", columns="private", values=what)
        print(f"\n{what}, bias {bias:g}\n{shown.to_string(float_format='%.5f')}")
    print(f"\nlargest standard error of prefixes: {errors['standard_error'].max():.4f}")
    print(f"written: results/benchmarks/one_dimension.parquet and .png, {time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
