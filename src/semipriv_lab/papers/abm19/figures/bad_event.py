"""The frequency of Bad (hypotheses agree on the public points, yet differ by more than alpha), and covering radii."""

import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv.papers.abm19.bounds.sizes import bad_probability_bound, cover_points
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "The bound asks for many times the public points that are needed"

LEAST = 5e-4
"""Limits below this are drawn here."""
BETA = 0.05


def draw(results: Results) -> Figure:
    """Top: the frequency of Bad with its confidence limits against the number of public points, beside bound (1).

    Each class has a column, with a continuous distribution and with atoms of unequal weights.  Triangles: upper limits
    where Bad was never seen.  In titles: how many times the need bound (1) asks for, if Bad may have probability 0.05
    on the continuous distribution.  Bottom: on the atoms, the radius of the package's covers (median and 95 %
    quantile), which never exceeds the Bad diameter (dotted: its 95 % quantile).  Radii of 0 are left out.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "ABM19-E1"].sort_values("n_public")
    names = list(dict.fromkeys(rows.sort_values(["d", "class"])["class"]))
    figure, grid = plt.subplots(2, len(names), figsize=page(4.2), sharex="col", sharey="row", squeeze=False)
    continuous, discrete = PALETTE[:2]
    for (top, bottom), name in zip(grid.T, names, strict=True):
        cells = rows[rows["class"] == name]
        on_atoms = cells["distribution"].str.contains("atoms")
        _frequencies(top, cells[~on_atoms], "continuous", continuous, "o")
        _frequencies(top, cells[on_atoms], "atoms", discrete, "s")
        d, alpha = int(cells["d"].iloc[0]), float(cells["alpha"].iloc[0])
        sizes = np.unique(np.geomspace(max(1, d / 2), cells["n_public"].max(), 200).astype(int))
        bound = [bad_probability_bound(int(m), alpha, d) for m in sizes]
        top.plot(sizes, bound, "--", color="black", linewidth=1, label="bound (1)")
        words = re.sub(r"d = (\d+)", r"$d=\1$", name)
        top.set_title(
            f"{words}\nVC dimension {d}, $\\alpha={alpha:g}$\n{_slack(cells[~on_atoms], d, alpha)}", fontsize="x-small"
        )
        _radii(bottom, cells[on_atoms], discrete)
        bottom.axhline(alpha, color="black", linewidth=0.6, linestyle="-.", label="$\\alpha$")
        bottom.set_xlabel("public points")
    grid[0, 0].set(xscale="log", yscale="log", ylim=(LEAST, 1.6), ylabel="frequency of Bad")
    grid[1, 0].set(yscale="log", ylim=(3e-4, 1.1), ylabel="mass where\ntwo rules differ")
    for axes in grid.flat:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
    shared_legend(figure, columns=4)
    return figure


def _frequencies(axes: Axes, rows: pd.DataFrame, label: str, colour: object, marker: str) -> None:
    part = rows[rows["quantity"] == "P[Bad]"]
    seen, never = part[part["measured"] > 0], part[part["measured"] == 0]
    errors = np.array([seen["measured"] - np.maximum(seen["low"], LEAST), seen["high"] - seen["measured"]])
    axes.errorbar(
        seen["n_public"],
        seen["measured"],
        np.maximum(errors, 0),
        fmt=f"{marker}-",
        markersize=2.5,
        linewidth=0.8,
        color=colour,
        label=label,
    )
    look: dict[str, Any] = {
        "markersize": 4.5 if marker == "o" else 2.5,
        "markeredgewidth": 0.6,
        "color": colour,
        "fillstyle": "none",
    }
    axes.plot(never["n_public"], never["high"], "v", **look, label=f"{label}: never seen, upper limit")


def _slack(rows: pd.DataFrame, d: int, alpha: float) -> str:
    """Return, as text, the points of bound (1) over those at which the frequency falls to BETA (log-linear)."""
    part = rows[(rows["quantity"] == "P[Bad]") & (rows["measured"] > 0)]
    falling = np.minimum.accumulate(part["measured"].to_numpy())
    if falling.size < 2 or falling[-1] > BETA or falling[0] < BETA:
        return ""
    at = np.exp(np.interp(-np.log(BETA), -np.log(falling), np.log(part["n_public"].to_numpy())))
    return f"asks for {cover_points(alpha, BETA, d) / at:.0f} times the need"


def _radii(axes: Axes, rows: pd.DataFrame, colour: object) -> None:
    looks = {0.5: ("-", "covering radius, median"), 0.95: ("--", "covering radius, 95 %")}
    for quantile, (look, label) in looks.items():
        part = rows[(rows["quantity"] == "covering radius") & (rows["quantile"] == quantile)]
        part = part[part["measured"] > 0]
        axes.plot(part["n_public"], part["measured"], look, linewidth=1, color=colour, label=label)
    part = rows[(rows["quantity"] == "Bad diameter") & (rows["quantile"] == 0.95)]
    axes.plot(part["n_public"], part["measured"], ":", linewidth=1.2, color=colour, label="Bad diameter, 95 %")
