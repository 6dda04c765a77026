"""The picture of a report: every group is told where it stands, axes say what they show, numbers have no factor."""

import itertools
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from semipriv import Statistics
from semipriv.core.randomness import Simulation
from semipriv.practice.published import report_figure
from semipriv.practice.published.model import Model

WARDS = ["Cardiology", "Surgery, day clinic", "Geriatrics"]
MONTHS = [f"2025-{month:02}" for month in range(1, 13)]
ASKED: list[dict[str, Any]] = [
    {"statistic": "count", "by": "ward"},
    {"statistic": "count", "by": ["ward", "month"]},
    {"statistic": "sum", "column": "cost", "by": "month"},
    {"statistic": "mean", "column": "cost", "by": ["month", "ward"]},
    {"statistic": "quantiles", "column": "cost", "at": [0.5]},
]
FEATURES: dict[str, Any] = {
    "ward": {"categories": WARDS, "unknown": "other"},
    "month": {"categories": MONTHS, "unknown": "other"},
    "cost": {"range": [0, 20_000]},
}


def drawn(**changes: Any) -> tuple[Figure, Statistics]:
    coins, n = np.random.default_rng(0), 3000
    table = pd.DataFrame(
        {
            "ward": coins.choice(WARDS, n),
            "month": coins.choice(MONTHS, n),
            "cost": coins.gamma(2, 2000, n),
            "patient": np.arange(n) // 2,
        }
    )
    fitted = Statistics(ASKED, FEATURES, table[:200], epsilon=2.0, randomness=Simulation(1), **changes).fit(table[200:])
    model = Model("visits", fitted.records_, fitted.release_.output, {})
    return report_figure.draw_report(model, fitted.records_.points(table[:200], "public")), fitted


@pytest.fixture
def figure() -> Iterator[tuple[Figure, Statistics]]:
    drawing, fitted = drawn(one_row_a_person=True)
    drawing.canvas.draw()
    yield drawing, fitted
    plt.close(drawing)


def test_each_panel_names_its_groups_and_none_lies_on_another(figure: tuple[Figure, Statistics]) -> None:
    drawing, _ = figure
    counts, crossed, months, means, whole = drawing.axes
    named = [[text.get_text() for text in axes.get_xticklabels()] for axes in drawing.axes]
    assert named[0] == ["Cardiology", "Surgery, day cl.", "Geriatrics", "other"]
    assert named[1] == named[0], "wards are blocks of months"
    assert crossed.get_xlabel() == "ward; in each month: 2025-01 to other"
    assert named[2] == [*MONTHS, "other"]
    assert means.get_xlabel() == "month; in each ward: Cardiology to other"
    assert len(named[3]) >= 6
    for axes, count in ((crossed, 4 * 13), (means, 13 * 4)):
        low, high = axes.get_xlim()
        assert len(axes.patches) == 2 * count, "a bar of each group, and one of public rows"
        assert low < 0 < count - 1 < high
    for axes in (counts, crossed, months, means, whole):
        boxes = [text.get_window_extent() for text in axes.get_xticklabels() if not text.get_rotation()]
        assert all(box.x1 <= other.x0 for box, other in itertools.pairwise(boxes))
    whole_width = drawing.bbox.width
    assert crossed.bbox.width > 0.6 * whole_width > counts.bbox.width


def test_axes_say_who_is_counted_and_to_what_cells_were_clipped(figure: tuple[Figure, Statistics]) -> None:
    drawing, fitted = figure
    counts, _, months, means, whole = drawing.axes
    low, high = fitted.ends_["cost"]
    assert counts.get_ylabel() == "count of rows"
    assert means.get_ylabel() == f"mean of cost,\nclipped to {low:,.6g} .. {high:,.6g}"
    assert whole.get_ylabel() == "quantile 0.5 of cost", "its cells are not clipped"
    ticks = [text.get_text() for text in months.get_yticklabels()]
    assert "500,000" in ticks or "1,000,000" in ticks
    assert not months.yaxis.get_offset_text().get_text()


def test_persons_are_counted_where_persons_are_protected() -> None:
    drawing, _ = drawn(person="patient")
    assert drawing.axes[0].get_ylabel() == "count of persons"
    plt.close(drawing)
