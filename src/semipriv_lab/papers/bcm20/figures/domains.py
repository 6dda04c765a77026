"""Cells of representative domains against the number of queries, and how much of claim 3's bound they fill."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "Cells are mostly far fewer than the bound"

MARKERS = "osDv^P*"
CELLS, SUM = "cells", "cells, bound by the sum of binomial coefficients"


def draw(results: Results) -> Figure:
    """Left: cells of the covers that were enumerated, against their queries M.

    Right: cells over the sum of C(M, i), i <= p (points; dotted: equality), and over the printed bound (e M / p)^p
    (dashes); p is the dual VC dimension of the cover.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-C3"].sort_values("queries")
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0))
    names = rows[rows["quantity"] == CELLS]["class"].unique()
    for name, colour, marker in zip(sorted(names), PALETTE, MARKERS, strict=False):
        cells = rows[(rows["quantity"] == CELLS) & (rows["class"] == name)]
        bounded = rows[(rows["quantity"] == SUM) & (rows["class"] == name)]
        left.plot(cells["queries"], cells["measured"], marker, markersize=3, color=colour, label=name)
        right.plot(bounded["queries"], bounded["measured"] / bounded["bound"], marker, markersize=3, color=colour)
        right.plot(cells["queries"], cells["measured"] / cells["bound"], "--", linewidth=0.8, color=colour)
    right.plot([], [], "ko", markersize=3, label="right: over the sum")
    right.plot([], [], "k--", linewidth=0.8, label="right: over the printed bound")
    right.axhline(1, color="black", linestyle=":", linewidth=1)
    left.set_ylabel("cells $|\\mathcal{X}|$")
    right.set_ylabel("cells / bound")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel="queries $M$")
    shared_legend(figure, columns=4)
    return figure
