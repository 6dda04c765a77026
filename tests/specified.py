"""Configurations of one experiment each, and how tests change, load and run them."""

import copy
from pathlib import Path
from typing import Any

import yaml

from semipriv_lab.experiments.config import Experiment, merge
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.workflow.construct_cover import construct_cover
from semipriv_lab.workflow.evaluate import evaluate
from semipriv_lab.workflow.evaluate_held_out import evaluate_held_out
from semipriv_lab.workflow.gather import gather
from semipriv_lab.workflow.generate_data import generate_data
from semipriv_lab.workflow.private_select import select
from semipriv_lab.workflow.split_table import split_table

FOLDER = Path(__file__).parent.parent / "config/experiments"
ABSENT = "absent"
"""In changes: take this key away."""
RUN: dict[str, Any] = {"seed": 1, "results": "results", "experiments": ["trial"], "claims": []}
SIMULATION: dict[str, Any] = {
    "kind": "simulation",
    "class": {"name": "thresholds"},
    "distribution": {"marginal": {"name": "uniform"}, "labeling": {"name": "realizable", "target": 0.5}},
    "n_public": 10,
    "n_private": 100,
    "trials": 5,
    "learners": [{"name": "sspp", "epsilon": [0.1, 1]}],
}
MIXTURE: dict[str, Any] = {
    "kind": "simulation",
    "class": {"name": "halfspaces", "dimension": 1},
    "distribution": {
        "marginal": {"name": "uniform"},
        "labeling": {"name": "realizable", "target": 0.3},
        "privacy": {"name": "label_determined"},
    },
    "n": 30,
    "trials": 3,
    "learners": [
        {"name": "learn_half", "epsilon": [0.5, 2], "grid": {"low": [0], "high": [1]}},
        {"name": "pooled", "learner": {"name": "fixed_grid", "epsilon": [0.5, 2], "size": 20}},
        {"name": "pooled", "learner": {"name": "empirical_risk_minimiser"}},
        {"name": "public_labelled"},
    ],
    "sweep": {"n": [20, 40]},
    "slopes": {"x": "n", "low": 10, "high": 100},
    "figures": [{"name": "excess", "x": "n"}],
}
MIXED_TABLE: dict[str, Any] = {
    "kind": "table",
    "table": {
        "name": "breast_cancer",
        "features": ["mean radius", "mean texture"],
        "label": "malignant",
        "privacy": "label_determined",
        "ranges": [[0, 50], [0, 100]],
    },
    "class": {"name": "halfspaces", "dimension": 2},
    "n": 12,
    "trials": 2,
    "learners": [
        {"name": "learn_half", "epsilon": 1, "subset": 5, "grid": {"low": [0, 0], "high": [1, 1]}},
        {"name": "pooled", "learner": {"name": "empirical_risk_minimiser"}},
    ],
}
REGRESSION: dict[str, Any] = {
    "class": {"name": "linear_ball", "dimension": 2},
    "distribution": {
        "marginal": {"name": "unit_ball", "dimension": 2},
        "response": {"name": "linear", "weights": [0.5, -0.3], "amplitude": 0.4},
        "shift": {"name": "region", "sigma": 0.3, "centre": 1},
    },
    "n_public": 10,
    "n_private": 50,
    "trials": 3,
    "measures": ["expected_loss"],
    "learners": [{"name": "least_squares_ball"}, {"name": "sufficient_statistics", "epsilon": [1, 5], "delta": 1e-5}],
    "sweep": {"n_private": [50, 70]},
}
REGRESSION_TABLE: dict[str, Any] = {
    "kind": "table",
    "class": {"name": "linear_ball", "dimension": 2},
    "table": {
        "name": "diabetes",
        "features": ["bmi", "bp"],
        "response": "progression",
        "ranges": [[15, 45], [60, 140]],
        "response_range": [0, 350],
    },
    "n_public": 40,
    "n_private": 300,
    "trials": 2,
    "measures": ["expected_loss"],
    "learners": [{"name": "least_squares_ball"}],
}


SEVERAL_LABELS: dict[str, Any] = {
    "kind": "table",
    "class": {"name": "linear_rules", "dimension": 2, "classes": 3},
    "table": {"name": "wine", "features": ["alcohol", "flavanoids"], "label": "cultivar"},
    "n_public": 40,
    "n_private": 110,
    "trials": 2,
    "learners": [{"name": "public_metric_multiclass", "epsilon": [1, 10]}],
}


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _present(inner) for key, inner in value.items() if inner is not ABSENT}
    return value


def changed(base: dict[str, Any], changes: dict[Any, Any] | None = None) -> dict[str, Any]:
    """Return a copy of a configuration with changes, as ``overrides`` make them."""
    settings: dict[str, Any] = _present(merge(copy.deepcopy(base), changes or {}))
    return settings


def load(
    folder: Path,
    changes: dict[str, Any] | None = None,
    base: dict[str, Any] = SIMULATION,
    run: dict[str, Any] | None = None,
    text: str | None = None,
) -> Experiment:
    """Return the experiment that a file says, with changes of it and of the run; its text may be given as it is."""
    path = folder / "trial.yaml"
    path.write_text(text if text is not None else yaml.safe_dump(changed(base, changes), sort_keys=False))
    return load_run(changed(RUN, run), folder).experiments["trial"]


def loaded(name: str, **changes: Any) -> Experiment:
    """Return an experiment of the checkout with changes."""
    config = {"seed": 5, "results": "results", "experiments": [name], "claims": [], "overrides": {name: changes}}
    return load_run(config, FOLDER).experiments[name]


def run_rules(experiment: Experiment, folder: Path, table: Path | None = None) -> Path:
    """Do what all rules do for an experiment, of a table if one is given, and return the folder.

    Of its first block: ``public``, ``private``, ``held``, ``prepared`` and ``<protection>_releases``;
    of further ones the same with the number.  Of all: ``trials``, ``summary`` and ``slopes``.
    """
    releases: list[Path] = []
    held: list[Path] = []
    for block in range(experiment.number_of_blocks):

        def place(name: str, number: str = f"_{block}" if block else "") -> Path:
            return folder / f"{name}{number}"

        if table is None:
            generate_data(experiment, block, place("public"), place("private"))
        else:
            split_table(experiment, block, table, place("public"), place("private"), place("held"))
        construct_cover(experiment, place("public"), place("prepared"))
        protections = sorted({learner.protection for cell in experiment.cells for learner in cell.learners.values()})
        for protection in protections:
            releases.append(place(f"{protection}_releases"))
            select(experiment, protection, place("prepared"), place("private"), releases[-1])
        held.append(place("held"))
    rows = evaluate(experiment, releases) if table is None else evaluate_held_out(experiment, releases, held)
    gather(experiment, rows, *(folder / name for name in ("trials", "summary", "slopes")))
    return folder
