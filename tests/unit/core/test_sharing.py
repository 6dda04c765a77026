"""Results shared by the learners of a trial: made once inside, never kept outside, never attached to a public thing."""

import gc
import weakref

import numpy as np
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.sharing import shared, sharing
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.pooled import Pooled
from semipriv.learners.stages.examples import ExamplesPrepared
from semipriv.papers.abm19.learners.sspp import SSPP

X, Y = np.arange(8.0)[:, None], (np.arange(8) > 3).astype(np.int8)
PUBLIC = np.array([[1.5], [3.5], [5.5]])
LEARNERS = [SSPP(0.4), SSPP(2.0), SSPP(2.0, mechanism="permute_and_flip")]


class Counting:
    """A cover that says how often its mistakes were counted."""

    def __init__(self, cover):
        self.cover, self.size, self.points, self.calls = cover, cover.size, cover.points, 0

    def tally(self, points, labels):
        self.calls += 1
        return self.cover.tally(points, labels)

    def tally_cost(self, n):
        return self.cover.tally_cost(n)

    def arrays(self):
        return self.cover.arrays()


def parameters(learner, prepared, seed, points=X, labels=Y):
    return learner.release(prepared, points, labels, Simulation(seed)).output.parameters.tolist()


def test_the_same_draws_from_one_count() -> None:
    cover = Counting(Thresholds().cover(PUBLIC))
    alone = [[parameters(learner, cover, seed) for seed in range(20)] for learner in LEARNERS]
    assert cover.calls == 60
    cover.calls = 0
    with sharing():
        together = [[parameters(learner, cover, seed) for seed in range(20)] for learner in LEARNERS]
    assert cover.calls == 1
    assert together == alone


def test_another_sample_is_counted_anew() -> None:
    cover = Counting(Thresholds().cover(PUBLIC))
    with sharing():
        outputs = [parameters(SSPP(1e6), cover, 0, X, labels) for labels in (Y, 1 - Y, Y.copy())]
    assert cover.calls == 3
    assert outputs[0] == outputs[2] != outputs[1]


def test_pooled_learners_share_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    learners = [Pooled(FixedGrid(1.0, 0.0, 8.0, 5)), Pooled(FixedGrid(9.0, 0.0, 8.0, 5))]
    prepared = learners[0].prepare(PUBLIC, Thresholds(), [0, 0, 1])
    alone = [parameters(learner, prepared, 1) for learner in learners]
    calls, together = [], ExamplesPrepared.together
    monkeypatch.setattr(ExamplesPrepared, "together", lambda *given: calls.append(1) or together(*given))
    with sharing():
        assert [parameters(learner, prepared, 1) for learner in learners] == alone
    assert calls == [1]


def test_nothing_is_kept_after_the_block_or_an_error() -> None:
    made_cells = []

    def make() -> int:
        made_cells.append(1)
        return len(made_cells)

    with sharing():
        assert [shared("n", (X,), make) for _ in range(3)] == [1, 1, 1]
        with sharing():
            assert shared("n", (X,), make) == 2
        assert shared("n", (X,), make) == 1
        assert shared("m", (X,), make) == 3
    with pytest.raises(RuntimeError), sharing():
        raise RuntimeError
    assert [shared("n", (X,), make) for _ in range(2)] == [4, 5]


def test_arguments_live_as_long_as_their_results() -> None:
    """Else another object would get the identity of a temporary one, and its result."""

    class Argument:
        pass

    outputs = []
    with sharing():
        for i in range(100):
            argument = Argument()
            outputs.append((weakref.ref(argument), shared("n", (X, argument), lambda i=i: i)))
            del argument
        assert all(reference() is not None for reference, _ in outputs)
        assert [result for _, result in outputs] == list(range(100))
    gc.collect()
    assert all(reference() is None for reference, _ in outputs)
