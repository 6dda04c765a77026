"""What scikit-learn asks of an estimator: its own checks, pipelines, cross-validation, clones, pickles."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

COINS = Simulation(0)
CHECKED = [
    SemiPrivateClassifier("sspp", 20.0, public=32, ranges=(-5, 5), classes="observed", randomness=COINS),
    SemiPrivateClassifier(
        "public_metric_discriminant",
        20.0,
        hypothesis_class="halfspaces",
        public=32,
        ranges=(-5, 5),
        classes="observed",
        randomness=COINS,
    ),
    SemiPrivateClassifier(
        "public_metric_multiclass",
        20.0,
        hypothesis_class="linear_rules",
        public=32,
        ranges=(-5, 5),
        classes="observed",
        randomness=COINS,
    ),
    SemiPrivateRegressor(
        "sufficient_statistics",
        1.0,
        learner_parameters={"delta": 1e-3},
        ranges=(-5, 5),
        response_range=(-200, 200),
        randomness=COINS,
    ),
    SemiPrivateRegressor(
        "public_gram_regression", epsilon=20.0, public=32, ranges=(-5, 5), response_range=(-200, 200), randomness=COINS
    ),
]


def in_turn(checks: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Each check with one classifier and one regressor, in turn, whose ways in are the same; the others: exhaustive."""
    names, cases = checks.args
    alike: dict[tuple[type, str], list[int]] = {}
    for i, (estimator, check) in enumerate(cases):
        alike.setdefault((type(estimator), checks.kwargs["ids"](check)), []).append(i)
    usual = {among[turn % len(among)] for turn, among in enumerate(alike.values())}
    marked = [case if i in usual else pytest.param(*case, marks=pytest.mark.exhaustive) for i, case in enumerate(cases)]
    return pytest.mark.parametrize(names, marked, ids=checks.kwargs["ids"])


@in_turn(parametrize_with_checks(CHECKED))
def test_scikit_learns_own_checks(estimator, check) -> None:
    """None is expected to fail.  Their labels change from check to check, so they are not declared."""
    check(estimator)


def rows(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(n, dtype=float)[:, None] * 7 % n
    return x, (x[:, 0] >= n / 2).astype(int)


def model(**others) -> SemiPrivateClassifier:
    settings = {"hypothesis_class": "thresholds", "public": 9, "ranges": (0, 60), "randomness": COINS}
    return SemiPrivateClassifier("sspp", 4.0, **{**settings, **others})


def test_pipeline_and_cross_validation() -> None:
    x, y = rows()
    pipeline = make_pipeline(FunctionTransformer(lambda rows: rows), model())
    scores = cross_val_score(pipeline, x, y, cv=KFold(3), error_score="raise")
    assert scores.min() > 0.7
    pipeline.set_params(semiprivateclassifier__epsilon=1e-9)
    assert clone(pipeline).get_params()["semiprivateclassifier__epsilon"] == 1e-9


@pytest.mark.parametrize("randomness", [COINS, Secure()])
def test_a_fitted_one_is_pickled(randomness) -> None:
    x, y = rows()
    fitted = model(randomness=randomness).fit(x, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(x).tolist() == fitted.predict(x).tolist()


def test_stratified_folds_depend_on_labels() -> None:
    """One label changes the folds of other rows, so that a fit on a fold has no guarantee for it; ``KFold`` has."""
    x, y = np.zeros((12, 1)), np.array([0] * 6 + [1] * 6)
    other = y.copy()
    other[2] = 1

    def moved(folds) -> set[int]:
        before, after = ([set(train.tolist()) for train, _ in folds.split(x, labels)] for labels in (y, other))
        return set().union(*(a ^ b for a, b in zip(before, after, strict=True))) - {2}

    assert moved(StratifiedKFold(3))
    assert not moved(KFold(3))
