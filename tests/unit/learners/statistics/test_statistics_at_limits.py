"""Statistics by group at the limits of what can be asked for: groups of one, very many tables, widths of numbers."""

import itertools
import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.work import WorkError
from semipriv.learners.outputs.report import Report
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

COUNT = {"statistic": "count", "by": ["g"]}
OTHERS = [{"statistic": name, "column": "x", "by": ["g"]} for name in ("sum", "mean", "variance")]
MEDIAN = {"statistic": "quantiles", "column": "x", "by": ["g"], "at": [0.5]}


def report(asked: list, groups: int, n: int = 500, delta: float = 0.0, epsilon: float = 1.0) -> Report:
    random = np.random.default_rng(0)
    schema = ReportSchema([Column("g", groups), Number("x", 0, 10)])
    learner = StatisticsRelease(epsilon, delta, statistics=asked)
    rows = np.column_stack([random.integers(0, groups, n), random.random(n)])
    return learner.release(learner.prepare(np.empty((0, 2)), schema), rows, Simulation(1)).output


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("asked", [[COUNT], [COUNT, MEDIAN], [COUNT, *OTHERS, MEDIAN]], ids=len)
def test_a_group_of_all_rows_has_an_exact_count(asked: list, delta: float) -> None:
    """A column of one category: its count is the known number of rows, and takes nothing from the others."""
    sent_report = report(asked, 1, delta=delta)
    assert sent_report.find("count", None, "g").tolist() == [500.0]
    assert (sent_report.noise_sd[(sent_report.place == 0) & (sent_report.kinds == 0)] == 0).all()
    assert np.isfinite(sent_report.values).all()


@pytest.mark.parametrize("given", [1e308, 1e-320])
@pytest.mark.parametrize("asked", [[COUNT, OTHERS[1]], [MEDIAN, {**MEDIAN, "by": []}]], ids=["tables", "quantiles"])
def test_importance_counts_by_its_ratio_alone(asked: list, given: float) -> None:
    weighed = [{**request, "importance": given} for request in asked]
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
    whole = sum(actual_statistic.importance for actual_statistic in learner.statistics)
    for place, statistic in enumerate(learner.statistics):
        rate = statistic.importance / whole / 2
        alone = math.sqrt(2 * math.exp(-rate)) / (1 - math.exp(-rate)) * math.sqrt(8) / 3  # the total is known
        assert expected.noise_sd[expected.place == place].max() <= alone * 1.01
    assert learner.smallest_epsilon(prepared, 400) is not None


@pytest.mark.parametrize("ends", [(0, 1e-70), (0, 1e-60), (-1e70, 1e70), (1, 1 + 1e-14)], ids=str)
def test_numbers_are_finite_for_every_range_that_is_taken(ends: tuple[float, float]) -> None:
    """A variance moves by squares of numbers, and its own variance by fourth powers."""
    random = np.random.default_rng(1)
    learner = StatisticsRelease(1.0, statistics=[*OTHERS, MEDIAN])
    prepared = learner.prepare(np.empty((0, 2)), ReportSchema([Column("g", 2), Number("x", *ends)]))
    actual_output = learner.release(
        prepared, np.column_stack([random.integers(0, 2, 500), random.random(500)]), Simulation(1)
    ).output
    assert np.isfinite(actual_output.values).all()
    assert (actual_output.noise_sd[(actual_output.kinds == 0) & np.isnan(actual_output.level)] > 0).all(), (
        "of quantiles none is told"
    )


@pytest.mark.parametrize("ends", [(0, 1e-71), (0, 1e71), (-1e71, 0), (1e-75, 2e-75)], ids=str)
def test_ranges_whose_fourth_powers_are_no_floats_are_refused(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="column 'x': low = "):
        Number("x", *ends)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1])
def test_no_number_between_two_ends_deviates_by_more_than_half_of_their_distance(epsilon: float) -> None:
    learner = StatisticsRelease(epsilon, statistics=OTHERS[1:], ends="declared")
    prepared = learner.prepare(np.empty((0, 2)), ReportSchema([Column("g", 5), Number("x", 0, 10)]))
    expected = learner.expected_report(prepared, 20)
    assert np.array_equal(expected.noise_sd, np.repeat([5.0, 12.5], 5))


def quantiles_by(groups: int, at: list[float], by: list[str]) -> tuple[StatisticsRelease, object]:
    learner = StatisticsRelease(1.0, statistics=[{**MEDIAN, "at": at, "by": by}])
    schema = ReportSchema([Column("g", groups), Column("h", 100), Number("x", 0, 10)])
    return learner, learner.prepare(np.empty((0, 3)), schema)


def test_quantiles_of_bins_that_tell_nothing_are_refused() -> None:
    """When the request is checked, with the place of the statistic: other statistics of the column count, too."""
    with pytest.raises(ValueError, match=r"statistics\[0\]: the quantiles of x by g, h would be of 27 bins"):
        quantiles_by(2000, [0.5], ["g", "h"])
    schema = ReportSchema([Column("g", 200_000), Number("x", 0, 10)])
    learner = StatisticsRelease(1.0, statistics=[OTHERS[0], {**MEDIAN, "by": []}])
    with pytest.raises(ValueError, match=r"statistics\[1\]: the quantiles of x would be of 27 bins"):
        learner.check_schema(schema)


@pytest.mark.parametrize("at", [[0.5], [i / 20 for i in range(1, 20)]], ids=len)
def test_time_is_told_with_what_is_made_of_draws(at: list[float]) -> None:
    """What was measured of a group is told of each; with very many groups a release is refused beforehand."""
    both = [quantiles_by(groups, at, ["g"]) for groups in (300, 600)]
    actual_seconds = [learner.draw_cost(prepared, 10**5).seconds for learner, prepared in both]
    assert actual_seconds[1] - actual_seconds[0] >= 300 * (6e-5 if len(at) == 1 else 0.004)
    learner, prepared = quantiles_by(1600, at, ["g", "h"])
    if len(at) > 1:
        with pytest.raises(WorkError, match="ask for fewer groups"):
            learner.check_release(prepared, 10**5)


def test_a_wish_is_met_by_a_huge_epsilon() -> None:
    sent_report = report([{**COUNT, "wish": 1e-3}, {**OTHERS[0], "wish": 1e300}], 3, epsilon=1e12)
    assert (sent_report.noise_sd[sent_report.kinds == 0] < 1e-3).all()


WISHED = [{**COUNT, "wish": 5.0}, {**OTHERS[1], "wish": 0.5}]


@pytest.mark.parametrize(
    "asked", [[COUNT], [COUNT, *OTHERS], WISHED, [COUNT, MEDIAN]], ids=["1", "4", "wishes", "median"]
)
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-200, 1e-30, 1e-17])
def test_an_epsilon_near_zero_is_refused_for_its_noise(asked: list, epsilon: float) -> None:
    with pytest.raises(ValueError, match=r"too wide for 64-bit integers|too large for a float"):
        report(asked, 3, epsilon=epsilon)


@pytest.mark.parametrize("asked", [[COUNT, *OTHERS], WISHED, [COUNT, MEDIAN]], ids=["tables", "wishes", "median"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_a_huge_epsilon_hides_nothing(asked: list, delta: float) -> None:
    sent_reports = [report(asked, 3, delta=delta, epsilon=epsilon) for epsilon in (1e100, 1e300)]
    assert np.array_equal(sent_reports[0].values, sent_reports[1].values)
    assert float(np.nanmax(sent_reports[0].noise_sd)) < 1e-3
