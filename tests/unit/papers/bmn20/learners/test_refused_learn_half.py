"""What A_LearnHalf refuses."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.geometry.grid import Grid
from semipriv.papers.bmn20.learners.learn_half import LearnHalf


@pytest.mark.parametrize("bad", [0.3, 1e9])
def test_regions_without_a_grid_need_integers(bad: float) -> None:
    """Features in [0, 1] would be rounded to the corners.  Only public points decide on the refusal."""
    whole, h = np.array([[0.0, 3.0], [-2.0, 5.0], [7.0, 1.0]]), Halfspaces(2)
    wrong = whole.copy()
    wrong[1, 1] = bad
    message = rf"row 1, feature 1 = {bad}: without a grid features must be integers from -524288 to 524288"
    with pytest.raises(ValueError, match=message):
        LearnHalf(1.0).prepare(wrong, h, np.zeros(3))
    prepared = LearnHalf(1.0).prepare(whole, h, np.zeros(3))
    LearnHalf(1.0).release(prepared, wrong, np.ones(3), Simulation(1))
    assert LearnHalf(1.0, grid=Grid((0, 0), (8, 8))).prepare(wrong, h, np.zeros(3)).size > 1
    assert LearnHalf(1.0).prepare([], h, []).size == 1
