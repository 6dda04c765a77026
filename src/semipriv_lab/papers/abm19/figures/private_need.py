"""Private examples that A_SSPP needs against alpha, on the hard families of two hypotheses, beside theorem 3.1."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = r"With noise the need grows like $1/\alpha^2$, without like $1/\alpha$"

PANELS = {"ABM19-T3.1-agnostic": "agnostic: two constants", "ABM19-T3.1-realizable": "realizable: two hypotheses"}


def draw(results: Results) -> Figure:
    """Top: least n_private for an excess error of at most alpha with probability 0.95, exactly.

    Points: the exponential mechanism; dashes: theorem 3.1's size for two hypotheses, in the colours of the points, side
    by side where sizes coincide; wide: empirical risk minimisation without privacy.  Bottom: the need of
    permute-and-flip over that of the exponential mechanism.
    """
    rows = results["measurements"]
    figure, grid = plt.subplots(
        2, 2, figsize=page(4.6), sharex=True, sharey="row", height_ratios=(2.2, 1), squeeze=False
    )
    looks = dict(zip(sorted(rows["epsilon"].unique()), zip(PALETTE, MARKERS, strict=False), strict=False))
    for (claim, title), (top, bottom) in zip(PANELS.items(), grid.T, strict=True):
        cells = rows[rows["claim"] == claim]
        needs = cells[cells["quantity"] == "private examples needed"].sort_values("alpha")
        _needs(top, needs, looks)
        for epsilon, part in needs.groupby("epsilon"):
            size = part.pivot_table(index="alpha", columns="mechanism", values="measured")
            ratio = size["permute_and_flip"] / size["exponential"]
            colour, marker = looks[epsilon]
            bottom.plot(size.index, ratio, f"{marker}-", markersize=3, linewidth=1, color=colour)
        slopes = cells[(cells["quantity"] == "exponent in alpha") & (cells["mechanism"] == "exponential")]
        exponents = [f"${row.measured:.2f}\\;(\\varepsilon={row.epsilon:g})$" for row in slopes.itertuples()]
        top.set_title(f"{title}\nexponents {', '.join(exponents)}", fontsize="small")
        bottom.set_xlabel("excess error $\\alpha$")
    grid[0, 0].set_ylabel("private examples needed")
    grid[1, 0].set_ylabel("permute-and-flip /\nexponential")
    grid[1, 0].set_ylim(0, 1.05)
    shared_legend(figure, columns=4)
    return figure


def _needs(axes: Axes, needs: pd.DataFrame, looks: dict[float, tuple[tuple[float, float, float], str]]) -> None:
    axes.set(xscale="log", yscale="log")
    for i, (epsilon, part) in enumerate(needs.groupby("epsilon")):
        curve = part[part["mechanism"] == "exponential"]
        colour, marker = looks[epsilon]
        label = f"A_SSPP, $\\varepsilon={epsilon:g}$"
        axes.plot(curve["alpha"], curve["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label)
        dashes = (3.0 * i, (4.0, 5.0))
        axes.plot(curve["alpha"], curve["bound"], linestyle=dashes, linewidth=1, color=colour)
    free = needs[needs["mechanism"] == "minimum"].groupby("alpha")["measured"].max()
    label = "ERM, not private"
    axes.plot(free.index, free, color="black", linewidth=4, alpha=0.3, zorder=1, label=label)
    axes.plot([], [], "--", color="black", linewidth=1, label="theorem 3.1, two hypotheses")
