"""Statistics by group at the limits of what can be asked for: groups of one, very many tables, widths of numbers."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.learners.outputs.report import Report
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

COUNT = {"statistic": "count", "by": ["g"]}
OTHERS = [{"statistic": one, "column": "x", "by": ["g"]} for one in ("sum", "mean", "variance")]
MEDIAN = {"statistic": "quantiles", "column": "x", "by": ["g"], "at": [0.5]}


def report(asked: list, groups: int, n: int = 500, delta: float = 0.0) -> Report:
    random = np.random.default_rng(0)
    schema = ReportSchema([Column("g", groups), Number("x", 0, 10)])
    learner = StatisticsRelease(1.0, delta, statistics=asked)
    rows = np.column_stack([random.integers(0, groups, n), random.random(n)])
    return learner.release(learner.prepare(np.empty((0, 2)), schema), rows, Simulation(1)).output


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("asked", [[COUNT], [COUNT, MEDIAN], [COUNT, *OTHERS, MEDIAN]], ids=len)
def test_a_group_of_all_rows_has_an_exact_count(asked: list, delta: float) -> None:
    """A column of one category: its count is the known number of rows, and takes nothing from the others."""
    found = report(asked, 1, delta=delta)
    assert found.find("count", None, "g").tolist() == [500.0]
    assert (found.noise_sd[found.place == 0] == 0).all()
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("given", [1e308, 1e-320])
@pytest.mark.parametrize("asked", [[COUNT, OTHERS[1]], [MEDIAN, {**MEDIAN, "by": []}]], ids=["tables", "quantiles"])
def test_importance_counts_by_its_ratio_alone(asked: list, given: float) -> None:
    weighed = [{**one, "importance": given} for one in asked]
    assert np.array_equal(report(weighed, 3).values, report(asked, 3).values)


def crossed(number: int) -> tuple[StatisticsRelease, ReportSchema]:
    """So many counts by pairs of 20 columns, of unlike importance."""
    names = [f"c{i}" for i in range(20)]
    pairs = itertools.islice(itertools.combinations(names, 2), number)
    asked = [
        {"statistic": "count", "by": list(pair), "wish": 50, "importance": 1 + i % 3} for i, pair in enumerate(pairs)
    ]
    return StatisticsRelease(1.0, statistics=asked), ReportSchema([Column(name, 3) for name in names])


@pytest.mark.parametrize("number", [5, 12, 45, 120])
def test_no_table_is_noisier_than_with_a_share_of_the_budget_for_itself(number: int) -> None:
    """However many tables there are, and so whether parts are optimised or are those shares."""
    learner, schema = crossed(number)
    prepared = learner.prepare(np.empty((0, 20)), schema)
    expected = learner.expected_report(prepared, 400)
    whole = sum(one.importance for one in learner.statistics)
    for place, one in enumerate(learner.statistics):
        rate = one.importance / whole / 2
        alone = math.sqrt(2 * math.exp(-rate)) / (1 - math.exp(-rate)) * math.sqrt(8) / 3  # the total is known
        assert expected.noise_sd[expected.place == place].max() <= alone * 1.01
    assert learner.smallest_epsilon(prepared, 400) is not None
