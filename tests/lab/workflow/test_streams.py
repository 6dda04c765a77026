"""Every random number of the workflow comes from the stream that is its own.

The streams are derived here from seed, names and trial.  Samples, releases and errors made from them must be those of
the rules: a rule that takes another stream, however it is spelt, makes other ones.
"""

import itertools
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from places import ROOT
from runs import Job

from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, Sample
from semipriv.learners.base import Protection
from semipriv.settings.reading import plain_numbers
from semipriv_lab.experiments.config import Cell, Experiment, canonical
from semipriv_lab.experiments.schemas import RELEASES, SAMPLES
from semipriv_lab.ledger.studies import studies
from semipriv_lab.workflow.construct_cover import construct_cover
from semipriv_lab.workflow.evaluate import evaluate
from semipriv_lab.workflow.generate_data import generate_data
from semipriv_lab.workflow.private_select import select
from semipriv_lab.workflow.split_table import read_table
from semipriv_lab.workflow.storage import output_of, read_samples

SEED, TRIALS = 11, 3
APART = {
    "class": {"name": "thresholds"},
    "distribution": {
        "marginal": {"name": "uniform"},
        "labeling": {"name": "classification_noise", "target": 0.4, "rate": 0.2},
    },
    "n_public": 9,
    "trials": TRIALS,
    "learners": [
        {"name": "sspp", "epsilon": [0.5, 1], "mechanism": ["exponential", "permute_and_flip"]},
        {"name": "fixed_grid", "epsilon": 0.5, "size": 30},
    ],
    "sweep": {"n_private": [20, 30]},
}
"""Private samples of 30 are recipes."""
PLANE = {
    "class": {"name": "halfspaces", "dimension": 2},
    "distribution": {
        "marginal": {"name": "uniform", "dimension": 2},
        "labeling": {"name": "linear", "weights": [1.0, 2.0], "offset": -1.4},
        "privacy": {"name": "label_determined"},
    },
    "trials": TRIALS,
    "learners": [
        {"name": "learn_half", "epsilon": [0.5, 1], "grid": {"low": [0, 0], "high": [1, 1]}},
        {"name": "pooled", "learner": {"name": "fixed_grid", "epsilon": 0.5, "size": 3}},
    ],
    "sweep": {"n": [8, 12]},
}
"""There is no closed form of errors: they are means over fresh points."""
BASES = {"apart": APART, "plane": PLANE}


@pytest.fixture(scope="module", params=BASES)
def materialised(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, Path]:
    """An experiment, and the folder with all that its rules make."""
    experiment = Experiment(request.param, BASES[request.param], SEED, 1, materialise=25)
    folder = tmp_path_factory.mktemp(request.param)
    generate_data(experiment, 0, folder / "public", folder / "private")
    construct_cover(experiment, folder / "public", folder / "prepared")
    select(experiment, Protection.PRIVATE, folder / "prepared", folder / "private", folder / "releases")
    return experiment, folder


def own(name: str, seed: int, cell: Cell, trial: int, *names: str) -> Simulation:
    """The stream of a trial, written down: experiment, all that the data depend on, trial, and what it is for."""
    given = {key: cell.settings.get(key) for key in ("class", "distribution", "n_private", "n_public", "table")}
    given |= {"n": cell.settings["n"]} if "n" in cell.settings else {}
    return Simulation(seed, (name, canonical(plain_numbers({"case": cell.case, **given})), str(trial), *names))


def samples(experiment: Experiment, cell: Cell, trial: int) -> tuple[Sample, Sample]:
    distribution, stream = cell.distribution, lambda name: own(experiment.name, SEED, cell, trial, name)
    if "n" in cell.settings:
        mixed = distribution.mixed_sample(cell.settings["n"], stream("mixed"))
        return mixed.public_examples, mixed.private_examples
    public = distribution.public_sample(cell.settings["n_public"], stream("public"))
    return public, distribution.private_sample(cell.settings["n_private"], stream("private"))


def test_samples_are_those_of_their_own_streams(materialised: tuple[Experiment, Path]) -> None:
    experiment, folder = materialised
    seen = []
    for which, name in enumerate(("public", "private")):
        drawn = list(read_samples(folder / name, experiment))
        assert len(drawn) == len(experiment.cells) * TRIALS
        for cell, trial, sample in drawn:
            expected = samples(experiment, cell, trial)[which]
            np.testing.assert_array_equal(sample.points, expected.points)
            np.testing.assert_array_equal(sample.labels, expected.labels)
            seen.append(sample.points.ravel().tolist())
    for first, other in itertools.combinations(seen, 2):
        assert not set(first) & set(other), "samples of atomless distributions have no point in common"


def test_each_release_is_drawn_from_its_own_stream(materialised: tuple[Experiment, Path]) -> None:
    experiment, folder = materialised
    rows = tables.read_rows(folder / "releases", RELEASES)
    assert len(rows) == sum(len(cell.learners) for cell in experiment.cells) * TRIALS
    for row in rows:
        cell, label = experiment.cells[row["cell"]], row["learner"]
        learner = cell.learners[label]
        public, private = samples(experiment, cell, row["trial"])
        labels = public.labels if learner.public_stage.needs_labels else None
        prepared = learner.prepare(public.points, cell.hypothesis_class, labels)
        stream = own(experiment.name, SEED, cell, row["trial"], "learner", label)
        expected = learner.release(prepared, private.points, private.labels, stream).output
        np.testing.assert_array_equal(output_of(row).parameters, expected.parameters)
        assert f"epsilon={learner.guarantee.epsilon}" in label, "learners that differ have other labels"


def test_each_trial_has_fresh_points_of_its_own(materialised: tuple[Experiment, Path]) -> None:
    experiment, folder = materialised
    for row in evaluate(experiment, [folder / "releases"]):
        cell, output = experiment.cells[row["cell"]], output_of(row)
        fresh = own(experiment.name, SEED, cell, row["trial"], "evaluate")
        expected = cell.distribution.errors(output.functions, output.parameters[None], fresh)
        assert row["error"] == pytest.approx(expected.value[0], rel=1e-13)
        assert (row["standard_error"] > 0) == (experiment.name == "plane")


@pytest.mark.parametrize("name", ["breast_cancer", "breast_cancer_mixture"])
def test_rows_of_a_table_are_split_by_a_stream_of_the_trial(finished: Path, jobs: dict[str, Job], name: str) -> None:
    folder = f"data/split/results/{name}/0"
    job = jobs[f"{folder}/public.parquet"]
    experiment = Experiment.from_json(job.params["experiment"])
    source = next(finished / path for path in job.inputs if path.endswith(".parquet"))
    seen = set()
    for row in tables.read_rows(finished / folder / "private.parquet", SAMPLES):
        cell, trial = experiment.cells[row["cell"]], row["trial"]
        sample: MixedSample = read_table(source, cell.table)
        order = own(name, experiment.seed, cell, trial, "split").generator.permutation(len(sample))
        if "n" in cell.settings:
            private = [i for i in order[: cell.settings["n"]] if sample.private[i]]
        else:
            private = order[cell.settings["n_public"] :][: cell.settings["n_private"]].tolist()
        points = np.reshape(row["points"], (len(private), -1)) * row["scale"] + row["centre"]
        np.testing.assert_allclose(points, sample.points[private], rtol=1e-9)
        seen.add(tuple(private))
    assert len(seen) == experiment.trials * len(experiment.cells)


def test_a_sample_is_the_same_whichever_rule_reads_it(finished: Path, jobs: dict[str, Job]) -> None:
    """Materialised or a recipe; a sample of each kind is in this table."""
    path = "data/synthetic/results/excess_vs_shift/0/private.parquet"
    experiment = Experiment.from_json(jobs[path].params["experiment"])
    assert {row["points"] is None for row in tables.read_rows(finished / path, SAMPLES)} == {True, False}
    for cell, trial, sample in read_samples(finished / path, experiment):
        stream = own(experiment.name, experiment.seed, cell, trial, "private")
        expected = cell.distribution.private_sample(cell.settings["n_private"], stream)
        np.testing.assert_array_equal(sample.points, expected.points)


def test_every_study_has_a_stream_of_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the run's seed; with the claims and the effort of the job.  Equal names inside two studies are other coins."""
    called: list[tuple[str, list[str], Simulation, float]] = []
    monkeypatch.setattr("semipriv_lab.workflow.measure_study.measure", lambda *given: called.append(given) or {})
    monkeypatch.setattr("semipriv_lab.ledger.table.write_findings", lambda findings, rows, measurements: None)
    for study, known in studies().items():
        job = SimpleNamespace(
            log=[str(tmp_path / f"{study}.log")],
            wildcards=SimpleNamespace(study=study),
            params=SimpleNamespace(seed=SEED, claims=known.claims, effort=0.5),
            output=SimpleNamespace(rows="", measurements=""),
        )
        runpy.run_path(str(ROOT / "scripts/measure_study.py"), init_globals={"snakemake": job}, run_name="__main__")
        name, claims, randomness, effort = called.pop()
        assert (name, claims, effort) == (study, known.claims, 0.5)
        assert (randomness.seed, randomness.path) == (SEED, ("study", study))
        own = Simulation(SEED).spawn("study").spawn(study).generator.random()
        assert randomness.generator.random() == own
