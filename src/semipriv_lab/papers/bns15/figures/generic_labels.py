"""Labels of GenericLearner against alpha and against the bits of a point, beside its unlabelled entries."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The number of labels does not grow with the bits of a point"

LEAST = "least labels, worst hypotheses of k released points"
SIZES = {
    "labels that the learner's sizes ask for": "labels",
    "unlabelled entries that the learner's sizes ask for": "unlabelled entries",
}


def draw(results: Results) -> Figure:
    """Left: least labels for an error of at most alpha with probability 1 - beta on TWO-ATOMS, exactly, with exponent.

    The hypotheses are the worst of k = 2 / alpha released points; dashed: the labels that the learner's size asks for.
    Right: labels and unlabelled entries that the sizes ask for against b, at one alpha: labels do not see b.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-T3.3-labelled"]
    least = rows[rows["quantity"] == LEAST].sort_values("alpha")
    slope = rows[rows["quantity"] == "exponent in 1 / alpha of least labels, k = 2 / alpha"]["measured"].iloc[0]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    look = {"markersize": 3.5, "linewidth": 1}
    label = f"least labels, exponent {slope:.2f} in $1/\\alpha$"
    left.plot(least["alpha"], least["measured"], f"{MARKERS[0]}-", color=PALETTE[0], label=label, **look)
    left.plot(least["alpha"], least["bound"], "--", color=PALETTE[0], linewidth=1, label="labels of the size")
    for (quantity, name), colour, marker in zip(SIZES.items(), PALETTE[1:], MARKERS[1:], strict=False):
        part = rows[rows["quantity"] == quantity].sort_values("bits")
        right.plot(part["bits"], part["measured"], f"{marker}-", color=colour, label=name, **look)
    alpha = rows[rows["quantity"] == next(iter(SIZES))]["alpha"].iloc[0]
    left.set(xlabel="$\\alpha$", ylabel="labels, TWO-ATOMS")
    right.set(xlabel="bits $b$ of a point", ylabel=f"examples, $\\alpha={alpha:g}$")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
    ticks_at(left, least["alpha"])
    shared_legend(figure, columns=2)
    return figure
