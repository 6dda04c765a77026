"""Error of A_LearnHalf against the size of the mixed sample, on the hard distribution, and what privacy costs."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import LEAST_SIZE, PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The error falls like $1/n$ on the line"

LOOKS = dict(zip((0.1, 0.3, 1.0, 3.0), zip(PALETTE, MARKERS, strict=False), strict=False))
"""Colour and marker by epsilon."""
OTHERS = {"ERM, not private": ("black", "-"), "all private": ("grey", ":"), "public only": ("grey", "-.")}
LEARNER = "A_LearnHalf"
SETTINGS = {"o": 5, "s": 6, "v": 7, "^": 9}
"""Markers and colours of the four distributions in the plane."""


def draw(results: Results) -> Figure:
    """Top: mean error against n if a halfspace errs nowhere, on the line and in the plane, with 95 % limits.

    Dashed: theorem 4.6 with explicit constants (95 % quantile).  On the line the mean over the draw is exact for each
    sample.  Black: the non-private minimiser; dotted: pure DP for all examples over a data-independent list, epsilon 1;
    chain: public examples alone, all of label 0.  Bottom left: the mean number of wrong labels on two atoms with
    P[y = 1] = 1/2 -+ 1/(2 sqrt n); each costs 1/(2 sqrt n), so the excess error is the number drawn times this; lines:
    exact values.  Bottom right: mean empirical excess over the best halfspace in the plane at one n, a line 1 / epsilon
    (grey) and the bound of claim 4.5, dashes side by side where bounds coincide.  Open triangles at the lower
    edge: means of at most 0, since G may have hypotheses better than the best halfspace.
    """
    rows = results["measurements"]
    figure, grid = plt.subplots(2, 2, figsize=page(5.4))
    realizable = rows[rows["claim"] == "BMN20-T4.6-realizable-rate"]
    _errors(grid[0, 0], realizable[realizable["distribution"] == "uniform"], "uniform on the line")
    plane = (realizable["distribution"] == "normal") & (realizable["share"] == 0.25)
    _errors(grid[0, 1], realizable[plane], "normal in the plane, $P[y=0]=1/4$")
    _hard(grid[1, 0], rows[rows["distribution"] == "two atoms"])
    _price(grid[1, 1], rows[rows["quantity"] == "mean empirical excess over the best halfspace"])
    shared_legend(figure, columns=4, panels=(grid[0, 0], grid[0, 1], grid[1, 0]))
    return figure


def _errors(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    means = rows[rows["quantity"] == "mean excess error"]
    own = means[means["learner"] == LEARNER]
    for epsilon, part in own[own["epsilon"].isin(list(LOOKS))].groupby("epsilon"):
        curve = part.sort_values("n")
        if len(curve) < 3:  # epsilons of the panel on the price of privacy, at one n only
            continue
        _band(axes, curve, *LOOKS[epsilon], f"{LEARNER}, $\\varepsilon={epsilon:g}$")
        axes.plot(curve["n"], curve["bound"], "--", linewidth=0.9, color=LOOKS[epsilon][0])
    axes.plot([], [], "--", color="black", linewidth=0.9, label="theorem 4.6, 95 % quantile")
    for learner, (colour, style) in OTHERS.items():
        curve = means[(means["learner"] == learner) & (means["epsilon"].isin((0.0, 1.0)))].sort_values("n")
        axes.plot(curve["n"], curve["measured"], style, color=colour, linewidth=1.2, label=learner)
    axes.set(xscale="log", yscale="log", xlabel="size $n$ of the mixed sample", ylabel="mean error")
    axes.set_ylim(0.3 * means.loc[means["measured"] > 0, "measured"].min(), 2)
    sizes = np.unique(own["n"])
    if sizes.max() < 30 * sizes.min():
        ticks_at(axes, sizes)
    axes.set_title(f"{title}{_exponents(rows, 'mean error')}", fontsize="small")


def _exponents(rows: pd.DataFrame, of: str) -> str:
    """Return a line with the exponents and their epsilon, if there are any."""
    exponents = rows[rows["quantity"] == "exponent in n"]
    texts = [f"${row.measured:.2f}\\;(\\varepsilon={row.epsilon:g})$" for row in exponents.itertuples()]
    return f"\n{of} falls with exponent {', '.join(texts)}" if texts else ""


def _band(axes: Axes, curve: pd.DataFrame, colour: object, marker: str, label: str) -> None:
    axes.plot(curve["n"], curve["measured"], f"{marker}-", markersize=3, linewidth=1.2, color=colour, label=label)
    low = np.maximum(curve["low"], curve["measured"] / 50)
    axes.fill_between(curve["n"], low, curve["high"], color=colour, alpha=0.2, linewidth=0)


def _hard(axes: Axes, rows: pd.DataFrame) -> None:
    wrong = rows[rows["quantity"] == "mean number of wrongly labelled atoms"]
    for epsilon, part in wrong[wrong["learner"] == LEARNER].groupby("epsilon"):
        curve = part.sort_values("n")
        errors = np.array([curve["measured"] - curve["low"], curve["high"] - curve["measured"]])
        colour, marker = LOOKS[epsilon]
        shift = {0.3: 0.93, 1.0: 1.0, 3.0: 1.07}[epsilon]
        label = f"{LEARNER}, $\\varepsilon={epsilon:g}$"
        axes.errorbar(
            shift * curve["n"], curve["measured"], errors, fmt=marker, markersize=3, color=colour, label=label
        )
        axes.plot(curve["n"], curve["bound"], color=colour, linewidth=1)
    axes.axhline(wrong.loc[wrong["learner"] == "blind to data", "measured"].iloc[0], color="black", linewidth=0.8)
    axes.text(wrong["n"].max(), 0.99, "blind to the data", ha="right", va="top", fontsize="x-small")
    axes.set(xscale="log", ylim=(0, 1.05), xlabel="size $n$ of the mixed sample", ylabel="mean number of wrong labels")
    excess = "excess error = wrong labels / $(2\\sqrt{n})$"
    axes.set_title(f"hard distribution: {excess}{_exponents(rows, 'it')}", fontsize="small")


def _price(axes: Axes, rows: pd.DataFrame) -> None:
    n = rows.groupby("n")["epsilon"].nunique().idxmax()
    rows = rows[rows["n"] == n].sort_values("epsilon")
    floor = 0.5 * rows.loc[rows["measured"] > 0, "measured"].min()
    distributions = list(rows.groupby(["share", "rate"]))
    for i, ((marker, colour), ((share, rate), part)) in enumerate(zip(SETTINGS.items(), distributions, strict=False)):
        curve, rest = part[part["measured"] > 0], part[part["measured"] <= 0]
        label = f"P[$x_1<t$] = {share:g}, {100 * rate:g} % flips"
        style: dict[str, Any] = {"markersize": 3.5, "color": PALETTE[colour]}
        axes.plot(curve["epsilon"], curve["measured"], f"{marker}-", label=label, **style)
        shift = 0.94 + 0.04 * i
        axes.plot(shift * rest["epsilon"], [floor] * len(rest), "v", fillstyle="none", **style)
        dashes = (2.5 * i, (2.5, 2.5 * (len(distributions) - 1)))
        axes.plot(part["epsilon"], part["bound"], linestyle=dashes, linewidth=1.2, color=PALETTE[colour])
    axes.plot([], [], "kv", fillstyle="none", markersize=3.5, label="at most 0")
    axes.plot([], [], "--", color="black", linewidth=1.2, label="claim 4.5")
    first = distributions[-1][1].iloc[0]
    guide = first["measured"] * first["epsilon"] / rows["epsilon"].unique()
    axes.plot(rows["epsilon"].unique(), guide, color="grey", linewidth=3, alpha=0.4, zorder=1, label="$1/\\varepsilon$")
    axes.set(
        xscale="log", yscale="log", xlabel="privacy parameter $\\varepsilon$", ylabel="mean empirical excess error"
    )
    axes.set_ylim(bottom=0.7 * floor)
    axes.legend(loc="lower left", fontsize=LEAST_SIZE, handlelength=1.5, borderaxespad=0.2)
    axes.set_title(f"price of privacy in the plane, $n={n:g}$", fontsize="small")
