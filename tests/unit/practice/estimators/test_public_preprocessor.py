"""Steps that read public rows alone keep the guarantee of the last step; a table is never both public and private."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_extraction import FeatureHasher
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import semipriv
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.covers import FitGuarantee, SimulatedGuarantee
from semipriv.practice.estimators.preprocessor import PublicPreprocessor
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.guarantee import Guarantee

COINS = np.random.default_rng(0)
NUMBERS = [MinMaxScaler(), StandardScaler(), RobustScaler(), PCA(1), SimpleImputer(), KNNImputer(), Normalizer()]
NUMBERS += [PowerTransformer(), QuantileTransformer(n_quantiles=8), PolynomialFeatures()]
NUMBERS += [StandardScaler(copy=False), PCA(2, copy=False), SimpleImputer(copy=False)]
NUMBERS += [make_pipeline(StandardScaler()), KBinsDiscretizer(3, encode="ordinal", strategy="uniform")]


def people(n: int, seed: int) -> pd.DataFrame:
    coins = np.random.default_rng(seed)
    income = np.where(coins.random(n) < 0.1, np.nan, coins.lognormal(3, 0.5, n))
    return pd.DataFrame({"age": coins.integers(18, 95, n), "region": coins.choice(list("nse"), n), "income": income})


PUBLIC, PRIVATE = people(60, 1), people(300, 2)
LABELS = np.where(PRIVATE["age"] > 55, "ill", "well")


@pytest.mark.parametrize("transformer", NUMBERS)
def test_what_is_fitted_follows_from_public_rows(transformer: Any) -> None:
    """Of any private rows, the same transformer; each row is then transformed by itself."""
    public, private = COINS.random((30, 2)), COINS.random((50, 2))
    far = private.copy()
    far[0] = [1e6, -1e6]
    step = PublicPreprocessor(transformer, public)
    before = public.copy()
    fitted, other, alone = clone(step).fit(private), clone(step).fit(far), clone(transformer).fit(public.copy())
    transformed = fitted.transform(private.copy())
    assert np.array_equal(transformed, alone.transform(private.copy()))
    assert np.array_equal(transformed, other.transform(private.copy()))
    assert np.allclose(fitted.transform(far.copy())[1:], transformed[1:], rtol=1e-12)
    assert np.array_equal(step.fit_transform(private.copy()), transformed)
    assert np.array_equal(public, before), "public rows stay as they are"
    if hasattr(alone, "get_feature_names_out"):
        assert fitted.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()
    assert fitted.n_features_in_ == 2


def test_the_guarantee_of_a_pipeline_is_that_of_its_last_step() -> None:
    """Exactly: the loss is above 4 where 1 is claimed if a scaler reads private rows, and at most 1 if public ones."""
    x = np.array([[0.0]] * 10 + [[1.0]] * 10)
    y = np.array([0] * 10 + [1] * 10)
    neighbour = x.copy()
    neighbour[0] = 1e6
    learner = SSPP(1.0)
    prepared = learner.prepare([[0.25], [0.75]], Thresholds())

    def loss(step) -> float:
        distributions = [
            learner.output_distribution(prepared, clone(step).fit_transform(rows), y).log_probabilities
            for rows in (x, neighbour)
        ]
        return float(np.abs(distributions[0] - distributions[1]).max())

    assert loss(MinMaxScaler()) > 4
    assert loss(PublicPreprocessor(MinMaxScaler(), [[0.0], [0.4], [1.0]])) <= 1


def test_it_is_a_step_of_pipelines_searches_and_column_transformers() -> None:
    assert semipriv.PublicPreprocessor is PublicPreprocessor
    numbers = PublicPreprocessor(make_pipeline(SimpleImputer(), MinMaxScaler(clip=True)), PUBLIC)
    kinds = PublicPreprocessor(OneHotEncoder(handle_unknown="ignore", sparse_output=False), PUBLIC)
    steps = ColumnTransformer([("number", numbers, ["age", "income"]), ("kind", kinds, ["region"])])
    names = steps.fit(PRIVATE).get_feature_names_out().tolist()
    assert names[:3] == ["number__age", "number__income", "kind__region_e"]
    settings = {"public": steps.transform(PUBLIC), "ranges": None, "classes": ("well", "ill")}
    last = SemiPrivateClassifier(
        "public_metric_discriminant", 30.0, hypothesis_class="halfspaces", randomness=Simulation(0), **settings
    )
    pipeline = make_pipeline(steps, last)
    assert pipeline.fit(PRIVATE, LABELS).score(PRIVATE, LABELS) > 0.85
    assert cross_val_score(pipeline, PRIVATE, LABELS, cv=KFold(3), error_score="raise").min() > 0.7
    name = "columntransformer__number__transformer__minmaxscaler__feature_range"
    search = GridSearchCV(pipeline, {name: [(0, 1), (0, 2)]}, cv=KFold(2), error_score="raise")
    assert set(search.fit(PRIVATE, LABELS).cv_results_["params"][1]) == {name}
    framed = clone(numbers).set_output(transform="pandas").fit_transform(PRIVATE[["age", "income"]])
    assert list(framed.columns) == ["age", "income"]
    assert clone(numbers).fit(PRIVATE[["age"]]).n_features_in_ == 1, "the columns of the rows"
    scaled = PublicPreprocessor(MinMaxScaler(), PUBLIC[["age"]]).fit()
    assert np.allclose(scaled.inverse_transform(scaled.transform(PRIVATE[["age"]])), PRIVATE[["age"]])


def test_what_reads_other_rows_or_tells_a_cell_is_refused() -> None:
    public = COINS.random((30, 2))
    for function in (lambda x: x - x.mean(), lambda x: np.sort(x, axis=0), np.cumsum, lambda x: x[::-1]):
        with pytest.raises(ValueError, match="FunctionTransformer does not transform each row by itself"):
            PublicPreprocessor(FunctionTransformer(function), public).fit(public + 1)
    PublicPreprocessor(FunctionTransformer(np.log1p), public).fit(public + 1)
    for encoder in (OneHotEncoder(), OrdinalEncoder()):
        step = PublicPreprocessor(encoder, PUBLIC[["region"]]).fit()
        words = f"X: {type(encoder).__name__}, fitted on public rows, refuses a row"
        with pytest.raises(ValueError, match=words) as error:
            step.transform(pd.DataFrame({"region": ["n", "SECRET"]}))
        assert "SECRET" not in str(error.value)
        assert (error.value.__cause__, error.value.__context__) == (None, None)
    with pytest.raises(ValueError, match="refuses a row") as error:
        PublicPreprocessor(StandardScaler(), public).fit().transform([["SECRET", 1.0]])
    assert "SECRET" not in str(error.value)
    with pytest.raises(ValueError, match="X: has 3 features, the public rows have 2"):
        PublicPreprocessor(StandardScaler(), public).fit().transform(np.zeros((4, 3)))
    with pytest.raises(NotFittedError):
        PublicPreprocessor(StandardScaler(), public).transform(public)
    with pytest.raises(ValueError, match=r"public: column 'height' is missing \(public columns: age, region, income\)"):
        PublicPreprocessor(StandardScaler(), PUBLIC).fit(pd.DataFrame({"height": [1.0]}))
    with pytest.raises(ValueError, match="public: is None, must be public rows"):
        PublicPreprocessor(StandardScaler(), None).fit(public)
    with pytest.raises(ValueError, match=r"public: must have shape \(m, d\)"):
        PublicPreprocessor(StandardScaler(), 30).fit(public)
    assert not hasattr(PublicPreprocessor(FeatureHasher(), public), "inverse_transform")


# ---------------------------------------------------------------------- one table, handed in twice
def same(x: pd.DataFrame) -> list[tuple[Any, Any]]:
    """Pairs of public and private tables that are the same by the hand of their holder."""
    array = x.to_numpy()
    return [
        (x, x),
        (x, x.copy()),
        (x, x[:]),
        (x, array),
        (array, x),
        (array, array),
        (array, array[:]),
        (array, array[::-1]),
        (array, array.copy()),
        (array, array.tolist()),
        (x, x.astype(object)),
        (array.astype(np.float32).astype(float), array.astype(np.float32)),
        (np.asfortranarray(array), array),
    ]


def fitted(public: Any, x: Any, ledger: str, kind: str) -> Any:
    y = np.arange(len(x)) % 2
    settings = {"public": public, "ranges": (0, 1), "randomness": Secure(), "ledger": ledger}
    if kind == "classifier":
        return SemiPrivateClassifier("sspp", "0.1", hypothesis_class="decision_stumps", **settings).fit(x, y)
    return SemiPrivateRegressor(epsilon="0.1", response_range=(0, 1), **settings).fit(x, y)


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_one_table_as_public_and_private_is_refused(kind: str, tmp_path) -> None:
    """Before it is charged for; single rows that are equal are passed over, and so are parts of one table."""
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(1))
    rows = pd.DataFrame(COINS.random((40, 2)), columns=["a", "b"])
    for public, private in same(rows):
        with pytest.raises(ValueError, match="public: is the same table as X"):
            fitted(public, private, path, kind)
        with pytest.raises(ValueError, match=r"public: is the same table as X.*call fit"):
            PublicPreprocessor(MinMaxScaler(), public).fit(private)
    assert [entry.kind for entry in Ledger.open(path).entries] == ["opened"]
    other = rows.to_numpy().copy()
    other[7] += 1e-9
    array = rows.to_numpy()
    for public, private in [(array[:20], array[20:]), (array[:20], array), (other, array), (array[::2], array[1::2])]:
        assert 0.09 < fitted(public, private, path, kind).guarantee_.epsilon <= 0.1


def test_one_table_of_declared_columns_or_of_categories_is_refused() -> None:
    columns = {"age": {"range": [0, 120]}, "region": {"categories": ["n", "s", "e"]}}
    settings = {"columns": columns, "classes": ("well", "ill"), "randomness": Simulation(0)}
    asked = SemiPrivateClassifier("sspp", 1.0, public=PRIVATE, hypothesis_class="decision_stumps", **settings)
    lists = {name: PRIVATE[name].tolist() for name in PRIVATE}
    for private in (PRIVATE, PRIVATE.copy(), PRIVATE.assign(income=0.0), lists):
        with pytest.raises(ValueError, match="public: is the same table as X"):
            asked.fit(private, LABELS)
    asked.set_params(public=PRIVATE.assign(age=PRIVATE["age"] - (np.arange(300) == 7))).fit(PRIVATE, LABELS)
    table, values = PRIVATE[["region"]], ["n", "s", "e"]
    for schema in ({"region": values}, {"region": {"categories": values}}):
        release = PrivateTable(schema, table, epsilon=1.0, ways=1, randomness=Simulation(0))
        for private in (table, table.copy(), {"region": table["region"].tolist()}):
            with pytest.raises(ValueError, match="public: is the same table as X"):
                release.fit(private)


def test_private_targets_as_public_ones_are_refused() -> None:
    """By the same object or memory; that labels of other people are equal is no surprise."""
    x, y = np.arange(20.0)[:, None], np.arange(20) % 2
    settings = {"public": x + 0.5, "ranges": (0, 20), "randomness": Simulation(0)}
    other = {"hypothesis_class": "halfspaces"}
    for targets in (y, y.tolist(), pd.Series(y)):
        views = [targets] if isinstance(targets, list) else [targets, targets[:], targets[::-1]]
        for view in views:
            with pytest.raises(ValueError, match="public_labels: are y"):
                SemiPrivateClassifier("public_model_discriminant", 1, public_labels=view, **other, **settings).fit(
                    x, targets
                )
            settings |= {"response_range": (0, 1)}
            with pytest.raises(ValueError, match="public_responses: are y"):
                SemiPrivateRegressor("public_ridge_regression", 1, public_responses=view, **settings).fit(x, targets)
            del settings["response_range"]
    SemiPrivateClassifier("public_model_discriminant", 1, public_labels=y.copy(), **other, **settings).fit(x, y)


# ---------------------------------------------------------------------- what a guarantee says
def test_a_guarantee_says_what_it_covers() -> None:
    x, y = np.arange(40.0)[:, None], np.arange(40) % 2
    for randomness, kind, words in (
        (Secure(), FitGuarantee, "the last step only"),
        (Simulation(0), SimulatedGuarantee, "nobody: a Simulation drew it"),
    ):
        estimator = SemiPrivateClassifier(
            "sspp", 1.0, hypothesis_class="thresholds", public=4, ranges=(0, 40), randomness=randomness
        ).fit(x, y)
        table = PrivateTable({"a": 3}, {"a": [0, 1]}, epsilon=1.0, ways=1, randomness=randomness).fit(
            {"a": [0, 1, 2] * 9}
        )
        for guarantee in (
            estimator.guarantee_,
            SemiPrivateClassifier.from_json(estimator.to_json()).guarantee_,
            table.guarantee_,
        ):
            assert type(guarantee) is kind
            assert words in repr(guarantee)
            assert words in str(guarantee)
            assert guarantee == Guarantee(1.0)
            assert hash(guarantee) == hash(Guarantee(1.0))
            assert guarantee != Guarantee(2.0)


def filled(rows: Any) -> Any:
    """Mix rows where a cell is missing."""
    return np.where(np.isnan(rows), np.nanmean(rows, 0), rows)


@pytest.mark.parametrize(
    "transformer",
    [
        IterativeImputer(sample_posterior=True, random_state=0),
        KNNImputer(),
        FunctionTransformer(filled),
        FunctionTransformer(lambda rows: rows - rows.mean(0) if len(rows) > 100 else rows),
        FunctionTransformer(lambda rows: rows / rows.max() if rows.max() > 1e6 else rows),
        make_pipeline(StandardScaler(), FunctionTransformer(lambda rows: rows - rows.mean(0) * (len(rows) > 100))),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_what_public_rows_do_not_show_couples_no_private_rows(transformer: Any) -> None:
    """Gaps, numbers out of range, many rows: whoever is not known to look at one row is given one row."""
    rng = np.random.default_rng(0)
    public, rows = rng.uniform(20, 80, (40, 2)), rng.uniform(20, 80, (300, 2))
    step = PublicPreprocessor(transformer, public).fit()
    imputes = not isinstance(transformer, Pipeline)
    rows[5, 0] = np.nan if imputes else 50
    other = rows.copy()
    other[0] = [1e9, np.nan if imputes else 1e9]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a row alone there is nothing to take a mean of
        assert np.array_equal(step.transform(rows)[1:], step.transform(other)[1:], equal_nan=True)
