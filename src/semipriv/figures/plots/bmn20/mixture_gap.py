"""The gap in A_ConstrHalf: the data set that refutes the literal reading, and those on which the repair held."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import page
from semipriv.figures.base import Results
from semipriv.studies.bmn20.geometry import BETTER, GAP, LITERAL, VIOLATIONS, histogram, prepared

__all__ = ["draw"]

_COLOURS = sns.color_palette("colorblind")
_PUBLIC, _PRIVATE, _REGION, _WRONG = _COLOURS[0], _COLOURS[1], _COLOURS[2], _COLOURS[3]
_LOOKS = {1: ("o", _COLOURS[7]), 2: ("s", _COLOURS[4]), 3: ("^", _COLOURS[9])}


def draw(results: Results) -> Figure:
    """Top: three public points (label 0) and three private ones (label 1) on a line; the region labelled 0 by the best
    member of G.  Left, every boundary that the paper leaves open is that line: a region has all of it or nothing.
    Right, boundaries are spanned inside the line, which are points: nothing is mistaken.

    Below, left: share of data sets on which the best member of G makes fewer mistakes than the best halfspace (ERM); in
    brackets on how many it makes more, in facet or full mode, and of how many.  Right: share of data sets on which it
    makes more if arbitrary boundaries contain all public points wherever they can.
    """
    rows = results["measurements"]
    figure = plt.figure(figsize=page(5.2))
    top, bottom = np.asarray(figure.subfigures(2, 1, height_ratios=(1, 2.1))).tolist()
    for axes, mode, title in zip(
        top.subplots(1, 2),
        (LITERAL, "facet"),
        ("boundaries may contain all public points", "facet mode: boundaries inside the affine hull"),
        strict=True,
    ):
        _counterexample(axes, mode, title)
    left, right = bottom.subplots(1, 2, sharey=True)
    better = rows[(rows["claim"] == "BMN20-GSTAR") & (rows["quantity"] == BETTER) & (rows["mode"] == "facet")]
    without = rows[(rows["claim"] == "BMN20-O4.2-literal") & rows["measured"].between(0, 1) & rows["bound"].isna()]
    kinds = list(dict.fromkeys(better["points"]))[::-1]
    _shares(left, better, kinds)
    _shares(right, without, kinds)
    left.set_yticks(range(len(kinds)), [_counted(kind, rows) for kind in kinds])
    left.set(xlabel="share of data sets")
    left.set_title("facet mode: G better than ERM")
    right.set(xlabel="share of data sets")
    right.set_title("literal reading: G worse than ERM")
    shared_legend(figure, columns=4)
    return figure


def _counterexample(axes: Axes, mode: str, title: str) -> None:
    cover = prepared(GAP, mode)
    everyone = np.concatenate([GAP.public, GAP.private]).astype(np.float64)
    labels = np.repeat([0, 1], [len(GAP.public), len(GAP.private)])
    listed = cover.listed()
    mistakes = listed.mistakes(everyone, labels)
    low, high = int(everyone[:, 0].min()) - 1, int(everyone[:, 0].max()) + 1
    axis = np.column_stack([np.arange(low, high + 1), np.zeros(high - low + 1)])
    best = listed.parameters[mistakes == histogram(cover, GAP)[0][0]]
    zeros = ~cover.functions.predict(best, axis)
    chosen = int(np.argmax(zeros.sum(axis=1)))
    inside = axis[zeros[chosen], 0]
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.plot(
        inside[[0, -1]],
        [0, 0],
        color=_REGION,
        linewidth=9,
        alpha=0.4,
        solid_capstyle="butt",
        label="region: label 0",
        zorder=1,
    )
    for points, colour, marker, name in (
        (GAP.public, _PUBLIC, "o", "public, label 0"),
        (GAP.private, _PRIVATE, "^", "private, label 1"),
    ):
        axes.plot(points[:, 0], points[:, 1], marker, color=colour, markersize=6, label=name)
    wrong = everyone[cover.functions.predict(best[chosen : chosen + 1], everyone)[0] != labels]
    axes.plot(wrong[:, 0], wrong[:, 1], "x", color="black", markersize=11, label="mistake")
    axes.set(xlim=(low + 0.4, high - 0.4), ylim=(-1, 1), yticks=[], xlabel="$x_1$")
    axes.grid(visible=False)
    axes.set_title(f"{title}:\n{len(wrong)} mistakes, the best halfspace makes none", fontsize="medium")


def _shares(axes: Axes, rows: pd.DataFrame, kinds: list[str]) -> None:
    for d, (marker, colour) in _LOOKS.items():
        part = rows[rows["d"] == d]
        height = [kinds.index(kind) + 0.27 * (2 - d) for kind in part["points"]]
        axes.plot(part["measured"], height, marker, markersize=4, color=colour, label=f"$d={d}$")
    axes.set(xlim=(-0.02, None), ylim=(-0.6, len(kinds) - 0.4))


def _counted(kind: str, rows: pd.DataFrame) -> str:
    """The kind, and on how many of its data sets, of all dimensions, how many violations there were."""
    gates = rows[(rows["claim"] == "BMN20-GSTAR") & (rows["quantity"] == VIOLATIONS["BMN20-GSTAR"])]
    own = gates[gates["points"] == kind]
    count = own[own["mode"] == "facet"]["data_sets"].sum()
    return f"{kind} ({own['measured'].sum():.0f} of {count:,.0f})"
