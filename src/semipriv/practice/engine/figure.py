"""A release as a picture: the model over public points, with at most two features, its marginals, or its report.

Nothing is drawn of the private rows: the picture is made of the published model and of public points alone.
"""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.drawing.files import save
from semipriv.drawing.style import PALETTE, apply_style, page
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.outputs.report import Report
from semipriv.practice.asking.releasable import LABELLING
from semipriv.practice.asking.request import Request, load
from semipriv.practice.columns.features import Categories, Feature, Range
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.reading import read_public
from semipriv.practice.published.folder import MODEL, figure_names
from semipriv.practice.published.marginals import draw_marginals
from semipriv.practice.published.model import Model
from semipriv.practice.published.report_figure import draw_report

CELLS = 240
"""Places along each axis at which the model is asked."""
ROWS = 500
"""Synthetic rows that are shown."""


_TICKS = 40
"""Categories of which each has its name on an axis; of more the places have numbers."""


def draw_release(path: str | Path, say: Callable[[str], None] | None = None) -> list[Path]:
    """Draw the published release of a request; return the files.  A model of more than two features has none.

    A release never fails for a figure: if it cannot be drawn, the files say so, and ``say`` is told why in one line.
    """
    request = load(path)
    files = [request.folder / name for name in figure_names(request)]
    if files:
        try:
            model = Model.load(request.folder / MODEL)
            figure = _drawn(request, model)
        except Exception as error:
            line = f"the figure could not be drawn: {message(error)}"
            if say is not None:
                say(line)
            figure = _without(line)
        save(figure, *files)
        plt.close(figure)
    return files


def _drawn(request: Request, model: Model) -> Figure:
    if isinstance(model.output, GrownRows):
        return draw_marginals(model)
    public = read_public(request).points
    return draw_report(model, public) if isinstance(model.output, Report) else draw(model, public)


def _without(line: str) -> Figure:
    """Return a figure that says why there is none."""
    apply_style()
    figure, axes = plt.subplots(figsize=page(1.8))
    axes.set_axis_off()
    axes.text(0.5, 0.5, textwrap.fill(line, 70), ha="center", va="center", parse_math=False)
    return figure


def draw(model: Model, public: Points) -> Figure:
    """Draw where a model predicts which label, or its synthetic rows.  Dots: public points (m, d)."""
    apply_style()
    names = [feature.column for feature in model.records.features]
    figure, axes = plt.subplots(figsize=page(3.0 if len(names) == 2 else 1.8))
    if model.kind in LABELLING:
        _regions(axes, model)
    else:
        _scatter(axes, model.records, model.points(ROWS), "s", PALETTE[1], "synthetic rows")
    _scatter(axes, model.records, public, ".", "black", "public rows")
    for axis, feature in zip((axes.xaxis, axes.yaxis), model.records.features, strict=False):
        axis.set_label_text(feature.column)
        if isinstance(feature, Categories) and len(feature.values) <= _TICKS:
            axis.set_ticks(range(len(feature.values)), feature.values)
    if len(names) == 1:
        axes.set_yticks([])
    axes.set_title(f"{model.name}: {model.kind.replace('_', ' ')}")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _regions(axes: Axes, model: Model) -> None:
    low, high = model.records.box
    axis_of = zip(model.records.features, low, high, strict=True)
    sides, middles = map(list, zip(*(_places(*axis) for axis in axis_of), strict=True))
    if len(sides) == 1:
        sides, middles = [*sides, np.array([0.0, 1.0])], [*middles, np.array([0.5])]
    grid = np.stack(np.meshgrid(*middles, indexing="ij"), -1).reshape(-1, 2)[:, : len(low)]
    labels = model.output.predict(grid).reshape(len(middles[0]), len(middles[1]))
    ends = [np.asarray(_raw(model.records, i, side)) if i < len(low) else side for i, side in enumerate(sides)]
    label = model.records.label
    count = len(label.sides) if isinstance(label, Label | ClassLabel) else 2
    colours = [PALETTE[place % len(PALETTE)] for place in range(count)]
    look: dict[str, Any] = {"alpha": 0.3, "linewidth": 0}
    shown: dict[str, Any] = {"cmap": ListedColormap(colours), "vmin": 0, "vmax": count - 1, "rasterized": True}
    axes.pcolormesh(ends[0], ends[1], labels.T, **shown, **look)
    for place, colour in enumerate(colours):
        axes.fill_between([], [], [], color=colour, label=f"labelled {place}", **look)


def _places(feature: Feature, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the sides (k + 1,) of the cells along an axis, and where the model is asked in each, (k,).

    A column of integers or categories is asked at some of its coordinates, which are integers: there alone are points.
    """
    if isinstance(feature, Range):
        sides = np.linspace(low, high, CELLS + 1)
        return sides, (sides[1:] + sides[:-1]) / 2
    middles = np.unique(np.rint(np.linspace(low, high, CELLS)))
    between = (middles[1:] + middles[:-1]) / 2
    return np.concatenate([middles[:1] - 0.5, between, middles[-1:] + 0.5]), middles


def _scatter(axes: Axes, records: Records, points: Points, marker: str, colour: object, label: str) -> None:
    x = _raw(records, 0, points[:, 0])
    y = _raw(records, 1, points[:, 1]) if points.shape[1] == 2 else np.full(len(points), 0.5)
    axes.plot(x, y, marker, color=colour, markersize=3, alpha=0.6, label=label)


def _raw(records: Records, place: int, coordinates: Floats) -> Floats:
    """Return coordinates of a feature in the units of its column; places of categories stay as they are."""
    return records.features[place].shown(coordinates)
