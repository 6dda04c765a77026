"""Excess error against a size, beside the theory and the baselines."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from semipriv.figures.base import AXES, NAMES, WIDTH, Results, band, colours, learner_names, shared_legend

__all__ = ["draw"]


def draw(results: Results, x: str, titles: dict[str, str] | None = None, height: float = 2.1) -> Figure:
    """Draw the mean excess error with its 95 % band against x: a column for each case, a row for each epsilon.

    Dashed: the bound on A_SSPP that holds with probability 1 - beta, with the constants of ABM19 theorem 3.1's proof;
    dotted: the empirical (1 - beta)-quantile of A_SSPP, which that bound is about.
    """
    summary, slopes = results["summary"], results["slopes"]
    summary = summary.assign(shown=learner_names(summary))
    cases = list(dict.fromkeys(summary["case"]))
    epsilons = sorted(summary.loc[summary["name"] == "sspp", "epsilon"].unique())
    size = (WIDTH, 0.9 + height * len(epsilons))
    figure, grid = plt.subplots(len(epsilons), len(cases), figsize=size, sharex=True, sharey=True, squeeze=False)
    for row, epsilon in zip(grid, epsilons, strict=True):
        for axes, case in zip(row, cases, strict=True):
            here = summary["epsilon"].isna() | (summary["epsilon"] == epsilon)
            _panel(axes, summary[(summary["case"] == case) & here], x)
            _slope(axes, slopes, case, epsilon)
            axes.set_title(f"{(titles or {}).get(case, case)}, $\\varepsilon={epsilon:g}$")
    for axes in grid[-1]:
        axes.set_xlabel(AXES[x])
    for row in grid:
        row[0].set_ylabel(AXES["excess"])
    positive = summary.loc[summary["mean"] > 0, "mean"]
    grid[0, 0].set_ylim(bottom=max(0.5 * positive.min(), 1e-6), top=1.5)
    shared_legend(figure)
    return figure


def _panel(axes: Axes, frame: pd.DataFrame, x: str) -> None:
    colour = colours()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    for shown in NAMES.values():
        part = frame[frame["shown"] == shown]
        if len(part):
            band(axes, part, x, shown, colour.get(shown))
    learner = frame[frame["shown"] == NAMES["sspp"]].sort_values(x)
    if not len(learner):
        return
    percent = f"{100 * (1 - learner['beta'].iloc[0]):g} %"
    own = colour[NAMES["sspp"]]
    axes.plot(learner[x], learner["quantile"], ":", color=own, linewidth=1, label=f"A_SSPP, {percent} quantile")
    axes.plot(learner[x], learner["bound"], "--", color="black", linewidth=1, label=f"bound of theorem 3.1, {percent}")


def _slope(axes: Axes, slopes: pd.DataFrame, case: str, epsilon: float) -> None:
    """Write the fitted slope of A_SSPP into the panel, over the range in which it was fitted."""
    mine = slopes["learner"].str.startswith(f"sspp(epsilon={epsilon}, mechanism=exponential")
    found = slopes[(slopes["case"] == case) & mine]
    if len(found) and np.isfinite(found["slope"].iloc[0]):
        fit = found.iloc[0]
        limits = f"[{fit['low']:.2f}, {fit['high']:.2f}]"
        text = f"slope {fit['slope']:.2f} {limits}\nfor x in [{fit['low_x']:g}, {fit['high_x']:g}]"
        axes.text(0.03, 0.04, text, transform=axes.transAxes, fontsize="x-small", va="bottom")
