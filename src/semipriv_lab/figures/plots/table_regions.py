"""Learned regions over the points of a real table."""

import json
from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from semipriv.classes.base import Hypothesis
from semipriv.core.arrays import from_column
from semipriv.core.roles import Role
from semipriv.core.types import Floats
from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv.geometry.shapes import rescaled
from semipriv.learners.outputs.base import restored
from semipriv_lab.figures.base import Results, learner_names, learners

__all__ = ["draw"]

TABLES = ("trials", "public", "held")
"""Tables of results that this figure reads."""

OUTPUTS = ("hypothesis",)
"""Kinds of outputs that it draws."""

Rows = NDArray[np.float64]
"""(k, 3): weights and offset of k closed halfspaces."""
Scaling = tuple[Floats, Floats]
"""Centre and scale of the features, (2,) each."""


def draw(
    results: Results,
    axes_names: list[str],
    classes: list[str],
    lines: int = 15,
    title: str = "",
    learner: dict[str, Any] | None = None,
) -> Figure:
    """Draw the boundaries of the hypotheses that a learner released in the first trials, a panel for each epsilon.

    A halfspace is outlined on the side with label 1; of the complement of a region, the region itself is outlined, with
    label 0.  All units are those of the table: each trial's scaling is undone.  Points: the held-out part of the first
    trial.  The last panel shows the baselines without privacy.

    Args:
        results: hypotheses and tables of the experiment.
        axes_names: names of the two features.
        classes: names of labels 0 and 1.
        lines: trials whose boundaries are drawn.
        title: of the figure.
        learner: the name and parameters of the paper's learner that is drawn, needed if there are several.

    Returns:
        The figure.
    """
    trials = results["trials"]
    trials = trials.assign(shown=learner_names(trials)).sort_values(["trial"])
    held = results["held"].iloc[0]
    points = np.reshape(held["points"], (-1, 2)) * held["scale"] + held["centre"]
    scaling = {row["trial"]: (row["centre"], row["scale"]) for _, row in results["public"].iterrows()}
    shown = trials[trials["trial"].isin(sorted(scaling)[:lines])]
    drawn = shown[[_is(row, learner or {}) for _, row in shown.iterrows()]].assign(shown="_")
    epsilons = sorted(drawn["epsilon"].unique())
    columns = 3
    rows = -(-(len(epsilons) + 1) // columns)
    size = page(0.5 + 2.1 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for axes in panels:
        axes.set_axis_off()
    for axes, epsilon in zip(panels, epsilons, strict=False):
        _points(axes, points, held["labels"], classes, legend=False)
        _boundaries(axes, drawn[drawn["epsilon"] == epsilon], {}, scaling, points, classes)
        axes.set_title(f"{drawn['title'].iloc[0]}, $\\varepsilon={epsilon:g}$")
    last = panels[len(epsilons)]
    _points(last, points, held["labels"], classes, legend=True)
    others = shown[shown["neighbours"].isna()]
    _boundaries(last, others, learners(others).colours, scaling, points, classes)
    last.set_title("not private")
    panels[0].plot(
        [], [], color="black", linewidth=0.6, label=f"{drawn['title'].iloc[0]}, {len(set(drawn['trial']))} splits"
    )
    for axes in grid[:, 0]:
        axes.set_ylabel(axes_names[1])
    for axes in grid[-1]:
        axes.set_xlabel(axes_names[0])
    if (inner := last.get_legend()) is not None:
        inner.remove()
    figure.suptitle(title, fontsize="medium")
    shared_legend(figure, columns=4)
    return figure


def _points(axes: Axes, points: np.ndarray, labels: np.ndarray, classes: list[str], legend: bool) -> None:
    axes.set_axis_on()
    frame = pd.DataFrame({"x": points[:, 0], "y": points[:, 1], "class": [classes[int(v)] for v in labels]})
    palette = dict(zip(classes, PALETTE[:2], strict=True))
    look = {"palette": palette, "markers": dict(zip(classes, "o^", strict=True)), "s": 9, "linewidth": 0}
    sns.scatterplot(
        frame,
        x="x",
        y="y",
        hue="class",
        style="class",
        hue_order=classes,
        style_order=classes,
        ax=axes,
        legend=legend,
        **look,
    )
    axes.set(xlabel="", ylabel="")


def _boundaries(
    axes: Axes,
    frame: pd.DataFrame,
    colour: Mapping[str, Any],
    scaling: dict[int, Scaling],
    points: np.ndarray,
    classes: list[str],
) -> None:
    """Draw the outline of each release, in the units of the table."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * (high - low)
    low, high = low - margin, high + margin
    seen: set[str] = set()
    for _, row in frame.iterrows():
        output: Hypothesis = restored(row["output"], from_column(row["arrays"]))
        outline = output.functions.outline(output.parameters)
        assert outline is not None
        rows = rescaled(outline.halfspaces, *scaling[row["trial"]])
        corners = clipped(low - margin, high + margin, rows)
        if not len(corners):
            continue
        label = "_" if row["shown"] in seen else row["shown"]
        seen.add(row["shown"])
        edge = "black" if row["shown"] == "_" else colour[row["shown"]]
        axes.add_patch(Polygon(corners, fill=False, edgecolor=edge, linewidth=0.6, alpha=0.6))
        if outline.label == 0:
            axes.add_patch(Polygon(corners, facecolor=PALETTE[0], linewidth=0, alpha=0.03, zorder=0))
            axes.fill_between([], [], [], color=PALETTE[0], alpha=0.3, linewidth=0, label=f"labelled {classes[0]}")
        axes.plot([], [], color=edge, linewidth=0.6, label=label)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _is(row: pd.Series, learner: Mapping[str, Any]) -> bool:
    """Return whether a trial is of a paper's learner with this name and these parameters."""
    wanted = {key: value for key, value in learner.items() if key != "name"}
    parameters = json.loads(row["parameters"])
    named = row["name"] == learner.get("name", row["name"])
    return bool(row["role"] == Role.PAPER and named and all(parameters[key] == value for key, value in wanted.items()))


def clipped(low: np.ndarray, high: np.ndarray, rows: Rows) -> np.ndarray:
    """Return the corners (k, 2) of the part of a box in all halfspaces; k = 0 if it is empty (Sutherland-Hodgman).

    >>> clipped(np.zeros(2), np.ones(2), np.array([[-1.0, -1.0, 1.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    for row in rows:
        values = corners @ row[:2] + row[2]
        kept: list[np.ndarray] = []
        for i, (here, value) in enumerate(zip(corners, values, strict=True)):
            before, last = corners[i - 1], values[i - 1]
            if value * last < 0:
                kept.append(before + (here - before) * last / (last - value))
            if value >= 0:
                kept.append(here)
        if not kept:
            return np.empty((0, 2))
        corners = np.array(kept)
    return corners
