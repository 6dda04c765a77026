"""Rounds of LabelBoost against the examples of its base learner, and how the labelled part grows, in logarithms."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "From the start of claim 4.9 there are at most $\\log^* n - 2$ rounds"

CONSTANTS = {"paper": ("100/300 (paper)", "o", 7.0), "exact": ("17/6", "s", 4.2), "sharp": ("11/6", "D", 1.8)}
"""Keep ratios of a round and of the end, with a marker and its size: those at one place are seen within each other."""
STARTS = {"claim 4.9": ("start of claim 4.9", "-"), "least": ("least start", "--")}


def draw(results: Results) -> Figure:
    """Left: rounds around a base learner of n = e, e^e, ... examples, at alpha = beta = 0.2, VC dimension 1.

    Dotted: log* n.  Solid: from the labelled examples that claims 4.8 to 4.11 ask for; dashed: from the least with
    which the rounds end around n = 1e12.  Right: labelled examples |S_i| at the start of round i, as log*, interpolated
    between its steps: ever further the rounds gain one exponential each.  Colours: keep ratios of a round and of the
    end; on the left they coincide.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-R4.10"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.9))
    for (name, (label, marker, size)), colour in zip(CONSTANTS.items(), PALETTE, strict=False):
        for start, (_, line) in STARTS.items():
            cells = rows[(rows["constants"] == name) & (rows["start"] == start)]
            look = {"color": colour, "linewidth": 1, "markerfacecolor": "none"}
            count = cells[cells["quantity"] == "rounds, by constants"].sort_values("height")
            left.plot(count["height"], count["measured"], f"{marker}{line}", markersize=size, **look)
            grown = cells[cells["quantity"] == "log* of |S_i|, interpolated"].sort_values("i")
            named = label if line == "-" else None
            right.plot(grown["i"], grown["measured"], f"{marker}{line}", markersize=3, label=named, **look)
    for label, line in STARTS.values():
        left.plot([], [], line, color="black", linewidth=1, label=label)
    excess = rows[rows["quantity"] == "rounds - log* n, largest of the grid"].sort_values("height")
    left.plot(excess["log*"], excess["log*"], ":", color="black", linewidth=1, label="$\\log^*n$")
    left.set(xlabel="$\\log^*n$ of the base learner's examples", ylabel="rounds")
    right.set(xlabel="round $i$", ylabel="$\\log^*$ of labelled examples")
    shared_legend(figure, columns=3)
    return figure
