"""The two relaxations of BMN20, from labels that determine privacy to labels that say nothing about it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Private zeros cost little until most zeros are private"

SWEEPS = ("independent thinning", "top of x_2", "worst case")
_BEST, _DRAWN = "mean of best of G less best halfspace", "mean error of A_LearnHalf"


def draw(results: Results) -> Figure:
    """Left: relaxation (i), a share of the zeros is private: excess of the best of G over the best halfspace.

    Dashed: all private zeros, P[private, y = 0], attained in the worst case; open: mean error of A_LearnHalf less that
    of the best halfspace, with 95 % limits.  Middle: relaxation (ii), ones are private with the probability shown: the
    same, if all public points span the regions (wide) or the public zeros alone.  Right: their ln|G|.
    """
    rows = results["measurements"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(3.0), width_ratios=(1.3, 1, 1))
    palette = PALETTE
    first = rows[rows["claim"] == "BMN20-RELAX-i"]
    for colour, marker, sweep in zip(palette, MARKERS, SWEEPS, strict=False):
        name = sweep.replace("x_2", "$x_2$")
        _curve(
            left,
            first[first["sweep"] == sweep],
            "rho",
            (colour, marker),
            f"best of $G$, {name}",
            f"A_LearnHalf, {name}",
        )
    shares = np.linspace(0, 1, 20)
    left.plot(shares, shares / 2, "--", color="black", linewidth=1, label="all private zeros")
    epsilon = rows["epsilon"].dropna().iloc[0]
    left.set_title(f"relaxation (i), $\\varepsilon={epsilon:g}$", fontsize="small")
    left.set(xlabel="P[private | $y=0$]", ylabel="error above the best halfspace")
    second = rows[(rows["claim"] == "BMN20-RELAX-ii") & (rows["sweep"] == "private ones")]
    for colour, marker, (construction, part) in zip(palette[3:], MARKERS, second.groupby("construction"), strict=False):
        wide = 3.0 if construction == "all public points" else 1.0
        _curve(
            middle,
            part,
            "share",
            (colour, marker),
            f"best of $G$, {construction}",
            f"A_LearnHalf, {construction}",
            wide,
        )
        sizes = part[part["quantity"] == "mean ln|G|"].sort_values("share")
        right.plot(sizes["share"], sizes["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour)
    middle.set_ylabel("error above the best halfspace")
    middle.set_title(f"relaxation (ii), $\\varepsilon={epsilon:g}$", fontsize="small")
    right.set_title("relaxation (ii), size of $G$", fontsize="small")
    right.set_ylabel("mean $\\ln|G|$")
    right.set_ylim(0, 1.08 * second.loc[second["quantity"] == "mean ln|G|", "measured"].max())
    for axes in (middle, right):
        axes.set_xlabel("P[private | $y=1$]")
    shared_legend(figure, columns=3)
    return figure


def _curve(
    axes: Axes, rows: pd.DataFrame, x: str, look: tuple[object, str], best: str, drawn: str, wide: float = 1.0
) -> None:
    """Draw the best of G, filled, and the draw, open, with its 95 % limits."""
    colour, marker = look
    part = rows[rows["quantity"].str.startswith(_BEST)].sort_values(x)
    axes.plot(
        part[x], part["measured"], f"{marker}-", markersize=3 * wide**0.5, linewidth=wide, color=colour, label=best
    )
    part = rows[rows["quantity"].str.startswith(_DRAWN)].sort_values(x)
    if len(part):
        axes.plot(
            part[x],
            part["measured"],
            f"{marker}-",
            markersize=3,
            linewidth=1,
            color=colour,
            markerfacecolor="white",
            label=drawn,
        )
        low, high = part["low"].clip(lower=-0.05), part["high"].clip(upper=0.6)
        axes.fill_between(part[x], low, high, color=colour, alpha=0.15, linewidth=0)
