"""A figure of the columns of a released table: released shares with their limits, over the public shares."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.style import PALETTE, apply_style, page
from semipriv.learners.outputs.grown_rows import Interval
from semipriv.practice.columns.schema import Records
from semipriv.practice.published.intervals import LEVEL
from semipriv.practice.published.model import Model

__all__ = ["draw_marginals"]

PANELS, ACROSS = 12, 3
"""Columns that are shown, the first ones, and panels in a line."""
NAMED, FEW, LONG, WIDE = 8, 5, 10, 32
"""Values of a column that are all named, how many are of a longer one, letters of a name, and of all that lie level."""


def draw_marginals(model: Model) -> Figure:
    """Draw the first twelve columns: bars are public shares, if there are public rows, dots those of the released rows.

    Thin lines are limits of the private shares by the noise alone, whatever the population; thick lines are limits by
    the fit, an approximation.  Both hold for each value by itself.
    """
    apply_style()
    marginals = list(model.output.alone(LEVEL))[:PANELS]
    lines = -(-len(marginals) // ACROSS)
    figure, panels = plt.subplots(lines, min(ACROSS, len(marginals)), figsize=page(1.0 + 1.5 * lines), squeeze=False)
    for axes in panels.flat[len(marginals) :]:
        axes.set_axis_off()
    for axes, marginal in zip(panels.flat, marginals, strict=False):
        _panel(axes, model.records, marginal)
    for axes in panels[:, 0]:
        axes.set_ylabel("share")
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    hidden = len(model.records.features) - len(marginals)
    figure.suptitle(
        f"{model.name}: " + (f"{len(marginals)} columns of {len(marginals) + hidden}" if hidden else "columns")
    )
    return figure


def _panel(axes: Axes, records: Records, marginal: Interval) -> None:
    feature, places = records.features[marginal.columns[0]], np.arange(len(marginal.rows))
    if marginal.public.any():
        axes.bar(places, marginal.public, 0.8, color="0.8", label="public rows")
    axes.vlines(
        places, marginal.low, marginal.high, color=PALETTE[0], linewidth=0.8, label=f"{LEVEL:.0%} limits by the noise"
    )
    axes.vlines(
        places, marginal.fit_low, marginal.fit_high, color=PALETTE[1], linewidth=2.5, label="by the fit, approximate"
    )
    axes.plot(places, marginal.rows, "o", color="black", markersize=2.5, label="released rows")
    axes.set_xlabel(feature.column, parse_math=False)
    axes.set_ylim(0, None)
    shown = places if len(places) <= NAMED else np.unique(np.linspace(0, len(places) - 1, FEW).round().astype(int))
    names = feature.named(shown.astype(float))
    leaning = sum(min(len(name), LONG) for name in names) > WIDE
    longest = 24 if leaning else LONG
    short = [name if len(name) <= longest else f"{name[: longest - 1]}." for name in names]
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if leaning else {}
    axes.set_xticks(shown, short, fontsize=6, parse_math=False, **look)
