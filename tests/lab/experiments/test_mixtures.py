"""Experiments on mixed samples: configuration, files, and what each rule refuses."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import specified
from specified import MIXED_TABLE, MIXTURE, run_rules

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import registry, tables
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import StatusModel
from semipriv.geometry.shapes import rescaled
from semipriv.learners.base import Protection
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.pooled import Pooled
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.learners.stages.cover import CoverStage
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.region_complements import RegionComplements
from semipriv_lab.experiments.config import Experiment, Table
from semipriv_lab.experiments.schemas import PREPARED, RELEASES, SAMPLES, SLOPES, SUMMARY, TRIALS
from semipriv_lab.figures.base import learner_names, learners
from semipriv_lab.figures.plots.table_regions import clipped
from semipriv_lab.workflow.construct_cover import construct_cover
from semipriv_lab.workflow.generate_data import generate_data
from semipriv_lab.workflow.private_select import select
from semipriv_lab.workflow.split_table import read_table, split_table
from semipriv_lab.workflow.storage import output_of, prepared_row, read_prepared

load = partial(specified.load, base=MIXTURE, run={"blocks": 1})
LINE = {"name": "learn_half", "epsilon": 1, "grid": {"low": [0], "high": [1]}}


def test_streams_of_separate_samples_are_named_as_ever(tmp_path: Path) -> None:
    """The cell's name, written down here: what names the streams of experiments that were there before mixtures."""
    base = {**MIXTURE, "n_public": 5, "n_private": 6, "learners": [{"name": "sspp", "epsilon": 1}]}
    base = {key: value for key, value in base.items() if key not in ("n", "sweep", "slopes", "figures")}
    base["distribution"] = {key: base["distribution"][key] for key in ("marginal", "labeling")}
    expected = {
        "case": "all",
        "class": {"dimension": 1, "name": "halfspaces"},
        "distribution": {"labeling": {"name": "realizable", "target": 0.3}, "marginal": {"name": "uniform"}},
        "n_private": 6,
        "n_public": 5,
        "table": None,
    }
    written_key = load(tmp_path, base=base).cells[0].key
    assert written_key == json.dumps(expected, separators=(",", ":"), sort_keys=True)


def test_lists_inside_an_inner_learner_stand_for_one_learner_each(tmp_path: Path) -> None:
    learners = load(tmp_path).cells[0].learners.values()
    assert [getattr(learner, "epsilon", None) for learner in learners] == [0.5, 2, 0.5, 2, None, None]
    grids = [learner for learner in learners if isinstance(learner, Pooled)][:2]
    parameters = [registry.parameters(grid)["learner"] for grid in grids]
    assert [learner.pop("epsilon") for learner in parameters] == [0.5, 2.0]
    assert parameters == [{"name": "fixed_grid", "low": 0.0, "high": 1.0, "size": 20}] * 2


# ------------------------------------------------------------------------------------------------ the rules on files
def test_a_mixture_from_end_to_end(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    folder = run_rules(experiment, tmp_path)
    public, private = (tables.read_rows(folder / name, SAMPLES) for name in ("public", "private"))
    assert len(public) == len(private) == 6
    for ours, other in zip(public, private, strict=True):
        assert ours["n"] + other["n"] == (20, 40)[ours["cell"]]
        assert set(ours["labels"]) <= {0}
        assert set(other["labels"]) <= {1}
        assert max(ours["points"]) < 0.3 <= min(other["points"])
    assert len({row["n"] for row in public if row["cell"] == 1}) > 1, "sizes are random"
    trials = tables.read_rows(folder / "trials", TRIALS)
    assert len(trials) == 6 * 6
    own = [row for row in trials if row["learner"].startswith("learn_half")]
    assert {row["neighbours"] for row in own} == {"replace_private_features"}
    samples = {(row["cell"], row["trial"]): row for row in public}
    for row in own:  # hypotheses are 0 between public points: the error by hand, from the parameters
        ends = np.sort(samples[row["cell"], row["trial"]]["points"])
        rows = np.reshape(output_of(row).parameters, (2, 2))
        inside = np.all(rows[:, :1] * np.round(ends * 2**20) + rows[:, 1:] >= 0, axis=0)
        empty = any(w == 0 and b < 0 for w, b in rows)
        low = min((-b / w for w, b in rows if w > 0), default=0) / 2**20
        high = min((b / -w for w, b in rows if w < 0), default=2**20) / 2**20
        expected = 0.3 if empty else low + 0.3 - high if high <= 0.3 else 1 - low - 0.7
        assert empty or inside.any()
        assert row["error"] == pytest.approx(expected, abs=1e-6)
        assert row["excess"] == row["error"]
    summary = tables.read_rows(folder / "summary", SUMMARY)
    assert [row["n"] for row in summary] == [20] * 6 + [40] * 6
    assert {row["n_public"] for row in summary} == {row["n_private"] for row in summary} == {None}
    assert {row["private_zeros"] for row in summary} == {0.0}
    assert {row["bound"] for row in summary if row["name"] != "learn_half"} == {None}
    assert {row["learner"].partition("(")[0] for row in tables.read_rows(folder / "slopes", SLOPES)} >= {"pooled"}
    assert len(tables.read_rows(folder / "trials", TRIALS)) == 36
    minimiser = [row for row in trials if "EmpiricalRisk" in row["learner"]]
    for row in minimiser:
        theta = output_of(row).parameters
        both = [
            sample for sample in (*public, *private) if (sample["cell"], sample["trial"]) == (row["cell"], row["trial"])
        ]
        for sample in both:
            predicted = Halfspaces(1).predict(theta[None], np.array(sample["points"])[:, None])[0]
            assert (predicted == np.array(sample["labels"])).all(), (
                "realizable: no mistake on public or private examples"
            )


def test_what_public_stages_make_is_read_back_and_not_made_again(tmp_path: Path, monkeypatch: Any) -> None:
    experiment = load(tmp_path)
    cell = experiment.cells[0]
    points, labels = np.array([[0.1], [0.25], [0.1]]), np.zeros(3)
    stages = {}
    for stage in dict.fromkeys(learner.public_stage for learner in cell.learners.values()):
        stages[stage] = stage.prepare(points, cell.hypothesis_class, labels if stage.needs_labels else None)
    rows = [prepared_row(cell, 0, stage, prepared) for stage, prepared in stages.items()]
    tables.write(tmp_path / "prepared", PREPARED, rows)
    assert len(stages) == 4, "regions, a grid and nothing beside the examples, the minimum"
    stored = read_prepared(tmp_path / "prepared")
    monkeypatch.setattr(
        "semipriv.papers.bmn20.regions.cover.construct", lambda *_: pytest.fail("the family was made a second time")
    )
    x, y = np.array([[0.4], [0.9], [0.2]]), np.ones(3)
    for label, learner in cell.learners.items():
        stage = learner.public_stage
        again = stage.restore(stored[0, 0, repr(stage)], cell.hypothesis_class)
        ours, theirs = (learner.release(p, x, y, Simulation(1).spawn(label)) for p in (stages[stage], again))
        assert ours.output.parameters.tolist() == theirs.output.parameters.tolist()
        assert ours.cost == theirs.cost


def test_a_learner_with_a_stage_of_its_own_leaves_the_others_alone(tmp_path: Path) -> None:
    """Stages are shared if they are equal, and only then: an own cover changes no result of A_SSPP."""

    @value
    class Coarse(CoverStage):
        def _unlabelled(self, points: Any, hypothesis_class: Any) -> Any:
            return super()._unlabelled(points[:2], hypothesis_class)

    @value
    class Newcomer(SSPP):
        @property
        def public_stage(self) -> CoverStage:
            return Coarse()

    learners: dict[str, Any] = {"a": SSPP(1.0), "b": Newcomer(1.0)}
    stages = dict.fromkeys(learner.public_stage for learner in learners.values())
    assert len(stages) == len({repr(stage) for stage in stages}) == 2
    points = np.linspace(0, 1, 9)[:, None]
    sizes = {name: learner.prepare(points, Halfspaces(1)).size for name, learner in learners.items()}
    assert sizes == {"a": 18, "b": 4}


def test_an_improper_learner_inside_another_is_evaluated_as_what_it_outputs(tmp_path: Path) -> None:
    """Regions that the reduction releases are regions on disk and in evaluate, not the first halfspace of each."""
    marginal = {"name": "discrete_grid", "size": 257, "low": -2, "high": 2, "dimension": 2}
    inner = {"name": "learn_half", "epsilon": 5, "privacy": "any", "grid": {"low": [-2, -2], "high": [2, 2]}}
    reduction = {
        "name": "public_data_reduction",
        "learner": inner,
        "n_private": 2000,
        "n_public": 8,
        "marginal": marginal,
    }
    specification = {
        "class": {"name": "halfspaces", "dimension": 2},
        "distribution": {"marginal": marginal, "labeling": {"name": "linear", "weights": [1.0, 2.0], "offset": 1.0}},
        "n_public": 5,
        "n_private": 25,
        "trials": 6,
        "learners": [{**reduction, "marginal": marginal}],
    }
    experiment = Experiment("own", specification, 3, 1)
    folder = run_rules(experiment, tmp_path)
    distribution = experiment.cells[0].distribution
    atoms = distribution.atoms
    eta = distribution.labeling.probability(atoms.points)
    as_halfspaces = []
    for row in tables.read_rows(folder / "trials", TRIALS):
        output = output_of(row)
        assert isinstance(output.functions, RegionComplements)
        wrong = np.where(output.predict(atoms.points), 1 - eta, eta)
        assert row["error"] == pytest.approx(float(wrong @ atoms.mass), abs=1e-12)
        first = Halfspaces(2).predict(output.parameters[None, :3], atoms.points)[0]
        as_halfspaces.append(abs(float(np.where(first, 1 - eta, eta) @ atoms.mass) - row["error"]))
    assert max(as_halfspaces) > 0.05, "read as halfspaces the errors would be others"


def altered(folder: Path, name: str, row: int, labels: list[int]) -> None:
    rows = tables.read_rows(folder / name, SAMPLES)
    rows[row]["labels"] = [*labels, *rows[row]["labels"][len(labels) :]]
    tables.write(folder / name, SAMPLES, rows)


def test_private_points_in_a_public_file_are_refused(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    generate_data(experiment, 0, tmp_path / "public", tmp_path / "private")
    altered(tmp_path, "public", 2, [0, 1])
    with pytest.raises(ValueError, match=r"public: cell 0, trial 2: row 1 is public with label 1: under label_determ"):
        construct_cover(experiment, tmp_path / "public", tmp_path / "prepared")
    assert not (tmp_path / "prepared").exists()


def test_public_points_in_a_private_file_are_refused(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    generate_data(experiment, 0, tmp_path / "public", tmp_path / "private")
    construct_cover(experiment, tmp_path / "public", tmp_path / "prepared")
    altered(tmp_path, "private", 1, [0])
    with pytest.raises(ValueError, match=r"private: cell 0, trial 1: row 0 is private with label 0: under label_det"):
        select(experiment, Protection.PRIVATE, tmp_path / "prepared", tmp_path / "private", tmp_path / "releases")


# ------------------------------------------------------------------------------------------------ tables
def write(path: Path, columns: dict[str, Any]) -> Path:
    schema = tables.Schema(
        "patients", "for tests", tuple(tables.Column(f.name, f.type, "") for f in pa.table(columns).schema)
    )
    tables.write(path, schema, columns)
    return path


PATIENTS = {
    "mean radius": [1.0, 2.0, 3.0, 4.0],
    "mean texture": [0.0, 1.0, 1.0, 0.0],
    "malignant": [0, 1, 1, 0],
}


def test_a_status_column_that_contradicts_the_model_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", {**PATIENTS, "consent": [0, 1, 0, 0]})
    table = Table("t", ("mean radius",), "malignant", StatusModel.LABEL_DETERMINED, "consent")
    message = r"t\.parquet, columns 'consent' \(status\) and 'malignant' \(label\): row 2 is public with label 1: under"
    with pytest.raises(ValueError, match=message):
        read_table(path, table)
    for model in (StatusModel.PRIVATE_ONES, StatusModel.ANY):
        rows_read = read_table(path, Table("t", ("mean radius",), "malignant", model, "consent"))
        assert rows_read.private.tolist() == [False, True, False, False]
        assert rows_read.labels.tolist() == [0, 1, 1, 0]
    path = write(tmp_path / "t.parquet", {**PATIENTS, "consent": [0, 1, 1, 1]})
    with pytest.raises(ValueError, match=r"row 3 is private with label 0: under private_ones private examples have"):
        read_table(path, Table("t", ("mean radius",), "malignant", StatusModel.PRIVATE_ONES, "consent"))


@pytest.mark.parametrize(
    ("consent", "message"),
    [([0, 1, 2, 0], r"column 'consent': labels: row 2 = "), (None, r"column 'consent' is missing; it has mean radius")],
)
def test_a_bad_status_column_is_named(tmp_path: Path, consent: list[int] | None, message: str) -> None:
    path = write(tmp_path / "t.parquet", PATIENTS | ({} if consent is None else {"consent": consent}))
    with pytest.raises(ValueError, match=message):
        read_table(path, Table("t", ("mean radius",), "malignant", StatusModel.ANY, "consent"))


@pytest.mark.parametrize("features", [("mean texture", "mean radius"), ("mean radius", "mean texture")])
def test_features_are_read_in_the_order_that_is_asked_for(tmp_path: Path, features: tuple[str, ...]) -> None:
    table = read_table(write(tmp_path / "t.parquet", PATIENTS), Table("t", features, "malignant"))
    assert table.points.T.tolist() == [PATIENTS[feature] for feature in features]


def test_a_constant_feature_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", PATIENTS | {"mean texture": [2.5] * 4})
    assert len(read_table(path, Table("t", ("mean radius",), "malignant"))) == 4
    with pytest.raises(
        ValueError, match=r"t\.parquet, column 'mean texture': is 2\.5 in every row, so it distinguishes no rows"
    ):
        read_table(path, Table("t", ("mean radius", "mean texture"), "malignant"))


@pytest.mark.parametrize("ranges", [[[0, 50], [0, 100]], None])
def test_a_table_is_split_by_status_and_scaled_by_nothing_that_was_looked_at(tmp_path: Path, ranges: Any) -> None:
    experiment = load(tmp_path, {"table.ranges": ranges}, base=MIXED_TABLE)
    rng = np.random.default_rng(0)
    raw = np.column_stack([rng.uniform(0, 50, 40), rng.uniform(0, 100, 40)])
    sick = (raw[:, 0] > 20).astype(int)
    path = write(tmp_path / "t.parquet", {"mean radius": raw[:, 0], "mean texture": raw[:, 1], "malignant": sick})
    split_table(experiment, 0, path, *(tmp_path / name for name in ("public", "private", "held")))
    scale = np.array([50.0, 100.0]) if ranges else np.ones(2)
    parts = [tables.read_rows(tmp_path / name, SAMPLES) for name in ("public", "private", "held")]
    place = {tuple((row / scale).tolist()): i for i, row in enumerate(raw)}
    orders = set()
    for pieces in zip(*parts, strict=True):
        assert [piece["n"] for piece in pieces][2] == 28
        assert pieces[0]["n"] + pieces[1]["n"] == 12
        assert set(pieces[0]["labels"]) <= {0}
        assert set(pieces[1]["labels"]) <= {1}
        rows = [place[tuple(x)] for piece in pieces for x in np.reshape(piece["points"], (-1, 2)).tolist()]
        assert sorted(rows) == list(range(40)), "every row once, its features divided by their ranges only"
        assert [sick[i] for i in rows] == [label for piece in pieces for label in piece["labels"]]
        assert pieces[0]["scale"] == scale.tolist()
        assert pieces[0]["centre"] == [0.0, 0.0]
        orders.add(tuple(rows))
    assert len(orders) == 2, "every trial splits anew"


def test_public_labels_are_stored_only_for_learners_that_need_them(tmp_path: Path) -> None:
    """Cell by cell; those of the other parts always."""
    base = {key: value for key, value in MIXED_TABLE.items() if key != "n"} | {"n_public": 5, "n_private": 6}
    plain, labelled = {"name": "sspp", "epsilon": 1}, {"name": "public_labelled"}
    base["cases"] = {"plain": {"learners": [plain]}, "labelled": {"learners": [plain, labelled]}}
    experiment = load(tmp_path, {"table.privacy": None, "table.ranges": None, "learners": [plain]}, base=base)
    rng = np.random.default_rng(0)
    columns = {"mean radius": rng.random(40), "mean texture": rng.random(40), "malignant": rng.integers(0, 2, 40)}
    parts = [tmp_path / name for name in ("public", "private", "held")]
    split_table(experiment, 0, write(tmp_path / "t.parquet", columns), *parts)
    for path in parts:
        stored = tables.read_rows(path, SAMPLES)
        assert len(stored) == len(experiment.cells) * experiment.trials
        for row in stored:
            wanted = path.name != "public" or experiment.cells[row["cell"]].case == "labelled"
            assert (row["labels"] is not None) == wanted


def test_a_table_from_end_to_end(tmp_path: Path) -> None:
    experiment = load(tmp_path, base=MIXED_TABLE)
    rng = np.random.default_rng(1)
    raw = np.column_stack([rng.uniform(0, 50, 40), rng.uniform(0, 100, 40)])
    sick = (raw[:, 0] + raw[:, 1] > 70).astype(int)
    path = write(tmp_path / "t.parquet", {"mean radius": raw[:, 0], "mean texture": raw[:, 1], "malignant": sick})
    run_rules(experiment, tmp_path, path)
    held = tables.read_rows(tmp_path / "held", SAMPLES)
    trials = tables.read_rows(tmp_path / "trials", TRIALS)
    assert {row["learner"].startswith("learn_half") for row in trials} == {True, False}
    for row in trials:
        x, y = np.reshape(held[row["trial"]]["points"], (-1, 2)), np.array(held[row["trial"]]["labels"])
        if row["learner"].startswith("learn_half"):
            rows = np.reshape(output_of(row).parameters, (-1, 3))
            predicted = ~np.all(np.round(x * 2**20) @ rows[:, :2].T + rows[:, 2] >= 0, axis=1)
        else:
            theta = output_of(row).parameters
            predicted = x @ theta[:2] + theta[2] >= 0
        assert row["error"] == pytest.approx(np.mean(predicted != y), abs=1e-12)
    assert {row["private_zeros"] for row in tables.read_rows(tmp_path / "summary", SUMMARY)} == {0.0}
    assert len(tables.read_rows(tmp_path / "private_releases", RELEASES)) == 2


def test_the_bound_of_the_theory_stands_beside_the_learner(tmp_path: Path) -> None:
    """Theorem 4.6 on the line, realizable, written out; only where it speaks of the learner and of the data."""
    partly = {"name": "by_label", "zero": 0.5, "one": 1}
    learners = [{**LINE, "privacy": "any"}, {**LINE, "privacy": "any", "subset": 50}]
    changes = {
        "cases": {"a": {}, "b": {"distribution.privacy": partly}},
        "sweep": {"n": [20, 400]},
        "learners": learners,
    }
    folder = run_rules(load(tmp_path, {**changes, "trials": 2}), tmp_path)
    n, beta = 400, 0.05
    draw = 2 / n * (np.log(2 * n + 1) + np.log(2 / beta))
    q, log_term = n * draw / (n - 1), np.log(2 * (4 * n + 1) / beta)
    expected = q + np.sqrt(2 * q * log_term / (n - 1)) + 2 * log_term / (n - 1)
    summary = [row for row in tables.read_rows(folder / "summary", SUMMARY) if row["n"] == n]
    bounds = {(row["case"], "subset=50" in row["learner"]): row["bound"] for row in summary}
    assert bounds.pop(("a", False)) == pytest.approx(expected, rel=1e-12)
    assert set(bounds.values()) == {None}
    assert {row["case"]: row["private_zeros"] for row in summary} == {"a": 0.0, "b": 0.5}


# ------------------------------------------------------------------------------------------------ figures
def test_variants_are_called_by_what_they_differ_in() -> None:
    grid = {"low": [0, 0], "high": [1, 1]}
    known = [
        ("a", LearnHalf(1.0, grid, subset=30)),
        ("a", LearnHalf(3.0, grid, subset=100)),
        ("a", LearnHalf(1.0, grid, subset=30, mechanism="permute_and_flip")),
        ("a", Pooled(FixedGrid(1.0, 0.0, 1.0, 3))),
        ("a", Pooled(EmpiricalRiskMinimiser())),
        ("b", Pooled(FixedGrid(1.0, -2.0, 2.0, 6))),
        ("b", PublicLabelled()),
    ]
    rows = [
        (case, registry.name_of(learner), learner.title, learner.role, json.dumps(registry.parameters(learner)))
        for case, learner in known
    ]
    frame = pd.DataFrame(rows, columns=["case", "learner", "title", "role", "parameters"])
    shown = learner_names(frame)
    assert shown.tolist() == [
        "A_LearnHalf (subset=30)",
        "A_LearnHalf (subset=100)",
        "A_LearnHalf with permute-and-flip",
        "fixed grid, everything private",
        "ERM on everything, not private",
        "fixed grid, everything private",
        "ERM on labelled public points",
    ]
    assert learners(frame.assign(shown=shown)).order[-3:] == shown.tolist()[2:3] + shown.tolist()[:2]


def test_regions_are_drawn_where_they_are() -> None:
    """Points of a box lie in all halfspaces iff they lie on the left of every edge of what is drawn."""
    rng = np.random.default_rng(2)
    low, high = np.array([5.0, -1.0]), np.array([30.0, 0.4])
    empty = 0
    for _ in range(50):
        rows = rng.normal(size=(rng.integers(1, 4), 3)) * [1, 30, 15]
        corners = clipped(low, high, rows)
        x = rng.uniform(low, high, (400, 2))
        inside = np.all(x @ rows[:, :2].T + rows[:, 2] >= 0, axis=1)
        if not len(corners):
            empty += 1
            assert not inside.any()
            continue
        edges = np.roll(corners, -1, axis=0) - corners
        turn = edges[:, 0] * (x[:, None, 1] - corners[:, 1]) - edges[:, 1] * (x[:, None, 0] - corners[:, 0])
        np.testing.assert_array_equal(np.all(turn >= 0, axis=1), inside)
    assert 0 < empty < 40


def test_lines_in_table_units_separate_the_same_points() -> None:
    rng = np.random.default_rng(3)
    z, rows = rng.normal(size=(50, 2)), rng.normal(size=(4, 3))
    centre, scale = np.array([3.0, -1.0]), np.array([2.0, 0.01])
    moved = rescaled(rows, centre, scale)
    x = z * scale + centre
    np.testing.assert_array_equal(z @ rows[:, :2].T + rows[:, 2] >= 0, x @ moved[:, :2].T + moved[:, 2] >= 0)
