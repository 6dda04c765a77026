"""Errors of statistics by group with public rows of each kind, over those of noise alone without public rows."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Leaning on public rows helps, and wrong ones cost little where there is signal"

KINDS = ("no public row", "same population", "three rows", "other numbers", "other groups", "all at an end")
PANELS = ("count by a", "count by a, b", "mean of v by a")
SERIES = {
    "noise alone": ("noise",),
    "leaning on public rows and other groups": ("leans on public rows", "leans on other groups"),
}
"""By label: the kinds of values."""
EPSILONS = (1.0, 10.0)


def draw(results: Results) -> Figure:
    """Mean absolute error over groups, by kind of 200 public rows (or three); 2,000 private rows, four distributions.

    The unit is the error of noise alone without public rows.  Other numbers, other groups: those of the population in
    reverse.  All at an end: each public number is the highest one.  Bars: 95 % limits over trials and distributions.
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "OWN-STATISTICS-unharmed") & rows["quantity"].str.startswith("mean absolute error")]
    figure, panels = plt.subplots(1, 3, figsize=page(3.4), sharey=True)
    for axes, statistic in zip(panels, PANELS, strict=True):
        own, place = rows[rows["statistic"] == statistic], 0
        for epsilon in EPSILONS:
            for label, values in SERIES.items():
                part = own[(own["epsilon"] == epsilon) & own["value"].isin(values)].set_index("public").loc[list(KINDS)]
                x = [kind + 0.18 * (place - 1.5) for kind in range(len(KINDS))]
                errors = [part["measured"] - part["low"], part["high"] - part["measured"]]
                looks: dict[str, Any] = {"markersize": 3.5, "elinewidth": 0.6, "color": PALETTE[place]}
                axes.errorbar(
                    x, part["measured"], errors, fmt=MARKERS[place], label=f"{label}, epsilon {epsilon:g}", **looks
                )
                place += 1
        axes.set_title(statistic)
        axes.set_xticks(range(len(KINDS)), KINDS, rotation=90)
    panels[0].set(ylabel="error / noise without public rows", ylim=(0, None))
    shared_legend(figure, columns=2)
    return figure
