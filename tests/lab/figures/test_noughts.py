"""A point that is 0 on a logarithmic axis is a mark at its foot: no cliff, nothing lost, none over another."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from semipriv.drawing.fitting import fit, mark_noughts, shared_legend
from semipriv.drawing.style import STYLES, in_force


def marks(axes: plt.Axes) -> list[tuple[float, float, str]]:
    lines = [line for line in axes.get_lines() if line.get_gid() == "nought"]
    return [(x, y, line.get_color()) for line in lines for x, y in zip(*line.get_data(), strict=True)]


@pytest.mark.parametrize("how", ["legend", "fit"])
def test_each_zero_is_marked_once_in_the_colour_of_its_curve(how: str) -> None:
    with in_force(STYLES["screen"], STYLES["screen"].text):
        figure, axes = plt.subplots()
        axes.set(xscale="log", yscale="log")
        curves = {"red": [1, 0, 0.1, 0], "blue": [0.5, 0, 0, 0.2], "black": [1, 1, 1, 1]}
        for colour, ys in curves.items():
            axes.plot([1, 2, 3, 4], ys, color=colour, label=colour)
        if how == "legend":
            shared_legend(figure)
            assert "exactly 0" in [text.get_text() for text in figure.legends[0].get_texts()]
        fit(figure, STYLES["screen"].height)
        fit(figure, STYLES["screen"].height)
        drawn = marks(axes)
        assert sorted((x, colour) for x, _, colour in drawn) == [(2, "blue"), (2, "red"), (3, "blue"), (4, "red")]
        assert len({(x, y) for x, y, _ in drawn}) == len(drawn)
        assert all(0 < y < 1 for _, y, _ in drawn)
        for line in axes.get_lines():
            if line.get_gid() != "nought":
                ys = np.array(curves[line.get_color()], float)
                np.testing.assert_array_equal(line.get_ydata(), np.where(ys == 0, np.nan, ys))
        plt.close(figure)


def test_a_linear_axis_has_a_zero_and_a_level_line_none() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2], [0, 1])
    right.set_yscale("log")
    right.axvline(1)
    for axes in (left, right):
        mark_noughts(axes)
        assert not marks(axes)
    plt.close(figure)
