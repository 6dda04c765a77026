"""Excess error over a grid of public and private sizes, beside the theorem's frontier."""

import math
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.patheffects import AbstractPathEffect, withStroke
from scipy import special

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import page
from semipriv.papers.abm19.bounds.sizes import excess_bound
from semipriv_lab.figures.base import AXES, Results, learner_names

__all__ = ["draw"]

TABLES = ("summary", "trials")
"""Tables of results that this figure reads."""

MEASURES = ("population_error",)
"""Measures that this figure shows."""

SIZES = ("n_public", "n_private")
"""Size keys that an experiment must have for this figure."""

VARY = ("n_public", "n_private")
"""Sizes of which an experiment must have several for this figure."""

LEAST = 1e-4
"""Least quantile with a colour of its own; smaller ones have the same colour."""

ERROR = 0.05
"""Probability with which a quantile is below its band, and with which it is above."""

COLOURS = ("#000000", "#8c0800", "#001c7f", "#591e71")
"""Dark colours of levels; the map below them is pale."""

_EDGE: list[AbstractPathEffect] = [withStroke(linewidth=2.6, foreground="white")]


def draw(results: Results, hypothesis_class: dict[str, Any], levels: list[float], title: str = "") -> Figure:
    """Draw the empirical (1 - beta)-quantile of the excess error, a panel for each learner, contours at the levels.

    Shaded: where the level is between the limits of the quantile, from order statistics of the trials, each limit with
    error 5 %.  If even the largest trial is no upper limit, there is none.

    Dashed: for each level the least sizes at which the bound of ABM19 theorem 3.1 (``excess_bound``) is at most the
    level; the bound holds with probability 1 - beta.

    Args:
        results: tables of the experiment.
        hypothesis_class: as in an experiment; the bound needs its dimension and its growth.
        levels: excess errors of the contours.
        title: of the figure.

    Returns:
        The figure.
    """
    h: HypothesisClass = registry.build("classes", hypothesis_class)
    summary, trials = results["summary"], results["trials"]
    shown = learner_names(summary)
    names = list(dict.fromkeys(shown))
    figure, panels = plt.subplots(1, len(names), figsize=page(3.1), sharex=True, sharey=True, squeeze=False)
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(levels))]
    for axes, name in zip(panels[0], names, strict=True):
        rows = summary[shown == name]
        image = _panel(axes, rows, levels, colours)
        _bands(axes, trials[trials["learner"].isin(rows["learner"])], float(rows["beta"].iloc[0]), levels, colours)
        _frontiers(axes, summary[shown == name], h, levels, colours)
        axes.set_title(name, fontsize="small")
        axes.set_xlabel(AXES["n_public"])
    panels[0, 0].set_ylabel(AXES["n_private"])
    percent = f"{100 * (1 - summary['beta'].iloc[0]):g} %"
    figure.colorbar(image, ax=panels[0], label=f"{percent} quantile of the excess error", shrink=0.9)
    for level, colour in zip(levels, colours, strict=True):
        panels[0, 0].plot([], [], color=colour, label=f"measured, $\\alpha={level:g}$")
        panels[0, 0].plot([], [], "--", color=colour, label=f"theorem 3.1, $\\alpha={level:g}$")
    trials_of = f"{100 * (1 - 2 * ERROR):g} % limits, {summary['trials'].min()} trials"
    panels[0, 0].fill_between([], [], [], color="grey", alpha=0.35, linewidth=0, label=trials_of)
    figure.suptitle(title, fontsize="medium")
    shared_legend(figure, columns=len(levels) + 1)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, levels: list[float], colours: list[Any]) -> Any:
    table = rows.pivot_table(index="n_private", columns="n_public", values="quantile")
    values = np.maximum(table.to_numpy(), LEAST)
    axes.set(xscale="log", yscale="log")
    image = axes.pcolormesh(
        _edges(table.columns.to_numpy(float)),
        _edges(table.index.to_numpy(float)),
        values,
        norm=LogNorm(LEAST, 1.0),
        cmap=_pale(),
        rasterized=True,
    )
    increasing = sorted(zip(levels, colours, strict=True), key=lambda pair: pair[0])
    lines = axes.contour(
        table.columns,
        table.index,
        values,
        levels=[level for level, _ in increasing],
        colors=[colour for _, colour in increasing],
        linewidths=1.2,
    )
    lines.set_path_effects(_EDGE)
    axes.grid(False)
    return image


def _pale() -> LinearSegmentedColormap:
    """Return the paler part of the map "YlGnBu", so that dark lines on it can be seen."""
    colours = mpl.colormaps["YlGnBu"](np.linspace(0, 0.5, 64))
    return LinearSegmentedColormap.from_list("pale", colours)


def _bands(axes: Axes, trials: pd.DataFrame, beta: float, levels: list[float], colours: list[Any]) -> None:
    """Shade, for each level, where it lies between the limits of the quantile; between cells by log-linear steps."""
    cells = trials.groupby(["n_private", "n_public"])["excess"]
    low, high = (np.log(np.maximum(cells.apply(end).unstack(), LEAST)) for end in _limits(beta))
    for level, colour in zip(levels, colours, strict=True):
        inside = np.minimum(math.log(level) - low, high - math.log(level))
        if inside.to_numpy().max() > 0:
            area = axes.contourf(inside.columns, inside.index, inside, levels=[0, np.inf], colors=[colour], alpha=0.3)
            area.set_edgecolor("none")


def _limits(beta: float) -> tuple[Callable[[pd.Series], float], Callable[[pd.Series], float]]:
    """Return functions that give the lower and the upper limit of the (1 - beta)-quantile of a sample.

    The j-th smallest of n values is at most the quantile with probability P[Bin(n, 1 - beta) >= j], and at least it
    with P[Bin(n, 1 - beta) <= j - 1] or more.
    """

    def below(values: pd.Series) -> float:
        n = len(values)
        ranks = np.arange(1, n + 1)
        fine = ranks[special.bdtr(ranks - 1, n, 1 - beta) <= ERROR]
        return float(np.sort(values)[fine[-1] - 1]) if len(fine) else 0.0

    def above(values: pd.Series) -> float:
        n = len(values)
        ranks = np.arange(1, n + 1)
        fine = ranks[special.bdtr(ranks - 1, n, 1 - beta) >= 1 - ERROR]
        return float(np.sort(values)[fine[0] - 1]) if len(fine) else 1.0

    return below, above


def _edges(centres: np.ndarray) -> np.ndarray:
    """Return borders half-way between increasing centres on a logarithmic scale."""
    logs = np.log(centres)
    inner = (logs[:-1] + logs[1:]) / 2
    return np.exp(np.concatenate([[2 * logs[0] - inner[0]], inner, [2 * logs[-1] - inner[-1]]]))


def _frontiers(axes: Axes, rows: pd.DataFrame, h: HypothesisClass, levels: list[float], colours: list[Any]) -> None:
    """Draw, for each level, the least number of private examples with a bound at most the level, over public points."""
    epsilon, beta = float(rows["epsilon"].iloc[0]), float(rows["beta"].iloc[0])
    low, high = axes.get_xlim()
    publics = np.unique(np.geomspace(max(1.0, low), high, 400).astype(int))
    for level, colour in zip(levels, colours, strict=True):
        needed = [_least(int(m), h, epsilon, beta, level) for m in publics]
        axes.plot(publics, needed, "--", color=colour, linewidth=1.2, path_effects=_EDGE)
    axes.set_ylim(top=10 * rows["n_private"].max())


def _least(m: int, h: HypothesisClass, epsilon: float, beta: float, level: float) -> float:
    """Return the least n_private with excess_bound <= level, by bisection; NaN if no number suffices."""
    log_cover = math.log(h.growth(m))

    def bound(n: int) -> float:
        return excess_bound(m, n, epsilon, beta, h.vc_dimension, log_cover)

    low, high = 1, 2**40
    if bound(high) > level:
        return math.nan
    while high - low > 1:
        middle = math.isqrt(low * high) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if bound(middle) <= level else (middle, high)
    return float(high)
