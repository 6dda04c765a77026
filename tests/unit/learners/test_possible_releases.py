"""What ``check_release`` lets pass is released: every learner, and each inside of each wrapper, with every class.

Public numbers alone decide: a pair that does not fit, and sizes with which nothing can be drawn, are refused with one
clear line before a private row is read.
"""

from collections import Counter
from typing import Any

import attrs
import numpy as np
import pytest

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.functions import Functions
from semipriv.core.randomness import Simulation
from semipriv.core.samples import StatusModel
from semipriv.core.work import WorkError, limits
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import AnyLearner, Learner, status_model
from semipriv.papers.abm19.learners.sspp import SSPP

TYPES = {name: registry.load("learners", name) for name in registry.names("learners")}
LEARNERS = [
    pytest.param(learner, id=f"{name}-{i}") for name, kind in TYPES.items() for i, learner in enumerate(kind.examples())
]
WRAPPERS = [
    pytest.param(learner, id=f"{name}-{i}")
    for name, kind in TYPES.items()
    for i, learner in enumerate(kind.examples())
    if any(isinstance(getattr(learner, field), Learner) for field in registry.fields_of(learner))
]
WHOLE = [p for p in LEARNERS if not isinstance(p.values[0], PartlyLabelledLearner)]
"""Those that take labelled examples alone."""
ROOMS = ("classes", "regressors", "classifiers")
CLASSES: list[Functions] = [registry.load(room, name).examples()[0] for room in ROOMS for name in registry.names(room)]
"""One of each."""
FEW = [DiscreteThresholds(3), Intervals(), Halfspaces(2)]
SIZES = [(0, 1), (1, 2), (6, 6), (1, 10), (6, 60)]
"""Public points, private examples."""
SEED = Simulation(1)


def points_of(h: Functions, n: int, rng: np.random.Generator) -> np.ndarray:
    """n points of the domain, with ties."""
    example = getattr(h, "example_points", None)
    if example is not None:
        return np.asarray(example, np.float64)[rng.integers(0, len(example), n)]
    return rng.integers(0, 4, (n, h.dimension)) / 4.0


def targets_of(learner: AnyLearner, h: Functions, n: int, rng: np.random.Generator) -> np.ndarray:
    """n labels, or responses, that the learner may be given."""
    if learner.output_kind == "regressor":
        return rng.integers(-2, 3, n) / 2.0
    labels = rng.integers(0, getattr(h, "n_classes", 2), n)
    return labels if status_model(learner) is StatusModel.ANY else np.ones(n, int)


def outcome(learner: AnyLearner, h: Functions, n_public: int, n_private: int) -> str:
    """'refused' before a private row is there, else 'released'; whatever else is raised is a failure."""
    rng = np.random.default_rng(7)
    public = points_of(h, n_public, rng)
    labels = targets_of(learner, h, n_public, rng) if learner.public_stage.needs_labels else None
    if labels is not None and status_model(learner) is StatusModel.LABEL_DETERMINED:
        labels = np.zeros(n_public, int)
    try:
        prepared = learner.prepare(public, h, labels)  # type: ignore[arg-type]
        rest: dict[str, Any] = {}
        if isinstance(learner, PartlyLabelledLearner):
            needed = learner.unlabelled_needed(n_private, h)  # type: ignore[arg-type]
            if needed > 10_000:
                return "refused"
            rest = {"unlabelled": ListedEntries(points_of(h, needed, rng))}
        learner.check_release(prepared, n_private)
    except ValueError as error:
        return "refused" if error.args[0].strip().isprintable() else f"{error!r} is no clear line"
    x, y = points_of(h, n_private, rng), targets_of(learner, h, n_private, rng)
    release = learner.release(prepared, x, y, Simulation(1), **rest)
    assert release.output.kind == learner.output_kind
    return "released"


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_check_release_lets_pass_is_released(learner: AnyLearner) -> None:
    known = [*CLASSES, *FEW, DiscreteRectangles(2, 2)]
    outcomes = {outcome(learner, h, m, n) for h in known for m, n in SIZES}
    assert "released" in outcomes, "the property said nothing of it"
    assert outcomes <= {"released", "refused"}


@pytest.mark.parametrize("learner", LEARNERS)
def test_check_takes_a_class_or_says_in_one_line_why_not(learner: AnyLearner) -> None:
    """Whatever kind of functions it is given."""
    taken = 0
    for h in CLASSES:
        try:
            learner.check(h)  # type: ignore[arg-type]
            taken += 1
        except ValueError as error:
            message = error.args[0]
            assert message.isprintable(), message
    assert taken < len(CLASSES)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_learner_inside_of_another_is_refused_or_released(wrapper: AnyLearner) -> None:
    items, actual_items = list[AnyLearner](), list[str]()
    for p in LEARNERS:
        try:
            items.append(attrs.evolve(wrapper, learner=p.values[0]))  # type: ignore[misc]
        except ValueError as error:
            actual_items.append(error.args[0])
    assert all(line.startswith("learner = ") for line in actual_items)
    counts = Counter(outcome(item, h, m, n) for item in items for h in FEW for m, n in SIZES)
    assert set(counts) == {"released", "refused"}


def tried(learner: AnyLearner, h: Functions, n_public: int, n_private: int) -> tuple[bool, bool]:
    """Whether ``check_release``, and ``release``, refuse by limits that no work keeps; not what is refused anyway."""
    rng = np.random.default_rng(7)
    public = points_of(h, n_public, rng)
    labels = targets_of(learner, h, n_public, rng) if learner.public_stage.needs_labels else None
    try:
        prepared = learner.prepare(public, h, labels)  # type: ignore[arg-type]
        learner.check_release(prepared, n_private)
    except ValueError:
        return False, False
    x, y = points_of(h, n_private, rng), targets_of(learner, h, n_private, rng)
    refused = []
    for draw in (lambda: learner.check_release(prepared, n_private), lambda: learner.release(prepared, x, y, SEED)):
        with limits(minutes=1e-12, memory=1e-12):
            try:
                draw()
            except WorkError:
                refused.append(True)
            else:
                refused.append(False)
    return refused[0], refused[1]


@pytest.mark.parametrize("learner", WHOLE)
def test_a_release_in_python_keeps_the_limits_that_its_check_keeps(learner: AnyLearner) -> None:
    for h in CLASSES:
        checked, released = tried(learner, h, 6, 60)
        assert released or not checked, f"{h!r}: check_release refuses what release draws"


@pytest.mark.parametrize("labels", [3, None, [[1], [1, 2]]], ids=repr)
def test_what_are_no_labels_is_told_before_limits_are_looked_at(labels: Any) -> None:
    learner, points = SSPP(1.0), np.zeros((2, 1))
    with pytest.raises(ValueError, match=r"labels: must (have shape|be numbers)"):
        learner.release(learner.prepare(points, Intervals()), points, labels, SEED)


def test_most_private_learners_keep_limits_when_they_release() -> None:
    """The property above said something of them."""
    learners = [p.values[0] for p in WHOLE]
    keeping = {registry.name_of(learner) for learner in learners if any(tried(learner, h, 6, 60)[1] for h in CLASSES)}
    assert {"sspp", "fixed_grid", "public_metric_discriminant", "public_model_multiclass"} <= keeping
