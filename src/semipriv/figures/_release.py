"""A release as a picture: the model over the public points, where there are at most two features.

Nothing is drawn of the private rows: the picture is made of the published model and of public points alone.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from semipriv.classes.base import Hypothesis
from semipriv.figures._style import PALETTE, apply_style, page
from semipriv.figures.base import save
from semipriv.practice.features import Categories
from semipriv.practice.model import Model
from semipriv.practice.publish import MODEL, figure_names
from semipriv.practice.reading import read_public
from semipriv.practice.request import load
from semipriv.practice.schema import Records
from semipriv.samples import Points

CELLS = 240
"""Places along each axis at which the model is asked."""
ROWS = 500
"""Synthetic rows that are shown."""


def draw_release(path: str | Path) -> list[Path]:
    """Draw the published model of a request; return the files, none beyond two features."""
    request = load(path)
    files = [request.folder / name for name in figure_names(request)]
    if files:
        public = read_public(request)
        figure = draw(Model.load(request.folder / MODEL), public.points)
        save(figure, *files)
        plt.close(figure)
    return files


def draw(model: Model, public: Points) -> Figure:
    """Draw where a hypothesis says 1 and where 0; of other models synthetic rows.  Dots: public points (m, d)."""
    apply_style()
    names = [feature.column for feature in model.records.features]
    figure, axes = plt.subplots(figsize=page(3.0 if len(names) == 2 else 1.8))
    if isinstance(model.output, Hypothesis):
        _regions(axes, model)
    else:
        _scatter(axes, model.records, model.points(ROWS), "s", PALETTE[1], "synthetic rows")
    _scatter(axes, model.records, public, ".", "black", "public rows")
    for axis, feature in zip((axes.xaxis, axes.yaxis), model.records.features, strict=False):
        axis.set_label_text(feature.column)
        if isinstance(feature, Categories):
            axis.set_ticks(range(len(feature.values)), feature.values)
    if len(names) == 1:
        axes.set_yticks([])
    axes.set_title(f"{model.name}: {model.kind.replace('_', ' ')}")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _regions(axes: Axes, model: Model) -> None:
    low, high = model.records.box
    sides = [np.linspace(a, b, CELLS + 1) for a, b in zip(low, high, strict=True)]
    middles = [(side[1:] + side[:-1]) / 2 for side in sides]
    if len(sides) == 1:
        sides, middles = [*sides, np.array([0.0, 1.0])], [*middles, np.array([0.5])]
    grid = np.stack(np.meshgrid(*middles, indexing="ij"), -1).reshape(-1, 2)[:, : len(low)]
    labels = model.output.predict(grid).reshape(len(middles[0]), len(middles[1]))
    ends = [np.asarray(_raw(model.records, i, side)) if i < len(low) else side for i, side in enumerate(sides)]
    colours = ListedColormap([PALETTE[0], PALETTE[1]])
    axes.pcolormesh(ends[0], ends[1], labels.T, cmap=colours, vmin=0, vmax=1, alpha=0.3, linewidth=0, rasterized=True)
    for label in (0, 1):
        axes.fill_between([], [], [], color=PALETTE[label], alpha=0.3, linewidth=0, label=f"labelled {label}")


def _scatter(axes: Axes, records: Records, points: Points, marker: str, colour: object, label: str) -> None:
    x = _raw(records, 0, points[:, 0])
    y = _raw(records, 1, points[:, 1]) if points.shape[1] == 2 else np.full(len(points), 0.5)
    axes.plot(x, y, marker, color=colour, markersize=3, alpha=0.6, label=label)


def _raw(records: Records, place: int, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coordinates of a feature in the units of its column; places of categories stay as they are."""
    return records.features[place].shown(coordinates)
