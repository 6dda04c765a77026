"""What estimators refuse: the call, and the words of the error."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

COINS = Simulation(0)
X = np.array([[0.125], [0.375], [0.625], [0.875]])
FRAME = pd.DataFrame(np.zeros((2, 2)), columns=["age", "weight"])
SCHEMA = {"sex": ["F", "M", "X"], "region": 3, "age": range(20, 80, 20)}
TABLE = pd.DataFrame({"sex": ["F", "M", "M", "F"], "region": [0, 1, 2, 2], "age": [20, 40, 60, 20]})


def fit(**others) -> object:
    settings = {
        "learner": "sspp",
        "epsilon": 2.0,
        "hypothesis_class": "thresholds",
        "public": np.array([[0.0], [0.5], [1.0]]),
        "classes": ("low", "high"),
        "ranges": None,
        "randomness": COINS,
    }
    return SemiPrivateClassifier(**{**settings, **others}).fit(X, ["low", "low", "high", "high"])


def fit_columns(public: pd.DataFrame, ranges: object = (0, 1)) -> object:
    settings = {"hypothesis_class": "decision_stumps", "public": public, "ranges": ranges, "randomness": COINS}
    return SemiPrivateClassifier("sspp", 2.0, **settings, classes=("low", "high")).fit(FRAME, ["low", "high"])


def fit_line(**others) -> object:
    settings = {"learner": "regularised", "learner_parameters": {"delta": 1e-3, "eta": 5.0}, "response_range": (0, 1)}
    settings |= {"epsilon": 5.0, "public": 20, "ranges": (0, 1), "randomness": COINS}
    return SemiPrivateRegressor(**{**settings, **others}).fit(X, X[:, 0])


def fit_table(**others) -> object:
    settings = {"schema": SCHEMA, "public": TABLE, "epsilon": 2.0, "delta": 1e-6, "randomness": COINS}
    return PrivateTable(**{**settings, **others}).fit(TABLE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit(randomness=None), "randomness: is None, must be Secure"),
        (lambda: fit(randomness=7), "randomness: is int"),
        (lambda: fit(epsilon=None), "learner 'sspp' needs epsilon"),
        (lambda: fit(epsilon=-1), "epsilon = -1: must be > 0"),
        (lambda: fit(learner="ssp"), "unknown learner 'ssp': did you mean 'sspp'"),
        (
            lambda: fit(learner_parameters={"mechanisms": "x"}),
            "'mechanisms': did you mean 'mechanism'.*allowed: epsilon",
        ),
        (lambda: fit(learner=SSPP(1.0)), "is configured, so epsilon and learner_parameters must be None"),
        (lambda: fit(learner="regularised", learner_parameters={"delta": 0.1, "eta": 9}), "releases regressor.*sspp"),
        (lambda: fit(hypothesis_class="threshold"), "did you mean 'thresholds'"),
        (lambda: fit(hypothesis_class="finite_class"), "needs table"),
        (lambda: fit(hypothesis_class=Thresholds), "is the type Thresholds"),
        (lambda: fit(classes=("low",)), "must be the two classes"),
        (lambda: fit(classes=("low", "low")), "must be the two classes"),
        (lambda: fit(classes=("no", "yes")), r"y: row 0: must be one of the declared classes \('no', 'yes'\)"),
        (lambda: fit(classes="observed", randomness=Secure()), "reads private labels"),
        (lambda: fit(public=None), "A_SSPP learns from public points"),
        (lambda: fit(public=5), "ranges is None"),
        (lambda: fit(public=[[np.nan]]), "public: row 0, feature 0 = nan: must be finite"),
        (lambda: fit(public=[[1.0, 2.0]]), r"public: must have 1 feature\(s\), got 2"),
        (lambda: fit(public_labels=["low"] * 5), "unlabelled public points only"),
        (lambda: fit(learner="learn_half"), "needs labelled public points"),
        (lambda: fit(ranges="private"), "ranges = 'private'"),
        (lambda: fit(ranges=(1, 0)), r"ranges\[0\] = \(1.0, 0.0\): low must be < high"),
        (lambda: fit(ranges=[(0, 1), (0, 1)]), "has shape"),
        (lambda: fit(ranges={"age": (0, 1)}), "must be a DataFrame"),
        (lambda: fit(ranges="public", public=None, learner="fixed_grid"), "no public points to take them from"),
        (lambda: fit(unlabelled="?"), "it takes none"),
        (lambda: fit(learner="generic_learner"), "needs sanitizer"),
        (lambda: fit(ledger="nowhere"), "nothing is charged for a Simulation"),
        (lambda: fit(ledger="nowhere", randomness=Secure()), "ledger: none at nowhere"),
        (lambda: fit(request="mine"), "ledger is None"),
        (lambda: fit(learner="empirical_risk_minimiser"), "'epsilon' .allowed: over"),
        (lambda: fit(learner="empirical_risk_minimiser", epsilon=None, randomness=Secure()), "has no guarantee"),
        (lambda: fit(learner="rrspm", randomness=Secure()), "no exact sampler"),
        (lambda: fit_table(randomness=None), "randomness: is None"),
        (lambda: fit_table(epsilon=None), "epsilon: must be given"),
        (lambda: fit_table(public=None, noisy=0.0), "noisy = 0: rows are of the public ones alone"),
        (lambda: fit_table(schema=None), "schema: must be given"),
        (lambda: fit_table(public=TABLE.rename(columns={"sex": "gender"})), "public table: column 'sex' is missing"),
        (lambda: fit_table(public=TABLE.assign(age=21)), "public table: column 'age', row 0 = 21"),
        (lambda: fit_table(schema={**SCHEMA, "height": 5}), "public table: column 'height' is missing"),
        (lambda: fit_columns(FRAME[["weight", "age"]]), "public: columns are in the order"),
        (lambda: fit_columns(FRAME[["age"]]), "'weight' of the private rows is missing"),
        (lambda: fit_columns(FRAME.assign(height=1.0)), "'height' is not a column of the private rows"),
        (lambda: fit_columns(FRAME, {"age": (0, 99)}), "ranges: column 'weight' has none"),
        (lambda: fit_line(randomness=Secure()), "no exact sampler"),
        (lambda: fit_line(response_range=None), "response_range = None: must be"),
        (
            lambda: fit_line(learner="sspp", learner_parameters=None),
            "learners that release regressor: .*sufficient_statistics",
        ),
    ],
)
def test_refused(call: Callable[[], object], message: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
