"""docs/model.md: its Python, without the package, gives what the package gives, for every class of a release."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import ROOT

from semipriv.classes.base import Hypothesis, HypothesisClass, ListedCover, Predictors
from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.clipped_linear import ClippedLinear
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.geometry.grid import Grid
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.practice.asking.classless import report_schema
from semipriv.practice.columns.features import KINDS, Feature, feature
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records
from semipriv.practice.published.model import Model

PAGE = (ROOT / "docs/model.md").read_text()
SECTIONS = dict(re.findall(r"^##+ (.*?)\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S))
YES_NO = Label("y", ["yes"], ["no"])
REGIONS = ["region_complements"] if "learn_half" in registry.names("learners") else []
"""Sets of functions, beside classes, of which a learner outputs one; none without the paper BMN20."""
NOT_PUBLISHED = {"synthetic_data", "synthetic_rows", "transcript"}
"""Kinds of outputs of simulations and of the API."""


def python(text: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))


def page(folder: Path, monkeypatch: pytest.MonkeyPatch, model: Model, *sections: str) -> dict[str, Any]:
    """Run the Python of sections beside the file of a model, and return its names."""
    (folder / "model.json").write_bytes(model.to_bytes())
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for section in ("From a row to a point", *sections):
        exec(compile(python(SECTIONS[section]), "docs/model.md", "exec"), names)
    return names


def columns(functions: Predictors) -> list[Feature] | None:
    """Features whose coordinates the functions take: ranges, or integers as in their example; None: there are none."""
    points = functions.example_points if isinstance(functions, HypothesisClass) else None
    if points is None:
        return [feature(f"x{j}", {"range": [-2, 5.5]}) for j in range(functions.dimension)]
    most = [max(1, int(greatest)) for greatest in points.max(axis=0)]
    ends = [[3, 3 + largest] if largest < 1000 else [0, largest] for largest in most]
    return None if points.min() < 0 else [feature(f"x{j}", {"integers": own}) for j, own in enumerate(ends)]


def some_points(functions: HypothesisClass, seed: int) -> np.ndarray:
    own, coins = functions.example_points, np.random.default_rng(seed)
    return coins.random((6, functions.dimension)) if own is None else coins.permutation(own)[:6]


def tables(features: list[Feature], seed: int) -> dict[str, list[Any]]:
    """Random rows, some of them outside of the declared ranges, all of them at an end of it now and then."""
    coins, columns = np.random.default_rng(seed), {}
    for described in features:
        low, high = described.range if described.kind == "range" else described.integers
        if described.kind == "range":
            cells = coins.uniform(low - 1, high + 1, 60).tolist()
            cells[:4] = [low, high, (low + high) / 2, low - 100.0]
        else:
            cells = coins.integers(low - 1, high + 2, 60).tolist()
        columns[described.column] = cells
    return columns


def releasable() -> Iterator[tuple[str, Predictors, np.ndarray]]:
    """Every set of functions that a release may have, with parameters (k, p) of some of them."""
    for name in registry.names("classes"):
        for seed, functions in enumerate(registry.load("classes", name).examples()):
            points = some_points(functions, seed)
            yield name, functions, functions.cover(functions.validated(points)).listed().parameters
    for d in (1, 2, 3) if REGIONS else ():
        from semipriv.papers.bmn20.regions.region_complements import RegionComplements

        own = RegionComplements(Grid((0.0,) * d, (1.0,) * d))
        halves = np.random.default_rng(d).integers(-9, 9, (own.rows, d + 1))
        halves[:, -1] *= own.grid.steps // 4
        yield registry.name_of(own), own, np.array([halves.ravel(), own.parameters(halves[:1], None)], np.float64)
    for d in (1, 2, 3):
        coins = np.random.default_rng(d)
        centre, scale = coins.random(d), coins.random(d) / 5
        clipped = ClippedHalfspaces(tuple(centre.tolist()), tuple(scale.tolist()))
        yield registry.name_of(clipped), clipped, coins.normal(size=(6, d + 1))


def rows_of(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def test_every_set_of_functions_that_a_learner_outputs_is_asked() -> None:
    """Learners output hypotheses of their classes, or of these."""
    for name in registry.names("learners"):
        registry.load("learners", name)
    own = {kind for kind in Predictors.__subclasses__() if kind.__module__.startswith("semipriv.")}
    names = {kind.__name__ for kind in own if not kind.__module__.startswith("semipriv.audit.properties.")}
    assert names == {"HypothesisClass", "ClippedHalfspaces", *(["RegionComplements"] if REGIONS else [])}


@pytest.mark.parametrize("name", [*registry.names("classes"), "clipped_halfspaces", *REGIONS])
def test_the_page_predicts_as_the_package_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for seed, (own, functions, parameters) in enumerate(releasable()):
        features = columns(functions) if own == name else None
        if features is None:
            continue
        table = tables(features, seed)
        for p in np.random.default_rng(seed).permutation(parameters)[:6]:
            model = Model("m", Records(features, YES_NO), Hypothesis(functions, p), {"n_private": 1})
            names = page(tmp_path, monkeypatch, model, name, "A hypothesis")
            predicted = [names["predict"](row) for row in rows_of(table)]
            assert predicted == [[label] for label in model.predict(table).tolist()], (functions, p)
            seen |= {label for (label,) in predicted}
    assert seen == {"yes", "no"}


def test_the_page_predicts_classes_as_the_package_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores are equal, too: to the last digit."""
    label, coins = ClassLabel("y", ["no", ["some", "few"], "many"]), np.random.default_rng(4)
    seen = set()
    for d in (1, 2, 3, 3):
        functions = ClippedLinearRules(tuple(coins.random(d).tolist()), tuple((coins.random(d) / 5).tolist()), 3)
        features = [feature(f"x{j}", {"range": [-2, 5.5]}) for j in range(d)]
        table = tables(features, d)
        output = Classifier(functions, coins.normal(size=functions.width))
        model = Model("m", Records(features, label), output, {"n_private": 1})
        names = page(tmp_path, monkeypatch, model, "A classifier")
        sides = dict(zip(label.sides, label.description()["classes"], strict=True))
        predicted = model.predict(table).tolist()
        assert [names["predict"](row) for row in rows_of(table)] == [sides[side] for side in predicted]
        seen |= set(predicted)
        assert [names["scores"](row) for row in rows_of(table)] == output.scores(model.records.points(table)).tolist()
    assert seen == {"no", "some or few", "many"}


def test_the_page_predicts_numbers_as_the_package_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coins = np.random.default_rng(2)
    for d in (1, 3):
        features = [feature(f"x{j}", {"range": [-2, 5.5]}) for j in range(d)]
        functions = ClippedLinear(tuple(coins.random(d).tolist()), tuple((coins.random(d) / 5).tolist()))
        records, table = Records(features, Response("y", [-3, 12.5])), tables(features, d)
        for p in coins.normal(size=(6, d + 1)) / 3:
            model = Model("m", records, Regressor.single(functions, p), {"n_private": 1})
            names = page(tmp_path, monkeypatch, model, "A function to numbers")
            assert [names["predict"](row) for row in rows_of(table)] == model.predict(table).tolist()


def test_the_page_reads_the_numbers_of_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = [
        feature("a", {"categories": ["x", "y"]}),
        feature("b", {"integers": [3, 5]}),
        feature("c", {"range": [0, 9]}),
    ]
    asked = [{"statistic": "count", "by": ["b", "a"]}, {"statistic": "mean", "column": "c", "by": ["a"]}]
    learner, records = StatisticsRelease(1.0, statistics=asked, ends="declared"), Records(features)
    coins = np.random.default_rng(4)
    rows = np.column_stack([coins.integers(0, 2, 900), coins.integers(0, 3, 900), coins.random(900)]).astype(float)
    prepared = learner.prepare(np.empty((0, 3)), report_schema(records))
    output = learner.release(prepared, rows, Simulation(1)).output
    names = page(tmp_path, monkeypatch, Model("m", records, output, {"n_private": 900}), "A report")
    values = [[names["released"]("count", None, b=b, a=a) for a in "xy"] for b in (3, 4, 5)]
    assert values == output.find("count", None, "b", "a").tolist()
    assert [names["released"]("mean", "c", a=a) for a in "xy"] == output.find("mean", "c", "a").tolist()


def test_every_kind_of_output_has_a_section() -> None:
    assert set(registry.names("outputs")) - NOT_PUBLISHED == {
        "hypothesis",
        "classifier",
        "regressor",
        "answers",
        "weighted_rows",
        "grown_rows",
        "report",
    }
    sections = {"A hypothesis", "A classifier", "A function to numbers", "Answers", "Weighted rows", "A report"}
    assert sections <= set(SECTIONS)


def test_every_kind_of_feature_is_on_the_page() -> None:
    assert all(f"`{kind}`" in SECTIONS["From a row to a point"] for kind in KINDS)


def test_ten_lines_predict_with_a_halfspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = python(PAGE.partition("\n## ")[0])
    assert len([line for line in text.splitlines() if line.strip()]) == 10
    features, coins = [feature(c, {"range": [-1, 7]}) for c in "abc"], np.random.default_rng(3)
    table = tables(features, 1)
    for _ in range(10):
        output = Hypothesis(Halfspaces(3), coins.normal(size=4))
        model = Model("m", Records(features, YES_NO), output, {"n_private": 1})
        names: dict[str, Any] = {}
        page(tmp_path, monkeypatch, model)
        exec(compile(text, "docs/model.md", "exec"), names)
        assert [names["predict"](row) for row in rows_of(table)] == [[label] for label in model.predict(table).tolist()]


def test_cells_of_every_kind_become_the_same_coordinates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = [
        feature("a", {"range": [-3, 8], "unknown": 2.5}),
        feature("b", {"integers": [-3, 8], "unknown": 0}),
        feature("c", {"categories": ["F", "M", 7], "unknown": "M"}),
        feature("d", {"categories": ["F", "M"], "unknown": "none"}),
        feature("e", {"range": ["1969-12-30", "2024-02-29"], "unit": "day", "unknown": "2000-01-01"}),
        feature("f", {"integers": ["2023-01-01T00:30", "2023-01-03"], "unit": "hour", "unknown": "2023-01-01"}),
        feature("g", {"categories": ["F", "M"], "unknown": "none", "one_hot": True}),
        feature("h", {"categories": ["F", "M"], "unknown": "M", "one_hot": True}),
        feature("i", {"integers": [0, 9], "unknown": 4, "indicator": True}),
        feature("j", {"bins": [0, 1.5, 4], "unknown": "none"}),
        feature("k", {"bins": ["2020-01-01", "2020-06-01", "2021-01-01"], "unit": "day", "unknown": "2020-07-01"}),
    ]
    model = Model("m", Records(features, YES_NO), Hypothesis(Halfspaces(14), np.ones(15)), {"n_private": 1})
    table = {
        "a": [-3.0, 8.0, 1 / 3, None, 1e300, -7.0],
        "b": [-3, 8, 0, None, 10**9, -10],
        "c": ["F", "M", "7", None, "F", "7"],
        "d": ["F", "M", "none", None, "F", "M"],
        "e": ["1969-12-31T23:59", "1970-01-01", "2023-03-01", None, "1800-01-01", "2100-01-01"],
        "f": ["2023-01-01T00:59:59", "2023-01-02", "2023-01-02T23:00", None, "1800-01-01", "2100-01-01"],
        "g": ["F", "M", "none", None, "F", "M"],
        "h": ["F", "M", "M", None, "F", "M"],
        "i": [0, 9, 4, None, 10, -1],
        "j": [0.0, 1.5, 4.0, None, -7.0, 9.0],
        "k": ["2020-01-01", "2020-06-01", "2020-05-31T23:00", None, "1800-01-01", "2100-01-01"],
    }
    names = page(tmp_path, monkeypatch, model)
    assert [names["point"](row) for row in rows_of(table)] == model.records.points(table).tolist()


@pytest.mark.parametrize("name", registry.names("classes"))
def test_answers_of_the_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = registry.load("classes", name).examples()[0]
    cover = functions.cover(functions.validated(some_points(functions, 1))).listed()
    shares = np.random.default_rng(1).random(len(cover))
    answers = Answers(ListedCover(functions, cover.points, cover.parameters), cover.points, shares, None, "01")
    model = Model("m", Records([feature("x", {"range": [0, 1]})], None), answers, {"n_private": 1})
    names = page(tmp_path, monkeypatch, model, name, "Answers")
    queries = functions.cover(cover.points, "upper").listed().parameters[:20]
    assert [names["share"](query.tolist()) for query in queries] == answers.answer(queries).tolist()


def test_weighted_rows_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = Records([feature("age", {"integers": [20, 29]}), feature("sex", {"categories": ["F", "M"]})])
    rows = np.array([[a, s] for a in range(10) for s in range(2)])
    weights = np.random.default_rng(0).dirichlet(np.ones(20))
    output = WeightedRows(records.schema, rows, weights, weights)
    names = page(tmp_path, monkeypatch, Model("m", records, output, {"n_private": 1}), "Weighted rows")
    by: Callable[[int, str], Any] = lambda a, s: lambda row: row["age"] == a and row["sex"] == s  # noqa: E731
    shares = [[names["share"](by(20 + a, s)) for s in "FM"] for a in range(10)]
    assert np.allclose(shares, output.answer("age", "sex"), rtol=0, atol=1e-15)
