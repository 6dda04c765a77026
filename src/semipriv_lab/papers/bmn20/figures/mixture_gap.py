"""The gap in A_ConstrHalf: the data set that refutes the literal reading, and data sets on which the repair held."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "A literal reading makes mistakes that the best halfspace does not"

BETTER = "G better than the best halfspace, share of data sets"
WITHOUT = "data sets without a g*, share"
VIOLATIONS = "data sets without a g*"
PLACE, END = "x_1 of an example of the counterexample", "x_1 of an end of the region with label 0"

_COLOURS = PALETTE
_PUBLIC, _PRIVATE, _REGION = _COLOURS[0], _COLOURS[1], _COLOURS[2]
_LOOKS = {1: ("o", _COLOURS[7]), 2: ("s", _COLOURS[4]), 3: ("^", _COLOURS[9])}


def draw(results: Results) -> Figure:
    """Top: three public points (label 0) and three private ones (label 1) on a line, with the region that the best
    member of G labels 0.  Left, every boundary that the paper leaves open is that line, so that a region has all of it
    or nothing.  Right, boundaries are points inside the line, and the best member makes no mistake.

    Below, left: share of data sets on which the best member of G makes fewer mistakes than the best halfspace (ERM).
    In brackets: number of data sets on which it makes more, in facet or full mode, and number of all data sets.  Right:
    share of data sets on which it makes more if arbitrary boundaries contain all public points wherever they can.
    """
    rows = results["measurements"]
    figure = plt.figure(figsize=page(5.2))
    top, bottom = np.asarray(figure.subfigures(2, 1, height_ratios=(1, 2.1))).tolist()
    for axes, mode, title in zip(
        top.subplots(1, 2),
        ("containing", "facet"),
        ("boundaries may contain all public points", "facet mode: boundaries inside the affine hull"),
        strict=True,
    ):
        _counterexample(axes, rows[rows["mode"] == mode], title)
    left, right = bottom.subplots(1, 2, sharey=True)
    better = rows[(rows["claim"] == "BMN20-GSTAR") & (rows["quantity"] == BETTER) & (rows["mode"] == "facet")]
    without = rows[rows["quantity"] == WITHOUT]
    kinds = list(dict.fromkeys(better["points"]))[::-1]
    _shares(left, better, kinds)
    _shares(right, without, kinds)
    left.set_yticks(range(len(kinds)), [_counted(kind, rows) for kind in kinds])
    left.set(xlabel="share of data sets", ylabel="data sets (G worse in facet or full mode, of all)")
    left.set_title("facet mode: G better than ERM", fontsize="small")
    right.set(xlabel="share of data sets")
    right.set_title("literal reading: G worse than ERM", fontsize="small")
    shared_legend(figure, columns=4)
    return figure


def _counterexample(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    points = rows[rows["quantity"] == PLACE]
    ends = rows[rows["quantity"] == END]
    low, high = points["measured"].min() - 1, points["measured"].max() + 1
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.plot(
        ends["measured"].to_numpy(),
        [0, 0],
        color=_REGION,
        linewidth=9,
        alpha=0.4,
        solid_capstyle="butt",
        label="region: label 0",
        zorder=1,
    )
    for status, colour, marker, name in (
        ("public", _PUBLIC, "o", "public, label 0"),
        ("private", _PRIVATE, "^", "private, label 1"),
    ):
        part = points[points["status"] == status]
        axes.plot(part["measured"], part["x_2"], marker, color=colour, markersize=6, label=name)
    wrong = points[points["mistaken"] == 1]
    axes.plot(wrong["measured"], wrong["x_2"], "x", color="black", markersize=11, label="mistake")
    axes.set(xlim=(low + 0.4, high - 0.4), ylim=(-1, 1), yticks=[], xlabel="$x_1$")
    axes.grid(visible=False)
    axes.set_title(f"{title}:\n{len(wrong)} mistakes, the best halfspace makes none", fontsize="small")


def _shares(axes: Axes, rows: pd.DataFrame, kinds: list[str]) -> None:
    for d, (marker, colour) in _LOOKS.items():
        part = rows[rows["d"] == d]
        height = [kinds.index(kind) + 0.27 * (2 - d) for kind in part["points"]]
        axes.plot(part["measured"], height, marker, markersize=3, color=colour, label=f"$d={d}$")
    axes.set(xlim=(-0.02, None), ylim=(-0.6, len(kinds) - 0.4))


def _counted(kind: str, rows: pd.DataFrame) -> str:
    """Return the kind as text, with its numbers of violations and of data sets over all dimensions."""
    gates = rows[(rows["claim"] == "BMN20-GSTAR") & (rows["quantity"] == VIOLATIONS)]
    own = gates[gates["points"] == kind]
    count = own[own["mode"] == "facet"]["data_sets"].sum()
    return f"{kind} ({own['measured'].sum():.0f} of {count:,.0f})"
