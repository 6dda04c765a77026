"""The stage of regions: its seed decides on the examples that span them, and features without a grid are integers."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.grid import Grid
from semipriv.papers.bmn20.stages.regions import Regions


def test_examples_that_span_regions_are_drawn_by_their_own_seed() -> None:
    drawn = {seed: tuple(Regions(None, subset=4, subset_seed=seed)._spanning(40).tolist()) for seed in range(6)}
    assert len(set(drawn.values())) == 6
    assert all(len(set(rows)) == 4 and rows == tuple(sorted(rows)) for rows in drawn.values())
    assert Regions(None, subset=40)._spanning(40).tolist() == list(range(40))
    assert len(Regions(None, subset=39)._spanning(40)) == 39


@pytest.mark.parametrize("wrong", [0.5, 2.0**60, -(2.0**60)])
def test_without_a_grid_features_are_integers_of_its_range(wrong: float) -> None:
    points = np.array([[1.0, 2.0], [3.0, wrong], [0.0, 0.0]])
    unit = Grid.unit(2)
    message = rf"row 1, feature 1 = .*: without a grid .* integers from {unit.low[1]:g} to {unit.high[1]:g}"
    with pytest.raises(ValueError, match=message):
        Regions(None).prepare(points, Halfspaces(2), np.zeros(3, int))
    for seed in range(3):
        with pytest.raises(ValueError, match=message):
            Regions(None, subset=1, subset_seed=seed).prepare(points, Halfspaces(2), np.zeros(3, int))
    points[1, 1] = unit.high[1]
    Regions(None).prepare(points, Halfspaces(2), np.zeros(3, int))
    with pytest.raises(ValueError, match=r"grid: has 1 feature\(s\), the class has 2"):
        Regions(Grid(0.0, 1.0)).prepare(points, Halfspaces(2), np.zeros(3, int))
