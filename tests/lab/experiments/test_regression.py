"""Experiments with real responses: from a configuration to tables, and what does not fit together."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import specified
from sklearn.datasets import load_diabetes
from specified import REGRESSION, REGRESSION_TABLE, run_rules

from semipriv.core import tables
from semipriv.core.samples import RegressionSample
from semipriv.distributions.designs.base import Recipe
from semipriv.distributions.designs.separate import Separate
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.schemas import SAMPLES, SUMMARY, TRIALS
from semipriv_lab.workflow.split_table import read_table
from semipriv_lab.workflow.storage import read_private, read_public, read_samples
from semipriv_lab.workflow.write_table import write_table

load = partial(specified.load, base=REGRESSION, run={"materialise": 60})


def test_from_data_to_means(tmp_path: Path) -> None:
    """Stored samples and recipes are the samples that the distribution draws; losses and means are what they say."""
    experiment = load(tmp_path)
    assert Experiment.from_json(experiment.to_json()).cells[0].key == experiment.cells[0].key
    path = run_rules(experiment, tmp_path).joinpath
    stored = tables.read_rows(path("private"), SAMPLES)
    assert [row["responses"] is None for row in stored] == [False] * 3 + [True] * 3, "recipes above 60 examples"
    assert all(row["labels"] is None for row in stored)
    seen = list(read_private(path("private"), experiment))
    for cell, trial, sample, unlabelled in seen:
        own = experiment.stream(cell, trial).spawn("private")
        assert unlabelled is None
        assert isinstance(sample, RegressionSample)
        drawn = cell.distribution.private_sample(cell.sizes["n_private"], own)
        np.testing.assert_array_equal(sample.points, drawn.points)
        np.testing.assert_array_equal(sample.responses, drawn.responses)
    for cell, trial, points, responses in read_public(path("public"), experiment):
        drawn = cell.distribution.public_sample(10, experiment.stream(cell, trial).spawn("public"))
        np.testing.assert_array_equal(points, drawn.points)
        np.testing.assert_array_equal(responses, drawn.responses)
    rows = tables.read_rows(path("trials"), TRIALS)
    assert len(rows) == 2 * 3 * 3
    samples = {(cell.index, trial): sample for cell, trial, sample, _ in seen}
    distribution = experiment.cells[0].distribution
    for row in tables.read_rows(path("trials"), TRIALS):
        assert (row["measure"], row["standard_error"], row["best_error"]) == ("expected_loss", 0.0, pytest.approx(0.04))
        assert row["excess"] == row["error"] - row["best_error"] >= 0
        if row["learner"].startswith("least_squares"):
            sample = samples[row["cell"], row["trial"]]
            w = np.linalg.lstsq(sample.points, sample.responses, rcond=None)[0]
            away = w - [0.5, -0.3]
            assert np.linalg.norm(w) < 1
            assert row["excess"] == pytest.approx(away @ distribution.second_moments @ away / 4, abs=1e-12)
    for row in tables.read_rows(path("summary"), SUMMARY):
        assert (row["axis"], row["quantity"], row["vc_dimension"], row["sigma"]) == ("excess loss", "excess", None, 0.3)


def test_public_responses_are_stored_for_learners_that_need_them(tmp_path: Path) -> None:
    """From a table: the baseline on public rows is least squares on them; without it their responses are not there."""
    needed, other = {"name": "public_least_squares"}, {"name": "least_squares_ball"}
    path = tmp_path.joinpath
    write_table("diabetes", path("table"))
    for learners in ([other], [other, needed]):
        experiment = load(tmp_path, {"learners": learners}, base=REGRESSION_TABLE)
        run_rules(experiment, tmp_path, path("table"))
        public = tables.read_rows(path("public"), SAMPLES)
        assert [row["responses"] is None for row in public] == [needed not in learners] * 2
    held = [sample for _, _, sample in read_samples(path("held"), experiment)]
    public = {trial: (x, y) for _, trial, x, y in read_public(path("public"), experiment)}
    rows = [row for row in tables.read_rows(path("trials"), TRIALS) if row["learner"].startswith("public")]
    assert len(rows) == 2
    for row in rows:
        x, y = public[row["trial"]]
        w = np.linalg.lstsq(x, y, rcond=None)[0]
        sample = held[row["trial"]]
        if np.linalg.norm(w) > 1:  # then the minimiser is on the circle
            angles = np.linspace(0, 2 * np.pi, 100_001)
            circle = np.stack([np.cos(angles), np.sin(angles)])
            w = circle[:, np.argmin(((x @ circle - y[:, None]) ** 2).sum(axis=0))]
        assert row["error"] == pytest.approx(((sample.points @ w - sample.responses) ** 2).mean() / 4, abs=1e-4)


def test_a_measure_with_parameters_has_a_column_of_its_own(tmp_path: Path) -> None:
    """From YAML to trials and means: both losses of the same releases, the absolute one by its distribution.

    y = f + s with s = +-0.4: E|g - y| / 2 is 0.2 where g is within 0.4 of f, as all are here.  The best value is 0.2.
    """
    both = ["expected_loss", {"name": "expected_loss", "loss": "absolute"}]
    shown = [{"name": "excess", "x": "n_private", "measure": "expected_loss(loss=absolute)"}]
    experiment = load(tmp_path, {"measures": both, "figures": shown, "learners": [{"name": "least_squares_ball"}]})
    experiment = Experiment.from_json(experiment.to_json())
    path = run_rules(experiment, tmp_path).joinpath
    rows = tables.read_rows(path("trials"), TRIALS)
    by_measure = {label: [row for row in rows if row["measure"] == label] for label in experiment.measures}
    assert [*by_measure] == ["expected_loss", "expected_loss(loss=absolute)"]
    assert [len(part) for part in by_measure.values()] == [6, 6]
    assert all(row["best_error"] == pytest.approx(0.04) for row in by_measure["expected_loss"])
    for row in by_measure["expected_loss(loss=absolute)"]:
        assert row["best_error"] == pytest.approx(0.2)
        assert row["error"] == pytest.approx(0.2, abs=6 * row["standard_error"] + 1e-9)
    axes = {row["measure"]: row["axis"] for row in tables.read_rows(path("summary"), SUMMARY)}
    assert axes == {"expected_loss": "excess loss", "expected_loss(loss=absolute)": "excess absolute loss"}


def test_a_design_draws_what_the_distribution_is_of(tmp_path: Path) -> None:
    cell = load(tmp_path).cells[0]
    public, private = Separate(4, 6).draw(cell.distribution, load(tmp_path).stream(cell, 0), materialise=6)
    assert isinstance(public, RegressionSample)
    assert isinstance(private, RegressionSample)
    assert (len(public), len(private)) == (4, 6)
    assert isinstance(Separate(4, 7).draw(cell.distribution, load(tmp_path).stream(cell, 0), 6)[1], Recipe)


def test_a_real_table(tmp_path: Path) -> None:
    """Ranges go into the unit ball, the response's to [-1, 1]; losses are means over the rows held out."""
    experiment = load(tmp_path, base=REGRESSION_TABLE)
    path = tmp_path.joinpath
    write_table("diabetes", path("table"))
    whole = read_table(path("table"), experiment.cells[0].table)
    raw = tables.read_all(path("table")).to_pandas()
    known = load_diabetes(scaled=False)
    np.testing.assert_array_equal(raw.to_numpy(), np.column_stack([known.data, known.target]))
    assert [*raw] == [*BUNDLED["diabetes"].features, *BUNDLED["diabetes"].responses]
    np.testing.assert_allclose(whole.responses, raw["progression"] / 175 - 1)
    run_rules(experiment, tmp_path, path("table"))
    parts = {name: list(read_samples(path(name), experiment)) for name in ("private", "held")}
    assert [len(sample) for _, _, sample in parts["private"] + parts["held"]] == [300, 300, 102, 102]
    box = (raw[["bmi", "bp"]].to_numpy() - [30, 100]) / np.array([15, 40]) / np.sqrt(2)
    known = {tuple(np.round(row, 9)) for row in box}
    assert all(tuple(np.round(x, 9)) in known for _, _, sample in parts["private"] for x in sample.points)
    for row in tables.read_rows(path("trials"), TRIALS):
        private, held = (parts[name][row["trial"]][2] for name in ("private", "held"))
        w = np.linalg.lstsq(private.points, private.responses, rcond=None)[0]
        w /= max(1, np.linalg.norm(w))
        if np.linalg.norm(w) < 1:
            losses = (held.points @ w - held.responses) ** 2 / 4
            assert row["error"] == pytest.approx(losses.mean())
            assert row["standard_error"] == pytest.approx(losses.std(ddof=1) / np.sqrt(102))
        assert 0 < row["error"] < 0.2


def test_a_bad_response_of_a_table_is_named(tmp_path: Path) -> None:
    write_table("diabetes", tmp_path / "table")
    rows = tables.read_all(tmp_path / "table")
    columns = {name: rows.column(name).to_numpy().copy() for name in rows.column_names}
    columns["progression"][5] = np.inf
    schema = tables.Schema("bad", "for tests", tuple(tables.Column(f.name, f.type, "") for f in rows.schema))
    tables.write(tmp_path / "bad.parquet", schema, columns)
    table = load(tmp_path, base=REGRESSION_TABLE).cells[0].table
    with pytest.raises(ValueError, match=r"bad\.parquet, column 'progression': responses: row 5 = inf: must be finite"):
        read_table(tmp_path / "bad.parquet", table)
