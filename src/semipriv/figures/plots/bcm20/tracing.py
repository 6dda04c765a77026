"""The tracing attack: how many private records it finds, and what a differentially private release allows."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import PALETTE, page
from semipriv.figures.base import MARKERS, Results

__all__ = ["draw"]

_RELEASES = {
    "exact": "exact means",
    "Gaussian, noise / 16": "Gaussian, noise / 16",
    "Gaussian, noise / 4": "Gaussian, noise / 4",
    "Gaussian": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
}


_SIZES = (4, 6, 3, 4)
"""Of markers: two of the curves lie on each other, as p alpha^2 is the same."""


def draw(results: Results) -> Figure:
    """Left: share of private records traced at 1 % false positives, means with uniform noise in [-alpha, alpha].

    Dashed: predicted from mean and variance of the score, population known.  Right: true-positive against
    false-positive rates of the same attack on 100 records with p = 1000: exact means, the Gaussian release, and the
    same with less noise, which has no such guarantee.  Black: what epsilon and delta of the release allow every attack.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0))
    traced = rows[rows["quantity"] == "true-positive rate at 1 % false positives"]
    _traced(left, traced)
    _trade_off(right, rows[rows["quantity"] == "true-positive rate"])
    shared_legend(figure, columns=3)
    return figure


def _traced(axes: Axes, rows: pd.DataFrame) -> None:
    cells = rows.groupby(["p", "alpha"])
    for colour, marker, size, ((p, alpha), part) in zip(PALETTE, MARKERS, _SIZES, cells, strict=False):
        curve = part.sort_values("factor")
        axes.plot(curve["factor"], curve["bound"], "--", linewidth=1, color=colour)
        label = f"$p={p:g}$, $\\alpha={alpha:g}$"
        axes.plot(curve["factor"], curve["measured"], marker, markersize=size, color=colour, label=label)
    axes.plot([], [], "--", linewidth=1, color="grey", label="predicted")
    axes.axhline(0.01, linestyle=":", linewidth=1, color="grey")
    axes.set(xscale="log", ylim=(0, 1), xlabel="$n\\,\\alpha/\\sqrt{p}$", ylabel="private records traced")
    axes.set_xticks(sorted(rows["factor"].unique()), [f"{x:g}" for x in sorted(rows["factor"].unique())])
    axes.minorticks_off()
    axes.set_title("uniform noise, 1 % false positives")


def _trade_off(axes: Axes, rows: pd.DataFrame) -> None:
    for i, (release, label) in enumerate(_RELEASES.items()):
        curve = rows[rows["release"] == release].sort_values("rate")
        colour, marker = PALETTE[(4, 5, 6, 9)[i]], "XphD"[i]
        axes.plot(curve["rate"], curve["measured"], f"{marker}-", markersize=4, linewidth=1, color=colour, label=label)
    own = rows[rows["release"] == "Gaussian"].sort_values("rate")
    axes.plot(
        own["rate"], own["bound"], color="black", linewidth=1.2, label="bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"
    )
    axes.plot(own["rate"], own["rate"], ":", color="grey", linewidth=1, label="guessing")
    axes.set(xscale="log", yscale="log", xlabel="false-positive rate", ylabel="true-positive rate")
    axes.set_title("a private release")
