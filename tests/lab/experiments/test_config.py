"""Configurations: every mistake is named before any work, with file, key, value and what is allowed."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from specified import RUN, SIMULATION, load, run_rules

from semipriv.core import tables
from semipriv.settings.reading import ConfigError, given_in
from semipriv_lab.experiments import loading
from semipriv_lab.experiments.config import Experiment, merge
from semipriv_lab.experiments.loading import check_writable, load_run
from semipriv_lab.experiments.schemas import TRIALS


def test_a_figure_needs_one_case_in_which_its_x_varies() -> None:
    """In another case it may be the same in all cells: a share of private zeros that the sweep does not set."""

    def cells(**values: list[float]) -> Any:
        rows = [
            SimpleNamespace(case=case, axis=at.__getitem__)
            for case, x in values.items()
            for at in ({"x": v} for v in x)
        ]
        return SimpleNamespace(cells=rows)

    loading._check_varies(cells(a=[0.5, 0.5], b=[0.1, 0.2]), "figure", "x")
    loading._check_varies(cells(a=[0.1, 0.2], b=[0.5]), "figure", "x")
    with pytest.raises(
        ValueError, match=r"^figure: x is 0\.\d in every cell of a case, give it several values in 'sweep'"
    ):
        loading._check_varies(cells(a=[0.5, 0.5], b=[0.2]), "figure", "x")


def test_errors_of_the_run_name_the_file(tmp_path: Path) -> None:
    """The file that gives the wrong value; all files, if none does."""
    (tmp_path / "trial.yaml").write_text(yaml.safe_dump(SIMULATION))
    first, second = tmp_path / "one.yaml", tmp_path / "two.yaml"
    first.write_text(yaml.safe_dump(RUN))
    for text, message in (
        ("trials: 0", "two.yaml: trials = 0: must be >= 1"),
        ("experiments: [trail]", "two.yaml: unknown experiment 'trail'"),
        ("sede: 1", "two.yaml: unknown key 'sede': did you mean 'seed'"),
        ("overrides: {trail: {}}", "two.yaml: unknown experiment in 'overrides' 'trail'"),
        ("overrides: {trial: {trials: 0}}", "trial.yaml, with overrides.trial: trials = 0"),
    ):
        second.write_text(text)
        with pytest.raises(ConfigError, match=f"^{re.escape(str(tmp_path))}/{message}"):
            load_run({**RUN, **yaml.safe_load(text)}, tmp_path, files=[first, second, tmp_path / "gone.yaml"])
    second.write_text("trials: 1")
    with pytest.raises(ConfigError, match=r"^.*one\.yaml and .*two\.yaml: key 'results' is missing"):
        load_run({key: value for key, value in RUN.items() if key != "results"}, tmp_path, files=[first, second])
    assert load_run({**RUN, "trials": 1}, tmp_path, files=[first, second]).experiments["trial"].trials == 1


def test_the_file_that_gives_a_key(tmp_path: Path) -> None:
    first, second = tmp_path / "one.yaml", tmp_path / "two.yaml"
    first.write_text("claims: []\nseed: 1")
    second.write_text("seed: 2")
    files = [first, second, tmp_path / "gone.yaml"]
    assert [given_in(files, key) for key in ("claims", "seed", "beta")] == [str(first), str(second), "config"]


def test_numbers_without_a_dot_are_numbers(tmp_path: Path) -> None:
    text = yaml.safe_dump(SIMULATION).replace("n_private: 100", "n_private: 1e5").replace("- 0.1", "- 1e-6")
    assert yaml.safe_load(text)["n_private"] == "1e5", "YAML 1.1 reads it as text"
    cell = load(tmp_path, text=text).cells[0]
    assert cell.sizes["n_private"] == 100_000
    assert [learner.epsilon for learner in cell.learners.values()] == [1e-6, 1.0]


def test_numbers_of_the_run_too(tmp_path: Path) -> None:
    (tmp_path / "trial.yaml").write_text(yaml.safe_dump(SIMULATION))
    run = load_run({**RUN, "seed": "1e3", "beta": "5e-2", "effort": "1e-1", "trials": "2e0"}, tmp_path)
    assert (run.seed, run.effort, run.experiments["trial"].beta) == (1000, 0.1, 0.05)
    assert run.experiments["trial"].trials == 2
    assert run.settings["seed"] == 1000


def test_equal_numbers_name_equal_streams(tmp_path: Path) -> None:
    keys = [load(tmp_path, {"n_private": n}).cells[0].key for n in (100_000, 1e5, "1e5")]
    assert len(set(keys)) == 1


def test_cells_are_cases_times_sweep_in_the_order_of_the_file(tmp_path: Path) -> None:
    changes = {
        "cases": {"z": {}, "a": {"n_private": 7}},
        "sweep": {"n_public": [3, 1], "distribution.labeling.target": [0.2]},
    }
    experiment = load(tmp_path, changes)
    cells = [
        (c.case, c.sizes["n_public"], c.sizes["n_private"], c.distribution.labeling.target) for c in experiment.cells
    ]
    assert cells == [("z", 3, 100, 0.2), ("z", 1, 100, 0.2), ("a", 3, 7, 0.2), ("a", 1, 7, 0.2)]
    again = Experiment.from_json(experiment.to_json())
    assert [c.key for c in again.cells] == [c.key for c in experiment.cells]


def test_blocks_share_out_every_trial_once(tmp_path: Path) -> None:
    for blocks in (1, 2, 3, 50):
        experiment = load(tmp_path, {"sweep": {"n_public": [1, 2]}}, run={"blocks": blocks})
        units = [
            (cell.index, trial)
            for block in range(experiment.number_of_blocks)
            for cell, trial in experiment.units(block)
        ]
        assert sorted(units) == [(cell, trial) for cell in (0, 1) for trial in range(5)]
        assert experiment.number_of_blocks == min(blocks, 5)


def test_numbers_in_texts_are_those_of_the_run(tmp_path: Path) -> None:
    titles = {"a": "n = <n_private>, sigma <distribution.shift.sigma>, $n_{x}$", "b": "<trials> times <n_private>"}
    experiment = load(
        tmp_path,
        {
            "sweep": {"n_public": [10, 20]},
            "description": "<trials> trials, <n_private> private examples.",
            "cases": {"a": {"distribution.shift": {"name": "tilt", "sigma": 0.5}}, "b": {}},
            "figures": [{"name": "excess", "x": "n_public", "titles": titles, "height": 2}],
        },
        run={"trials": 3, "overrides": {"trial": {"n_private": 4000}}},
    )
    assert experiment.description == "3 trials, 4,000 private examples."
    (figure,) = experiment.figures
    assert figure["titles"] == {"a": "n = 4,000, sigma 0.5, $n_{x}$", "b": "3 times 4,000"}
    assert figure["height"] == 2


def test_blocks_are_those_of_the_experiment_unless_the_run_says_otherwise(tmp_path: Path) -> None:
    assert load(tmp_path).number_of_blocks == 1, "one by default"
    assert load(tmp_path, {"blocks": 4}).number_of_blocks == 4
    assert load(tmp_path, {"blocks": 1}, run={"blocks": 3}).number_of_blocks == 3
    assert load(tmp_path, {"blocks": 4}, run={"blocks": 3}).number_of_blocks == 3
    assert load(tmp_path, {"blocks": 9}).number_of_blocks == 5, "never more than trials"


def test_streams_depend_on_the_cell_and_not_on_its_neighbours(tmp_path: Path) -> None:
    small = load(tmp_path, {"sweep": {"n_public": [5]}})
    large = load(tmp_path, {"sweep": {"n_public": [3, 5]}, "learners": [{"name": "discard_private"}]})

    def draw(e, c, t):
        return e.stream(c, t).generator.random()

    assert draw(small, small.cells[0], 2) == draw(large, large.cells[1], 2)
    values = {draw(large, cell, trial) for cell in large.cells for trial in range(5)}
    assert len(values) == 10


def test_limit_on_trials(tmp_path: Path) -> None:
    assert load(tmp_path, run={"trials": 2}).trials == 2
    assert load(tmp_path, run={"trials": 99}).trials == 5


def test_factor_on_trials_comes_before_the_limit(tmp_path: Path) -> None:
    assert load(tmp_path, run={"trials_factor": 10}).trials == 50
    assert load(tmp_path, run={"trials_factor": 10, "trials": 20}).trials == 20
    assert load(tmp_path, run={"trials_factor": 0.5, "trials": 20}).trials == 2
    assert load(tmp_path, run={"trials_factor": 0.01}).trials == 1, "never none"
    assert load(tmp_path, {"trials": 7}, run={"trials_factor": 1}).trials == 7
    with pytest.raises(ConfigError, match="trials = 0: must be >= 1"):
        load(tmp_path, {"trials": 0}, run={"trials_factor": 10})


def trials_of(experiment: Experiment, folder: Path) -> list[dict[str, Any]]:
    """Rows of the table of trials, after all rules."""
    folder.mkdir()
    return tables.read_rows(run_rules(experiment, folder) / "trials", TRIALS)


def test_more_trials_begin_with_the_same_ones(tmp_path: Path) -> None:
    """What a trial draws and learns depends on its number, not on how many there are or on the blocks."""
    few, many = load(tmp_path, run={"blocks": 2}), load(tmp_path, run={"blocks": 7, "trials_factor": 10})
    rows, more_rows = trials_of(few, tmp_path / "few"), trials_of(many, tmp_path / "many")
    assert (few.trials, many.trials) == (5, 50)
    assert len(more_rows) == 10 * len(rows)
    assert [row for row in more_rows if row["trial"] < few.trials] == rows
    assert len({row["excess"] for row in more_rows}) > 40, "further trials differ"


def test_results_must_be_writable(tmp_path: Path) -> None:
    check_writable(str(tmp_path / "new" / "results"))
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file/results. cannot be written, .*file is not a writable folder"):
        check_writable(str(tmp_path / "file" / "results"))


@pytest.mark.parametrize(
    "distribution",
    [
        {"marginal": {"name": "normal", "dimension": 2}, "labeling": {"name": "linear", "weights": [1, 2]}},
        {
            "marginal": {"name": "discrete_grid", "size": 4, "dimension": 2},
            "labeling": {"name": "box", "low": [0, 0.3], "high": [0.7, 1]},
        },
    ],
    ids=["sampled", "enumerated"],
)
def test_a_class_without_closed_forms_works_in_an_experiment(tmp_path, distribution):
    """Stumps under labels that no labeling knows a best stump for: errors and best error by samples, or by sums."""
    changes = {
        "class": {"name": "decision_stumps", "dimension": 2},
        "distribution": distribution,
        "trials": 2,
        "figures": [],
    }
    experiment = load(tmp_path, base={**SIMULATION, **changes})
    best = experiment.cells[0].distribution.best_error(experiment.cells[0].hypothesis_class)
    assert best.exact == (distribution["marginal"]["name"] == "discrete_grid")
    for row in trials_of(experiment, tmp_path / "data"):
        assert row["best_error"] == best.value
        assert row["excess"] == pytest.approx(row["error"] - best.value, abs=1e-12)
        assert row["error"] >= best.low - 5 * row["standard_error"] - 1e-12
        assert (row["standard_error"] == 0) == best.exact


def test_runs_into_different_folders_share_no_sample() -> None:
    folders = [
        "results",
        "a",
        *(f"{folder}/results" for folder in ("a", "b", "a/b", "/tmp/a")),
        "results/a",
        "a/b",
        "b/a",
        ".",
    ]
    runs = [loading.Run({}, [], 1.0, folder, 1, {}) for folder in folders]
    for kept in ([run.name for run in runs], [run.samples for run in runs], [run.splits for run in runs]):
        assert len(set(kept)) == len(folders)
    assert all(run.name and "/" not in run.name and run.name != "." for run in runs), "one folder each"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"a.k": 2, "a.m": 3}, {"a": {"x": 1, "k": 2, "m": 3}, "b": {"name": "p", "q": 0}}),
        ({"a.k.l": 2, "a.k.m": 3}, {"a": {"x": 1, "k": {"l": 2, "m": 3}}, "b": {"name": "p", "q": 0}}),
        ({"a": {"k": 2}, "a.x": 3}, {"a": {"x": 3, "k": 2}, "b": {"name": "p", "q": 0}}),
        ({"b.q": 1, "b.r": 2}, {"a": {"x": 1}, "b": {"name": "p", "q": 1, "r": 2}}),
        ({"b": {"name": "other"}, "b.r": 2}, {"a": {"x": 1}, "b": {"name": "other", "r": 2}}),
        ({"c.d": 1}, {"a": {"x": 1}, "b": {"name": "p", "q": 0}, "c": {"d": 1}}),
    ],
)
def test_changes_add_up(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    """Several keys below one head all count, the later over the earlier; the base stays as it was."""
    base = {"a": {"x": 1}, "b": {"name": "p", "q": 0}}
    assert merge(base, changes) == expected
    assert base == {"a": {"x": 1}, "b": {"name": "p", "q": 0}}
