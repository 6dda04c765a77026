"""Excess error against public points for classes of different VC dimension."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from semipriv.core.roles import Role
from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv.papers.abm19.bounds.spacings import edge_excess
from semipriv_lab.figures.base import AXES, Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

TABLES = ("summary", "slopes")
"""Tables of results that this figure reads."""

MEASURES = ("population_error",)
"""Measures that this figure shows."""

SIZES = ("n_public", "n_private")
"""Size keys that an experiment must have for this figure."""

VARY = ("n_public",)
"""Sizes of which an experiment must have several for this figure."""

LOOK: dict[str, Any] = {"linestyle": "-", "linewidth": 1, "markersize": 3}
VARIANT: dict[str, Any] = {"linestyle": ":", "marker": "^", "markersize": 6, "fillstyle": "none"}
"""Wide open markers are seen around those of a curve that coincides."""


def draw(results: Results, strips: dict[str, float] | None = None) -> Figure:
    """Left: mean excess error with its 95 % band, a colour for each case.  Right: the same times n_public / d.

    If the excess error is proportional to d / n_public, the curves on the right are level.  Full lines: the exponential
    mechanism.  Dotted: permute-and-flip.  Dashed: the limit of the mean excess for many public points, if each of the d
    edges of the target is replaced by the nearest edge of the cover.  It is (1 - s^2 / 4) / (2 n_public) for an edge,
    under a uniform marginal; s is the mass of the strip that the edge crosses: 1 on the line, which gives 3 / (8
    n_public), and the length of the edge for a rectangle.

    Args:
        results: tables of the experiment.
        strips: s by case; without it there is no limit.

    Returns:
        The figure.
    """
    summary, slopes = results["summary"], results["slopes"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.9))
    cases = list(dict.fromkeys(summary["case"]))
    for case, colour, marker in zip(cases, PALETTE, MARKERS, strict=False):
        for role, look in ((Role.PAPER, {"marker": marker}), (Role.VARIANT, VARIANT)):
            part = summary[(summary["case"] == case) & (summary["role"] == role)].sort_values("n_public")
            x, d = part["n_public"], part["vc_dimension"].iloc[0]
            label = f"{case}, $d={d:g}${_slope(slopes, case)}" if role is Role.PAPER else None
            for axes, factor in ((left, 1.0), (right, x / d)):
                axes.plot(x, factor * part["mean"], **(LOOK | look), color=colour, label=label)
                axes.fill_between(x, factor * part["low"], factor * part["high"], color=colour, alpha=0.15, linewidth=0)
        if case in (strips or {}):
            limit = edge_excess((strips or {})[case])
            left.plot(x, limit * d / x, "--", color=colour, linewidth=0.8)
            right.axhline(limit, linestyle="--", color=colour, linewidth=0.8)
    if strips:
        right.plot([], [], "k--", linewidth=0.8, label="limit, $(1-s^2/4)\\,d/(2n_{\\mathrm{public}})$")
    right.plot([], [], **(LOOK | VARIANT), color="black", label="permute-and-flip")
    left.set(xscale="log", yscale="log", ylabel=AXES["excess"])
    right.set(xscale="log", ylim=(0, None), ylabel="excess error $\\times\\; n_{\\mathrm{public}} / d$")
    for axes in (left, right):
        axes.set_xticks(sorted(summary["n_public"].unique()), [f"{n:g}" for n in sorted(summary["n_public"].unique())])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.minorticks_off()
        axes.set_xlabel(AXES["n_public"])
    shared_legend(figure)
    return figure


def _slope(slopes: object, case: str) -> str:
    """Return the fitted slope of the exponential mechanism in words, if there is one."""
    fitted = slopes[(slopes["case"] == case) & (slopes["role"] == Role.PAPER)]  # type: ignore[index]
    return "" if fitted.empty else f", slope {fitted['slope'].iloc[0]:.2f}"
