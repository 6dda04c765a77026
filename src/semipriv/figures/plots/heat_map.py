"""Excess error over a grid of public and private sizes, beside the theorem's frontier."""

import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from semipriv import registry
from semipriv.bounds.abm19.sizes import excess_bound
from semipriv.classes.base import HypothesisClass
from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import page
from semipriv.figures.base import AXES, Results, learner_names

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

SIZES = ("n_public", "n_private")
"""Size keys that an experiment must have for this figure."""

VARY = ("n_public", "n_private")
"""Sizes of which an experiment must have several for this figure."""

LEAST = 1e-4
"""Least quantile with a colour of its own; smaller ones have the same colour."""


def draw(results: Results, hypothesis_class: dict[str, Any], levels: list[float], title: str = "") -> Figure:
    """Draw the empirical (1 - beta)-quantile of the excess error, a panel for each learner, contours at the levels.

    Dashed: for each level the least sizes at which the bound of ABM19 theorem 3.1 (``excess_bound``) is at most the
    level; the bound holds with probability 1 - beta.  hypothesis_class: as in an experiment; the bound needs its
    dimension and its growth.
    """
    h: HypothesisClass = registry.build("classes", hypothesis_class)
    summary = results["summary"]
    shown = learner_names(summary)
    names = list(dict.fromkeys(shown))
    figure, panels = plt.subplots(1, len(names), figsize=page(3.1), sharex=True, sharey=True, squeeze=False)
    colours = sns.color_palette("dark", len(levels))
    for axes, name in zip(panels[0], names, strict=True):
        image = _panel(axes, summary[shown == name], levels, colours)
        _frontiers(axes, summary[shown == name], h, levels, colours)
        axes.set_title(name, fontsize="small")
        axes.set_xlabel(AXES["n_public"])
    panels[0, 0].set_ylabel(AXES["n_private"])
    percent = f"{100 * (1 - summary['beta'].iloc[0]):g} %"
    figure.colorbar(image, ax=panels[0], label=f"{percent} quantile of the excess", shrink=0.9)
    for level, colour in zip(levels, colours, strict=True):
        panels[0, 0].plot([], [], color=colour, label=f"measured, $\\alpha={level:g}$")
    for level, colour in zip(levels, colours, strict=True):
        panels[0, 0].plot([], [], "--", color=colour, label=f"theorem 3.1, $\\alpha={level:g}$")
    figure.suptitle(title, fontsize="medium")
    shared_legend(figure, columns=len(levels))
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
        cmap="cividis_r",
        rasterized=True,
    )
    increasing = sorted(zip(levels, colours, strict=True), key=lambda pair: pair[0])
    axes.contour(
        table.columns,
        table.index,
        values,
        levels=[level for level, _ in increasing],
        colors=[colour for _, colour in increasing],
        linewidths=1.4,
    )
    axes.grid(False)
    return image


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
        axes.plot(publics, needed, "--", color=colour, linewidth=1.2)
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
