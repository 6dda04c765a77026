"""A report as a picture: bars by group with their limits, beside the values of the public rows."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Integers
from semipriv.drawing.style import PALETTE, apply_style, page
from semipriv.learners.outputs.report import KINDS, Report, Row
from semipriv.learners.statistics.asked import Asked
from semipriv.practice.published.model import Model

__all__ = ["draw_report", "public_values"]

PANELS, ACROSS = 12, 2
"""Statistics that are shown, the first ones, and panels in a line."""
NAMED, FEW, LONG, WIDE = 12, 6, 16, 24
"""Groups that are all named in half of a line, how many are of more, letters of a name, and of all that lie level."""


def draw_report(model: Model, public: Points) -> Figure:
    """Draw the first twelve statistics: bars are released numbers with their limits, grey ones behind public rows.

    public: points (m, d), which may be none.  Where an estimate uses public rows, a dot shows it beside the estimate
    without them.
    """
    apply_style()
    report: Report = model.output
    rows, of_public = list(report.rows()), public_values(report, public)
    panels = [panel for panel in _panels(report) if panel.any()]
    shown = panels[:PANELS]
    figure = plt.figure(figsize=page(1.0))
    drawn = _laid_out(figure, [_crowded(report, panel) for panel in shown])
    for axes, panel in zip(drawn, shown, strict=True):
        _panel(axes, report, [rows[i] for i in np.flatnonzero(panel)], of_public[panel], _blocks(report, panel))
    handles: dict[str, Artist] = {}
    for axes in drawn:
        handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=2)
    of_all = "" if len(shown) == len(panels) else f", {len(shown)} of {len(panels)}"
    figure.suptitle(f"{model.name}: statistics by group{of_all}", parse_math=False)
    return figure


def _crowded(report: Report, panel: Bools) -> bool:
    """Return whether a panel has too many groups to name them all, so that it gets a line of its own."""
    return len(np.unique(report.cell[panel])) > NAMED


def _laid_out(figure: Figure, wide: Sequence[bool]) -> list[Axes]:
    """Return the axes of panels in their order, two in a line, but for wide ones, and give the figure their height."""
    starts: list[tuple[int, int]] = []
    line, place = -1, ACROSS
    for is_wide in wide:
        if is_wide or place == ACROSS:
            line, place = line + 1, 0
        starts.append((line, place))
        place = ACROSS if is_wide else place + 1
    grid = figure.add_gridspec(line + 1, ACROSS)
    figure.set_size_inches(page(0.8 + 1.6 * (line + 1)))
    cells = [grid[at, :] if is_wide else grid[at, side] for (at, side), is_wide in zip(starts, wide, strict=True)]
    return [figure.add_subplot(cell) for cell in cells]


@attrs.frozen
class Blocks:
    """Groups by several columns, in blocks of equal values of all but the last: names, and the values within each."""

    names: Sequence[str]
    within: Sequence[str]
    by: Sequence[str]


def _blocks(report: Report, panel: Bools) -> Blocks | None:
    """Return the blocks of the groups of a crowded panel by several columns; None for other panels."""
    asked = report.asked[int(report.place[panel][0])]
    if len(asked.by) < 2 or not _crowded(report, panel):
        return None
    labels = report.labels(asked)
    within = list(dict.fromkeys(label[-1] for label in labels))
    return Blocks([", ".join(label[:-1]) for label in labels[:: len(within)]], within, asked.by)


def _panels(report: Report) -> list[Bools]:
    """Return the numbers of each panel: those of a statistic, of a level if it is of quantiles."""
    panels = []
    for place, asked in enumerate(report.asked):
        levels = [report.level == level for level in asked.at] or [np.ones(len(report), bool)]
        panels += [(report.place == place) & level for level in levels]
    return panels


def _panel(axes: Axes, report: Report, rows: list[Row], public: Floats, blocks: Blocks | None) -> None:
    plain = [row for row in rows if row.kind == KINDS[0]]
    leaning = [row for row in rows if row.kind != KINDS[0]]
    places = {row.group: place for place, row in enumerate(plain or leaning)}
    behind = public[[row.kind == (plain or leaning)[0].kind for row in rows]]
    if np.isfinite(behind).any():
        axes.bar(np.arange(len(places)), behind, 0.9, color="0.85", label="public rows")
    x = np.array([places[row.group] for row in plain], float)
    axes.bar(x, [row.value for row in plain], 0.55, color=PALETTE[0], alpha=0.8, label="released")
    _limits(axes, x, plain, f"limits, {report.interval:.0%} each")
    if leaning:
        x = np.array([places[row.group] for row in leaning], float) + 0.15
        size = 3.0 if len(leaning) <= NAMED else 1.5
        leaned = [row.value for row in leaning]
        axes.plot(x, leaned, "o", color=PALETTE[1], markersize=size, label=leaning[0].kind)
    first = rows[0]
    axes.set_ylabel(_measured(first, report.units > 1), parse_math=False)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.10g}"))
    if blocks is None:
        axes.set_xlabel(first.by or "all rows", parse_math=False)
        _named(axes, list(places))
    else:
        _named_blocks(axes, blocks)


def _measured(row: Row, persons: bool) -> str:
    """Return the name of an axis: the statistic, its column, and the range to which cells were clipped."""
    if not row.column:
        return f"{row.statistic} of {'persons' if persons else 'rows'}"
    clipped = "" if math.isnan(row.clipped_low) else f",\nclipped to {row.clipped_low:,.6g} .. {row.clipped_high:,.6g}"
    return f"{row.statistic} of {row.column}{clipped}"


def _limits(axes: Axes, x: Floats, rows: list[Row], label: str) -> None:
    """Draw the limits of reported numbers; limits of numbers left empty may be wide, and would set the scale."""
    value, low, high = np.array([(row.value, row.low, row.high) for row in rows]).reshape(-1, 3).T
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    if known.any():
        axes.vlines(x[known], low[known], high[known], color="black", linewidth=0.9, label=label)


def _named(axes: Axes, groups: list[str]) -> None:
    """Name the groups, or some of them evenly spaced, below an axis; there is twice the room for more than twelve."""
    count, room = len(groups), ACROSS if len(groups) > NAMED else 1
    some = np.linspace(0, count - 1, room * FEW).round().astype(int)
    shown = np.arange(count) if count <= room * NAMED else np.unique(some)
    short = [groups[i] if len(groups[i]) <= LONG else f"{groups[i][: LONG - 1]}." for i in shown]
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(shown, short, fontsize=6, parse_math=False, **(look if sum(map(len, short)) > WIDE else {}))
    beside = max(0.7, 2 - count / 2)
    axes.set_xlim(-beside, count - 1 + beside)


def _named_blocks(axes: Axes, blocks: Blocks) -> None:
    """Name the blocks below an axis, part them by lines, and say which groups each has, from left to right."""
    size, count = len(blocks.within), len(blocks.names)
    for place in range(1, count):
        axes.axvline(place * size - 0.5, color="0.7", linewidth=0.5)
    axes.set_xlim(-1.0, count * size)
    every = -(-count // NAMED)
    short = [name if len(name) <= LONG else f"{name[: LONG - 1]}." for name in blocks.names[::every]]
    middle = (np.arange(0, count, every) + 0.5) * size - 0.5
    axes.set_xticks(middle, short, fontsize=6, parse_math=False)
    order = f"{blocks.within[0]} to {blocks.within[-1]}"
    axes.set_xlabel(f"{', '.join(blocks.by[:-1])}; in each {blocks.by[-1]}: {order}", parse_math=False)


def public_values(report: Report, public: Points) -> Floats:
    """Return the value of each number of a report on public rows (m, d), (r,): NaN where there is no public row.

    Counts and sums are scaled by n / m, from the number of public rows to that of private rows.
    """
    values = np.full(len(report), np.nan)
    for place, asked in enumerate(report.asked):
        own = np.flatnonzero(report.place == place)
        if len(public) and len(own):
            values[own] = _of_statistic(report, asked, report.cell[own], report.level[own], public)
    return values


def _of_statistic(report: Report, asked: Asked, cells: Integers, levels: Floats, public: Points) -> Floats:
    schema = report.schema
    by = [schema.grouping(name) for name in asked.by]
    places = tuple(public[:, schema.axis(name)].astype(np.intp) for name in asked.by)
    codes = np.ravel_multi_index(places, tuple(column.size for column in by)) if by else np.zeros(len(public), np.intp)
    scale = report.n / len(public)
    if asked.column is None:
        return np.asarray(np.bincount(codes, minlength=int(cells.max()) + 1)[cells] * scale, np.float64)
    number, axis, unknown = schema.number(asked.column), schema.axis(asked.column), schema.indicator(asked.column)
    known = np.ones(len(public), bool) if unknown is None else public[:, unknown] == 0
    values = number.low + (number.high - number.low) * public[:, axis]
    return np.array(
        [
            _number(asked, values[known & (codes == cell)], level, scale)
            for cell, level in zip(cells, levels, strict=True)
        ]
    )


def _number(asked: Asked, values: Floats, level: float, scale: float) -> float:
    if asked.statistic == "sum":
        return float(values.sum() * scale)
    if not len(values):
        return float("nan")
    if asked.statistic == "quantiles":
        return float(np.quantile(values, level, method="inverted_cdf"))
    return float(values.mean() if asked.statistic == "mean" else values.var())
