"""Error on a real table against epsilon, beside baselines without privacy."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import page
from semipriv_lab.figures.base import AXES, Results, band, learner_names, learners

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

LEVELS: list[dict[str, Any]] = [
    {"linewidth": 3, "alpha": 0.5},
    {"linewidth": 1.2, "linestyle": (0, (5, 2, 1, 2))},
    {"linewidth": 1.2, "linestyle": (0, (2, 2))},
]
"""Looks of level lines; of two that coincide, both can be seen."""


def draw(results: Results, title: str = "") -> Figure:
    """Draw the mean error on the held-out part with its 95 % band against epsilon.

    Learners without epsilon are level lines.
    """
    summary = results["summary"]
    summary = summary.assign(shown=learner_names(summary))
    crowded = summary["shown"].nunique() > 6
    figure, axes = plt.subplots(figsize=page(3.6 if crowded else 3.0))
    known = learners(summary)
    levels = iter(LEVELS * summary["shown"].nunique())
    for shown in known.order:
        part = summary[summary["shown"] == shown]
        if part["epsilon"].notna().all():
            band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
        else:
            level = part.iloc[0]
            axes.axhline(level["mean"], color=known.colours[shown], label=shown, **next(levels))
            axes.axhspan(level["low"], level["high"], color=known.colours[shown], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    ticks_at(axes, summary["epsilon"].dropna())
    axes.set_ylim(bottom=0)
    axes.set_xlabel(AXES["epsilon"])
    axes.set_ylabel(summary["axis"].iloc[0])
    axes.set_title(title)
    shared_legend(figure)
    return figure
