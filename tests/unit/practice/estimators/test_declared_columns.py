"""Estimators that take DataFrames of numbers, categories and dates, declared as in a request."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score

from semipriv.core import registry
from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.asking.releasable import weighs
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

COLUMNS: dict[str, Any] = {
    "age": {"range": [0, 120]},
    "region": {"categories": ["north", "south", "east"]},
    "children": {"categories": [0, 1, 2], "unknown": "none"},
    "income": {"range": "public", "unknown": "public", "indicator": True},
    "admitted": {"range": ["2023-01-01", "2023-12-31"], "unit": "day"},
}
REFUSING = {name: {"unknown": "refuse", **declared} for name, declared in COLUMNS.items()}


def people(n: int, seed: int) -> pd.DataFrame:
    """Types as pandas has them: a category, integers beside NaN, times."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "name": "nobody",
            "age": rng.integers(18, 95, n),
            "region": pd.Categorical(rng.choice(["north", "south", "east"], n)),
            "children": rng.choice([0, 1, 2, np.nan], n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(3, 0.5, n)),
            "admitted": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
        }
    )
    score = (table["age"] - 55) / 20 + 1.5 * (table["region"] == "south") - 1.5 * (table["region"] == "east")
    return table.assign(ill=np.where(score > 0, "ill", "well"))


PUBLIC, PRIVATE = people(150, 1), people(2000, 0)


def model(**others: Any) -> SemiPrivateClassifier:
    settings = {
        "hypothesis_class": "halfspaces",
        "public": PUBLIC,
        "columns": COLUMNS,
        "classes": ("well", "ill"),
        "randomness": Simulation(0),
    }
    return SemiPrivateClassifier("public_metric_discriminant", 3.0, **{**settings, **others})


def test_a_frame_of_mixed_columns_is_learned_from() -> None:
    fitted = model(randomness=Secure()).fit(PRIVATE, PRIVATE["ill"])
    assert fitted.score(PRIVATE, PRIVATE["ill"]) > 0.85  # 0.55 always say the same
    assert (fitted.n_features_in_, fitted.records_.width) == (5, 11)
    assert fitted.feature_names_in_.tolist() == list(COLUMNS)
    again = SemiPrivateClassifier.from_json(fitted.to_json())
    assert (again.predict(PRIVATE) == fitted.predict(PRIVATE)).all()
    assert again.to_json() == fitted.to_json()
    assert (again.columns["income"]["unknown"], again.records_) == (
        fitted.records_.features[3].unknown,
        fitted.records_,
    )
    assert cross_val_score(clone(model()), PRIVATE, PRIVATE["ill"], cv=KFold(3), error_score="raise").min() > 0.8


def test_estimators_and_releases_make_the_same_points() -> None:
    """Of ranges, categories and indicators; integers are mapped to [0, 1] besides, if ranges does not say None."""
    fitted = model().fit(PRIVATE, PRIVATE["ill"])
    assert np.array_equal(fitted._points(PRIVATE), fitted.records_.points(PRIVATE))
    schema = {"columns": {"age": {"integers": [0, 128]}, "region": COLUMNS["region"]}}
    wide, plain = (model(**schema, ranges=ranges).fit(PRIVATE, PRIVATE["ill"]) for ranges in ("public", None))
    assert np.array_equal(128 * wide._points(PRIVATE)[:, 0], plain._points(PRIVATE)[:, 0])


def test_the_sign_of_the_score_is_the_prediction() -> None:
    fitted = model().fit(PRIVATE, PRIVATE["ill"])
    scores = fitted.decision_function(PRIVATE)
    assert np.array_equal(scores > 0, fitted.predict(PRIVATE) == fitted.classes_[1])
    assert fitted.classes_.tolist() == ["ill", "well"], "sorted, whatever the declared order"
    assert len(set(scores.tolist())) > 1000
    assert hasattr(model(), "decision_function"), "of what is to be learned, as meta-estimators ask"
    assert not hasattr(model(hypothesis_class="decision_stumps"), "decision_function")
    stumps = model(hypothesis_class="decision_stumps").set_params(learner="sspp").fit(PRIVATE, PRIVATE["ill"])
    assert not hasattr(stumps, "decision_function")
    line = SemiPrivateClassifier(
        "sspp", 50.0, hypothesis_class="halfspaces", public=9, ranges=(0, 8), randomness=Simulation(0)
    )
    x = np.arange(9.0)[:, None]
    for seed in range(5):  # some halfspaces go through a point
        line.set_params(randomness=Simulation(seed)).fit(x, (x[:, 0] > 3).astype(int))
        assert np.array_equal(line.decision_function(x) > 0, line.predict(x) == 1)


def test_a_regressor_takes_them_and_its_rows_are_in_the_unit_ball() -> None:
    settings = {"columns": COLUMNS, "public": PUBLIC, "response_range": (0, 100), "randomness": Simulation(0)}
    fitted = SemiPrivateRegressor("sufficient_statistics", 5.0, learner_parameters={"delta": 1e-6}, **settings)
    fitted.fit(PRIVATE, PRIVATE["age"])
    assert np.linalg.norm(fitted._points(PRIVATE), axis=1).max() <= 1
    assert np.corrcoef(fitted.predict(PRIVATE), PRIVATE["age"])[0, 1] > 0.5
    again = SemiPrivateRegressor.from_json(fitted.to_json())
    assert np.array_equal(again.predict(PRIVATE), fitted.predict(PRIVATE))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"columns": {"age": {"rang": [0, 1]}}}, "columns['age']: unknown key of a feature 'rang': did you mean"),
        ({"columns": {"age": {"range": [1, 0]}}}, "columns: age: range = [1.0, 0.0]: low must be < high"),
        ({"columns": {"ag": {"range": [0, 1]}}}, "public: column 'ag' is missing (needed: ag)"),
        ({"columns": ["age"]}, "columns = ['age']: must be a mapping of columns to what they may hold, or None"),
        ({"columns": {"age": [0, 1]}}, "columns: 'age': [0, 1] must be a mapping"),
        ({"ranges": (0, 1)}, "ranges: the ends of declared columns are in columns"),
        ({"public": None}, "columns['age']['unknown']: no public row says what stands for a cell"),
        ({"public": 32}, "public = 32: must be a table of the declared columns, or None"),
        ({"public": PUBLIC[:0]}, "public: has no row"),
        ({"public": None, "columns": {"age": {"range": [0, 1], "unknown": 1}}}, "learns from public points"),
        (
            {"columns": {"region": {"categories": ["north", "south"], "unknown": "refuse"}}},
            "public: column 'region', row ",
        ),
    ],
)
def test_settings_that_are_wrong_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        model(**settings).fit(PRIVATE, PRIVATE["ill"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"age": np.inf}, "X: column 'age', row 1: must be a finite number; the request refuses other cells"),
        ({"age": "SECRET"}, "X: column 'age', row 1: must be a finite number"),
        (
            {"region": "SECRET"},
            "X: column 'region', row 1: must be one of the declared categories (north, south, east)",
        ),
        ({"admitted": None}, "X: column 'admitted', row 1: must be a date"),
        ({"age": [1, "SECRET"] * 1000}, "X: column 'age', row 2: must be a finite number"),
    ],
)
def test_a_bad_cell_is_named_by_column_and_row_only(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        model(columns=REFUSING).fit(PRIVATE.assign(**change), PRIVATE["ill"])
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


def test_rows_that_are_wrong_are_refused() -> None:
    with pytest.raises(ValueError, match="X: column 'age' occurs twice"):
        model().fit(pd.concat([PRIVATE, PRIVATE["age"]], axis=1), PRIVATE["ill"])
    with pytest.raises(ValueError, match="X: has no row"):
        model().fit(PRIVATE[:0], PRIVATE["ill"][:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model().fit(PRIVATE, PRIVATE["ill"][:-1])
    with pytest.raises(PrivateTableError, match="X: column 'age', row 1: must be a finite number"):
        model(columns=REFUSING).fit(PRIVATE.assign(age=[[1]] * len(PRIVATE)), PRIVATE["ill"])
    fitted = model().fit(PRIVATE.assign(age=[[1]] * len(PRIVATE)), PRIVATE["ill"])
    assert set(fitted.predict(PRIVATE)) <= {"ill", "well"}
    huge = model().fit(PRIVATE, PRIVATE["ill"]).predict(PRIVATE.assign(age=1e300, children=1.5))
    assert set(huge) <= {"ill", "well"}


# ---------------------------------------------------------------------- what learners make of categories and constants
WEIGHING = [
    name
    for name in registry.names("learners")
    if registry.load("learners", name).output_kind in ("regressor", "classifier")
]


@pytest.mark.parametrize("name", WEIGHING)
def test_who_predicts_by_weights_gives_each_category_one(name: str) -> None:
    """Places of categories have no order, so that a weight for them fits nothing."""
    assert all(weighs(learner) for learner in registry.load("learners", name).examples())


@pytest.mark.parametrize("name", ["public_gram_regression", "public_ridge_regression"])
def test_a_regression_of_categories_is_no_worse_than_by_hand(name: str) -> None:
    """By default a category is a coordinate for each of its values; as a place it loses what it tells."""
    x = people(4000, 3)
    y = 20 + 10 * (x["region"] == "south") - 2 * (x["region"] == "east") + 0.1 * x["age"]
    columns = {"age": {"range": [0, 120]}, "region": {"categories": ["north", "south", "east"]}}
    scores = []
    for one_hot in ({}, {"one_hot": True}, {"one_hot": False}):
        own = {**columns, "region": {**columns["region"], **one_hot}}
        known = y[:150] if name == "public_ridge_regression" else None
        settings = {"public": x[:150], "public_responses": known, "response_range": (0, 50), "columns": own}
        fitted = SemiPrivateRegressor(name, 5.0, randomness=Simulation(0), **settings).fit(x[150:], y[150:])
        scores.append(fitted.score(x, y))
    default, by_hand, places = scores
    assert default == by_hand > 0.9
    assert places < default - 0.1


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("sspp", {"hypothesis_class": "decision_stumps"}),
        ("public_metric_discriminant", {"hypothesis_class": "halfspaces"}),
        ("public_model_discriminant", {"hypothesis_class": "halfspaces"}),
        ("public_metric_multiclass", {"hypothesis_class": "linear_rules"}),
        ("public_model_multiclass", {"hypothesis_class": "linear_rules"}),
        ("public_gram_regression", {}),
        ("public_ridge_regression", {}),
    ],
)
def test_a_column_that_is_the_same_in_all_public_rows_is_taken(name: str, others: dict[str, Any]) -> None:
    """Of numbers and of categories; private rows may differ in it, and nothing of a prediction is lost."""
    columns = {"age": {"range": [0, 120]}, "region": {"categories": ["north", "south"], "unknown": "south"}}
    public = PUBLIC.assign(region="north")
    columns["income"] = {"range": [0, 100]}
    public["income"] = 20.0
    learner = registry.load("learners", name)
    known = public["age"] if learner.output_kind == "regressor" else np.where(public["age"] > 55, "ill", "well")
    shown = known if registry.build("learners", {"name": name, "epsilon": 1}).public_stage.needs_labels else None
    settings = {"columns": columns, "public": public, "randomness": Secure()}
    if learner.output_kind == "regressor":
        shown = known if name == "public_ridge_regression" else None
        fitted = SemiPrivateRegressor(name, 5.0, public_responses=shown, response_range=(0, 120), **settings, **others)
        assert fitted.fit(PRIVATE, PRIVATE["age"]).score(PRIVATE, PRIVATE["age"]) > 0.8
    else:
        fitted = SemiPrivateClassifier(name, 5.0, public_labels=shown, classes=("well", "ill"), **settings, **others)
        truth = np.where(PRIVATE["age"] > 55, "ill", "well")
        assert fitted.fit(PRIVATE, truth).score(PRIVATE, truth) > 0.8
