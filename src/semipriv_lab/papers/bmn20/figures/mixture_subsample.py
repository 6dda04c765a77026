"""What building regions from a public subset costs, and what the private draw gains."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "A subset of the public points loses less than the bound"


def draw(results: Results) -> Figure:
    """Left: loss of the best of G over the best halfspace at the largest n, against the size of the random subset.

    Points: mean and largest over subsets; dashed: the proven gamma, which says nothing above 1.  Right, a column for
    each dimension: mean error of A_LearnHalf less that of the best halfspace; dotted: the ln|G| term of the draw alone;
    ring: the best of the sizes tried.
    """
    rows = results["measurements"]
    dimensions = sorted(rows["d"].unique())
    figure, panels = plt.subplots(1, 1 + len(dimensions), figsize=page(3.0))
    _losses(panels[0], rows[rows["n"] == rows["n"].max()])
    for axes, d in zip(panels[1:], dimensions, strict=True):
        _trade_off(axes, rows[rows["d"] == d])
        axes.set_title(f"error of A_LearnHalf, $d={d:g}$", fontsize="small")
    panels[1].set_ylabel("mean excess error")
    for axes in panels:
        axes.set(xscale="log", yscale="log", xlabel="public points in the subset")
    shared_legend(figure, columns=3)
    return figure


def _size(n: float) -> str:
    return f"$n={n:,.0f}$".replace(",", "{,}")


def _losses(axes: Axes, rows: pd.DataFrame) -> None:
    for colour, (d, part) in zip(PALETTE, rows.groupby("d"), strict=False):
        mean = part[part["quantity"].str.startswith("mean loss")].sort_values("subset")
        worst = part[part["quantity"].str.startswith("largest loss")].sort_values("subset")
        axes.plot(
            mean["subset"], mean["measured"], "o-", markersize=3, linewidth=1, color=colour, label=f"mean, $d={d:g}$"
        )
        axes.plot(worst["subset"], worst["measured"], "v", markersize=3, color=colour, label=f"largest, $d={d:g}$")
        axes.plot(mean["subset"], mean["bound"], "--", linewidth=1, color=colour, label=f"$\\gamma$, $d={d:g}$")
    axes.set_title(f"loss of the best of $G$, {_size(rows['n'].max())}", fontsize="small")
    axes.set_ylabel("share of the public points")


def _trade_off(axes: Axes, rows: pd.DataFrame) -> None:
    excess = rows[rows["quantity"].str.startswith("mean error")]
    term = rows[rows["quantity"].str.startswith("ln|G| term")]
    sizes, epsilons = sorted(excess["n"].unique()), sorted(excess["epsilon"].unique())
    looks = dict(zip(sizes, zip(PALETTE[2:], MARKERS, strict=False), strict=False))
    for (n, epsilon), part in excess.groupby(["n", "epsilon"]):
        curve = part.sort_values("subset")
        colour, marker = looks[n]
        label = f"{_size(n)}, $\\varepsilon={epsilon:g}$"
        axes.plot(
            curve["subset"],
            curve["measured"],
            f"{marker}-",
            markersize=3,
            linewidth=1,
            color=colour,
            markerfacecolor=colour if epsilon == epsilons[-1] else "white",
            label=label,
        )
        best = curve.loc[curve["measured"].idxmin()]
        axes.plot(best["subset"], best["measured"], "o", markersize=8, color=colour, fillstyle="none")
        share = term[(term["n"] == n) & (term["epsilon"] == epsilon)].sort_values("subset")
        if epsilon == epsilons[0]:
            axes.plot(share["subset"], share["measured"], ":", linewidth=1, color=colour)
    axes.plot([], [], "ko", markersize=8, fillstyle="none", label="best size of the subset")
    axes.plot([], [], ":", color="black", linewidth=1, label=f"$\\ln|G|$ term, $\\varepsilon={epsilons[0]:g}$")
    top = max(excess["measured"].max(), term.loc[term["epsilon"] == epsilons[0], "measured"].max())
    axes.set_ylim(0.4 * float(excess["measured"][excess["measured"] > 0].min()), 1.5 * top)
