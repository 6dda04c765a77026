"""Columns that are several coordinates: categories one by one, and numbers with an indicator of what is unknown."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import releases
from releases import request

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import feature, restored_feature
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.reading import read_public
from semipriv.practice.engine.whole import release
from semipriv.practice.published.model import Model
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import Budget, Ledger

FEATURES: dict[str, Any] = {
    "age": {"range": [0, 120]},
    "region": {"categories": ["north", "south", "east", "islands"]},
    "sex": {"categories": ["F", "M"]},
    "income": {"range": "public", "unknown": "public", "indicator": True},
    "admitted": {"range": ["2023-01-01", "2023-12-31"], "unit": "day", "unknown": "public"},
    "smoker": {"categories": ["yes", "no"], "unknown": "none"},
}
NAMES = (
    *("age", "region = north", "region = south", "region = east", "region = islands", "sex"),
    *("income", "income unknown", "admitted", "smoker = yes", "smoker = no", "smoker = none"),
)
LABEL = {"column": "ill", "one": ["ill"], "zero": ["well"], "unknown": 0}
METRIC = {"class": {"name": "halfspaces"}, "learner": {"name": "public_metric_discriminant", "epsilon": 3}}


def patients(n: int, seed: int) -> pd.DataFrame:
    """n people, ill by age, region and smoking; one in ten has no income, one in ten tells nothing of smoking."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "smoker": rng.choice(["yes", "no", ""], n, p=[0.4, 0.5, 0.1]),
            "age": rng.integers(18, 95, n),
            "region": rng.choice(["north", "south", "east"], n),
            "sex": rng.choice(["F", "M"], n),
            "income": rng.integers(10, 90, n).astype(str),
            "admitted": (np.datetime64("2023-01-01") + rng.integers(0, 365, n)).astype(str),
        }
    )
    table.loc[rng.random(n) < 0.1, "income"] = ""
    score = (table["age"] - 55) / 20 + 1.5 * (table["region"] == "south") - 1.5 * (table["region"] == "east")
    return table.assign(ill=np.where(score + (table["smoker"] == "yes") > 0.4, "ill", "well"))


def project(folder: Path, **changes: Any) -> Path:
    patients(2000, 0).to_csv(folder / "clinic.csv", index=False)
    patients(150, 1).drop(columns="ill").to_csv(folder / "public.csv", index=False)
    (folder / "ledgers").mkdir()
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(epsilon=9), "a clinic")
    return request(folder, **{"features": FEATURES, "label": LABEL, **METRIC, **changes})


# ------------------------------------------------------------------ coordinates
def test_each_record_becomes_its_own_coordinates() -> None:
    records = Records(
        [
            feature("region", {"categories": ["a", "b", "c"], "one_hot": True}),
            feature("sex", {"categories": ["F", "M"], "one_hot": True}),
            feature("income", {"integers": [10, 20], "unknown": 12, "indicator": True}),
            feature("smoker", {"categories": ["yes", "no"], "unknown": "none", "one_hot": True}),
        ]
    )
    table = {"region": ["c", "a"], "sex": ["M", "F"], "income": [None, 99], "smoker": ["what", "no"]}
    points = records.points(table)
    assert points.tolist() == [[0, 0, 1, 1, 2, 1, 0, 0, 1], [1, 0, 0, 0, 10, 0, 0, 1, 0]]
    for row in range(2):
        alone = {column: cells[row : row + 1] for column, cells in table.items()}
        assert records.points(alone).tolist() == [points[row].tolist()]
    low, high = records.box
    assert len(low) == len(high) == records.width == len(records.names) == 9
    assert np.all((points >= low) & (points <= high))
    assert not records.plain
    assert Records.restored(json.loads(json.dumps(records.description()))) == records


def test_the_public_median_stands_for_what_is_unknown() -> None:
    """It is one of the values, within the ends, in the form in which it is declared."""
    dates = pa.chunked_array([["2023-01-04", "2023-01-01", None, "2023-01-02", "2023-01-09"]])
    day = feature("day", {"range": ["2023-01-01", "2023-01-05"], "unit": "day", "unknown": "public"})
    assert day.reads_public
    assert day.closed(dates).description()["unknown"] == "2023-01-02"
    numbers = pa.chunked_array([[4.0, 1.0, None, 2.0, 9.0]])
    for declared, unknown in (([0, 9], 2), ([3, 9], 3), ("public", 2)):
        closed = feature("k", {"integers": declared, "unknown": "public", "indicator": True}).closed(numbers)
        assert (closed.description()["unknown"], closed.reads_public) == (unknown, False)
        assert restored_feature(closed.description()) == closed
    with pytest.raises(ValueError, match="column 'k': no public row has a finite number there"):
        feature("k", {"range": [0, 1], "unknown": "public"}).closed(pa.chunked_array([["", "x"]]))


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"range": [0, 1], "one_hot": True}, "one_hot: is for categories; a range, integers or bins is one coordinate"),
        ({"range": [0, 1], "indicator": True, "unknown": "refuse"}, "indicator: tells which cells are unknown, and"),
        ({"categories": ["a", "b"], "indicator": True}, "indicator: is for a range or integers; categories and bins"),
        ({"categories": "public", "one_hot": True}, "gives each category a weight, so they must be listed"),
        ({"categories": ["a", "b"], "one_hot": 1}, "one_hot = 1: must be True or False"),
        ({"range": [0, 1], "unknown": "median"}, "unknown of 'x' = 'median': is text, must be a number"),
    ],
)
def test_what_does_not_go_together_is_refused(declared: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"^features\.x: ") as caught:
        feature("x", declared)
    assert words in str(caught.value)


MEDIAN = np.quantile(patients(150, 1)["age"], 0.5, method="lower")


# ------------------------------------------------------------------ a person's way
def test_a_mixed_table_is_released_and_predicts_on_raw_rows(tmp_path: Path, capsys) -> None:
    """Eight lines of features, no counting of coordinates; a category that no public row has breaks nothing."""
    path = project(tmp_path)
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
    assert "Halfspaces(dimension=12)" in capsys.readouterr().out
    assert main(["release", str(path)]) == 0
    folder = tmp_path / "results/releases/visits"
    assert sorted(file.name for file in folder.iterdir()) == ["certificate.html", "certificate.json", "model.json"]
    assert all(check.passed for check in verify(folder, tmp_path / "ledgers/clinic.jsonl"))
    model, fresh = Model.load(folder / "model.json"), patients(2000, 2)
    assert model.records.names == NAMES
    assert np.mean(model.predict(fresh) == fresh["ill"]) > 0.8  # 0.6 always say the same
    rare = fresh[:3].assign(region="islands", income=["1e300", "", "nan"], smoker=None)
    assert set(model.predict(rare)) <= {"ill", "well"}
    assert np.isfinite(model.records.points(rare)).all()
    for wrong, usual in (({"region": "west"}, {"region": "north"}), ({"age": "inf"}, {"age": MEDIAN})):
        points = model.records.points(fresh.assign(**wrong))
        assert np.array_equal(points, model.records.points(fresh.assign(**usual))), "as the public rows say"


def test_what_is_not_said_follows_from_the_learner(tmp_path: Path) -> None:
    """Weights need a coordinate for each category; stumps and a choice that has them keep places."""
    path = project(tmp_path)
    public = read_public(load(path))
    assert (public.records.width, public.points.shape) == (12, (150, 12))
    stumps = {"class": {"name": "decision_stumps"}, "learner": {"name": "sspp", "epsilon": 1}}
    known = {"features": FEATURES, "label": LABEL}
    places = load(request(tmp_path, "b.yaml", **known, **stumps))
    assert places.candidate.hypothesis_class.dimension == 7  # six columns and the indicator
    features = {**FEATURES, "region": {**FEATURES["region"], "one_hot": False}}
    assert load(request(tmp_path, "c.yaml", features=features, label=LABEL, **METRIC)).records.width == 9
    both = {"candidates": [stumps, METRIC], "held_out": {"share": 0.2, "epsilon": 1, "choice": 1}}
    assert load(request(tmp_path, "d.yaml", **known, **both, **{"class": None, "learner": None})).records.width == 7


REFUSED = {
    "dimension": (
        {"class": {"name": "halfspaces", "dimension": 6}},
        "features: are 6 columns, 12 coordinates with one_hot and indicator, the class Halfspaces(dimension=6) has 6",
    ),
    "open categories": (
        {"features": {**FEATURES, "sex": {"categories": "public"}}},
        "they must be listed, as [A, B, C]; of many codes list groups, made by a public table of codes, or the most ",
    ),
    "no public rows": (
        {"features": {"age": {"range": [0, 1], "unknown": "public"}}, "public": None, **releases.THRESHOLDS}
        | {"learner": {"name": "fixed_grid", "epsilon": 1, "low": 0, "high": 1, "size": 4}},
        "features.age.unknown: no public row says what stands for a cell",
    ),
    "a synthetic table": (
        {
            "features": {"sex": {"categories": ["a", "b", "c"], "one_hot": True}, "k": {"integers": [0, 3]}},
            "label": None,
            "class": None,
            "learner": {"name": "table_release", "epsilon": 1, "delta": 1e-6},
        },
        "features.sex: a table of marginals has no one_hot and no indicator",
    ),
    "queries": (
        {
            "features": {"x": {"range": [0, 1], "unknown": 0.5, "indicator": True}},
            "label": None,
            "class": {"name": "halfspaces"},
            "learner": {"name": "query_release", "epsilon": 1},
        },
        "features.x: one_hot and indicator are for learners that release what predicts",
    ),
    "a category of public rows": (
        {"features": {**FEATURES, "region": {"categories": ["north", "south", "west"], "unknown": "refuse"}}},
        "public.csv: column 'region', row ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_before_the_charge(tmp_path: Path, capsys, name: str) -> None:
    changes, words = REFUSED[name]
    assert main(["release", str(project(tmp_path, **changes))]) == 2
    assert words in capsys.readouterr().err
    assert releases.kinds(tmp_path) == ["opened"]


def test_one_class_only_and_public_rows_alike_are_no_reason_to_crash(tmp_path: Path) -> None:
    """Everybody is ill: an error would tell.  A column that is the same in public rows may differ in private ones."""
    path = project(tmp_path)
    patients(300, 0).assign(ill="ill").to_csv(tmp_path / "clinic.csv", index=False)
    release(load(path))
    patients(30, 1).assign(sex="F", age=40).to_csv(tmp_path / "public.csv", index=False)
    release(load(path))
