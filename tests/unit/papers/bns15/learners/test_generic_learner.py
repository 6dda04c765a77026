"""GenericLearner: what it reads and learns; its privacy is a study, its draws are a property of all learners."""

import numpy as np

from semipriv.audit.exact import outcomes
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.strips import Strips


def test_only_the_first_entries_are_read() -> None:
    learner = GenericLearner(1.0, Net(), size=2, n_unlabelled=2)
    prepared = learner.prepare([], DiscreteThresholds(1))
    first, other = (
        outcomes(learner.output_distribution(prepared, [[0.0]], [1], ListedEntries([[1.0], [1.0], [last]])))
        for last in (0.0, 1.0)
    )
    assert dict(first) == dict(other)


def test_intervals_are_learned_too() -> None:
    """From a handful of labels, where the entries show the two ends."""
    h, generator = DiscreteRectangles(1, 12), np.random.default_rng(4)
    x = generator.integers(0, 4096, (400, 1)).astype(float)
    y = ((x > 1000) & (x < 3000))[:, 0].astype(int)
    entries = ListedEntries(generator.integers(0, 4096, (3000, 1)).astype(float))
    learner = GenericLearner(1.0, Net(), size=12, n_unlabelled=3000)
    released = learner.release(learner.prepare(np.empty((0, 1)), h), x, y, Simulation(5), entries)
    assert np.mean(released.output.predict(x) != y) < 0.25
    assert released.cost["cover_size"] <= 12 * 13 / 2 + 1


def test_rectangles_in_the_plane_are_learned_too() -> None:
    """From a hundred released points, of coordinates of 40 bits."""
    h, generator = DiscreteRectangles(2, 40), np.random.default_rng(4)
    inside = (0.25 * 2**40, 0.75 * 2**40)
    x = generator.integers(0, 2**40, (600, 2)).astype(float)
    y = ((x > inside[0]) & (x < inside[1])).all(axis=1).astype(int)
    entries = ListedEntries(generator.integers(0, 2**40, (60_000, 2)).astype(float))
    learner = GenericLearner(1.0, Strips(), size=100, n_unlabelled=60_000)
    released = learner.release(learner.prepare(np.empty((0, 2)), h), x, y, Simulation(5), entries)
    assert np.mean(released.output.predict(x) != y) < 0.2
    assert learner.remark == "noisy strips (substitute for theorem A.3, pure)"
