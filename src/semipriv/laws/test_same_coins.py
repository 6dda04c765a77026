"""Law of every private learner: with equal coins, and the outputs of its mechanisms frozen, neighbours look alike.

A new file in learners/ is picked up by itself, with the learners that its ``examples`` name.
"""

import logging
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import attrs
import numpy as np
import pytest

from semipriv import registry
from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.entries import ListedEntries
from semipriv.laws.every_entry import EveryEntry
from semipriv.laws.same_coins import ENTRIES, Data, Stage, Unseen, differences, ways_to_draw
from semipriv.laws.test_learners import (
    CLASSES,
    LEARNERS,
    WITH_SPECIMEN,
    each_with,
    entries_for,
    known_classes,
    of_one_orientation,
    prepare,
    private_labels,
    size_for,
    suits,
)
from semipriv.learners import _perturbing
from semipriv.learners.base import Learner, Protection
from semipriv.learners.perturbed_average import PerturbedAverage
from semipriv.learners.public_data_reduction import PublicDataReduction
from semipriv.learners.query_release import QueryRelease
from semipriv.learners.regularised import Regularised
from semipriv.learners.sspp import SSPP
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.base import Candidates, Pools, SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.progress import track
from semipriv.queries.marginals import Marginals
from semipriv.queries.schema import Schema as TableSchema
from semipriv.queries.table_release import TableRelease
from semipriv.randomness import Randomness, Simulation
from semipriv.regressors.base import Regressor, Regressors
from semipriv.regressors.finite_functions import FiniteFunctions
from semipriv.regressors.linear_ball import LinearBall
from semipriv.samples import RegressionSample, Sample

N = 6
"""Private examples: what the example of the reduction asks for."""
FAR = 1e308
"""Products of it overflow: no warning may tell."""

sources = pytest.mark.parametrize("secure", [False, True], ids=["simulation", "secure"])


REDUCTION = PublicDataReduction(SSPP(0.8), 165, 3, Uniform())
"""One whose candidates are not constant."""


def heads(seed: int) -> int:
    """How many examples the reduction reads."""
    filling, _, _ = REDUCTION.samples(Sample(np.full((N, 1), 2.0), np.ones(N)), Simulation(seed).generator)
    return int(np.sum(filling.points == 2.0))


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
    n = N if isinstance(learner, PublicDataReduction) else size_for(learner, h, N)
    points, spread = private_points(h), np.arange(n)
    few = len(public_points(h))
    labels_are_public = learner.guarantee.neighbours is Neighbours.REPLACE_PRIVATE_FEATURES
    found = []
    alike, ones = np.zeros(n, int), np.ones(n, int)
    rest = tuple(entries.points for entries in entries_for(learner, h, n).values())
    for place, labels in (
        (alike, 0 * ones),
        (alike, ones),
        (spread % few, spread % 2),
        (spread // 3 % few, spread < 3),
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
        found.append(((points[place], y, *rest), neighbours))
    return found


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
    return [difference for found, _ in looks for difference in found], max(moved for _, moved in looks)


@sources
@of_one_orientation(each_with(CLASSES, [p for p in WITH_SPECIMEN if p.values[0].protection is Protection.PRIVATE]))
def test_neighbours_look_alike(learner: Learner, hypothesis_class: HypothesisClass, secure: bool) -> None:
    """Nothing but what enters mechanisms tells neighbours apart: neither outputs, costs, errors, logs nor coins.

    With further coins if by the first ones the learner did not read what differs.
    ``test_neighbours_look_alike_to_every_class`` has all orientations, and exact draws from the covers of all classes:
    here exact draws are for the first and the last class that a learner learns.
    """
    known = known_classes(learner, CLASSES)
    if secure and not (learner.releasable and hypothesis_class in (known[0], known[-1])):
        return
    for seed in range(28, 58):
        found, moved = looked_at(learner, hypothesis_class, secure, seed)
        assert found == []
        if moved or not learner.guarantee.epsilon:
            return
    raise AssertionError("no score ever moves: the law does not see what the learner reads")


@pytest.mark.parametrize("seed", [890, 993, 1202, 1245, 1967, 2407])
def test_the_reduction_reads_by_coins_alone(seed: int) -> None:
    """Where its coins make it read several examples, as they seldom do."""
    assert heads(seed) > 3
    assert looked_at(REDUCTION, Thresholds(), False, seed) == ([], 1)
    assert REDUCTION.own_size == N


@sources
@pytest.mark.parametrize("name", registry.names("classes"))
def test_neighbours_look_alike_to_every_class(name: str, secure: bool) -> None:
    """Its counts log, warn and refuse nothing that depends on the sample, and move by at most 1."""
    learner = SSPP(1.0) if secure else SSPP(1.0, mechanism="permute_and_flip")
    for h in registry.load("classes", name).examples():
        assert found_in(learner, h, secure) == []


# ---------------------------------------------------------------------------------------------------- broken twins
class Leaking(SSPP):
    """A_SSPP that does something with the number of ones besides."""

    @classmethod
    def by(cls, leak: Callable[[int, Randomness], object]) -> SSPP:
        class Twin(cls):
            def release(self, prepared, points, labels, randomness) -> Release:
                leak(int(np.sum(labels)), randomness)
                return super().release(prepared, points, labels, randomness)

        return Twin(1.0)


def opens(ones: int, _: Randomness) -> None:
    with suppress(OSError), open(f"/no folder of this name/{ones}"):
        pass


def raises(ones: int, _: Randomness) -> None:
    if ones > N // 2:
        raise ValueError("labels: too many ones")


def throws_coins(ones: int, randomness: Randomness) -> None:
    if isinstance(randomness, Simulation):
        randomness.generator.random(ones)
    else:
        randomness.bits(64 * ones)


LEAKS = {
    "logs a private number": (lambda ones, _: logging.getLogger("semipriv").debug("%d ones", ones), "seen: 'log: semi"),
    "prints": (lambda ones, _: print(ones, "ones"), "seen: 'printed: "),
    "prints as an error": (lambda ones, _: print(ones, "ones", file=sys.stderr), "seen: 'printed: "),
    "warns": (lambda ones, _: warnings.warn(f"{ones} ones", stacklevel=1), "seen: 'warning: UserWarning: "),
    "warns of arithmetic": (
        lambda ones, _: np.log(np.array([ones // N])),
        "seen: .*'warning: RuntimeWarning: divide by",
    ),
    "names a file": (opens, "seen: \"open '/no folder of this name/"),
    "tells its progress": (lambda ones, _: list(track(range(ones), "ones")), "seen: 'progress: run: 1/"),
    "refuses": (raises, "error: .* too many ones"),
    "refuses all": (lambda ones, _: 1 // 0, "refused: ZeroDivisionError"),
    "fails": (lambda ones, _: 1 // (N - ones), "error: .*ZeroDivisionError"),
    "throws coins": (throws_coins, "coins: "),
    "names a stream": (lambda ones, r: Simulation(0).spawn("ones", ones), r"seen: \"stream \('ones', "),
}


class ReadsASize(SSPP):
    """It selects among as many candidates as there are ones."""

    def release(self, prepared, points, labels, randomness) -> Release:
        few = replace(prepared, parameters=prepared.parameters[: 1 + int(np.sum(labels))])
        return super().release(few, points, labels, randomness)


class ReadsACost(SSPP):
    """It tells how many ones there are."""

    def release(self, prepared, points, labels, randomness) -> Release:
        release = super().release(prepared, points, labels, randomness)
        return replace(release, cost={"ones": float(np.sum(labels))})


class ReadsAGuarantee(SSPP):
    """It claims what the sample needs."""

    def release(self, prepared, points, labels, randomness) -> Release:
        return replace(
            super().release(prepared, points, labels, randomness), guarantee=Guarantee(1.0 + float(np.sum(labels)))
        )


class ReadsAParameter(SSPP):
    """Its noise depends on the sample."""

    def release(self, prepared, points, labels, randomness) -> Release:
        return SSPP(1.0 + int(np.sum(labels))).release(prepared, points, labels, randomness)


class DrawsAgain(SSPP):
    """It draws until it likes what it sees: as many times as there are ones."""

    def release(self, prepared, points, labels, randomness) -> Release:
        for _ in range(int(np.sum(labels))):
            super().release(prepared, points, labels, randomness)
        return super().release(prepared, points, labels, randomness)


class Scoring(SSPP):
    """It scores by more than mistakes, and calls the sensitivity 1."""

    def scores(self, mistakes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return -mistakes

    def release(self, prepared, points, labels, randomness) -> Release:
        chosen = self.selection.sample(self.scores(prepared.mistakes(points, labels), labels), randomness)
        return Release(prepared[chosen], self.guarantee, randomness.source)


class ScoresByTwo(Scoring):
    """Each score moves by 2."""

    def scores(self, mistakes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return -2 * mistakes


class ExchangesScores(Scoring):
    """Two scores change places: in order they are what they were."""

    def scores(self, mistakes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        scores = np.zeros_like(mistakes)
        scores[int(np.sum(labels)) % 2] = 2
        return scores


class DrawsByItself(SSPP):
    """It draws by the law of the exponential mechanism, outside of it."""

    def release(self, prepared, points, labels, randomness) -> Release:
        chosen = prepared.tally(points, labels).draw(self.selection.rate, randomness)
        return Release(chosen, self.guarantee, randomness.source)


class Refusing(ExponentialMechanism):
    """It refuses when too many candidates have one score."""

    def select(self, candidates, randomness):
        if candidates.histogram()[1].max() > 2:
            raise ValueError("counts: at most 2")
        return super().select(candidates, randomness)


class RefusesByItsPools(SSPP):
    """Its mechanism refuses by private counts."""

    @property
    def selection(self) -> SelectionMechanism:
        return Refusing(1.0)


class Noisy(SSPP):
    """It adds noise to a number that the law does not see."""

    def release(self, prepared, points, labels, randomness) -> Release:
        chosen = int(np.sum(labels)) + DiscreteLaplace(1).sample(randomness)
        return Release(prepared[chosen % len(prepared)], self.guarantee, randomness.source)


class CountsUnlabelled(EveryEntry):
    """It tells how many different unlabelled entries there are."""

    def release(self, prepared, points, labels, randomness, unlabelled=None) -> Release:
        release = super().release(prepared, points, labels, randomness, unlabelled)
        return replace(release, cost={"distinct": float(len(np.unique(unlabelled.points)))})


class ReadsAnEntryTwice(EveryEntry):
    """Its first unlabelled entry counts three times."""

    def taken(self, unlabelled: ListedEntries) -> np.ndarray:
        read = super().taken(unlabelled)
        return np.concatenate([read, read[:1], read[:1]])


class SelectsAmongPrivatePoints(EveryEntry):
    """It selects a dichotomy of the points that it reads, as LabelBoost does."""

    private_candidates = True

    def release(self, prepared, points, labels, randomness, unlabelled=None) -> Release:
        read = np.concatenate([points, self.taken(unlabelled)])
        tally = prepared.hypothesis_class.cover(read).tally(points, labels)
        chosen = ExponentialMechanism(1.0).select(tally, randomness)
        return Release(chosen, self.guarantee, randomness.source, self.told(tally))

    def told(self, tally) -> dict[str, float]:
        return {}


class TellsItsCandidates(SelectsAmongPrivatePoints):
    """And says how many there are."""

    def told(self, tally) -> dict[str, float]:
        return {"candidates": float(tally.histogram()[1].sum())}


@sources
def test_private_candidates_may_differ_and_what_is_told_may_not(secure: bool) -> None:
    h = DiscreteThresholds(3)
    assert found_in(SelectsAmongPrivatePoints(1.0), h, secure) == []
    assert_found(found_in(TellsItsCandidates(1.0), h, secure), "cost: ")

    class Silent(SelectsAmongPrivatePoints):
        private_candidates = False

    assert_found(found_in(Silent(1.0), h, secure), "candidates")


@sources
@pytest.mark.parametrize(
    ("twin", "message"),
    [(CountsUnlabelled, "cost: "), (ReadsAnEntryTwice, r"a score moves by \d, the sensitivity is 1")],
)
def test_a_broken_learner_of_unlabelled_entries_is_caught(twin: type[EveryEntry], message: str, secure: bool) -> None:
    assert_found(found_in(twin(1.0), DiscreteThresholds(2), secure), message)


class PrivateCells(QueryRelease):
    """Its cells are those that private points are in."""

    def release(self, prepared, points, labels, randomness) -> Release:
        kept = np.flatnonzero(prepared.counts(points))
        few = attrs.evolve(prepared, representatives=prepared.representatives[kept], public=prepared.public[kept])
        return super().release(few, points, labels, randomness)


class CountsTwice(QueryRelease):
    """A record counts twice."""

    def _fit(self, prepared, counts, randomness):
        return super()._fit(prepared, 2 * counts, randomness)


# ---------------------------------------------------------------------------------------------------- tables
TABLE = TableSchema({"age": range(20, 80, 20), "sex": ["F", "M"], "region": 2})
"""A table beside points: its rows stand for points, of which labels tell nothing."""


class SupportedByPrivateRows(TableRelease):
    """Its support holds the private rows, too."""

    def release(self, prepared, table, randomness):
        both = np.concatenate([prepared.rows, TABLE.codes(table, "both")])
        return super().release(self.prepare(TABLE.table(both), TABLE), table, randomness)


class TwiceCounted(Marginals):
    """A row counts twice."""

    def counts(self, codes):
        return 2 * super().counts(codes)


class CountsRowsTwice(TableRelease):
    """Its marginals are of two records a row."""

    def prepare(self, public_table, schema):
        return replace(super().prepare(public_table, schema), workload=TwiceCounted(schema, self.ways))


def table_differences(learner: TableRelease, secure: bool) -> tuple[list[str], int]:
    """What tells tables of six rows from their neighbours, of which the first row is each other one of the schema."""
    every = np.array(list(np.ndindex(TABLE.sizes)))
    prepared = learner.prepare(TABLE.table(every[[0, 3, 3, 5, 8, 10]]), TABLE)

    def stage(codes: np.ndarray, _: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared, TABLE.table(codes), randomness)

    found, moved = [], 0
    for rows in (every[[0] * N], every[np.arange(N) * 2]):
        neighbours = [(np.concatenate([row[None], rows[1:]]), np.zeros(N)) for row in every]
        own, most = differences(stage, (rows, np.zeros(N)), neighbours, secure)
        found, moved = [*found, *own], max(moved, most)
    return found, moved


@sources
@pytest.mark.parametrize("rounds", [None, 2])
def test_neighbouring_tables_look_alike(rounds: int | None, secure: bool) -> None:
    """By the release of a table of categories, with marginals chosen or not; counts and scores do move."""
    assert table_differences(TableRelease(1.0, 1e-6, rounds=rounds), secure) == ([], 1)


@sources
@pytest.mark.parametrize(
    ("twin", "message"),
    [(SupportedByPrivateRows, "output: |cost: "), (CountsRowsTwice, "a score moves by 2, the sensitivity is 1")],
)
def test_a_broken_release_of_tables_is_caught(twin: type[TableRelease], message: str, secure: bool) -> None:
    assert_found(table_differences(twin(1.0, 1e-6, rounds=2), secure)[0], message)


# ---------------------------------------------------------------------------------------------------- real responses
REAL: list[Regressors] = [LinearBall(2), FiniteFunctions.examples()[2]]
"""A ball, and finitely many functions."""


def real_differences(learner: Learner, h: Regressors) -> tuple[list[str], float]:
    """What tells samples of six records from their neighbours, of which the first is any other, near, far, outside."""
    axes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.5, -0.5], [0.0, 0.0], [FAR, FAR]])[:, : h.dimension]
    inside, public = h.clipped(axes), h.clipped(np.array([[1.0, 0.0], [0.1, 0.4], [1.0, 0.0], [2.0, 2.0]]))
    prepared = learner.prepare(public[:, : h.dimension] if h.dimension == 2 else [[0.0], [1.0], [2.0], [2.0]], h)

    def stage(points: np.ndarray, responses: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared, points, responses, randomness)

    found, moved = [], 0.0
    for points, responses in ((inside[[0] * N], np.ones(N)), (inside[np.arange(N)], np.resize([1.0, -1.0, 0.3], N))):
        neighbours = []
        for point in axes:
            for response in (-1.0, 0.2, 1.0, -FAR, 40.0):
                x, y = points.copy(), responses.copy()
                x[0], y[0] = point, response
                neighbours.append((x, y))
        own, most = differences(stage, (points, responses), neighbours, secure=False)
        found, moved = [*found, *own], max(moved, most)
    return found, moved


@pytest.mark.parametrize("learner", [*PerturbedAverage.examples(), *Regularised.examples()], ids=lambda one: one.title)
@pytest.mark.parametrize("h", REAL, ids=["ball", "table"])
def test_neighbouring_records_with_responses_look_alike(learner: Learner, h: Regressors) -> None:
    """Public values move by the sensitivity at most; what comes out is a function of (Z, target)."""
    if suits(learner, h):
        found, moved = real_differences(learner, h)
        assert found == []
        assert moved > 0


class ReturnsTheFit(Regularised):
    """The fit comes out, not what is nearest to its noisy values."""

    def _fit(self, prepared, sample, randomness):
        object.__setattr__(self, "fit", super()._fit(prepared, sample, randomness))
        return self.fit

    def _project(self, prepared, target):
        return self.fit


class StartsAtTheMean(PerturbedAverage):
    """The search for the nearest mean starts at the private one, and stays: functions that agree on Z keep weights."""

    def _fit(self, prepared, sample, randomness):
        object.__setattr__(self, "fit", super()._fit(prepared, sample, randomness))
        return self.fit

    def _project(self, prepared, target):
        found, calls = super()._project(prepared, target)
        start = self.fit[0]
        parameters = np.vstack([start.parameters, found.parameters])
        return Regressor(start.functions, parameters, np.append(start.weights, found.weights) / 2), calls


class Amplified(Regularised):
    """Its noise is that of a hundred times the regulariser, as if eta stood beside a mean of losses."""

    def stability(self, prepared, n_private):
        return super().stability(prepared, n_private) / 100


REAL_TWINS = {
    ReturnsTheFit(1.0, 1e-3, 1.0): "output: ",
    StartsAtTheMean(1.0, 1e-2, 5.0, 50, output="hull"): "output: ",
    Amplified(1.0, 1e-3, 1.0): "a score moves by",
}


@pytest.mark.parametrize("twin", REAL_TWINS, ids=lambda one: type(one).__name__)
def test_a_broken_learner_of_responses_is_caught(twin: Learner) -> None:
    assert_found(real_differences(twin, REAL[0] if suits(twin, REAL[0]) else REAL[1])[0], REAL_TWINS[twin])


def test_records_that_are_not_clipped_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(functions: Regressors, points: np.ndarray, responses: np.ndarray) -> RegressionSample:
        return RegressionSample(np.clip(points, -1e3, 1e3), np.clip(responses, -1e3, 1e3))

    monkeypatch.setattr(_perturbing, "clipped", whole)
    assert_found(real_differences(Regularised(1.0, 1e-3, 20.0), REAL[0])[0], "a score moves by")


# ---------------------------------------------------------------------------------------------------- twins of learners
TWINS = {
    ReadsASize: r"select\(\): \d and \d candidates",
    ReadsACost: "cost: ",
    ReadsAGuarantee: "guarantee: ",
    ReadsAParameter: r"another mechanism: ExponentialMechanism\(epsilon=",
    DrawsAgain: r"mechanisms: \d and \d draws",
    ScoresByTwo: "a score moves by 2, the sensitivity is 1",
    ExchangesScores: "a score moves by 2, the sensitivity is 1",
    DrawsByItself: r"a tally.draw\(rate=Fraction\(1, 2\)\): a score moves by 1, the sensitivity is 0",
    RefusesByItsPools: "error: .* at most 2",
}


@sources
@pytest.mark.parametrize(
    ("twin", "message"), [(PrivateCells, r"\d cells|\d and \d candidates"), (CountsTwice, "a score moves by 2")]
)
def test_a_broken_query_release_is_caught(twin: type[QueryRelease], message: str, secure: bool) -> None:
    assert_found(found_in(twin(1.0, 1e-6, "gaussian"), Thresholds(), secure), message)


def assert_found(found: list[str], message: str) -> None:
    assert any(re.search(message, difference) for difference in found), found[:3]


@sources
@pytest.mark.parametrize("leak", LEAKS)
def test_a_learner_that_leaks_is_caught(leak: str, secure: bool) -> None:
    action, message = LEAKS[leak]
    assert_found(found_in(Leaking.by(action), Thresholds(), secure), message)


@sources
@pytest.mark.parametrize("twin", TWINS)
def test_a_broken_learner_is_caught(twin: type[SSPP], secure: bool) -> None:
    assert_found(found_in(twin(1.0), Thresholds(), secure), TWINS[twin])


@sources
def test_what_breaks_nothing_is_not_caught(secure: bool) -> None:
    """Honest siblings of the twins: what is logged is public, coins are thrown as often, scores move by 1."""
    honest = Leaking.by(lambda ones, r: (logging.getLogger().info("%d examples", N), throws_coins(3, r)))
    for learner in (honest, Scoring(1.0)):
        assert found_in(learner, Thresholds(), secure) == []


@pytest.mark.parametrize("learner", [p for p in LEARNERS if p.values[0].protection is Protection.NONE])
def test_learners_without_privacy_are_caught(learner: Learner) -> None:
    """Their output depends on the sample, and no mechanism is asked; or a mechanism selects among private points."""
    h = Halfspaces(1) if suits(learner, Halfspaces(1)) else Thresholds()
    points, labels = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    other = (np.array([[2.0], [1.0], [2.0]]), 1 - labels)
    rest = [entries.points for entries in entries_for(learner, h, 3).values()]
    if rest:
        other = (points, labels)
    found, _ = differences(
        stage_of(learner, h),
        (points, labels, *rest),
        [(*other, *(entries[::-1] / 3 for entries in rest))],
        secure=False,
    )
    assert_found(found, "other candidates" if rest else "output: ")


def test_noise_is_not_passed_over() -> None:
    with pytest.raises(Unseen, match="DiscreteLaplace: this way to draw does not show what is protected"):
        found_in(Noisy(1.0), Thresholds(), secure=False)


def test_every_way_to_draw_is_known() -> None:
    """A new mechanism is watched, or its way to draw is told."""
    own = {(Pools, "member"), (Pools, "members"), (Pools, "draw"), (Candidates, "member"), (Candidates, "draw")}
    for owner, name in ways_to_draw():
        known = any(issubclass(owner, base) and name == way for base, way in ENTRIES)
        assert known or (owner, name) in own, f"{owner.__name__}.{name}: say in same_coins what enters it"
