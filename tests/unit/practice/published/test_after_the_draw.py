"""What is told of a fresh release: that it verifies, and what its model predicts of the public rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from releases import CHOICE, EVERY_RULE, THRESHOLDS, kinds, lay_out, people, project, request

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.engine import publish, whole
from semipriv.practice.published.certificate import PREDICTED, to_bytes
from semipriv.practice.published.model import Model
from semipriv.practice.published.verify import read_certificate, verify

LINEAR = {
    "features": {"age": {"range": [0, 100]}, "dollars": {"range": [0, 1000]}},
    "response": {"column": "cost", "range": [0, 400], "unknown": "refuse"},
    "label": None,
    "class": {"name": "linear", "dimension": 2},
    "learner": {"name": "public_gram_regression", "epsilon": 1},
}
CLASSES = {
    "label": {"column": "ill", "classes": ["yes", "no"], "unknown": "refuse"},
    "class": {"name": "linear_rules", "dimension": 2, "classes": 2},
    "learner": {"name": "public_metric_multiclass", "epsilon": 1},
}
KINDS: dict[str, dict[str, Any]] = {
    "two labels": {},
    "a choice": CHOICE | {"features": {"age": {"range": [0, 100]}}, "class": None, "learner": None},
    "classes": CLASSES,
    "a number": LINEAR,
}


def predictions_of(folder: Path) -> Any:
    return read_certificate(folder / "results/releases/visits")["predicate"][PREDICTED]


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_of_the_public_rows_are_those_of_the_model(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path, 2_000, {"epsilon": 3}, **KINDS[kind])
    for name in ("clinic", "public"):
        table = pd.read_csv(tmp_path / f"{name}.csv")
        table.assign(cost=2 * table["age"] + table["dollars"] / 10).to_csv(tmp_path / f"{name}.csv", index=False)
    assert main(["release", str(path)]) == 0
    folder, predictions = tmp_path / "results/releases/visits", predictions_of(tmp_path)
    public = pd.read_csv(tmp_path / "public.csv")
    predicted = Model.load(folder / "model.json").predict(public)
    assert predictions["rows"] == len(public) == 9
    if kind == "a number":
        assert (predictions["least"], predictions["greatest"]) == (predicted.min(), predicted.max())
        assert predictions["least"] < predictions["greatest"]
    else:
        assert {label["label"]: label["rows"] for label in predictions["labels"]} == {
            label: int(np.sum(predicted == label)) for label in ("no", "yes")
        }
    printed = capsys.readouterr().out
    assert "predictions of the 9 public rows: " in printed or "NOTE one label on all 9 public rows" in printed
    assert main(["release", str(path)]) == 0
    assert predictions_of(tmp_path) == predictions, "stored with the draw"


@pytest.mark.parametrize("held_out", [None, {"share": 0.2, "epsilon": "0.5"}])
@pytest.mark.parametrize("only", ["yes", "no"])
def test_a_constant_model_says_so(tmp_path: Path, only: str, held_out: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A label that is read wrongly in all rows, as YES for yes: few mistakes on held-out rows do not tell."""
    path = project(tmp_path, 2_000, {"epsilon": 2}, held_out=held_out)
    people(2_000, 0).assign(ill=only).to_csv(tmp_path / "clinic.csv", index=False)
    assert main(["release", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (note,) = (line for line in lines if line.startswith("NOTE one label"))
    assert note.startswith(f"NOTE one label on all 9 public rows, '{only}': the model tells none of them apart")
    assert {label["label"]: label["rows"] for label in predictions_of(tmp_path)["labels"]} == {"yes": 0, "no": 0} | {
        only: 9
    }


def test_errors_of_each_label_by_itself_show_a_constant_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One in ten is ill, whatever the columns are: the error is .1, of the ill it is 1."""
    groups = {"column": "ill", "categories": ["yes", "no"], "unknown": "refuse", "epsilon": 1}
    path = project(tmp_path, 4_000, {"epsilon": 4}, held_out={"share": 0.25, "epsilon": 1, "groups": groups})
    ill = np.where(np.random.default_rng(4).random(4_000) < 0.1, "yes", "no")
    people(4_000, 0).assign(ill=ill).to_csv(tmp_path / "clinic.csv", index=False)
    assert main(["release", str(path)]) == 0
    assert "NOTE one label on all 9 public rows, 'no'" in capsys.readouterr().out
    quality = read_certificate(tmp_path / "results/releases/visits")["predicate"]["quality"]
    errors = {error["group"]: error["error"] for error in quality["groups"]["errors"]}
    assert 1 - quality["accuracy"] < 0.15
    assert errors["yes"] > 0.8
    assert errors["no"] < 0.05


def test_what_predicts_nothing_has_no_predictions(tmp_path: Path) -> None:
    path = project(tmp_path, **EVERY_RULE)
    whole.release(load(path))
    assert predictions_of(tmp_path) is None


@pytest.mark.parametrize(
    "other",
    [
        None,
        {"rows": 6, "labels": [{"label": "no", "rows": 6}, {"label": "yes", "rows": 1}]},
        {"rows": 7, "labels": [{"label": "no", "rows": 6}, {"label": "yes", "rows": 1}]},
        {"rows": 6, "labels": [{"label": "no", "rows": 6}]},
        {"rows": 6, "labels": [{"label": "well", "rows": 6}, {"label": "yes", "rows": 0}]},
        {"rows": 6, "least": 0.0, "greatest": 1.0},
    ],
)
def test_predictions_that_cannot_be_are_refused_by_the_files_alone(tmp_path: Path, other: Any) -> None:
    path = lay_out(tmp_path, THRESHOLDS)
    folder = whole.release(load(path)).staged.request.folder
    certificate = read_certificate(folder)
    assert certificate["predicate"][PREDICTED]["rows"] == 6
    certificate["predicate"][PREDICTED] = other
    (folder / "certificate.json").write_bytes(to_bytes(certificate))
    assert [check.what for check in verify(folder) if not check.passed] == ["the certificate speaks of the model"]


# ------------------------------------------------------------------ verified before it says so
@pytest.mark.parametrize("name", ["model.json", "certificate.json", "synthetic.csv", "intervals.parquet"])
def test_a_release_that_is_not_what_was_drawn_does_not_say_that_it_is(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a full or failing disk may leave a file; the same request publishes again, and spends nothing."""
    path = project(tmp_path, **EVERY_RULE)
    write, results = publish._written, tmp_path / "results"

    def broken(at: Path, content: bytes) -> Path:
        spoilt = at.name == name and at.is_relative_to(results)  # the rehearsal on made-up rows is whole
        return write(at, content[:-8] if spoilt else content)

    monkeypatch.setattr(publish, "_written", broken)
    assert main(["release", str(path)]) == 2
    printed = capsys.readouterr()
    assert "drawn (entry" not in printed.out
    assert "results/releases/visits" in printed.err
    assert len(printed.err.splitlines()) == 1
    monkeypatch.setattr(publish, "_written", write)
    assert main(["release", str(path)]) == 0
    assert "was drawn before: published again, nothing spent" in capsys.readouterr().out
    assert kinds(tmp_path) == ["opened", "reserved", "released"]


def test_files_of_another_release_of_the_same_name_are_gone(tmp_path: Path) -> None:
    """A table, then a model: the old synthetic table would be taken for one of the new release."""
    path = project(tmp_path, budget={"epsilon": 2}, **EVERY_RULE)
    folder = whole.release(load(path)).staged.request.folder
    assert (folder / "synthetic.csv").exists()
    whole.release(load(request(tmp_path)))
    assert sorted(file.name for file in folder.iterdir()) == ["certificate.html", "certificate.json", "model.json"]
    assert json.loads((folder / "model.json").read_text())["output"]["is"]["kind"] == "hypothesis"
