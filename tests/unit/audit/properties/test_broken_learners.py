"""The property of same coins finds what it is for: learners with one leak each are caught, honest siblings are not."""

import logging
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from semipriv.audit.properties.every_entry import EveryEntry
from semipriv.audit.properties.same_coins import Unseen, differences
from semipriv.audit.properties.test_same_coins import N, assert_found, found_in, sources
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.progress import track
from semipriv.core.randomness import Randomness, Simulation
from semipriv.learners.tables import support as table_support
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.marginals import Marginals
from semipriv.queries.schema import Schema as TableSchema


# --------------------------------------------------------------------------------------------------- learners of labels
class Leaking(SSPP):
    """A_SSPP that does something with the number of ones besides."""

    @classmethod
    def by(cls, leak: Callable[[int, Randomness], object]) -> SSPP:
        class Control(cls):
            def release(self, prepared, points, labels, randomness) -> Release:
                leak(int(np.sum(labels)), randomness)
                return super().release(prepared, points, labels, randomness)

        return Control(1.0)


def opens(positives: int, _: Randomness) -> None:
    with suppress(OSError), open(f"/no folder of this name/{positives}"):
        pass


def raises(positives: int, _: Randomness) -> None:
    if positives > N // 2:
        raise ValueError("labels: too many ones")


def throws_coins(positives: int, randomness: Randomness) -> None:
    if isinstance(randomness, Simulation):
        randomness.generator.random(positives)
    else:
        randomness.bits(64 * positives)


LEAKS = {
    "logs a private number": (
        lambda positives, _: logging.getLogger("semipriv").debug("%d ones", positives),
        "seen: 'log: semi",
    ),
    "prints": (lambda positives, _: print(positives, "ones"), "seen: 'printed: "),
    "prints as an error": (lambda positives, _: print(positives, "ones", file=sys.stderr), "seen: 'printed: "),
    "warns": (lambda positives, _: warnings.warn(f"{positives} ones", stacklevel=1), "seen: 'warning: UserWarning: "),
    "warns of arithmetic": (
        lambda positives, _: np.log(np.array([positives // N])),
        "seen: .*'warning: RuntimeWarning: divide by",
    ),
    "names a file": (opens, "seen: \"open '/no folder of this name/"),
    "tells its progress": (lambda positives, _: list(track(range(positives), "ones")), "seen: 'progress: run: 1/"),
    "refuses": (raises, "error: .* too many ones"),
    "refuses all": (lambda positives, _: 1 // 0, "refused: ZeroDivisionError"),
    "fails": (lambda positives, _: 1 // (N - positives), "error: .*ZeroDivisionError"),
    "throws coins": (throws_coins, "coins: "),
    "names a stream": (lambda positives, r: Simulation(0).spawn("ones", positives), r"seen: \"stream \('ones', "),
}


class ReadsASize(SSPP):
    """It selects among as many candidates as there are ones."""

    def release(self, prepared, points, labels, randomness) -> Release:
        reduced_copy = replace(prepared, parameters=prepared.parameters[: 1 + int(np.sum(labels))])
        return super().release(reduced_copy, points, labels, randomness)


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
    """It draws by the distribution of the exponential mechanism, outside of it."""

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
    """It adds noise to a number that the property does not see."""

    def release(self, prepared, points, labels, randomness) -> Release:
        chosen = int(np.sum(labels)) + DiscreteLaplace(1).sample(randomness)
        return Release(prepared[chosen % len(prepared)], self.guarantee, randomness.source)


CONTROLS = {
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
@pytest.mark.parametrize("leak", LEAKS)
def test_a_learner_that_leaks_is_caught(leak: str, secure: bool) -> None:
    action, message = LEAKS[leak]
    assert_found(found_in(Leaking.by(action), Thresholds(), secure), message)


@sources
@pytest.mark.parametrize("control", CONTROLS)
def test_a_broken_learner_is_caught(control: type[SSPP], secure: bool) -> None:
    assert_found(found_in(control(1.0), Thresholds(), secure), CONTROLS[control])


@sources
def test_what_breaks_nothing_is_not_caught(secure: bool) -> None:
    """Honest siblings of the controls: what is logged is public, coins are thrown as often, scores move by 1."""
    honest = Leaking.by(lambda positives, r: (logging.getLogger().info("%d examples", N), throws_coins(3, r)))
    for learner in (honest, Scoring(1.0)):
        assert found_in(learner, Thresholds(), secure) == []


def test_noise_is_not_passed_over() -> None:
    with pytest.raises(Unseen, match="DiscreteLaplace: this way to draw does not show what is protected"):
        found_in(Noisy(1.0), Thresholds(), secure=False)


# ---------------------------------------------------------------------------------------------------- entries
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
    ("control", "message"),
    [(CountsUnlabelled, "cost: "), (ReadsAnEntryTwice, r"a score moves by \d, the sensitivity is 1")],
)
def test_a_broken_learner_of_unlabelled_entries_is_caught(
    control: type[EveryEntry], message: str, secure: bool
) -> None:
    assert_found(found_in(control(1.0), DiscreteThresholds(2), secure), message)


# ---------------------------------------------------------------------------------------------------- query release


# ---------------------------------------------------------------------------------------------------- tables
TABLE = TableSchema({"age": range(20, 80, 20), "sex": ["F", "M"], "region": 2})
"""A table beside points: its rows stand for points, of which labels tell nothing."""


class SupportedByPrivateRows(PublicRowsRelease):
    """Its support holds the private rows, too."""

    def release(self, prepared, table, randomness):
        both = np.concatenate([prepared.rows, TABLE.codes(table, "both")])
        return super().release(self.prepare(TABLE.table(both), TABLE), table, randomness)


class GrownByPrivateRows(TableRelease):
    """Its tree is of the private rows, too."""

    def release(self, prepared, table, randomness):
        both = np.concatenate([prepared.rows[prepared.public > 0], TABLE.codes(table, "both")])
        return super().release(self.prepare(TABLE.table(both), TABLE), table, randomness)


class TwiceCounted(Marginals):
    """A row counts twice."""

    def counts(self, codes):
        return 2 * super().counts(codes)


class CountsRowsTwice(PublicRowsRelease):
    """Its marginals are of two records a row."""

    def prepare(self, public_table, schema):
        return replace(super().prepare(public_table, schema), workload=TwiceCounted(schema, self.ways))


def table_differences(learner: PublicRowsRelease | TableRelease, secure: bool) -> tuple[list[str], int]:
    """What tells tables of six rows from their neighbours, of which the first row is each other one of the schema."""
    every = np.array(list(np.ndindex(TABLE.sizes)))
    prepared = learner.prepare(TABLE.table(every[[0, 3, 3, 5, 8, 10]]), TABLE)

    def stage(codes: np.ndarray, _: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared, TABLE.table(codes), randomness)

    collected, moved = [], 0
    for rows in (every[[0] * N], every[np.arange(N) * 2]):
        neighbours = [(np.concatenate([row[None], rows[1:]]), np.zeros(N)) for row in every]
        own, most = differences(stage, (rows, np.zeros(N)), neighbours, secure)
        collected, moved = [*collected, *own], max(moved, most)
    return collected, moved


@sources
@pytest.mark.parametrize("rounds", [None, 2])
def test_neighbouring_tables_look_alike(rounds: int | None, secure: bool) -> None:
    """By the release of a table of categories, with marginals chosen or not; counts and scores do move."""
    assert table_differences(PublicRowsRelease(1.0, 1e-6, rounds=rounds), secure) == ([], 1)


@sources
@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_neighbouring_tables_look_alike_with_grown_rows(
    delta: float, secure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever noise is drawn, rows and limits that are made of it do not tell which table it was added to."""
    monkeypatch.setattr(table_support, "TREE_ROWS", 40)
    assert table_differences(TableRelease(1.0, delta), secure) == ([], 1)


def test_a_release_that_grows_by_private_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_support, "TREE_ROWS", 40)
    assert_found(table_differences(GrownByPrivateRows(1.0, 1e-6), False)[0], "output: |cost: ")


@sources
@pytest.mark.parametrize(
    ("control", "message"),
    [(SupportedByPrivateRows, "output: |cost: "), (CountsRowsTwice, "a score moves by 2, the sensitivity is 1")],
)
def test_a_broken_release_of_tables_is_caught(control: type[PublicRowsRelease], message: str, secure: bool) -> None:
    assert_found(table_differences(control(1.0, 1e-6, rounds=2), secure)[0], message)


# ---------------------------------------------------------------------------------------------------- real responses
