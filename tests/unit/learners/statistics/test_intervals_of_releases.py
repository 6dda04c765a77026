"""Limits in reports hold with their chance, through the whole release: groups, missing numbers, persons."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import UNITS, Number, ReportSchema

SCHEMA = ReportSchema([Column("ward", range(5)), Column("month", range(3)), Number("days", -10, 50, missing=True)])
ASKED = [
    {"statistic": "count", "by": ["ward"]},
    {"statistic": "count", "by": ["month", "ward"]},
    {"statistic": "sum", "column": "days", "by": ["month"]},
    {"statistic": "mean", "column": "days", "by": ["ward"]},
    {"statistic": "mean", "column": "days"},
    {"statistic": "variance", "column": "days", "by": ["ward"]},
]


def rows(kind: str) -> np.ndarray:
    rng = np.random.default_rng(2)
    ward = np.minimum(rng.zipf(1.7, 500) - 1, 4) if kind == "small" else rng.integers(0, 4, 500)
    place = {"heaped": rng.choice([0, 0.5, 1], 500), "constant": np.full(500, 0.25), "small": rng.beta(1, 4, 500)}[kind]
    whole = np.rint(place * UNITS) / UNITS
    return np.column_stack([ward, rng.integers(0, 3, 500), whole, rng.random(500) < 0.1])


def truth(given: np.ndarray) -> list[np.ndarray]:
    """Return the exact statistics, in the order that is asked for; NaN of groups without a number."""
    ward, month, days, known = given[:, 0], given[:, 1], 60 * given[:, 2] - 10, given[:, 3] == 0
    by_ward = [days[(ward == i) & known] for i in range(5)]
    return [
        np.array([np.sum(ward == i) for i in range(5)]),
        np.array([np.sum((month == j) & (ward == i)) for j in range(3) for i in range(5)]),
        np.array([days[(month == j) & known].sum() for j in range(3)]),
        np.array([x.mean() if len(x) else np.nan for x in by_ward]),
        np.array([days[known].mean()]),
        np.array([x.var() if len(x) else np.nan for x in by_ward]),
    ]


@pytest.mark.parametrize(
    ("kind", "epsilon", "delta", "rows_per_person"),
    [
        ("heaped", 0.5, 0.0, 1),
        ("heaped", 5, 1e-9, 1),
        pytest.param("constant", 5, 0.0, 1, marks=pytest.mark.exhaustive),
        pytest.param("small", 2, 0.0, 1, marks=pytest.mark.exhaustive),
        ("small", 3, 0.0, 4),
    ],
)
def test_limits_of_reports_cover(kind: str, epsilon: float, delta: float, rows_per_person: int) -> None:
    """150 releases of 500 rows, or of 125 persons with four rows each: a row then counts a quarter."""
    given, times, units = rows(kind), 150, 12 if rows_per_person > 1 else 1
    n, weights = (
        len(given) // rows_per_person,
        np.full(len(given), units // rows_per_person) if rows_per_person > 1 else None,
    )
    learner = StatisticsRelease(epsilon, delta, statistics=ASKED, interval=0.9, ends="declared")
    prepared = learner.prepare(np.empty((0, 4)), SCHEMA)
    sums, exact = [question.of(given, weights) for question in learner.questions(prepared, n)], truth(given)
    exact[:3] = [exact_answer / rows_per_person for exact_answer in exact[:3]]
    hits = [np.zeros(len(exact_answer)) for exact_answer in exact]
    for i in range(times):
        report = learner.release_counts(prepared, sums, n, Simulation(i), units).output
        for place, true in enumerate(exact):
            own = (report.place == place) & (report.kinds == 0)
            hits[place] += (report.low[own] <= true + 1e-6) & (true <= report.high[own] + 1e-6)
    for place, true in enumerate(exact):
        held = hits[place][~np.isnan(true)].astype(int)
        assert np.all(clopper_pearson(held, np.full(len(held), times))[1] >= 0.9), (ASKED[place], held / times)
