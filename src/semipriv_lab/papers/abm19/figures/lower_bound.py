"""What public data save on thresholds over {0,1}^b; the other side of the dichotomy; the hidden pair."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "Without public points the need grows with the domain"

STYLES = {
    "exponential mechanism, no public data": "o-",
    "random representation, no public data": "s-",
    "A_SSPP, pair in its cover": "^-",
}


def draw(results: Results, epsilon: float = 1.0) -> Figure:
    """Left and middle: private examples needed against the bits b of the domain, for thresholds and point functions.

    Right: public points that A_SSPP needs on the hidden pair against alpha, and the floor of theorem 4.1.  The floor
    holds for every learner; needs of single algorithms illustrate it and do not prove it.
    """
    rows = results["measurements"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(2.7))
    middle.sharey(left)
    colours = dict(zip(STYLES, PALETTE, strict=False))
    here = rows[rows["epsilon"] == epsilon].sort_values("bits")
    for axes, name in ((left, "thresholds"), (middle, "point functions")):
        cells = here[here["class"] == name]
        _growth(axes, cells, colours)
        axes.set_title(f"{name} on $2^b$ points\n(exact, $\\varepsilon={epsilon:g}$)", fontsize="small")
    floor = here[here["quantity"] == "packing floor of proper pure learners"]
    left.plot(
        floor["bits"], floor["measured"], ":", color="black", label="floor of proper pure learners, no public data"
    )
    left.set_ylabel("private examples needed")
    _pair(right, rows[rows["quantity"] == "public points needed on the hidden pair"])
    shared_legend(figure, columns=3)
    return figure


def _growth(axes: Axes, rows: pd.DataFrame, colours: dict[str, tuple[float, float, float]]) -> None:
    needs = rows[rows["quantity"] == "private examples needed"]
    for learner, part in needs.groupby("learner"):
        style = STYLES[str(learner)]
        axes.plot(
            part["bits"], part["measured"], style, markersize=3, linewidth=1, color=colours[str(learner)], label=learner
        )
    axes.set(xscale="log", yscale="log", xlabel="bits $b$ of the domain")
    ticks = np.unique(needs["bits"])
    axes.set_xticks(ticks, [f"{b:g}" for b in ticks])
    axes.minorticks_off()


def _pair(axes: Axes, rows: pd.DataFrame) -> None:
    names = {"midpoint": "A_SSPP, midpoints", "upper": "A_SSPP, upper ends"}
    palette = PALETTE
    for (representative, label), style, colour in zip(names.items(), ("o-", "s-"), palette[3:], strict=False):
        part = rows[rows["representative"] == representative].sort_values("alpha")
        axes.plot(part["alpha"], part["measured"], style, markersize=3, linewidth=1, color=colour, label=label)
    first = rows[rows["representative"] == "midpoint"].sort_values("alpha")
    axes.plot(first["alpha"], first["bound"], "--", color="black", linewidth=1, label="theorem 4.1: $1/(1600\\alpha)$")
    axes.set(xscale="log", yscale="log", xlabel="excess error $\\alpha$", ylabel="public points needed")
    axes.set_title("hidden pair\n(exact; an illustration)", fontsize="small")
