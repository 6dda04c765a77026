"""How much more noise the paper's conditions ask for than privacy does, against the number of public points."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import SYMBOLS, Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The more public points, the more the paper's noise exceeds the least"

RATIO = "the paper's gamma / the least"
LAPLACE = "the paper's Laplace scale / the least"


def draw(results: Results) -> Figure:
    """Noise by BBD24's lemma 9 over the least noise, on m released values that are rho-stable, rho = .1.

    Gaussian noise at delta = 1e-5, least by its exact profile; Laplace noise, least m rho / epsilon.  Below the black
    line the paper's condition is not private.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BBD24-L3"]
    figure, axes = plt.subplots(figsize=page(2.6))
    gaussian = rows[rows["quantity"] == RATIO].groupby("epsilon")
    for (epsilon, part), colour, marker in zip(gaussian, PALETTE, MARKERS, strict=False):
        curve, label = part.sort_values("m"), f"Gaussian, ${SYMBOLS['epsilon']} = {epsilon:g}$"
        axes.plot(curve["m"], curve["measured"], f"{marker}-", markersize=3, color=colour, label=label)
    laplace = rows[rows["quantity"] == LAPLACE].sort_values("m")
    axes.plot(laplace["m"], laplace["measured"], "--", color=PALETTE[3], label="Laplace")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="public points $m$", ylabel="the paper's noise / least")
    axes.legend()
    return figure
