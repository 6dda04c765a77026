"""Properties of classifiers and of every learner of them.  A new file in classifiers/ or learners/ counts."""

import itertools
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from semipriv.audit.properties.same_coins import differences
from semipriv.classes.classifiers.base import Classifier, Classifiers
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.arrays import ARRAYS, from_column, to_column
from semipriv.core.randomness import Randomness, Secure, Simulation, Source
from semipriv.learners.base import Learner
from semipriv.learners.outputs.base import described, restored
from semipriv.privacy.guarantee import Guarantee, Release

NAMES = [name for name in registry.names("learners") if registry.load("learners", name).output_kind == "classifier"]
LEARNERS = [learner for name in NAMES for learner in registry.load("learners", name).examples()]
CLASSES = [h for name in registry.names("classifiers") for h in registry.load("classifiers", name).examples()]
N = 12
PUBLIC = {
    "some": np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.5, 3.0], [1.5, 1.0]]),
    "none": np.empty((0, 2)),
    "one": np.array([[1.0, 1.0]]),
    "copies": np.full((5, 2), 1.0),
    "a line": np.column_stack([np.arange(5.0), 2 * np.arange(5.0)]),
}


def suits(learner: Learner, h: Classifiers) -> bool:
    with suppress(ValueError):
        learner.check(h)
        return True
    return False


PAIRS = [
    pytest.param(learner, h, id=f"{learner}-{h}"[:90]) for learner in LEARNERS for h in CLASSES if suits(learner, h)
]
over_pairs = pytest.mark.parametrize(("learner", "h"), PAIRS)
each_class = pytest.mark.parametrize("h", CLASSES, ids=repr)


def prepared_by(learner: Learner, h: Any, public: np.ndarray) -> Any:
    points = public[:, : h.dimension]
    labels = np.arange(len(points)) % getattr(h, "classes", 2)
    return learner.prepare(points, h, labels if learner.public_stage.needs_labels else None)


def data(h: Classifiers) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(0).normal(size=(N, h.dimension)), np.arange(N) % h.classes


# ---------------------------------------------------------------------------------------------------- classifiers
@pytest.mark.parametrize("name", registry.names("classifiers"))
def test_every_class_has_an_example(name: str) -> None:
    assert registry.load("classifiers", name).examples()


@each_class
def test_the_highest_score_wins_and_the_lowest_label_of_equal_ones(h: Classifiers) -> None:
    """By the scores of each function and point alone; mistakes are counted one by one."""
    assert registry.specified(h.specification()) == h
    coins = np.random.default_rng(1)
    parameters = np.concatenate([coins.normal(size=(4, h.width)), np.zeros((1, h.width))])
    points, labels = coins.normal(size=(30, h.dimension)), coins.integers(0, h.classes, 30)
    scores, predicted = h.scores(parameters, points), h.predict(parameters, points)
    assert scores.shape == (5, h.classes, 30)
    for i, j in itertools.product(range(5), range(30)):
        assert np.array_equal(h.scores(parameters[i : i + 1], points[j : j + 1])[0, :, 0], scores[i, :, j])
        assert predicted[i, j] == min(c for c in range(h.classes) if scores[i, c, j] == scores[i, :, j].max())
    assert h.mistakes(parameters, points, labels).tolist() == [sum(row != labels) for row in predicted]
    classifier = Classifier(h, parameters[0])
    assert np.array_equal(classifier.scores(points), scores[0].T)
    assert not predicted[-1].any()


# ---------------------------------------------------------------------------------------------------- learners
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: str(learner)[:60])
def test_learners_tell_who_they_are(learner: Learner) -> None:
    """Each learns a class, and none of two labels; parameters build it again."""
    assert any(suits(learner, h) for h in CLASSES)
    with pytest.raises(ValueError, match=r"functions to \{0, 1\}"):
        prepared_by(learner, Thresholds(), PUBLIC["some"])
    assert registry.build("learners", {"name": registry.name_of(learner), **registry.parameters(learner)}) == learner
    assert learner.guarantee == Guarantee(learner.epsilon, getattr(learner, "delta", 0.0))


@over_pairs
def test_releases_and_prepared_things_go_to_disk_and_back(learner: Learner, h: Classifiers) -> None:
    """From public points of all kinds: the same draws from what is restored."""
    x, y = data(h)
    for public in PUBLIC.values():
        prepared = prepared_by(learner, h, public)
        for labels in (y, 0 * y, 0 * y + h.classes - 1):
            release = learner.release(prepared, x, labels, Simulation(1))
            assert release.guarantee == learner.guarantee
            assert release.output.kind == learner.output_kind
            assert np.isfinite(release.output.parameters).all()
        column = pa.array([to_column(prepared.arrays()), to_column(release.output.arrays())], ARRAYS)
        again = learner.public_stage.restore(from_column(column[0]), h)
        second = learner.release(again, x, labels, Simulation(1))
        assert np.array_equal(release.output.parameters, second.output.parameters)
        output = restored(described(release.output), from_column(column[1]))
        assert np.array_equal(output.predict(x), release.output.predict(x))
    assert release.randomness is Source.SIMULATION
    assert learner.release(prepared, x[:0], y[:0], Simulation(1)).output.predict(x).dtype == np.int8
    assert learner.release(prepared, x, y, Secure()).certified() == learner.guarantee
    for wrong, words in (([h.classes], f"row 0 = .*: must be an integer from 0 to {h.classes - 1}"), ([0.5], "row 0")):
        with pytest.raises(ValueError, match=words):
            learner.release(prepared, x[:1], wrong, Simulation(1))


@over_pairs
def test_neighbours_look_alike(learner: Learner, h: Classifiers) -> None:
    """Nothing but what enters mechanisms tells neighbours apart, whatever row and label a record gets."""
    prepared = prepared_by(learner, h, np.concatenate([PUBLIC["some"], 3 - PUBLIC["some"]]))
    x, y = data(h)

    def stage(points: np.ndarray, labels: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared, points, labels, randomness)

    far = [np.full(h.dimension, size) for size in (0.0, 1e308, -1e308)]
    neighbours = []
    for row, point, label in itertools.product((0, N - 1), (x[1], *far), range(h.classes)):
        moved, changed = x.copy(), y.copy()
        moved[row], changed[row] = point, label
        neighbours.append((moved, changed))
    differing, moved_by = differences(stage, (x, y), neighbours, secure=False)
    assert differing == []
    assert moved_by >= 1
