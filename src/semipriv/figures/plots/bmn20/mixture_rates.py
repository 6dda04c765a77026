"""Error of A_LearnHalf against the size of the mixed sample, on the hard law, and what privacy costs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import page
from semipriv.figures.base import MARKERS, Results

__all__ = ["draw"]

LOOKS = dict(zip((0.1, 0.3, 1.0, 3.0), zip(sns.color_palette("colorblind"), MARKERS, strict=False), strict=False))
"""Colour and marker by epsilon."""
OTHERS = {"ERM, not private": ("black", "-"), "all private": ("grey", ":"), "public only": ("grey", "-.")}
LEARNER = "A_LearnHalf"
SETTINGS = {"o": 5, "s": 6, "v": 7, "^": 9}
"""Markers and colours of the four laws in the plane."""


def draw(results: Results) -> Figure:
    """Top: mean error against n if a halfspace errs nowhere, on the line and in the plane, with 95 % limits.

    Dashed: theorem 4.6 with explicit constants (95 % quantile).  On the line the mean over the draw is exact for each
    sample.  Black: the non-private minimiser; dotted: pure DP for all examples over a data-independent list, epsilon 1;
    chain: public examples alone, all of label 0.  Bottom left: the mean number of wrong labels on two atoms with
    P[y = 1] = 1/2 -+ 1/(2 sqrt n); each costs 1/(2 sqrt n); lines: exact values.  Bottom right: mean empirical excess
    over the best halfspace in the plane, n = 200, beside 1 / epsilon and the bound of claim 4.5 (dashed).  Negative
    values are left out: G may have hypotheses better than the best halfspace.
    """
    rows = results["measurements"]
    figure, grid = plt.subplots(2, 2, figsize=page(5.4))
    realizable = rows[rows["claim"] == "BMN20-T4.6-realizable-rate"]
    _errors(grid[0, 0], realizable[realizable["law"] == "uniform"], "uniform on the line")
    plane = (realizable["law"] == "normal") & (realizable["share"] == 0.25)
    _errors(grid[0, 1], realizable[plane], "normal in the plane, P[y = 0] = 1/4")
    _hard(grid[1, 0], rows[rows["law"] == "two atoms"])
    _price(grid[1, 1], rows[rows["quantity"] == "mean empirical excess over the best halfspace"])
    shared_legend(figure, columns=4)
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
    axes.plot([], [], "--", color="black", linewidth=0.9, label="theorem 4.6, claim 4.5")
    for learner, (colour, style) in OTHERS.items():
        curve = means[(means["learner"] == learner) & (means["epsilon"].isin((0.0, 1.0)))].sort_values("n")
        axes.plot(curve["n"], curve["measured"], style, color=colour, linewidth=1.2, label=learner)
    axes.set(xscale="log", yscale="log", xlabel="size $n$ of the mixed sample", ylabel="mean error")
    axes.set_ylim(0.3 * means.loc[means["measured"] > 0, "measured"].min(), 2)
    sizes = np.unique(own["n"])
    if sizes.max() < 30 * sizes.min():
        axes.set_xticks(sizes, [f"{n:g}" for n in sizes])
        axes.minorticks_off()
    axes.set_title(f"{title}\n{_exponents(rows)}", fontsize="small")


def _exponents(rows: pd.DataFrame) -> str:
    """Say what the exponents are, with their epsilon."""
    exponents = rows[rows["quantity"] == "exponent in n"]
    told = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in exponents.itertuples()]
    return f"exponent {', '.join(told)}"


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
        axes.errorbar(shift * curve["n"], curve["measured"], errors, fmt=marker, markersize=3, color=colour)
        axes.plot(curve["n"], curve["bound"], color=colour, linewidth=1)
    axes.axhline(wrong.loc[wrong["learner"] == "blind to data", "measured"].iloc[0], color="black", linewidth=0.8)
    axes.text(wrong["n"].max(), 0.99, "blind to the data", ha="right", va="top", fontsize="x-small")
    axes.set(xscale="log", ylim=(0, 1.05), xlabel="size $n$ of the mixed sample", ylabel="mean number of wrong labels")
    axes.set_title(f"hard law, excess error\n{_exponents(rows)}", fontsize="small")


def _price(axes: Axes, rows: pd.DataFrame) -> None:
    rows = rows[rows["n"] == 200]
    palette = sns.color_palette("colorblind")
    for (marker, colour), ((share, rate), part) in zip(SETTINGS.items(), rows.groupby(["share", "rate"]), strict=False):
        curve = part[part["measured"] > 0].sort_values("epsilon")
        label = f"P[$x_1$ < t] = {share:g}, {100 * rate:g} % flips"
        style = {"markersize": 4, "linewidth": 1, "color": palette[colour]}
        axes.plot(curve["epsilon"], curve["measured"], f"{marker}-", label=label, **style)
        axes.plot(part["epsilon"], part["bound"], "--", linewidth=0.9, color=palette[colour])
        if share == 0.5 and rate == 0:
            first = curve.iloc[1]
            guide = first["measured"] * first["epsilon"] / curve["epsilon"]
            axes.plot(curve["epsilon"], guide, ":", color="black", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="privacy parameter $\\varepsilon$", ylabel="empirical excess error")
    axes.set_title("price of privacy in the plane, $n = 200$\ndotted: $1/\\varepsilon$", fontsize="small")
