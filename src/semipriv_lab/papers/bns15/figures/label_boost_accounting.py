"""What sharper accounting of LabelBoost saves: epsilon by rounds, and examples by constants."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Exact accounts let rounds keep more labels"

CONSTANTS = {
    "paper": "100/300 (paper)",
    "exact": "17/6",
    "exact_least": "17/3 (least, exact)",
    "sharp": "11/6",
    "sharp_least": "11/3 (least, sharp)",
}
"""Names of constants, as keep ratios of a round and of the end."""
LINES = {"paper": ":", "exact": "--", "sharp": "-"}
BY_ROUNDS = "epsilon by rounds"
COST = "unlabelled examples for each example of the base learner"
LEAST = "least labelled examples at which the rounds end"


def draw(results: Results) -> Figure:
    """Left: epsilon of LabelBoost after so many rounds, around a base learner of epsilon = 1, by three accountants.

    Middle: unlabelled examples that it may read, for each example of the base learner.  Right: least labelled examples
    at which its rounds end, alpha = beta = 0.2, VC dimension 1.  Colours: keep ratios of a round and of the end.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-L4.6-sharp"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(3.0))
    for place, ((name, label), colour, marker) in enumerate(zip(CONSTANTS.items(), PALETTE, MARKERS, strict=False)):
        cells = rows[rows["constants"] == name]
        for accountant, part in cells[cells["quantity"] == BY_ROUNDS].groupby("accountant"):
            curve = part.sort_values("rounds")
            left.plot(curve["rounds"], curve["measured"], LINES[accountant], linewidth=1.2, color=colour)
        cost, least = (cells[cells["quantity"] == quantity] for quantity in (COST, LEAST))
        middle.plot([place] * len(cost), cost["measured"], marker, markersize=5, color=colour)
        least = least.sort_values("n")
        right.plot(least["n"], least["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label)
    for accountant, line in LINES.items():
        left.plot([], [], line, color="black", linewidth=1.2, label=f"left: {accountant} accountant")
    left.axhline(1, color="black", linewidth=0.6)
    left.set(xlabel="rounds", ylabel="$\\varepsilon$")
    middle.set(yscale="log", xlabel="keep ratios", ylabel="unlabelled / base example", xticks=[], xlim=(-0.5, 4.5))
    right.set(xscale="log", yscale="log", xlabel="base examples $n$", ylabel="labelled examples")
    shared_legend(figure, columns=4)
    return figure
