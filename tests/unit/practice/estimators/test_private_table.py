"""Query release as an object: a DataFrame of the declared columns and types."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.queries.schema import Schema

SCHEMA = {"age": range(20, 80, 20), "sex": ["F", "M", "X"], "region": 3}
LEVELS = pd.CategoricalDtype(["M", "F"])
PUBLIC = pd.DataFrame(
    {
        "age": np.array([20, 40, 60, 20], np.int32),
        "sex": pd.Series(["F", "M", "M", "F"]).astype(LEVELS),
        "region": [0, 1, 2, 2],
    }
)
PRIVATE = PUBLIC.iloc[[0] * 300 + [1] * 600 + [2] * 60 + [3] * 40].reset_index(drop=True)


def table(**others) -> PrivateTable:
    settings = {"schema": SCHEMA, "public": PUBLIC, "epsilon": 2.0, "delta": 1e-6, "randomness": Simulation(3)}
    return PrivateTable(**{**settings, **others})


def test_columns_and_types_are_those_declared() -> None:
    found = table().fit_resample(PRIVATE)
    assert list(found.columns) == list(SCHEMA)
    assert found["age"].dtype == np.int32
    assert found["region"].dtype == np.int64
    assert found["sex"].dtype == pd.CategoricalDtype(["F", "M", "X"])
    assert len(found) == len(PRIVATE)
    assert abs((found["age"] == 40).mean() - 0.6) < 0.1
    assert not found.isna().any().any()
    Schema(SCHEMA).codes(found, "synthetic table")


def test_ordered_categories_and_texts() -> None:
    ordered = PUBLIC.assign(sex=PUBLIC["sex"].cat.set_categories(["F", "M", "X"], ordered=True))
    assert table(public=ordered).fit_resample(PRIVATE)["sex"].dtype == pd.CategoricalDtype(["F", "M", "X"], True)
    texts = PUBLIC.assign(sex=PUBLIC["sex"].astype(str))
    assert table(public=texts).fit_resample(PRIVATE)["sex"].dtype == texts["sex"].dtype
    assert table(public=dict(texts)).fit(PRIVATE).sample(10).shape == (10, 3)


def test_json_clone_and_answers() -> None:
    fitted = table().fit(PRIVATE)
    again = PrivateTable.from_json(fitted.to_json())
    assert again.sample().equals(fitted.sample())
    assert again.answer("sex").tolist() == fitted.answer("sex").tolist()
    assert clone(fitted).fit(PRIVATE).to_json() == fitted.to_json(), "the same coins"
    assert table(randomness=Secure()).fit(PRIVATE).release_.certified().epsilon == 2.0
    assert table(kappa=1e-9, epsilon=1e6).fit(PRIVATE).answer("region").sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="text: is not a fitted PrivateTable"):
        PrivateTable.from_json("{}")
