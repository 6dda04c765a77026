"""Statistics by group, whole releases: private rows are read through mechanisms alone, and these cost the budget."""

import itertools
from dataclasses import replace

import attrs
import numpy as np
import pytest

from semipriv.core.persons import Persons, contents, shares, units_of
from semipriv.core.randomness import Simulation
from semipriv.learners.statistics import plan as planning
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema
from semipriv_lab.papers.own.transcripts import HUGE, ZEROS, Request, forced, is_pure, loss_of, spent

SCHEMA = ReportSchema([Column("ward", ["A", "B", "C"]), Number("days", 0, 60, True), Column("month", 2)])
TABLES = [
    {"statistic": "count", "by": "ward"},
    {"statistic": "count", "by": ["month", "ward"], "importance": 0.5},
    {"statistic": "mean", "column": "days", "by": "ward"},
    {"statistic": "sum", "column": "days"},
    {"statistic": "variance", "column": "days", "by": "month"},
]
QUANTILES = [
    {"statistic": "quantiles", "column": "days", "by": "ward", "at": [0.01, 0.3, 0.99]},
    {"statistic": "quantiles", "column": "days", "at": [0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9]},
]
ROWS = np.array(
    [
        (ward, p, gone, month)
        for ward, month in [(0, 0), (1, 1), (2, 0)]
        for p, gone in [(0, 0), (0.37, 0), (1, 0), (0, 1)]
    ],
    np.float64,
)
OTHERS = [ROWS[[5, 5]], ROWS[[2, 3]]]
PUBLIC = np.column_stack([np.arange(30) % 3, np.linspace(0, 0.4, 30), np.arange(30) % 10 == 0, np.arange(30) % 2])


def released(learner: StatisticsRelease, public: np.ndarray, rows: np.ndarray, seed: int):
    prepared = learner.prepare(public, SCHEMA)
    with forced(seed) as asked:
        release = learner.release(prepared, rows, Simulation(0))
    return asked, release


def loss(first: list[Request], other: list[Request], delta: float) -> float:
    """Loss of two neighbours: the largest log-ratio of pure mechanisms, of selections by their exact distributions."""
    if not is_pure(first):
        return loss_of(first, other, delta)
    drawn = [isinstance(asked.mechanism, SelectionMechanism) for asked in first]
    noisy = [[asked for asked, own in zip(part, drawn, strict=True) if not own] for part in (first, other)]
    total = float(spent(*noisy, True))
    for a, b, own in zip(first, other, drawn, strict=True):
        if own:
            assert a.public == b.public
            distributions = [a.mechanism.log_probabilities(asked.values) for asked in (a, b)]
            total += float(np.abs(distributions[0] - distributions[1]).max())
    return total


def losses(learner: StatisticsRelease, public: np.ndarray, seed: int) -> float:
    """The largest loss over epsilon, over neighbours that differ in the first row; outputs must be equal."""
    worst = 0.0
    for others in OTHERS:
        released_pairs = [released(learner, public, np.concatenate([row[None], others]), seed) for row in ROWS]
        outputs = [{k: v.tobytes() for k, v in second.output.arrays().items()} for _, second in released_pairs]
        assert all(actual_output == outputs[0] for actual_output in outputs), "rows are read by more than mechanisms"
        assert all(
            (second.cost, second.output.ends) == (released_pairs[0][1].cost, released_pairs[0][1].output.ends)
            for _, second in released_pairs
        )
        for (a, _), (b, _) in itertools.combinations(released_pairs, 2):
            worst = max(worst, loss(a, b, learner.delta))
    return worst / learner.epsilon


@pytest.fixture(params=[False, True], ids=["few rows", "rows enough for a shape"])
def worthwhile(request, monkeypatch) -> bool:
    monkeypatch.setattr(planning, "worthwhile", lambda *_: request.param)
    return request.param


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (40.0, 0.0), (1.0, 1e-6)])
@pytest.mark.parametrize("seed", [ZEROS, 5])
def test_the_budget_is_what_neighbours_cost(worthwhile: bool, epsilon: float, delta: float, seed: int) -> None:
    """Tables, and trees of a number: the worst pair takes nearly all of the budget, and none takes more."""
    learner = StatisticsRelease(epsilon, delta, statistics=TABLES)
    assert len(learner.plan(learner.prepare(PUBLIC, SCHEMA), 3).shapes) == worthwhile
    assert 0.95 < losses(learner, PUBLIC, seed) <= 1 + 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [(3.0, 0.0), (3.0, 1e-6)])
@pytest.mark.parametrize(("public", "seed"), [(PUBLIC, HUGE), (PUBLIC[:0], 6)], ids=["public rows", "no public row"])
def test_quantiles_are_within_the_budget(
    worthwhile: bool, epsilon: float, delta: float, public: np.ndarray, seed: int
) -> None:
    learner = StatisticsRelease(epsilon, delta, statistics=[*TABLES[:3], *QUANTILES])
    assert 0.6 < losses(learner, public, seed) <= 1 + 1e-9


# ---------------------------------------------------------------------------------------------------- negative controls
class ReadsItsEnds(StatisticsRelease):
    """Its ends are those that suit the private rows."""

    def release(self, prepared, points, randomness):
        return super().release(self.prepare(points, SCHEMA), points, randomness)


class KeepsKeysThatOccur(StatisticsRelease):
    """Groups without a private row are left out, as if a threshold cost nothing."""

    def release(self, prepared, points, randomness):
        actual_release = super().release(prepared, points, randomness)
        kept = np.isin(actual_release.output.cell, points[:, 0])
        names = ("place", "level", "cell", "values", "low", "high", "noise_sd", "kinds")
        return replace(
            actual_release,
            output=attrs.evolve(actual_release.output, **{k: getattr(actual_release.output, k)[kept] for k in names}),
        )


class SpendsTwice(StatisticsRelease):
    """Each table gets half of the noise that its part buys."""

    def plan(self, prepared, n):
        whole = super().plan(prepared, n)
        halved = [attrs.evolve(measure, noise=DiscreteLaplace(measure.noise.scale / 2)) for measure in whole.measures]
        return attrs.evolve(whole, measures=tuple(halved))

    def check_release(self, prepared, n=1, units=1):
        """Nothing is refused."""


def test_ends_that_are_read_off_private_rows_are_caught() -> None:
    with pytest.raises(AssertionError, match="more than mechanisms"):
        losses(ReadsItsEnds(1.0, statistics=TABLES[2:3], ends="public"), PUBLIC, 5)


def test_keys_that_are_kept_because_they_occur_are_caught() -> None:
    with pytest.raises(AssertionError, match="more than mechanisms"):
        losses(KeepsKeysThatOccur(1.0, statistics=TABLES[:1]), PUBLIC, 5)


def test_half_of_the_noise_is_caught() -> None:
    assert 1.9 < losses(SpendsTwice(1.0, statistics=TABLES), PUBLIC, 5) <= 2 + 1e-9
    assert losses(StatisticsRelease(1.0, statistics=TABLES), PUBLIC, 5) <= 1 + 1e-9


# ---------------------------------------------------------------------------------------------------- persons
PERSONS = 5


def of_persons(learner: StatisticsRelease, prepared, seed: int, changed: int):
    """A release of persons with one to three rows; the rows of the first one follow from ``changed``."""
    rows, names = [], []
    for person in range(PERSONS):
        coins = np.random.default_rng([person, changed if person == 0 else 0])
        number = int(coins.integers(1, 4))
        rows.append(ROWS[coins.integers(0, len(ROWS), number)])
        names += [str(person)] * number
    points, persons, units = np.concatenate(rows), Persons.of(names), units_of(PERSONS)
    unit_shares = shares(persons, contents(points), units, "key")
    with forced(seed) as asked:
        sums = [question.of(points, unit_shares) for question in learner.questions(prepared, PERSONS)]
        release = learner.release_counts(prepared, sums, PERSONS, Simulation(0), units)
    return asked, release


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (3.0, 1e-6)])
@pytest.mark.parametrize("statistics", [TABLES, [*TABLES[:3], *QUANTILES]], ids=["tables", "quantiles"])
def test_persons_cost_what_rows_cost(worthwhile: bool, epsilon: float, delta: float, statistics: list) -> None:
    """Persons of one to three rows, units of 2^16: no pair takes more than the budget, and some take much of it."""
    learner = StatisticsRelease(epsilon, delta, statistics=statistics)
    prepared = learner.prepare(PUBLIC, SCHEMA)
    transcripts = [of_persons(learner, prepared, 7, changed) for changed in range(12)]
    outputs = [{k: v.tobytes() for k, v in second.output.arrays().items()} for _, second in transcripts]
    assert all(actual_output == outputs[0] for actual_output in outputs)
    worst = 0.0
    for (a, _), (b, _) in itertools.combinations(transcripts, 2):
        worst = max(worst, loss(a, b, delta))
    assert 0.4 < worst / epsilon <= 1 + 1e-9
