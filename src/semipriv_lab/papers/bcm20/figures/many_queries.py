"""Errors of private methods against the number of multi-way queries, on few cells and on as many cells as queries."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "If queries are many, MWEM wins over noise on each"

ERROR, PREDICTED = "largest error of an answer, mean", "largest error of an answer, by its formula"
_METHODS = {
    "MWEM": ("MWEM", "o"),
    "PMW": ("PMW, at the least target that its threshold does not exceed", "s"),
    "noise on each query": ("Gaussian noise on each query", "^"),
    "noise on cells": ("Gaussian noise on each cell", "D"),
    "uniform rows": ("uniform rows, nothing private", "x"),
}


def draw(results: Results) -> Figure:
    """Largest error of an answer, labels -1 and 1, to all parities of p bits, against log2 of their number.

    100,000 records, epsilon = 1, delta = 1e-6; the private distribution is tilted by three parities.  Left: the cells
    are 256 distinct rows, as of a small public table.  Right: all 2^p rows.  Points are means of one to three runs;
    dotted: formulas, of PMW its target in the scale of -1 and 1.  On few cells noise on each of them is as good as
    MWEM; on many, multiplicative weights win, and PMW, with its constants, only beyond what was run.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-T10-methods"]
    figure, panels = plt.subplots(1, 2, figsize=page(3.0), sharey=True)
    for axes, support in zip(panels, ("256 rows", "all rows"), strict=True):
        own = rows[rows["support"] == support].sort_values("bits")
        for colour, (method, (label, marker)) in zip(PALETTE, _METHODS.items(), strict=False):
            runs, formula = (own[(own["method"] == method) & (own["quantity"] == kind)] for kind in (ERROR, PREDICTED))
            axes.plot(
                runs["bits"], runs["measured"], f"{marker}-", markersize=4, linewidth=1, color=colour, label=label
            )
            axes.plot(formula["bits"], formula["measured"], ":", linewidth=1, color=colour)
        axes.plot([], [], ":", linewidth=1, color="grey", label="formula, without sampling error")
        axes.set(yscale="log", ylim=(3e-3, 4), xlabel="$p$, $\\log_2$ of the queries", title=_TITLES[support])
        axes.set_xticks(range(8, 25, 4))
    panels[0].set_ylabel("worst error of an answer")
    shared_legend(figure, columns=2)
    return figure


_TITLES = {"256 rows": "256 cells", "all rows": "$2^p$ cells"}
