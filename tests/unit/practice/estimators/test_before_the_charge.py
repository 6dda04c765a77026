"""What a private row decides is refused before a ledger is charged: by every learner, of every class that it learns."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn

from semipriv.classes.base import as_class
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core import registry, rooms
from semipriv.core.randomness import Secure
from semipriv.core.samples import StatusModel
from semipriv.learners.base import status_model
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.guarantee import Neighbours

ROW, ODD = 5, 7.4375
CELLS = [np.nan, np.inf, -1.0, ODD, 2.0**70, 1e308]
"""Cells that some classes take and others do not."""


def released(name: str) -> Any:
    """Return an example of a learner that may be released, if there is one."""
    return next(
        (example for example in registry.load("learners", name).examples() if example.releasable and example.guarantee),
        None,
    )


LEARNERS = [
    name
    for name in registry.names("learners")
    if registry.load("learners", name).output_kind in ("hypothesis", "classifier", "regressor") and released(name)
]


def functions_of(learner: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """Everything small that a learner learns, one or two examples of each class, with points (n, d) of its domain."""
    place = rooms.RESPONSES if learner.output_kind == "regressor" else rooms.LABELS
    for room in rooms.of("class", place):
        for name in registry.names(room):
            for functions in registry.load(room, name).examples()[:2]:
                if functions.dimension <= 2 and (points := points_of(learner, functions)) is not None:
                    yield functions, points


def points_of(learner: Any, functions: Any) -> np.ndarray | None:
    """Return points that the class has and the learner takes, the first that will do; None if it does not learn it."""
    known = getattr(functions, "example_points", None)
    places = np.random.default_rng(0).uniform(0, 0.7, (8, functions.dimension))
    for points in [known, places, np.rint(2 * places), np.rint(places)]:
        try:
            prepared = points is not None and as_prepared(learner, functions, points)
            if prepared:
                learner.check_release(prepared, getattr(learner, "own_size", 24))
                return points
        except (ValueError, AttributeError):
            continue
    return None


def examples(learner: Any, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return private points (n, d), and labels (n,) that the learner allows."""
    n = getattr(learner, "own_size", 24)
    x = points[np.arange(n) % len(points)]
    return x, np.ones(n, int) if status_model(learner) is not StatusModel.ANY else np.arange(n) % 2


def as_prepared(learner: Any, functions: Any, points: np.ndarray) -> Any:
    as_class(functions, learner.public_stage.learns)
    return learner.prepare(points, functions, np.zeros(len(points)) if learner.public_stage.needs_labels else None)


def refusal(asked: Any, rows: np.ndarray, y: np.ndarray) -> ValueError | None:
    try:
        asked.fit(rows, y)
    except ValueError as error:
        return error
    return None


def model(learner: Any, functions: Any, path: str, public: np.ndarray) -> Any:
    shown = np.zeros(len(public), int) if status_model(learner) is not StatusModel.ANY else np.arange(len(public)) % 2
    known = shown if learner.public_stage.needs_labels else None
    settings = {"public": public, "ranges": None, "randomness": Secure(), "ledger": path}
    if learner.output_kind == "regressor":
        options = {"functions": functions, "public_responses": known, "response_range": (0, 1)}
        return SemiPrivateRegressor(learner, **settings, **options)
    classes = (0, 1) if learner.output_kind == "hypothesis" else tuple(range(functions.classes))
    options = {"hypothesis_class": functions, "public_labels": known, "classes": classes}
    return SemiPrivateClassifier(learner, **settings, **options)


def ledger(path: Any, learner: Any, name: str) -> str:
    file = str(path / f"{name}.jsonl")
    Ledger.create(file, Budget(1000, "0.1", failures="0.09", neighbours=learner.guarantee.neighbours))
    return file


def entries(path: str) -> list[str]:
    return [entry.kind for entry in Ledger.open(path).entries]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_row_outside_of_the_domain_costs_nothing(name: str, tmp_path) -> None:
    """It is refused without an entry, by its row alone; or it is inside, and then a release is drawn."""
    learner, refused = released(name), 0
    for place, (functions, points) in enumerate(functions_of(learner)):
        x, y = examples(learner, points)
        path = ledger(tmp_path, learner, str(place))
        asked = model(learner, functions, path, x[:6] if learner.reads_unlabelled else np.unique(x, axis=0)[:6].copy())
        if learner.reads_unlabelled:
            y = np.append(y, [2] * 600)
            x, asked = np.resize(x, (len(y), x.shape[1])), asked.set_params(unlabelled=2)
        for cell in CELLS:
            rows, before = x.copy(), entries(path)
            rows[ROW, -1] = cell
            with sklearn.config_context(assume_finite=True):
                error = refusal(asked, rows, y)
            if error is None:
                assert entries(path)[len(before) :] == ["reserved", "released"], (functions, cell)
                continue
            refused += 1
            assert entries(path) == before, (functions, cell, error)
            assert f"row {ROW}" in str(error), (functions, cell)
            assert str(ODD) not in str(error)
            assert (error.__cause__, error.__context__) == (None, None)
    assert refused >= 2, "NaN and infinity are nobody's cells"


@pytest.mark.parametrize(
    ("label", "rows"),
    [("secret", object), (ODD, float), (None, object), (np.nan, float), ([1], object), (pd.NA, object), (2, int)],
)
def test_a_label_that_is_not_declared_costs_nothing(label: Any, rows: type, tmp_path) -> None:
    x = np.arange(16.0)[:, None]
    y = np.array([0, 1] * 8, object)
    y[ROW] = label
    labels = y if rows is object else y.astype(rows)
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(1))
    asked = SemiPrivateClassifier(
        "sspp",
        1,
        hypothesis_class=DiscreteThresholds(4),
        public=[[1], [8]],
        ranges=None,
        randomness=Secure(),
        ledger=path,
    )
    for given in (labels, list(labels), pd.Series(labels)):
        with pytest.raises(ValueError, match=f"y: row {ROW}: must be one of the declared classes") as error:
            asked.fit(x, given)
        assert entries(path) == ["opened"]
        assert "secret" not in str(error.value)
        assert str(ODD) not in str(error.value)
    y[ROW] = 1
    asked.fit(x, y)
    assert entries(path) == ["opened", "reserved", "released"], "a mended table has the whole budget"


def test_a_row_keeps_its_number_among_rows_without_a_label(tmp_path) -> None:
    """Of a row with a label, of one without, and of a label that is not declared."""
    learner = released("generic_learner")
    path = ledger(tmp_path, learner, "partly")
    x = np.zeros((800, 1))
    y = np.where(np.arange(800) % 20, "?", "low").astype(object)
    asked = SemiPrivateClassifier(
        learner,
        hypothesis_class=DiscreteThresholds(4),
        unlabelled="?",
        classes=("low", "high"),
        ranges=None,
        randomness=Secure(),
        ledger=path,
    )
    for row in (60, 61):
        bad, wrong = x.copy(), y.copy()
        bad[row], wrong[row] = ODD, "secret"
        with pytest.raises(ValueError, match=f"X: row {row}: is outside of the domain"):
            asked.fit(bad, y)
        with pytest.raises(ValueError, match=f"y: row {row}: must be one of the declared classes"):
            asked.fit(x, wrong)
    assert entries(path) == ["opened"]


def test_a_label_of_the_public_side_costs_nothing(tmp_path) -> None:
    """Where private examples have label 1 by their status."""
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(9, neighbours=Neighbours.REPLACE_PRIVATE_FEATURES))
    x = np.random.default_rng(0).integers(0, 9, (20, 2)).astype(float)
    settings = {"public": x[:5], "public_labels": np.zeros(5, int), "randomness": Secure(), "ledger": path}
    asked = SemiPrivateClassifier(LearnHalf(1.0), hypothesis_class="halfspaces", ranges=None, **settings)
    y = np.ones(15, int)
    y[ROW] = 0
    with pytest.raises(ValueError, match=f"y: row {ROW}: under label_determined an example is private iff"):
        asked.fit(x[5:], y)
    assert entries(path) == ["opened"]


def test_declared_columns_that_leave_the_domain_are_refused_whatever_the_rows(tmp_path) -> None:
    """By the ends of their declaration: no private row decides."""
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(1))
    settings = {"hypothesis_class": DiscreteThresholds(4), "ranges": None, "randomness": Secure(), "ledger": path}
    people = pd.DataFrame({"age": np.arange(12)})
    for declared in ({"integers": [0, 16]}, {"range": [0, 1]}):
        asked = SemiPrivateClassifier("sspp", 1, public=people[::-1].copy(), columns={"age": declared}, **settings)
        for rows in (people, people + ODD):
            with pytest.raises(ValueError, match="features: do not fit the class DiscreteThresholds") as error:
                asked.fit(rows, np.arange(12) % 2)
            assert (error.value.__cause__, error.value.__context__) == (None, None)
    assert entries(path) == ["opened"]
    asked.set_params(columns={"age": {"integers": [0, 15]}}).fit(people + 99, np.arange(12) % 2)
    assert entries(path) == ["opened", "reserved", "released"]


@pytest.mark.parametrize("cell", ["SECRET", None, [7], ODD])
def test_a_cell_of_a_table_that_is_not_declared_costs_nothing(cell: Any, tmp_path) -> None:
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(1, "1e-6"))
    public = pd.DataFrame({"sex": ["F", "M"], "age": [20, 40]})
    asked = PrivateTable(
        {"sex": ["F", "M"], "age": range(20, 80, 20)}, public, epsilon=1, randomness=Secure(), ledger=path
    )
    for column in public:
        private = public.iloc[[0, 1] * 8].reset_index(drop=True).astype(object)
        private.at[ROW, column] = cell
        for table in (private, {name: private[name].tolist() for name in private}):
            with pytest.raises(ValueError, match=f"private table: column '{column}', row {ROW}: must be") as error:
                asked.fit(table)
            assert not any(word in str(error.value) for word in ("SECRET", str(ODD), "[7]"))
            assert error.value.__context__ is None
            assert entries(path) == ["opened"]


def test_a_refused_fit_leaves_the_one_before_it() -> None:
    """What was released, and paid for, still predicts the same: after other columns, classes, rows or ranges."""
    x, y = np.arange(24.0)[:, None] / 24, np.arange(24) % 2
    settings = {"public": 5, "ranges": (0, 1), "randomness": Secure()}
    model = SemiPrivateClassifier("sspp", 1, hypothesis_class="thresholds", **settings).fit(x, y)
    line = SemiPrivateRegressor("public_gram_regression", 1, response_range=(0, 1), **settings).fit(x, y)
    table = PrivateTable({"a": 2}, {"a": [0, 1]}, epsilon=1, ways=1, randomness=Secure()).fit({"a": y})
    for fitted, bad in (
        (model, (np.hstack([x, x]), y)),
        (model, (x, y + 1)),
        (line, (x, y * np.nan)),
        (table, ({"a": y + 1},)),
    ):
        kept = fitted.to_json()
        with pytest.raises(ValueError, match=r"row|feature"):
            fitted.fit(*bad)
        assert fitted.to_json() == kept
    model.set_params(classes=("b", "a"), columns={"z": {"range": [0, 1], "unknown": 0}})
    with pytest.raises(ValueError, match="ranges: the ends"):
        model.fit(pd.DataFrame({"z": x[:, 0]}), y)
    assert set(model.predict(x)) <= {0, 1}


def test_what_fails_inside_a_draw_is_withheld(tmp_path, monkeypatch) -> None:
    """Nothing is known to fail there; whatever does repeats no cell."""
    path = str(tmp_path / "ledger.jsonl")
    Ledger.create(path, Budget(1))

    def careless(self, prepared, points, labels, randomness):
        raise ValueError(f"points = {points}")

    monkeypatch.setattr(registry.load("learners", "sspp"), "release", careless)
    asked = SemiPrivateClassifier(
        "sspp", 1, hypothesis_class="thresholds", public=4, ranges=(0, 9), randomness=Secure(), ledger=path
    )
    with pytest.raises(ValueError, match=r"the draw failed \(ValueError; its text is withheld") as error:
        asked.fit(np.full((9, 1), ODD), [0, 1, 0] * 3)
    assert str(ODD) not in str(error.value)
    assert (error.value.__cause__, error.value.__context__) == (None, None)
