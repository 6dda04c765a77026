"""A guarantee is stored as it is."""

import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.thresholds import Thresholds
from semipriv.experiments.config import Cell
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Source
from semipriv.rules.storage import release_row


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_stored_release_has_its_own_guarantee(neighbours: Neighbours) -> None:
    output = Hypothesis(Thresholds(), [0.5])
    row = release_row(
        Cell(3, "all", {}), 2, "some", Release(output, Guarantee(0.25, 1e-6, neighbours), Source.SECURE, {"cost": 1.0})
    )
    assert (row["cell"], row["trial"], row["learner"]) == (3, 2, "some")
    assert (row["epsilon"], row["delta"], row["neighbours"]) == (0.25, 1e-6, neighbours.value)
    bare = release_row(Cell(3, "all", {}), 2, "some", Release(output, None, Source.SIMULATION))
    assert (bare["epsilon"], bare["delta"], bare["neighbours"]) == (None, None, None)
