"""Quantiles in a report: levels in order, limits that are there only where noise proves them, and no deviations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.core.randomness import Simulation
from semipriv.learners.outputs.report import KINDS, Report
from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.quantile_lines import number_at
from semipriv.learners.statistics.quantiles import Trees
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

SCHEMA = ReportSchema([Column("ward", range(5)), Number("days", 0, 60, True)])


def rows(n: int, seed: int) -> np.ndarray:
    """Five wards of unlike sizes, skewed days, a tenth of them missing."""
    random = np.random.default_rng(seed)
    ward = random.choice(5, n, p=[0.5, 0.3, 0.15, 0.04, 0.01])
    days = np.minimum(random.gamma(1.5, 0.05 * (1 + ward), n), 1.0)
    missing = random.random(n) < 0.1
    return np.column_stack([ward, np.where(missing, 0.0, days), missing])


def report(at: list[float], epsilon: float, public: int, seed: int) -> tuple[Report, bool]:
    """Return a report, and whether its quantiles are draws."""
    learner = StatisticsRelease(
        epsilon,
        statistics=[Asked("quantiles", "days", ("ward",), tuple(at)), Asked("count")],
    )
    prepared = learner.prepare(rows(public, 100), SCHEMA)
    draws = not isinstance(learner.plan(prepared, 3000).quantiles[0].how, Trees)
    return learner.release(prepared, rows(3000, 1), Simulation(seed)).output, draws


@pytest.mark.parametrize("public", [0, 150])
@pytest.mark.parametrize("at", [[0.5], [0.9, 0.1], [0.75, 0.01, 0.5, 0.99, 0.25, 0.9]], ids=len)
@pytest.mark.parametrize("epsilon", [0.01, 2])
def test_higher_levels_are_no_lower_and_limits_enclose(at: list[float], public: int, epsilon: float) -> None:
    for seed in range(3):
        sent_report, draws = report(at, epsilon, public, seed)
        quantiles = ~np.isnan(sent_report.level)
        assert np.isfinite(sent_report.values[quantiles & (sent_report.kinds > 0)]).all()
        limited = quantiles & ~np.isnan(sent_report.low)
        assert (sent_report.low[limited] <= sent_report.high[limited]).all()
        assert not ((sent_report.values < 0) | (sent_report.values > 60))[quantiles].any()
        for kind in range(len(KINDS)):
            for cell in range(5):
                own = quantiles & (sent_report.kinds == kind) & (sent_report.cell == cell)
                order = np.argsort(sent_report.level[own])
                for numbers in (sent_report.values, sent_report.low, sent_report.high):
                    listed = numbers[own][order]
                    assert not (np.diff(listed[~np.isnan(listed)]) < 0).any()
        without = [
            np.isnan(sent_report.low[quantiles & (sent_report.kinds == kind)]).all() for kind in range(len(KINDS))
        ]
        assert without == [draws, True, True], "a noisy tree alone proves limits"
        assert np.isnan(sent_report.noise_sd[quantiles]).all()


def test_a_large_budget_gives_the_quantiles_of_each_group() -> None:
    private = rows(3000, 1)
    for public in (0, 150):
        for at in ([0.5], [0.1, 0.25, 0.5, 0.75, 0.9]):
            sent_report, _ = report(at, 500, public, 0)
            for i in np.flatnonzero(~np.isnan(sent_report.level)):
                values_of_group = private[(private[:, 0] == sent_report.cell[i]) & (private[:, 2] == 0), 1] * 60
                below, through = (
                    (values_of_group < sent_report.values[i]).mean(),
                    (values_of_group <= sent_report.values[i]).mean(),
                )
                assert below - 0.08 <= sent_report.level[i] <= through + 0.08


@pytest.mark.parametrize(("at", "epsilon"), [([0.5], 0.02), ([0.1, 0.25, 0.5, 0.75, 0.9], 1.0)])
def test_ranks_are_as_exact_as_was_expected(at: list[float], epsilon: float) -> None:
    """Over 60 releases, on evenly spread days and one group, the deviation of the share of rows below is what is told.

    That of draws among evenly spread candidates, that of trees a mean over bins: within a factor of 2.  A quantile is a
    cut or the middle of a bin, which adds up to half a bin, that is 1/64 here.
    """
    private = np.column_stack([np.zeros(4000), np.arange(4000) / 4000, np.zeros(4000)])
    learner = StatisticsRelease(epsilon, statistics=[Asked("quantiles", "days", (), tuple(at))])
    prepared = learner.prepare(rows(0, 1), SCHEMA)
    sums = [question.of(private) for question in learner.questions(prepared, 4000)]
    outputs = [learner.release_counts(prepared, sums, 4000, Simulation(i)).output for i in range(60)]
    shares = np.array([item.values[item.kinds == 0] for item in outputs]) / 60
    [actual_values] = learner.expected_ranks(prepared, 4000).values()
    assert np.isnan(learner.expected_report(prepared, 4000).noise_sd).all()
    off = np.sqrt(np.mean((shares - np.array(at)) ** 2))
    assert np.mean(actual_values) / 2 <= off <= 2 * np.mean(actual_values) + 1 / 64


# ------------------------------------------------------------------------------------------------- values as they are
@given(
    st.integers(-(10**6), 10**6),
    st.integers(1, 10**6),
    st.floats(0, 1),
    st.integers(0, 5),
)
@settings(max_examples=300, deadline=None)
def test_a_place_gives_the_number_back_that_has_it(low: int, width: int, share: float, decimals: int) -> None:
    """Numbers with up to six decimals, in ranges with as many: places are rounded, numbers come back exactly."""
    ends = low / 10**decimals, (low + width) / 10**decimals
    number = Number("x", *ends)
    value = round(ends[0] + share * (ends[1] - ends[0]), decimals + 1)
    value = min(max(value, ends[0]), ends[1])
    place = min((value - ends[0]) / (ends[1] - ends[0]), 1.0)
    assert number_at(number, place) == value


@pytest.mark.parametrize("ends", [(0, 60), (0.1, 70.3), (-7, 1e6)], ids=str)
@pytest.mark.parametrize("at", [[0.5], [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]], ids=len)
@pytest.mark.parametrize("fewer", [1, 10])
def test_a_number_that_many_public_rows_share_is_told_as_it_is(
    ends: tuple[float, float], at: list[float], fewer: int
) -> None:
    """Two in five rows are 6: it came out as 5.99998, or as 6.5625.  fewer: the private rows are that many times less
    sure of it, with a smaller epsilon and public rows that have 6 alone, or many other numbers, too.
    """
    random = np.random.default_rng(5)
    low, high = ends

    def made_rows(n: int) -> np.ndarray:
        return np.where(random.random(n) < 0.45, 6.0, np.round(random.uniform(low, min(high, 30), n), 2))

    schema = ReportSchema([Column("ward", 2), Number("days", *ends)])
    public, private = (
        np.column_stack([np.arange(n) % 2, np.minimum((made_rows(n) - low) / (high - low), 1)]) for n in (300, 4000)
    )
    learner = StatisticsRelease(20 / fewer, statistics=[Asked("quantiles", "days", ("ward",), tuple(at))])
    prepared = learner.prepare(public, schema)
    numbers = private[:, 1] * (high - low) + low
    for seed in range(3):
        actual_output = learner.release(prepared, private, Simulation(seed)).output
        inside = [q for q in at if (numbers < 5.9).mean() < q - 0.02 and q + 0.02 < (numbers < 6.1).mean()]
        assert inside
        for q in inside:
            for kind in KINDS[:2]:
                assert actual_output.find("quantiles", "days", "ward", at=q, kind=kind).tolist() == [6.0, 6.0]


def test_a_bin_of_several_public_rows_stands_for_their_median() -> None:
    """Numbers closer than a unit of the range: bins hold several, and a quantile is a number that a public row has."""
    random = np.random.default_rng(3)
    numbers = np.round(random.uniform(0, 400, 500), 1)
    schema = ReportSchema([Number("cost", 0, 1e6)])
    learner = StatisticsRelease(50.0, statistics=[Asked("quantiles", "cost", at=(0.25, 0.5))])
    rows = (numbers / 1e6)[:, None]
    actual_output = learner.release(learner.prepare(rows, schema), np.repeat(rows, 8, axis=0), Simulation(1)).output
    for q, value in zip((0.25, 0.5), actual_output.values[actual_output.kinds == 0], strict=True):
        assert value in numbers
        assert abs((numbers <= value).mean() - q) < 0.05


# ------------------------------------------------------------------------------------------------- groups without rows
COUNT, MEAN = Asked("count", by=("ward",)), Asked("mean", "days", ("ward",))


@pytest.mark.parametrize("other", [(COUNT,), (MEAN,), ()], ids=["count", "mean", "nothing else"])
@pytest.mark.parametrize("at", [(0.5,), (0.9, 0.1), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)], ids=len)
@pytest.mark.parametrize("epsilon", [1, 200])
def test_quantiles_of_groups_that_may_be_empty_are_not_told(
    other: tuple[Asked, ...], at: tuple[float, ...], epsilon: float
) -> None:
    """A ward of 3,000, one of two, one of none, and one whose numbers are all missing: arbitrary numbers were shown.

    Where nothing but draws is measured, nothing tells which wards are empty; a count does not tell numbers that are
    missing.  Rows stay.
    """
    private = np.zeros((5002, 3))
    private[3000:5000] = (3, 0, 1)
    private[5000:, 0] = 1
    private[private[:, 2] == 0, 1] = np.random.default_rng(0).random(3002) / 4
    learner = StatisticsRelease(epsilon, statistics=[Asked("quantiles", "days", ("ward",), at), *other])
    prepared = learner.prepare(np.zeros((0, 3)), SCHEMA)
    trees = isinstance(learner.plan(prepared, len(private)).quantiles[0].how, Trees)
    shown = np.zeros(5)
    for seed in range(5):
        actual_output = learner.release(prepared, private, Simulation(seed)).output
        values = np.array([actual_output.find("quantiles", "days", "ward", at=q) for q in at])
        shown += (~np.isnan(values)).mean(axis=0) / 5
        assert (values[:, 0] < 20).all()
    if other or trees:
        assert shown[0] == 1
        assert shown[2] <= 0.5
        assert shown[4] <= 0.5
    if other == (MEAN,) or trees:
        assert shown[3] <= 0.5
    if epsilon == 1 and (other or trees):
        assert shown[1] <= 0.5


def test_a_level_that_is_not_told_does_not_move_those_that_are() -> None:
    """Levels are put in order among those that are told: a draw for .99 of few rows lies anywhere."""
    private = np.column_stack([np.zeros(150), 0.5 + np.arange(150) / 3000, np.zeros(150)])
    learner = StatisticsRelease(8.0, statistics=[Asked("quantiles", "days", ("ward",), (0.5, 0.999)), COUNT])
    prepared = learner.prepare(np.zeros((0, 3)), SCHEMA)
    assert not isinstance(learner.plan(prepared, 150).quantiles[0].how, Trees)
    for seed in range(20):
        actual_output = learner.release(prepared, private, Simulation(seed)).output
        assert 28 <= actual_output.find("quantiles", "days", "ward", at=0.5)[0] <= 35
        assert np.isnan(actual_output.find("quantiles", "days", "ward", at=0.999)[0])


def test_what_is_told_lies_among_the_rows() -> None:
    """Without public rows a .9 quantile of 300 rows came out anywhere up to the end of the range, at epsilon 1."""
    random = np.random.default_rng(0)
    ward = random.choice(5, 2000, p=[0.5, 0.3, 0.15, 0.05, 0])
    days = np.minimum(random.gamma(1.5, (1 + ward) / 30), 1.0)
    private = np.column_stack([ward, days, np.zeros(2000)])
    beyond, shown = [], np.zeros((2, 5))
    for epsilon in (1.0, 5.0):
        learner = StatisticsRelease(epsilon, statistics=[COUNT, Asked("quantiles", "days", ("ward",), (0.5, 0.9))])
        prepared = learner.prepare(np.zeros((0, 3)), SCHEMA)
        for seed in range(20):
            actual_output = learner.release(prepared, private, Simulation(seed)).output
            for i, at in enumerate((0.5, 0.9)):
                values = actual_output.find("quantiles", "days", "ward", at=at)
                some = ~np.isnan(values)
                shown[i] += some / 40
                largest = np.array([60 * days[ward == g].max(initial=0) for g in range(5)])
                beyond += (values[some] > largest[some]).tolist()
    assert np.mean(beyond) < 0.02
    assert (shown[0, :3] > 0.95).all()
    assert shown[1, 0] > 0.95
    assert shown[:, 4].max() < 0.5


@pytest.mark.parametrize("epsilon", [0.02, 0.3, 1.0, 30.0])
@pytest.mark.parametrize("public", [0, 200])
@pytest.mark.parametrize("share", [0.25, 0.8])
def test_quantiles_that_are_expected_to_be_empty_are(epsilon: float, public: int, share: float) -> None:
    """In most draws of 500 rows in four groups; without a word none of eight quantiles was told."""
    coins = np.random.default_rng(4)
    schema = ReportSchema([Column("ward", range(4)), Number("days", 0, 60)])

    def rows(n: int) -> np.ndarray:
        wards = np.searchsorted(np.cumsum([share, *[(1 - share) / 3] * 2]), np.arange(n) / n, "right")
        return np.column_stack([wards, np.minimum(coins.exponential(6, n), 60) / 60])

    asked = [Asked("count", None, ("ward",)), Asked("quantiles", "days", ("ward",), at=(0.5, 0.9))]
    learner = StatisticsRelease(epsilon, statistics=asked)
    prepared, private = learner.prepare(rows(public), schema), rows(500)
    sums = [question.of(private) for question in learner.questions(prepared, 500)]
    expected = learner.outlook(prepared, 500)
    own = expected.report.place == 1
    finite_flags = []
    for seed in range(12):
        report = learner.release_counts(prepared, sums, 500, Simulation(seed)).output
        finite_flags.append(np.isfinite(report.values[(report.place == 1) & (report.kinds == 0)]))
    often = np.mean(finite_flags, axis=0)
    is_told = expected.told[own]
    if public:
        assert np.all(often[is_told] >= 0.2)
        assert np.all(often[~is_told] <= 0.8)
    else:  # groups are expected to be equally large
        assert abs(float(often.mean()) - float(is_told.mean())) <= 0.5
    assert expected.told[~own].all()
