"""The distribution of a numeric column from a released model: a person's way, from the request to quantiles."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from releases import project

from semipriv.practice.asking.request import load
from semipriv.practice.engine.whole import release
from semipriv.practice.published.distribution import Distribution
from semipriv.practice.published.model import Model

LEARNER = {"name": "grid_query_release", "epsilon": 1, "method": "public_prior_tree", "scale": "01", "size": 64}
KINDS = {
    "numbers": ({"range": [0, 100]}, {"name": "thresholds"}, {}),
    "intervals": ({"range": [0, 100]}, {"name": "intervals"}, {}),
    "integers": ({"integers": [0, 63]}, {"name": "discrete_thresholds", "bits": 6}, {"high": 63}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_mean_and_histogram_of_a_release(tmp_path: Path, kind: str) -> None:
    column, functions, more = KINDS[kind]
    request = {"features": {"age": column}, "class": functions, "learner": LEARNER | more, "label": None}
    path = project(tmp_path, budget={"epsilon": 1}, **request)
    rng = np.random.default_rng(3)
    ages = rng.normal(25, 4, 4_100).clip(0, 63)
    ages = np.rint(ages) if kind == "integers" else ages
    tables = {"clinic": ages[:4_000], "public": ages[4_000:]}
    for name, rows in tables.items():
        pd.DataFrame({"age": rows}).to_csv(tmp_path / f"{name}.csv", index=False)
    release(load(path))
    found = Model.load(tmp_path / "results/releases/visits/model.json").distribution()
    ages = tables["clinic"]
    assert found.mean == pytest.approx(ages.mean(), abs=0.5)
    assert found.quantile([0.1, 0.5, 0.9]) == pytest.approx(np.quantile(ages, [0.1, 0.5, 0.9]), abs=1.5)
    edges = np.array([0.5, 20.5, 25.5, 30.5, 63])
    assert found.histogram(edges) == pytest.approx(np.histogram(ages, edges)[0] / len(ages), abs=0.03)
    end = float(found.ends[np.searchsorted(found.ends, 25)])
    low, high = found.limits(end, 3.0)
    assert low < (ages <= end).mean() < high
    assert high - low < 0.1
    low, high = found.quantile_limits(0.5)
    assert low < found.quantile(0.5) < high < low + 5


def test_limits_are_where_the_shares_with_their_deviations_lie() -> None:
    ends, below = np.arange(11.0), np.linspace(0, 1, 11)
    known = Distribution(ends, below, np.r_[0.0, np.full(9, 0.05), 0.0])
    assert known.limits(5.0, 2.0) == pytest.approx((0.4, 0.6))
    assert known.quantile_limits(0.5, 2.0) == pytest.approx((4.0, 6.0))
    with pytest.raises(ValueError, match=r"must be in \[0, 1\]"):
        known.quantile(1.1)
