"""Where theorem 5 fails: its event on functions whose norms vary, against its radius."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "The printed bound fails for varying norms"

CHANCE = "P[E], norms that vary, against r^2"


def draw(results: Results) -> Figure:
    """A lower bound of P[E], the chance that a function far from the minimiser is within tau of the minimum.

    T = [.95, 1], K(s, t) = s t, m(a) = (a - .975)^2, eta = .1, tau = r^4 (BBD24-T5-literal).  Dashed and dotted: the
    bound of theorem 5 by two readings of its power of r, with kappa^2, the larger reading of kappa.
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "BBD24-T5-literal") & (rows["quantity"] == CHANCE)]
    figure, axes = plt.subplots(figsize=page(2.6))
    for power, line, colour in ((4, "--", PALETTE[1]), (2, ":", PALETTE[2])):
        part = rows[rows["power"] == power].sort_values("r2")
        if power == 4:
            axes.plot(part["r2"], part["measured"], "o-", markersize=3, color=PALETTE[0], label="P[E], at least")
        axes.plot(part["r2"], part["bound"], line, color=colour, label=f"printed bound, $r^{{-{power}}}$")
    axes.set(xscale="log", yscale="log", xlabel="$r^2$", ylabel="probability")
    axes.legend()
    return figure
