"""A guarantee is stored as it is, and so is what drew the release."""

from pathlib import Path

import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.thresholds import Thresholds
from semipriv.core import tables
from semipriv.core.randomness import Source
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv_lab.experiments.config import Cell
from semipriv_lab.experiments.schemas import RELEASES
from semipriv_lab.workflow.storage import read_releases, release_row


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_stored_release_has_its_own_guarantee(neighbours: Neighbours) -> None:
    output = Hypothesis(Thresholds(), [0.5])
    row = release_row(
        Cell(3, "all", {}), 2, "some", Release(output, Guarantee(0.25, 1e-6, neighbours), Source.SECURE, {"cost": 1.0})
    )
    assert (row["cell"], row["trial"], row["learner"]) == (3, 2, "some")
    assert (row["epsilon"], row["delta"], row["neighbours"]) == (0.25, 1e-6, neighbours.value)
    assert row["randomness"] == "secure"
    bare = release_row(Cell(3, "all", {}), 2, "some", Release(output, None, Source.SIMULATION))
    assert bare["randomness"] == "simulation"
    assert (bare["epsilon"], bare["delta"], bare["neighbours"]) == (None, None, None)


def test_releases_of_a_block_are_sorted_by_cell_trial_and_learner(tmp_path: Path) -> None:
    """Whichever file has them."""
    release = Release(Hypothesis(Thresholds(), [0.5]), None, Source.SIMULATION)
    keys = [(cell, trial, label) for cell in (0, 1) for trial in (0, 1) for label in ("a", "b")]
    rows = [release_row(Cell(cell, "all", {}), trial, label, release) for cell, trial, label in keys]
    for name, part in (("one", rows[5::-2]), ("two", [*rows[7:], *rows[:5:2]])):
        tables.write(tmp_path / name, RELEASES, part)
    read = read_releases([tmp_path / "one", tmp_path / "two"])
    assert [(row["cell"], row["trial"], row["learner"]) for row in read] == [keys[i] for i in (0, 1, 2, 3, 4, 5, 7)]
