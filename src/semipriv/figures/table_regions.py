"""Learned halfspaces drawn over the points of a real table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.figures.base import NAMES, WIDTH, Results, colours, learner_names, shared_legend

__all__ = ["draw"]


def draw(results: Results, axes_names: list[str], classes: list[str], lines: int = 15, title: str = "") -> Figure:
    """Boundaries of the halfspaces that A_SSPP released in the first trials, a panel for each epsilon.

    All in the units of the table: each trial's public centring and scaling is undone.  Points: the held-out part of the
    first trial.  The last panel shows the baselines without privacy.
    """
    trials = results["trials"]
    trials = trials.assign(shown=learner_names(trials)).sort_values(["trial"])
    held = results["held"].iloc[0]
    points = np.reshape(held["points"], (-1, 2)) * held["scale"] + held["centre"]
    scaling = {row["trial"]: (row["centre"], row["scale"]) for _, row in results["public"].iterrows()}
    shown = trials[trials["trial"].isin(sorted(scaling)[:lines])]
    own = shown[shown["shown"] == NAMES["sspp"]]
    epsilons = sorted(own["epsilon"].unique())
    columns = 3
    rows = -(-(len(epsilons) + 1) // columns)
    size = (WIDTH, 0.5 + 2.1 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for axes in panels:
        axes.set_axis_off()
    for axes, epsilon in zip(panels, epsilons, strict=False):
        _points(axes, points, held["labels"], classes, legend=False)
        _boundaries(axes, own[own["epsilon"] == epsilon], scaling, points)
        axes.set_title(f"A_SSPP, $\\varepsilon={epsilon:g}$")
    last = panels[len(epsilons)]
    _points(last, points, held["labels"], classes, legend=True)
    _boundaries(last, shown[shown["neighbours"].isna()], scaling, points)
    last.set_title("not private: ERM, logistic regression")
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
    palette = dict(zip(classes, sns.color_palette("colorblind")[:2], strict=True))
    sns.scatterplot(
        frame, x="x", y="y", hue="class", hue_order=classes, palette=palette, s=8, linewidth=0, ax=axes, legend=legend
    )
    axes.set(xlabel="", ylabel="")


def _boundaries(
    axes: Axes, frame: pd.DataFrame, scaling: dict[int, tuple[np.ndarray, np.ndarray]], points: np.ndarray
) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * (high - low)
    low, high = low - margin, high + margin
    colour = colours(frame["shown"])
    for _, row in frame.iterrows():
        centre, scale = scaling[row["trial"]]
        weights = np.asarray(row["hypothesis"][:2]) / scale
        offset = row["hypothesis"][2] - weights @ centre
        if not weights.any():
            continue
        own = "black" if row["shown"] == NAMES["sspp"] else colour[row["shown"]]
        ends = _segment(weights, offset, low, high)
        if ends is not None:
            label = "_" if row["shown"] == NAMES["sspp"] else row["shown"]
            axes.plot(ends[:, 0], ends[:, 1], color=own, linewidth=0.6, alpha=0.6, label=label)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _segment(weights: np.ndarray, offset: float, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """Part of the line weights x + offset = 0 inside a box; None where it misses the box."""
    ends = []
    for axis in (0, 1):
        other = 1 - axis
        if weights[other] == 0:
            continue
        for edge in (low[axis], high[axis]):
            value = -(offset + weights[axis] * edge) / weights[other]
            if low[other] <= value <= high[other]:
                point = np.empty(2)
                point[axis], point[other] = edge, value
                ends.append(point)
    return np.array([ends[0], ends[-1]]) if len(ends) >= 2 else None
