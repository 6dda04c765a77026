"""Every learner of a regime on the same data: error against epsilon."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import page
from semipriv_lab.figures.base import AXES, OWN, Learners, Results, band, learner_names, learners

__all__ = ["draw"]

TABLES = ("summary",)
"""Tables of results that this figure reads."""

KINDS = ("simulation", "table")
"""Kinds of experiments that this figure suits."""

MOST = 6
"""Curves of a panel, at most."""


def draw(results: Results, titles: dict[str, str] | None = None) -> Figure:
    """Draw errors of all learners against epsilon: a column for each case, at most six learners a row.

    Means with 95 % bands: excess error on a logarithmic axis for simulations, error on the held-out part for tables.
    The first rows have private learners that use public points, the next ones all others; the best of the former
    stands in each row.  A panel that would have this curve alone is left out if another row has it.  Learners without
    epsilon are dashed level lines.  A private learner that protects something else than most of the private ones do
    says what in the legend: equal epsilons of both do not promise the same.
    """
    summary = results["summary"]
    summary = summary.assign(shown=_names(summary))
    known = learners(summary)
    cases = list(dict.fromkeys(summary["case"]))
    ticks = summary["epsilon"].dropna().unique()
    rows = _rows(summary, known)
    figure = plt.figure(figsize=page(2.9 * len(rows)))
    axis = "log" if summary["quantity"].iloc[0] == "excess" else "linear"
    parts: Any = figure.subfigures(len(rows), 1, squeeze=False)[:, 0]
    names = {case: set(summary["shown"][summary["case"] == case]) for case in cases}
    for part, shown, here in zip(parts, rows, _cases(rows, names), strict=True):
        panels = part.subplots(1, len(here), sharex=True, sharey=True, squeeze=False)[0]
        for axes, case in zip(panels, here, strict=True):
            axes.set(xscale="log", yscale=axis)
            _panel(axes, summary[(summary["case"] == case) & summary["shown"].isin(shown)], known)
            axes.set_title((titles or {}).get(case, case), fontsize="small" if len(cases) < 4 else "x-small")
            ticks_at(axes, ticks)
            axes.set_xlabel(AXES["epsilon"])
        panels[0].set_ylabel(summary["axis"].iloc[0])
        shared_legend(part, panels=panels)
    return figure


def _rows(summary: pd.DataFrame, known: Learners) -> list[list[str]]:
    """Return the learners of each row of panels, that of ``_best`` in all of them."""
    first = summary.drop_duplicates("shown").set_index("shown")
    public = {name for name in known.order if first["role"][name] in OWN and pd.notna(first["epsilon"][name])}
    lead = _best(summary[summary["shown"].isin(public)])
    others = [name for name in known.order if name not in lead]
    parts = [[name for name in others if name in public], [name for name in others if name not in public]]
    most = MOST - len(lead)
    rows = [part[i::count] for part in parts if (count := -(-len(part) // most)) for i in range(count)]
    return [[*row, *lead] for row in rows] or [lead]


def _cases(rows: Sequence[Sequence[str]], names: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the cases of each row: those with a curve that stands in this row alone; in the first all that are left.

    names: the learners of each case.
    """
    own = [{name for name in row if sum(name in other for other in rows) == 1} for row in rows]
    kept = [[case for case, learners_of in names.items() if learners_of & row] for row in own]
    left = [case for case in names if not any(case in row for row in kept)]
    return [[case for case in names if case in kept[0] or case in left], *kept[1:]]


def _best(rows: pd.DataFrame) -> list[str]:
    """Return the learner of most cells, of these the one with the least mean; none of no learner."""
    known = rows.groupby("shown", sort=False)["mean"].agg(["count", "mean"]).sort_values("mean")
    return known[known["count"] == known["count"].max()].index[:1].tolist()


def _names(summary: pd.DataFrame) -> pd.Series:
    """Return the names of learners, with what they protect if most private ones protect something else."""
    names = learner_names(summary)
    private = summary["protects"].where(summary["epsilon"].notna())
    usual = private.groupby(names).first().mode()
    other = private.notna() & ~private.isin(usual[:1])
    return names.where(~other, names + " (protects " + private.fillna("") + ")")


def _panel(axes: Axes, rows: pd.DataFrame, known: Learners) -> None:
    for shown in [name for name in known.order if name in set(rows["shown"])]:
        part = rows[rows["shown"] == shown]
        if part["epsilon"].notna().all():
            band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
        else:
            level = part.iloc[0]
            axes.axhline(level["mean"], color=known.colours[shown], label=shown, linewidth=1, linestyle="--")
            axes.axhspan(level["low"], level["high"], color=known.colours[shown], alpha=0.12, linewidth=0)
