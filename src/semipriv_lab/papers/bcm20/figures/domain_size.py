"""Errors of A_PAP, a dyadic tree and a fixed grid against the size of the domain, and against private records."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "A_PAP does not feel how large the domain is"

PAP, TREE = "A_PAP, largest error over all thresholds, mean", "tree, largest noise of a prefix, mean, exact"
GRID, AT = (
    "fixed grid of 1024 bins without noise, largest error",
    "A_PAP, largest error over all thresholds, on the compared points",
)


def draw(results: Results) -> Figure:
    """Left: errors for a distribution on an interval of length 2^-k, n = 10,000.

    A_PAP: its error on one sample, on which its answers are the same for every k.  Tree: the exact mean of the largest
    noise of a prefix over 2^k leaves, without sampling, a lower bound of its error.  Grid: 1024 bins, fewer than the
    tree has leaves, without noise.  Right: mean error of A_PAP against private records, and the tree over 2^64 leaves.
    Errors are those of means of -1 and 1.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-T10-domain"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0), sharey=True)
    least = rows["n_private"].min()
    for i, (m, part) in enumerate(_pap(rows)):
        _curve(right, part, "n_private", "oD"[i] + "-", PALETTE[i], f"A_PAP, $m={m:g}$")
    _curve(left, rows[rows["quantity"] == AT].sort_values("bits"), "bits", "o-", PALETTE[0], None)
    tree = rows[rows["quantity"] == TREE].sort_values("bits")
    _curve(left, tree, "bits", "s-", PALETTE[3], "dyadic tree, largest noise")
    _curve(left, rows[rows["quantity"] == GRID].sort_values("bits"), "bits", "^--", "grey", "fixed grid of 1024 bins")
    last, sizes = tree.iloc[-1], np.sort(rows["n_private"].dropna().unique())
    right.plot(sizes, last["measured"] * last["n_private"] / sizes, "s-", markersize=3, color=PALETTE[3])
    title = f"$n={least:,g}$".replace(",", "{,}")
    left.set(yscale="log", xlabel="$k$, $\\log_2$ of the domain", ylabel="error", title=title)
    left.set_xticks(range(0, 65, 16))
    right.set(xscale="log", yscale="log", xlabel="$n$", title="domain of $2^{64}$")
    shared_legend(figure, columns=4)
    return figure


def _pap(rows: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    own = rows[rows["quantity"] == PAP].sort_values("n_private")
    return [(float(m), part) for m, part in own.groupby("n_public")]


def _curve(axes: Axes, part: pd.DataFrame, x: str, look: str, colour: object, label: str | None) -> None:
    axes.plot(part[x], part["measured"], look, markersize=3, linewidth=1, color=colour, label=label)
