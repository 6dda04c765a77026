"""How many labelled examples are enough, against the bits of a point and against alpha."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import page
from semipriv_lab.figures.base import AXES, Learners, Results, learner_names, learners

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

MEASURES = ("population_error",)
"""Measures that this figure shows."""

SIZES = ("n_labelled",)
"""Size keys that an experiment must have for this figure."""

VARY = ("n_labelled", "bits")
"""Sizes of which an experiment must have several for this figure."""


def draw(results: Results, alpha: float, alphas: dict[str, float], titles: dict[str, str]) -> Figure:
    """Draw the least n_labelled from which on the excess error is at most alpha: a row for each distribution.

    Left: against the bits b of a point, for one alpha.  Right: against alpha, for the largest b.  With markers: by the
    empirical (1 - beta)-quantile of the excess error, no confidence limit.  Dashed: by the bound of the learner's
    theory, with explicit constants and probability 1 - beta, where it has one.  Sizes are those of the sweep: a need
    lies between one of them and the one before.  A need that is not in the sweep is left out.

    Args:
        results: tables of the experiment.
        alpha: the excess error on the left.
        alphas: by case, the alpha that its distribution is made for.
        titles: by case, the name of its distribution; cases of one name make a row.

    Returns:
        The figure.
    """
    summary = results["summary"]
    summary = summary.assign(shown=learner_names(summary))
    known, distributions = learners(summary), list(dict.fromkeys(titles.values()))
    figure, grid = plt.subplots(
        len(distributions), 2, figsize=page(0.8 + 2.1 * len(distributions)), sharey=True, squeeze=False
    )
    every, most = sorted(summary["bits"].unique()), int(summary["bits"].max())
    for (left, right), distribution in zip(grid, distributions, strict=True):
        cases = sorted((alphas[case], case) for case in titles if titles[case] == distribution)
        for name in [name for name in known.order if name in set(summary["shown"])]:
            of_learner = summary[summary["shown"] == name]
            for own_alpha, case in cases:
                of_case = of_learner[of_learner["case"] == case]
                if own_alpha == alpha:
                    _curves(left, every, [(of_case[of_case["bits"] == b], alpha) for b in every], name, known)
            largest = of_learner[of_learner["bits"] == most]
            parts = [(largest[largest["case"] == case], own_alpha) for own_alpha, case in cases]
            _curves(right, [own_alpha for own_alpha, _ in cases], parts, name, known)
        left.set(title=f"{distribution}, $\\alpha={alpha:g}$", ylabel=AXES["n_labelled"])
        right.set(title=f"{distribution}, $b={most}$")
        for axes, ticks in ((left, every), (right, [own_alpha for own_alpha, _ in cases])):
            axes.set(xscale="log", yscale="log")
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.minorticks_off()
    grid[-1, 0].set_xlabel(AXES["bits"])
    grid[-1, 1].set_xlabel("excess error $\\alpha$")
    shared_legend(figure)
    return figure


def _curves(
    axes: Axes, x: Sequence[float], parts: Sequence[tuple[pd.DataFrame, float]], name: str, known: Learners
) -> None:
    """Draw what is needed at each x, given by the rows of a learner and alpha, as measured and by its theory."""
    look, colour = known.looks[name], known.colours[name]
    axes.plot(x, [least(rows, "quantile", alpha) for rows, alpha in parts], color=colour, label=name, **look)
    proven = [least(rows, "bound", alpha) for rows, alpha in parts]
    if np.isfinite(proven).any():
        axes.plot(x, proven, "--", color=colour, linewidth=1, label=f"{name}, proven")


def least(rows: pd.DataFrame, column: str, alpha: float) -> float:
    """Return the least n_labelled from which on the column is at most alpha; not a number if there is none.

    >>> least(pd.DataFrame({"n_labelled": [8, 1, 2, 4], "mean": [0.1, 0.2, 0.4, 0.1]}), "mean", 0.2)
    4.0
    """
    ordered = rows.sort_values("n_labelled")
    within = (ordered[column] <= alpha).to_numpy(bool)
    first = len(within) - int(np.argmin(within[::-1])) if not within.all() else 0
    return float(ordered["n_labelled"].iloc[first]) if first < len(within) else float("nan")
