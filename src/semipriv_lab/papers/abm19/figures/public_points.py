"""Public points needed against alpha: for covers, by the naive argument, and on the hidden pair."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv.papers.abm19.bounds.sizes import cover_points
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = r"A cover needs a number of public points like $1/\alpha$, up to a logarithm"

MIDDLE = ((0.0, 0.0, 0.0), PALETTE[4], PALETTE[5])
"""Colours of the needs in the middle."""


def draw(results: Results) -> Figure:
    """Left: least n_public with P[Bad] <= beta (points with simultaneous limits), m1 of lemma 3.3 (dashed).

    Middle: thresholds (d = 1), beside the naive argument, which estimates all disagreements, and the hidden pair of
    theorem 4.1, with exponents.  Right: m1 over the measured points, the price of the constants of bound (1).  P[Bad]
    bounds the probability of no cover, which can be much smaller.
    """
    rows = results["measurements"]
    needs = rows[rows["quantity"] == "public points needed"].sort_values(["d", "alpha"])
    exponents = rows[rows["quantity"] == "exponent in alpha"]
    covers = needs[needs["claim"] == "ABM19-L3.3-rate"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(3.0), width_ratios=(1.2, 1.2, 1))
    known = list(zip(PALETTE, MARKERS, covers.groupby("d"), strict=False))
    middle.sharey(left)
    beta = covers["beta"].iloc[0]
    for i, (colour, marker, (d, part)) in enumerate(known):
        _points(left, part, f"$d={d:g}$, {'exact' if d == 1 else 'simulated'}", colour, marker)
        alphas = np.geomspace(part["alpha"].min(), part["alpha"].max(), 40)
        left.plot(alphas, [cover_points(a, beta, int(d)) for a in alphas], "--", linewidth=1, color=colour)
        thick = len(known) - i
        look = {"markersize": 1.5 + 0.8 * thick, "linewidth": 0.5 + 0.5 * thick, "color": colour}
        right.plot(part["alpha"], part["bound"] / part["measured"], f"{marker}-", **look)
    left.plot([], [], "--", color="black", label="$m_1$ of lemma 3.3")
    curves = {
        "cover of thresholds": (covers[covers["d"] == 1], exponents[exponents["d"] == 1]),
        "naive, all disagreements": tuple(t[t["claim"] == "ABM19-NAIVE"] for t in (needs, exponents)),
        "hidden pair, midpoints": tuple(
            t[(t["claim"] == "ABM19-T4.1-pair") & (t["representative"] == "midpoint")] for t in (needs, exponents)
        ),
    }
    for (name, (part, slope)), colour, marker in zip(curves.items(), MIDDLE, "*vX", strict=True):
        _points(
            middle, part, f"{name}: exponent {slope['measured'].iloc[0]:.2f}{_limits(slope.iloc[0])}", colour, marker
        )
    for axes, title in ((left, "covers"), (middle, "thresholds, three needs"), (right, "$m_1$ / measured, covers")):
        axes.set(xscale="log", xlabel="disagreement $\\alpha$")
        axes.set_title(title, fontsize="small")
    for axes in (left, middle):
        axes.set_yscale("log")
    left.set_ylabel(f"public points needed, probability {1 - beta:g}")
    right.set_ylabel("ratio")
    right.set_ylim(0, 1.1 * (covers["bound"] / covers["measured"]).max())
    shared_legend(figure, columns=3)
    return figure


def _points(axes: Axes, part: pd.DataFrame, label: str, colour: object, marker: str) -> None:
    errors = np.array([part["measured"] - part["low"], part["high"] - part["measured"]])
    axes.errorbar(part["alpha"], part["measured"], errors, fmt=marker, markersize=3, color=colour, label=label)


def _limits(slope: pd.Series) -> str:
    return "" if slope["low"] == slope["high"] else f" [{slope['low']:.2f}, {slope['high']:.2f}]"
