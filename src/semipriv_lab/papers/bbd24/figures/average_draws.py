"""How many minimisers algorithm 2 has to average for a given stability, by two calibrations."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The smaller calibration asks for far fewer calls"

CALLS = "least J for a stability of twice Stein's term, two signs"
LABELS = {"McDiarmid": "McDiarmid's inequality", "the smaller one": "the smaller of two calibrations"}


def draw(results: Results) -> Figure:
    """Number J of perturbed minimisers for a stability of at most 2 sqrt(2/pi) / eta, except with a chance of 1e-6.

    Each costs a call of the oracle.  By McDiarmid's inequality J grows like eta^2, by Bernstein's, with theorem A for
    the variance, like eta.  Two signs, E sup w = sqrt(2/pi).
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "BBD24-L1-bernstein") & (rows["quantity"] == CALLS)]
    figure, axes = plt.subplots(figsize=page(2.6))
    for (name, label), colour, marker in zip(LABELS.items(), PALETTE, MARKERS, strict=False):
        part = rows[rows["calibration"] == name].sort_values("eta")
        axes.plot(part["eta"], part["measured"], f"{marker}-", markersize=3, color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="$\\eta$", ylabel="calls of the oracle $J$")
    axes.legend()
    return figure
