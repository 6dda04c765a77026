"""Statistics by group: the budget, its allocation, what is expected, limits of all sizes, and refusals."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from semipriv.core.fields import changed
from semipriv.core.persons import Persons, contents, shares, units_of
from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.outputs.base import described, restored
from semipriv.learners.statistics import allocation
from semipriv.learners.statistics.noises import noise_alone, noise_of
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.privacy.events import guarantee_of, whole
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Number, ReportSchema

SCHEMA = ReportSchema(
    [
        Column("ward", ["A", "B", "C"]),
        Number("days", 0, 60, True),
        Column("month", range(1, 5)),
        Number("cost", -10, 100),
    ]
)
ASKED = [
    {"statistic": "count"},
    {"statistic": "count", "by": "ward"},
    {"statistic": "count", "by": ["month", "ward"], "importance": 0.5},
    {"statistic": "mean", "column": "days", "by": "ward"},
    {"statistic": "sum", "column": "cost", "by": ["ward", "month"]},
    {"statistic": "variance", "column": "days"},
    {"statistic": "variance", "column": "cost", "by": "ward", "importance": 3},
]
QUANTILES = {"statistic": "quantiles", "column": "cost", "by": "month", "at": [0.25, 0.5]}
EPSILONS = [(1.0, 0.0), (1.0, 1e-9)]


def rows(n: int, seed: int = 1) -> np.ndarray:
    coins = np.random.default_rng(seed)
    ward = coins.integers(0, 3, n)
    days = coins.beta(2, 12 + 3 * ward)
    return np.column_stack([ward, days, coins.random(n) < 0.1, coins.integers(0, 4, n), coins.random(n) ** 2])


NONE = rows(0)


def truth(table: np.ndarray, statistic: str, column: str | None, by: tuple[str, ...], weights=None) -> np.ndarray:
    """A statistic of each group, by loops over groups, (*by); NaN of a group without a row."""
    totals = np.empty([SCHEMA.grouping(name).size for name in by])
    all_ones = np.ones(len(table)) if weights is None else weights
    for cell in np.ndindex(*totals.shape):
        own_matches = np.all([table[:, SCHEMA.axis(name)] == code for name, code in zip(by, cell, strict=True)], axis=0)
        own_matches = np.broadcast_to(own_matches, len(table)) if by else np.ones(len(table), bool)
        if column is None:
            totals[cell] = all_ones[own_matches].sum()
            continue
        number = SCHEMA.number(column)
        if number.missing:
            own_matches = own_matches & (table[:, SCHEMA.axis(column) + 1] == 0)
        v, w = number.low + (number.high - number.low) * table[own_matches, SCHEMA.axis(column)], all_ones[own_matches]
        if statistic == "sum":
            totals[cell] = w @ v
        elif not w.sum():
            totals[cell] = np.nan
        else:
            mean = w @ v / w.sum()
            totals[cell] = mean if statistic == "mean" else w @ (v - mean) ** 2 / w.sum()
    return totals


# ---------------------------------------------------------------------------------------------------- the budget
@pytest.mark.parametrize(("epsilon", "delta"), EPSILONS)
@pytest.mark.parametrize("n", [60, 20_000])
@pytest.mark.parametrize("public", [0, 200])
def test_the_budget_pays_for_all_and_hardly_more(epsilon: float, delta: float, n: int, public: int) -> None:
    learner = StatisticsRelease(epsilon, delta, statistics=[*ASKED, QUANTILES])
    prepared = learner.prepare(rows(public), SCHEMA)
    plan = learner.plan(prepared, n)
    assert bool(plan.shapes) == (n == 20_000)
    spent = plan.event.rho if delta else plan.event.pure
    assert 0.9999 < spent / whole(learner.guarantee) <= 1
    assert guarantee_of(learner.release_event(prepared, n), learner.guarantee).epsilon <= epsilon
    assert guarantee_of(learner.event, learner.guarantee).epsilon <= epsilon
    learner.check_release(prepared, n)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_another_machine_would_draw_what_was_charged(delta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of the optimisation that differ by 1e-9 are the same parts, and add up to exactly the budget."""
    learner = StatisticsRelease(1.0, delta, statistics=[*ASKED, QUANTILES])
    prepared, solved = learner.prepare(rows(200), SCHEMA), allocation._solved
    ends = learner.plan(prepared, 3000).ends
    collected, coins = [], np.random.default_rng(2)
    for size in (0.0, 1e-9, 1e-9, 1e-9):
        monkeypatch.setattr(
            allocation, "_solved", lambda *given, size=size: (x := solved(*given)) + coins.uniform(-size, size, len(x))
        )
        allocation._of_request.cache_clear()
        parts = allocation.allocated(
            prepared, ends, 3000, noise_of(learner.guarantee, Fraction(1), noise_alone(learner.statistics))
        )
        collected.append({**parts.tables, **parts.quantiles})
    assert collected.count(collected[0]) == 4
    assert sum(collected[0].values()) == 1
    assert min(collected[0].values()) > 0


def test_equal_parts_are_the_same_whichever_is_a_hair_larger() -> None:
    """Equal shares of four and of three, in any order of rounding errors."""
    for count in (3, 4, 5000):
        for larger in range(3):
            parts = {(f"c{i}",): 1 / count + (1e-12 if i == larger else -1e-12) for i in range(count)}
            actual_values = list(allocation._rounded(parts, {}).tables.values())
            assert sum(actual_values) == 1
            assert actual_values[1:] == [actual_values[1]] * (count - 1)
            assert actual_values[0] >= actual_values[1] > 0


def errors(learner: StatisticsRelease, public: np.ndarray, n: int) -> list[float]:
    """The root of the mean expected variance of each statistic."""
    report = learner.expected_report(learner.prepare(public, SCHEMA), n)
    return [float(np.sqrt(np.mean(report.noise_sd[report.place == i] ** 2))) for i in range(len(learner.statistics))]


@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("public", [0, 200])
def test_no_statistic_is_worse_than_with_a_share_of_its_own(delta: float, public: int) -> None:
    """Against releases of one statistic each, with the part of epsilon, or of rho, that its importance has.

    On sets of statistics drawn at random; but for 1 %, as noise of counts is on integers.  Without variances, for
    which all tables of a number get one more level.
    """
    coins, pool = np.random.default_rng(5), [*ASKED[1:5], {"statistic": "mean", "column": "cost", "by": "month"}]
    for _ in range(8):
        kept = coins.permutation(len(pool))[: coins.integers(2, 6)]
        asked = [{**pool[i], "importance": float(coins.choice([0.2, 1, 5]))} for i in kept]
        total = sum(actual_request["importance"] for actual_request in asked)
        together = StatisticsRelease(1.0, delta, statistics=asked, ends="declared")
        release_errors = errors(together, rows(public), 3000)
        for request, error in zip(asked, release_errors, strict=True):
            share = request["importance"] / total
            alone = StatisticsRelease(1.0 if delta else share, delta, statistics=[request], ends="declared")
            [limit] = errors(alone, rows(public), 3000)
            assert error <= limit / (share**0.5 if delta else 1) * 1.01


def test_one_table_of_all_groups_serves_where_that_is_cheaper() -> None:
    """Counts of two columns and of both: one table for all three, whose noise is less than a third of the budget's."""
    asked = [{"statistic": "count", "by": by} for by in ("ward", "month", ["ward", "month"])]
    learner = StatisticsRelease(1.0, statistics=asked)
    plan = learner.plan(learner.prepare(NONE, SCHEMA), 1000)
    parts = {measure.table: float(measure.part) for measure in plan.measures}
    assert parts["ward", "month"] > 0.6
    split = [errors(StatisticsRelease(1 / 3, statistics=[request]), NONE, 1000)[0] for request in asked]
    assert np.prod(errors(learner, NONE, 1000)) < 0.5 * np.prod(split)


def test_importance_moves_the_budget() -> None:
    light, heavy = (
        errors(StatisticsRelease(1.0, statistics=[{**ASKED[1], "importance": weight}, ASKED[4]]), NONE, 3000)
        for weight in (0.1, 10)
    )
    assert heavy[0] < light[0]
    assert heavy[1] > light[1]


# ---------------------------------------------------------------------------------------------------- what is expected
@pytest.mark.parametrize(("epsilon", "delta"), EPSILONS)
def test_the_noise_is_what_is_told_before_and_after(epsilon: float, delta: float) -> None:
    """Over 150 releases: the deviation of every number, means without bias, and limits."""
    learner = StatisticsRelease(epsilon, delta, statistics=ASKED, ends="declared")
    table = rows(4000)
    prepared = learner.prepare(rows(1000, 2), SCHEMA)
    sums = [question.of(table) for question in learner.questions(prepared, 4000)]
    reports = [learner.release_counts(prepared, sums, 4000, Simulation(i)).output for i in range(150)]
    plain = reports[0].kinds == 0
    drawn = np.array([report.values[plain] for report in reports])
    average = np.array([report.noise_sd[plain] for report in reports]).mean(axis=0)
    before = learner.expected_report(prepared, 4000).noise_sd
    some = average > 0
    assert (~some).sum() == 1, "the number of all rows is exact"
    assert drawn.std(axis=0)[some] / average[some] == pytest.approx(1, abs=0.3)
    assert before[some] / average[some] == pytest.approx(1, abs=0.15)
    exact = np.concatenate([truth(table, o.statistic, o.column, o.by).ravel() for o in learner.statistics])
    assert np.all(np.abs(drawn.mean(axis=0) - exact)[some] < 6 * average[some] / 150**0.5 + 0.05 * average[some])
    inside = np.mean(
        [(report.low[plain] <= exact + 1e-9) & (exact <= report.high[plain] + 1e-9) for report in reports], axis=0
    )
    assert inside.min() > 0.9


# ---------------------------------------------------------------------------------------------------- limits
@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize("ends", ["auto", "declared"])
@pytest.mark.parametrize("public", [0, 100])
def test_a_huge_epsilon_gives_the_statistics_themselves(delta: float, ends: str, public: int) -> None:
    """But for whole units of 2^-16, and for clipping at ends that cut next to nothing."""
    table = rows(2000)
    learner = StatisticsRelease(1e9, delta, statistics=ASKED, ends=ends)
    report = learner.release(learner.prepare(rows(public, 2), SCHEMA), table, Simulation(1)).output
    for actual_statistic in learner.statistics:
        exact = truth(table, actual_statistic.statistic, actual_statistic.column, actual_statistic.by)
        near = 2e-2 if ends == "auto" else 1e-3
        assert report.find(actual_statistic.statistic, actual_statistic.column, *actual_statistic.by) == pytest.approx(
            exact, rel=near, abs=near
        )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [(1e-3, 0.0), (1.0, 0.0), (1.0, 1e-9), (1e6, 0.0)])
def test_few_rows_are_released(n: int, epsilon: float, delta: float) -> None:
    for public in (NONE, rows(30, 2)):
        learner = StatisticsRelease(epsilon, delta, statistics=[*ASKED, QUANTILES])
        report = learner.release(learner.prepare(public, SCHEMA), rows(n), Simulation(1)).output
        may_be_empty = np.isin(report.place, [3, 5, 6, len(ASKED)]) & (report.kinds == 0)
        assert np.isfinite(report.values[~may_be_empty]).all()
        assert report.find("count", None) == n
        days = report.find("mean", "days", "ward")
        assert not ((days < 0) | (days > 60)).any()


def test_groups_of_nobody_and_of_one_and_equal_values() -> None:
    table = rows(500)
    table[:, 0], table[0, 0] = 0, 1
    table[:, 2], table[:, 4] = 0, 0.5
    learner = StatisticsRelease(1e7, statistics=ASKED, ends="declared")
    report = learner.release(learner.prepare(NONE, SCHEMA), table, Simulation(1)).output
    assert report.find("count", None, "ward") == pytest.approx([499, 1, 0], abs=1e-3)
    assert report.find("mean", "days", "ward")[1] == pytest.approx(60 * table[0, 1], abs=2e-3)
    assert report.find("variance", "cost", "ward")[:2] == pytest.approx(0, abs=1e-2)


def test_missing_numbers_count_as_rows_and_not_as_numbers() -> None:
    table = rows(900)
    table[:, 2] = 1
    learner = StatisticsRelease(1e6, statistics=ASKED)
    report = learner.release(learner.prepare(NONE, SCHEMA), table, Simulation(1)).output
    assert report.find("count", None, "ward") == pytest.approx(truth(table, "count", None, ("ward",)), abs=1e-2)
    days = np.isin(report.place, [3, 5]) & (report.kinds == 0)
    assert np.isnan(report.values[days]).all()
    assert np.isfinite(report.values[~days]).all()


def test_means_of_groups_that_noise_may_have_made_are_empty() -> None:
    """No number but limits stand there: they hold whatever is shown, which a choice by the noise must not spoil."""
    asked = [ASKED[3], {"statistic": "mean", "column": "cost", "by": "ward"}, ASKED[1]]
    table = rows(400)
    table[:, 0] = np.where(np.arange(400) < 6, 1, 0)
    learner = StatisticsRelease(1.0, statistics=asked, ends="declared")
    prepared, shown = learner.prepare(NONE, SCHEMA), []
    exact = truth(table, "mean", "cost", ("ward",))
    held = []
    for seed in range(150):
        report = learner.release(prepared, table, Simulation(seed)).output
        cost = report.find("mean", "cost", "ward")
        own = (report.place == 1) & (report.kinds == 0)
        assert np.array_equal(np.isnan(report.noise_sd[own]), np.isnan(cost))
        assert np.isfinite(report.low[own]).all()
        held.append((report.low[own] <= exact)[:2] & (exact <= report.high[own])[:2])
        shown.append(np.isfinite(cost))
    often = np.mean(shown, axis=0)
    assert often[0] == 1
    assert often[2] < 0.3, "a group without a row passes by chance only"
    assert np.mean(held, axis=0).min() > 0.9


def test_a_column_of_many_keys_asks_for_few_numbers() -> None:
    """Bins are asked for where ends are chosen, and fewer where groups are many; 10^5 groups are counted."""
    schema = ReportSchema([Column("key", 100_000), Number("v", 0, 1, True)])
    coins = np.random.default_rng(1)
    table = np.column_stack([coins.integers(0, 100_000, 50_000), coins.random(50_000), np.zeros(50_000)])
    mean = {"statistic": "variance", "column": "v", "by": "key"}
    for ends, bins in (("declared", 1), ("auto", 55)):
        learner = StatisticsRelease(1.0, statistics=[mean, {"statistic": "count", "by": "key"}], ends=ends)
        asked = learner.questions(learner.prepare(table[:0], schema), 50_000)
        assert max(request.cells for request in asked) <= 100_000 * 2 * 3 * bins
    learner = StatisticsRelease(1.0, statistics=[{"statistic": "count", "by": "key"}])
    report = learner.release(learner.prepare(table[:0], schema), table, Simulation(1)).output
    assert report.find("count", None, "key").sum() == pytest.approx(50_000)


# ---------------------------------------------------------------------------------------------------- forms
def test_columns_stand_in_the_order_in_which_they_are_asked_for() -> None:
    table = rows(3000)
    collected_rows = []
    for by in (["ward", "month"], ["month", "ward"]):
        learner = StatisticsRelease(1.0, statistics=[{"statistic": "sum", "column": "cost", "by": by}])
        report = learner.release(learner.prepare(rows(50, 2), SCHEMA), table, Simulation(1)).output
        collected_rows.append((report.find("sum", "cost", *by), {row.group: row.value for row in report.rows()}))
    assert np.array_equal(collected_rows[0][0], collected_rows[1][0].T)
    assert collected_rows[0][1]["C, 4"] == collected_rows[1][1]["4, C"]


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_sums_of_parts_and_a_report_on_disk_are_the_same(delta: float) -> None:
    learner, table = StatisticsRelease(1.0, delta, statistics=[*ASKED, QUANTILES]), rows(5000)
    prepared = learner.prepare(rows(100, 2), SCHEMA)
    asked = learner.questions(prepared, 5000)
    sums = [request.of(table[:1234]) + request.of(table[1234:]) for request in asked]
    whole_, parts = (
        learner.release(prepared, table, Simulation(3)).output,
        learner.release_counts(prepared, sums, 5000, Simulation(3)).output,
    )
    again = restored(described(parts), parts.arrays())
    for other in (parts, again):
        assert other.description() == whole_.description()
        assert all(
            a.tobytes() == b.tobytes() for a, b in zip(whole_.arrays().values(), other.arrays().values(), strict=True)
        )
    assert whole_.frame().equals(again.frame())
    assert list(whole_.frame().columns[:5]) == ["statistic", "column", "by", "group", "value"]


def test_values_that_lean_on_public_rows_stand_beside_the_others() -> None:
    table = rows(2000)
    for public, kind in ((rows(200, 2), "leans on public rows"), (NONE, "leans on other groups")):
        learner = StatisticsRelease(0.2, statistics=ASKED[1:5])
        report = learner.release(learner.prepare(public, SCHEMA), table, Simulation(1)).output
        frame = report.frame()
        assert set(frame["kind"]) == {"noise", kind}
        assert len(frame[frame["kind"] == kind]) == len(frame) / 2
        assert frame.loc[frame["kind"] == kind, ["low", "high", "noise_sd"]].isna().all(axis=None), "nothing proves any"
        assert frame.loc[frame["kind"] == "noise", ["low", "high"]].notna().all(axis=None)
        assert report.find("count", None, "ward", kind=kind).sum() == 2000
    secure = learner.release(learner.prepare(NONE, SCHEMA), table, Secure())
    assert secure.certified().epsilon == 0.2


def test_persons_with_several_rows_count_once() -> None:
    """At a huge epsilon, against weights of 1 / rows of a person; the number of rows is nowhere."""
    coins, table = np.random.default_rng(4), rows(900)
    names = coins.integers(0, 300, 900)
    persons = Persons.of([str(name) for name in names])
    units = units_of(persons.count)
    unit_shares = shares(persons, contents(table), units, "key")
    learner = StatisticsRelease(1e9, statistics=ASKED)
    prepared = learner.prepare(NONE, SCHEMA)
    sums = [question.of(table, unit_shares) for question in learner.questions(prepared, persons.count)]
    report = learner.release_counts(prepared, sums, persons.count, Simulation(1), units).output
    assert report.n == persons.count
    for actual_statistic in learner.statistics:
        exact = truth(
            table, actual_statistic.statistic, actual_statistic.column, actual_statistic.by, unit_shares / units
        )
        assert report.find(actual_statistic.statistic, actual_statistic.column, *actual_statistic.by) == pytest.approx(
            exact, rel=2e-2, abs=2e-2
        )


# ---------------------------------------------------------------------------------------------------- public rows
WIDE = ReportSchema(
    [Column("ward", 5), Column("month", 12), Number("days", 0, 90, True), Number("cost", 0, 1e5), Number("t", -50, 50)]
)
LOW_SIGNAL = [
    {"statistic": "count", "by": ["ward", "month"]},
    {"statistic": "mean", "column": "days", "by": ["ward", "month"], "importance": 5},
    {"statistic": "mean", "column": "days"},
    {"statistic": "mean", "column": "cost", "by": "month", "importance": 0.2},
    {"statistic": "mean", "column": "t", "by": "ward", "importance": 0.2},
    {"statistic": "sum", "column": "cost", "by": "ward", "importance": 5},
    {"statistic": "sum", "column": "cost", "importance": 5},
]


def skewed(n: int, seed: int) -> np.ndarray:
    coins = np.random.default_rng(seed)
    ward = coins.choice(5, n, p=[0.4, 0.3, 0.2, 0.09, 0.01])
    place = [
        np.clip(skewed_values, 0, 1)
        for skewed_values in (coins.gamma(2, 1 + ward) / 90, 0.006 * coins.lognormal(0, 1, n))
    ]
    return np.column_stack(
        [ward, coins.integers(0, 12, n), place[0], coins.random(n) < 0.05, place[1], coins.random(n)]
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (1.0, 1e-9)])
@pytest.mark.parametrize("n", [300, 5000])
def test_public_rows_take_no_precision_from_counts(n: int, epsilon: float, delta: float) -> None:
    """But for the tenth of the budget that a tree of a number costs, where public rows make one worthwhile."""
    requests = [(LOW_SIGNAL, WIDE, skewed), (ASKED[1:], SCHEMA, rows), ([*ASKED[1:4], QUANTILES], SCHEMA, rows)]
    for asked, schema, drawn in requests:
        learner = StatisticsRelease(epsilon, delta, statistics=asked)
        reports = [
            learner.expected_report(learner.prepare(drawn(many, seed), schema), n)
            for seed, many in enumerate((0, 30, 30, 300))
        ]
        counts = np.isin(reports[0].place, [i for i, request in enumerate(asked) if request["statistic"] == "count"])
        for report in reports[1:]:
            limit = reports[0].noise_sd[counts] / (0.9**0.5 if delta else 0.9)
            assert np.all(report.noise_sd[counts] <= limit * 1.01)


# ---------------------------------------------------------------------------------------------------- wishes
def unsteered(problem, best, *others):
    return problem, best


WISHES = [
    [{**ASKED[3], "wish": 0.3}, {**ASKED[2], "wish": 8}],
    [{**ASKED[1], "wish": 2}, {"statistic": "count", "by": "month", "wish": 200}, ASKED[3], ASKED[6]],
    [{**ASKED[4], "wish": 300}, {**ASKED[3], "wish": 0.4}, ASKED[2], QUANTILES],
]


@pytest.mark.parametrize(
    ("asked", "public", "delta"),
    [(asked, public, (0.0, 1e-9)[(i + j) % 2]) for i, asked in enumerate(WISHES) for j, public in enumerate((0, 200))],
)
def test_wishes_are_met_by_a_smaller_epsilon_than_without_regard_to_them(
    asked: list, public: int, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = StatisticsRelease(1.0, delta, statistics=asked)
    actual_smallest_epsilon = learner.smallest_epsilon(learner.prepare(rows(public), SCHEMA), 3000)
    monkeypatch.setattr(allocation, "_steered", unsteered)
    before = learner.smallest_epsilon(learner.prepare(rows(public), SCHEMA), 3000)
    assert actual_smallest_epsilon <= before
    if asked is WISHES[1]:
        assert actual_smallest_epsilon < 0.7 * before


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_wishes_that_no_budget_meets_are_missed_alike_and_leave_others_half(delta: float) -> None:
    """Half of the part that a statistic would have by itself, whatever is wished of others."""
    asked = [
        {"statistic": "count", "by": "ward", "wish": 1e-3},
        {"statistic": "count", "by": "month", "wish": 2e-3},
        ASKED[3],
        {**ASKED[4], "importance": 2},
    ]
    release_errors = errors(StatisticsRelease(1.0, delta, statistics=asked, ends="declared"), NONE, 3000)
    assert release_errors[0] / 1e-3 == pytest.approx(release_errors[1] / 2e-3, rel=0.02)
    plain = [{key: actual_request[key] for key in actual_request if key != "wish"} for actual_request in asked]
    before = errors(StatisticsRelease(1.0, delta, statistics=plain, ends="declared"), NONE, 3000)
    assert release_errors[0] < 0.9 * before[0]
    for request, share, error in zip(asked[2:], (0.2, 0.4), release_errors[2:], strict=True):
        alone = StatisticsRelease(share / 2 if not delta else 1.0, delta, statistics=[request], ends="declared")
        assert error <= errors(alone, NONE, 3000)[0] / ((share / 2) ** 0.5 if delta else 1) * 1.01


def test_a_wish_that_is_met_moves_nothing() -> None:
    learner = StatisticsRelease(1.0, statistics=ASKED)
    easy = changed(learner, statistics=[{**request, "wish": 1e4} for request in ASKED])
    assert errors(easy, rows(50), 3000) == errors(learner, rows(50), 3000)


def test_the_smallest_epsilon_meets_all_wishes() -> None:
    asked = [{**ASKED[3], "wish": 0.3}, {**ASKED[2], "wish": 8}]
    learner = StatisticsRelease(1.0, statistics=asked, ends="declared")
    prepared = learner.prepare(NONE, SCHEMA)
    smallest = learner.smallest_epsilon(prepared, 3000)

    def met(epsilon: float) -> bool:
        expected = changed(learner, epsilon=epsilon).expected_report(prepared, 3000)
        return all(expected.noise_sd[expected.place == i].max() <= request["wish"] for i, request in enumerate(asked))

    assert met(smallest)
    assert not met(0.93 * smallest)
    assert learner.smallest_epsilon(prepared, 30) > 10 * smallest
    assert StatisticsRelease(1.0, statistics=ASKED).smallest_epsilon(prepared, 3000) is None


def test_a_wish_that_is_met_is_met_by_larger_epsilons() -> None:
    """Where there is no signal, numbers were once clipped to next to nothing, so that there was next to no noise."""
    learner = StatisticsRelease(1.0, statistics=[{**ASKED[3], "wish": 0.1}])
    prepared = learner.prepare(rows(200), SCHEMA)
    assert changed(learner, epsilon=1e-4).expected_report(prepared, 20_000).noise_sd.max() > 0.1
    smallest = learner.smallest_epsilon(prepared, 20_000)
    assert 0.01 < smallest < 100
    for larger in (1.5, 4, 30):
        assert changed(learner, epsilon=larger * smallest).expected_report(prepared, 20_000).noise_sd.max() <= 0.1


# ---------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([], "statistics = []: must be a list of at least one statistic"),
        ([{"statistic": "mode"}], "statistics[0]: unknown statistic of statistics 'mode'"),
        ([{"by": "ward"}], "statistics[0]: has no key 'statistic'"),
        ([{"statistic": "count", "bye": "ward"}], "statistics[0]: unknown key 'bye'"),
        (
            [{"statistic": "count", "column": "days"}],
            "statistics[0]: column = 'days': a count has none",
        ),
        ([{"statistic": "mean"}], "statistics[0]: needs column, the column of numbers whose mean is asked for"),
        ([{"statistic": "mean", "column": "ward"}], "column 'ward': holds categories"),
        ([{"statistic": "count", "by": "days"}], "by: column 'days' holds numbers"),
        ([{"statistic": "count", "by": "word"}], "word"),
        ([{"statistic": "count", "by": ["ward", "ward"]}], "by: column 'ward' is listed twice"),
        ([{"statistic": "quantiles", "column": "days"}], "needs at, the levels of the quantiles: [0.5] is the median"),
        ([{"statistic": "quantiles", "column": "days", "at": 1.5}], "at = 1.5: must be in [0, 1]"),
        ([{"statistic": "quantiles", "column": "days", "at": [0.5, 0.5]}], "at: 0.5 is listed twice"),
        ([{"statistic": "mean", "column": "days", "at": 0.5}], "at = [0.5]: is for quantiles only"),
        ([{"statistic": "count", "importance": 0}], "statistics[0]: importance = 0: must be > 0"),
        ([{**QUANTILES, "wish": 2}], "statistics[0]: wish = 2.0: of quantiles no error is known beforehand"),
        ([{"statistic": "count", "wish": -1}], "statistics[0]: wish = -1: must be > 0"),
        ([ASKED[2], {"statistic": "count", "by": ["ward", "month"]}], "the count by ward, month is asked for twice"),
        (["count"], "statistics[0] = 'count': must be a mapping"),
    ],
)
def test_what_is_not_a_statistic_is_refused(asked: list, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        StatisticsRelease(1.0, statistics=asked).prepare(NONE, SCHEMA)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ([0, 0.5], "at = 0.0: the least number cannot be told privately"),
        ([1e-5], "at = 1e-05: the least number"),
        ([1], "at = 1.0: the greatest number cannot be told privately, as any number beyond it fits as well: ask for"),
        ([0.33333333, 0.3333333333], "at: 0.3333333333 is listed twice, to four digits"),
    ],
)
def test_levels_that_are_none_are_refused(at: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        StatisticsRelease(1.0, statistics=[{"statistic": "quantiles", "column": "days", "at": at}])


def test_arrays_are_taken_as_lists() -> None:
    arrays = {"statistic": "quantiles", "column": "days", "at": np.array([0.25, 0.5]), "by": np.array(["ward"])}
    lists = {**arrays, "at": [0.25, 0.5], "by": ["ward"]}
    assert StatisticsRelease(1.0, statistics=[arrays]) == StatisticsRelease(1.0, statistics=[lists])


@pytest.mark.parametrize("chance", [1 - 1e-16, 1 - 1e-10, 0, 1])
def test_a_chance_of_limits_that_floats_do_not_hold_is_refused(chance: float) -> None:
    with pytest.raises(ValueError, match="interval = "):
        StatisticsRelease(1.0, statistics=[{"statistic": "count"}], interval=chance)


@pytest.mark.parametrize("chance", [1e-9, 1 - 1e-9])
def test_limits_are_finite_at_the_ends_of_their_chance(chance: float) -> None:
    asked = [*ASKED, {"statistic": "quantiles", "column": "days", "by": ["ward"], "at": [0.5]}]
    learner = StatisticsRelease(1.0, statistics=asked, interval=chance)
    report = learner.release(learner.prepare(NONE, SCHEMA), rows(500), Simulation(1)).output
    limited = ~np.isnan(report.low)
    assert limited.any()
    assert (np.isfinite(report.high[limited]) & (report.low[limited] <= report.high[limited])).all()


def test_what_cannot_be_released_is_refused_beforehand() -> None:
    learner = StatisticsRelease(1.0, statistics=ASKED)
    prepared = learner.prepare(NONE, SCHEMA)
    with pytest.raises(ValueError, match="private table: has no row"):
        learner.release(prepared, NONE, Simulation(1))
    with pytest.raises(ValueError, match="too many for sums of 64 bits"):
        learner.check_release(prepared, 2**31)
    with pytest.raises(ValueError, match="too wide for 64-bit integers"):
        changed(learner, epsilon=1e-9).check_release(prepared, 100)
    with pytest.raises(ValueError, match="there is no public row"):
        changed(learner, ends="public").prepare(NONE, SCHEMA)
    with pytest.raises(ValueError, match="schema: is list, must be a ReportSchema"):
        learner.prepare(NONE, ["ward"])
    with pytest.raises(ValueError, match="prepared: is ReportSchema"):
        learner.release(SCHEMA, rows(3), Simulation(1))
    for axis, cell, name in ((0, 3, "ward"), (0, 0.5, "ward"), (1, 1.1, "days"), (2, 0.5, "days"), (4, -0.1, "cost")):
        table = rows(3)
        table[1, axis] = cell
        with pytest.raises(ValueError, match=f"public rows: column '{name}', row 1: must be"):
            learner.prepare(table, SCHEMA)
    many = ReportSchema([Column("a", 10_000), Column("b", 10_000), Number("v", 0, 1)])
    huge = StatisticsRelease(1.0, statistics=[{"statistic": "count", "by": ["a", "b"]}])
    with pytest.raises(ValueError, match="by a, b has 100,000,000 groups, at most"):
        huge.prepare(np.empty((0, 3)), many)


def test_overlapping_statistics_agree() -> None:
    """Numbers of one report add up, whatever was drawn: those of small groups to those of large ones, and to n."""
    learner = StatisticsRelease(0.5, statistics=ASKED[:5])
    report = learner.release(learner.prepare(NONE, SCHEMA), rows(700), Simulation(1)).output
    cross = report.find("count", None, "month", "ward")
    assert cross.sum(axis=0) == pytest.approx(report.find("count", None, "ward"))
    assert cross.sum() == pytest.approx(700)
    for first, other in itertools.pairwise(
        [report.find("count", None, "ward").sum(), 700.0, report.find("count").sum()]
    ):
        assert first == pytest.approx(other)
