"""No message of an estimator repeats a cell, whatever is handed in, by whatever method; nor does an error behind it."""

import datetime
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators import door
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.practice.estimators.statistics import Statistics

SECRET, NUMBER = "SECRET", 271828.0
"""Marks: the text and the number of a private cell."""
ROW = 3
X = np.arange(24.0).reshape(12, 2) / 24
Y = np.array(["low", "high"] * 6)
PUBLIC = np.array([[0.1, 0.2], [0.5, 0.4], [0.9, 0.8]])


def classifier(**others: Any) -> SemiPrivateClassifier:
    settings = {"public": PUBLIC, "ranges": (0, 1), "classes": ("low", "high"), "randomness": Simulation(0)}
    settings |= {"learner": "public_metric_discriminant", "epsilon": 5.0, "hypothesis_class": "halfspaces"}
    return SemiPrivateClassifier(**{**settings, **others})


def regressor(**others: Any) -> SemiPrivateRegressor:
    settings = {"public": PUBLIC, "ranges": (0, 1), "response_range": (0, 1), "randomness": Simulation(0)}
    return SemiPrivateRegressor(**{"epsilon": 5.0, **settings, **others})


OLD = pd.DataFrame({"Age": [0.0, 1.0]})
REAL = {"learner": "regularised", "learner_parameters": {"delta": 0.1, "eta": 9}}


def objects(cell: Any) -> np.ndarray:
    x = X.astype(object)
    x[ROW, 1] = cell
    return x


def ragged(x: np.ndarray) -> list[list[Any]]:
    rows = x.tolist()
    rows[ROW].append(NUMBER)
    return rows


class Unreadable:
    """An object that tells a cell whenever it is asked for something."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(f"cells: {SECRET}")


class Cell:
    """A cell that fails, with its content, when it is compared or hashed or turned into a number."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError(SECRET)

    __eq__ = __hash__ = __float__ = __lt__ = __bool__ = _fail

    def __repr__(self) -> str:
        return SECRET


CELLS: list[Any] = [
    SECRET,
    SECRET.encode(),
    "271828",
    "1.5",
    [SECRET],
    {SECRET: NUMBER},
    NUMBER + 1j,
    None,
    pd.NA,
    pd.NaT,
    np.nan,
    10**400,
    Decimal("NaN"),
    Decimal("sNaN"),
    datetime.date(2018, 2, 7),
    np.datetime64("2018-02-07"),
    np.array([NUMBER]),
    Cell(),
]


def pl_like(x: np.ndarray) -> pd.DataFrame:
    """A table of texts, each cell of which is one."""
    return pd.DataFrame({"a": [SECRET] * len(x), "b": x[:, 1]})


def bad_rows() -> Iterator[Any]:
    marked = X.copy()
    marked[ROW] = NUMBER
    yield from (marked[:, 0], marked[ROW], marked[None], NUMBER, SECRET, marked + 1j, marked[:0], marked[:, :0])
    yield from (scipy.sparse.csr_matrix(marked), np.ma.masked_greater(marked, 9), ragged(marked), Unreadable(), None)
    yield from (marked.astype(str), marked.astype("M8[s]"), pd.DataFrame(marked).astype("string"), marked.astype("S"))
    yield from (np.where(marked == NUMBER, np.inf, marked), np.where(marked == NUMBER, np.nan, marked))
    yield np.hstack([marked, marked])
    yield from (pa.table({"a": marked[:, 0], "b": [SECRET] * 12}), pa.table({"a": [SECRET] * 12}))
    yield pl_like(marked)
    for cell in CELLS:
        yield from (objects(cell), objects(cell).tolist(), pd.DataFrame(objects(cell), columns=["a", "b"]))


def bad_labels() -> Iterator[Any]:
    marked = np.where(np.arange(12) == ROW, SECRET, Y).astype(object)
    yield from (SECRET, NUMBER, None, marked[:5], marked[:, None].repeat(2, 1), Unreadable(), scipy.sparse.eye(12))
    yield from (np.full(12, NUMBER), np.full(12, NUMBER + 1j), np.where(marked == SECRET, 271828, 1).astype(int))
    for cell in CELLS:
        labels = Y.astype(object)
        labels[ROW] = cell
        yield from (labels, labels.tolist(), pd.Series(labels))


def texts_of(call: Callable[[], Any]) -> list[str]:
    """Return all texts that a call lets out: of the error, of those behind it, and of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts, error = [], None
        try:
            call()
        except BaseException as raised:
            error = raised
    while error is not None:
        texts += [str(error), repr(error), *getattr(error, "__notes__", ())]
        assert isinstance(error, ValueError | TypeError)
        error = error.__cause__ or error.__context__
    return texts + [str(warning.message) for warning in caught]


def check(call: Callable[[], Any], *, refused: bool = True) -> None:
    texts = texts_of(call)
    assert texts or not refused
    for text in texts:
        assert not any(mark in text for mark in (SECRET, "271828", "2.71828", "2018")), text
        assert "\n" not in text


@pytest.mark.parametrize("make", [classifier, regressor])
def test_of_rows(make) -> None:
    targets = Y if make is classifier else X[:, 0]
    fitted = make().fit(X, targets)
    methods = [fitted.predict] if make is regressor else [fitted.predict, fitted.decision_function]
    for rows in bad_rows():
        check(lambda rows=rows: make().fit(rows, targets))
        check(lambda rows=rows: fitted.score(rows, targets))
        for method in methods:
            check(lambda rows=rows, method=method: method(rows))


def test_of_labels() -> None:
    fitted = classifier().fit(X, Y)
    for labels in bad_labels():
        check(lambda labels=labels: classifier().fit(X, labels))
        check(lambda labels=labels: classifier(classes="observed").fit(X, labels), refused=False)
        check(lambda labels=labels: fitted.score(X, labels), refused=False)


def test_of_responses() -> None:
    fitted = regressor().fit(X, X[:, 0])
    for cell in CELLS:
        y = X[:, 0].astype(object)
        y[ROW] = cell
        for given in (y, y.tolist(), pd.Series(y)):
            check(lambda given=given: regressor().fit(X, given))
            check(lambda given=given: fitted.score(X, given))
            check(lambda given=given: fitted.score(X, X[:, 0], given))


def test_of_declared_columns() -> None:
    columns = {"age": {"range": [0, 1]}, "sex": {"categories": ["F", "M"]}}
    public = pd.DataFrame({"age": [0.1, 0.9], "sex": ["F", "M"]})
    people = pd.DataFrame({"age": X[:, 0], "sex": ["F", "M"] * 6}).astype(object)
    asked = classifier(public=public, columns=columns, ranges="public")
    fitted = asked.fit(people, Y)
    for cell in CELLS:
        for column in people if not isinstance(cell, str) else ["sex"]:
            rows = people.copy()
            rows[column] = pd.Series([cell if i == ROW else rows[column][i] for i in range(12)], dtype=object)
            for given in (rows, {name: rows[name].tolist() for name in rows}):
                check(lambda given=given: classifier(**asked.get_params()).fit(given, Y), refused=False)
                check(lambda given=given: fitted.predict(given), refused=False)


def test_of_a_private_table() -> None:
    schema = {"sex": ["F", "M"], "age": range(20, 80, 20)}
    public = pd.DataFrame({"sex": ["F", "M"], "age": [20, 40]})
    asked = PrivateTable(schema, public, epsilon=1.0, randomness=Simulation(0))
    for table in (X, SECRET, {"sex": [SECRET], "age": [20, 40]}, {"sex": "F", "age": [20]}, [[SECRET]]):
        check(lambda table=table: asked.fit(table))
    for cell in CELLS:
        table = {"sex": ["F"] * 11 + [cell], "age": [20] * 12}
        check(lambda table=table: asked.fit(table))
        check(lambda cell=cell: asked.fit({"sex": ["F"] * 12, "age": [20] * 11 + [cell]}))


def test_of_statistics() -> None:
    features = {"sex": {"categories": ["F", "M"], "unknown": "refuse"}, "age": {"range": [0, 99], "unknown": "refuse"}}
    statistics = [{"statistic": "mean", "column": "age", "by": "sex"}]
    asked = Statistics(statistics, features, epsilon=1.0, person="who", randomness=Simulation(0))
    good = {"sex": ["F"] * 12, "age": [20.0] * 12, "who": ["one", "other"] * 6}
    asked.fit(good)
    for table in (X, SECRET, {**good, "sex": [SECRET]}, {**good, "age": SECRET}, [[SECRET]]):
        check(lambda table=table: asked.fit(table))
    for cell in CELLS:
        for name in good:
            table = {**good, name: [*good[name][:11], cell]}
            check(lambda table=table: asked.fit(table), refused=False)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: classifier().fit(objects("north"), Y), "X: row 3, feature 1: is no number .* need columns="),
        (
            lambda: classifier().fit(pd.DataFrame(objects(None), columns=["age", "income"]), Y),
            "X: row 3, feature 'income': must be finite.* need columns=",
        ),
        (lambda: classifier().fit(X.astype(str), Y), "X: holds texts, must hold numbers: .*columns="),
        (
            lambda: classifier(learner="Public-Metric Discriminant").fit(X, Y),
            "did you mean 'public_metric_discriminant'",
        ),
        (lambda: classifier(hypothesis_class="HalfSpaces").fit(X, Y), "did you mean 'halfspaces'"),
        (
            lambda: classifier(learner_parameters={"Delta": 0.1}).fit(X, Y),
            "unknown parameter .*'Delta': did you mean 'delta'",
        ),
        (
            lambda: classifier(public=OLD, columns={"age": {"range": [0, 1]}}, ranges=None).fit(X, Y),
            r"public: column 'age' is missing \(needed: age\): did you mean 'Age'",
        ),
        (
            lambda: regressor(**REAL, randomness=Secure()).fit(X, X[:, 0]),
            "no exact sampler.*learners that Secure.. draws: public_gram_regression, public_ridge_regression",
        ),
        (
            lambda: classifier(learner="rrspm", randomness=Secure()).fit(X, Y),
            "no exact sampler.*learners that Secure.. draws: .*public_metric_discriminant.*sspp",
        ),
        (lambda: classifier(classes=("low", 1)).fit(X, Y), r"classes = \('low', 1\): must be all texts, all numbers"),
        (lambda: classifier(classes=(1, 2)).fit(X, [1, 0] * 6), "row 1: must be one of the declared classes"),
        (
            lambda: classifier(classes=(1, 2)).fit(X, np.array([1, 0] * 6)),
            r"number labels: declare texts, or classes=\(0, 1",
        ),
    ],
)
def test_the_way_out_is_named(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_each_cell_is_read_by_itself() -> None:
    """Beside cells of any other kind it is the same number; NumPy would choose one type for all cells of a list."""
    kinds = [1, True, 0.1, np.float32(0.1), np.float16(0.1), np.int8(3), np.uint64(2**63), 2**53 + 1, 2**70]
    kinds += [Decimal("0.1"), Fraction(1, 3), np.bool_(True), np.longdouble("0.1")]
    estimator = classifier()
    for cell in kinds:
        alone = door.points(estimator, [[cell]], reset=True)[0, 0]
        assert alone == np.float64(float(cell))
        for other in kinds:
            assert door.points(estimator, [[cell, other]], reset=True)[0, 0] == alone
            assert door.responses([cell, other], 2)[0] == alone
            frame = pd.DataFrame({"a": pd.Series([cell, other], dtype=object)})
            assert door.points(estimator, frame, reset=True)[0, 0] == alone


def test_the_default_learner_of_the_regressor_may_be_released() -> None:
    fitted = regressor(randomness=Secure()).fit(X, X[:, 0])
    assert fitted.release_.certified().epsilon == 5.0


def test_predictions_are_in_the_declared_range() -> None:
    """Rounding would leave it by a last digit."""
    coins = np.random.default_rng(0)
    for _ in range(40):
        low, high = np.sort(coins.normal(size=2) * 10.0 ** coins.integers(-8, 9))
        fitted = regressor(response_range=(low, high), functions="linear").fit(X, np.repeat([low, high], 6))
        predicted = fitted.predict(np.vstack([X, 1e9 * X, -1e9 * X]))
        assert predicted.min() >= low
        assert predicted.max() <= high
        fitted.release_.output.parameters[:] *= 1e9
        predicted = fitted.predict(np.vstack([X, 1e9 * X, -1e9 * X]))
        assert {predicted.min(), predicted.max()} <= {low, high}
