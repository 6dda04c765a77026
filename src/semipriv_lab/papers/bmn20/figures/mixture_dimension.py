"""Excess of A_LearnHalf's draw against ln|G| by dimension, and ln|G| against d^2 ln m."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import label_end, shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Mistakes beyond the least stay far below the bound in $\\ln|G|$"


def draw(results: Results, epsilon: float = 1.0) -> Figure:
    """Left: mean number of mistakes beyond the least over G, exact for each data set, against ln|G|.

    Filled: 10 public points, with 95 % limits; open: other numbers m of public points, 5 to 10,000.  With d the excess
    grows.  With m it does not on the line, d = 1, though ln|G| grows; in the plane it levels off.  Dashed: the bound
    (2/epsilon) ln|G|; dotted: a fifth of it.  Right: ln|G| of m points in general position over d^2 ln m, by formula.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0))
    _excess(left, rows[rows["quantity"].str.startswith("mean number") & (rows["epsilon"] == epsilon)], epsilon)
    left.set_title(_exponents(rows[rows["epsilon"] == epsilon]), fontsize="small")
    _sizes(right, rows[rows["quantity"].str.startswith("ln|G| of points")])
    shared_legend(figure, columns=4)
    return figure


def _exponents(rows: pd.DataFrame) -> str:
    """Say how the excess grows with ln|G|: with d, and with m on the line and in the plane."""
    in_d = rows[rows["quantity"] == "exponent of the excess in ln|G|, d growing"].iloc[0]
    in_m = rows[rows["quantity"] == "exponent of the excess in ln|G|, m growing"].set_index("d")["measured"]
    line, plane = (f"with $m$ {in_m[d]:.2f} ($d={d}$)" for d in (1, 2))
    return f"exponent in $\\ln|G|$: with $d$ {in_d['measured']:.2f} ($m={in_d['n_public']:g}$),\n{line}, {plane}"


def _excess(axes: Axes, rows: pd.DataFrame, epsilon: float) -> None:
    for colour, marker, (d, part) in zip(PALETTE, MARKERS, rows.groupby("d"), strict=False):
        main, others = part[part["n_public"] == 10], part[part["n_public"] != 10].sort_values("log_size")
        errors = np.array([main["measured"] - main["low"], main["high"] - main["measured"]])
        axes.errorbar(
            main["log_size"],
            main["measured"],
            errors,
            fmt=marker,
            markersize=4,
            color=colour,
            label=f"$d={d:g}$, 10 public",
        )
        axes.plot(
            others["log_size"],
            others["measured"],
            marker,
            markersize=4,
            color=colour,
            fillstyle="none",
            label=f"$d={d:g}$, others",
        )
    line = np.linspace(0, rows["log_size"].max() * 1.05, 20)
    axes.plot(line, 2 / epsilon * line, "--", color="black", linewidth=1, label="$(2/\\varepsilon)\\ln|G|$")
    axes.plot(line, 0.4 / epsilon * line, ":", color="black", linewidth=1, label="a fifth of it")
    axes.set(xlabel="$\\ln|G|$", ylabel="mistakes beyond the least, mean")
    axes.set_xlim(0, None)
    axes.set_ylim(0, 2.2 * rows["measured"].max())


def _sizes(axes: Axes, rows: pd.DataFrame) -> None:
    shades = mpl.colormaps["viridis"](np.linspace(0, 0.7, rows["n_public"].nunique()))[:, :3].tolist()
    for shade, (m, part) in zip(shades, rows.groupby("n_public"), strict=True):
        colour = (shade[0], shade[1], shade[2])
        curve = part.sort_values("d")
        axes.plot(curve["d"], curve["measured"] / curve["against"], ".-", linewidth=1, color=colour)
        last = curve.iloc[-1]
        label_end(axes, last["d"], last["measured"] / last["against"], f"$m$ = {m:,.0f}", colour)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(xlabel="dimension $d$", ylabel="$\\ln|G|$ / $(d^2 \\ln m)$")
    axes.set_xticks(sorted(rows["d"].unique()))
    axes.set_ylim(0, None)
