"""The tracing attack: how many private records it finds, and what a differentially private release allows."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Accurate answers are traced, private ones hardly"

_RELEASES = {
    "exact": "exact means",
    "Gaussian, noise / 16": "Gaussian, noise / 16",
    "Gaussian, noise / 4": "Gaussian, noise / 4",
    "Gaussian": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
}

_FEW = {
    "exact means": "exact means",
    "Gaussian means": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
    "Laplace means": "Laplace, $\\varepsilon=1$",
    "private and public means mixed": "Gaussian and public means mixed",
    "A_PAP, MWEM": "A_PAP, MWEM",
    "A_PAP, PMW": "A_PAP, PMW",
    "A_PAP, Gaussian noise": "A_PAP, Gaussian noise",
}
_LOOKS = dict(zip(_FEW, ((4, "X"), (9, "D"), (8, "<"), (7, ">"), (0, "o"), (1, "s"), (2, "^")), strict=True))


BOUND, GUESSING = "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$", "guessing"

_SIZES = (4, 6, 3, 4)
"""Of markers: two of the curves lie on each other, as p alpha^2 is the same."""


def draw(results: Results) -> Figure:
    """Left: share of private records traced at 1 % false positives, means with uniform noise in [-alpha, alpha].

    Dashed: predicted from mean and variance of the score, population known.  Right: true-positive against
    false-positive rates of the same attack on 100 records with p = 1000: exact means, the Gaussian release, and the
    same with less noise, which has no such guarantee.  Black: what epsilon and delta of the release allow every attack.

    Below: the attack at 1 % false positives on answers of A_PAP (epsilon = 1, delta = 1 / (4 n), 25 public points), and
    on other answers, to 12 and to 6 stumps.  That A_PAP's stay below the bound is a theorem, for every attack; that
    they are near the false-positive rate says that this attack is weak against them, and they are far from accurate.
    """
    rows = results["measurements"]
    figure, ((left, right), below) = plt.subplots(2, 2, figsize=page(5.6))
    traced = rows[rows["quantity"] == "true-positive rate at 1 % false positives"]
    _traced(left, traced)
    _trade_off(right, rows[rows["quantity"] == "true-positive rate"])
    few_stumps = rows[rows["quantity"] == "true-positive rate at 1 % false positives, few stumps"]
    for axes, p in zip(below, (12, 6), strict=True):
        _released(axes, few_stumps[few_stumps["p"] == p])
        axes.set_title(f"answers to {p} stumps, 1 % false positives")
    left.legend(fontsize="x-small", loc="upper right")
    right.legend(fontsize="x-small", loc="lower right")
    shared_legend(figure, columns=3, panels=below)
    return figure


def _traced(axes: Axes, rows: pd.DataFrame) -> None:
    cells = rows.groupby(["p", "alpha"])
    for colour, marker, size, ((p, alpha), part) in zip(PALETTE, MARKERS, _SIZES, cells, strict=False):
        curve = part.sort_values("factor")
        axes.plot(curve["factor"], curve["bound"], "--", linewidth=1, color=colour)
        label = f"$p={p:g}$, $\\alpha={alpha:g}$"
        axes.plot(curve["factor"], curve["measured"], marker, markersize=size, color=colour, label=label)
    axes.plot([], [], "--", linewidth=1, color="grey", label="predicted")
    axes.axhline(0.01, linestyle=":", linewidth=1, color="grey")
    axes.set(xscale="log", ylim=(0, 1), xlabel="$n\\,\\alpha/\\sqrt{p}$", ylabel="private records traced")
    axes.set_xticks(sorted(rows["factor"].unique()), [f"{x:g}" for x in sorted(rows["factor"].unique())])
    axes.minorticks_off()
    axes.set_title("uniform noise, 1 % false positives")


def _trade_off(axes: Axes, rows: pd.DataFrame) -> None:
    for i, (release, label) in enumerate(_RELEASES.items()):
        curve = rows[rows["release"] == release].sort_values("rate")
        colour, marker = PALETTE[(4, 5, 6, 9)[i]], "XphD"[i]
        axes.plot(curve["rate"], curve["measured"], f"{marker}-", markersize=4, linewidth=1, color=colour, label=label)
    own = rows[rows["release"] == "Gaussian"].sort_values("rate")
    axes.plot(own["rate"], own["bound"], color="black", linewidth=1.2, label=BOUND)
    axes.plot(own["rate"], own["rate"], ":", color="grey", linewidth=1, label=GUESSING)
    axes.set(xscale="log", yscale="log", xlabel="false-positive rate", ylabel="true-positive rate")
    axes.set_title("a private release")


def _released(axes: Axes, rows: pd.DataFrame) -> None:
    for release, label in _FEW.items():
        curve = rows[rows["release"] == release].sort_values("n")
        colour, marker = _LOOKS[release]
        axes.plot(
            curve["n"], curve["measured"], f"{marker}-", markersize=4, linewidth=1, color=PALETTE[colour], label=label
        )
    bound = rows[rows["bound"].notna()].drop_duplicates("n").sort_values("n")
    axes.plot(bound["n"], bound["bound"], color="black", linewidth=1.2, label=BOUND)
    axes.axhline(0.01, linestyle=":", linewidth=1, color="grey", label=GUESSING)
    axes.set(xscale="log", ylim=(0, None), xlabel="private records $n$", ylabel="private records traced")
    axes.set_xticks(sorted(rows["n"].unique()), [f"{n:g}" for n in sorted(rows["n"].unique())])
    axes.minorticks_off()
