"""Baselines by hand: what they release, and what they never look at."""

import numpy as np
import pytest

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.learners.as_if_public import AsIfPublic
from semipriv.learners.base import Protection
from semipriv.learners.public_query_means import PublicQueryMeans
from semipriv.learners.uniform_cells import UniformCells
from semipriv.papers.abm19.learners.sspp import SSPP

PUBLIC = np.array([[1.0], [2.0], [2.0], [4.0]])
PRIVATE = np.array([[0.0], [9.0], [9.0]])
ONES = np.array([1, 1, 1])


def shares(learner: PublicQueryMeans | UniformCells, private: np.ndarray) -> list[float]:
    """Answers to P[x >= t] for the thresholds of the cover, increasing in t."""
    prepared = learner.prepare(PUBLIC, Thresholds())
    output = learner.release(prepared, private, np.zeros(len(private), int), Simulation(0)).output
    return sorted(output.shares_of(prepared.cover.listed().parameters).tolist())


def test_means_of_public_points() -> None:
    """Of four points, three distinct: none, the last one, the last three, all."""
    assert shares(PublicQueryMeans(), PRIVATE) == pytest.approx([0, 1 / 4, 3 / 4, 1])


def test_cells_of_equal_weight() -> None:
    """Three cells between the thresholds of three distinct points, whatever their numbers."""
    assert shares(UniformCells(), PRIVATE) == pytest.approx([0, 1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("learner", [PublicQueryMeans(), UniformCells()])
def test_they_do_not_look_at_private_points(learner: PublicQueryMeans | UniformCells) -> None:
    assert shares(learner, PRIVATE) == shares(learner, np.array([[5.0]]))
    assert learner.protection is Protection.PRIVATE
    assert learner.guarantee is not None
    assert learner.guarantee.epsilon == 0


def test_as_if_public_is_the_inner_learner_on_the_first_entries() -> None:
    h = DiscreteThresholds(4)
    entries = ListedEntries([[3.0], [8.0], [12.0]])
    x, y = h.encode([1, 2, 9, 14]), np.array([1, 1, 0, 0])
    outer, inner = AsIfPublic(SSPP(2.0), 2), SSPP(2.0)
    nothing = outer.prepare(np.empty((0, 1)), h)
    actual_release = outer.release(nothing, x, y, Simulation(3), unlabelled=entries)
    expected = inner.release(inner.prepare([[3.0], [8.0]], h), x, y, Simulation(3))
    assert actual_release.output.parameters.tolist() == expected.output.parameters.tolist()
    assert actual_release.guarantee is None, "the entries are private, and it tells them"
    assert outer.protection is Protection.NONE
