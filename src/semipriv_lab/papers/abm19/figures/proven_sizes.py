"""Excess error of A_SSPP at the sizes of theorem 3.1, beside the alpha that the theorem promises."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, typeset
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = r"At the proven sizes the error stays far below $\alpha$"

FAILURES, QUANTILE = "P[excess error > alpha]", "quantile of the excess error"
LOWEST = 1e-5
"""Smaller excess errors, 0 among them, are drawn here, as a triangle."""
ROW = ["class", "distribution", "sizes", "part", "public_part", "alpha"]
LOOKS = {"exponential": ("o", "A_SSPP"), "permute_and_flip": ("D", "permute-and-flip")}


def draw(results: Results) -> Figure:
    """Median (filled), 0.95-quantile (open) and largest excess error over the trials; bar: proven alpha.

    Top: at the sizes of theorem 3.1, midpoints as representatives; permute-and-flip if it drew in every trial.  Bottom:
    at a small part of n_private or of n_public, with the share of the trials that fail, that is, exceed alpha.
    """
    rows = results["measurements"]
    rows = rows[(rows["claim"] == "ABM19-T3.1") & (rows["representative"] == "midpoint")]
    rows = rows[rows["trials"] == rows.groupby(ROW)["trials"].transform("max")]
    whole = (rows["part"] == 1) & (rows["public_part"] == 1)
    proven, power = rows[whole], rows[~whole]
    heights = [_count(part) for part in (proven, power)]
    figure, panels = plt.subplots(
        2, 1, figsize=page(0.9 + 0.24 * sum(heights)), sharex=True, height_ratios=heights, squeeze=True
    )
    colours = dict(zip(sorted(rows["epsilon"].unique(), reverse=True), PALETTE, strict=False))
    for axes, part, title in zip(
        panels, (proven, power), ("at the proven sizes", "at a part of one of the proven sizes"), strict=True
    ):
        _panel(axes, part, colours)
        axes.set_title(title, fontsize="small")
    panels[0].set(xscale="log")
    panels[0].plot([], [], "k<", markersize=3.5, label=f"median below $10^{{{np.log10(LOWEST):.0f}}}$")
    panels[1].set_xlabel("excess error (filled: median, open: 0.95-quantile, end: largest)", fontsize="small")
    shared_legend(figure, columns=4)
    return figure


def _count(rows: pd.DataFrame) -> int:
    return max(1, len(rows.drop_duplicates(ROW)))


def _panel(axes: Axes, rows: pd.DataFrame, colours: dict[float, tuple[float, float, float]]) -> None:
    """Draw each case beside one line of text, its epsilons and mechanisms a little apart."""
    labels = []
    for place, (_, case) in enumerate(rows.groupby(ROW, sort=False)):
        first = case.iloc[0]
        axes.plot(
            [first["alpha"]] * 2, [place - 0.4, place + 0.4], color="black", linewidth=1.5, label="proven $\\alpha$"
        )
        runs = list(case.groupby(["epsilon", "mechanism"]))
        for shift, ((epsilon, mechanism), run) in zip(np.linspace(-0.27, 0.27, len(runs) + 2)[1:-1], runs, strict=True):
            quantiles = run[run["quantity"] == QUANTILE].set_index("quantile")["measured"]
            marker, name = LOOKS[mechanism]
            _whisker(axes, quantiles, place + shift, colours[epsilon], marker, f"{name}, $\\varepsilon={epsilon:g}$")
        labels.append(_label(case))
    axes.set_yticks(range(len(labels)), labels, fontsize="xx-small")
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _whisker(axes: Axes, quantiles: pd.Series, y: float, colour: object, marker: str, label: str) -> None:
    shown = np.maximum(quantiles, LOWEST)
    axes.plot(shown, [y] * len(shown), "-", color=colour, linewidth=1)
    for level, size, fill in ((0.5, 3.5, colour), (0.95, 2.5, "white"), (1.0, 3.5, None)):
        sign = "|" if fill is None else "<" if quantiles[level] < LOWEST else marker
        axes.plot(
            shown[level],
            y,
            sign,
            color=colour,
            markersize=size,
            markerfacecolor=fill or colour,
            markeredgewidth=0.7,
            label=label if level == 0.5 and sign == marker else None,
        )


def _label(case: pd.DataFrame) -> str:
    """Return class, distribution and sizes as text, with the frequency of failures at a part of the sizes."""
    first = case.iloc[0]
    failures = case[(case["quantity"] == FAILURES) & (case["mechanism"] == "exponential")]
    by_size = failures.sort_values("epsilon").groupby("n_private", sort=False)["epsilon"]
    sizes = [f"{int(n):,} at $\\varepsilon={', '.join(f'{e:g}' for e in epsilons)}$" for n, epsilons in by_size]
    if len(sizes) == 1:
        sizes = [f"{int(first['n_private']):,}"]
    name = f"{first['class']}, {first['distribution']}" + (
        ", realizable form" if first["sizes"] == "realizable" else ""
    )
    numbers = f"$n_{{\\mathrm{{public}}}}$ {int(first['n_public']):,}, $n_{{\\mathrm{{private}}}}$ {', '.join(sizes)}"
    trials = f"{int(first['trials'])} trial{'' if first['trials'] == 1 else 's'}"
    if first["part"] < 1 or first["public_part"] < 1:
        trials += f", {100 * failures['measured'].max():.0f} % fail"
    return typeset(f"{name}; {trials}\n{numbers}")
