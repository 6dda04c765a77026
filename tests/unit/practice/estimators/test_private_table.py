"""Query release as an object: a DataFrame of the declared columns and types."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.privacy.budget.ledger import Budget, Ledger
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
    resampled = table().fit_resample(PRIVATE)
    assert list(resampled.columns) == list(SCHEMA)
    assert resampled["age"].dtype == np.int32
    assert resampled["region"].dtype == np.int64
    assert resampled["sex"].dtype == pd.CategoricalDtype(["F", "M", "X"])
    assert len(resampled) == len(PRIVATE)
    assert abs((resampled["age"] == 40).mean() - 0.6) < 0.1
    assert not resampled.isna().any().any()
    Schema(SCHEMA).codes(resampled, "synthetic table")


def test_ordered_categories_and_texts() -> None:
    ordered = PUBLIC.assign(sex=PUBLIC["sex"].cat.set_categories(["F", "M", "X"], ordered=True))
    assert table(public=ordered).fit_resample(PRIVATE)["sex"].dtype == pd.CategoricalDtype(["F", "M", "X"], True)
    texts = PUBLIC.assign(sex=PUBLIC["sex"].astype(str))
    assert table(public=texts).fit_resample(PRIVATE)["sex"].dtype == texts["sex"].dtype
    assert table(public=dict(texts)).fit(PRIVATE).sample(10).shape == (10, 3)


def test_no_public_row_is_needed() -> None:
    """Of a schema, and of columns as in a request, of which unknown cells are declared."""
    columns = {
        "age": {"integers": [20, 79], "unknown": "refuse"},
        "sex": {"categories": ["F", "M", "X"], "unknown": "refuse"},
        "region": {"integers": [0, 2], "unknown": 0},
    }
    for schema in (SCHEMA, columns):
        fitted = table(schema=schema, public=None).fit(PRIVATE)
        sampled = fitted.sample()
        assert list(sampled.columns) == list(SCHEMA)
        assert abs((sampled["age"] == 40).mean() - 0.6) < 0.1
        assert PrivateTable.from_json(fitted.to_json()).sample().equals(sampled)
    with pytest.raises(ValueError, match="tree = 0: rows are of the public ones alone"):
        table(public=None, tree=0.0).fit(PRIVATE)


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


# ------------------------------------------------------------------ columns as in a request
COLUMNS = {
    "sex": {"categories": ["F", "M"], "unknown": "none"},
    "day": {"integers": ["2023-01-01", "2023-01-03"], "unit": "day"},
    "children": {"integers": [0, 3], "unknown": "public"},
}


def visits(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 3, n), "D")
    sex = rng.choice(["F", "M", None], n, p=[0.6, 0.3, 0.1])
    return pd.DataFrame({"sex": sex, "day": days, "children": rng.choice([0, 1, 9, np.nan], n)})


def test_a_schema_of_a_request_is_a_schema() -> None:
    known, private = visits(200, 1), visits(3000, 2)
    fitted = table(schema=COLUMNS, public=known).fit(private)
    sampled = fitted.sample()
    assert set(sampled["sex"]) == {"F", "M", "none"}
    assert abs((sampled["sex"] == "none").mean() - 0.1) < 0.05
    assert sampled["day"].dtype.kind == "M"
    assert set(sampled["day"]) == set(private["day"])
    assert sampled["children"].isin((0, 1, 3)).mean() > 0.99, "9 is clipped, the median stands for what is missing"
    again = PrivateTable.from_json(fitted.to_json())
    pd.testing.assert_frame_equal(again.sample(), sampled)
    assert again.schema["children"]["unknown"] == 1
    assert again.answer("sex").sum() == pytest.approx(1)
    clone(fitted)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"sex": {"category": ["F", "M"]}}, "schema.'sex'.: unknown key of a feature 'category': did you mean"),
        (
            {"sex": {"range": [0, 1], "unknown": 0}},
            "schema: sex: a table of marginals needs categories, integers or bins",
        ),
        (
            {"sex": {"categories": ["F", "M"], "unknown": "refuse"}},
            "public: column 'sex', row [0-9]*: must be one of the declared",
        ),
        ({"sex": {"categories": ["F", "M"], "unknown": "x"}, "day": ["a"]}, "schema: 'day': .'a'. must be a mapping"),
    ],
)
def test_columns_that_do_not_fit_are_named(schema, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        table(schema=schema, public=visits(50, 1)).fit(visits(60, 2))


@pytest.mark.parametrize(("epsilon", "rows", "message"), [("1e-17", 10, "too wide"), (1, 0, "no row")])
def test_what_is_refused_is_not_charged(tmp_path, epsilon, rows: int, message: str) -> None:
    ledger = tmp_path / "ledger.jsonl"
    Ledger.create(ledger, Budget(epsilon=1), "a table")
    asked = table(epsilon=epsilon, delta=None, randomness=Secure(), ledger=ledger)
    with pytest.raises(ValueError, match=message):
        asked.fit(PRIVATE[:rows])
    assert [entry.kind for entry in Ledger.open(ledger).entries] == ["opened"]
