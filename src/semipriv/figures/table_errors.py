"""Error on a real table against epsilon, beside baselines without privacy."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.figures.base import AXES, WIDTH, Results, band, colours, learner_names, order

__all__ = ["draw"]


def draw(results: Results, title: str = "") -> Figure:
    """Mean error on the held-out part with its 95 % band against epsilon; learners without epsilon as level lines."""
    summary = results["summary"]
    summary = summary.assign(shown=learner_names(summary))
    crowded = summary["shown"].nunique() > 6
    figure, axes = plt.subplots(figsize=((0.9 if crowded else 0.62) * WIDTH, 3.6 if crowded else 3.0))
    colour = colours(summary["shown"])
    for shown in order(summary["shown"]):
        part = summary[summary["shown"] == shown]
        if part["epsilon"].notna().all():
            band(axes, part, "epsilon", shown, colour[shown])
        else:
            level = part.iloc[0]
            axes.axhline(level["mean"], color=colour[shown], linewidth=1.2, linestyle="--", label=shown)
            axes.axhspan(level["low"], level["high"], color=colour[shown], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(AXES["epsilon"])
    axes.set_ylabel(AXES["error"])
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=2)
    return figure
