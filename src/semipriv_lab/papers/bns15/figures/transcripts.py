"""What the labels that a learner asks for tell of its points, and how few it may ask for."""

import math

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "The labels that a search asks for reveal where it searches"

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
    for (quantity, (label, look)), colour in zip(_CURVES.items(), PALETTE, strict=False):
        part = rows[rows["quantity"] == quantity].sort_values("1 / alpha")
        left.plot(part["1 / alpha"], part["measured"], look, markersize=3, linewidth=1, color=colour, label=label)
    for epsilon, grey in zip(_LEVELS, ("0.6", "0.3"), strict=True):
        label = f"$e^{{2\\varepsilon}}$, $\\varepsilon={epsilon:g}$"
        left.axhline(math.exp(2 * epsilon), linestyle=":", linewidth=1, color=grey, label=label)
    left.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="ratio $b/a$ of a swap")
    ticks_at(left, rows.loc[rows["quantity"].isin(_CURVES), "1 / alpha"])
    left.set_title("20,000 points (exact)")
    labels = rows[rows["quantity"] == "labels of a search in a random pool"].sort_values("alpha")
    x, label = 1 / labels["alpha"], "search in a random part"
    right.plot(x, labels["measured"], "^-", markersize=3, linewidth=1, color=PALETTE[2], label=label)
    right.plot(x, labels["bound"], "--", linewidth=1, color="black", label="bound without the term $n\\delta$")
    right.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="labels")
    right.set_title("$\\beta=1/4$, $\\varepsilon=0$ (exact)")
    shared_legend(figure, columns=3)
    return figure
