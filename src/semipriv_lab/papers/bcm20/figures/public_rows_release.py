"""Errors of releases of a table of categories against kappa, and against the bias of the public rows."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Public rows help until their bias is large"

WRITTEN, ALONE = "mean L1 error of the rows written", "mean L1 error of the public rows alone"
NOISY = "mean L1 error of all marginals with noise, no public rows"


def draw(results: Results) -> Figure:
    """Mean L1 error of all two-way marginals of written rows, 15 columns; means over a few drawn distributions.

    Left: 15 marginals are chosen and measured, kappa varies; dashed, in the same colour: the public rows alone.  Right:
    kappa = n_public, the bias varies: with bias b the hidden groups of the public rows have the shares (1 - b) p + b
    p', those of the private rows p.  Dotted: all marginals with noise and no public rows, each by itself, no table.
    Bars: 95 % limits, mostly from distribution to distribution.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-TABLES"]
    written, alone = rows[rows["quantity"] == WRITTEN], rows[rows["quantity"] == ALONE].sort_values("bias")
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0), sharey=True)
    chosen = written[written["marginals"] == written["marginals"].min()]
    swept = [part for part in chosen.groupby("bias") if len(part[1]) > 1]
    for colour, marker, (bias, part) in zip(PALETTE, MARKERS, swept, strict=False):
        _curve(left, part, "kappa_over_n_public", f"{marker}-", colour, f"bias {bias:g}")
        left.axhline(alone.set_index("bias")["measured"][bias], linestyle="--", linewidth=1, color=colour)
    left.plot([], [], "--", linewidth=1, color="0.5", label="public rows alone")
    _curve(right, alone, "bias", "^--", "0.5", None)
    equal = written[written["kappa_over_n_public"] == 1]
    for colour, marker, (number, part) in zip(PALETTE[3:], "Pv", equal.groupby("marginals"), strict=False):
        _curve(right, part, "bias", f"{marker}-", colour, f"{number:g} marginals, $\\kappa=n_{{\\mathrm{{public}}}}$")
    noisy = rows[rows["quantity"] == NOISY]["measured"].iloc[0]
    for axes in (left, right):
        axes.axhline(noisy, linestyle=":", linewidth=1.2, color="black", label="noisy marginals alone")
    left.set(xscale="log", yscale="log", xlabel="$\\kappa\\,/\\,n_{\\mathrm{public}}$", ylabel="mean $L_1$ error")
    left.set_title(f"{chosen['marginals'].iloc[0]:g} marginals")
    right.set(xlabel="bias of the public rows")
    shared_legend(figure, columns=4)
    return figure


def _curve(axes: Axes, part: DataFrame, x: str, look: str, colour: object, label: str | None) -> None:
    own = part.sort_values(x)
    limits = own[["low", "high"]].where(np.isfinite(own["high"] - own["low"]))  # a single distribution has none
    errors = [own["measured"] - limits["low"], limits["high"] - own["measured"]]
    looks: dict[str, Any] = {"markersize": 3.5, "linewidth": 1, "elinewidth": 0.5, "color": colour}
    axes.errorbar(own[x], own["measured"], errors, fmt=look, label=label, **looks)
