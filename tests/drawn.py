"""What a figure draws, against the tables behind it: one helper for all figures.

``tests/laws/figure_cases`` says what must be seen, for each figure in a module of its name:
``shown(tables, **options)``.  Numbers of the tables are replaced by others, all different, so that no wrong column or
row looks right by chance.
"""

import contextlib
import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from semipriv import registry
from semipriv.figures._style import apply_style
from semipriv.figures.base import Results
from semipriv.figures.catalogue import Drawing

Shown = tuple[int, str, str | None, frozenset[tuple[str, ...]]]
"""Panel, kind of mark, label, and points."""
FACTORS = {"low": 0.7, "measured": 1.0, "mean": 1.0, "quantile": 1.7, "high": 1.3, "bound": 2.3}
"""Columns whose numbers are replaced, with the size of the new ones."""


# ------------------------------------------------------------------------------------------- what must be seen
def _points(*columns: Iterable[float]) -> frozenset[tuple[str, ...]]:
    """Points with ten digits of each coordinate; those with a coordinate that is no number cannot be seen."""
    rows = np.column_stack([np.asarray(list(column), float) for column in columns])
    return frozenset(tuple(f"{value + 0.0:.10g}" for value in row) for row in rows[np.isfinite(rows).all(axis=1)])


def curve(panel: int, x: Iterable[float], y: Iterable[float], label: str | None = None) -> Shown:
    """A line or points through (x, y)."""
    return panel, "curve", label, _points(x, y)


def level(panel: int, y: float, label: str | None = None) -> Shown:
    """A line from the left end of a panel to the right, at a height."""
    return curve(panel, (0, 1), (y, y), label)


def band(panel: int, x: Iterable[float], low: Iterable[float], high: Iterable[float]) -> Shown:
    """An area between two curves."""
    x = list(x)
    return panel, "band", None, _points(x, low) | _points(x, high)


def bars(panel: int, x: Iterable[float], low: Iterable[float], high: Iterable[float]) -> Shown:
    """Upright error bars."""
    return panel, "bars", None, _points(x, low, high)


def span(panel: int, low: float, high: float) -> Shown:
    """An area from the left end of a panel to the right, between two heights."""
    return panel, "span", None, _points([low], [high])


def outline(panel: int, corners: np.ndarray) -> Shown:
    """A polygon, (k, 2)."""
    return panel, "outline", None, _points(*corners.T)


def cells(panel: int, x: Iterable[float], y: Iterable[float], values: Iterable[float]) -> Shown:
    """Coloured cells, on logarithmic axes: borders are half-way between (x, y)."""
    return _cells(panel, *_borders(x), *_borders(y), values)


def _borders(places: Iterable[float]) -> tuple[list[float], list[float]]:
    """The borders of each of these places, lower and upper; the outer ones are as far away as the inner ones."""
    logs = np.log(np.asarray(list(places), float))
    known = np.unique(logs)
    inner = (known[:-1] + known[1:]) / 2
    ends = np.concatenate([[2 * known[0] - inner[0]], inner, [2 * known[-1] - inner[-1]]])
    index = np.searchsorted(known, logs)
    return list(np.exp(ends[index])), list(np.exp(ends[index + 1]))


def _cells(panel: int, *columns: Iterable[float]) -> Shown:
    return panel, "cells", None, _points(*columns)


def rows(frame: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Rows with these values."""
    for key, value in where.items():
        frame = frame[frame[key] == value]
    return frame


# ----------------------------------------------------------------------------------------------- what is seen
def seen(figure: Figure) -> Counter[Shown]:
    """What the panels of a figure show; bars of colours and entries of legends without points are left out."""
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    found = [mark for i, axes in enumerate(panels) for mark in _marks(i, axes)]
    return Counter(mark for mark in found if mark[3])


def _marks(panel: int, axes: Axes) -> Iterator[Shown]:
    containers = [container for container in axes.containers if hasattr(container, "lines")]
    names = {id(container.lines[0]): container.get_label() for container in containers}
    caps = {id(cap) for container in containers for cap in container.lines[1]}
    for line in axes.get_lines():
        if id(line) not in caps:
            label = str(names.get(id(line), line.get_label()))
            yield curve(panel, *line.get_data(), None if label.startswith("_") else label)
    for container in containers:
        for collection in container.lines[2]:
            ends = np.array(collection.get_segments()).reshape(-1, 4)
            yield bars(panel, ends[:, 0], ends[:, 1], ends[:, 3])
    for collection in axes.collections:
        if isinstance(collection, QuadMesh):
            first, last = (np.reshape(ends, (-1, 2)).T for ends in _corners(collection))
            yield _cells(panel, first[0], last[0], first[1], last[1], np.ravel(collection.get_array()))
        elif isinstance(collection, FillBetweenPolyCollection):
            for path in collection.get_paths():
                yield panel, "band", None, _points(*path.vertices.T)
        elif isinstance(collection, PathCollection):
            yield curve(panel, *np.asarray(collection.get_offsets()).T)
    for patch in axes.patches:
        if isinstance(patch, Rectangle):
            yield span(panel, patch.get_y(), patch.get_y() + patch.get_height())
        else:
            yield outline(panel, patch.get_xy())


def _corners(mesh: QuadMesh) -> tuple[np.ndarray, np.ndarray]:
    """The lower left and the upper right corner of each cell."""
    corners = np.asarray(mesh.get_coordinates(), float)
    return corners[:-1, :-1], corners[1:, 1:]


# ------------------------------------------------------------------------------------------------- comparison
def other_numbers(frame: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """The table with other numbers, all different: lower limits below values below upper limits below bounds.

    Zeros, negative numbers and what is missing stay.
    """
    generator = np.random.default_rng(seed)
    frame = frame.copy()
    base = np.sort(10 ** generator.uniform(-5, -0.7, len(frame)))[::-1]
    settings = {"quantile"} if "measured" in frame else set()
    for name in [name for name in FACTORS if name in frame and name not in settings]:
        new = base * FACTORS[name] * generator.uniform(0.99, 1.01, len(frame))
        frame[name] = frame[name].where(~(frame[name] > 0), new)
    return frame


def check_figure(room: str, name: str, tables: Mapping[str, pd.DataFrame], options: Mapping[str, Any]) -> None:
    """Raise AssertionError unless a figure shows what its case says, each mark once, and nothing else."""
    expected = importlib.import_module(f"figure_cases.{name}").shown(tables, **options)
    apply_style()
    figure = registry.load(room, name)(tables, **options)
    try:
        found, wanted = seen(figure), Counter(mark for mark in expected if mark[3])
        missing, unasked = [*(wanted - found)], [*(found - wanted)]
        assert not missing, f"{name} does not show {_told(missing)}; it shows {_told(unasked)}"
        assert not unasked, f"{name} shows {_told(unasked)}, of which its case says nothing"
    finally:
        plt.close(figure)


def check_drawing(drawing: Drawing, folder: Path) -> None:
    """Check a figure of a run in a folder, with other numbers in its tables."""
    with contextlib.chdir(folder):
        results = Results(drawing.inputs)
        tables = {table: other_numbers(results[table]) for table in drawing.inputs}
    check_figure(drawing.room, drawing.name, tables, drawing.options)


def _told(marks: list[Shown]) -> str:
    words = [f"panel {panel}: {kind} {label!r} {sorted(points)[:4]}" for panel, kind, label, points in marks]
    return json.dumps(sorted(words)[:6], indent=1)
