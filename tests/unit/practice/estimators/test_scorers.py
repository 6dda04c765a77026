"""Scorers and meta-estimators of scikit-learn, with classes as declared, turned round, and as texts."""

from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer, roc_auc_score, top_k_accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, TunedThresholdClassifierCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from semipriv.core.randomness import Simulation
from semipriv.practice.estimators.classifier import SemiPrivateClassifier

COINS = np.random.default_rng(0)
X, PUBLIC = COINS.uniform(0, 1, (400, 3)), COINS.uniform(0, 1, (40, 3))
SIDE = X.sum(axis=1) > 1.5
KIND = (X.sum(axis=1) > 1.2).astype(int) + (X.sum(axis=1) > 1.8)
PAIRS = [(0, 1), (1, 0), (-1, 1), (7, 3), ("ill", "well"), ("well", "ill"), (False, True), (True, False)]
READ = ("accuracy", "average_precision", "balanced", "f1", "jaccard", "matthews", "precision", "recall", "roc_auc")
TRIPLES = [(0, 1, 2), (2, 0, 1), ("high", "low", "mid"), ("mid", "high", "low")]


def two(classes: Any, epsilon: float = 40.0, **others: Any) -> SemiPrivateClassifier:
    settings = {"hypothesis_class": "halfspaces", "ranges": (0, 1), "randomness": Simulation(3), "public": PUBLIC}
    return SemiPrivateClassifier("public_metric_discriminant", epsilon, classes=classes, **{**settings, **others})


def three(classes: Any) -> SemiPrivateClassifier:
    settings = {"hypothesis_class": "linear_rules", "ranges": (0, 1), "randomness": Simulation(3), "public": PUBLIC}
    return SemiPrivateClassifier("public_metric_multiclass", 60.0, classes=classes, **settings)


def labels(classes: Any) -> np.ndarray:
    """Label 1 is the side, whatever its name: the same function is learned for all names."""
    return np.where(SIDE, np.array(classes)[1], np.array(classes)[0])


@pytest.mark.parametrize("classes", PAIRS)
def test_scores_are_of_the_sorted_classes(classes: tuple[Any, Any]) -> None:
    y = labels(classes)
    fitted, first = two(classes).fit(X, y), two((0, 1)).fit(X, SIDE.astype(int))
    assert fitted.classes_.tolist() == sorted(classes)
    assert np.array_equal(fitted.predict(X) == classes[1], first.predict(X) == 1), "what is inside is as declared"
    scores = fitted.decision_function(X)
    assert np.array_equal(scores > 0, fitted.predict(X) == fitted.classes_[1])
    assert fitted.score(X, y) == np.mean(fitted.predict(X) == y) > 0.9
    assert roc_auc_score(y, scores) > 0.95
    again = SemiPrivateClassifier.from_json(fitted.to_json())
    assert np.array_equal(again.decision_function(X), scores)
    assert again.classes == fitted.classes


@pytest.mark.parametrize("classes", PAIRS)
def test_every_scorer_that_needs_no_probability(classes: tuple[Any, Any]) -> None:
    """Those of two labels that read scores or predictions; of a positive label, the last of the sorted classes."""
    y = labels(classes)
    fitted, met = two(classes).fit(X, y), set()
    positive = fitted.classes_[1]
    for name in get_scorer_names():
        scorer = get_scorer(name)
        read = scorer._response_method
        if not name.startswith(READ) or read == "predict_proba" or "samples" in name or "_ov" in name:
            continue  # regressions, clusters, probabilities, several labels a row
        if name in ("f1", "jaccard", "precision", "recall", "average_precision"):
            scorer = make_scorer(scorer._score_func, response_method=read, pos_label=positive)
        met.add(name)
        assert scorer(fitted, X, y) > 0.85, name
        assert get_scorer("accuracy")(fitted, X, y) == fitted.score(X, y)
    assert {"roc_auc", "average_precision", "f1", "matthews_corrcoef", "balanced_accuracy"} <= met
    assert not hasattr(fitted, "predict_proba"), "so that scorers of probabilities refuse it"


@pytest.mark.parametrize("classes", [(0, 1), ("well", "ill"), (7, 3)])
def test_a_search_by_scores_finds_what_predicts(classes: tuple[Any, Any]) -> None:
    y = labels(classes)
    for scoring in ("roc_auc", "accuracy", make_scorer(f1_score, pos_label=classes[0])):
        search = GridSearchCV(two(classes), {"epsilon": [0.05, 40.0]}, scoring=scoring, cv=KFold(3)).fit(X, y)
        assert search.best_params_ == {"epsilon": 40.0}
    assert cross_val_score(two(classes), X, y, cv=KFold(3), scoring="roc_auc").min() > 0.9


META = {
    "calibrated": lambda estimator: CalibratedClassifierCV(estimator, cv=KFold(3)),
    "calibrated, isotonic": lambda estimator: CalibratedClassifierCV(
        estimator, method="isotonic", cv=KFold(3), ensemble=False
    ),
    "voting": lambda estimator: VotingClassifier([("a", estimator), ("b", clone(estimator)), ("c", clone(estimator))]),
    "stacking": lambda estimator: StackingClassifier(
        [("a", estimator), ("b", clone(estimator))], LogisticRegression(), cv=KFold(3)
    ),
    "bagging": lambda estimator: BaggingClassifier(estimator, 3, random_state=0),
    "one against the rest": OneVsRestClassifier,
    "one against one": OneVsOneClassifier,
    "tuned": lambda estimator: TunedThresholdClassifierCV(estimator, cv=KFold(3), scoring="balanced_accuracy"),
}


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        (name, classes)
        for i, name in enumerate(META)
        for classes in ([(0, 1), ("well", "ill")], [(1, 0), ("ill", "well")])[i % 2]
    ],
)
def test_a_meta_estimator_predicts_the_classes(name: str, classes: tuple[Any, Any]) -> None:
    y = labels(classes)
    fitted = META[name](two(classes)).fit(X, y)
    assert np.mean(fitted.predict(X) == y) > 0.85
    if hasattr(fitted, "predict_proba"):
        order = list(fitted.classes_).index(sorted(classes)[1])
        assert roc_auc_score(y == sorted(classes)[1], fitted.predict_proba(X)[:, order]) > 0.85


@pytest.mark.parametrize("classes", [(0, 1), (1, 0), ("ill", "well"), ("well", "ill")])
def test_predictions_of_folds(classes: tuple[Any, Any]) -> None:
    y = labels(classes)
    assert np.mean(cross_val_predict(two(classes), X, y, cv=KFold(3)) == y) > 0.85
    scores = cross_val_predict(two(classes), X, y, cv=KFold(3), method="decision_function")
    assert roc_auc_score(y, scores) > 0.9


@pytest.mark.parametrize("name", ["one against the rest", "one against one"])
def test_two_classes_at_a_time_make_three(name: str) -> None:
    y = np.array(["high", "low", "mid"])[KIND]
    assert META[name](two((0, 1))).fit(X, y).predict(X).tolist() != y[::-1].tolist()
    assert np.mean(META[name](two((0, 1))).fit(X, y).predict(X) == y) > 0.5


@pytest.mark.parametrize("classes", TRIPLES)
def test_scores_of_several_classes(classes: tuple[Any, ...]) -> None:
    y = np.array(classes)[KIND]
    fitted = three(classes).fit(X, y)
    scores = fitted.decision_function(X)
    assert np.array_equal(fitted.classes_[scores.argmax(axis=1)], fitted.predict(X))
    assert top_k_accuracy_score(y, scores, k=1) == fitted.score(X, y) > 0.6
    assert get_scorer("top_k_accuracy")(fitted, X, y) > 0.9
    for name in ("bagging", "voting", "calibrated"):
        meta = META[name](three(classes)).fit(X, y)
        assert np.mean(meta.predict(X) == y) > 0.6


def test_equal_scores_are_parted_as_the_prediction_is() -> None:
    """Where two classes are as high, and where a halfspace goes through a row."""
    several = three(("c", "a", "b")).fit(X, np.array(["c", "a", "b"])[KIND])
    several.release_.output.parameters[:] = 0.0
    assert set(several.predict(X)) == {"c"}, "label 0"
    assert set(several.classes_[several.decision_function(X).argmax(axis=1)]) == {"c"}
    for classes in PAIRS:
        pair = two(classes).fit(X, labels(classes))
        pair.release_.output.parameters[:] = 0.0
        predicted = pair.predict(X)
        assert len(set(predicted.tolist())) == 1
        assert np.array_equal(pair.decision_function(X) > 0, predicted == pair.classes_[1])


class Outcome(StrEnum):
    """Classes as members of an enumeration."""

    WELL = "well"
    ILL = "ill"


def test_classes_may_come_in_any_container() -> None:
    y = labels(("well", "ill"))
    first = two(("well", "ill")).fit(X, y)
    kinds = (list, np.array, pd.Index, lambda given: np.array(given, object), lambda _: list(Outcome))
    for kind in kinds:
        for given in (y, y.tolist(), pd.Series(y), pd.Series(y).astype("category"), pd.Series(y).astype("string")):
            fitted = two(kind(("well", "ill"))).fit(X, given)
            assert fitted.classes_.tolist() == ["ill", "well"]
            assert np.array_equal(fitted.predict(X), first.predict(X))
    by_members = two(list(Outcome)).fit(X, [Outcome(label) for label in y])
    assert np.array_equal(by_members.predict(X), first.predict(X))


def test_integers_number_the_texts_that_are_declared() -> None:
    """By the types of both alone: a list of the same integers is of other labels, and refused."""
    places = np.where(SIDE, 0, 1)  # "ill" is the first of the sorted ones
    fitted, texts = (two(("well", "ill")).fit(X, y) for y in (places, labels(("well", "ill"))))
    assert fitted.classes_.tolist() == [0, 1]
    assert np.array_equal(fitted.predict(X), np.where(texts.predict(X) == "ill", 0, 1))
    assert fitted.release_.output.parameters.tolist() == texts.release_.output.parameters.tolist()
    with pytest.raises(ValueError, match="row 0: must be one of the declared classes"):
        two(("well", "ill")).fit(X, places.tolist())
    with pytest.raises(ValueError, match=r"row 0: .*integers holds places of the sorted classes"):
        two(("well", "ill")).fit(X, places + 2)


@pytest.mark.parametrize(
    "classes",
    [("a", 1), (1, "a"), (True, 2), (None, "a"), (0, float("nan")), (0, 10**30), ((0, 1), (1, 0)), (b"a", b"b")],
)
def test_classes_that_cannot_be_sorted_are_refused(classes: Any) -> None:
    with pytest.raises(ValueError, match=r"classes = .*: must be"):
        two(classes).fit(X, SIDE.astype(int))
