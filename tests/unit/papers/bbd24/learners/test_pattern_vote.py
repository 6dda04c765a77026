"""A vote of many fits on patterns of public points: it learns, and survives an oracle that fails."""

import numpy as np

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.learners.oracles.base import oracle
from semipriv.papers.bbd24.learners.pattern_vote import PatternVote, vote


class Failing:
    """An oracle that fails."""

    def labels(self, *given):
        raise RuntimeError("no convergence")


def test_a_vote_over_parts_learns_and_survives_failures() -> None:
    rng, h = np.random.default_rng(3), Halfspaces(2)
    public, x = np.array([[-2.0, 0.0], [2.0, 0.0]]), rng.normal(size=(2_000, 2))
    y = (x[:, 0] > 0).astype(np.int8)
    learner = PatternVote(1.0, 1e-6, 60)
    prepared = learner.prepare(public, h)
    release = learner.release(prepared, x, y, Simulation(0))
    assert release.output.predict(public).tolist() == [False, True]
    assert release.cost == {"oracle_calls": 60.0}
    release_of_five = learner.release(prepared, x[:5], y[:5], Simulation(0))
    assert release_of_five.output.predict(x).all() or not release_of_five.output.predict(x).any()
    assert vote(prepared, x, y, Failing()) is None
    assert vote(prepared, x, y, oracle("linear_svm")) == (False, True)
