"""RRSPM with normal weights: how far the paper's scale is from private, and what the scales with a proof spend."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The printed scale is not private, three others are"

BY_POINTS = "P'(A) - e^epsilon P(A), a lower bound of the least delta, by m"
LOSS = "largest |log ratio| of a labeling"
SCALES = ("union", "closed", "width")


def draw(results: Results) -> Figure:
    """Left: lower bounds of the least delta at epsilon = 1 on the Hamming code, scale C sqrt(m ln(1/delta)) / epsilon.

    Right: largest |log ratio| of a labeling's chances on the same code, by scales with a proof.  Dashed: the delta of
    the scales, 1e-5, and epsilon.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    violations = rows[(rows["claim"] == "BBD24-T4-gaussian") & (rows["quantity"] == BY_POINTS) & (rows["measured"] > 0)]
    for (constant, part), colour, marker in zip(violations.groupby("C"), PALETTE, MARKERS, strict=False):
        curve = part.sort_values("m")
        label = f"$C$ = {constant:g}"
        left.plot(curve["m"], curve["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label)
    safe = rows[(rows["claim"] == "BBD24-T4-gaussian-safe") & (rows["quantity"] == LOSS)]
    for name, colour, marker in zip(SCALES, PALETTE[::-1], MARKERS[::-1], strict=False):
        curve = safe[safe["scale"] == name].sort_values("m")
        label = f"right: {name}"
        right.plot(curve["m"], curve["measured"], f"{marker}--", markersize=3, linewidth=1, color=colour, label=label)
    left.axhline(1e-5, color="black", linewidth=0.8, linestyle="--")
    right.axhline(1, color="black", linewidth=0.8, linestyle="--")
    left.set(xscale="log", yscale="log", xlabel="public points $m$", ylabel="least $\\delta$, at least", ylim=(1e-6, 1))
    right.set(xscale="log", xlabel="public points $m$", ylabel="largest |log ratio|", ylim=(0, 1.1))
    shared_legend(figure, columns=5)
    return figure
