"""``heat_map``: the quantile of each learner at its two sizes, its level lines, and the theorem's least sizes."""

import numpy as np
from drawn import Said, Shown, cells, contour, curve, like
from scipy import stats

from semipriv.core import registry
from semipriv.papers.abm19.bounds.sizes import excess_bound
from semipriv_lab.figures.base import learner_names


def shown(tables, hypothesis_class, levels, title="") -> list[Shown]:
    h = registry.build("classes", hypothesis_class)
    summary = tables["summary"].assign(shown=learner_names(tables["summary"]))
    found = []
    for panel, name in enumerate(dict.fromkeys(summary["shown"])):
        mine = summary[summary["shown"] == name]
        found.append(cells(panel, mine["n_public"], mine["n_private"], np.maximum(mine["quantile"], 1e-4)))
        grid = np.log(np.unique(mine["n_public"]))
        low, high = np.exp((3 * grid[0] - grid[1]) / 2), np.exp((3 * grid[-1] - grid[-2]) / 2)
        sizes = np.unique(np.geomspace(max(1.0, low), high, 400).astype(int))
        for alpha in levels:
            found.append(
                curve(
                    panel,
                    sizes,
                    [_least(int(m), h, *mine[["epsilon", "beta"]].iloc[0], alpha) for m in sizes],
                    like(f"theorem 3.1, $\\alpha={alpha:g}$"),
                )
            )
            table = mine.pivot(index="n_private", columns="n_public", values="quantile").clip(lower=1e-4)
            found.append(contour(panel, table, alpha, like(f"measured, $\\alpha={alpha:g}$")))
        found += _areas(panel, mine, tables["trials"], levels)
    return found


def _least(m: int, h, epsilon: float, beta: float, alpha: float) -> float:
    """The least number of private examples, by doubling and halving of steps."""
    log_cover = np.log(h.growth(m))
    if excess_bound(m, 2**40, epsilon, beta, h.vc_dimension, log_cover) > alpha:
        return np.nan
    n, step = 0, 2**40
    while step := step // 2:
        if excess_bound(m, n + step, epsilon, beta, h.vc_dimension, log_cover) > alpha:
            n += step
    return n + 1


def _areas(panel: int, mine, trials, levels) -> list[Shown]:
    """Where a level is between the limits of the quantile, each the order statistic with a binomial tail of 5 %."""
    n = trials.groupby(["learner", "n_public", "n_private"]).size().iloc[0]
    share = 1 - mine["beta"].iloc[0]
    below = [j for j in range(1, n + 1) if stats.binom.sf(j - 1, n, share) >= 0.95]
    above = [j for j in range(1, n + 1) if stats.binom.sf(j - 1, n, share) <= 0.05]
    own = trials[trials["learner"].isin(mine["learner"])].sort_values("excess")
    cells = own.groupby(["n_private", "n_public"])["excess"]
    low = cells.nth(below[-1] - 1) if below else 0 * cells.first()
    high = cells.nth(above[0] - 1) if above else 1 + 0 * cells.first()
    low, high = (_at(own, ends) if ends.index.nlevels == 1 else ends.unstack() for ends in (low, high))
    found = []
    for alpha in levels:
        inside = np.minimum(np.log(alpha / low.clip(lower=1e-4)), np.log(high.clip(lower=1e-4) / alpha))
        if inside.max(axis=None) > 0:
            found.append(contour(panel, inside, 0, like(f"measured, $\\alpha={alpha:g}$"), area=True))
    return found


def _at(trials, values):
    """Values by trial, as a table of n_private by n_public."""
    return trials.loc[values.index].pivot(index="n_private", columns="n_public", values="excess")


def said(tables, hypothesis_class, levels, title="") -> list[Said]:
    summary, trials = tables["summary"], tables["summary"]["trials"].iloc[0]
    names = dict.fromkeys(learner_names(summary))
    words = [f"{kind}, $\\alpha={alpha:g}$" for kind in ("measured", "theorem 3.1") for alpha in levels]
    legend = (*words, f"90 % limits, {trials} trials")
    public, private = "public points $n_{\\mathrm{public}}$", "private examples $n_{\\mathrm{private}}$"
    bar = f"{100 - 100 * summary['beta'].iloc[0]:g} % quantile of the excess error"
    return [
        Said(name, public, "" if i else private, "log log", legend=legend, bar="" if i else bar)
        for i, name in enumerate(names)
    ]
