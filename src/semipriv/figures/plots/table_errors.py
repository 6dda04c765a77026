"""Error on a real table against epsilon, beside baselines without privacy."""

from itertools import cycle

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.figures._fitting import shared_legend
from semipriv.figures._style import page
from semipriv.figures.base import AXES, Results, band, learner_names, learners

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""


def draw(results: Results, title: str = "") -> Figure:
    """Draw the mean error on the held-out part with its 95 % band against epsilon.

    Learners without epsilon are level lines.
    """
    summary = results["summary"]
    summary = summary.assign(shown=learner_names(summary))
    crowded = summary["shown"].nunique() > 6
    figure, axes = plt.subplots(figsize=page(3.6 if crowded else 3.0))
    known, dashes = learners(summary), cycle(("--", "-.", ":"))
    for shown in known.order:
        part = summary[summary["shown"] == shown]
        if part["epsilon"].notna().all():
            band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
        else:
            level = part.iloc[0]
            axes.axhline(level["mean"], color=known.colours[shown], linewidth=1.2, linestyle=next(dashes), label=shown)
            axes.axhspan(level["low"], level["high"], color=known.colours[shown], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(AXES["epsilon"])
    axes.set_ylabel(AXES["error"])
    axes.set_title(title)
    shared_legend(figure)
    return figure
