"""Private examples that RRSPM needs for thresholds, against 1/alpha, and against 1/sigma, 1/epsilon and d."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "With the paper's scale of weights RRSPM needs most examples"

NEED = "least n with P[excess > alpha] <= 1/4"
CURVES = (
    ("BBD24-T10", "2 m / epsilon", "label noise 0.1, weights of scale $2m/\\varepsilon$", "o-"),
    ("BBD24-T10", "2 / epsilon", "label noise 0.1, scale $2/\\varepsilon$", "o--"),
    ("BBD24-R1", "2 m / epsilon", "no label noise, scale $2m/\\varepsilon$", "s-"),
    ("BBD24-R1", "2 / epsilon", "no label noise, scale $2/\\varepsilon$", "s--"),
)
ARMS = (
    ("1 / sigma", "$1/\\sigma$", "^-"),
    ("1 / epsilon", "$1/\\varepsilon$", "v-"),
    ("d", "VC dimension $d$", "D-"),
)


def draw(results: Results) -> Figure:
    """Least number of private examples with which RRSPM's excess error is above alpha in a quarter of the runs.

    Left: against 1/alpha, with the paper's scale of the weights and with that of teaching sets.  Right: paper's scale,
    alpha = 0.2, label noise 0.1; one of 1/sigma, 1/epsilon and d varies.  Public points: (d + ln 4) / (alpha sigma)^2
    with label noise, (d + ln 4) / (alpha sigma) without.  Bars: limits of the least number.
    """
    rows = results["measurements"]
    rows = rows[rows["quantity"] == NEED]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.4), sharey=True)
    for (claim, scale, label, look), colour in zip(CURVES, PALETTE, strict=False):
        part = rows[(rows["claim"] == claim) & (rows["scale"] == scale) & (rows["arm"] == "1 / alpha")]
        _curve(left, part, look, colour, label)
    for (arm, label, look), colour in zip(ARMS, PALETTE[len(CURVES) :], strict=False):
        part = rows[(rows["claim"] == "BBD24-T10") & (rows["arm"] == arm)]
        _curve(right, part, look, colour, label)
    left.set(xlabel="$1/\\alpha$", ylabel="private examples needed")
    right.set(xlabel="$1/\\sigma$, $1/\\varepsilon$ or $d$")
    for axes, places in ((left, [2.5, 3.3, 5, 10]), (right, [1, 2, 4, 5])):
        axes.set(xscale="log", yscale="log")
        ticks_at(axes, places)
    shared_legend(figure, columns=2)
    return figure


def _curve(axes: Any, part: Any, look: str, colour: Any, label: str) -> None:
    part = part.sort_values("value")
    errors = np.array([part["measured"] - part["low"], part["high"] - part["measured"]])
    axes.errorbar(
        part["value"], part["measured"], errors, fmt=look, markersize=3.5, linewidth=1.2, color=colour, label=label
    )
