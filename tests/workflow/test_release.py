"""The target `release`: who may read the private table, and one charge and one draw whatever makes jobs run again."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from places import ROOT, matching
from releases import EVERY_RULE, kinds, people, project, request, settings
from runs import Job, jobs_of, snakemake

PRIVATE = {"reserve_release": {"counted"}, "tally_part": {"private"}, "draw_release": {"private"}}
"""Rules that get the path of a private table, and by which parameter: that counts rows, that sums them up, and, if
entries are unlabelled or rows held out, that draws."""
READS = {
    "release": {
        "model.json",
        "certificate.json",
        "certificate.html",
        "synthetic.parquet",
        "intervals.parquet",
        "figure.pdf",
        "figure.png",
    },
    "reserve_release": {"release.yaml"},
    "tally_part": {"release.yaml", "charged.json"},
    "draw_release": {"release.yaml", "charged.json", "0.npz", "1.npz"},
    "write_release_table": {"release.yaml", "model.json", "certificate.json"},
    "write_release_intervals": {"release.yaml", "model.json"},
    "draw_release_figure": {"release.yaml", "model.json"},
}
"""What each rule may read as an input, by file name.  Sums (*.npz) are private: the rule that draws has them alone."""


def target(path: Path) -> list[str]:
    """Snakemake's arguments for the release that a file asks for."""
    return ["--config", f"release={path}", "--cores", "1", "release"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Function that writes a table in two parts and a request with more keys, for the folder of results of the run."""

    def write(**changes: object) -> Path:
        folder = tmp_path_factory.mktemp("release")
        project(folder)
        (folder / "parts").mkdir()
        for i in range(2):
            people(30, i).to_parquet(folder / f"parts/{i}.parquet")
        return request(folder, results="results", private={"path": str(folder / "parts")}, **changes)

    return write


def offences(jobs: list[Job], folder: Path) -> list[str]:
    """What rules read though they must not."""
    faults = []
    for job in jobs:
        faults += [f"{job.rule} reads {path}" for path in job.inputs if Path(path).name not in READS[job.rule]]
        for name, given in job.params.items():
            if str(folder / "parts") in str(given) and name not in PRIVATE.get(job.rule, set()):
                faults.append(f"{job.rule} gets the private table as {name}")
    return faults


def test_who_reads_the_private_table(asked: Callable[..., Path]) -> None:
    path = asked(**EVERY_RULE)
    jobs = jobs_of(*target(path))
    assert [job.rule for job in jobs].count("tally_part") == 2
    assert {job.rule for job in jobs} == set(READS), "the target asks for nothing else"
    assert offences(jobs, path.parent) == []
    drawing = next(job for job in jobs if job.rule == "draw_release")
    assert drawing.params["private"] == []
    sums = {out for job in jobs if job.rule == "tally_part" for out in job.outputs}
    assert {path for path in drawing.inputs if path.endswith(".npz")} == sums
    for job in jobs:
        for wrong in (str(path.parent / "parts/0.parquet"), "results/releases/visits/private/7.npz"):
            given = job.snakemake.input
            given.append(wrong)
            assert offences([job], path.parent), f"{job.rule} may not read {wrong}"
            given.pop()


def test_a_report_is_written_by_the_rule_of_tables(asked: Callable[..., Path]) -> None:
    statistics = [{"statistic": "count", "by": ["ill"]}, {"statistic": "mean", "column": "age", "by": ["ill"]}]
    features = {"age": {"range": [0, 100]}, "ill": {"categories": ["yes", "no"], "unknown": "no"}}
    learner = {"name": "statistics", "epsilon": 0.5, "statistics": statistics}
    path = asked(**{**EVERY_RULE, "features": features, "learner": learner})
    jobs = jobs_of(*target(path))
    assert {job.rule for job in jobs} == set(READS) - {"write_release_intervals"}
    (writing,) = [job for job in jobs if job.rule == "write_release_table"]
    assert [Path(out).name for out in writing.outputs] == ["report.parquet"]
    reads = READS["release"] - {"synthetic.parquet", "intervals.parquet"} | {"report.parquet"}
    (whole,) = [job for job in jobs if job.rule == "release"]
    assert {Path(file).name for file in whole.inputs} == reads
    assert offences([job for job in jobs if job is not whole], path.parent) == []


def test_held_out_rows_are_read_by_the_rule_that_draws(asked: Callable[..., Path]) -> None:
    path = asked(held_out={"share": 0.1, "epsilon": 0.1})
    jobs = jobs_of(*target(path))
    (drawing,) = [job for job in jobs if job.rule == "draw_release"]
    assert [Path(file).name for file in drawing.params["private"]] == ["0.parquet", "1.parquet"]
    assert offences(jobs, path.parent) == []


def test_private_rules_are_tried_once_and_leave_no_times() -> None:
    text = (ROOT / "workflow/rules/release.smk").read_text()
    rules = re.split(r"^rule ", text, flags=re.M)[2:]  # after the head, and the target
    assert {rule.partition(":")[0] for rule in rules} == set(READS) - {"release"}
    for rule in rules:
        assert "retries: 0" in rule
        assert not re.search(r"benchmark:|group:|attempt|priority", rule), rule
    assert 'temp(f"{OWN}/private/{{part}}.npz")' in text
    for profile in matching(ROOT, "profiles/*/config.yaml"):
        assert not re.search(r"release|tally_part", profile.read_text()), "no release is part of a group of jobs"


def test_the_default_run_needs_no_request(plan: Callable[..., list[Job]]) -> None:
    assert not {job.rule for job in plan()} & set(READS)


def test_a_wrong_request_is_one_line(tmp_path: Path, asked: Callable[..., Path]) -> None:
    path = asked()
    path.write_text(path.read_text() + "seed: 1\n")
    done = snakemake(tmp_path, *target(path), check=False)
    assert done.returncode
    assert re.search(r"release\.yaml: seed: ", done.stdout + done.stderr)
    (path.parent / "clinic.csv").write_text("17.25,SECRET-DIAGNOSIS\n")
    headless = request(path.parent, results="results", private={"path": str(path.parent / "clinic.csv")})
    done = snakemake(tmp_path, *target(headless), check=False)
    output = done.stdout + done.stderr
    assert "is the header missing?" in output
    assert "SECRET" not in output
    assert "17.25" not in output


def test_whatever_runs_again_is_charged_and_drawn_once(tmp_path: Path) -> None:
    """Touched inputs, deleted outputs, deleted metadata, comments in all scripts; then another parameter."""
    root, folder = tmp_path / "checkout", tmp_path / "run"
    root.mkdir()
    for part in ("Snakefile", "workflow", "scripts", "src", "config", "envs", "profiles"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, root / part)
    folder.mkdir()
    path = project(folder, results="results")
    own = folder / "results/releases/visits"

    def run() -> str:
        done = snakemake(folder, *target(path), root=root)
        return done.stdout + done.stderr

    run()
    first = {file.name: file.read_bytes() for file in own.iterdir() if file.is_file()}
    published = {"model.json", "certificate.json", "certificate.html", "figure.pdf", "figure.png"}
    assert set(first) == {"charged.json", *published}
    assert kinds(folder) == ["opened", "reserved", "released"]
    assert not (own / "private").exists()
    logs = [file.read_text() for file in (folder / "results/logs").rglob("*.log")]
    assert logs == [""] * 4
    (folder / "clinic.csv").touch()
    path.touch()
    (own / "certificate.json").unlink()
    (own / "charged.json").unlink()
    shutil.rmtree(folder / ".snakemake/metadata")
    for script in ("reserve_release", "tally_part", "draw_release"):
        file = root / f"scripts/{script}.py"
        file.write_text(f"{file.read_text()}# a comment\n")
    printed = run()
    assert all(f"{what} the release" in printed for what in ("Charging for", "Summing up part 0 for", "Drawing"))
    assert {file.name: file.read_bytes() for file in own.iterdir() if file.is_file()} == first
    assert kinds(folder) == ["opened", "reserved", "released"]
    kept = [json.loads(file.read_text()) for file in matching(folder, ".snakemake/metadata/**/*") if file.is_file()]
    assert any(record.get("input") for record in kept)
    assert not any("clinic.csv" in json.dumps(record.get("input", [])) for record in kept)
    changes = settings(folder, results="results", learner={"name": "sspp", "epsilon": 0.75})
    path.write_text(yaml.safe_dump(changes))
    done = snakemake(folder, *target(path), root=root, check=False)
    assert done.returncode
    assert "0.5" in done.stdout + done.stderr
    assert kinds(folder) == ["opened", "reserved", "released"]
    assert "Traceback" not in done.stderr
    assert pd.read_csv(folder / "clinic.csv").shape == (60, 3)
    assert os.access(own / "private", os.F_OK) is False
