"""Excess error against a size, beside the theory and the baselines."""

import json
import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from semipriv.core.roles import Role
from semipriv.drawing.fitting import NOUGHT, shared_legend
from semipriv.drawing.style import page
from semipriv_lab.figures.base import AXES, SYMBOLS, Learners, Results, band, flat, learner_names, learners, of_measure

__all__ = ["draw"]

TABLES = ("summary", "slopes")
"""Tables of results that this figure reads."""

TOLD = ("n", "n_public", "n_private", "n_labelled", "n_unlabelled", "bits")
"""Sizes that a panel tells where they are the same everywhere in it."""

LEAST = 1e-6
"""The lowest value that an axis shows; smaller means have the mark of a 0."""

CUT = ("mean", "quantile")
"""Columns that are cut there."""

SHARES = ("private_zeros",)
"""Values of x that may be 0.  Their axis is linear."""


def draw(
    results: Results,
    x: str,
    titles: dict[str, str] | None = None,
    guides: dict[str, dict[str, Any]] | None = None,
    height: float = 2.2,
    measure: str | None = None,
    groups: dict[str, list[str]] | None = None,
    only: list[str] | None = None,
) -> Figure:
    """Draw the mean of a measure, above its best value, with its 95 % band: a column for each case, a row each epsilon.

    Dashed: the bound that holds with probability 1 - beta, with explicit constants.  For A_SSPP it is ABM19 theorem
    3.1: its agnostic form, its realizable form or, under a shift, the radius over sigma.  For A_LearnHalf it is BMN20
    theorem 4.6.  A bound that is known for one x only is left out; of one that is above 1 everywhere, the title says
    so.  Dotted: the quantity that the bound limits, the empirical (1 - beta)-quantile of A_SSPP or A_LearnHalf.      In
    titles: sizes that are the same everywhere in the panel; the slope of the mean of A_SSPP or A_LearnHalf, its 95 %
    limits and its range of x.

    Args:
        results: tables of the experiment.
        x: the size on the horizontal axis.
        titles: by case, the name above its column.
        guides: by case, a curve constant * x^power of the theory with its label.
        height: of a row, in inches.
        measure: name of the measure; by default the experiment's first: excess error, or what its ``measures`` say.
        groups: learners by what they have in common; each group has rows of its own, which it names.  A learner is
            called by its name, or by this and a value of a parameter, as ``query_release.mwem``.
        only: learners that are shown, called as in groups; by default all.

    Returns:
        The figure.
    """
    summary = of_measure(results["summary"], measure)
    summary = summary if only is None else summary[_are_in(summary, only)]
    slopes = of_measure(results["slopes"], summary["measure"].iloc[0])
    summary, nought = _cut(summary.assign(shown=learner_names(summary)))
    cases = list(dict.fromkeys(summary["case"]))
    epsilons = sorted(summary["epsilon"].dropna().unique()) or [np.nan]
    known = learners(summary)
    parts = [(epsilon, *group) for epsilon in epsilons for group in _groups(summary, groups)]
    size = page(0.9 + height * len(parts))
    figure, grid = plt.subplots(len(parts), len(cases), figsize=size, sharex=True, sharey=True, squeeze=False)
    for row, (epsilon, words, names) in zip(grid, parts, strict=True):
        row[0].set_ylabel("\n".join(filter(None, [summary["axis"].iloc[0], words])))
        for axes, case in zip(row, cases, strict=True):
            here = summary["epsilon"].isna() | (summary["epsilon"] == epsilon)
            rows = summary[(summary["case"] == case) & here]
            rows = rows if names is None else rows[_are_in(rows, names)]
            _panel(axes, rows, x, known, nought)
            if case in (guides or {}):
                _guide(axes, x, **(guides or {})[case])
            title = (titles or {}).get(case, case)
            lines = [title, _fixed(rows, x, epsilon), *_slope(slopes, case, epsilon, x), *_above(rows)]
            axes.set_title("\n".join(filter(None, lines)), fontsize="small" if len(cases) < 4 else "x-small")
    for axes in grid[-1]:
        axes.set_xlabel(AXES[x])
    positive = summary.loc[summary["mean"] > 0, "mean"]
    grid[0, 0].set_ylim(bottom=max(0.5 * positive.min(), LEAST), top=max(1.5, 1.2 * positive.max()))
    shared_legend(figure)
    return figure


def _groups(summary: pd.DataFrame, groups: dict[str, list[str]] | None) -> list[tuple[str, list[str] | None]]:
    """Return the groups with their learners, None for all; raise ValueError for a learner that is in none."""
    if groups is None:
        return [("", None)]
    asked = {name for names in groups.values() for name in names}
    for own in _named(summary):
        if own.isdisjoint(asked):
            raise ValueError(f"groups: learner {min(own, key=len)!r} is in none of them")
    return list(groups.items())


def _named(rows: pd.DataFrame) -> pd.Series:
    """Return the names by which groups may call each learner: its own, and this with a value of a parameter behind."""
    known = list(zip(rows["name"], rows["parameters"], strict=True))
    names = {
        (name, text): frozenset({name, *(f"{name}.{value}" for value in flat(json.loads(text)).values())})
        for name, text in set(known)
    }
    return pd.Series([names[key] for key in known], rows.index, dtype=object)


def _cut(summary: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the table with means and quantiles below ``LEAST`` as 0, and what a legend calls the mark of a 0."""
    small = {name: summary[name].mask((summary[name] > 0) & (summary[name] < LEAST), 0.0) for name in CUT}
    cut = summary.assign(**small)
    return cut, NOUGHT if cut["mean"].equals(summary["mean"]) else f"0 or below $10^{{{math.log10(LEAST):.0f}}}$"


def _are_in(rows: pd.DataFrame, names: list[str]) -> pd.Series:
    """Return whether each row is of one of the learners, called as in groups."""
    return _named(rows).map(lambda own: not own.isdisjoint(names))


def _panel(
    axes: Axes,
    frame: pd.DataFrame,
    x: str,
    known: Learners,
    nought: str,
) -> None:
    axes.set_yscale("log")
    if x not in SHARES:
        axes.set_xscale("log")
        _ticks(axes, np.unique(frame[x]))
    for shown in [name for name in known.order if name in set(frame["shown"])]:
        band(axes, frame[frame["shown"] == shown], x, shown, known.colours[shown], known.looks[shown], nought)
    for shown, learner in frame[frame["role"] == Role.PAPER].groupby("shown"):
        if shown == learner["title"].iloc[0]:
            _theory(axes, learner.sort_values(x), x, str(shown), known.colours[str(shown)])


def _theory(axes: Axes, learner: pd.DataFrame, x: str, own: str, colour: object) -> None:
    """Draw the quantile and the bound of a learner of the papers."""
    percent = _percent(learner)
    seen = learner["quantile"].where((learner["quantile"] != 0) | (learner["mean"] != 0))  # else the mean has the mark
    axes.plot(learner[x], seen, ":", color=colour, linewidth=1, label=f"{own}, {percent} quantile")
    if learner["bound"].notna().sum() + learner["vacuous"].sum() < 2 or learner["vacuous"].all():
        return
    bound = f"bound, explicit constants, {percent}"
    axes.plot(learner[x], learner["bound"], "--", color="black", linewidth=1, label=bound)


def _percent(rows: pd.DataFrame) -> str:
    return f"{100 * (1 - rows['beta'].iloc[0]):g} %"


def _above(rows: pd.DataFrame) -> list[str]:
    """Say that a paper's bound is above 1 for every x and so is not drawn."""
    of_paper = rows[rows["role"] == Role.PAPER]
    return [f"{_percent(of_paper)} bound: above 1"] if len(of_paper) > 1 and of_paper["vacuous"].all() else []


def _fixed(rows: pd.DataFrame, x: str, epsilon: float) -> str:
    """Return, as a formula, the sizes that are the same for all rows, and epsilon."""
    parts = [] if np.isnan(epsilon) else [f"{SYMBOLS['epsilon']}={epsilon:g}"]
    for key in TOLD:
        if key != x and rows[key].nunique() == 1:
            parts.append(f"{SYMBOLS[key]}={_number(rows[key].dropna().iloc[0])}")
    return ", ".join(f"${words}$" for words in parts)


def _number(value: float) -> str:
    """Return a number for a formula, with commas."""
    return f"{value:,.10g}".replace(",", "{,}")


def _ticks(axes: Axes, values: np.ndarray) -> None:
    """Set ticks at powers of ten on a long axis, at the values themselves on a short one with hardly a power of ten."""
    axes.xaxis.set_minor_formatter(NullFormatter())
    if values.max() < 300 * values.min() and len(values) <= 8:
        axes.set_xticks(values, [f"{v:,g}" for v in values])
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(LogLocator(numticks=20))


def _guide(axes: Axes, x: str, label: str, constant: float, power: float) -> None:
    low, high = axes.get_xlim()
    values = np.geomspace(low, high, 50)[1:-1]
    axes.plot(values, constant * values**power, "-.", color="black", linewidth=0.8, label=label)


def _slope(slopes: pd.DataFrame, case: str, epsilon: float, x: str) -> list[str]:
    """Return the fitted slope of A_SSPP or A_LearnHalf as text, if there is one."""
    chosen = (slopes["case"] == case) & (slopes["role"] == Role.PAPER) & (slopes["epsilon"] == epsilon)
    return [
        f"slope ${fit['slope']:.2f}\\;[{fit['low']:.2f},\\,{{{fit['high']:.2f}}}]$\n"
        f"for ${_number(fit['low_x'])} \\leq {SYMBOLS[x]} \\leq {_number(fit['high_x'])}$"
        for _, fit in slopes[chosen].iterrows()
    ]
