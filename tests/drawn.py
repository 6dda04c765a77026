"""What a figure draws, against the tables behind it: one helper for all figures.

``tests/figure_cases`` says what must be seen and read, for each figure in a module of its name:
``shown(tables, **options)``, its marks, and ``texts(tables, **options)``, the words of each panel.  Numbers of the
tables are replaced by others, all different, so that no wrong column or row looks right by chance.
"""

import contextlib
import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, PathCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from semipriv.core import registry
from semipriv.drawing.fitting import mark_noughts
from semipriv.drawing.style import apply_style
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.catalogue import Drawing

Shown = tuple[int, str, str | None, frozenset[tuple[str, ...]]]
"""Panel, kind of mark, label, and points."""
LIKE = "like "
"""What stands before the label of another mark, of the same colour, instead of a mark's own label."""
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


def like(label: str) -> str:
    """Instead of a label: no label of its own, but the colour of the marks with this one."""
    return LIKE + label


def band(
    panel: int, x: Iterable[float], low: Iterable[float], high: Iterable[float], label: str | None = None
) -> Shown:
    """An area between two curves."""
    x = list(x)
    return panel, "band", label, _points(x, low) | _points(x, high)


def bars(
    panel: int, x: Iterable[float], low: Iterable[float], high: Iterable[float], label: str | None = None
) -> Shown:
    """Upright error bars."""
    return panel, "bars", label, _points(x, low, high)


def span(panel: int, low: float, high: float, label: str | None = None) -> Shown:
    """An area from the left end of a panel to the right, between two heights."""
    return panel, "span", label, _points([low], [high])


def contour(panel: int, table: pd.DataFrame, level: float, label: str | None = None, *, area: bool = False) -> Shown:
    """The line on which a table of y by x has a level, or the area above: where it crosses the lines of the grid.

    Between two places of the grid the table is linear.
    """
    x, y = table.columns.to_numpy(float), table.index.to_numpy(float)
    crossings = []
    for values, along, turned in ((table.to_numpy(float), x, False), (table.to_numpy(float).T, y, True)):
        for across, row in zip(x if turned else y, values, strict=True):
            for i in np.flatnonzero((row[:-1] - level) * (row[1:] - level) < 0):
                place = along[i] + (level - row[i]) / (row[i + 1] - row[i]) * (along[i + 1] - along[i])
                crossings.append((across, place) if turned else (place, across))
    if area:
        rim = [(i, j) for i in range(len(y)) for j in range(len(x)) if i in (0, len(y) - 1) or j in (0, len(x) - 1)]
        crossings += [(x[j], y[i]) for i, j in rim if table.to_numpy()[i, j] >= level]
    return panel, "area" if area else "contour", label, _points(*np.reshape(crossings, (-1, 2)).T)


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


def rows(frame: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Rows with these values."""
    for key, value in values.items():
        frame = frame[frame[key] == value]
    return frame


@dataclass(frozen=True)
class PanelText:
    """The words of a panel, as they were before they were typeset.

    scales: of x and y.  notes: texts inside.  legend: entries that no panel has points for.  ticks: given labels of
    ticks that are not the number of their place.  bar: label of a bar of colours.  cut: some points are out of view.
    """

    title: str = ""
    x: str = ""
    y: str = ""
    scales: str = "linear linear"
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    ticks: tuple[str, ...] = ()
    bar: str = ""
    cut: bool = False


# ----------------------------------------------------------------------------------------------- what is seen
def _panels(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def seen(figure: Figure) -> list[tuple[Shown, Any]]:
    """What the panels of a figure show, each mark with its colour.

    Bars of colours and entries of legends without points are left out.
    """
    marks = [mark for i, axes in enumerate(_panels(figure)) for mark in _marks(i, axes)]
    return [mark for mark in marks if mark[0][3]]


def _marks(panel: int, axes: Axes) -> Iterator[tuple[Shown, Any]]:
    containers = [container for container in axes.containers if hasattr(container, "lines")]
    names = {id(container.lines[0]): container.get_label() or "_" for container in containers}
    caps = {id(cap) for container in containers for cap in container.lines[1]}
    for line in axes.get_lines():
        if id(line) not in caps and line.get_gid() != NOUGHT:
            label = str(names.get(id(line), line.get_label()))
            yield curve(panel, *line.get_data(), None if label.startswith("_") else label), line.get_color()
    for container in containers:
        for collection in container.lines[2]:
            ends = np.array(collection.get_segments()).reshape(-1, 4)
            yield bars(panel, ends[:, 0], ends[:, 1], ends[:, 3]), collection.get_edgecolor()[0]
    for collection in axes.collections:
        yield from _areas(panel, collection)
    for patch in axes.patches:
        if isinstance(patch, Rectangle):
            yield span(panel, patch.get_y(), patch.get_y() + patch.get_height()), patch.get_facecolor()
        else:
            yield outline(panel, patch.get_xy()), patch.get_edgecolor()


def _areas(panel: int, collection: Any) -> Iterator[tuple[Shown, Any]]:
    if isinstance(collection, QuadMesh):
        first, last = (np.reshape(ends, (-1, 2)).T for ends in _corners(collection))
        yield _cells(panel, first[0], last[0], first[1], last[1], np.ravel(collection.get_array())), None
    elif isinstance(collection, FillBetweenPolyCollection):
        for path in collection.get_paths():
            yield (panel, "band", None, _points(*path.vertices.T)), collection.get_facecolor()[0]
    elif isinstance(collection, ContourSet):
        kind, colours = ("area", "get_facecolor") if collection.filled else ("contour", "get_edgecolor")
        for path, colour in zip(collection.get_paths(), getattr(collection, colours)(), strict=True):
            yield (panel, kind, None, _points(*path.vertices.T)), colour
    elif isinstance(collection, PathCollection):
        offsets, colours = np.asarray(collection.get_offsets()), collection.get_facecolor()
        for colour in np.unique(colours, axis=0):
            own = offsets[(colours == colour).all(axis=1)] if len(colours) > 1 else offsets
            yield curve(panel, *own.T), colour


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


NOUGHT = "nought"
"""The group of marks of points that are 0 on a logarithmic axis."""
MOST, NONE = 7, ("", "None", None)
"""Curves with markers of a panel, at most: six, and one that is not private; what stands for no marker."""


def check_figure(
    room: str,
    name: str,
    tables: Mapping[str, pd.DataFrame],
    options: Mapping[str, Any],
) -> None:
    """Raise AssertionError unless a figure shows and says what its case says, each mark once, and nothing else."""
    case = importlib.import_module(f"figure_cases.{name}")
    apply_style()
    figure = registry.load(room, name)(tables, **options)
    for axes in figure.axes:
        mark_noughts(axes)  # as `fit` does with every figure that is written
    try:
        check_marks(name, figure, case.shown(tables, **options))
        check_words(name, figure, case.texts(tables, **options), options.get("title", ""))
        check_looks(name, figure)
    finally:
        plt.close(figure)


def check_marks(name: str, figure: Figure, expected: list[Shown]) -> None:
    """Check points, labels, and the colours of marks without label that belong to one with a label."""
    drawn = seen(figure)
    expected = [mark for mark in _without_noughts(name, figure, expected) if mark[3]]
    plain = lambda mark: (*mark[:2], None if (mark[2] or "").startswith(LIKE) else mark[2], mark[3])  # noqa: E731
    counted, wanted = Counter(mark for mark, _ in drawn), Counter(map(plain, expected))
    missing, unasked = [*(wanted - counted)], [*(counted - wanted)]
    assert not missing, f"{name} does not show {_told(missing)}; it shows {_told(unasked)}"
    assert not unasked, f"{name} shows {_told(unasked)}, of which its case says nothing"
    colours = {label: _colour(handle) for label, handle in _handles(figure)}
    for mark in expected:
        if mark != plain(mark):
            here = [
                to_rgb(colour[:3] if len(colour) == 4 else colour) for other, colour in drawn if other == plain(mark)
            ]
            assert colours[mark[2].removeprefix(LIKE)] in here, f"{name} draws in another colour: {_told([mark])}"


def _without_noughts(name: str, figure: Figure, expected: list[Shown]) -> Iterator[Shown]:
    """Take the points that are 0 from curves on logarithmic axes, where each of them must have its own mark."""
    panels = _panels(figure)
    for i, kind, label, points in expected:
        noughts = {point for point in points if point[1] == "0"} if kind == "curve" else set()
        gone = noughts if panels[i].get_yscale() == "log" else set()
        if gone:
            lines = [line for line in panels[i].get_lines() if line.get_gid() == NOUGHT]
            marked = {x for line in lines for x, _ in _points(*line.get_data())}
            assert marked >= {x for x, _ in gone}, f"{name}: panel {i} does not mark where {label!r} is 0"
        yield i, kind, label, points - gone


def check_words(name: str, figure: Figure, expected: list[PanelText], title: str) -> None:
    """Check titles, labels of axes and their scales, texts in panels, labels of ticks, and entries of legends."""
    panels = [axes for axes in _panels(figure) if axes.axison]
    assert len(panels) == len(expected), f"{name}: {len(panels)} panels"
    for i, (axes, words) in enumerate(zip(panels, expected, strict=True)):
        labels = [label for axis in (axes.xaxis, axes.yaxis) for label in _given(axis)]
        read = PanelText(
            axes.get_title(),
            axes.get_xlabel(),
            axes.get_ylabel(),
            f"{axes.get_xscale()} {axes.get_yscale()}",
            tuple(sorted(text.get_text() for text in axes.texts)),
            (),
            tuple(label for place, label in labels if _number(label) != place),
            cut=words.cut,
        )
        wanted = replace(words, notes=tuple(sorted(words.notes)), legend=(), bar="")
        assert read == wanted, f"{name}, panel {i}: says\n{read}\nin place of\n{wanted}"
        assert words.cut or not _outside(axes), f"{name}, panel {i}: out of view are {_outside(axes)}"
    bars_of = [axes.get_ylabel() for axes in figure.axes if axes.get_label() == "<colorbar>"]
    assert bars_of == [words.bar for words in expected if words.bar], f"{name}: bars of colours are {bars_of}"
    shown = {label for label, handle in _handles(figure) if _has_points(handle)}
    empty = {label for label, _ in _handles(figure)} - shown
    declared = {label for words in expected for label in words.legend} - shown
    assert empty == declared, f"{name}: entries of legends without points are {sorted(empty)}, not {sorted(declared)}"
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in panels)]
    assert title in titles, f"{name} does not say {title!r}"
    assert titles[0] in ("", title), f"{name} says {titles[0]!r}"


def check_looks(name: str, figure: Figure) -> None:
    """Check that a label has one look in all panels, no two look the same, and that curves of a panel are few."""
    looks: dict[str, Any] = {}
    for label, handle in _handles(figure):
        same = looks.setdefault(label, _look(handle))[:2] == _look(handle)[:2]
        assert same, f"{name}: {label!r} has two looks"
    for (first, here), (other, there) in combinations(looks.items(), 2):
        assert here != there, f"{name}: {first!r} and {other!r} look the same"
    for axes in _panels(figure):
        curves = {label for label, handle in _entries(axes) if getattr(_line(handle), "get_marker", str)() not in NONE}
        assert len(curves) <= MOST, f"{name}: {len(curves)} curves in a panel: {sorted(curves)}"


def _outside(axes: Axes) -> list[str]:
    """Labels of curves with points that are out of view."""
    (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
    labels = []
    for label, handle in _entries(axes):
        line = _line(handle)
        if isinstance(line, Line2D) and np.size(line.get_xdata()):
            x, y = (np.asarray(values, float) for values in line.get_data())
            on_x, on_y = line.get_transform().contains_branch_seperately(axes.transData)  # else it spans the axes
            inside = ((left <= x) & (x <= right) | (not on_x)) & ((low <= y) & (y <= high) | (not on_y))
            nowhere = ~np.isfinite(x + y) | (axes.get_yscale() == "log") & (y <= 0)
            labels += [] if (inside | nowhere).all() else [label]
    return sorted(set(labels))


def _entries(axes: Axes) -> list[tuple[str, Any]]:
    """Entries of a legend but for the marks of points that are 0, which are looked at in ``test_noughts``."""
    entries = [(label, handle) for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)]
    return [(label, handle) for label, handle in entries if getattr(_line(handle), "get_gid", str)() != NOUGHT]


def _handles(figure: Figure) -> list[tuple[str, Any]]:
    return [entry for axes in _panels(figure) for entry in _entries(axes)]


def _line(handle: Any) -> Any:
    return handle.lines[0] if hasattr(handle, "lines") else handle


def _has_points(handle: Any) -> bool:
    line = _line(handle)
    return bool(np.size(line.get_xdata())) if isinstance(line, Line2D) else not hasattr(line, "get_paths")


def _colour(handle: Any) -> Any:
    line = _line(handle)
    return to_rgb(line.get_color() if isinstance(line, Line2D) else line.get_facecolor()[0][:3])


def _look(handle: Any) -> Any:
    """Colour, marker, dashes, and what else tells lines apart."""
    line = _line(handle)
    if not isinstance(line, Line2D):
        return _colour(handle), type(line), line.get_alpha()
    dashes = line._dash_pattern if line.get_linestyle() != "None" else None
    wide = line.get_linewidth() > 2.5
    face = to_rgb(line.get_markerfacecolor()) if line.get_fillstyle() != "none" else None
    filled = line.get_marker() not in ("None", "x") and face
    return _colour(handle), line.get_marker(), dashes, filled, wide, line.get_alpha()


def _given(axis: Any) -> list[tuple[float, str]]:
    """Places and labels of ticks that a figure gave."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    places = axis.get_majorticklocs()
    labels = axis.get_major_formatter().format_ticks(places)
    return [(tick, label) for tick, label in zip(places, labels, strict=True) if not label.startswith("$\\mathdefault")]


def _number(label: str) -> float | None:
    try:
        return float(label.replace(",", "").replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None


def check_drawing(drawing: Drawing, folder: Path) -> None:
    """Check a figure of a run in a folder, with other numbers in its tables."""
    with contextlib.chdir(folder):
        results = Results(drawing.inputs)
        tables = {table: other_numbers(results[table]) for table in drawing.inputs}
    options = {key: value for key, value in drawing.options.items() if key != "headline"}  # of any figure
    check_figure(drawing.room, drawing.name, tables, options)


def _told(marks: list[Shown]) -> str:
    words = [f"panel {panel}: {kind} {label!r} {sorted(points)[:4]}" for panel, kind, label, points in marks]
    return json.dumps(sorted(words)[:6], indent=1)
