"""Private records that algorithm 3 asks for on slopes, by two routes, and those that it needs, against 1/alpha."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "Explicit constants ask for far more records than are needed"

EXPLICIT = "explicit n"
NEED = "least n with P[excess > alpha] <= .05, exactly"
CURVES = (
    (EXPLICIT, "slopes, 1 / sqrt(eta)", "explicit, stability $1/\\sqrt{\\eta}$", "s--"),
    (EXPLICIT, "slopes, known spread", "explicit, stability $\\lambda K_Z/\\eta$", "o-"),
    (NEED, "slopes", "needed, exactly", "D:"),
)


def draw(results: Results) -> Figure:
    """Number of private records with which algorithm 3's excess loss on slopes is above alpha in 5 % of runs at most.

    F = {w x : |w| <= 1}, absolute loss, every x is 1; epsilon = 1, delta = 1e-5 (BBD24-T7).  Explicit: sizes solved
    from the bound, by two forms of the stability.  Needed: the larger number of two distributions, with a tenth and
    with .4 of the responses flipped.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BBD24-T7"]
    figure, axes = plt.subplots(figsize=page(2.8))
    for (quantity, route, label, look), colour in zip(CURVES, PALETTE, strict=False):
        curve = rows[(rows["quantity"] == quantity) & (rows["route"] == route)].sort_values("1 / alpha")
        axes.plot(curve["1 / alpha"], curve["measured"], look, markersize=3.5, linewidth=1.2, color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="private records $n$")
    ticks_at(axes, [5, 10, 20, 40])
    axes.legend()
    return figure
