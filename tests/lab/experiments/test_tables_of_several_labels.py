"""Experiments with several labels: from a table to means, and what is wrong with a label."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import specified
from sklearn.datasets import load_wine
from specified import SEVERAL_LABELS, run_rules

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.core import tables
from semipriv.core.samples import ClassSample
from semipriv.core.tables import Column, Schema
from semipriv.learners.public_model_multiclass import PublicModelMulticlass
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.config import Experiment, label
from semipriv_lab.experiments.schemas import SAMPLES, SUMMARY, TRIALS
from semipriv_lab.workflow.split_table import read_table
from semipriv_lab.workflow.storage import read_private, read_public, read_samples
from semipriv_lab.workflow.write_table import write_table

load = partial(specified.load, base=SEVERAL_LABELS)
BOTH = [*SEVERAL_LABELS["learners"], {"name": "public_model_multiclass", "epsilon": 3}]


def test_from_a_table_to_means(tmp_path: Path) -> None:
    """The parts are rows of the table, a release is what the learner makes of them, an error the share of mistakes."""
    experiment = Experiment.from_json(load(tmp_path, {"learners": BOTH}).to_json())
    path = tmp_path.joinpath
    write_table("wine", path("table"))
    run_rules(experiment, tmp_path, path("table"))
    known = load_wine()
    rows = {tuple(row): int(kind) for row, kind in zip(known.data[:, [0, 6]], known.target, strict=True)}
    centres = {row["trial"]: row for row in tables.read_rows(path("public"), SAMPLES)}
    parts = {
        name: {trial: of_trial for _, trial, of_trial in read_samples(path(name), experiment)}
        for name in ("private", "held")
    }
    assert [len(parts[name][0]) for name in ("private", "held")] == [110, 28]
    for sample, trial in ((sample, trial) for part in parts.values() for trial, sample in part.items()):
        assert isinstance(sample, ClassSample)
        assert set(sample.labels) == {0, 1, 2}
        own = sample.points * centres[trial]["scale"] + centres[trial]["centre"]
        near = [min(rows, key=lambda row: np.abs(np.subtract(row, x)).sum()) for x in own]
        np.testing.assert_allclose(near, own, atol=1e-9)
        assert [rows[row] for row in near] == sample.labels.tolist()
    learner = PublicModelMulticlass(3.0)
    for cell, trial, points, labels in read_public(path("public"), experiment):
        (sample,) = (drawn for _, number, drawn, _ in read_private(path("private"), experiment) if number == trial)
        prepared = learner.prepare(points, LinearRules(2, 3), labels)
        coins = experiment.stream(cell, trial).spawn("learner", label(learner))
        released = learner.release(prepared, sample.points, sample.labels, coins).output
        held = parts["held"][trial]
        wrong = np.mean(released.predict(held.points) != held.labels)
        (row,) = (r for r in tables.read_rows(path("trials"), TRIALS) if (r["trial"], r["epsilon"]) == (trial, 3.0))
        assert row["error"] == pytest.approx(wrong)
        assert row["standard_error"] == pytest.approx(np.sqrt(wrong * (1 - wrong) / 28))
    means = tables.read_rows(path("summary"), SUMMARY)
    assert [(row["name"], row["epsilon"], row["trials"]) for row in means] == [
        ("public_metric_multiclass", 1.0, 2),
        ("public_metric_multiclass", 10.0, 2),
        ("public_model_multiclass", 3.0, 2),
    ]
    assert all(row["axis"] == "error on the held-out part" and row["bound"] is None for row in means)


def test_public_labels_are_stored_for_learners_that_need_them(tmp_path: Path) -> None:
    write_table("wine", tmp_path / "table")
    for learners in (SEVERAL_LABELS["learners"], BOTH):
        run_rules(load(tmp_path, {"learners": learners}), tmp_path, tmp_path / "table")
        public = tables.read_rows(tmp_path / "public", SAMPLES)
        assert [row["labels"] is None for row in public] == [learners is not BOTH] * 2


def test_two_labels_are_several(tmp_path: Path) -> None:
    """A class of two labels of the several takes a column of 0 and 1."""
    table = {"name": "breast_cancer", "features": ["mean radius", "mean texture"], "label": "malignant"}
    experiment = load(tmp_path, {"class.classes": 2, "table": table, "n_private": 400})
    write_table("breast_cancer", tmp_path / "table")
    run_rules(experiment, tmp_path, tmp_path / "table")
    assert all(row["error"] < 0.3 for row in tables.read_rows(tmp_path / "trials", TRIALS) if row["epsilon"] == 10)


def test_the_table_is_the_bundled_one(tmp_path: Path) -> None:
    write_table("wine", tmp_path / "table")
    raw, bundled = tables.read_all(tmp_path / "table").to_pandas(), BUNDLED["wine"]
    assert [*raw] == [*bundled.features, *bundled.classes]
    assert len(raw) == bundled.rows
    assert {name: raw[name].nunique() for name in bundled.classes} == bundled.classes
    np.testing.assert_array_equal(raw[[*bundled.features]].to_numpy(), load_wine().data)


def test_a_label_out_of_range_is_named(tmp_path: Path) -> None:
    write_table("wine", tmp_path / "table")
    rows = tables.read_all(tmp_path / "table")
    columns = {name: rows.column(name).to_numpy().copy() for name in rows.column_names}
    columns["cultivar"][7] = 3
    described = (Column(name, rows.schema.field(name).type, "") for name in columns)
    tables.write(tmp_path / "wrong", Schema("wine", "", tuple(described)), columns)
    message = r"wrong, column 'cultivar': labels: row 7 = .*an integer from 0 to 2"
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "wrong", load(tmp_path).cells[0].table, 3)
