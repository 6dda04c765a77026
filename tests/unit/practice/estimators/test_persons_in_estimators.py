"""Persons in estimators: groups names whose row each is, and all rows of a person are protected together."""

import datetime
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import registry
from semipriv.core.errors import PublicError
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.samples import StatusModel
from semipriv.learners.base import status_model
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.groups import persons_of
from semipriv.practice.estimators.preprocessor import PublicPreprocessor
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.privacy.budget.ledger import Budget, Ledger, LedgerError
from semipriv.privacy.guarantee import Guarantee, Neighbours

PERSON = Neighbours.REPLACE_PERSON
PUBLIC = np.linspace(0, 1, 41)[:, None]
THRESHOLDS = {"hypothesis_class": "thresholds", "public": PUBLIC, "ranges": None, "classes": ("well", "ill")}


def visits(persons: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table of visits: names, rows and labels.  Rows a person have a heavy tail; rows of a person are alike."""
    coins = np.random.default_rng(seed)
    names = np.repeat(np.arange(persons), np.minimum(coins.zipf(1.8, persons), 200))
    own = coins.random(persons)
    x = np.clip(own[names] + coins.normal(0, 0.05, len(names)), 0, 1)
    wrong = coins.random(len(names)) < 0.1
    return names, x[:, None], np.where((x > 0.4) ^ wrong, "ill", "well")


def first_rows(names: np.ndarray) -> np.ndarray:
    return np.unique(names, return_index=True)[1]


# ---------------------------------------------------------------------- a newcomer's way
def test_a_table_of_visits_costs_what_one_row_a_person_costs() -> None:
    """Of 300 persons with up to 200 rows the threshold is found as well as of one row each, at the same epsilon."""
    errors: dict[str, list[float]] = {"average": [], "one": [], "one row a person": []}
    for seed in range(30):
        names, x, y = visits(300, seed)
        model = SemiPrivateClassifier("sspp", 0.5, **THRESHOLDS, randomness=Simulation(seed))
        first = first_rows(names)
        for how, fitted in (
            ("average", clone(model).fit(x, y, groups=names)),
            ("one", clone(model).set_params(rows="one").fit(x, y, groups=names)),
            ("one row a person", clone(model).fit(x[first], y[first])),
        ):
            errors[how].append(abs(fitted.release_.output.parameters[0] - 0.4))
    means = {how: np.mean(of_method) for how, of_method in errors.items()}
    assert means["average"] < means["one row a person"] + 0.01
    assert means["one"] < means["one row a person"] + 0.02
    assert means["one row a person"] < 0.05


def test_the_guarantee_is_for_persons_wherever_it_is_told() -> None:
    names, x, y = visits(200, 0)
    model = SemiPrivateClassifier("sspp", 1.0, **THRESHOLDS, randomness=Secure()).fit(x, y, groups=names)
    assert model.release_.certified() == model.guarantee_ == Guarantee(1.0, 0.0, PERSON)
    again = SemiPrivateClassifier.from_json(model.to_json())
    assert again.guarantee_ == model.guarantee_
    assert json.loads(model.to_json())["release"]["guarantee"]["neighbours"] == "replace_person"
    assert model.fit(x, y).guarantee_.neighbours is Neighbours.REPLACE_PRIVATE_EXAMPLE


def test_a_pipeline_and_a_cross_validation_carry_persons() -> None:
    names, x, y = visits(150, 1)
    scaler = PublicPreprocessor(StandardScaler(), PUBLIC).fit()
    settings = {**THRESHOLDS, "public": scaler.transform(PUBLIC)}
    last = SemiPrivateClassifier("sspp", 2.0, **settings, randomness=Simulation(3))
    pipeline = make_pipeline(scaler, last).fit(x, y, semiprivateclassifier__groups=names)
    assert pipeline[-1].guarantee_.neighbours is PERSON
    scores = cross_val_score(last, scaler.transform(x), y, groups=names, cv=GroupKFold(3), params={"groups": names})
    assert scores.mean() > 0.75


# ---------------------------------------------------------------------- the number of rows is nobody's business
def test_what_is_public_of_a_fit_follows_from_the_number_of_persons(tmp_path) -> None:
    """Beside a table with twice the rows: the same charge, the same text of the request, the same sizes."""
    answers = []
    for times in (1, 2):
        path = tmp_path / f"{times}.jsonl"
        Ledger.create(path, Budget(1, neighbours=PERSON))
        x, y = np.tile([[0.2], [0.8], [0.7]], (times, 1)), np.tile(["well", "ill", "ill"], times)
        names = np.tile(["a", "b", "b"], times)
        model = SemiPrivateClassifier("sspp", "0.5", **THRESHOLDS, randomness=Secure(), ledger=str(path), request="r")
        model.fit(x, y, groups=names)
        (entry,) = [entry for entry in Ledger.open(path).entries if entry.kind == "reserved"]
        shown = repr(model).replace(str(path), "")
        answers.append((entry.payload["event"], entry.payload["request"], shown, model.release_.cost))
        same = model.release_.output.parameters.tolist()
        assert model.fit(x, y, groups=names).release_.output.parameters.tolist() == same
        with pytest.raises(ValueError, match="from other private rows"):
            model.fit(x, y, groups=np.roll(names, 1))
    assert answers[0] == answers[1]


def test_a_ledger_of_rows_does_not_take_persons(tmp_path) -> None:
    Ledger.create(tmp_path / "l", Budget(1))
    model = SemiPrivateClassifier("sspp", "0.1", **THRESHOLDS, randomness=Secure(), ledger=str(tmp_path / "l"))
    x, y = [[0.1], [0.9]], ["well", "ill"]
    model.fit(x, y)
    with pytest.raises(LedgerError, match="neighbours"):
        model.fit(x, y, groups=[1, 1])
    assert model.guarantee_.neighbours is Neighbours.REPLACE_PRIVATE_EXAMPLE, "a refused fit leaves what was"


@pytest.mark.parametrize(
    ("first", "other", "called"),
    [
        (pd.Series([1, 1, 2], name="patient"), pd.Series([1, 2, 2], name="doctor"), "by patient, this one by doctor"),
        (pd.DataFrame({"patient": [1, 1, 2]}), [1, 1, 2], "by patient, this one by an array without a name"),
        (
            np.array([1, 1, 2]),
            pd.DataFrame({"patient": [1, 1, 2], "month": ["a", "b", "a"]}),
            "by an array without a name, this one by patient, month",
        ),
    ],
)
def test_a_ledger_takes_persons_by_one_choice_of_columns(tmp_path, first, other, called) -> None:
    """Costs for patients and for doctors do not add up; a fit that is refused costs nothing."""
    path = tmp_path / "l"
    Ledger.create(path, Budget(1, neighbours=PERSON))
    model = SemiPrivateClassifier("sspp", "0.1", **THRESHOLDS, randomness=Secure(), ledger=str(path))
    rows = [[0.1], [0.5], [0.9]], ["well", "ill", "ill"]
    model.fit(*rows, groups=first)
    with pytest.raises(LedgerError, match=called):
        model.fit(*rows, groups=other)
    with pytest.raises(LedgerError, match="they do not add up; open another ledger"):
        PrivateTable(
            {"sex": ["F", "M"]},
            pd.DataFrame({"sex": ["F", "M"]}),
            epsilon="0.1",
            ways=1,
            person="nurse",
            randomness=Secure(),
            ledger=str(path),
        ).fit(pd.DataFrame({"nurse": [1, 2], "sex": ["M", "M"]}))
    model.fit(*rows, groups=first)
    assert len(Ledger.open(path).charges) == 2


def test_the_guarantee_says_who_a_person_is_and_how_many_there_are() -> None:
    names, x, y = visits(200, 0)
    model = SemiPrivateClassifier("sspp", 1.0, **THRESHOLDS, randomness=Secure())
    for groups, message in (
        (names, "one of 200 persons with all of their rows: who has one name in groups is a person"),
        (pd.Series(names, name="patient"), "of 200 persons with all of their rows: whom the column 'patient' names"),
        (pd.DataFrame({"patient": names, "all": "-"}), "who the columns 'patient', 'all' name together is a person"),
    ):
        model.fit(x, y, groups=groups)
        assert message in repr(model.guarantee_)
        assert repr(SemiPrivateClassifier.from_json(model.to_json()).guarantee_) == repr(model.guarantee_)
    assert "person" not in repr(model.fit(x, y).guarantee_)
    table = PrivateTable({"ill": ["ill", "well"]}, pd.DataFrame({"ill": y[:9]}), epsilon=1.0, ways=1, person="patient")
    table.set_params(randomness=Simulation(0)).fit(pd.DataFrame({"patient": names, "ill": y}))
    assert table.guarantee_.protects.startswith("one of 200 persons with all of their rows: whom the column 'patient'")
    assert PrivateTable.from_json(table.to_json()).guarantee_.protects == table.guarantee_.protects


def test_a_synthetic_table_has_as_many_rows_as_persons() -> None:
    public = pd.DataFrame({"sex": ["F", "M", "F", "M"], "region": [0, 0, 1, 2]})
    coins = np.random.default_rng(0)
    names = np.repeat([f"p{i}" for i in range(2000)], np.minimum(coins.zipf(1.8, 2000), 200))
    many = np.repeat(np.bincount(pd.factorize(names)[0]) > 3, np.bincount(pd.factorize(names)[0]))
    private = pd.DataFrame(
        {"patient": names, "sex": np.where(many, "F", "M"), "region": coins.integers(0, 3, len(names))}
    )
    table = PrivateTable(
        {"sex": ["F", "M"], "region": 3}, public, epsilon=1.0, delta=1e-6, person="patient", randomness=Secure()
    ).fit(private)
    share = private.groupby("patient")["sex"].first().eq("F").mean()
    assert abs(table.answer("sex")[0] - share) < 0.02 < private["sex"].eq("F").mean() - share
    assert table.guarantee_ == Guarantee(1.0, 1e-6, PERSON)
    assert len(table.sample()) == table.rows_ == 2000
    assert PrivateTable.from_json(table.to_json()).guarantee_ == table.guarantee_


def test_declared_columns_of_a_table_and_a_person_in_a_month() -> None:
    public = pd.DataFrame({"sex": ["F", "M"]})
    private = pd.DataFrame({"patient": [1, 1, 2, 2], "month": ["1", "2", "1", "1"], "sex": ["F", "M", None, "M"]})
    schema = {"sex": {"categories": ["F", "M"], "unknown": "none"}}
    table = PrivateTable(
        schema, public, epsilon=1.0, ways=1, person=["patient", "month"], rows="one", randomness=Simulation(0)
    )
    assert table.fit(private).rows_ == 3


# ---------------------------------------------------------------------- every learner
KINDS = {
    "hypothesis": [Halfspaces(1), DiscreteThresholds(3, "ge")],
    "classifier": [LinearRules(1, 2)],
    "regressor": [LinearBall(1), FiniteFunctions([[-1.0, 1.0], [1.0, -1.0]])],
}
LEARNERS = [
    name
    for name in registry.names("learners")
    if (learner := registry.load("learners", name)).output_kind in KINDS and learner.examples()[0].guarantee is not None
]


def learns(learner, functions) -> bool:
    try:
        learner.check(functions)
    except ValueError:
        return False
    return True


def of_learner(learner, rows: str | None = None):
    """An unfitted estimator of a learner on few public points, for rows at 0 and 1 with labels 0 and 1."""
    known = next(functions for functions in KINDS[learner.output_kind] if learns(learner, functions))
    public = np.array([[0.0], [1.0]] * 3)
    targets = np.array([0, 1] * 3) if learner.public_stage.needs_labels else None
    settings = {"public": public, "ranges": None, "rows": rows, "randomness": Simulation(5)}
    if learner.output_kind == "regressor":
        options = {"functions": known, "public_responses": targets, "response_range": (0, 1)}
        return SemiPrivateRegressor(learner, **settings, **options)
    return SemiPrivateClassifier(learner, hypothesis_class=known, public_labels=targets, **settings)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_protects_persons_or_says_why_not(name) -> None:
    """The order of rows and of persons does not matter: the same coins release the same."""
    learner = registry.load("learners", name).examples()[0]
    size = getattr(learner, "own_size", 60)
    coins = np.random.default_rng(2)
    groups = np.repeat(np.arange(size), coins.integers(1, 5, size))
    x = coins.integers(0, 2, len(groups)).astype(float)[:, None]
    y = x[:, 0].astype(int) ^ (coins.random(len(groups)) < 0.2)
    if status_model(learner) is not StatusModel.ANY:
        y = 0 * y + 1
    model = of_learner(learner)
    if learner.guarantee.neighbours is not Neighbours.REPLACE_PRIVATE_EXAMPLE:
        with pytest.raises(ValueError, match="does not extend to persons"):
            model.fit(x, y, groups=groups)
        return
    released = model.fit(x, y, groups=groups).release_
    assert released.guarantee.neighbours is PERSON
    order = coins.permutation(len(groups))
    again = model.fit(x[order], y[order], groups=groups[order]).release_
    for key, array in released.output.arrays().items():
        np.testing.assert_array_equal(again.output.arrays()[key], array)


def test_an_average_is_refused_before_anything_is_charged(tmp_path) -> None:
    path = tmp_path / "l"
    Ledger.create(path, Budget(1, neighbours=PERSON))
    settings = {
        "learner_parameters": {"weights": "discrete_laplace", "scale": "teaching"},
        "randomness": Secure(),
        "ledger": str(path),
    }
    model = SemiPrivateClassifier("rrspm", "0.5", **THRESHOLDS, rows="average", **settings)
    with pytest.raises(ValueError, match="take one"):
        model.fit([[0.1], [0.9]], ["well", "ill"], groups=[1, 2])
    assert [entry.kind for entry in Ledger.open(path).entries if entry.kind == "reserved"] == []


# ---------------------------------------------------------------------- names
@pytest.mark.parametrize(
    ("names", "persons"),
    [
        ([3, 3, 4], 2),
        (["a", " a", "b"], 2),
        ([None, "a", None], 2),
        ([float("nan"), "a", ""], 2),
        (np.array([2**63 - 1, 2**63 - 2, 2**63 - 1]), 2),
        ([10**30, 10**30 + 1, 10**30], 2),
        (pd.Series([1, None, None], dtype="Int64"), 2),
        (pd.Series(["a", None, "a"]), 2),
        (pd.Series(["a", "b", "a"], dtype="category"), 2),
        (pd.Series(pd.to_datetime(["2024-01-01 00:00", "2024-01-01 12:00", None])).dt.date, 2),
        (np.array(["2024-01-03", "2024-01-31", "2024-02-01"], "datetime64[D]"), 3),
        (np.array(["2024-01", "2024-01", "2024-02"], "datetime64[M]"), 2),
        ([np.datetime64("2024-01"), datetime.date(2024, 1, 1), np.datetime64("NaT")], 2),
        ([datetime.date(2024, 1, 1), pd.NaT, datetime.date(2024, 1, 1)], 2),
        (pd.DataFrame({"patient": ["a", "a", "a|b"], "day": ["b", "b", ""]}), 2),
        (pd.DataFrame({"a": ["x|y", "x", "x"], "b": ["z", "y|z", "y|z"]}), 2),
        ([1, 1, 1], 1),
    ],
)
def test_names_are_equal_where_their_texts_are(names, persons) -> None:
    assert persons_of(names, 3).count == persons


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([1.0, 2.0, 3.0], "groups: row 0: must be an integer, a text or a date"),
        (np.array([1.0, 2.0, 3.0]), "groups: has the type double, must be integers, texts or dates"),
        (pd.Series([1, None, 2]), "read them as 'Int64'"),
        ([True, False, True], "groups: row 0"),
        (np.array([True, False, True]), "groups: has the type bool"),
        (["a", "b", ["secret"]], "groups: row 2: must be"),
        (pd.Series(pd.to_datetime(["2024-01-01"] * 3)), "groups: has the type timestamp: a time of day"),
        ([datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1), "secret"], "groups: row 1: is a time of day"),
        ([np.datetime64("2024-01-01T10"), 1, 2], "groups: row 0: is a time of day"),
        (pd.Series(pd.period_range("2024-01", periods=3, freq="M")), "periods of pandas: take .astype(str)"),
        ([1, 2], "groups: must name a person for each row of the table, and is of another length"),
        (np.ones((3, 2), int), "groups: must be one name for each row"),
    ],
)
def test_names_of_another_kind_are_refused_without_a_cell(names, message) -> None:
    with pytest.raises(PublicError, match=re.escape(message)) as caught:
        SemiPrivateClassifier("sspp", 1.0, **THRESHOLDS, randomness=Simulation(0)).fit(
            [[0.0], [0.5], [1.0]], ["well", "ill", "ill"], groups=names
        )
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_one_person_with_all_rows_and_rows_without_any_name_are_fitted() -> None:
    model = SemiPrivateClassifier("sspp", 1.0, **THRESHOLDS, randomness=Secure())
    for names in (["a"] * 3, [None] * 3):
        assert model.fit([[0.0], [0.5], [1.0]], ["well", "ill", "ill"], groups=names).guarantee_.neighbours is PERSON


def test_how_rows_count_is_refused_where_no_person_is_named() -> None:
    """Whoever forgets groups is told, and does not get a release that protects rows."""
    for rows, message in (
        ("one", "no persons are named"),
        ("all", "must be 'average', 'one' or None"),
        (np.array(["one", "one"]), "rows: is ndarray, must be 'average', 'one' or None"),
    ):
        model = SemiPrivateClassifier("sspp", 1.0, **THRESHOLDS, rows=rows, randomness=Simulation(0))
        with pytest.raises(ValueError, match=message):
            model.fit([[0.0], [1.0]], ["well", "ill"])


def test_columns_beside_the_declared_ones_are_passed_over_or_named() -> None:
    """A public table laid out as the private one is taken; what is declared nowhere is to be left out."""
    private = pd.DataFrame({"patient": [1, 1, 2], "sex": ["F", "M", "M"]})
    settings = {"epsilon": 1.0, "ways": 1, "randomness": Simulation(0), "person": "patient"}
    own = {"patient": [7, 8], "sex": ["F", "M"]}
    for public in (own, pd.DataFrame(own)):
        assert PrivateTable({"sex": ["F", "M"]}, public, **settings).fit(private).rows_ == 2
    for given, other in ((own | {"age": [1, 2]}, private), (own, private.assign(age=1))):
        with pytest.raises(ValueError, match=r"'age' is not declared [(]declared: sex[)]: declare it or leave it out"):
            PrivateTable({"sex": ["F", "M"]}, pd.DataFrame(given), **settings).fit(other)


def test_columns_of_persons_are_refused_where_they_cannot_be() -> None:
    public = pd.DataFrame({"sex": ["F", "M"]})
    private = pd.DataFrame({"patient": [1.5, 2.5], "sex": ["M", "M"]})
    settings = {"epsilon": 1.0, "ways": 1, "randomness": Simulation(0)}
    for person, message in (
        ("sex", "also a column of the schema"),
        (["patient", "nobody"], "column 'nobody' is missing"),
        ("Patient", "column 'Patient' is missing, by which persons are known: did you mean 'patient'?"),
        ([], "must be the name of a column"),
        (private["patient"], "person: is Series, must be the name of a column"),
        ("patient", "column 'patient': has the type double"),
    ):
        with pytest.raises(ValueError, match=message):
            PrivateTable({"sex": ["F", "M"]}, public, person=person, **settings).fit(private)
