"""Property of every private learner: with equal coins, and the outputs of its mechanisms frozen, neighbours look alike.

A new file in learners/ is picked up by itself, with the learners that its ``examples`` name.
"""

import re
from typing import Any

import numpy as np
import pytest

from semipriv.audit.properties.same_coins import ENTRIES, Data, Stage, differences, ways_to_draw
from semipriv.audit.properties.test_learners import (
    CLASSES,
    LEARNERS,
    WITH_SPECIMEN,
    by_learner,
    covering,
    each_with,
    entries_for,
    of_one_orientation,
    prepare,
    private_labels,
    size_for,
    suits,
)
from semipriv.audit.properties.test_regression_learners import LEARNERS as REGRESSION
from semipriv.audit.properties.test_regression_learners import PERTURBING
from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.base import Regressors
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear import Linear
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import Learner, Protection
from semipriv.mechanisms.selection.base import Candidates, Pools
from semipriv.privacy.guarantee import Neighbours, Release

N = 6
"""Private examples, of learners that do not ask for more."""
FAR = 1e308
"""Products of it overflow: no warning may tell."""

sources = pytest.mark.parametrize("secure", [False, True], ids=["simulation", "secure"])


def public_points(h: HypothesisClass) -> np.ndarray:
    """The first points of the domain, enough to span it."""
    if h.example_points is not None:
        return h.example_points[:3]
    return np.arange(3.0)[:, None] if h.dimension == 1 else np.eye(h.dimension + 1, h.dimension)[::-1]


def private_points(h: HypothesisClass) -> np.ndarray:
    """The public points first, then others, near and far."""
    if h.example_points is not None:
        return h.example_points[:6]
    alternating = np.where(np.arange(h.dimension) % 2, FAR, -FAR)  # on the line it is there already
    far = [FAR * np.ones(h.dimension), -FAR * np.ones(h.dimension), *([alternating] if h.dimension > 1 else [])]
    return np.concatenate([public_points(h), [0.5 * np.ones(h.dimension)], far])


def pairs(learner: Learner, h: HypothesisClass) -> list[tuple[Data, list[Data]]]:
    """Samples, each with neighbours that differ in one example, as the guarantee says they may.

    All examples alike, of either label, and spread over points and labels; the first of them becomes each other one.
    So does the first, and the last, of the unlabelled entries that a learner reads.
    """
    n = size_for(learner, h, N)
    points, spread = private_points(h), np.arange(n)
    n_public = len(public_points(h))
    labels_are_public = learner.guarantee.neighbours is Neighbours.REPLACE_PRIVATE_FEATURES
    cases = []
    alike, ones = np.zeros(n, int), np.ones(n, int)
    rest = tuple(entries.points for entries in entries_for(learner, h, n).values())
    for place, labels in (
        (alike, 0 * ones),
        (alike, ones),
        (spread % n_public, spread % 2),
        (spread // 3 % n_public, spread < 3),
    ):
        y = private_labels(learner, labels.astype(int))
        neighbours = []
        for other in range(len(points)):
            for flipped in (False, True):
                moved, changed = points[place], y.copy()
                moved[0] = points[other]
                changed[0] = 1 - y[0] if flipped else y[0]
                same = not flipped and other == place[0]
                if not same and not (flipped and labels_are_public):
                    neighbours.append((moved, changed, *rest))
            for unlabelled in rest:  # its first and its last entry, too
                for row in (0, -1):
                    replaced = unlabelled.copy()
                    replaced[row] = points[other]
                    neighbours.append((points[place], y, replaced))
        cases.append(((points[place], y, *rest), neighbours))
    return cases


def stage_of(learner: Learner, hypothesis_class: HypothesisClass) -> Stage:
    prepared = prepare(learner, hypothesis_class, public_points(hypothesis_class))

    def stage(points: np.ndarray, labels: np.ndarray, *rest: Any) -> Release:
        *unlabelled, randomness = rest
        return learner.release(prepared, points, labels, randomness, *map(ListedEntries, unlabelled))

    return stage


def found_in(learner: Learner, hypothesis_class: HypothesisClass, secure: bool, seed: int = 11) -> list[str]:
    return looked_at(learner, hypothesis_class, secure, seed)[0]


def looked_at(learner: Learner, hypothesis_class: HypothesisClass, secure: bool, seed: int) -> tuple[list[str], int]:
    """What tells neighbours apart, and the most that a score moves."""
    stage = stage_of(learner, hypothesis_class)
    private = getattr(learner, "private_candidates", False)
    looks = [differences(stage, *pair, secure, seed, private) for pair in pairs(learner, hypothesis_class)]
    return [difference for differing, _ in looks for difference in differing], max(moved for _, moved in looks)


GUARDED = [p for p in WITH_SPECIMEN if p.values[0].protection is Protection.PRIVATE]
ENDS = [p for p in GUARDED if p.values[0].releasable]


def at_the_ends(cases: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Of the cases of each learner the first and the last."""
    names, parameters = cases.args
    return pytest.mark.parametrize(
        names, [p for of_one in by_learner(parameters) for p in of_one[:1] + of_one[1:][-1:]]
    )


def by_coins(cases: pytest.MarkDecorator, secure: bool) -> list[Any]:
    """The cases of simulations, or of releases."""
    kind = "secure" if secure else "simulation"
    return [pytest.param(*p.values, secure, id=f"{p.id}-{kind}", marks=p.marks) for p in cases.args[1]]


SEEDED = by_coins(covering(of_one_orientation(each_with(CLASSES, GUARDED))), False)
EXACT = by_coins(covering(at_the_ends(of_one_orientation(each_with(CLASSES, ENDS)))), True)


@pytest.mark.parametrize(("learner", "hypothesis_class", "secure"), [*SEEDED, *EXACT])
def test_neighbours_look_alike(learner: Learner, hypothesis_class: HypothesisClass, secure: bool) -> None:
    """Nothing but what enters mechanisms tells neighbours apart: neither outputs, costs, errors, logs nor coins.

    With further coins if by the first ones the learner did not read what differs.
    ``test_neighbours_look_alike_to_every_class`` has all orientations, and exact draws from the covers of all classes:
    here exact draws are for the first and the last class that a learner learns.
    """
    for seed in range(28, 58):
        differing, moved = looked_at(learner, hypothesis_class, secure, seed)
        assert differing == []
        if moved or not learner.guarantee.epsilon:
            return
    raise AssertionError("no score ever moves: the property does not see what the learner reads")


@sources
@pytest.mark.parametrize("name", registry.names("classes"))
def test_neighbours_look_alike_to_every_class(name: str, secure: bool) -> None:
    """Its counts log, warn and refuse nothing that depends on the sample, and move by at most 1."""
    mechanism = "exponential" if secure else "permute_and_flip"
    learner = registry.build("learners", {"name": "sspp", "epsilon": 1.0, "mechanism": mechanism})
    for h in registry.load("classes", name).examples():
        assert found_in(learner, h, secure) == []


REAL: list[Regressors] = [LinearBall(2), Linear(2), FiniteFunctions.examples()[2]]
"""A ball, all linear functions, and finitely many functions."""


def real_differences(learner: Learner, h: Regressors, secure: bool) -> tuple[list[str], float]:
    """What tells samples of six records from their neighbours, of which the first is any other, near, far, outside."""
    axes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.5, -0.5], [0.0, 0.0], [FAR, FAR]])[:, : h.dimension]
    inside, public = h.clipped(axes), h.clipped(np.array([[1.0, 0.0], [0.1, 0.4], [1.0, 0.0], [2.0, 2.0]]))
    public = public[:, : h.dimension] if h.dimension == 2 else np.array([[0.0], [1.0], [2.0], [2.0]])
    prepared = learner.prepare(public, h, [0.5, -0.5, 1.0, 0.0] if learner.public_stage.needs_labels else None)

    def stage(points: np.ndarray, responses: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared, points, responses, randomness)

    every, moved = [], 0.0
    for points, responses in ((inside[[0] * N], np.ones(N)), (inside[np.arange(N)], np.resize([1.0, -1.0, 0.3], N))):
        neighbours = []
        for point in axes:
            for response in (-1.0, 0.2, 1.0, -FAR, 40.0):
                x, y = points.copy(), responses.copy()
                x[0], y[0] = point, response
                neighbours.append((x, y))
        differing, most = differences(stage, (points, responses), neighbours, secure)
        every, moved = [*every, *differing], max(moved, most)
    return every, moved


WATCHED = [
    learner
    for learner in REGRESSION
    if learner.releasable and learner.role in (Role.PAPER, Role.VARIANT, Role.NO_PUBLIC)
]
"""Those that draw integers; those of real noise are known by name."""
PERTURBED = [learner for name in PERTURBING for learner in registry.load("learners", name).examples()]


RESPONDING = [
    pytest.param(learner, h, secure, id=f"{learner!s:.60}-{name}-{'secure' if secure else 'simulation'}")
    for learner in (*PERTURBED, *WATCHED)
    for h, name in zip(REAL, ("ball", "linear", "table"), strict=True)
    for secure in (False, True)
    if suits(learner, h) and (learner.releasable or not secure)
]


@pytest.mark.parametrize(("learner", "h", "secure"), RESPONDING)
def test_neighbouring_records_with_responses_look_alike(learner: Learner, h: Regressors, secure: bool) -> None:
    """What enters mechanisms moves by the sensitivity at most; what comes out is a function of what they return."""
    differing, moved = real_differences(learner, h, secure)
    assert differing == []
    assert moved > 0


def assert_found(differences: list[str], message: str) -> None:
    assert any(re.search(message, difference) for difference in differences), differences[:3]


@pytest.mark.parametrize("learner", [p for p in LEARNERS if p.values[0].protection is Protection.NONE])
def test_learners_without_privacy_are_caught(learner: Learner) -> None:
    """Their output depends on the sample, and no mechanism is asked; or a mechanism selects among private points."""
    h = Halfspaces(1) if suits(learner, Halfspaces(1)) else Thresholds()
    points, labels = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    other = (np.array([[2.0], [1.0], [2.0]]), 1 - labels)
    rest = [entries.points for entries in entries_for(learner, h, 3).values()]
    if rest:
        other = (points, labels)
    differing, _ = differences(
        stage_of(learner, h),
        (points, labels, *rest),
        [(*other, *(entries[::-1] / 3 for entries in rest))],
        secure=False,
    )
    assert_found(differing, "other candidates" if rest else "output: ")


def test_every_way_to_draw_is_known() -> None:
    """A new mechanism is watched, or its way to draw is told."""
    judged = {(Pools, "member"), (Pools, "members"), (Pools, "draw"), (Candidates, "member"), (Candidates, "draw")}
    for owner, name in ways_to_draw():
        known = any(issubclass(owner, base) and name == way for base, way in ENTRIES)
        assert known or (owner, name) in judged, f"{owner.__name__}.{name}: say in same_coins what enters it"
