"""Every learner of a regime on the same data: error against epsilon or another axis, and below it what it cost."""

import json

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.report.figures._fitting import shared_legend, ticks_at
from semipriv.report.figures._style import page
from semipriv.report.figures.base import AXES, Learners, Results, band, learner_names, learners

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

KINDS = ("simulation", "table")
"""Kinds of experiments that this figure suits."""

COSTS = ("oracle_calls", "cover_size", "queries")
"""Costs in the order in which they are looked for: a learner is drawn with the first that it has."""

COST = "candidates or\noracle calls"
"""Label of the lower panels."""


def draw(results: Results, titles: dict[str, str] | None = None) -> Figure:
    """Draw errors of all learners against epsilon, and what they cost, a column for each case.

    Above: means with 95 % bands, excess error on a logarithmic axis for simulations, error on the held-out part for
    tables.  Learners without epsilon are dashed level lines.  Below: the hypotheses or queries that a learner chooses
    from, or for RRSPM its oracle calls.  A private learner that protects something else than most of the private ones
    do says what in the legend: equal epsilons of both do not promise the same.
    """
    summary = results["summary"]
    summary = summary.assign(shown=_names(summary), cost=summary["cost"].map(_cost))
    known = learners(summary)
    cases = list(dict.fromkeys(summary["case"]))
    ticks = summary["epsilon"].dropna().unique()
    rows = 2 if summary["cost"].notna().any() else 1
    ratio = {"height_ratios": [2.2, 1][:rows]}
    figure, grid = plt.subplots(
        rows, len(cases), figsize=page(2.4 + 1.4 * rows), sharex=True, sharey="row", squeeze=False, gridspec_kw=ratio
    )
    for i, case in enumerate(cases):
        of_case = summary[summary["case"] == case]
        top = grid[0, i]
        top.set(xscale="log", yscale="log" if summary["quantity"].iloc[0] == "excess" else "linear")
        _panel(top, of_case, known)
        top.set_title((titles or {}).get(case, case), fontsize="small" if len(cases) < 4 else "x-small")
        if rows > 1:
            priced = of_case[of_case["cost"].notna()]
            grid[1, i].set(xscale="log", yscale="log")
            _panel(grid[1, i], priced.assign(mean=priced["cost"], low=priced["cost"], high=priced["cost"]), known)
        ticks_at(grid[-1, i], ticks)
        grid[-1, i].set_xlabel(AXES["epsilon"])
    grid[0, 0].set_ylabel(summary["axis"].iloc[0])
    if rows > 1:
        grid[1, 0].set_ylabel(COST)
    shared_legend(figure, panels=grid[0])
    return figure


def _names(summary: pd.DataFrame) -> pd.Series:
    """Return the names of learners, with what they protect if most private ones protect something else."""
    names = learner_names(summary)
    private = summary["protects"].where(summary["epsilon"].notna())
    usual = private.groupby(names).first().mode()
    other = private.notna() & ~private.isin(usual[:1])
    return names.where(~other, names + " (protects " + private.fillna("") + ")")


def _cost(text: str) -> float:
    """Return the first known cost of a release; not a number if it has none."""
    costs = json.loads(text)
    return float(next((costs[key] for key in COSTS if key in costs), float("nan")))


def _panel(axes: Axes, rows: pd.DataFrame, known: Learners) -> None:
    for shown in [name for name in known.order if name in set(rows["shown"])]:
        part = rows[rows["shown"] == shown]
        if part["epsilon"].notna().all():
            band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
        else:
            level = part.iloc[0]
            axes.axhline(level["mean"], color=known.colours[shown], label=shown, linewidth=1, linestyle="--")
            axes.axhspan(level["low"], level["high"], color=known.colours[shown], alpha=0.12, linewidth=0)
