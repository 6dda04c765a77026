"""Private examples that A_SSPP needs against alpha, on the hard families of two hypotheses, beside theorem 3.1."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures.base import WIDTH, Results, shared_legend

__all__ = ["draw"]

PANELS = {"ABM19-T3.1-agnostic": "agnostic: two constants", "ABM19-T3.1-realizable": "realizable: two hypotheses"}


def draw(results: Results) -> Figure:
    """Top: least n_private with excess error <= alpha with probability 0.95 (exact; points: the exponential mechanism).

    Dashed: theorem 3.1's size for two hypotheses; wide: empirical risk minimisation without privacy.  Bottom: the
    share of the exponential mechanism's examples that permute-and-flip needs.
    """
    rows = results["measurements"]
    figure, grid = plt.subplots(
        2, 2, figsize=(WIDTH, 4.6), sharex=True, sharey="row", height_ratios=(2.2, 1), squeeze=False
    )
    colours = dict(zip(sorted(rows["epsilon"].unique()), sns.color_palette("colorblind"), strict=False))
    for (claim, title), (top, bottom) in zip(PANELS.items(), grid.T, strict=True):
        mine = rows[rows["claim"] == claim]
        needs = mine[mine["quantity"] == "private examples needed"].sort_values("alpha")
        _needs(top, needs, colours)
        for epsilon, part in needs.groupby("epsilon"):
            size = part.pivot_table(index="alpha", columns="mechanism", values="measured")
            ratio = size["permute_and_flip"] / size["exponential"]
            bottom.plot(size.index, ratio, "o-", markersize=3, linewidth=1, color=colours[epsilon])
        slopes = mine[(mine["quantity"] == "exponent in alpha") & (mine["mechanism"] == "exponential")]
        told = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in slopes.itertuples()]
        top.set_title(f"{title}\nexponents {', '.join(told)}", fontsize="small")
        bottom.set_xlabel("excess error $\\alpha$")
    grid[0, 0].set_ylabel("private examples needed")
    grid[1, 0].set_ylabel("permute-and-flip /\nexponential")
    grid[1, 0].set_ylim(0, 1.05)
    shared_legend(figure, columns=4)
    return figure


def _needs(axes: Axes, needs: pd.DataFrame, colours: dict[float, tuple[float, float, float]]) -> None:
    axes.set(xscale="log", yscale="log")
    for epsilon, part in needs.groupby("epsilon"):
        curve = part[part["mechanism"] == "exponential"]
        label = f"A_SSPP, $\\varepsilon={epsilon:g}$"
        axes.plot(
            curve["alpha"], curve["measured"], "o-", markersize=3, linewidth=1, color=colours[epsilon], label=label
        )
        axes.plot(curve["alpha"], curve["bound"], "--", linewidth=0.8, color=colours[epsilon])
    free = needs[needs["mechanism"] == "minimum"].drop_duplicates("alpha")
    label = "ERM, not private"
    axes.plot(free["alpha"], free["measured"], color="black", linewidth=4, alpha=0.3, zorder=1, label=label)
    axes.plot([], [], "--", color="black", linewidth=0.8, label="theorem 3.1, two hypotheses")
