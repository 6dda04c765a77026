"""What the labels that a learner asks for tell of its points, and how few it may ask for."""

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.report.figures._fitting import shared_legend, ticks_at
from semipriv.report.figures._style import PALETTE, page
from semipriv.report.figures.base import Results

__all__ = ["draw"]

_CURVES = {
    "P[the swapped point is asked for] / P[a random point is], binary search": ("binary search", "o-"),
    "the same, passive": ("passive", "s-"),
}
_LEVELS = (0.5, 1.0)
"""Values of epsilon whose limits are drawn."""


def draw(results: Results) -> Figure:
    """Left: how much likelier a point near the threshold is asked for than any other one.

    At delta = 0 a learner whose transcript is private keeps the ratio below e^(2 epsilon) (dotted), as the proof of
    theorem 5.6 swaps the two points.  A passive learner, which cannot choose, keeps it at 1.  Right: labels that a
    binary search in a random part of the data asks for, which has delta = |part| / n and epsilon = 0, and the bound of
    the theorem without its term in n delta: for small alpha the bound asks for more, so that it needs the term.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.6))
    _ratios(left, rows)
    _labels(right, rows[rows["quantity"] == "labels of a search in a random pool"].sort_values("alpha"))
    shared_legend(figure, columns=3)
    return figure


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    for (quantity, (label, look)), colour in zip(_CURVES.items(), PALETTE, strict=False):
        part = rows[rows["quantity"] == quantity].sort_values("1 / alpha")
        axes.plot(part["1 / alpha"], part["measured"], look, markersize=3, linewidth=1, color=colour, label=label)
    for epsilon, grey in zip(_LEVELS, ("0.6", "0.3"), strict=True):
        label = f"$e^{{2\\varepsilon}}$, $\\varepsilon={epsilon:g}$"
        axes.axhline(math.exp(2 * epsilon), linestyle=":", linewidth=1, color=grey, label=label)
    axes.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="ratio $b/a$ of a swap")
    ticks_at(axes, rows["1 / alpha"].dropna())
    axes.set_title("20,000 points (exact)")


def _labels(axes: Axes, rows: pd.DataFrame) -> None:
    x = 1 / rows["alpha"]
    axes.plot(x, rows["measured"], "^-", markersize=3, linewidth=1, color=PALETTE[2], label="search in a random part")
    axes.plot(x, rows["bound"], "--", linewidth=1, color="black", label="bound without the term $n\\delta$")
    axes.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="labels")
    axes.set_title("$\\beta=1/4$, $\\varepsilon=0$ (exact)")
