"""Public points at which P[Bad] falls to beta against alpha, for several VC dimensions, beside bound (1)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from semipriv.bounds.abm19 import cover_points
from semipriv.figures.base import WIDTH, Results, shared_legend

__all__ = ["draw"]


def draw(results: Results) -> Figure:
    """Left: least n_public with P[Bad] <= beta (points with simultaneous limits), m1 of lemma 3.3 (dashed).

    Right: their ratio, what the constants of bound (1) give away.  P[Bad] bounds the probability of
    no cover, which can be much smaller.
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "ABM19-L3.3-rate") & (rows["quantity"] == "public points needed")]
    settings = rows["settings"].str.extract(r"d (?P<d>\d+), alpha (?P<alpha>\S+), beta (?P<beta>\S+)").astype(float)
    frame = pd.concat([rows, settings], axis=1).sort_values(["d", "alpha"])
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.8))
    for colour, (d, part) in zip(sns.color_palette("colorblind"), frame.groupby("d"), strict=False):
        errors = np.array([part["measured"] - part["low"], part["high"] - part["measured"]])
        kind = "exact" if d == 1 else "simulated"
        label = f"$d={d:g}$, {kind}"
        left.errorbar(part["alpha"], part["measured"], errors, fmt="o", markersize=3, color=colour, label=label)
        alphas = np.geomspace(part["alpha"].min(), part["alpha"].max(), 40)
        beta = part["beta"].iloc[0]
        bound = [cover_points(a, beta, int(d)) for a in alphas]
        left.plot(alphas, bound, "--", linewidth=1, color=colour)
        right.plot(part["alpha"], part["bound"] / part["measured"], "o-", markersize=3, color=colour)
    left.plot([], [], "--", color="black", label="$m_1$ of lemma 3.3")
    left.set(
        xscale="log", yscale="log", xlabel="disagreement $\\alpha$", ylabel="public points until P[Bad] $\\leq 0.05$"
    )
    right.set(xscale="log", ylim=(0, None), xlabel="disagreement $\\alpha$", ylabel="bound / measured")
    shared_legend(figure, columns=5)
    return figure
