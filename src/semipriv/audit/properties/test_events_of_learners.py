"""Events of every learner and mechanism: what budgets charge implies the guarantee, and nothing better is claimed."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from semipriv.core import registry
from semipriv.learners.base import Learner
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.selection.base import selection
from semipriv.privacy.events import (
    NOTHING,
    Approximate,
    BoundedRange,
    Concentrated,
    Gaussians,
    Pure,
    budget_event,
    guarantee_of,
    pure_guarantee,
    whole,
)
from semipriv.queries.schema import Column, Schema
from semipriv.queries.unit_mass import Number, ReportSchema

LEARNERS = [
    pytest.param(learner, id=f"{name}-{i}")
    for name in registry.names("learners")
    for i, learner in enumerate(registry.load("learners", name).examples() or ())
]


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_event_is_the_guarantee(learner: Learner) -> None:
    guarantee, event = learner.guarantee, learner.event
    assert (event is None) == (guarantee is None)
    if event is None or guarantee is None:
        return
    if guarantee.delta == 0:
        assert event.delta == 0
        assert pure_guarantee(event, guarantee.neighbours) == guarantee
        if isinstance(event, BoundedRange):
            assert event == BoundedRange(learner.epsilon), "the exponential mechanism alone has it"
    else:
        charged = guarantee_of(event, guarantee)
        assert charged.epsilon <= guarantee.epsilon
        assert charged.delta <= guarantee.delta
        assert isinstance(event, (Approximate, Concentrated, Gaussians))


def test_table_release_pays_within_its_event() -> None:
    learner = TableRelease(1.0, 1e-6)
    assert isinstance(learner.event, Gaussians)
    assert learner.event.rho == whole(learner.guarantee, 2) > 1.12 * whole(learner.guarantee)
    assert guarantee_of(learner.event, learner.guarantee).epsilon <= 1
    schema = Schema([Column(name, 3) for name in "abc"])
    prepared = learner.prepare(pd.DataFrame({name: [0, 1, 2] for name in "abc"}), schema)
    spent = learner.plan(prepared, 1000).event
    assert spent.gaussian is not None
    assert spent.gaussian.within(learner.event)
    assert Fraction(9999, 10_000) < spent.rho / learner.event.rho <= 1


@pytest.mark.parametrize("quantiles", [False, True], ids=["noise alone", "quantiles"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_statistics_by_group_pay_exactly_their_guarantee(delta: float, quantiles: bool) -> None:
    """What is charged has the cost of the guarantee; what is done to private rows, table by table, at most that."""
    schema = ReportSchema([Column("ward", 3), Number("days", 0, 60, True)])
    asked = [
        {"statistic": "count", "by": "ward"},
        {"statistic": "mean", "column": "days", "by": "ward"},
        {"statistic": "quantiles", "column": "days", "by": "ward", "at": [0.1, 0.5]},
    ][: 2 + quantiles]
    alone = 0 if quantiles else 2
    learner = StatisticsRelease(1.0, delta, statistics=asked)
    prepared = learner.prepare(np.empty((0, 3)), schema)
    for n in (1, 100, 10**6):
        event = learner.release_event(prepared, n)
        spent = event.rho if delta else event.pure
        assert spent is not None
        assert Fraction(9999, 10_000) < spent / whole(learner.guarantee, alone) <= 1
        assert guarantee_of(event, learner.guarantee).epsilon <= 1
        assert (event.gaussian is None) == (quantiles or not delta)
    assert learner.event == budget_event(learner.guarantee, alone)
    assert type(learner.event) is (Pure if not delta else Concentrated if quantiles else Gaussians)


@pytest.mark.parametrize("name", registry.names("mechanisms/selection"))
@pytest.mark.parametrize("scores", [[0, 0, 0], [5, 4, 4], [0, -1, -2]])
def test_renyi_costs_hold_for_the_exact_distributions(name: str, scores: list[int]) -> None:
    """Against all neighbours of a few scores; permute-and-flip does not get the bounded range, and needs it not."""
    mechanism = selection(name, 0.7)
    p = mechanism.log_probabilities(scores)
    distributions = [
        mechanism.log_probabilities(np.array(scores) + np.array(moves) - 1) for moves in np.ndindex(3, 3, 3)
    ]
    for order in (2, 8, 30):
        worst = max(math.log(np.exp(order * p - (order - 1) * q).sum()) / (order - 1) for q in distributions)
        assert worst <= float(mechanism.event.renyi(Fraction(order))) * (1 + 1e-9)


def test_a_mechanism_with_another_event_would_be_caught() -> None:
    """Permute-and-flip of scores (0, 0) against (1, -1) exceeds what the exponential mechanism may claim."""
    mechanism = selection("permute_and_flip", 0.3)
    p, q = mechanism.log_probabilities([0, 0]), mechanism.log_probabilities([1, -1])
    divergence = math.log(np.exp(2 * q - p).sum())
    assert divergence > float(BoundedRange(0.3).renyi(Fraction(2)))
    assert divergence <= float(mechanism.event.renyi(Fraction(2)))
    assert mechanism.event == Pure(0.3)
    assert NOTHING.renyi(Fraction(2)) == 0
