"""Partly labelled data through the rules: stored, restored and given to learners, simulated and from a table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from semipriv.audit.properties.every_entry import EveryEntry
from semipriv.core import tables
from semipriv.core.entries import DrawnEntries, ListedEntries, PartlyLabelled
from semipriv.learners.base import Protection
from semipriv.settings.reading import ConfigError
from semipriv_lab.experiments.config import Cell, Experiment
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.experiments.schemas import RELEASES, SAMPLES, SUMMARY, TRIALS
from semipriv_lab.workflow.construct_cover import construct_cover
from semipriv_lab.workflow.evaluate import evaluate
from semipriv_lab.workflow.gather import gather
from semipriv_lab.workflow.generate_data import generate_data
from semipriv_lab.workflow.private_select import select
from semipriv_lab.workflow.split_table import split_table
from semipriv_lab.workflow.storage import output_of, read_private
from semipriv_lab.workflow.write_table import write_table

SETTINGS: dict[str, Any] = {
    "class": {"name": "discrete_thresholds", "bits": 3, "orientation": "ge"},
    "distribution": {
        "marginal": {"name": "discrete_grid", "size": 8, "low": 0, "high": 7},
        "labeling": {"name": "realizable", "target": 3},
    },
    "n_labelled": 30,
    "n_unlabelled": 10**9,
    "trials": 3,
    "learners": [{"name": "all_concepts", "epsilon": 1}],
}


def experiment_of(folder: Path, materialise: int = 5_000, **changes: Any) -> Experiment:
    (folder / "trial.yaml").write_text(yaml.safe_dump({**SETTINGS, **changes}, sort_keys=False))
    run = {"seed": 1, "results": "results", "experiments": ["trial"], "claims": [], "materialise": materialise}
    return load_run(run, folder).experiments["trial"]


@pytest.fixture
def with_every_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells learn from unlabelled entries, too: by a learner that is no plug-in."""
    monkeypatch.setattr(Cell, "learners", {"every_entry": EveryEntry(1.0)})


def test_unlabelled_entries_are_stored_as_a_stream_and_never_drawn_at_once(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path)
    generate_data(experiment, 0, tmp_path / "public", tmp_path / "private")
    assert [row["n"] for row in tables.read_rows(tmp_path / "public", SAMPLES)] == [0, 0, 0]
    rows = tables.read_rows(tmp_path / "private", SAMPLES)
    assert [(row["n"], len(row["labels"]), row["n_unlabelled"], row["unlabelled"]) for row in rows] == [
        (30, 30, 10**9, None)
    ] * 3
    cell, trial = experiment.cells[0], 1
    _, drawn = cell.design.draw(cell.distribution, experiment.stream(cell, trial), experiment.materialise)
    sample = list(read_private(tmp_path / "private", experiment))[trial]
    np.testing.assert_array_equal(sample[2].points, drawn.labelled.points)
    stream = drawn.unlabelled.stream
    assert json.loads(rows[trial]["unlabelled_recipe"]) == {"seed": 1, "path": list(stream.path)}
    expected = DrawnEntries(10**9, cell.distribution.private_marginal.sample, stream).reader().take(5_000)
    np.testing.assert_array_equal(sample[3].reader().take(5_000), expected)
    assert sample[3].n == 10**9
    assert not np.array_equal(sample[3].reader().take(30), sample[2].points), "streams of their own"


def test_many_labelled_examples_are_a_recipe_as_well(tmp_path: Path) -> None:
    small, large = experiment_of(tmp_path, materialise=29), experiment_of(tmp_path)
    for name, experiment in (("small", small), ("large", large)):
        generate_data(experiment, 0, tmp_path / "public", tmp_path / name)
    assert all(row["points"] is None and row["recipe"] for row in tables.read_rows(tmp_path / "small", SAMPLES))
    pairs = zip(read_private(tmp_path / "small", small), read_private(tmp_path / "large", large), strict=True)
    for first, other in pairs:
        np.testing.assert_array_equal(first[2].points, other[2].points)
        np.testing.assert_array_equal(first[2].labels, other[2].labels)
        np.testing.assert_array_equal(first[3].reader().take(9), other[3].reader().take(9))


@pytest.mark.usefixtures("with_every_entry")
def test_a_learner_of_unlabelled_entries_gets_them(tmp_path: Path) -> None:
    """Release, evaluation and summary are those of a direct call."""
    experiment = experiment_of(tmp_path)
    generate_data(experiment, 0, tmp_path / "public", tmp_path / "private")
    construct_cover(experiment, tmp_path / "public", tmp_path / "prepared")
    for protection, name in ((Protection.PRIVATE, "releases"), (Protection.NONE, "bare")):
        select(experiment, protection, tmp_path / "prepared", tmp_path / "private", tmp_path / name)
    rows = tables.read_rows(tmp_path / "releases", RELEASES)
    assert {row["neighbours"] for row in rows} == {"replace_entry"}
    learner = EveryEntry(1.0)
    for (cell, trial, sample, unlabelled), row in zip(
        read_private(tmp_path / "private", experiment), rows, strict=True
    ):
        prepared = learner.prepare(np.empty((0, 1)), cell.hypothesis_class)
        own = experiment.stream(cell, trial).spawn("learner", "every_entry")
        expected = learner.release(prepared, sample.points, sample.labels, own, unlabelled)
        stored = output_of(row)
        np.testing.assert_array_equal(stored.parameters, expected.output.parameters)
    evaluated = evaluate(experiment, [tmp_path / "releases", tmp_path / "bare"])
    gather(experiment, evaluated, tmp_path / "trials", tmp_path / "summary", tmp_path / "slopes")
    (mean,) = tables.read_rows(tmp_path / "summary", SUMMARY)
    assert (mean["n_labelled"], mean["n_unlabelled"], mean["n_private"]) == (30, 10**9, None)
    assert {row["n_labelled"] for row in tables.read_rows(tmp_path / "trials", TRIALS)} == {30}


@pytest.mark.usefixtures("with_every_entry")
def test_a_table_is_split_into_labelled_unlabelled_and_held_out_rows(tmp_path: Path) -> None:
    table = {"name": "breast_cancer", "features": ["mean radius"], "label": "malignant"}
    experiment = experiment_of(
        tmp_path,
        kind="table",
        table=table,
        n_labelled=40,
        n_unlabelled=100,
        **{"class": {"name": "thresholds"}, "learners": [{"name": "empirical_risk_minimiser"}]},
    )
    write_table("breast_cancer", tmp_path / "table")
    files = [tmp_path / name for name in ("public", "private", "held")]
    split_table(experiment, 0, tmp_path / "table", *files)
    known = tables.read_all(tmp_path / "table").column("mean radius").to_numpy()
    held = [np.asarray(row["points"]) for row in tables.read_rows(tmp_path / "held", SAMPLES)]
    for (_, _, sample, unlabelled), rest in zip(read_private(tmp_path / "private", experiment), held, strict=True):
        assert isinstance(unlabelled, ListedEntries)
        assert (len(sample), unlabelled.n, len(rest)) == (40, 100, 569 - 140)
        together = np.concatenate([sample.points[:, 0], unlabelled.points[:, 0], rest])
        np.testing.assert_array_equal(np.sort(together), np.sort(known))
    assert held[0].tolist() != held[1].tolist()
    assert all(row["n"] == 0 for row in tables.read_rows(tmp_path / "public", SAMPLES))


def test_the_design_needs_its_own_sizes(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="n_labelled = 0: must be >= 1"):
        experiment_of(tmp_path, n_labelled=0)
    with pytest.raises(ConfigError, match="n_unlabelled = -1: must be >= 0"):
        experiment_of(tmp_path, n_unlabelled=-1)
    with pytest.raises(ConfigError, match="n_public = 3: all examples of a partly labelled sample are private, give"):
        experiment_of(tmp_path, n_public=3)
    assert experiment_of(tmp_path, n_unlabelled=0).cells[0].sizes["n_unlabelled"] == 0


@pytest.mark.usefixtures("with_every_entry")
def test_too_few_unlabelled_entries_are_refused_before_any_work(tmp_path: Path) -> None:
    needs = r"n_unlabelled = 1: must be >= 2 for EveryEntry\(epsilon=1\.0, reads=2\) with n_labelled = 30"
    with pytest.raises(ConfigError, match=needs):
        experiment_of(tmp_path, n_unlabelled=1)
    separate = {key: value for key, value in SETTINGS.items() if not key.startswith("n_")}
    (tmp_path / "trial.yaml").write_text(yaml.safe_dump({**separate, "n_public": 3, "n_private": 4}))
    run = {"seed": 1, "results": "results", "experiments": ["trial"], "claims": []}
    with pytest.raises(ConfigError, match="'every_entry' reads unlabelled private entries: give n_labelled and n_un"):
        load_run(run, tmp_path)


def test_entries_of_one_list() -> None:
    for labels in ([0, 1, None], [None] * 3, [1, 1, 0]):
        sample = PartlyLabelled.of([[1.0], [2.0], [3.0]], labels)
        n = 3 - labels.count(None)
        assert (len(sample), len(sample.labelled), sample.unlabelled.n) == (3, n, 3 - n)
        assert sample.labelled.labels.tolist() == labels[:n]
        both = np.concatenate([sample.labelled.points, sample.unlabelled.points])
        assert both.tolist() == [[1.0], [2.0], [3.0]]


def test_a_class_of_many_bits_and_a_distribution_of_few(tmp_path: Path) -> None:
    """The class may have more bits than the distribution can draw, which fills the last word; not fewer."""
    atoms = {"name": "two_atoms", "first": 0.5, "second": 0.25}
    population = {"marginal": atoms, "labeling": {"name": "realizable", "target": 1}}
    sweep = {"class.bits": [30, 60, 640]}
    experiment = experiment_of(tmp_path, distribution=population, sweep=sweep, n_unlabelled=0, trials=1)
    assert [cell.distribution.dimension for cell in experiment.cells] == [1, 2, 13]
    generate_data(experiment, 0, tmp_path / "public", tmp_path / "private")
    construct_cover(experiment, tmp_path / "public", tmp_path / "prepared")
    select(experiment, Protection.PRIVATE, tmp_path / "prepared", tmp_path / "private", tmp_path / "releases")
    evaluated = evaluate(experiment, [tmp_path / "releases"])
    gather(experiment, evaluated, tmp_path / "trials", tmp_path / "summary", tmp_path / "slopes")
    rows = tables.read_rows(tmp_path / "trials", TRIALS)
    assert [(row["bits"], row["standard_error"], row["best_error"]) for row in rows] == [
        (30, 0.0, 0.0),
        (60, 0.0, 0.0),
        (640, 0.0, 0.0),
    ]
    with pytest.raises(ConfigError, match=r"distribution\.marginal: points that it can draw: row 2, .* 0, ..., 65535"):
        experiment_of(tmp_path, distribution=population, sweep={"class.bits": [16]})
    beyond = {**population, "marginal": {"name": "power_integers", "bits": 640}}
    with pytest.raises(ConfigError, match="bits = 640: must be <= 50, larger integers are not exact as floats"):
        experiment_of(tmp_path, distribution=beyond)
    uniform = {**population, "marginal": {"name": "uniform"}}
    with pytest.raises(ConfigError, match=r"points that it can draw: row 0, .* must be one of 0, \.\.\., 7"):
        experiment_of(tmp_path, distribution=uniform)
