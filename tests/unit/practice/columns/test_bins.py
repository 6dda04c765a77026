"""Numbers and dates in bins: by declared ends or public quantiles, into a synthetic table and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.core.randomness import Simulation
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import Bins, feature, restored_feature
from semipriv.practice.engine.whole import release
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.published.model import Model

FINITE = st.floats(-1e9, 1e9)


@settings(max_examples=80, deadline=None)
@given(st.lists(FINITE, min_size=2, max_size=40), st.integers(2, 9), st.lists(FINITE, max_size=9))
def test_each_bin_holds_what_lies_between_its_ends(public: list[float], k: int, private: list[float]) -> None:
    """By brute force over bins; ties make fewer of them, none of which is empty of public rows."""
    column = pa.chunked_array([public])
    if len(set(public)) == 1:
        with pytest.raises(ValueError, match="is the same in all public rows"):
            feature("x", {"bins": k}).closed(column)
        return
    bins = feature("x", {"bins": k, "unknown": "none"}).closed(column)
    *lows, _ = bins.bins
    assert len(lows) <= k
    cells = [*public, *private, np.nan, np.inf, None]
    places, known = bins.encode(pa.chunked_array([pa.array(cells, pa.float64(), from_pandas=False)]))
    expected = [sum(x >= low for low in lows[1:]) for x in [*public, *private]]
    assert places.tolist() == [*expected, *[len(lows)] * 3]
    assert known.all()
    own = np.array(expected[: len(public)])
    for place, middle in enumerate(bins.middles):
        inside = np.sort(np.array(public)[own == place])
        assert len(inside)
        assert middle == inside[(len(inside) - 1) // 2]
    assert restored_feature(bins.description()) == bins
    assert bins.decode(np.arange(len(lows) + 1.0)).to_pylist() == [*bins.middles, None]


def test_bins_of_equal_public_numbers() -> None:
    bins = feature("x", {"bins": 2}).closed(pa.chunked_array([[0.0] * 9 + [1.0] * 3]))
    assert bins.values == ("0 to 1", "1 to 1")
    assert feature("x", {"bins": 4}).closed(pa.chunked_array([[0.0] * 5 + [1.0] * 5])).bins == (0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        *(({"bins": k}, "must be 2 to 1000 bins") for k in (0, 1, 10**9, -3)),
        ({"bins": "many"}, "must be a number of bins"),
        ({"bins": True}, "must be a number of bins"),
        ({"bins": [0, 1]}, "at least three increasing ends"),
        ({"bins": [0, 2, 1]}, "must be increasing"),
        ({"bins": [0, 0, 1]}, "must be increasing"),
        ({"bins": [0, float("nan"), 1]}, "bins = nan"),
        ({"bins": ["2020-01-01", "2021-01-01", "2022-01-01"]}, "are dates, which need a unit"),
        ({"bins": [0, 1, 2], "unit": "day"}, "must be dates or times for 'day'"),
        ({"bins": 4, "unknown": True}, "must be a number, or text"),
        ({"bins": 4, "indicator": True}, "indicator: is for a range or integers"),
        ({"bins": 4, "one_hot": True}, "one_hot: is for categories"),
        ({"bins": 4, "range": [0, 1]}, "got range and bins"),
    ],
)
def test_what_is_no_bin_is_refused(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        feature("x", declared)


def clinic(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10, 1, n), 2)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), "D")
    return pd.DataFrame(
        {
            "income": np.where(rng.random(n) < 0.1, np.nan, income),
            "day": day,
            "stays": rng.poisson(3, n),
            "ill": np.where(income > 25_000, "yes", "no"),
        }
    )


FEATURES = {
    "income": {"bins": 8, "unknown": "none"},
    "day": {"bins": 4, "unit": "day"},
    "stays": {"bins": [0, 1, 3, 20]},
    "ill": {"categories": ["yes", "no"]},
}


def test_a_table_of_numbers_and_dates_is_released(tmp_path: Path) -> None:
    """Its rows hold public values, missing ones where some are missing, in the types of the table."""
    releases.project(tmp_path, budget={"epsilon": 20})
    for name, n, seed in (("clinic", 3000, 0), ("public", 400, 1)):
        pq.write_table(pa.Table.from_pandas(clinic(n, seed), preserve_index=False), tmp_path / f"{name}.parquet")
    places = {
        key: {"path": str(tmp_path / f"{name}.parquet")} for key, name in (("private", "clinic"), ("public", "public"))
    }
    table = {"features": FEATURES, "label": None, "class": None}
    asked = {**places, **table, "learner": {"name": "table_release", "epsilon": 10, "delta": 0}}
    outcome = release(load(releases.request(tmp_path, "table.yaml", **asked)))
    folder = outcome.staged.request.folder
    rows, public = pd.read_parquet(folder / "synthetic.parquet"), clinic(400, 1)
    assert list(rows.columns) == list(FEATURES)
    assert set(rows["income"].dropna()) <= set(public["income"])
    assert set(rows["day"]) <= set(public["day"])
    assert 0.05 < rows["income"].isna().mean() < 0.15
    ill = rows.groupby(rows["income"] > 25_000)["ill"].agg(lambda answers: np.mean(answers == "yes"))
    assert ill[True] - ill[False] > 0.5
    cells = pq.read_table(folder / "intervals.parquet").to_pandas()
    alone = [answer["values"][0] for _, answer in cells.iterrows() if list(answer["columns"]) == ["stays"]]
    assert alone[:3] == ["0 to 1", "1 to 3", "3 to 20"]
    model = Model.load(folder / "model.json")
    assert [feature.kind for feature in model.records.features] == ["bins", "bins", "bins", "categories"]


def test_other_learners_take_places_of_bins(tmp_path: Path) -> None:
    path = releases.project(
        tmp_path,
        features={"age": {"bins": 4}, "dollars": {"bins": [0, 200, 400, 1000]}},
        **{"class": {"name": "decision_stumps"}, "learner": {"name": "sspp", "epsilon": 1}},
    )
    outcome = release(load(path))
    table = pd.DataFrame({"age": [0.0, 99.0], "dollars": [1.0, 999.0]})
    assert len(Model.load(outcome.staged.request.folder / "model.json").predict(table)) == 2


def test_a_private_table_of_bins() -> None:
    table = PrivateTable(epsilon=10.0, schema=FEATURES, public=clinic(400, 1), randomness=Simulation(3))
    rows = table.fit_resample(clinic(3000, 0))
    assert set(rows["income"].dropna()) <= set(clinic(400, 1)["income"])


def test_what_stands_for_a_bin_is_in_it() -> None:
    """Public numbers outside of the declared ends, bins without a public row, days between which there is none."""
    public = pa.chunked_array([[-50.0, -40.0, 12.0, 900.0, 950.0]])
    closed = Bins("x", [0, 10, 20, 30]).closed(public)
    assert closed.middles == (0.0, 12.0, 30.0)
    for bins in (
        closed,
        Bins("x", [0, 1, 2]),
        Bins("x", [1, np.nextafter(1, 2), 2, 2]).closed(pa.chunked_array([[2.0]])),
        Bins("x", [0, 2.0**63, 2.0**64]),
        Bins("x", ["2023-01-01", "2023-01-02", "2023-01-03", "2023-01-05"], unit="day"),
    ):
        places = np.arange(bins.ends[1] + 1)
        np.testing.assert_array_equal(bins.encode(pa.chunked_array([bins.decode(places)]))[0], places)
    with pytest.raises(ValueError, match="must be one number of each bin"):
        Bins("x", [0, 10, 20], middles=[5, 25])
    with pytest.raises(ValueError, match="must be one number of each bin"):
        Bins("x", [0, 10, 20], middles=[5])


@pytest.mark.parametrize("ends", [[0, 1e19, 2e19], [0, 2.0**63, 2.0**64], [-3e19, -1e19, 0], [0, 1, 2.0**62]])
def test_bins_beyond_integers_of_64_bits_give_numbers_of_the_bins(ends: list[float]) -> None:
    bins = Bins("x", ends)
    decoded = bins.decode(np.array([0.0, 1.0])).to_pylist()
    assert [low <= x <= high for x, low, high in zip(decoded, ends, ends[1:], strict=False)] == [True, True]
