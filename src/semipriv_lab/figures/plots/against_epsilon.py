"""Labels asked for, private examples and excess error against epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import page
from semipriv_lab.figures.base import AXES, Learners, Results, band, learner_names, learners, of_measure

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

MEASURES = ("population_error", "labels_asked")
"""Measures that this figure shows."""

SIZES = ("n_private",)
"""Size keys that an experiment must have for this figure."""


def draw(results: Results) -> Figure:
    """A point for each learner and epsilon: means with 95 % bands.  Cases may have other sizes.

    Dashed: a learner without privacy, at every epsilon.
    """
    summary = results["summary"]
    summary = summary.assign(shown=learner_names(summary))
    known = learners(summary)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(2.5))
    errors = of_measure(summary, "population_error")
    sizes = errors.assign(mean=errors["n_private"], low=errors["n_private"], high=errors["n_private"])
    for axes, rows, title in (
        (left, of_measure(summary, "labels_asked"), "labels asked for"),
        (middle, sizes, "private examples"),
        (right, errors, AXES["excess"]),
    ):
        axes.set(xscale="log", yscale="linear" if axes is right else "log")
        _panel(axes, rows, known)
        axes.set(xlabel=AXES["epsilon"], ylabel=title)
    right.set_ylim(bottom=0)
    shared_legend(figure)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, known: Learners) -> None:
    for shown in known.order:
        part = rows[rows["shown"] == shown].astype({"mean": float, "low": float, "high": float})
        if part["epsilon"].notna().any():
            band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
        for mean in part.loc[part["epsilon"].isna(), "mean"]:
            axes.axhline(mean, linestyle="--", linewidth=1, color=known.colours[shown], label=shown)
    ticks = sorted(rows["epsilon"].dropna().unique())
    axes.set_xticks(ticks, [f"{epsilon:g}" for epsilon in ticks])
    axes.minorticks_off()
