"""Labelled examples that LabelBoost and its base learner need for thresholds, against the bits of an integer."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "LabelBoost's labels stop growing with the bits"

CURVES = (
    ("labelled examples of the base learner, by its formula", "base learner, formula", "--"),
    ("labelled examples of the base learner, by counts on CORNER", "base learner, by counts", "D"),
    ("labelled examples at which the rounds end, the paper's constants", "LabelBoost, paper's constants", "s:"),
    ("labelled examples at which the rounds end, the rule", "LabelBoost, scaled constants", "o-"),
    ("labelled examples with which a round of a whole block succeeds, by counts on TWO-ATOMS", "whole block", "^-."),
)


def draw(results: Results) -> Figure:
    """Least labelled examples at alpha = beta = 0.2, against b.

    Base learner: the exponential mechanism over all 2^b + 1 thresholds; its formula, and its need on a hard
    distribution.
    LabelBoost: at which its rounds end; scaled constants: keep ratios 17 and 6, alpha_i = alpha / 2^i.  Whole block:
    with which one round that reads all it may errs at most with probability 2 beta; it grows like ln b.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-T4.13-labelled"]
    figure, axes = plt.subplots(figsize=page(3.4))
    for (quantity, label, look), colour in zip(CURVES, PALETTE, strict=False):
        own = rows[rows["quantity"] == quantity].sort_values("bits")
        axes.plot(own["bits"], own["measured"], look, markersize=3.5, linewidth=1.2, color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="bits $b$ of an integer", ylabel="labelled examples")
    shared_legend(figure, columns=3)
    return figure
