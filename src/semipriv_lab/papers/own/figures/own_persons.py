"""Losses against the largest number of rows a person: released by person, by group privacy, and with a cap."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "With units of persons the error does not grow with rows a person"

PANELS = {
    "threshold": "excess error",
    "classifier": "error",
    "regression": "$1 - R^2$",
    "synthetic table": "mean $L_1$ error",
}
"""By learner: what is drawn up."""
ARMS = {
    "average of a person's rows": "by person, average of rows",
    "one row a person": "by person, one row",
    "at most 10 rows a person": "cap of 10 rows, noise times 10",
    "group privacy": "group privacy",
}
"""By arm: what it is called."""


def draw(results: Results) -> Figure:
    """Mean loss against R, the largest number of rows a person, whose distribution has a heavy tail; epsilon 1.

    All protect a person with all rows.  A release by person needs no limit on their number.  The cap keeps 10 rows of
    each person, or R if that is less, and divides epsilon by as much.  Group privacy divides epsilon by R.  With R = 1
    all are the same release.  Bars: 95 % limits.
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "OWN-PERSON-flat") & (rows["quantity"] == "mean loss")]
    figure, panels = plt.subplots(2, 2, figsize=page(4.4), sharex=True)
    for axes, (learner, height) in zip(panels.flat, PANELS.items(), strict=True):
        own = rows[rows["learner"] == learner]
        for place, (arm, label) in enumerate(ARMS.items()):
            part = own[own["arm"] == arm].sort_values("most_rows")
            errors = [part["measured"] - part["low"], part["high"] - part["measured"]]
            looks: dict[str, Any] = {"markersize": 3.5, "elinewidth": 0.6, "linewidth": 0.9, "color": PALETTE[place]}
            axes.errorbar(part["most_rows"], part["measured"], errors, fmt="-" + MARKERS[place], label=label, **looks)
        axes.set(title=learner, ylabel=height, xscale="log", ylim=(0, None))
        axes.set_xticks(ticks := sorted(set(own["most_rows"])), [f"{tick:g}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    for axes in panels[1]:
        axes.set_xlabel("largest number of rows a person, $R$")
    shared_legend(figure, columns=2)
    return figure
