"""The distribution of a numeric column from a released model: a person's way, from the request to quantiles."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from releases import project

from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.grid_query_release import GridQueryRelease
from semipriv.practice.asking.request import load
from semipriv.practice.columns import dates
from semipriv.practice.columns.features import Integers, Range, feature
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.whole import release
from semipriv.practice.published.distribution import Distribution
from semipriv.practice.published.model import Model
from semipriv.queries.cells import cells_of

LEARNER = {"name": "grid_query_release", "epsilon": 1, "method": "public_prior_tree", "scale": "01", "size": 64}
KINDS = {
    "numbers": ({"range": [0, 100]}, {"name": "thresholds"}, {}),
    "intervals": ({"range": [0, 100]}, {"name": "intervals"}, {}),
    "integers": ({"integers": [0, 63]}, {"name": "discrete_thresholds", "bits": 6}, {"high": 63}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_mean_and_histogram_of_a_release(tmp_path: Path, kind: str) -> None:
    column, functions, options = KINDS[kind]
    request = {"features": {"age": column}, "class": functions, "learner": LEARNER | options, "label": None}
    path = project(tmp_path, budget={"epsilon": 1}, **request)
    rng = np.random.default_rng(3)
    ages = rng.normal(25, 4, 4_100).clip(0, 63)
    ages = np.rint(ages) if kind == "integers" else ages
    tables = {"clinic": ages[:4_000], "public": ages[4_000:]}
    for name, rows in tables.items():
        pd.DataFrame({"age": rows}).to_csv(tmp_path / f"{name}.csv", index=False)
    release(load(path))
    distribution = Model.load(tmp_path / "results/releases/visits/model.json").distribution()
    ages = tables["clinic"]
    assert distribution.mean == pytest.approx(ages.mean(), abs=0.5)
    assert distribution.quantile([0.1, 0.5, 0.9]) == pytest.approx(np.quantile(ages, [0.1, 0.5, 0.9]), abs=1.5)
    edges = np.array([0.5, 20.5, 25.5, 30.5, 63])
    assert distribution.histogram(edges) == pytest.approx(np.histogram(ages, edges)[0] / len(ages), abs=0.03)
    end, after = distribution.ends[np.searchsorted(distribution.ends, 25) :][:2]
    low, high = distribution.limits(float(end), 6.0)
    assert low < (ages <= end).mean() < high
    of_the_cell = 0.0 if kind == "integers" else ((ages >= end) & (ages < after)).mean()
    assert high - low < 0.15 + of_the_cell, "an integer is not in a part of its cell"
    low, high = distribution.quantile_limits(0.5)
    assert low <= distribution.quantile(0.5) <= high < low + 5
    assert low <= np.quantile(ages, 0.5) <= high


def test_limits_are_where_the_shares_with_their_deviations_lie() -> None:
    ends, below = np.arange(11.0), np.linspace(0, 1, 11)
    known = Distribution(ends, below, np.r_[0.0, np.full(9, 0.05), 0.0])
    assert known.limits(4.5, 2.0) == pytest.approx((0.3, 0.6)), "of the ends of its cell"
    assert known.limits(5.0, 2.0) == pytest.approx((0.4, 0.7)), "a row that is 5 is in the cell that starts there"
    assert known.quantile_limits(0.45, 2.0) == pytest.approx((3.0, 6.0))
    whole = Distribution(ends, below, known.deviations, whole=True)
    assert whole.limits(4.0, 2.0) == whole.limits(4.9, 2.0) == pytest.approx((0.4, 0.6)), "4 is all of its cell"
    assert whole.quantile_limits(0.45, 2.0) == (3.0, 5.0)
    for distribution in (known, whole):
        assert distribution.limits(-1.0) == (0.0, 0.0)
        assert distribution.limits(10.0) == (1.0, 1.0)
        assert distribution.quantile_limits(0.0)[0] == 0.0
        assert distribution.quantile_limits(1.0)[1] == 10.0
    with pytest.raises(ValueError, match=r"must be in \[0, 1\]"):
        known.quantile(1.1)


@pytest.mark.parametrize(
    "declared",
    [
        {"range": [0, 200_000]},
        {"range": [-0.3, 7.1]},
        {"range": [1e-9, 1e9]},
        {"integers": [-3, 60]},
        {"range": ["2020-01-01", "2020-12-31"], "unit": "day"},
        {"integers": ["2020-01-01T00:00", "2020-01-03T00:00"], "unit": "hour"},
    ],
)
def test_ends_tell_to_the_last_bit_in_which_cell_a_value_is(declared: dict[str, Any]) -> None:
    """Heaps lie on ends, so that an end that is one float off would count them on its wrong side."""
    records = Records([feature("x", declared)])
    column = records.features[0]
    assert isinstance(column, Range | Integers)
    learner = GridQueryRelease(
        1.0, method="consistent_tree", scale="01", low=column.ends[0], high=column.ends[1], size=38
    )
    prepared = learner.prepare(np.empty((0, 1)), Thresholds())
    output = learner.release(prepared, np.full((9, 1), column.ends[0]), np.zeros(9, np.int8), Simulation(1)).output
    distribution = Distribution.of(output, records)
    inner = distribution.ends[1:-1]
    near = np.unique(
        np.r_[inner, np.nextafter(inner, -np.inf), np.nextafter(inner, np.inf), column.limits, inner + 0.5]
    )
    if distribution.whole:
        near = np.unique(np.r_[np.floor(near), np.ceil(near)])
    near = near[(near >= column.limits[0]) & (near <= column.limits[1])]
    unit = declared.get("unit")
    cells = pa.array(near) if unit is None else pa.array(dates.dates(near, unit))
    assert len(near) > 30
    places = cells_of(output.functions, output.cover.parameters, output.representatives).of(
        records.points({"x": pa.chunked_array([cells])})
    )
    ranges = np.minimum(np.searchsorted(distribution.ends, near, "right") - 1, len(distribution.ends) - 2)
    assert len(np.unique(places)) == len(np.unique(ranges))
    assert np.all(np.diff(places) >= 0)
    np.testing.assert_array_equal(np.diff(places) > 0, np.diff(ranges) > 0)
