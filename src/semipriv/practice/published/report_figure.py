"""A report as a picture: bars by group with their limits, and what the public rows say beside them."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
"""Groups that are all named, how many are of more, letters of a name, and of all that lie level."""


def draw_report(model: Model, public: Points) -> Figure:
    """Draw the first twelve statistics: bars are released numbers with their limits, grey ones behind public rows.

    public: points (m, d); none are drawn where there are none.  Where a number leans on public rows, a dot shows it
    beside the one that does not.
    """
    apply_style()
    report: Report = model.output
    rows, of_public = list(report.rows()), public_values(report, public)
    panels = [one for one in _panels(report) if one.any()]
    shown = panels[:PANELS]
    lines = -(-len(shown) // ACROSS)
    figure, places = plt.subplots(lines, min(ACROSS, len(shown)), figsize=page(0.8 + 1.6 * lines), squeeze=False)
    for axes in places.flat[len(shown) :]:
        axes.set_axis_off()
    for axes, mine in zip(places.flat, shown, strict=False):
        _panel(axes, report, [rows[i] for i in np.flatnonzero(mine)], of_public[mine])
    found: dict[str, Artist] = {}
    for axes in places.flat:
        found |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=2)
    more = "" if len(shown) == len(panels) else f", {len(shown)} of {len(panels)}"
    figure.suptitle(f"{model.name}: statistics by group{more}", parse_math=False)
    return figure


def _panels(report: Report) -> list[Bools]:
    """Return the numbers of each panel: those of a statistic, of a level if it is of quantiles."""
    panels = []
    for place, one in enumerate(report.asked):
        levels = [report.level == level for level in one.at] or [np.ones(len(report), bool)]
        panels += [(report.place == place) & level for level in levels]
    return panels


def _panel(axes: Axes, report: Report, rows: list[Row], public: Floats) -> None:
    plain = [row for row in rows if row.kind == KINDS[0]]
    leaning = [row for row in rows if row.kind != KINDS[0]]
    places = {row.group: place for place, row in enumerate(plain or leaning)}
    behind = public[[row.kind == (plain or leaning)[0].kind for row in rows]]
    if np.isfinite(behind).any():
        axes.bar(np.arange(len(places)), behind, 0.9, color="0.85", label="public rows")
    x = np.array([places[row.group] for row in plain], float)
    axes.bar(x, [row.value for row in plain], 0.55, color=PALETTE[0], alpha=0.8, label="released")
    _limits(axes, x, plain, "black", f"limits, {report.interval:.0%} each")
    if leaning:
        x = np.array([places[row.group] for row in leaning], float) + 0.15
        size = 3.0 if len(leaning) <= NAMED else 1.5
        leaned = [row.value for row in leaning]
        axes.plot(x, leaned, "o", color=PALETTE[1], markersize=size, label=leaning[0].kind)
        _limits(axes, x, leaning, PALETTE[1], "")
    first = rows[0]
    of = f" of {first.column}" if first.column else ""
    axes.set_ylabel(f"{first.statistic}{of}", parse_math=False)
    axes.set_xlabel(first.by or "all rows", parse_math=False)
    _named(axes, list(places))


def _limits(axes: Axes, x: Floats, rows: list[Row], colour: Any, label: str) -> None:
    low, high = np.array([row.low for row in rows]), np.array([row.high for row in rows])
    known = np.isfinite(low) & np.isfinite(high)
    if known.any():
        axes.vlines(x[known], low[known], high[known], color=colour, linewidth=0.9, label=label)


def _named(axes: Axes, groups: list[str]) -> None:
    """Name the groups, or some of them evenly spaced, below an axis."""
    count = len(groups)
    shown = np.arange(count) if count <= NAMED else np.unique(np.linspace(0, count - 1, FEW).round().astype(int))
    short = [groups[i] if len(groups[i]) <= LONG else f"{groups[i][: LONG - 1]}." for i in shown]
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(shown, short, fontsize=6, parse_math=False, **(look if sum(map(len, short)) > WIDE else {}))
    room = max(0.7, 2 - count / 2)
    axes.set_xlim(-room, count - 1 + room)


def public_values(report: Report, public: Points) -> Floats:
    """Return what public rows (m, d) say of each number of a report, (r,): NaN where no public row does.

    Counts and sums are those of m rows times n / m, as if the private rows were such.
    """
    told = np.full(len(report), np.nan)
    for place, one in enumerate(report.asked):
        mine = np.flatnonzero(report.place == place)
        if len(public) and len(mine):
            told[mine] = _of_statistic(report, one, report.cell[mine], report.level[mine], public)
    return told


def _of_statistic(report: Report, one: Asked, cells: Integers, levels: Floats, public: Points) -> Floats:
    schema = report.schema
    by = [schema.grouping(name) for name in one.by]
    places = tuple(public[:, schema.axis(name)].astype(np.intp) for name in one.by)
    codes = np.ravel_multi_index(places, tuple(column.size for column in by)) if by else np.zeros(len(public), np.intp)
    scale = report.n / len(public)
    if one.column is None:
        return np.asarray(np.bincount(codes, minlength=int(cells.max()) + 1)[cells] * scale, np.float64)
    number, axis, unknown = schema.number(one.column), schema.axis(one.column), schema.indicator(one.column)
    known = np.ones(len(public), bool) if unknown is None else public[:, unknown] == 0
    values = number.low + (number.high - number.low) * public[:, axis]
    return np.array(
        [_number(one, values[known & (codes == cell)], level, scale) for cell, level in zip(cells, levels, strict=True)]
    )


def _number(one: Asked, values: Floats, level: float, scale: float) -> float:
    if one.statistic == "sum":
        return float(values.sum() * scale)
    if not len(values):
        return float("nan")
    if one.statistic == "quantiles":
        return float(np.quantile(values, level, method="inverted_cdf"))
    return float(values.mean() if one.statistic == "mean" else values.var())
