"""The classifier: what it refuses, what it keeps, and that it is the learner inside."""

import gc
import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.randomness import Secure, Simulation, Source
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.guarantee import Guarantee, Release

COINS = Simulation(0)
X = np.array([[0.125], [0.375], [0.625], [0.875]] * 10)
Y = np.array(["low", "low", "high", "high"] * 10)
PUBLIC = np.array([[0.0], [0.25], [0.5], [0.75], [1.0]])


def model(**others) -> SemiPrivateClassifier:
    settings = {
        "learner": "sspp",
        "epsilon": 2.0,
        "hypothesis_class": "thresholds",
        "public": PUBLIC,
        "classes": ("low", "high"),
        "ranges": None,
        "randomness": COINS,
    }
    return SemiPrivateClassifier(**{**settings, **others})


def test_it_is_the_learner() -> None:
    """Same coins, same hypothesis; with ranges the learner's rows are those in [0, 1], public ones in its middle."""
    learner, labels = SSPP(2.0), (Y == "high").astype(int)
    direct = learner.release(learner.prepare(PUBLIC, Thresholds()), X, labels, COINS.spawn("estimator"))
    fitted = model().fit(X, Y)
    assert fitted.release_.output.parameters.tolist() == direct.output.parameters.tolist()
    assert fitted.guarantee_ == Guarantee(2.0)
    assert fitted.release_.randomness is Source.SIMULATION
    scaled = model(ranges="public", public=10 + 4 * PUBLIC).fit(10 + 4 * X, Y)
    assert (scaled.scaling_.low, scaled.scaling_.high) == (8, 16), "10 to 14, and half of that on each side"
    assert scaled.release_.output.parameters == pytest.approx(0.25 + direct.output.parameters / 2)
    assert scaled.predict([[-99.0], [99.0]]).tolist() == ["low", "high"], "clipped, each by itself"


def test_a_configured_learner_and_a_secure_draw() -> None:
    fitted = model(learner=SSPP(50.0, "permute_and_flip"), epsilon=None, randomness=Secure()).fit(X, Y)
    assert fitted.release_.certified() == Guarantee(50.0)
    assert set(fitted.predict(X)) <= {"low", "high"}


def test_rows_without_labels() -> None:
    """Labelled rows go to the learner as examples, marked ones as entries, in their order."""
    settings = {"sanitizer": {"name": "net"}, "size": 3, "n_unlabelled": 40}
    marked = np.where(np.arange(80) % 2, "?", np.repeat(Y, 2))
    half = model(
        learner="generic_learner",
        learner_parameters=settings,
        hypothesis_class=registry.build("classes", {"name": "discrete_thresholds", "bits": 4}),
        public=None,
        unlabelled="?",
        epsilon=50.0,
    )
    with pytest.raises(ValueError, match=r"n_unlabelled = 39: must be >= 40"):
        half.fit(np.ones((79, 1)), marked[:79])
    assert half.fit(np.ones((80, 1)), marked).guarantee_ is not None


# ---------------------------------------------------------------------- refusals


def test_columns_of_public_data() -> None:
    private, public = (pd.DataFrame(np.zeros((2, 2)), columns=["age", "weight"]) for _ in range(2))
    stumps = model(hypothesis_class="decision_stumps", public=public, ranges={"age": (0, 99), "weight": (0, 300)})
    stumps.fit(private, ["low", "high"])
    assert stumps.scaling_.high.tolist() == [99, 300]
    again = SemiPrivateClassifier.from_json(stumps.to_json())
    with pytest.raises(ValueError, match="feature names"):
        again.predict(public[["weight", "age"]])


def test_no_message_tells_a_private_label() -> None:
    with pytest.raises(ValueError, match="row 3") as error:
        model().fit(X, np.where(np.arange(40) == 3, "secret", Y))
    assert "secret" not in str(error.value)


def test_one_class_only_is_no_error_and_tells_nothing() -> None:
    """An error, or another attribute, would tell that no row has the other label."""
    some, other = model().fit(X, Y), model().fit(X, np.full(40, "low"))
    assert other.classes_.tolist() == some.classes_.tolist() == ["high", "low"]
    assert vars(other).keys() == vars(some).keys()
    assert other.release_.cost == some.release_.cost


def test_classes_that_are_read_have_no_guarantee() -> None:
    fitted = model(classes="observed").fit(X, Y)
    assert fitted.guarantee_ is None
    assert fitted.classes_.tolist() == ["high", "low"]
    with pytest.raises(ValueError, match="has no guarantee"):
        fitted.release_.certified()


# ---------------------------------------------------------------------- what is kept
def reached(start: object) -> list[np.ndarray]:
    """All arrays that hang on an object, with what they are views of."""
    arrays, seen, queue = [], set(), [start]
    while queue:
        node = queue.pop()
        if id(node) in seen or inspect.ismodule(node) or inspect.isclass(node):
            continue
        seen.add(id(node))
        if isinstance(node, np.ndarray):
            arrays.append(node)
            queue.append(node.base)
        if inspect.isfunction(node):
            queue.extend(cell.cell_contents for cell in node.__closure__ or ())
            continue
        queue.extend(gc.get_referents(node))
    return arrays


KEPT = [
    ("sspp", {}, {"hypothesis_class": "intervals"}),
    ("sspp", {"mechanism": "permute_and_flip"}, {}),
    ("rrspm", {"weights": "discrete_laplace", "scale": "teaching"}, {}),
    ("query_release_learner", {}, {}),
    ("fixed_grid", {"size": 5}, {}),
]


@pytest.mark.parametrize(("learner", "parameters", "others"), KEPT)
def test_no_private_array_is_kept(learner, parameters, others) -> None:
    """Private numbers are like no other; none of them, scaled or not, is in any array of the fitted estimator."""
    private = 0.1 + 0.7 * np.random.default_rng(5).random((40, 1))
    fitted = model(learner=learner, learner_parameters=parameters, ranges=(0, 2), **others).fit(private, Y)
    arrays = reached(fitted)
    assert any(array is fitted.public or np.shares_memory(array, PUBLIC) for array in arrays), "the walk reaches arrays"
    secrets = np.concatenate([private.ravel(), private.ravel() / 2])
    for array in arrays:
        assert array.size < 40 or array.dtype == object or not np.isin(Y, array).all()
        assert array.dtype.kind not in "fO" or not np.isin(array.astype(object), secrets).any()
    fitted.rows = private
    assert any(np.isin(array, private).any() for array in reached(fitted) if array.dtype.kind == "f"), (
        "it would be seen"
    )


def test_what_a_learner_hangs_on_its_output_is_left_behind(monkeypatch) -> None:
    """Parameters that are a view of private rows, as a careless learner may return them."""
    private = 0.1 + 0.7 * np.random.default_rng(5).random((40, 1))

    def careless(self, prepared, points, labels, randomness):
        own = np.concatenate([[[0.5]], points])
        return Release(Hypothesis(Thresholds(), own[0]), self.guarantee, randomness.source)

    monkeypatch.setattr(SSPP, "release", careless)
    fitted = model().fit(private, Y)
    assert fitted.release_.output.parameters.tolist() == [0.5]
    assert not any(np.isin(array, private).any() for array in reached(fitted) if array.dtype.kind == "f")


def test_json_gives_the_same_predictions() -> None:
    for change in ({}, {"ranges": (0, 1)}, {"hypothesis_class": "intervals"}, {"epsilon": 1e-9}):
        fitted = model(**change).fit(X, Y)
        again = SemiPrivateClassifier.from_json(fitted.to_json())
        places = np.linspace(-1, 2, 101)[:, None]
        assert again.predict(places).tolist() == fitted.predict(places).tolist()
        assert (again.guarantee_, again.to_json()) == (fitted.guarantee_, fitted.to_json())
    with pytest.raises(ValueError, match="randomness: is None"):
        again.fit(X, Y)
    for text in ("{", "[]", "{}", fitted.to_json().replace("thresholds", "threshold")):
        with pytest.raises(ValueError, match="text: is not a fitted SemiPrivateClassifier"):
            SemiPrivateClassifier.from_json(text)
    with pytest.raises(ValueError, match="must be a SemiPrivateRegressor"):
        SemiPrivateRegressor.from_json(fitted.to_json())


# ---------------------------------------------------------------------- several classes
def three(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    coins = np.random.default_rng(seed)
    kind = coins.integers(0, 3, n)
    x = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])[kind] + coins.normal(size=(n, 2))
    return pd.DataFrame(x, columns=["a", "b"]), np.array(["red", "green", "blue"])[kind]


@pytest.mark.parametrize("labelled", [False, True])
def test_several_classes(tmp_path: Path, labelled: bool) -> None:
    """Drawn by the operating system, charged, from a DataFrame, and back from JSON; no row of one class is no error."""
    (public, known), (x, y), (held, truth) = three(100, 1), three(1_500, 2), three(1_000, 3)
    ledger = tmp_path / "ledger.jsonl"
    Ledger.create(ledger, Budget(epsilon=2), "colours")
    settings = {
        "hypothesis_class": "linear_rules",
        "public": public,
        "public_labels": known if labelled else None,
        "classes": ("red", "green", "blue"),
        "randomness": Secure(),
        "ledger": str(ledger),
    }
    name = "public_model_multiclass" if labelled else "public_metric_multiclass"
    fitted = SemiPrivateClassifier(name, 1, **settings).fit(x, y)
    assert fitted.score(held, truth) > 0.8
    again = SemiPrivateClassifier.from_json(fitted.to_json())
    assert again.predict(held).tolist() == fitted.predict(held).tolist()
    assert Ledger.open(ledger).summary().accounts[0].left == 1
    some = y != "blue"
    assert set(SemiPrivateClassifier(name, 1, **settings).fit(x[some], y[some]).predict(held)) <= {
        "red",
        "green",
        "blue",
    }


def test_classes_that_do_not_fit_are_refused() -> None:
    x, y = three(30, 1)
    several = {"learner": "public_metric_multiclass", "public": x, "ranges": "public"}
    with pytest.raises(ValueError, match="must be the two classes"):
        model(public=x, hypothesis_class="halfspaces", classes=("red", "green", "blue")).fit(x, y)
    with pytest.raises(ValueError, match="must be the 2 to 100 classes"):
        model(**several, hypothesis_class="linear_rules", classes=("red",)).fit(x, y)
    with pytest.raises(ValueError, match=r"classes: are 3, LinearRules\(dimension=2, classes=4\) has 4"):
        model(**several, hypothesis_class=LinearRules(2, 4), classes=("red", "green", "blue")).fit(x, y)
    with pytest.raises(ValueError, match=r"y: row \d+: must be one of the declared classes \('red', 'green', 'grey'\)"):
        model(**several, hypothesis_class="linear_rules", classes=("red", "green", "grey")).fit(x, y)
    with pytest.raises(ValueError, match=r"functions to \{0, 1\}, the learner learns functions to \{0, ..., K - 1\}"):
        model(**several, hypothesis_class="halfspaces", classes=("red", "green", "blue")).fit(x, y)


# ---------------------------------------------------------------------- regressor
def test_regressor() -> None:
    x = np.linspace(10, 20, 401)[:, None]
    settings = {"learner_parameters": {"delta": 1e-3, "eta": 5.0}, "public": 20, "ranges": (10, 20)}
    lines = SemiPrivateRegressor("regularised", 5.0, **settings, response_range=(0, 4), randomness=COINS)
    fitted = lines.fit(x, 0.3 * (x[:, 0] - 10) + 0.5)
    assert fitted.predict([[18.0]]) == pytest.approx([2.9], abs=0.15)
    assert fitted.predict([[1e9], [-1e9]]).tolist() == fitted.predict([[20.0], [10.0]]).tolist()
    again = SemiPrivateRegressor.from_json(fitted.to_json())
    assert again.predict(x).tolist() == fitted.predict(x).tolist()


@pytest.mark.parametrize("learner", ["public_gram_regression", "public_ridge_regression"])
def test_a_regressor_takes_secure_randomness_and_charges(learner: str, tmp_path: Path) -> None:
    """Rows as they are, numbers outside of the declared range, a far cell; what is refused costs nothing."""
    ledger = tmp_path / "budget.jsonl"
    Ledger.create(ledger, Budget(3))
    coins = np.random.default_rng(0)
    x = coins.normal(size=(3_000, 3)) * [1, 100, 1e-3] + [0, 7, 1]
    y = 50 + 8 * x[:, 0] - 0.05 * x[:, 1] + coins.normal(size=3_000)
    known = y[:150] if learner == "public_ridge_regression" else None
    settings = {"functions": "linear", "ranges": None, "public": x[:150], "public_responses": known}
    model = SemiPrivateRegressor(
        learner, 3, **settings, response_range=(0, 100), randomness=Secure(), ledger=ledger, request="a number"
    )
    missing, far = x.copy(), x.copy()
    missing[200, 1], far[200, 1] = np.nan, 1e300
    with pytest.raises(ValueError, match="NaN"):
        model.fit(missing, y)
    assert Ledger.open(ledger).summary().accounts[0].left == 3
    fitted = model.fit(far, np.append(y[:-1], 1e9))
    assert Ledger.open(ledger).summary().accounts[0].left == 0
    assert fitted.score(x, y) > 0.9
    assert fitted.release_.certified() == fitted.guarantee_
    again = SemiPrivateRegressor.from_json(fitted.to_json())
    assert again.predict(x).tolist() == fitted.predict(x).tolist()
