"""Private examples that A_SSPP needs against alpha, on the hard families of two hypotheses, beside theorem 3.1."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import page
from semipriv.figures.base import MARKERS, Results

__all__ = ["draw"]

PANELS = {"ABM19-T3.1-agnostic": "agnostic: two constants", "ABM19-T3.1-realizable": "realizable: two hypotheses"}


def draw(results: Results) -> Figure:
    """Top: least n_private for an excess error of at most alpha with probability 0.95, exactly.

    Points: the exponential mechanism; dashed: theorem 3.1's size for two hypotheses; wide: empirical risk minimisation
    without privacy.  Bottom: the need of permute-and-flip over that of the exponential mechanism.
    """
    rows = results["measurements"]
    figure, grid = plt.subplots(
        2, 2, figsize=page(4.6), sharex=True, sharey="row", height_ratios=(2.2, 1), squeeze=False
    )
    looks = dict(
        zip(sorted(rows["epsilon"].unique()), zip(sns.color_palette("colorblind"), MARKERS, strict=False), strict=False)
    )
    for (claim, title), (top, bottom) in zip(PANELS.items(), grid.T, strict=True):
        mine = rows[rows["claim"] == claim]
        needs = mine[mine["quantity"] == "private examples needed"].sort_values("alpha")
        _needs(top, needs, looks)
        for epsilon, part in needs.groupby("epsilon"):
            size = part.pivot_table(index="alpha", columns="mechanism", values="measured")
            ratio = size["permute_and_flip"] / size["exponential"]
            colour, marker = looks[epsilon]
            bottom.plot(size.index, ratio, f"{marker}-", markersize=3, linewidth=1, color=colour)
        slopes = mine[(mine["quantity"] == "exponent in alpha") & (mine["mechanism"] == "exponential")]
        told = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in slopes.itertuples()]
        top.set_title(f"{title}\nexponents {', '.join(told)}", fontsize="small")
        bottom.set_xlabel("excess error $\\alpha$")
    grid[0, 0].set_ylabel("private examples needed")
    grid[1, 0].set_ylabel("permute-and-flip /\nexponential")
    grid[1, 0].set_ylim(0, 1.05)
    shared_legend(figure, columns=4)
    return figure


def _needs(axes: Axes, needs: pd.DataFrame, looks: dict[float, tuple[tuple[float, float, float], str]]) -> None:
    axes.set(xscale="log", yscale="log")
    for epsilon, part in needs.groupby("epsilon"):
        curve = part[part["mechanism"] == "exponential"]
        colour, marker = looks[epsilon]
        label = f"A_SSPP, $\\varepsilon={epsilon:g}$"
        axes.plot(curve["alpha"], curve["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label)
        axes.plot(curve["alpha"], curve["bound"], "--", linewidth=0.8, color=colour)
    free = needs[needs["mechanism"] == "minimum"].drop_duplicates("alpha")
    label = "ERM, not private"
    axes.plot(free["alpha"], free["measured"], color="black", linewidth=4, alpha=0.3, zorder=1, label=label)
    axes.plot([], [], "--", color="black", linewidth=0.8, label="theorem 3.1, two hypotheses")
