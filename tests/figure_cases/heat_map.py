"""``heat_map``: the quantile of each learner at its two sizes, its level lines, and the theorem's least sizes."""

import numpy as np
from drawn import PanelText, Shown, cells, contour, curve, like
from scipy import stats

from semipriv.core import registry
from semipriv.papers.abm19.bounds.sizes import excess_bound
from semipriv_lab.figures.base import learner_names


def shown(tables, hypothesis_class, levels, title="") -> list[Shown]:
    h = registry.build("classes", hypothesis_class)
    summary = tables["summary"].assign(shown=learner_names(tables["summary"]))
    marks = []
    for panel, name in enumerate(dict.fromkeys(summary["shown"])):
        part = summary[summary["shown"] == name]
        marks.append(cells(panel, part["n_public"], part["n_private"], np.maximum(part["quantile"], 1e-4)))
        grid = np.log(np.unique(part["n_public"]))
        low, high = np.exp((3 * grid[0] - grid[1]) / 2), np.exp((3 * grid[-1] - grid[-2]) / 2)
        sizes = np.unique(np.geomspace(max(1.0, low), high, 400).astype(int))
        for alpha in levels:
            marks.append(
                curve(
                    panel,
                    sizes,
                    [_least(int(m), h, *part[["epsilon", "beta"]].iloc[0], alpha) for m in sizes],
                    like(f"theorem 3.1, $\\alpha={alpha:g}$"),
                )
            )
            table = part.pivot(index="n_private", columns="n_public", values="quantile").clip(lower=1e-4)
            marks.append(contour(panel, table, alpha, like(f"measured, $\\alpha={alpha:g}$")))
        marks += _areas(panel, part, tables["trials"], levels)
    return marks


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


def _areas(panel: int, part, trials, levels) -> list[Shown]:
    """Where a level is between the limits of the quantile, each the order statistic with a binomial tail of 5 %."""
    n = trials.groupby(["learner", "n_public", "n_private"]).size().iloc[0]
    share = 1 - part["beta"].iloc[0]
    below = [j for j in range(1, n + 1) if stats.binom.sf(j - 1, n, share) >= 0.95]
    above = [j for j in range(1, n + 1) if stats.binom.sf(j - 1, n, share) <= 0.05]
    own = trials[trials["learner"].isin(part["learner"])].sort_values("excess")
    cells = own.groupby(["n_private", "n_public"])["excess"]
    low = cells.nth(below[-1] - 1) if below else 0 * cells.first()
    high = cells.nth(above[0] - 1) if above else 1 + 0 * cells.first()
    low, high = (_at(own, ends) if ends.index.nlevels == 1 else ends.unstack() for ends in (low, high))
    marks = []
    for alpha in levels:
        inside = np.minimum(np.log(alpha / low.clip(lower=1e-4)), np.log(high.clip(lower=1e-4) / alpha))
        if inside.max(axis=None) > 0:
            marks.append(contour(panel, inside, 0, like(f"measured, $\\alpha={alpha:g}$"), area=True))
    return marks


def _at(trials, values):
    """Values by trial, as a table of n_private by n_public."""
    return trials.loc[values.index].pivot(index="n_private", columns="n_public", values="excess")


def texts(tables, hypothesis_class, levels, title="") -> list[PanelText]:
    summary, trials = tables["summary"], tables["summary"]["trials"].iloc[0]
    names = dict.fromkeys(learner_names(summary))
    words = [f"{kind}, $\\alpha={alpha:g}$" for kind in ("measured", "theorem 3.1") for alpha in levels]
    legend = (*words, f"90 % limits, {trials} trials")
    public, private = "public points $n_{\\mathrm{public}}$", "private examples $n_{\\mathrm{private}}$"
    bar = f"{100 - 100 * summary['beta'].iloc[0]:g} % quantile of the excess error"
    return [
        PanelText(name, public, "" if i else private, "log log", legend=legend, bar="" if i else bar)
        for i, name in enumerate(names)
    ]
