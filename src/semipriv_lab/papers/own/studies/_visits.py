"""Persons with many rows: distributions with heavy tails, and four learners that release by person or by row.

A person has r = floor(U^(-1/1.2)) rows, R at most.  Half of the variance of a row is that of its person.  Persons with
many rows are like the others, so that an error by person and one by row are of the same target.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.persons import Persons
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats, Integers
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.sums.by_person import release_by_person
from semipriv.queries.schema import Schema
from semipriv_lab.papers.own.distributions import SCHEMA, Groups

__all__ = [
    "AVERAGE",
    "CAP",
    "CAPPED",
    "EPSILON",
    "GROUP",
    "LEARNERS",
    "MOST_ROWS",
    "N_PERSONS",
    "ONE",
    "Losses",
    "losses",
]

EPSILON = 1.0
N_PUBLIC = 40
N_NEW = 4_000
MOST_ROWS = (1, 10, 200)
"""R, the largest number of rows of a person."""
MOST = 200
TAIL = 1.2
COLUMNS = Schema(SCHEMA.columns[:4])
CAP = 10
DIMENSION = 6
WEIGHTS = np.array([2.0, -1.5, 1.0, -1.0, 0.5, 0.0])
AVERAGE, ONE = "average of a person's rows", "one row a person"
GROUP, CAPPED = "group privacy", f"at most {CAP} rows a person"
N_PERSONS = {"threshold": 300, "classifier": 1_000, "regression": 1_000, "synthetic table": 3_000}
TRIALS = {"threshold": 80, "classifier": 64, "regression": 44, "synthetic table": 16}
LEARNERS = ("threshold", "classifier", "regression", "synthetic table")

Losses = dict[tuple[str, int, str], Floats]
"""By learner, R and arm: a loss for each trial, on rows that all arms share."""
Data = tuple[Any, Any]
"""Rows of all persons: points and labels, or codes and nothing."""


# ---------------------------------------------------------------------------------------------------- distributions
def visits(coins: np.random.Generator, persons: int, most: int) -> Integers:
    """Return the person of each row: heavy tails, at most so many rows of each."""
    rows = np.minimum(np.floor(coins.random(persons) ** (-1 / TAIL)), most).astype(np.int64)
    return np.repeat(np.arange(persons), rows)


def mixed(coins: np.random.Generator, place: Integers, d: int) -> Floats:
    """Return normal points (n, d) whose variance is half of the person and half of the row."""
    own = coins.normal(size=(int(place.max()) + 1, d))
    return np.sqrt(0.5) * (own[place] + coins.normal(size=(len(place), d)))


class _Task:
    """What is learned: rows of persons by ``draw``, the public stage by ``prepare``, an error by ``loss``."""

    name: str
    functions: Any

    def draw(self, coins: np.random.Generator, place: Integers) -> Data:
        """Return points and labels of rows."""
        raise NotImplementedError

    def prepare(self, learner: Any, public: Data) -> Any:
        """Return what the public stage makes of points with their labels."""
        given = [public[1]] if learner.public_stage.needs_labels else []
        return learner.prepare(public[0], self.functions, *given)

    def loss(self, output: Any, new: Data) -> float:
        """Return the error of an output."""
        raise NotImplementedError

    def learner(self, epsilon: float) -> Any:
        """Return the learner at an epsilon."""
        return registry.build("learners", {"name": self.name, "epsilon": epsilon})

    def released(self, learner: Any, prepared: Any, data: Data, coins: Simulation) -> Any:
        """Release row by row."""
        return learner.release(prepared, *data, coins).output


class _Threshold(_Task):
    name, functions = "sspp", Thresholds()
    cut = 0.4

    def draw(self, coins: np.random.Generator, place: Integers) -> Data:
        x = mixed(coins, place, 1)
        return x, ((x[:, 0] >= self.cut) ^ (coins.random(len(x)) < 0.1)).astype(np.int8)

    def loss(self, output: Any, new: Data) -> float:
        """The share of wrong labels beyond that of the cut, exactly: |P[x < t] - P[x < .4]| times .8."""
        return float(0.8 * abs(ndtr(np.ravel(output.parameters)[0]) - ndtr(self.cut)))


class _Classifier(_Task):
    name, functions = "public_metric_discriminant", Halfspaces(DIMENSION)

    def draw(self, coins: np.random.Generator, place: Integers) -> Data:
        x = mixed(coins, place, DIMENSION)
        return x, (coins.random(len(x)) < expit(x @ WEIGHTS)).astype(np.int8)

    def loss(self, output: Any, new: Data) -> float:
        return float(np.mean(output.predict(new[0]) != new[1]))


class _Regression(_Task):
    name, functions = "public_ridge_regression", Linear(DIMENSION)

    def draw(self, coins: np.random.Generator, place: Integers) -> Data:
        x = mixed(coins, place, DIMENSION)
        return x, np.clip(x @ WEIGHTS / 10 + 0.3 * coins.normal(size=len(x)), -1, 1)

    def loss(self, output: Any, new: Data) -> float:
        return float(np.mean((np.clip(output.predict(new[0]), -1, 1) - new[1]) ** 2) / new[1].var())


class _Rows(_Task):
    """A synthetic table; a person has one of four hidden groups."""

    name, functions = "table_release", COLUMNS

    def learner(self, epsilon: float) -> Any:
        return TableRelease(epsilon, 0.0)

    def __init__(self) -> None:
        self.distribution = Groups.drawn(np.random.default_rng(5))

    def draw(self, coins: np.random.Generator, place: Integers) -> Data:
        return self.distribution.of_persons(coins, place)[:, : len(COLUMNS.columns)], np.zeros(len(place), np.int8)

    def prepare(self, learner: Any, public: Data) -> Any:
        return learner.prepare(COLUMNS.table(public[0]), COLUMNS)

    def released(self, learner: Any, prepared: Any, data: Data, coins: Simulation) -> Any:
        output = learner.release(prepared, COLUMNS.table(data[0]), coins).output
        return output, prepared.workload

    def loss(self, output: Any, new: Data) -> float:
        """The mean L1 distance of all two-way marginals to those of the new rows."""
        table, workload = output
        shares = workload.shares(table.rows, table.weights) - workload.counts(new[0]) / len(new[0])
        return float(workload.totals(np.abs(shares)).mean())


TASKS: dict[str, Callable[[], _Task]] = {
    "threshold": _Threshold,
    "classifier": _Classifier,
    "regression": _Regression,
    "synthetic table": _Rows,
}


# ---------------------------------------------------------------------------------------------------- arms
def first(place: Integers, most: int) -> Integers:
    """Return the places of at most so many rows of each person; rows of a person are in an order of chance."""
    starts = np.searchsorted(place, place)
    return np.flatnonzero(np.arange(len(place)) - starts < most)


def _arms(task: _Task, public: Data, data: Data, place: Integers, most: int, coins: Simulation) -> dict[str, Any]:
    """Return the outputs of all arms, no person having more than ``most`` rows; with one row each they are the same."""
    own = task.learner(EPSILON)
    prepared = task.prepare(own, public)
    persons = Persons(place.astype(np.intp), [str(i) for i in range(int(place.max()) + 1)])
    outputs: dict[str, Any] = {}
    for arm, rows in ((AVERAGE, "average"), (ONE, "one")):
        output = release_by_person(own, prepared, _floats(data[0]), data[1], persons, coins.spawn(arm), rows).output
        outputs[arm] = (output, prepared.workload) if isinstance(task, _Rows) else output
        if most == 1:
            return dict.fromkeys((AVERAGE, ONE, CAPPED, GROUP), outputs[arm])
    for arm, k in ((CAPPED, min(CAP, most)), (GROUP, most)):
        kept = first(place, k)
        by_row = task.learner(EPSILON / k)
        counted = data[0][kept], data[1][kept]
        outputs[arm] = task.released(by_row, task.prepare(by_row, public), counted, coins.spawn(arm))
    return outputs


def _floats(values: Any) -> Any:
    return np.asarray(values, np.float64) if values.dtype == np.int64 else values


def losses(randomness: Simulation, effort: float) -> Losses:
    """Return the losses of all arms: for each R on at most so many rows of the same persons, the first ones."""
    losses_of: dict[tuple[str, int, str], list[float]] = {}
    for name, make in track(TASKS.items(), "learners", total=len(TASKS)):
        task = make()
        for t in range(max(3, round(TRIALS[name] * effort))):
            coins = randomness.spawn("rows of persons", name, t)
            public, new = (task.draw(coins.generator, np.arange(n)) for n in (N_PUBLIC, N_NEW))
            everyone = visits(coins.generator, N_PERSONS[name], max(MOST_ROWS))
            whole = task.draw(coins.generator, everyone)
            for most in MOST_ROWS:
                kept = first(everyone, most)
                data, place = (whole[0][kept], whole[1][kept]), everyone[kept]
                for arm, output in _arms(task, public, data, place, most, coins.spawn("release", most)).items():
                    losses_of.setdefault((name, most, arm), []).append(task.loss(output, new))
    return {key: np.array(values) for key, values in losses_of.items()}
