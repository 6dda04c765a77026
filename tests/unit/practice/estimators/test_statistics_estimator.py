"""Statistics by group as an object: a person's way through, limits, cells of any kind, persons, and what is refused."""

import datetime
import json
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

import semipriv
from semipriv.cli import main
from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators.statistics import Statistics
from semipriv.privacy.budget.ledger import Budget, BudgetError, Ledger
from semipriv.privacy.events import Account
from semipriv.privacy.guarantee import Guarantee, Neighbours

WARDS = ["A", "B", "C"]
FEATURES = {
    "ward": {"categories": WARDS, "unknown": "other"},
    "month": {"integers": [1, 4], "unknown": 4},
    "days": {"range": [0, 64]},
}
ASKED = [
    {"statistic": "count", "by": "ward"},
    {"statistic": "count", "by": ["ward", "month"], "importance": 0.5},
    {"statistic": "mean", "column": "days", "by": "ward"},
    {"statistic": "sum", "column": "days", "by": "month"},
    {"statistic": "variance", "column": "days"},
    {"statistic": "quantiles", "column": "days", "at": [0.25, 0.5], "by": "ward"},
]
REST = ["value", "low", "high", "noise_sd", "kind", "clipped_low", "clipped_high"]
MARK, NUMBER = "SECRET", 27.1828
"""A text and a number of a private cell, which no message may repeat."""


def stays(n: int, seed: int = 0) -> pd.DataFrame:
    """A table without unknown cells; days are whole numbers of units of the range."""
    coins = np.random.default_rng(seed)
    ward = coins.choice(WARDS, n, p=[0.5, 0.3, 0.2])
    days = np.clip(np.rint(coins.gamma(2, 3, n) + 3 * (ward == "B")), 0, 64)
    return pd.DataFrame({"ward": ward, "month": coins.integers(1, 5, n), "days": days})


def asked(**others: Any) -> Statistics:
    settings = {"statistics": ASKED, "features": FEATURES, "epsilon": 1.0, "randomness": Simulation(3)}
    return Statistics(**{**settings, "one_row_a_person": None if "person" in others else True, **others})


def first(report: pd.DataFrame) -> pd.DataFrame:
    """The first row of each number: the one that leans on nothing, if there is one."""
    return report.drop_duplicates(["statistic", "column", "by", "group"]).reset_index(drop=True)


def plain(report: pd.DataFrame, statistic: str, by: str = "") -> pd.Series:
    """The numbers of a statistic by group."""
    rows = first(report)
    return rows[(rows["statistic"] == statistic) & (rows["by"] == by)].set_index("group")["value"]


def values_of(report: pd.DataFrame) -> pd.Series:
    """The values of all rows but means, variances and quantiles, which are empty of a group that may have no row."""
    return report["value"][report["kind"].ne("noise") | report["statistic"].isin(["count", "sum"])]


# ---------------------------------------------------------------------- a newcomer's way
def test_from_the_package_to_a_tidy_report() -> None:
    table = stays(5000)
    face = semipriv.Statistics(ASKED, FEATURES, epsilon=1.0, one_row_a_person=True, randomness=semipriv.Secure())
    before = face.expected(len(table))
    report = face.fit(table).report_
    assert list(report.columns) == [*before.columns[:4], *REST, "ward", "month"]
    assert face.release_.certified() == face.guarantee_ == Guarantee(1.0)
    quantiles = before["statistic"].str.startswith("quantile")
    assert before["noise_sd"][~quantiles].gt(0).all()
    assert before["noise_sd"][quantiles].isna().all()
    numbers = first(report)
    assert len(numbers) == len(before) == 4 + 16 + 4 + 4 + 1 + 8
    for name in ("statistic", "column", "by", "group"):
        assert numbers[name].tolist() == before[name].tolist()
    exact = table["ward"].value_counts()
    counts = plain(report, "count", "ward")
    deviation = before["noise_sd"][0]
    assert all(abs(counts[ward] - exact[ward]) < 12 * deviation for ward in WARDS)
    assert counts.sum() == pytest.approx(5000), "n is public, and exact"
    some = report[report["group"] != "other"]  # of the group without rows there may be no mean
    assert np.isfinite(some["value"]).all()
    assert some["noise_sd"].isna().equals(some["kind"].ne("noise") | some["statistic"].str.startswith("quantile"))
    low, high = face.ends_["days"]
    assert 0 <= low < high <= 64


def test_counts_and_sums_are_as_exact_as_was_expected() -> None:
    """Before anything is read the deviation of their noise is known, whatever the table is."""
    before = asked(ends="declared").expected(400)
    for table in (stays(400), stays(400).assign(ward="A", days=np.nan)):
        report = first(asked(ends="declared").fit(table).report_)
        fixed = report["statistic"].isin(["count", "sum"])
        assert fixed.sum() == 24
        np.testing.assert_allclose(report["noise_sd"][fixed], before["noise_sd"][fixed])


def test_what_is_expected_says_what_the_dry_run_says() -> None:
    """Errors after clipping and by the declared range, ranks of quantiles, and which groups judge a wish."""
    public = stays(300, 8)
    public = public[public["ward"] != "C"]
    wished = [{**ASKED[2], "wish": 1}, *ASKED[3:]]
    expected = asked(statistics=wished, public=public).expected(6000)
    mean, quantiles = expected[expected["statistic"] == "mean"], expected["statistic"].str.startswith("quantile")
    assert dict(zip(mean["group"], mean["judged"], strict=True)) == {"A": True, "B": True, "C": False, "other": False}
    assert expected["rank_sd"].notna().equals(quantiles)
    assert expected.loc[quantiles, "rank_sd"].between(0, 1).all()
    assert expected.loc[quantiles, ["noise_sd", "most_noise_sd"]].isna().all(axis=None)
    assert (mean["noise_sd"] < mean["most_noise_sd"]).all()
    assert (mean["wish"] == 1).all()
    report = asked(statistics=wished, public=public, randomness=Simulation(1)).fit(stays(6000)).report_
    after = report[(report["statistic"] == "mean") & (report["kind"] == "noise")]["noise_sd"].to_numpy()
    assert np.all(np.abs(np.log2(mean["noise_sd"].to_numpy()[:2] / after[:2])) < 1), "within a factor of two"
    declared = asked(statistics=wished, public=public, ends="declared").expected(6000)
    assert declared["noise_sd"].equals(declared["most_noise_sd"])


def test_errors_are_as_large_as_was_expected_and_limits_hold_as_often_as_they_say() -> None:
    table, face = stays(3000), asked(statistics=ASKED[:2], epsilon=0.5)
    exact, errors, held = table["ward"].value_counts()[WARDS], [], []
    for seed in range(100):
        report = clone(face).set_params(randomness=Simulation(seed)).fit(table).report_
        counts = first(report)[:3].set_index("group")
        errors.append(counts["value"] - exact)
        held.append((counts["low"] <= exact) & (exact <= counts["high"]))
    assert 0.8 < np.std(errors) / face.expected(3000)["noise_sd"][0] < 1.2
    assert 0.9 < np.mean(held) < 0.99


# ---------------------------------------------------------------------- limits
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("ends", ["declared", "auto"])
def test_without_noise_it_is_what_pandas_says(delta: float, ends: str) -> None:
    table = stays(2000, 5)
    table.loc[::7, "days"] = np.nan
    table.loc[::11, "ward"] = "Z"
    report = asked(epsilon=1e6, delta=delta, ends=ends).fit(table).report_
    table["ward"] = table["ward"].where(table["ward"].isin(WARDS), "other")
    days = table.groupby("ward")["days"]
    tolerance = {"rel": 0.02, "abs": 0.1}
    assert plain(report, "count", "ward").to_dict() == pytest.approx(table["ward"].value_counts().to_dict(), abs=0.1)
    both = table.groupby(["ward", "month"]).size()
    assert plain(report, "count", "ward, month").to_numpy() == pytest.approx(both.to_numpy(), abs=0.1)
    assert plain(report, "mean", "ward").to_dict() == pytest.approx(days.mean().to_dict(), **tolerance)
    sums = table.groupby("month")["days"].sum()
    assert plain(report, "sum", "month").to_numpy() == pytest.approx(sums.to_numpy(), **tolerance)
    assert plain(report, "variance")[""] == pytest.approx(table["days"].var(ddof=0), rel=0.05)
    width = 64 / 40
    for level in (0.25, 0.5):
        quantiles, exact = plain(report, f"quantile {level}", "ward"), days.quantile(level)
        assert all(abs(quantiles[ward] - exact[ward]) <= width for ward in exact.index)


def test_the_order_of_rows_and_the_kind_of_table_do_not_count() -> None:
    table = stays(500, 1)
    report = asked().fit(table).report_
    for other in (table[::-1], pa.Table.from_pandas(table), {name: table[name].tolist() for name in table}):
        pd.testing.assert_frame_equal(asked().fit(other).report_, report)


def test_what_nobody_asks_for_is_not_read() -> None:
    table = stays(500)
    report = asked().fit(table).report_
    pd.testing.assert_frame_equal(asked().fit(table.assign(diagnosis=Unreadable())).report_, report)


class Unreadable:
    """A cell that fails, with its content, when it is compared, hashed or turned into a number."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError(MARK)

    __eq__ = __hash__ = __float__ = __lt__ = __bool__ = _fail

    def __repr__(self) -> str:
        return MARK


# ---------------------------------------------------------------------- cells of any kind
CELLS: list[Any] = [
    None,
    np.nan,
    np.inf,
    -np.inf,
    pd.NA,
    pd.NaT,
    "",
    MARK,
    "1e9",
    10**400,
    -(10**30),
    Decimal("NaN"),
    True,
    b"A",
    [1],
    datetime.date(2018, 2, 7),
    Unreadable(),
]


@pytest.mark.parametrize("column", list(FEATURES))
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: type(cell).__name__)
def test_every_cell_has_a_value(column: str, cell: Any) -> None:
    """No cell refuses a table, and each row counts once."""
    table = stays(60).astype(object)
    table[column] = pd.Series([cell if i == 7 else own for i, own in enumerate(table[column])], dtype=object)
    report = asked().fit(table).report_
    for by in ("ward", "ward, month"):
        assert plain(report, "count", by).sum() == pytest.approx(60)
    assert np.isfinite(values_of(report)).all()


def test_a_missing_number_counts_in_no_mean_and_in_every_count() -> None:
    table = pd.DataFrame({"ward": ["A"] * 600 + ["B"] * 400, "month": 1, "days": [8.0] * 300 + [np.nan] * 700})
    report = asked(epsilon=1e5).fit(table).report_
    assert plain(report, "count", "ward")["A"] == pytest.approx(600, abs=1)
    assert plain(report, "mean", "ward")["A"] == pytest.approx(8, abs=0.2)
    filled = {**FEATURES, "days": {"range": [0, 64], "unknown": 0}}
    report = asked(epsilon=1e5, features=filled).fit(table).report_
    assert plain(report, "mean", "ward")["A"] == pytest.approx(4, abs=0.2), "unless something stands for it"


@pytest.mark.parametrize(
    ("table", "count", "mean"),
    [
        (stays(1).assign(ward="A", days=5.0), 1, 5),
        (stays(400).assign(ward="A", days=5.0), 400, 5),
        (stays(400).assign(ward="A", days=500.0), 400, 64),
        (stays(400).assign(ward="A", days=-np.inf), 400, None),
    ],
    ids=["one row", "all are equal", "beyond the end", "all are missing"],
)
def test_odd_tables_have_their_numbers(table: pd.DataFrame, count: int, mean: float | None) -> None:
    report = asked(epsilon=1e6).fit(table).report_
    assert plain(report, "count", "ward").to_dict() == pytest.approx({"A": count, "B": 0, "C": 0, "other": 0}, abs=0.1)
    assert np.isfinite(values_of(report)).all()
    assert np.isnan(plain(report, "mean", "ward")[["B", "C", "other"]]).all()
    assert np.isnan(plain(report, "mean", "ward")["A"]) == (mean is None)
    assert mean is None or plain(report, "mean", "ward")["A"] == pytest.approx(mean, abs=0.1)


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table.from_pandas], ids=["pandas", "arrow"])
def test_a_public_table_without_rows_is_none(kind: Any) -> None:
    table = stays(200)
    with_none, without = asked(public=kind(table[:0])).fit(table), asked().fit(table)
    pd.testing.assert_frame_equal(with_none.report_, without.report_)


def test_a_group_for_each_of_many_keys() -> None:
    features = {**FEATURES, "month": {"integers": [1, 20_000], "unknown": 1}}
    statistics = [{"statistic": "count", "by": "month"}, {"statistic": "mean", "column": "days"}]
    report = asked(statistics=statistics, features=features, epsilon=1e6).fit(stays(500)).report_
    counts = plain(report, "count", "month")
    assert len(counts) == 20_000
    assert counts[["1", "2", "3", "4"]].sum() == pytest.approx(500, abs=1)


def test_refuse_refuses_by_row_and_tells_no_cell() -> None:
    features = {**FEATURES, "days": {"range": [0, 64], "unknown": "refuse"}}
    table = stays(60).astype(object)
    table.loc[7, "days"] = MARK
    with pytest.raises(ValueError, match=r"private table: column 'days', row 8: must be a finite number") as caught:
        asked(features=features).fit(table)
    assert MARK not in str(caught.value)


# ---------------------------------------------------------------------- persons
def visits(persons: int, seed: int = 0) -> pd.DataFrame:
    """Rows a person have a heavy tail; the rows of a person are alike."""
    coins = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), np.minimum(coins.zipf(1.8, persons), 200))
    own = stays(persons, seed).iloc[who].reset_index(drop=True)
    return own.assign(patient=[f"p{person}" for person in who])


def test_each_person_counts_once_however_many_rows_they_have() -> None:
    table = visits(1500)
    assert len(table) > 3000
    one_each = table.drop_duplicates("patient")
    report = asked(person="patient", epsilon=1e6).fit(table).report_
    assert plain(report, "count", "ward")[WARDS].to_numpy() == pytest.approx(
        one_each["ward"].value_counts()[WARDS].to_numpy(), abs=0.5
    )
    means = one_each.groupby("ward")["days"].mean()
    assert plain(report, "mean", "ward")[WARDS].to_numpy() == pytest.approx(means.to_numpy(), rel=0.02)


def test_the_noise_of_persons_is_that_of_as_many_rows_and_their_number_alone_is_told(tmp_path) -> None:
    ledger = tmp_path / "visits.jsonl"
    Ledger.create(ledger, Budget(1, neighbours="replace_person"))
    table = visits(700, 4)
    settings = {"person": "patient", "randomness": Secure(), "ledger": ledger, "ends": "declared"}
    face = asked(**settings).fit(table)
    assert face.rows_ == 700
    assert face.guarantee_ == Guarantee(1.0, 0.0, Neighbours.REPLACE_PERSON)
    assert "700 persons" in face.guarantee_.protects
    assert "'patient'" in face.guarantee_.protects
    assert str(len(table)) not in re.findall(r"\d+", face.to_json())
    assert str(len(table)) not in re.findall(r"\d+", ledger.read_text())
    before = asked(ends="declared").expected(700)
    counts = before["statistic"] == "count"
    np.testing.assert_allclose(first(face.report_)["noise_sd"][counts], before["noise_sd"][counts], rtol=0.01)
    assert Statistics.from_json(face.to_json()).guarantee_ == face.guarantee_


def test_what_units_of_persons_make_impossible_is_told_beforehand() -> None:
    """Few persons have 2^16 units each, so that the noise of squares has no room in 64 bits."""
    settings = {"statistics": [ASKED[4]], "epsilon": 2e-5}
    asked(**settings).expected(30)
    asked(**settings, person="patient", rows="one").expected(30)
    with pytest.raises(ValueError, match="too wide for 64-bit integers"):
        asked(**settings, person="patient").expected(30)


def test_a_person_in_a_month_and_one_row_of_each() -> None:
    table = pd.DataFrame(
        {"who": [1, 1, 2, 2], "when": ["1", "2", "1", "1"], "ward": [*WARDS, "A"], "days": 3, "month": 1}
    )
    face = asked(person=["who", "when"], rows="one").fit(table)
    assert face.rows_ == 3


# ---------------------------------------------------------------------- what is refused, and when
@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"statistics": None}, "statistics: must be given"),
        ({"features": None}, "features: must be given"),
        ({"epsilon": None}, "epsilon: must be given"),
        ({"epsilon": -1}, "epsilon = -1: must be >= 0"),
        ({"epsilon": "much"}, "epsilon = 'much': must be a finite number"),
        ({"delta": 1}, "delta"),
        ({"interval": 1}, "interval = 1"),
        ({"ends": "aut"}, "unknown ends.*'aut': did you mean 'auto'"),
        ({"ends": "public"}, "ends = 'public': there is no public row"),
        ({"statistics": {}}, "statistics = {}: must be a list of at least one"),
        ({"statistics": [{"statistic": "cuont"}]}, r"statistics\[0\]: .*'cuont': did you mean 'count'"),
        ({"statistics": [{"statistic": "count", "group": "ward"}]}, r"statistics\[0\]: unknown key 'group': .* by"),
        ({"statistics": [{"statistic": "count", "by": "Ward"}]}, r"statistics\[0\].by: .*'Ward': did you mean 'ward'"),
        (
            {"statistics": [{"statistic": "count", "by": "days"}]},
            r"statistics\[0\].by: 'days' is a range: groups are by",
        ),
        ({"statistics": [{"statistic": "mean", "column": "ward"}]}, r"statistics\[0\].column: 'ward' .* by a range"),
        ({"statistics": [ASKED[0], ASKED[0]]}, r"statistics\[1\]: the count by ward is asked for twice"),
        ({"statistics": [{"statistic": "mean", "column": "days", "wish": -1}]}, r"statistics\[0\]: wish"),
        ({"statistics": [{"statistic": "quantiles", "column": "days", "at": [2]}]}, r"statistics\[0\]: at"),
        ({"features": {"ward": {"category": ["A"]}}}, "features.'ward'.: unknown key of a feature 'category': did you"),
        ({"features": {**FEATURES, "ward": {"categories": WARDS}}}, r"features: ward.unknown: must be said, as groups"),
        ({"features": {**FEATURES, "days": {"range": "public"}}}, r"days.*: range = 'public': takes the ends of"),
        (
            {"features": {**FEATURES, "month": {"bins": 4, "unknown": 1}}},
            r"features.'month'.: bins = 4: a number of bins is cut .*: for statistics list their ends, as \[0, 10",
        ),
        (
            {"features": {**FEATURES, "month": {"integers": [1, 4], "unknown": 1, "indicator": True}}},
            "month: .*indicator",
        ),
        ({"features": {**FEATURES, "days": {"range": [-1e300, 1]}}}, "days: squares of numbers beyond 1e.70"),
        (
            {"features": {**FEATURES, "month": {"integers": [1, 10**9], "unknown": 1}}},
            r"statistics\[1\].by: are 4,000,000,000 groups, at most 1,000,000 are reported",
        ),
        ({"statistics": [ASKED[1], {**ASKED[1], "by": ["month", "ward"]}]}, r"statistics\[1\]: .* is asked for twice"),
        ({"epsilon": 1e-17}, "too wide for 64-bit integers"),
        ({"public": "rows"}, "public = 'rows': must be a table"),
        ({"one_row_a_person": None}, "person: must be the columns .*, or one_row_a_person=True"),
        ({"one_row_a_person": True, "person": "who"}, "person: must be .*; and not both"),
        ({"one_row_a_person": "yes"}, "one_row_a_person: is str, must be True"),
        (
            {"statistics": [{"statistic": "median", "column": "days"}]},
            r"'median': .*: give quantiles, with at: \[0.5\]",
        ),
        ({"statistics": [{"statistic": "quantiles", "column": "days"}]}, r"statistics\[0\]: needs at, .* the median"),
        ({"statistics": [{"statistic": "mean"}]}, r"statistics\[0\]: needs column, .* whose mean is asked for"),
        ({"statistics": [{"statistic": "count", "column": "days"}]}, r"column = 'days': a count has none"),
        ({"person": "ward"}, "person: 'ward' is also a column"),
        ({"rows": "one"}, "rows = 'one': .*no persons are named"),
        ({"request": "first"}, "request = 'first': names an entry of a ledger"),
        ({"randomness": None}, "randomness: is None, must be Secure"),
    ],
)
def test_a_wrong_request_is_refused_with_its_key(others: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        asked(**others).fit(stays(60))


@pytest.mark.parametrize("public", [None, stays(50, 8)], ids=["no public rows", "public rows"])
def test_a_ward_that_is_not_listed_joins_no_listed_one_unasked(public: pd.DataFrame | None) -> None:
    """What public rows say most often is no group for it, unless this is asked for."""
    without = {**FEATURES, "ward": {"categories": WARDS}}
    for do in (lambda face: face.expected(60), lambda face: face.fit(stays(60))):
        with pytest.raises(ValueError, match=r"features: ward.unknown: must be said.*a group of its own.*or refuse"):
            do(asked(features=without, public=public))
    without = {**FEATURES, "month": {"integers": [1, 4]}}
    with pytest.raises(ValueError, match=r"features: month.unknown: must be said.*list them as categories"):
        asked(features=without, public=public).fit(stays(60))
    features = {**FEATURES, "ward": {"categories": WARDS, "unknown": "public"}}
    if public is not None:
        assert set(plain(asked(features=features, public=public).fit(stays(60)).report_, "count", "ward").index) == set(
            WARDS
        ), "it was asked for"


def test_listed_bins_are_groups_without_public_rows() -> None:
    features = {**FEATURES, "month": {"bins": [0, 2, 4, 9], "unknown": "never"}}
    counts = [{"statistic": "count", "by": "month"}]
    by_number = {**features, "month": {"bins": [0, 5, 10, 20, 60], "unknown": 7}}
    expected = asked(features=by_number, statistics=counts).expected(400)
    assert list(expected["group"]) == ["0 to 5", "5 to 10", "10 to 20", "20 to 60"]
    report = asked(features=features, statistics=counts, epsilon=1e6)
    by_month = plain(report.fit(stays(400).assign(month=[0, 3, 5, None] * 100)).report_, "count", "month")
    assert by_month.round().to_dict() == {"0 to 2": 100, "2 to 4": 100, "4 to 9": 100, "never": 100}


def bad_tables() -> list[tuple[Any, str]]:
    table = stays(60)
    return [
        (table.drop(columns="days"), "private table: column 'days' is missing"),
        (table.rename(columns={"ward": "Ward"}), "column 'ward' is missing .*: did you mean 'Ward'"),
        (table.to_numpy(), "private table: must be a DataFrame or a mapping of columns"),
        (MARK, "private table: must be a DataFrame or a mapping"),
        (table[:0], "private table: has no row"),
        (table.assign(days=pd.Timestamp("2020-01-01")), "private table: column 'days' .*"),
        (pd.concat([table, table[["ward"]]], axis=1), "private table: column 'ward' occurs twice"),
    ]


@pytest.mark.parametrize(("table", "words"), bad_tables())
def test_a_wrong_table_is_refused_before_the_charge(tmp_path, table: Any, words: str) -> None:
    ledger = tmp_path / "ledger.jsonl"
    Ledger.create(ledger, Budget(1))
    with pytest.raises(ValueError, match=words) as caught:
        asked(randomness=Secure(), ledger=ledger).fit(table)
    assert MARK not in str(caught.value)
    assert [entry.kind for entry in Ledger.open(ledger).entries] == ["opened"]


def test_a_persons_column_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="private table: column 'patient' is missing, by which persons are known"):
        asked(person="patient").fit(stays(60))


def test_the_public_table_is_not_the_private_one() -> None:
    table = stays(200)
    with pytest.raises(ValueError, match="public: is the same table as X"):
        asked(public=table).fit(table)


def test_a_refused_fit_leaves_what_was_released() -> None:
    face = asked().fit(stays(300))
    before = face.report_
    with pytest.raises(ValueError, match="missing"):
        face.fit(stays(300)[["ward"]])
    pd.testing.assert_frame_equal(face.report_, before)


# ---------------------------------------------------------------------- ledger and JSON
def test_a_fit_is_charged_once_under_its_name(tmp_path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    Ledger.create(ledger, Budget("0.6"))
    table, face = stays(400), asked(epsilon="0.4", randomness=Secure(), ledger=ledger, request="wards")
    report = face.fit(table).report_
    pd.testing.assert_frame_equal(clone(face).fit(table).report_, report)
    kinds = [entry.kind for entry in Ledger.open(ledger).entries]
    assert kinds.count("reserved") == 1
    with pytest.raises(ValueError, match="from other private rows"):
        clone(face).fit(stays(400, 9))
    with pytest.raises(BudgetError):
        clone(face).set_params(request="again").fit(table)


def test_the_budget_names_fits(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = tmp_path / "ledger.jsonl"
    Ledger.create(ledger, Budget(3))
    for request in (None, "wards"):
        asked(randomness=Secure(), ledger=ledger, request=request).fit(stays(60))
    assert main(["budget", "show", str(ledger)]) == 0
    assert re.findall(r"UTC|Statistics(?: wards)?\b", capsys.readouterr().out)[-2:] == [
        "Statistics",
        "Statistics wards",
    ]


def test_the_event_is_within_the_budget_and_follows_from_public_numbers() -> None:
    face = asked(epsilon="1/3", delta=1e-7)
    learner, _, prepared = face._asked(face.epsilon)
    assert learner.epsilon <= 1 / 3
    Account(learner.guarantee).pay(learner.release_event(prepared, 500))


def test_json_keeps_the_report_and_nothing_of_the_rows() -> None:
    table = stays(400).assign(days=NUMBER)
    face = asked().fit(table)
    again = Statistics.from_json(face.to_json())
    pd.testing.assert_frame_equal(again.report_, face.report_)
    assert str(NUMBER) not in face.to_json()
    pd.testing.assert_frame_equal(again.set_params(epsilon=1.0).expected(400), face.expected(400))
    pd.testing.assert_frame_equal(clone(face).fit(table).report_, face.report_)  # the same coins
    for text in ("{}", json.dumps({"estimator": "PrivateTable"}), "5"):
        with pytest.raises(ValueError, match="text: is not a fitted Statistics"):
            Statistics.from_json(text)


# ---------------------------------------------------------------------- wishes and pictures
def test_the_smallest_epsilon_meets_every_wish_and_the_next_smaller_one_does_not() -> None:
    wishes = [{**ASKED[0], "wish": 20}, {**ASKED[2], "wish": 0.5}, ASKED[3]]
    face = asked(statistics=wishes)
    epsilon = face.smallest_epsilon(3000)

    def missed(value: float) -> pd.DataFrame:
        return face.set_params(epsilon=value).expected(3000).query("noise_sd > wish")

    assert 0.001 < epsilon < 10
    assert missed(epsilon).empty
    assert not missed(0.9 * epsilon).empty
    with pytest.raises(ValueError, match="none has the key 'wish'"):
        asked().smallest_epsilon(3000)
    with pytest.raises(ValueError, match="n = 0"):
        face.smallest_epsilon(0)


def test_a_picture_leaves_the_settings_of_others(tmp_path) -> None:
    mpl = pytest.importorskip("matplotlib")
    face = asked(public=stays(50, 8)).fit(stays(500))
    size = mpl.rcParams["figure.figsize"]
    face.picture(tmp_path / "report.png", tmp_path / "report.pdf")
    assert mpl.rcParams["figure.figsize"] == size
    drawn = (tmp_path / "report.png").read_bytes()
    face.picture(tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == drawn
    assert (tmp_path / "report.pdf").stat().st_size > 1000
