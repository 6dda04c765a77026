"""Scales of RRSPM's Laplace weights: how much of epsilon they use, and the accuracy that the teaching scale gains."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Noise for teaching sets is private, and errs least"

LOSS = "largest |log ratio| of neighbours / epsilon"
ERROR = "mean error, exact"
SCALES = {
    "2 m / epsilon": "scale $2m/\\varepsilon$",
    "4 / epsilon": "scale $4/\\varepsilon$",
    "2 / epsilon": "scale $2/\\varepsilon$",
}
PAPER = "2 m / epsilon"
CODES = {"all labelings, parity": (":", "parity"), "all labelings, hamming": ("--", "Hamming code")}


def draw(results: Results) -> Figure:
    """Left: largest |log ratio| over epsilon at epsilon = 1 by public points m.  Right: mean error of thresholds.

    Solid: thresholds, on all data sets of at most 3 records (2 for m = 4), exact.  Left, others: all labelings of m
    points at the paper's scale 2 m / epsilon, one record.  Right: 100 records and m points at even places, exact.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    losses = rows[(rows["quantity"] == LOSS) & (rows["epsilon"] == 1.0)]
    lines = losses[losses["class"] == "thresholds"]
    paper = lines[lines["claim"] == "BBD24-T8"].assign(scale=PAPER)
    errors = rows[rows["quantity"] == ERROR]
    for (name, label), colour, marker in zip(SCALES.items(), PALETTE, MARKERS, strict=False):
        part = paper if name == PAPER else lines[(lines["claim"] == "BBD24-T8-teaching") & (lines["scale"] == name)]
        worst = part.groupby("m")["measured"].max()
        look = {"marker": marker, "markersize": 3, "linewidth": 1, "color": colour}
        left.plot(worst.index, worst, **look)
        curve = errors[errors["scale"] == name].sort_values("m")
        right.plot(curve["m"], curve["measured"], label=label, **look)
    for name, (line, label) in CODES.items():
        curve = losses[(losses["claim"] == "BBD24-T8") & (losses["class"] == name)].sort_values("m")
        left.plot(curve["m"], curve["measured"], line, linewidth=1, color=PALETTE[0], label=f"all labelings, {label}")
    left.axhline(1, color="black", linewidth=0.6)
    left.set(xscale="log", xlabel="public points $m$", ylabel="largest |log ratio| / $\\varepsilon$", ylim=(0, 1.1))
    right.set(xscale="log", xlabel="public points $m$", ylabel="mean error", ylim=(0, None))
    ticks_at(right, errors["m"])
    shared_legend(figure, columns=5)
    return figure
