"""What gathering takes from the settings of a cell: bounds with the shift's sigma, slopes of one curve each."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.core import tables
from semipriv.core.randomness import Source
from semipriv.core.samples import StatusModel
from semipriv.distributions.best import exactly
from semipriv.learners.base import Setting
from semipriv.privacy.guarantee import Release
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.schemas import RELEASES, SLOPES, SUMMARY, TRIALS
from semipriv_lab.measures.base import Measured
from semipriv_lab.measures.population_error import PopulationError
from semipriv_lab.workflow import evaluate_held_out as held_out
from semipriv_lab.workflow.evaluate import evaluate
from semipriv_lab.workflow.gather import gather
from semipriv_lab.workflow.storage import release_row

SIGMAS, SIZES, TRIAL_COUNT = (1.0, 0.5, 0.25), (10**6, 2 * 10**6, 4 * 10**6), 4
BASE = {
    "class": {"name": "thresholds"},
    "distribution": {
        "marginal": {"name": "uniform"},
        "labeling": {"name": "realizable", "target": 0.4},
        "shift": {"name": "region", "sigma": 1.0, "centre": 0.4},
    },
    "n_public": 10**5,
    "n_private": 10**6,
    "trials": TRIAL_COUNT,
    "learners": [{"name": "sspp", "epsilon": 1}],
}


def gathered(folder: Path, beta: float = 0.05, **changes: object) -> tuple[Experiment, pd.DataFrame, pd.DataFrame]:
    """Gather made-up errors, which fall like n_private^-1 at each sigma, and are larger at smaller sigma."""
    experiment = Experiment("gathered", {**BASE, **changes}, 3, 1, beta)
    rows = [
        {
            "cell": cell.index,
            "trial": trial,
            "learner": label,
            "output": "{}",
            "arrays": [],
            "epsilon": 1.0,
            "delta": 0.0,
            "neighbours": "replace_private_example",
            "randomness": "simulation",
            "cost": json.dumps({"cover_size": trial} | ({"retries": 10 * trial} if trial % 2 else {})),
            "error": _error(cell.settings) * (1 + trial / 10),
            "standard_error": 0.0,
            "best_error": 0.0,
            "best_low": 0.0,
            "best_high": 0.0,
            "measure": "population_error",
            "excess": _error(cell.settings) * (1 + trial / 10),
        }
        for cell in experiment.cells
        for trial in range(TRIAL_COUNT)
        for label in cell.learners
    ]
    gather(experiment, rows, *(folder / name for name in ("trials", "summary", "slopes")))
    assert tables.read(folder / "trials", TRIALS).num_rows == len(rows)
    summary, slopes = (tables.read(folder / s.name, s).to_pandas() for s in (SUMMARY, SLOPES))
    return experiment, summary, slopes


def _error(settings: dict) -> float:
    return float(1e3 / settings["n_private"] / settings["distribution"]["shift"]["sigma"] ** 2)


@pytest.mark.parametrize("beta", [0.05, 0.2])
def test_bounds_are_those_of_the_shift_and_of_beta(tmp_path: Path, beta: float) -> None:
    experiment, summary, _ = gathered(tmp_path, beta, sweep={"distribution.shift.sigma": list(SIGMAS)})
    assert summary["sigma"].tolist() == list(SIGMAS)
    for sigma, row in zip(SIGMAS, summary.itertuples(), strict=True):
        cell = experiment.cells[row.cell]
        (learner,) = cell.learners.values()
        sizes = {"n_public": 10**5, "n_private": 10**6}
        setting = Setting(cell.hypothesis_class, sizes, beta, sigma, 0.0, StatusModel.ANY)
        assert row.bound == learner.excess_bound(setting) < 1
    assert np.all(np.diff(summary["bound"]) > 0), "the bound grows as sigma falls"


def test_bounds_are_those_of_the_sizes_of_their_own_cell(tmp_path: Path) -> None:
    experiment, summary, _ = gathered(tmp_path, sweep={"n_private": list(SIZES), "n_public": [10**5, 10**4]})
    for row in summary.itertuples():
        cell = experiment.cells[row.cell]
        (learner,) = cell.learners.values()
        setting = Setting(cell.hypothesis_class, cell.sizes, 0.05, 1.0, 0.0, StatusModel.ANY)
        assert (row.n_public, row.n_private) == tuple(cell.sizes[key] for key in ("n_public", "n_private"))
        assert row.bound == learner.excess_bound(setting) < 1
    assert summary["bound"].nunique() > len(SIZES), "both sizes count"


@pytest.mark.parametrize(("best", "shown"), [(0.0, 0.25), (0.25 + 1e-13, 0.0), (0.25 + 1e-3, -1e-3)])
def test_an_excess_below_0_is_told_unless_it_is_rounding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, best: float, shown: float
) -> None:
    """An error below the best one is a fault of a formula, and must be seen."""
    experiment = Experiment("evaluated", {**BASE, "trials": 1}, 3, 1)
    (cell,) = experiment.cells
    output = Hypothesis(cell.hypothesis_class, np.array([0.15]))
    rows = [release_row(cell, 0, label, Release(output, None, Source.SIMULATION)) for label in cell.learners]
    tables.write(tmp_path / "releases", RELEASES, rows)
    monkeypatch.setattr(PopulationError, "best", lambda *_: exactly(best))
    (row,) = evaluate(experiment, [tmp_path / "releases"])
    assert row["error"] == pytest.approx(0.25)
    assert row["excess"] == pytest.approx(shown, abs=1e-15)


def test_a_slope_is_that_of_one_curve(tmp_path: Path) -> None:
    """At each sigma the exponent in n_private is -1.  Through several of them no slope is fitted."""
    at = {"x": "n_private", "low": 1, "high": 1e9}
    both = {"distribution.shift.sigma": list(SIGMAS), "n_private": list(SIZES)}
    _, summary, slopes = gathered(tmp_path, sweep=both, slopes=at)
    assert len(summary) == len(SIGMAS) * len(SIZES)
    assert slopes.empty
    _, _, slopes = gathered(tmp_path, sweep={"n_private": list(SIZES)}, slopes=at)
    assert slopes["slope"].tolist() == [pytest.approx(-1)]
    cases = {f"sigma {sigma}": {"distribution.shift.sigma": sigma} for sigma in SIGMAS}
    _, _, slopes = gathered(tmp_path, sweep={"n_private": list(SIZES)}, slopes=at, cases=cases)
    assert slopes["slope"].tolist() == [pytest.approx(-1)] * 3
    assert set(slopes["case"]) == set(cases)
    public = {"n_public": [10**4, 10**5], "n_private": list(SIZES)}
    assert gathered(tmp_path, sweep=public, slopes=at)[2].empty
    sigma = {"x": "sigma", "low": 0.3, "high": 1.0}
    _, _, slopes = gathered(tmp_path, sweep={"distribution.shift.sigma": list(SIGMAS)}, slopes=sigma)
    assert slopes[["low_x", "high_x", "points", "left_out"]].to_numpy().tolist() == [[0.5, 1.0, 2, 0]]
    assert slopes["slope"].tolist() == [pytest.approx(-2)]


def test_means_and_quantiles_are_those_of_their_own_cell(tmp_path: Path) -> None:
    experiment, summary, _ = gathered(tmp_path, sweep={"n_private": list(SIZES)})
    for row in summary.itertuples():
        values = _error(experiment.cells[row.cell].settings) * (1 + np.arange(TRIAL_COUNT) / 10)
        assert (row.trials, row.quantity, row.beta, row.case) == (TRIAL_COUNT, "excess", 0.05, "all")
        assert row.measure == "population_error"
        assert row.mean == pytest.approx(values.mean())
        assert row.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(TRIAL_COUNT))
        assert row.quantile == pytest.approx(values.max())
        assert json.loads(row.cost) == {"cover_size": 1.5, "retries": 20.0}, "retries: of two trials"


def test_what_is_missing_is_null_and_never_nan(tmp_path: Path) -> None:
    """In all tables of gathering, for learners with and without epsilon: means leave null out, not NaN."""
    learners = [*BASE["learners"], {"name": "empirical_risk_minimiser"}, {"name": "discard_private"}]
    changes = {"sweep": {"n_private": list(SIZES)}, "slopes": {"x": "n_private", "low": 1, "high": 1e9}}
    gathered(tmp_path, learners=learners, **changes)
    for name, schema in (("trials", TRIALS), ("summary", SUMMARY), ("slopes", SLOPES)):
        table = pq.read_table(tmp_path / name)
        for field in table.schema:
            if pa.types.is_floating(field.type):
                assert not any(x is not None and math.isnan(x) for x in table[field.name].to_pylist()), (name, field)
        private = ["sspp" in text for text in table["name"].to_pylist()]
        assert [x is not None for x in table["epsilon"].to_pylist()] == private, schema.title
        assert len(set(private)) == 2


def test_a_release_is_measured_on_the_held_out_part_of_its_own_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order releases and parts come; each measure of each release has a row of its own."""
    units = [(cell, trial) for cell in range(2) for trial in range(3)]
    monkeypatch.setattr(held_out, "read_samples", lambda *_: [(SimpleNamespace(index=c), t, (c, t)) for c, t in units])
    rows = [{"cell": c, "trial": t, "learner": learner} for learner in "ab" for c, t in units[::-1]]
    monkeypatch.setattr(held_out, "read_releases", lambda paths: rows)
    monkeypatch.setattr(held_out, "output_of", lambda row: (row["cell"], row["trial"]))

    def measure(factor: int) -> SimpleNamespace:
        def held(outputs: list, sample: tuple[int, int]) -> list[Measured]:
            assert outputs == [sample], "another trial's part was not held out from it"
            return [Measured(factor * (10 * sample[0] + sample[1]), 0.5)]

        return SimpleNamespace(held_out=held)

    experiment = SimpleNamespace(measures={"one": measure(1), "two": measure(2)})
    written = held_out.evaluate_held_out(experiment, [], [""])
    assert [(row["cell"], row["trial"], row["learner"], row["measure"], row["error"]) for row in written] == [
        (row["cell"], row["trial"], row["learner"], name, factor * (10 * row["cell"] + row["trial"]))
        for row in rows
        for name, factor in (("one", 1), ("two", 2))
    ]
