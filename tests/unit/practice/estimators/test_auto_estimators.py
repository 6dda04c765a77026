"""The default of estimators: a learner and its class by the public rule, from what is declared and nothing else."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.asking.choosing import Case, choose
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger

COINS = np.random.default_rng(4)
ROWS, PUBLIC = COINS.random((3_000, 4)), COINS.random((80, 4))
LABELS, KNOWN = ((points[:, 0] + points[:, 1] > 1).astype(int) for points in (ROWS, PUBLIC))
GOOD = (0.0, 1.0)

CLASSIFIERS: list[tuple[dict[str, Any], int, Case]] = [
    ({"public": PUBLIC}, 4, Case("two labels", 4, "unlabelled", 1)),
    (
        {"public": PUBLIC, "learner_parameters": {"delta": 1e-6}},
        4,
        Case("two labels", 4, "unlabelled", 1, 1e-6),
    ),
    ({"public": PUBLIC, "public_labels": KNOWN}, 4, Case("two labels", 4, "labelled", 1)),
    (
        {"public": PUBLIC, "public_labels": KNOWN, "learner_parameters": {"population": "same"}},
        4,
        Case("two labels", 4, "labelled", 1, population="same"),
    ),
    ({"public": PUBLIC[:, :2]}, 2, Case("two labels", 2, "unlabelled", 1)),
    ({"public": PUBLIC[:, :2], "ranges": GOOD}, 2, Case("two labels", 2, "unlabelled", 1, ranges="good")),
    ({"ranges": GOOD}, 1, Case("two labels", 1, "none", 1, ranges="good")),
    (
        {"public": PUBLIC[:, :2], "public_labels": KNOWN, "ranges": GOOD},
        2,
        Case("two labels", 2, "labelled", 1, ranges="good"),
    ),
]


@pytest.mark.parametrize(("settings", "columns", "case"), CLASSIFIERS, ids=range(len(CLASSIFIERS)))
def test_the_default_is_what_the_rule_says(settings: dict[str, Any], columns: int, case: Case) -> None:
    """And it is the same release as that of the named learner."""
    model = SemiPrivateClassifier(epsilon=1.0, randomness=Simulation(3), **settings)
    rows = ROWS[:, :columns]
    expected = choose(case)
    asked = model.choice(rows)
    assert asked is not None
    assert (asked.learner, asked.hypothesis_class, asked.because) == (
        expected.learner,
        expected.hypothesis_class,
        expected.because,
    )
    predicted = model.fit(rows, LABELS).predict(rows)
    assert model.choice_ == asked
    named = {key: value for key, value in expected.learner.items() if key != "name"}
    if expected.spends_delta:
        named["delta"] = 1e-6
    other = clone(model).set_params(
        learner=expected.learner["name"],
        hypothesis_class=expected.hypothesis_class["name"],
        learner_parameters=named or None,
        public_labels=model.public_labels if model.learner_.public_stage.needs_labels else None,
    )
    assert np.array_equal(other.fit(rows, LABELS).predict(rows), predicted)
    assert other.choice_ is None
    assert np.mean(predicted == (rows[:, 0] + rows[:, -1] > 1)) > 0.5
    again = SemiPrivateClassifier.from_json(model.to_json())
    assert np.array_equal(again.predict(rows), predicted)


def test_what_is_set_after_a_fit_decides_and_what_was_fitted_is_kept() -> None:
    model = SemiPrivateClassifier(epsilon=1.0, public=PUBLIC, randomness=Simulation(3)).fit(ROWS, LABELS)
    fitted = model.to_json()
    model.set_params(learner_parameters={"delta": 1e-6})
    assert model.configured().delta == 1e-6
    model.set_params(public_labels=KNOWN)
    assert model.configured().short_title != model.learner_.short_title
    assert model.to_json() == fitted
    assert model.fit(ROWS, LABELS).learner_ == model.configured()


def test_several_labels_and_numbers() -> None:
    three = (3 * ROWS[:, 0]).astype(int)
    model = SemiPrivateClassifier(epsilon=3.0, public=PUBLIC, classes=(0, 1, 2), randomness=Simulation(1))
    assert model.takes_several()
    assert np.mean(model.fit(ROWS, three).predict(ROWS) == three) > 0.5
    assert model.choice_ is not None
    assert model.choice_.learner["name"] == "public_metric_multiclass"
    for known, name in ((None, "public_gram_regression"), (PUBLIC[:, 0], "public_ridge_regression")):
        line = SemiPrivateRegressor(
            epsilon=3.0, public=PUBLIC, public_responses=known, response_range=(0, 1), randomness=Simulation(1)
        )
        assert line.fit(ROWS, ROWS[:, 0]).score(ROWS, ROWS[:, 0]) > 0.3
        assert line.choice_ is not None
        assert line.choice_.learner["name"] == name


def test_declared_columns_are_counted_and_a_fit_is_charged(tmp_path) -> None:
    path = tmp_path / "ledger.jsonl"
    Ledger.create(path, Budget(1))
    names = [f"x{i}" for i in range(4)]
    model = SemiPrivateClassifier(
        epsilon="0.1",
        columns={name: {"range": [0, 1]} for name in names[:2]},
        public=pd.DataFrame(PUBLIC, columns=names),
        randomness=Secure(),
        ledger=path,
    )
    model.fit(pd.DataFrame(ROWS, columns=names), LABELS)
    assert model.choice_ is not None
    assert model.choice_.learner["name"] == "sspp_with_grid"
    (charge,) = Ledger.open(path).charges
    assert charge.payload["request"]["learner"]["name"] == "sspp_with_grid"
    assert 0 < Ledger.open(path).summary().standings[-1].accounts[0].spent <= Fraction(1, 10)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": None, "public": PUBLIC}, "epsilon: is missing, auto needs it"),
        ({"hypothesis_class": "halfspaces", "public": PUBLIC}, "hypothesis_class: follows from what auto takes: leave"),
        ({}, "no learner: of 4 columns and no public rows nothing was measured"),
        (
            {"public": PUBLIC, "learner_parameters": {"populaton": "same"}},
            "learner_parameters of auto 'populaton'",
        ),
        ({"public": PUBLIC, "learner_parameters": {"population": "equal"}}, "population of public rows 'equal'"),
        ({"classes": (0, 1, 2)}, "several labels and no public rows: give public rows"),
        ({"public": 30}, "public = 30: auto takes public rows, an array or a DataFrame of them"),
        ({"public": "rows.csv"}, "public = 'rows.csv': auto takes public rows"),
        (
            {"columns": {"a": {"range": [0, 1]}, "b": {"categories": ["u", "v"]}}},
            r"columns\['b'\]: is declared by categories, and without public rows",
        ),
    ],
    ids=range(9),
)
def test_what_the_rule_cannot_take_is_refused(settings: dict[str, Any], message: str) -> None:
    model = SemiPrivateClassifier(**{"epsilon": 1.0, "randomness": Simulation(1), **settings})
    with pytest.raises(ValueError, match=message):
        model.fit(ROWS, LABELS)
    with pytest.raises(ValueError, match="X: Expected 2D array, must have shape"):
        SemiPrivateClassifier(epsilon=1.0, public=PUBLIC, randomness=Simulation(1)).fit(ROWS[0], LABELS)
